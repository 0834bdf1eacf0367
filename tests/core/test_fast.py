"""The fast paths of `core/support/fast.py` equal the plain ones, bit for bit and record for record."""

import contextlib
import gc

import numpy as np
import pytest
from hypothesis import given, settings

import minigrad as mg
from minigrad.core.graph import ancestors
from minigrad.core.support import fast
from minigrad.ops.declare import defop
from tests.helpers.op_samples import NAMED, arrays, each_sample, floats, function
from tests.helpers.random_programs import arrays as random_arrays
from tests.helpers.random_programs import programs
from tests.helpers.tables import over


def bits(value):
    """A value as its type, its dtype, its shape and its bytes."""
    if isinstance(value, (tuple, list)):
        return tuple(map(bits, value))
    return (type(value), value.dtype, value.shape, value.tobytes()) if hasattr(value, "tobytes") else repr(value)


def records(tensors):
    """The graph behind some Tensors, oldest first: each node's op, arguments, options and value."""
    nodes = ancestors(tensors)
    number = {node.serial: i for i, node in enumerate(nodes)}
    seen = lambda a: number[a.serial] if isinstance(a, mg.Tensor) else bits(a)
    return [
        (
            node.op and node.op.name, [seen(a) for a in node.args],
            {name: seen(option) for name, option in (node.kwargs or {}).items()}, bits(node.value),
        )
        for node in nodes
    ]  # fmt: skip


def both_ways(compute):
    """The results of `compute` with the fast paths, and without them."""
    found = compute()
    with fast.off():
        return found, compute()


def total(y):
    return sum([mg.sum(mg.sin(out)) for out in floats(y)], 0.0)


def first_order(f, values):
    """The value and the gradients of a pass on arrays."""
    given = [np.float64(v) if not np.shape(v) else np.array(v) for v in values]
    return bits(mg.value_and_grad(lambda *xs: total(f(*xs)), tuple(range(len(given))))(*given))


def recorded(f, values, order):
    """The records of the derivatives of an order, each of the sum of those before."""
    xs = [mg.constant(v, np.float64) for v in values]
    found = [total(f(*xs))]
    for _ in range(order):
        found = [g for g in mg.gradients(sum(map(mg.sum, found), 0.0), xs, unconnected_gradients="zero")]
    return records(found)


@given(programs(), random_arrays(), random_arrays())
@settings(max_examples=60)
def test_a_program_has_the_same_bits_and_records_both_ways(program, a, b):
    for compute in (
        lambda: first_order(program, [a, b]),
        lambda: first_order(program, [a[0], b]),  # a number among arrays: it is broadcast
        lambda: first_order(program, [a[0], b[0]]),
        lambda: recorded(program, [a, b], 0),
        lambda: recorded(program, [a, b[1]], 1),
        lambda: recorded(program, [a, b], 2),
    ):
        short, plain = both_ways(compute)
        assert short == plain


@each_sample
def test_an_op_has_the_same_bits_and_records_both_ways(op, sample):
    f, values = function(op, sample), arrays(sample)
    for compute in (
        lambda: first_order(f, values), lambda: recorded(f, values, 0), lambda: recorded(f, values, 1),
        lambda: recorded(f, values, 2),
    ):  # fmt: skip
        short, plain = both_ways(compute)
        assert short == plain


@each_sample
def test_an_op_on_arrays_has_the_same_bits_both_ways(op, sample):
    short, plain = both_ways(lambda: bits(function(op, sample)(*arrays(sample))))
    assert short == plain


def test_garbage_is_collected_again_after_a_pass_either_way():
    both_ways(lambda: mg.grad(lambda x: x * x)(1.0))
    assert gc.isenabled()


def test_the_switch_is_on_again_after_an_error():
    with contextlib.suppress(ZeroDivisionError), fast.off():
        raise ZeroDivisionError
    assert fast.on and mg.Tensor in fast.Short


def test_a_difference_between_the_ways_of_a_call_is_found(monkeypatch):
    monkeypatch.setattr(fast, "apply", lambda *given: mg.constant(1.0))
    short, plain = both_ways(lambda: records([mg.exp(mg.constant(2.0))]))
    assert short != plain


def test_a_rule_that_returns_none_or_another_shape_does_so_both_ways(monkeypatch):
    monkeypatch.setattr("minigrad.ops.declare.OPS", {})  # so that the op is gone afterwards
    odd = defop("odd", lambda x, y: x * y, vjp=(lambda g, y, a, b: None, lambda g, y, a, b: np.ones(7)))
    silent = lambda a: odd(a, 2.0) + a
    assert both_ways(lambda: first_order(silent, [np.ones(3)])) == (first_order(silent, [np.ones(3)]),) * 2
    errors = []
    for way in (contextlib.nullcontext, fast.off):
        with way(), pytest.raises(ValueError) as error:
            first_order(lambda b: odd(np.ones(3), b), [np.ones(3)])
        errors.append(str(error.value))
    assert errors[0] == errors[1] and "argument 1" in errors[0]


@over(
    {
        name: (op, sample)
        for name, (op, sample) in NAMED.items()
        if op.elementwise and op.vjps and len(arrays(sample)) == len(sample) <= 2
    }
)
def test_beside_a_number_alone_a_rule_returns_the_shape_of_its_argument(op, sample):
    first, *rest = arrays(sample)
    x, numbers = np.stack([first, first]), [float(np.ravel(a)[0]) for a in rest]
    y = op.fn(x, *numbers)
    found = op.vjps[0](np.ones_like(y), y, x, *numbers)
    assert found.shape == x.shape


@mg.custom_gradient
def scaled(x):
    y = mg.sin(x)
    return y, lambda dy: dy * y * 3.0


@mg.custom_gradient
def without(x):
    return 2.0 * x, lambda dy: None


@mg.custom_gradient
def split(x):
    return (x[:1], x * x), lambda da, db: mg.sum(da) + db * x


@mg.custom_gradient
def weighted(x):
    w = WEIGHT * x
    return w, lambda dy, variables=None: (dy * 5.0, [mg.sum(dy * x)])


WEIGHT = mg.Variable(2.0, dtype="float64", name="w")


@pytest.mark.parametrize("ignored", [False, True], ids=["custom", "derived"])
@pytest.mark.parametrize("f", [scaled, without, split, weighted], ids=lambda f: f.__name__)
def test_a_custom_gradient_has_the_same_bits_and_records_both_ways(f, ignored):
    joined = lambda x: mg.sum(x) + (sum(map(mg.sum, f(x)), 0.0) if f is split else f(x))
    with mg.ignore_custom_gradients() if ignored else contextlib.nullcontext():
        for compute in (
            lambda: first_order(lambda x: joined(x * x), [[0.5, -2.0]]),
            lambda: first_order(joined, [0.5]) if f is not split else None,
            lambda: recorded(joined, [[0.5, -2.0]], 1),
            lambda: recorded(joined, [[0.5, -2.0]], 2),
        ):
            short, plain = both_ways(compute)
            assert short == plain


def test_an_error_in_a_custom_rule_names_the_rule_both_ways():
    wrong = mg.custom_gradient(lambda x: (2.0 * x, lambda dy: np.ones(7)))
    errors = []
    for way in (contextlib.nullcontext, fast.off):
        with way(), pytest.raises(ValueError) as error:
            mg.grad(lambda x: mg.sum(wrong(x)))(np.ones(3))
        errors.append(str(error.value))
    assert errors[0] == errors[1] and "has shape (7,)" in errors[0]


BOTH = {
    "numbers chosen by a Tensor": lambda: mg.where(mg.constant([True, False]), 1, 2),
    "a number beside an axis": lambda: mg.reshape(1, mg.constant([1])),
    "a number beside a dtype": lambda: mg.astype(0, mg.constant(np.float64(1.0))),
    "an array beside a shape": lambda: mg.reshape(np.ones(2), mg.constant([2, 1])),
    "objects": lambda: mg.clip(np.array([1.0, 2.0], object), mg.constant(0.0), mg.constant(1.5)),
    "complex labels": lambda: mg.one_hot(np.array([1j]), mg.constant(2)),
    "an array first in a comparison": lambda: mg.less(np.array([1.0, 2.0]), mg.Variable(1.5)),
    "a number first in a comparison": lambda: mg.constant(0.1, np.float64) > 0.1,
    "integers that overflow": lambda: [mg.constant(2**31 - 1) * 2, -mg.constant(np.int8(-128))],
}


@pytest.mark.parametrize("case", BOTH)
def test_a_mixed_call_has_the_same_record_or_error_both_ways(case):
    def outcome():
        try:
            with np.errstate(all="raise"):
                y = BOTH[case]()
        except (TypeError, ValueError) as error:
            return type(error), str(error)
        return records(y if isinstance(y, list) else [y])

    short, plain = both_ways(outcome)
    assert short == plain


def test_python_integers_that_a_tensor_chooses_from_are_int32():
    assert mg.where(mg.constant([True, False]), 1, 2).dtype == np.int32


KEYS = [
    0, -1, np.int64(1), True, None, ..., slice(1, None), slice(np.array(0), 2), slice(mg.constant(0), 1), (0, 1),
    (0, ..., 1), (slice(None), 1), (0, np.array([1, 1])), [0, 1], [True, False], np.array([0, 0]), np.array(1),
    mg.constant([1, 0]), (mg.constant(1), slice(0, 2)), (..., None, [0]), 7, (0, 0, 0), "a", 0.5,
]  # fmt: skip


@over([mg.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.arange(6.0).reshape(2, 3)], KEYS)
def test_an_index_has_the_same_record_or_error_both_ways(x, key):
    def compute():
        try:
            y = mg.getitem(x, key)
        except (IndexError, TypeError, ValueError) as error:
            return type(error), str(error)
        return records([y]) if isinstance(y, mg.Tensor) else bits(y)

    short, plain = both_ways(compute)
    assert short == plain


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_square_has_the_same_bits_both_ways(dtype):
    values = np.array([0.0, -0.0, 1e-7, -1.7, 6e4, np.inf, -np.inf, np.nan], dtype)
    for x in (values, *values):
        for f in (lambda x: x * x, lambda x: x * x * (x * x), lambda x: x * x + x, lambda x: x + x * x * x):
            short, plain = both_ways(lambda f=f, x=x: bits(mg.value_and_grad(lambda x: mg.sum(f(x)))(x)))
            assert short == plain


def test_an_adjoint_that_somebody_holds_is_not_added_to_in_place():
    """If a value is used twice, and arrays are large enough to be added in place, no array of the user's changes."""
    n = 100_000
    x, a, b = np.linspace(-1, 1, n), np.full(n, 3.0), np.full(n, 0.1)
    pass_on = mg.custom_gradient(lambda v: (mg.identity(v), lambda upstream: kept.append(upstream) or upstream))
    for f in (
        lambda x: mg.sum(x * a + x * b), lambda x: mg.sum(x * x * x), lambda x: mg.sum(pass_on(x * a) * b + x),
        lambda x: mg.sum(mg.exp(x) * x + (1 - x) * x),
    ):  # fmt: skip
        kept = []
        before = x.copy(), a.copy(), b.copy()
        short, plain = both_ways(lambda f=f: bits(mg.value_and_grad(f)(x)))
        assert short == plain and bits((x, a, b)) == bits(before)
        assert len({bits(u.value) for u in kept}) <= 1
