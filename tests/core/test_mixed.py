"""A Python number or list combined with float64 is exact: it does not pass through the default dtype, float32."""

import numpy as np
import pytest

import minigrad as mg
import minigrad.numpy as mnp
from minigrad.core.support.operands import adopt, float_dtype
from tests.helpers.op_samples import NAMED, arrays, floats, function
from tests.helpers.tables import over


@over([
    (op, sample, kind)
    for op, sample in NAMED.values()
    for kind in (mg.constant, np.asarray)
    if len(arrays(sample)) > 1 and op.name != "block"  # whose lists hold the blocks
])  # fmt: skip
def test_an_op_on_float64_and_python_numbers_gives_what_numpy_gives_in_float64(op, sample, kind):
    values = [a * (1 + 1e-9) for a in arrays(sample)]  # numbers that float32 does not have
    wanted = floats(function(op, sample)(*values))
    for i in range(len(values)):
        given = [kind(v) if j == i else v.tolist() for j, v in enumerate(values)]
        for got, want in zip(floats(function(op, sample)(*given)), wanted):
            assert got.dtype == np.float64
            np.testing.assert_array_equal(getattr(got, "value", got), want)


A = np.array([0.3, 0.7])
X = mg.constant(A)
NUMBER = mg.constant(np.float64(0.7))


@over([
        (lambda: X + [0.1, 0.2], A + [0.1, 0.2]),
        (lambda: [0.1, 0.2] * X, A * [0.1, 0.2]),
        (lambda: X - (0.1, 0.2), A - [0.1, 0.2]),
        (lambda: X @ [0.1, 0.2], A @ [0.1, 0.2]),
        (lambda: mg.where(mg.constant([True, False]), 0.1, A), np.where([True, False], 0.1, A)),
        (lambda: mg.where(mg.constant([True, False]), [0.1, 0.2], A), np.where([True, False], [0.1, 0.2], A)),
        (lambda: mg.clip(mg.constant(A.astype("float32")), [0.1, 0.4], A), np.clip(A.astype("float32"), [0.1, 0.4], A)),
        (lambda: mg.index_set(X, [0], [0.1]), [0.1, 0.7]),
        (lambda: mg.index_add(X, 0, 0.1), [0.3 + 0.1, 0.7]),
        (lambda: mg.stack([NUMBER, 0.1]), [0.7, 0.1]),
        (lambda: mg.stack([[0.1, NUMBER], [0.2, 0.3]]), [[0.1, 0.7], [0.2, 0.3]]),
        (lambda: mg.add([[0.1, 0.3], [0.2, NUMBER]], 0.0), [[0.1, 0.3], [0.2, 0.7]]),
        (lambda: mg.sum([[0.1, 0.2], [0.4, NUMBER]], 0), [0.1 + 0.4, 0.2 + 0.7]),
        (lambda: mg.concat([X, [0.1]], 0), [0.3, 0.7, 0.1]),
        (lambda: mg.ops.concatenate([[0.1], X], None), [0.1, 0.3, 0.7]),
        (lambda: mg.convert_to_tensor([[0.1, NUMBER], [0.2, 0.3]]), [[0.1, 0.7], [0.2, 0.3]]),
        (lambda: mnp.array([[0.1, NUMBER], [0.2, 0.3]]), [[0.1, 0.7], [0.2, 0.3]]),
        (lambda: mnp.vstack([X, [0.1, 0.2]]), [[0.3, 0.7], [0.1, 0.2]]),
        (lambda: mnp.block([[NUMBER, 0.1]]), [[0.7, 0.1]]),
        (lambda: mnp.select([[True, False]], [X], 0.1), [0.3, 0.1]),
        (lambda: mnp.hstack([X, 0.1]), [0.3, 0.7, 0.1]),
        (lambda: mnp.column_stack([X, [0.1, 0.2]]), [[0.3, 0.1], [0.7, 0.2]]),
        (lambda: mnp.append(X, [0.1]), [0.3, 0.7, 0.1]),
        (lambda: mnp.average([0.1, 0.2], weights=X), np.average([0.1, 0.2], weights=A)),
        (lambda: mg.constant(0.1, dtype="float64"), 0.1),
        (lambda: mg.cast([0.1, 0.2], "float64"), [0.1, 0.2]),
        (lambda: mg.ops.full((2,), 0.1, "float64"), [0.1, 0.1]),
        (lambda: mg.ops.full_like(X, 0.1), [0.1, 0.1]),
        (lambda: mg.one_hot([1], 2, on_value=0.1, off_value=0.2, dtype="float64"), [[0.2, 0.1]]),
        (lambda: mg.keras.losses.mse([0.1, 0.2], X), np.mean((A - [0.1, 0.2]) ** 2)),
    ])  # fmt: skip
def test_what_a_float64_meets_is_float64(found, wanted):
    y = found()
    assert y.dtype == np.float64
    np.testing.assert_array_equal(getattr(y, "value", y), wanted)


@pytest.mark.parametrize("compare", [mg.equal, mg.less_equal, mg.greater_equal, np.equal])
def test_a_list_compared_with_float64_is_float64_on_either_side(compare):
    assert compare([0.3, 0.7], x := mg.constant(np.array([0.3, 0.7]))).value.all()
    assert compare(x, [0.3, 0.7]).value.all()


def test_a_list_to_search_in_is_float64_where_float64_is_searched_for():
    places = mg.searchsorted([0.3, 0.7, 1.9], mg.constant(np.array([0.3, 0.7, 1.9])))
    assert places.value.tolist() == [0, 1, 2]


def test_a_variable_of_float64_holds_python_numbers_exactly():
    w = mg.Variable([0.0, 0.0], dtype="float64")
    assert w.assign([0.1, 0.2]).value.tolist() == [0.1, 0.2]
    assert w.assign_add([0.1, 0.1]).value.tolist() == [0.1 + 0.1, 0.2 + 0.1]
    assert w.assign_sub((0.7, 0.7)).value.tolist() == [0.1 + 0.1 - 0.7, 0.2 + 0.1 - 0.7]
    b = mg.Variable(0.0, dtype="float64")
    assert b.assign(0.1).value == 0.1
    assert b.assign_add(0.1).value == 0.1 + 0.1
    assert mg.Variable(0.1, dtype="float64").value == 0.1
    with pytest.raises(TypeError, match="int32, cannot assign float32"):
        mg.Variable(1).assign(0.1)


def test_upstream_gradients_are_exact():
    x = mg.constant(A)
    assert mg.gradients(x * 1.0, x, grad_ys=[np.array([0.1, 0.2])])[0].value.tolist() == [0.1, 0.2]
    assert mg.gradients(x[0] * 1.0, x, grad_ys=[0.1])[0].value.tolist() == [0.1, 0.0]
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x[1] * 1.0
    assert tape.gradient(y, x, output_gradients=0.1).value.tolist() == [0.0, 0.1]
    _, pull_back = mg.vjp(lambda t: t * 1.0, np.float64(1.0))
    assert pull_back(0.1) == (0.1,)


def test_numbers_that_rules_return_are_exact():
    x = mg.constant(np.float64(2.0))
    custom = mg.custom_gradient(lambda t: (t * t, lambda dy: 0.1))
    assert mg.gradients(custom(x), x)[0].value == 0.1

    @mg.RegisterGradient("ATenth")
    def tenth(op, dy):
        return 0.1

    @mg.RegisterGradient("TheOther")
    def other(op, dy):
        return dy * op.inputs[1], None

    with mg.gradient_override_map({"Square": "ATenth", "Mul": "TheOther"}):
        y, z = mg.square(x), x * 0.1
    assert mg.gradients(y, x)[0].value == 0.1
    assert mg.gradients(z, x)[0].value == 0.1


def test_a_step_of_an_optimizer_takes_numbers_in_the_dtype_of_the_parameter():
    w = mg.Variable(0.0, dtype="float64")
    mg.optim.SGD(1.0).step([w], [0.1])
    assert w.value == -0.1
    assert mg.optim.SGD(1.0).step([0.3], [np.float64(0.1)]) == [0.3 - 0.1]


def test_what_meets_float32_stays_float32():
    x = mg.constant([0.3, 0.7])
    assert {y.dtype for y in (x + [0.1, 0.2], x * 0.1, mg.stack([x[0], 0.1]), mg.where(x > 0.5, x, 0.1))} == {x.dtype}


def test_the_dtype_that_numbers_adopt_is_that_of_all_the_floats_together():
    assert float_dtype([0.1, [1, np.float32(1)], X]) == np.float64
    assert float_dtype([0.1, np.int64(3)]) is None
    assert adopt([0.1, 0.2], np.float64).tolist() == [0.1, 0.2]
    assert adopt(np.float32(0.1), np.float64).dtype == np.float32


@pytest.mark.parametrize("first", [0.1, [0.1], np.array([0.1])], ids=["number", "list", "array"])
@pytest.mark.parametrize("make", [mg.constant, mg.Variable])
def test_what_is_compared_with_float64_is_exact(make, first):
    second = make(0.1, dtype=np.float64)
    compare = [mg.equal, mg.not_equal, mg.less, mg.less_equal, mg.greater, mg.greater_equal, np.equal, np.greater]
    assert [np.all(op(first, second).value) for op in compare] == [True, False, False, True, False, True, True, False]
    assert np.all(mg.floor_divide(first, make(0.05, dtype=np.float64)).value == 0.1 // 0.05)


@pytest.mark.parametrize("make", [mg.constant, mg.Variable])
def test_a_float_is_compared_with_integers(make):
    assert [op(1.5, make([1, 2])).value.tolist() for op in (mg.less, mg.greater)] == [[False, True], [True, False]]


def test_numbers_of_correct_answers_meet_floats():
    """A Python float gets the default dtype here, as everywhere; otherwise NumPy's promotion applies."""
    x, y = mg.constant([1.0, 2.0, 3.0]), mg.constant([2.0, 1.0, 0.0])
    assert float(np.sum(x > y) + 0.0) == 2.0 and float(100.0 * mnp.sum(x > y) / 3) == pytest.approx(200 / 3)
    right = np.sum(x > y) + mg.sum(x < y) + 1
    assert (right * 0.5).value == 2.0
    assert ((x > 2) * 1.0).dtype == np.float32 and (0.5 * (x > 2)).value.tolist() == [0.0, 0.0, 0.5]
    total = mg.sum(x > 9)
    for _ in range(3000):
        total = total + mg.sum(x > y)
    assert (total * 1.0).value == 6000.0
    slope = mg.grad(lambda x: mg.sum(x * (x > 1.5) * 2.0))
    assert slope(np.array([1.0, 2.0])).tolist() == [0.0, 2.0]


@pytest.mark.parametrize("make", [
    lambda: mg.constant([1, 2]), lambda: mg.constant([1, 2]) + mg.sum(mg.constant([True])),
    lambda: mg.argmax(mg.constant([1.0, 2.0])), lambda: mg.where(mg.constant([True]), 3, 4),
])  # fmt: skip
def test_other_integers_do_not(make):
    with pytest.raises(TypeError, match=r"would change the dtype of a Tensor of .*; write astype"):
        make() * 1.5


def test_the_dtypes_of_minigrad_numpy_are_numpys_own():
    assert mnp.float32 is np.float32 and issubclass(mnp.int64, np.integer)
    assert mnp.float32(1.5) == 1.5 and mnp.zeros(2, mnp.float16).dtype == np.float16
    with pytest.raises(RuntimeError, match=r"Write x.astype\('float32'\)"):
        mg.grad(lambda x: mnp.float32(x) * 2.0)(3.0)
