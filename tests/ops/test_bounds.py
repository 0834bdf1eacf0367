"""Choices at their limits: bounds that cross, are equal or nan, reductions of nothing, replaced numbers."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.gradient_check import check_gradients

nan, inf = np.nan, np.inf


def slopes(f, *xs):
    """The gradients of the sum of `f` in each of its arguments, as lists."""
    xs = [mg.constant(x, "float64") for x in xs]
    return [g.value.tolist() for g in mg.gradients(f(*xs), xs)]


@pytest.mark.parametrize(("low", "high", "value", "of_x", "of_low", "of_high"), [
    (1.0, 2.0, [1.0, 1.5, 2.0], [0, 1, 0], 1, 1), (2.0, 1.0, [1.0, 1.0, 1.0], [0, 0, 0], 0, 3),
    (1.5, 1.5, [1.5, 1.5, 1.5], [0, 1, 0], 1, 1), (nan, 2.0, [nan] * 3, [0, 0, 0], 0, 0),
    (1.0, nan, [nan] * 3, [0, 0, 0], None, 0),
])  # fmt: skip
def test_each_slope_of_clip_belongs_to_what_was_chosen(low, high, value, of_x, of_low, of_high):
    x = [0.0, 1.5, 5.0]
    np.testing.assert_array_equal(mg.clip(mg.constant(x), low, high).value, value)
    assert np.array_equal(np.clip(x, low, high), value, equal_nan=True)
    got = slopes(mg.clip, x, low, high)
    assert got[0] == of_x and got[2] == of_high and got[1] in (of_low, 0)
    assert slopes(lambda x, high: mg.clip(x, None, high), x, 2.0) == [[1, 1, 0], 1]
    assert slopes(lambda x, low: mg.clip(x, low=low), x, 1.0) == [[0, 1, 1], 1]


def test_bounds_that_broadcast():
    x = np.array([[0.3, 1.5, 2.7], [0.9, 2.1, -1.0]])
    low, high = np.array([0.5, 2.0, 1.0]), np.array([[2.5], [0.7]])
    np.testing.assert_array_equal(mg.clip(mg.constant(x), low, high).value, np.clip(x, low, high))
    check_gradients(mg.clip, x, low, high)


def test_a_bound_by_keyword_is_that_bound():
    for three in (3.0, np.float32(3.0), mg.constant(3.0), mg.Variable(3.0)):
        assert mg.clip(mg.constant([-1.0, 2.0, 5.0]), high=three).value.tolist() == [-1.0, 2.0, 3.0]
    whole = mg.constant([1, 5])
    for call in (lambda: mg.clip(whole, None, 2.5), lambda: mg.clip(whole, high=2.5)):
        with pytest.raises(TypeError, match=r"the float 2.5 would change the dtype of a Tensor of int32"):
            call()


def test_numbers_in_place_of_nan_and_inf_have_gradients():
    x = [nan, 1.5, inf, -inf, nan]
    assert slopes(mg.nan_to_num, x, 0.1, 0.2, 0.3) == [[0, 1, 0, 0, 0], 2, 1, 1]
    assert slopes(lambda x, p: mg.nan_to_num(x, posinf=p), x, 0.2) == [[0, 1, 0, 0, 0], 1]
    assert slopes(lambda x, n: mg.nan_to_num(x, nan=n), x, [0.1] * 5) == [[0, 1, 0, 0, 0], [1, 0, 0, 0, 1]]


def test_slopes_of_activations_have_gradients():
    x = np.array([-1.5, -0.3, 0.7])
    check_gradients(mg.leaky_relu, x, 0.2)
    check_gradients(mg.leaky_relu, x, np.array([0.2, 0.3, 0.4]))
    check_gradients(lambda x, a: mg.elu(x, alpha=a), x, 0.5)
    assert mg.leaky_relu(mg.constant([-2, 4]), 0.5).value.tolist() == [-1.0, 4.0]


# Nothing.


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
@pytest.mark.parametrize(("axis", "keepdims"), [(None, False), (0, False), (0, True), ((0, 1), True)], ids=str)
def test_the_largest_of_nothing_is_the_initial_number(name, axis, keepdims):
    empty = np.zeros((0, 2))
    for more in ({}, dict(where=np.zeros((0, 2), bool))):
        options = dict(axis=axis, keepdims=keepdims, initial=1.5) | more
        np.testing.assert_array_equal(
            getattr(mg, name)(mg.constant(empty), **options).value, getattr(np, name)(empty, **options)
        )
    x, first = mg.constant(empty), mg.constant(1.5)
    y = getattr(mg, name)(x, axis, keepdims, initial=first)
    of_x, of_first = mg.gradients(y, [x, first])
    assert (of_x.shape, of_first.value) == ((0, 2), y.size)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_over_an_axis_without_elements(name):
    x = mg.constant(np.zeros((3, 0), "float32"))
    y = getattr(mg, name)(x)
    assert (y.shape, y.dtype, mg.gradients(y, x)[0].shape) == ((3, 0), np.float32, (3, 0))
    assert mg.logsumexp(x, -1).value.tolist() == [-inf] * 3
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        getattr(mg, name)(x, 2)


@pytest.mark.parametrize(
    ("a", "b"), [((5, 5, 0), (0, 5)), ((2, 0), (0, 3)), ((4, 3, 0), (0,)), ((0, 3), (3, 0)), ((2, 0, 3), (3, 4))]
)
def test_products_over_nothing(a, b):
    a, b = mg.constant(np.ones(a)), mg.constant(np.ones(b))
    y = a @ b
    np.testing.assert_array_equal(y.value, a.value @ b.value)
    of_a, of_b = mg.gradients(y, [a, b])
    np.testing.assert_array_equal(
        of_a.value, np.ones(y.shape + (1,) * (a.ndim - y.ndim))[..., :1] * 0 + 4 if a.size else np.zeros(a.shape)
    )
    np.testing.assert_array_equal(of_b.value, np.zeros(b.shape))


def test_quantiles_of_nothing_are_nan():
    for y in (mg.median(mg.ones((0,))), mg.quantile(mg.ones((2, 0)), 0.25, 1), mg.ops.nanmedian(mg.ones((2, 0)), 1)):
        assert np.isnan(y.value).all()


def test_a_jacobian_of_nothing():
    with mg.GradientTape(persistent=True) as tape:
        x, other = mg.Variable(np.ones((2, 3))), mg.Variable(1.0)
        y = x[:0] * 2.0
    of_x, of_other = tape.jacobian(y, [x, other])
    assert of_x.shape == (0, 3, 2, 3) and of_other is None
    assert tape.jacobian(y, other, unconnected_gradients="zero").shape == (0, 3)
    assert mg.jacobian(lambda x: x[:0] * 2.0)(np.ones((2, 3))).shape == (0, 3, 2, 3)


# Settings.


@pytest.mark.parametrize("form", [np.array, mg.constant, mg.Variable, list])
def test_axes_in_any_form(form):
    x = np.arange(24.0).reshape(2, 3, 4)
    for axis in ([0, 2], [1]):
        for y in (mg.sum(mg.constant(x), form(axis)), mg.max(mg.constant(x), axis=form(axis))):
            assert y.shape == np.sum(x, tuple(axis)).shape
    t = mg.constant(x)
    np.testing.assert_array_equal(mg.gradients(mg.mean(t, axis=form([0, 1])), t)[0].value, np.full(x.shape, 1 / 6))


def test_a_setting_has_no_gradient_and_says_so():
    from minigrad.transforms.lost import LostGradient

    x = mg.constant([1.0, 2.0, 4.0])
    assert mg.var(x, ddof=mg.constant(1)).value == mg.var(x, ddof=1).value
    number = mg.constant(1.0)
    for call, named in (
        (lambda: mg.var(x, ddof=number), "ddof"), (lambda: mg.nanstd(x, None, False, number), "ddof"),
        (lambda: mg.cov(x, ddof=number), "ddof"), (lambda: mg.norm(x, ord=number), "ord"),
        (lambda: mg.norm(x, number), "ord"), (lambda: mg.sum(x, keepdims=number), "keepdims"),
        (lambda: mg.max(x, axis=number), "axis"), (lambda: mg.reshape(x, shape=x), "shape"),
        (lambda: mg.broadcast_to(x, x), "shape"), (lambda: mg.quantile(x, 0.5, axis=number), "axis"),
    ):  # fmt: skip
        with pytest.raises(
            TypeError, match=rf"^{named} has no gradient and takes plain numbers, got a Tensor of float"
        ):
            call()
    with pytest.raises(LostGradient, match=r"an input became a plain number"):
        mg.grad(lambda ddof: mg.var(x, ddof=ddof))(1.0)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda x: mg.sum(x, axis=0.5), r"sum .*\(got axis=0.5\)"),
        (lambda x: mg.mean(x, None, 3.0), r"mean .*\(got keepdims=3.0\)"),
        (lambda x: mg.reshape(x, (3.0,)), r"reshape .*\(got shape=\(3.0,\)\)"),
        (lambda x: mg.broadcast_to(x, (2.0, 3)), r"broadcast_to .*\(got shape=\(2.0, 3\)\)"),
    ],
)
def test_a_float_in_place_of_an_integer_is_named(call, named):
    with pytest.raises(TypeError, match=named):
        call(mg.constant([1.0, 2.0, 4.0]))


def test_padding_of_a_convolution_as_pairs():
    x, kernel = np.arange(20.0).reshape(1, 5, 4, 1) % 7, np.ones((2, 3, 1, 1))
    around = ((1, 0), (2, 1))
    expected = mg.conv(np.pad(x, ((0, 0), *around, (0, 0))), kernel)
    for pairs in (around, [[0, 0], [1, 0], [2, 1], [0, 0]]):
        np.testing.assert_array_equal(mg.conv(mg.constant(x), mg.constant(kernel), 1, pairs).value, expected)
        check_gradients(lambda x, k, pairs=pairs: mg.conv(x, k, padding=pairs), x, kernel)
    with pytest.raises(ValueError, match=r"padding must be 'valid', 'same', or a pair .* for each of 2 axes"):
        mg.conv(mg.constant(x), mg.constant(kernel), padding=[[1, 1]])


def test_einsum_with_a_number():
    t = mg.constant([[1.0, 2.0]])
    assert mg.einsum(",ij", 5, t).value.tolist() == [[5.0, 10.0]]
    assert mg.einsum(",ij->j", 0.5, t).dtype == np.float32
    check_gradients(lambda a, t: mg.einsum(",ij->ji", a, t), 5.0, t.value.astype(float))


def test_a_variable_by_the_number_of_its_elements():
    mg.reset_default_graph()
    with mg.variable_scope("layer"):
        v = mg.get_variable("v", shape=10)
    with mg.variable_scope("layer", reuse=True):
        assert mg.get_variable("v", shape=10) is v and v.shape == (10,)


@pytest.mark.parametrize("indices", [[1.5], [1.0], np.float32(2), mg.constant([0.0])])
def test_one_hot_of_floats(indices):
    with pytest.raises(TypeError, match=r"one_hot .*indices must be integers, got float32; write astype"):
        mg.one_hot(indices, 3)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint16", "int32", "uint64", "int64", "float16", "float32"])
@pytest.mark.parametrize("scan", ["sum", "prod"])
def test_a_scan_with_its_first_term_keeps_the_dtype(dtype, scan):
    ours, numpy = getattr(mg, f"cumulative_{scan}"), {"sum": np.cumsum, "prod": np.cumprod}[scan]
    x = np.array([1, 1], dtype)
    first = {"sum": 0, "prod": 1}[scan]
    for a in (x, mg.constant(x)):
        y = ours(a, include_initial=True)
        assert y.dtype == numpy(x).dtype
        np.testing.assert_array_equal(np.asarray(y), [first, *numpy(x)])
