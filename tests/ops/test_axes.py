"""Axis conventions: every reduction, along every kind of axis, has NumPy's values, and a gradient."""

import itertools

import numpy as np
import pytest

import minigrad as mg
from minigrad import ops
from minigrad.diagnostics.gradient_check import check_gradients
from tests.helpers.tables import over

X = np.array([[[1.5, -2.0], [0.5, 0.3], [1.0, 2.5]], [[-1.2, 0.7], [2.2, 1.1], [0.1, -0.4]]])

REDUCTIONS = ["sum", "mean", "prod", "max", "min", "var", "std", "median", "any", "all"]
AXES = [None, 0, 1, -1, (0, 1), (0, -1), (-2, -1), (0, 1, 2), ()]


def along_axes(names, undefined):
    """Every reduction along every kind of axis, but `undefined` along no axis."""
    every = itertools.product(names, AXES, [False, True])
    return over([(name, axis, keepdims) for name, axis, keepdims in every if (name, axis) != (undefined, ())])


@along_axes(REDUCTIONS, "median")  # NumPy's median along no axis is undefined
def test_reductions_have_numpys_values(name, axis, keepdims):
    expected = getattr(np, name)(X, axis=axis, keepdims=keepdims)
    for x in (X, mg.constant(X)):
        got = getattr(ops, name)(x, axis=axis, keepdims=keepdims)
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-14)
        assert got.dtype == expected.dtype and got.shape == expected.shape


@along_axes(
    ["sum", "mean", "prod", "max", "min", "var", "std", "logsumexp", "median", "euclidean_norm"], "std"
)  # the deviation of one number is 0: a kink everywhere
def test_reductions_have_a_gradient_along_every_axis(name, axis, keepdims):
    check_gradients(lambda x: getattr(ops, name)(x, axis=axis, keepdims=keepdims), X, order=1)


@over([*REDUCTIONS, "logsumexp"], [3, -4, (0, 3)])
def test_an_axis_out_of_range_is_an_error_that_names_the_op(name, axis):
    with pytest.raises(ValueError, match="out of bounds"):
        getattr(ops, name)(mg.constant(X), axis=axis)


@over(["argmax", "argmin", "argsort", "sort"], [None, 0, 1, -1])
def test_places_have_numpys_values(name, axis):
    got = getattr(ops, name)(mg.constant(X), axis=axis)
    np.testing.assert_array_equal(got.value, getattr(np, name)(X, axis=axis))


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1], ids=repr)
def test_scans_have_numpys_values(name, axis):
    np.testing.assert_allclose(getattr(ops, name)(mg.constant(X), axis=axis).value, getattr(np, name)(X, axis=axis))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "any", "all"])
def test_reductions_of_nothing(name):
    empty = np.zeros((0, 3))
    expected = {"sum": [0, 0, 0], "prod": [1, 1, 1], "mean": [np.nan] * 3, "any": [False] * 3, "all": [True] * 3}[name]
    np.testing.assert_array_equal(getattr(ops, name)(mg.constant(empty), axis=0).value, expected)
    if name in ("sum", "prod", "mean"):
        x = mg.constant(empty)
        assert mg.gradients(getattr(ops, name)(x, axis=0), x)[0].shape == (0, 3)


def test_the_largest_of_nothing_is_an_error():
    with pytest.raises(ValueError, match="max cannot work on arguments of shape"):
        ops.max(mg.constant(np.zeros(0)))


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "var", "std", "logsumexp", "cumsum", "sort"])
def test_a_number_is_reduced_to_itself(name):
    x = mg.constant(2.5)
    y = getattr(ops, name)(x) if name not in ("cumsum", "sort") else getattr(ops, name)(x, axis=None)
    assert y.dtype == np.float32
    assert mg.gradients(y, x)[0].shape == ()


@over([(3,), (2, 3), (4, 2, 3), (1, 2, 3)], [(3,), (3, 2), (4, 3, 2), (1, 3, 2)])
def test_matmul_of_vectors_matrices_and_batches(a, b):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=a), rng.normal(size=b)
    np.testing.assert_allclose(ops.matmul(mg.constant(x), mg.constant(y)).value, x @ y)
    check_gradients(ops.matmul, x, y, order=1)


def test_python_numbers_do_not_widen_a_float32():
    x = mg.constant([1.0, 2.0])
    for y in (x + 1.5, 2 * x, x / 3, x**2, x**0.5, 2.0**x, 1 - x, mg.maximum(x, 0.5), mg.where(x > 1, x, 0.0), x % 2):
        assert y.dtype == np.float32
        assert mg.gradients(y, x)[0].dtype == np.float32


def test_numpy_arrays_promote_and_the_gradient_comes_back_in_the_dtype_of_its_source():
    x = mg.constant([1.0, 2.0])
    y = x * np.array([1.0, 2.0])
    assert y.dtype == np.float64
    assert mg.gradients(y, x)[0].dtype == np.float32


def test_a_list_of_tensors_is_stacked_and_stays_connected():
    a, b = mg.constant(1.0), mg.constant(2.0)
    for y in (mg.exp([a, b]), mg.sum([[a, b], [b, 3.0]]), mg.constant([1.0, 1.0]) * [a, b], mg.norm([a, b])):
        assert mg.gradients(y, a)[0] is not None
    np.testing.assert_allclose(mg.gradients(mg.sum([[a, b], [b, 3.0]]), [b])[0].value, 2)
