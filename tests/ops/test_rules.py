"""Every op is checked at the samples of its own declaration: an op added tomorrow needs no test of its own."""

import warnings

import numpy as np

import minigrad as mg
from minigrad import ops
from minigrad.core.backward import pullback
from minigrad.core.op import OPS, Op
from minigrad.core.support.calling import apply
from minigrad.diagnostics.gradient_check import check_gradients
from minigrad.frameworks.own_ops import ops as own
from tests.helpers.op_samples import (
    BITWISE,
    CONSTANT,
    DIFFERENTIABLE,
    NAMED,
    arrays,
    each_sample,
    floats,
    function,
    outputs,
    tensors,
)  # fmt: skip
from tests.helpers.tables import over


@over(DIFFERENTIABLE)
def test_a_differentiable_op_has_samples(op):
    assert op.facts.samples, f"{op.name} needs samples, at which its gradient is checked"


@over(NAMED, quick=150)
def test_the_first_and_second_derivatives_agree_with_finite_differences(op, sample):
    check = check_gradients(function(op, sample), *arrays(sample), order=2)
    assert check.rows, "a sample at which everything is left out checks nothing"


SEVERAL = {
    name: (op, sample)
    for name, (op, sample) in NAMED.items()
    if len(floats(function(op, sample)(*tensors(sample)))) > 1
}


def all_used(f):
    """A number that depends on all outputs of `f` jointly: a product of curved sums."""

    def number(*xs):
        total = 1.0
        for i, y in enumerate(floats(f(*xs))):
            weights = np.linspace(0.5, 1.5, y.size).reshape(y.shape)
            total = total * (mg.sum(mg.sin(y * weights)) + i + 1.5)
        return total

    return number


@over(SEVERAL)
def test_the_second_derivative_is_right_where_all_outputs_are_used_nonlinearly(op, sample):
    check = check_gradients(all_used(function(op, sample)), *arrays(sample), order=2)
    assert check.rows


def test_the_third_derivative_through_both_outputs_of_a_decomposition():
    symmetric = np.array([[4.0, 2.0, 0.3], [2.0, 3.0, 0.5], [0.3, 0.5, 1.0]])
    check_gradients(all_used(mg.eigh), symmetric, order=3)
    check_gradients(all_used(lambda a: mg.svd(a, full_matrices=False)), symmetric[:2], order=3)


def test_a_wrong_rule_would_be_found():
    wrong = Op("wrong", np.sin, vjps=(lambda g, y, x: g * mg.cos(x) * 1.001,))
    check = check_gradients(lambda x: apply(wrong, (x,)), 0.5, raises=False)
    assert not check.ok


@each_sample
def test_a_first_order_pass_on_raw_arrays_stays_raw_and_gives_the_same(op, sample):
    f, xs = function(op, sample), tensors(sample)
    ys = floats(f(*xs))
    ones = [np.ones_like(y.value) for y in ys]
    raw = pullback(ys, ones, xs)
    recorded = pullback(ys, [mg.constant(one) for one in ones], xs)
    for a, b in zip(raw, recorded):
        assert isinstance(a, (np.ndarray, np.generic))
        assert isinstance(b, mg.Tensor)
        np.testing.assert_array_equal(a, b.value)


@each_sample
def test_on_raw_arrays_an_op_is_numpy_and_gives_the_same(op, sample):
    f = function(op, sample)
    raw = outputs(f(*arrays(sample)))
    for a, b in zip(raw, outputs(f(*tensors(sample)))):
        assert not isinstance(a, mg.Tensor)
        np.testing.assert_array_equal(a, b.value)


#: LAPACK computes in float32 and float64 only.
LAPACK = {
    "inv", "solve", "triangular_solve", "det", "cofactor", "inverse_or_inf", "slogdet", "cholesky", "eigh", "eigvalsh",
    "svd", "svdvals", "qr", "pinv", "matrix_power", "logdet", "lstsq", "condition_number",
}  # fmt: skip


@each_sample
def test_values_and_gradients_keep_the_dtype(op, sample):
    singular = op.name in LAPACK or (op.name == "norm" and sample[1:] in [(2,), ("nuc",)])
    for dtype in ["float32", "float64"] if singular else ["float16", "float32", "float64"]:
        f, xs = function(op, sample), tensors(sample, dtype)
        ys = floats(f(*xs))
        if op.name not in ("astype", "full_like"):  # which name a dtype
            assert [y.dtype for y in ys] == [np.dtype(dtype)] * len(ys), dtype
        for x, g in zip(xs, mg.gradients(ys, xs)):
            assert (g.dtype, g.shape) == (x.dtype, x.shape), dtype


@each_sample
def test_a_value_without_axes_is_a_scalar_and_not_an_array(op, sample):
    f = function(op, sample)
    for y in [*outputs(f(*arrays(sample))), *(y.value for y in outputs(f(*tensors(sample))))]:
        assert not (isinstance(y, np.ndarray) and y.shape == ())


@over({name: (op, sample) for name, (op, sample) in NAMED.items() if op.elementwise})
def test_an_elementwise_op_treats_every_element_alike(op, sample):
    f = function(op, sample)
    values = np.broadcast_arrays(*arrays(sample))
    whole = f(*values)
    for place in np.ndindex(*values[0].shape):
        if op.name in ("where", "clip"):
            break  # their samples hold options that go with the elements
        one = f(*(v[place] for v in values))
        assert np.shape(one) == ()
        np.testing.assert_allclose(one, whole[place], rtol=1e-14)
    deep = f(*(np.broadcast_to(v, (2, 1, *v.shape)) for v in values))
    np.testing.assert_allclose(deep, np.broadcast_to(whole, deep.shape), rtol=1e-14)


@over([op for op in OPS.values() if op.elementwise and isinstance(op.fn, np.ufunc)])
def test_an_elementwise_op_takes_empty_arrays(op):
    x = mg.constant(np.zeros((0, 3), "int32" if op.name in BITWISE else "float64"))
    y = op.call(*[x] * op.fn.nin)
    assert y.shape == (0, 3)
    if op.differentiable:
        assert mg.gradients(y, x)[0].shape == (0, 3)


@over(CONSTANT)
def test_an_op_without_gradient_ends_the_graph(op):
    whole = op.name in BITWISE or op.name == "one_hot"
    x = mg.constant([[5, 2], [1, 3]] if whole else [[0.5, 2.0], [1.0, 0.3]])
    extra = {"one_hot": (3,), "searchsorted": (1.0,), "floor_divide": (2.0,)}.get(op.name, ())
    binary = isinstance(op.fn, np.ufunc) and op.fn.nin == 2 and not extra
    first = x[0] if op.name == "searchsorted" else x
    y = op.call(*[first] * (2 if binary else 1), *extra)
    assert y.op is op
    if whole:  # on integers: gradients(y, x) says so
        assert x.dtype.kind == "i" and (y.dtype.kind == "i" or op.name == "one_hot")
    else:
        assert mg.gradients(mg.cast(y, "float64") if y.dtype.kind != "f" else y, x) == [None]


@over(OPS)
def test_every_op_says_what_it_is(op):
    assert op.kind in ("primitive", "composite", "constant")
    assert getattr(own, op.name) is op.call and hasattr(ops, op.name)
    assert op.call.__name__ == op.name
    assert op.call.__doc__, f"{op.name} needs a formula or a sentence"


@each_sample
def test_no_warning_reaches_the_user(op, sample):
    extreme = [np.where(a > 0, 1e30, -1e30).astype(np.float32) for a in arrays(sample)]
    if op.name in LAPACK or op.name in ("norm", "gammaln", "polygamma"):
        extreme = [a.astype(np.float32) for a in arrays(sample)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xs = [mg.constant(a) for a in extreme]
        mg.gradients(floats(function(op, sample)(*xs)), xs)
