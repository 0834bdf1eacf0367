"""Tensors: what they hold, how they convert, and what they refuse."""

import copy
import gc
import inspect
import pickle
import sys
import weakref

import numpy as np
import pytest

import minigrad as mg
from minigrad import ops
from minigrad.core.support.array_memory import release_in_turn
from tests.helpers.tables import over


@pytest.mark.parametrize(("given", "dtype", "shape"), [
    (1.5, "float32", ()), (3, "int32", ()), (True, "bool", ()), ([1.0, 2.0], "float32", (2,)),
    ([[1, 2], [3, 4]], "int32", (2, 2)), (np.float64(1.0), "float64", ()),
    (np.zeros((2, 0), np.float16), "float16", (2, 0)), (2**40, "int64", ()),
    (-(2**31), "int32", ()), (2**31, "int64", ()), (-(2**63), "int64", ()), ([5, -(2**63)], "int64", (2,)),
])  # fmt: skip
def test_python_numbers_get_default_dtypes_and_numpy_values_keep_theirs(given, dtype, shape):
    t = mg.constant(given)
    assert (t.dtype, t.shape) == (np.dtype(dtype), shape)


def test_scalars_are_numpy_scalars_never_arrays_without_dimensions():
    x = mg.constant(np.array(2.0))
    for t in (x, x * x, mg.sum(mg.constant([1.0, 2.0])), mg.where(x > 0, x, 0), mg.reshape(mg.constant([1.0]), ())):
        assert isinstance(t.value, np.generic)


def test_the_value_is_a_copy():
    a = np.ones(3)
    t = mg.constant(a)
    a[0] = 5.0
    assert t.value[0] == 1.0


def test_a_python_scalar_adopts_the_dtype_and_two_tensors_promote_as_in_numpy():
    half = mg.constant(np.float16(1))
    single = mg.constant(1.0)
    double = mg.constant(np.float64(1))
    assert (single * 2.5).dtype == np.float32
    assert (2 / half).dtype == np.float16
    assert (single * double).dtype == np.float64
    assert (mg.constant(1) / mg.constant(2)).dtype == np.float64
    assert mg.gradients(single * double, single)[0].dtype == np.float32


def test_a_python_int_beside_python_floats_is_weak_too():
    assert mg.add([1.0, 2.0], 1).dtype == np.float32
    assert mg.maximum(0, [1.0, -2.0]).dtype == np.float32
    assert mg.multiply(2, 3.0).dtype == np.float32
    assert mg.add(1, 2).dtype == np.int32


def test_a_float_does_not_silently_change_an_integer_tensor():
    with pytest.raises(TypeError, match=r"2\.5.*int32.*astype"):
        mg.constant([1, 2]) * 2.5


@pytest.mark.parametrize(("bad", "error", "words"), [
    (1 + 2j, TypeError, "complex"), ("oops", TypeError, "the string 'oops'"), (None, TypeError, "None"),
    (object(), TypeError, "object"), ([[1.0], [1.0, 2.0]], ValueError, "ragged"),
    (np.array([1, "a"], object), TypeError, "floats, ints or bools"),
])  # fmt: skip
def test_what_is_not_a_number_is_refused_in_a_sentence(bad, error, words):
    with pytest.raises(error, match=words):
        mg.constant(bad)


def test_float_int_bool_len_iter_format_as_numpy_users_expect():
    x = mg.constant([1.0, 2.0])
    assert [float(v) for v in x] == [1.0, 2.0]
    assert len(x) == 2
    assert int(mg.constant(3.7)) == 3
    assert f"{mg.constant(1.23456):.2f}" == "1.23"
    assert bool(mg.constant(0.0)) is False
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    with pytest.raises(TypeError, match=r"shape \(\)"):
        len(mg.constant(1.0))
    with pytest.raises(TypeError, match="cannot be iterated"):
        _a, _b = mg.constant(1.0)
    assert list(range(5))[mg.constant(2)] == 2


def test_unpacking_keeps_the_gradient():
    x = mg.constant([2.0, 3.0])
    a, b = x
    np.testing.assert_array_equal(mg.gradients(a * b, x)[0].value, [3.0, 2.0])


def test_equality_is_elementwise_so_tensors_are_not_hashable():
    x = mg.constant([1.0, 2.0])
    np.testing.assert_array_equal((x == 1.0).value, [True, False])
    with pytest.raises(TypeError, match=r"unhashable type: 'Tensor', .* write t.ref\(\) for a key"):
        hash(x)
    assert {x.ref(): 1}[x.ref()] == 1


@pytest.mark.parametrize("name", ["abs", "cos", "exp", "log", "sin", "sqrt", "square", "tanh"])
def test_elementwise_ops_are_methods_too(name):
    x = mg.constant([0.5, 2.0])
    np.testing.assert_array_equal(getattr(x, name)().value, getattr(np, name)(x.value))


@pytest.mark.parametrize(("call", "instead"), [
    (lambda x: x.sum(dim=0), "axis"), (lambda x: mg.mean(x, dim=0), "axis"),
    (lambda x: x.max(keepdim=True), "keepdims"), (lambda x: mg.logsumexp(x, dim=0), "axis"),
    (lambda x: mg.flip(x, dims=0), "axis"),
])  # fmt: skip
def test_an_option_by_its_name_in_pytorch_says_what_to_write(call, instead):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '.*'; write {instead}=$"):
        call(mg.constant([[1.0, 2.0]]))


def test_item_assignment_is_refused_with_what_to_write_instead():
    x = mg.constant([1.0, 2.0])
    with pytest.raises(TypeError, match="index_set"):
        x[0] = 5.0
    x2 = mg.index_set(x, 0, 5.0)
    np.testing.assert_array_equal(x2.value, [5.0, 2.0])
    np.testing.assert_array_equal(mg.gradients(mg.sum(x2 * x2), x)[0].value, [0.0, 4.0])


def test_numpy_functions_record():
    x = mg.constant([1.0, 4.0])
    y = np.sum(np.sqrt(x) * np.array([1.0, 2.0], np.float32))
    assert isinstance(y, mg.Tensor)
    np.testing.assert_allclose(mg.gradients(y, x)[0].value, [0.5, 0.5])
    assert isinstance(np.array([1.0, 2.0]) * x, mg.Tensor)
    with pytest.raises(TypeError, match=r"np\.frexp.*numpy\(\)"):
        np.frexp(x)


def test_repr_says_value_shape_dtype_and_op():
    x = mg.constant([0.1, 2.0])
    assert repr(x) == "Tensor([0.1, 2. ], shape=(2,), dtype=float32)"
    assert repr(x[0] * 2) == "Tensor(0.2, dtype=float32, op=multiply)"


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"multiply.*\(3,\), \(2,\)"):
        mg.constant([1.0, 2.0, 3.0]) * mg.constant([1.0, 2.0])
    with pytest.raises(ValueError, match=r"matmul.*\(2, 3\), \(2, 3\)"):
        mg.constant(np.ones((2, 3))) @ mg.constant(np.ones((2, 3)))


def test_the_first_argument_may_be_named():
    assert ops.mean(x=[1.0, 2.0]).item() == 1.5
    assert ops.sum(x=np.ones(3)) == 3.0
    assert ops.sum(x=mg.constant([1.0, 2.0]), axis=0).item() == 3.0


@over([
    (lambda x: mg.sum(x, axis=3), ValueError, "sum.*axis 3"),
    (lambda x: mg.softmax(x, axis=2), ValueError, "softmax.*axis 2"),
    (
        lambda x: ops.mean(y=[1.0]),
        TypeError,
        r"mean\(x, axis=None, keepdims=False, \*, dtype=None, where=None\) was called wrongly: .*'x'",
    ),
    (
        lambda x: mg.sum(x, axes=0),
        TypeError,
        r"sum\(x, axis=None, keepdims=False, \*, .*where=None\) was called wrongly: .*axes",
    ),
    (lambda x: mg.where(x > 1, x), ValueError, "where takes both x and y"),
    (lambda x: x + None, TypeError, "add.*NoneType"),
    (lambda x: x + "a", TypeError, "the string 'a'"),
    (lambda x: x * 1j, TypeError, "complex"),
    (lambda x: x * np.array([1j]), TypeError, "complex"),
    (lambda x: x @ 2.0, ValueError, "matmul"),
    (lambda x: x[5], IndexError, "getitem.*index 5"),
    (lambda x: x[1.5], IndexError, "getitem"),
    (lambda x: mg.reshape(x, (2, 2)), ValueError, r"reshape.*\(2, ?2\)"),
    (lambda x: mg.astype(x, "complex64"), TypeError, "complex64"),
    (lambda x: mg.astype(x * float("nan"), "int32"), ValueError, "nan.*isfinite"),
    (lambda x: mg.concatenate([]), ValueError, "concatenate"),
    (lambda x: np.add(x, x, out=np.zeros(3)), TypeError, r"in place.*a = a \+ x"),
])  # fmt: skip
def test_bad_calls_of_ops_name_the_op_and_what_is_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call(mg.constant([1.0, 2.0, 3.0]))


def test_an_array_is_not_changed_in_place_by_a_tensor():
    a = np.zeros(3)
    with pytest.raises(TypeError, match="in place"):
        a += mg.constant([1.0, 2.0, 3.0])


def test_a_list_of_numpy_values_or_tensors_keeps_their_dtype():
    assert mg.constant([np.float64(1.0), np.float64(2.0)]).dtype == np.float64
    assert mg.constant([np.zeros(2), np.ones(2)]).dtype == np.float64
    assert mg.constant([mg.constant(np.float16(1)), mg.constant(np.float16(2))]).dtype == np.float16
    assert mg.constant([1.0, 2]).dtype == np.float32


def test_the_default_float_can_be_changed():
    mg.set_default_dtype("float64")
    try:
        assert mg.constant(1.0).dtype == np.float64
    finally:
        mg.set_default_dtype("float32")
    with pytest.raises(TypeError, match="float16, float32 or float64"):
        mg.set_default_dtype("int32")


def test_a_copy_of_a_tensor_is_the_tensor_and_a_pickle_holds_its_value():
    x = mg.constant([1.0, 2.0])
    y = x * x
    assert copy.copy(y) is y
    assert copy.deepcopy([y])[0] is y
    kept = pickle.loads(pickle.dumps(y))
    np.testing.assert_array_equal(kept.value, [1.0, 4.0])
    assert mg.gradients(kept, x) == [None]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_copies_and_pickles_of_a_variable_are_variables_of_their_own(again):
    w = again(mg.Variable([1.0], name="w", trainable=False))
    assert isinstance(w, mg.Variable)
    assert (w.trainable, w.value.tolist()) == (False, [1.0])
    w.assign([2.0])


def test_a_long_chain_is_freed_one_tensor_after_another_in_a_page(monkeypatch):
    monkeypatch.setattr(mg.Tensor, "__del__", release_in_turn, raising=False)
    with pytest.raises(TypeError):
        mg.constant({})  # never completed, and freed without an error
    depths = []
    x = y = mg.constant(0.5)
    weakref.finalize(x, lambda: depths.append(len(inspect.stack(0))))
    for _ in range(2 * sys.getrecursionlimit()):
        y = mg.concatenate([ops.reshape(y, (1,))])
    mg.gradients(y, x)
    del x, y
    gc.collect()
    assert depths and depths[0] < len(inspect.stack(0)) + 5


def test_numpy_gives_a_copy():
    x = mg.constant([1.0, 2.0])
    y = x * x
    y.numpy()[0] = 99.0
    np.testing.assert_array_equal(y.value, [1.0, 4.0])
    assert type(mg.constant(1.0).numpy()) is np.float32
    w = mg.Variable([1.0])
    w.numpy()[0] = 99.0
    assert w.value.tolist() == [1.0]


@pytest.mark.parametrize("number", [-(2**31), 2**31 - 1, 2**31, -(2**63), 2**63 - 1])
def test_an_integer_keeps_its_value(number):
    assert int(mg.constant(number).value) == int(mg.Variable(number).value) == number
    assert mg.constant([5, number]).value.tolist() == [5, number]


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda n: mg.constant(n), TypeError, "got an integer of more than 4300 digits"),
    (lambda n: mg.full((2,), n), TypeError, "got an integer of more than 4300 digits"),
    (lambda n: mg.grad(lambda a: n)(1.0), TypeError, "integer of more than 4300 digits"),
    (lambda n: mg.constant([1.0]) + n, OverflowError, r"add cannot work on arguments of shape \(1,\): int too large"),
    (lambda n: mg.constant([1.0]) ** n, OverflowError, r"power cannot work on .*: int too large"),
])  # fmt: skip
def test_an_integer_too_long_to_print_is_refused_in_a_sentence(call, error, words):
    with pytest.raises(error, match=words):
        call(10**4900)


def test_a_masked_array_is_refused():
    x = np.ma.masked_array([1.0, 2.0], mask=[True, False])
    for call in (mg.constant, mg.Variable, mg.grad(mg.sum), lambda m: mg.constant(1.0) * m):
        with pytest.raises(TypeError, match=r"masked array.*x\.filled\(value\).*where"):
            call(x)
    with pytest.raises(TypeError, match="masked"):
        mg.constant([1.0, np.ma.masked])


class Foreign:
    """An object that NumPy's operators leave comparisons to."""

    __array_ufunc__ = None

    def __eq__(self, other):
        return "mine"

    def __ne__(self, other):
        return "mine too"


@pytest.mark.parametrize("t", [mg.constant(1.0), mg.constant([1.0, 2.0])])
def test_an_object_that_numpy_leaves_comparisons_to_compares_itself_with_a_tensor(t):
    assert (t == Foreign(), t != Foreign()) == ("mine", "mine too")
    assert (t == pytest.approx(t.value)) is True
    assert (t != pytest.approx(t.value)) is False
