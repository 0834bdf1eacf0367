"""`np.gradient` on Tensors: NumPy's values for every form of its arguments, and gradients in all of them."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.gradient_check import check_gradients
from tests.helpers.tables import over

RNG = np.random.default_rng(0)
ROW = RNG.normal(size=5)
TABLE = RNG.normal(size=(4, 5))
BOX = RNG.normal(size=(3, 4, 5))
X, Y, Z = np.array([0.0, 0.5, 2.0, 2.25, 4.0]), np.array([1.0, 2.0, 4.0, 8.0]), np.array([-1.0, 0.0, 3.0])

CALLS = {
    "row": ((ROW,), {}), "distance": ((ROW, 0.5), {}), "coordinates": ((ROW, X), {}),
    "even coordinates": ((ROW, np.arange(5) * 2), {}), "falling coordinates": ((ROW, X[::-1].copy()), {}),
    "a list of coordinates": ((ROW, X.tolist()), {}), "whole coordinates": ((ROW, np.array([0, 1, 3, 6, 10])), {}),
    "table": ((TABLE,), {}), "one distance for both axes": ((TABLE, 2.0), {}), "two distances": ((TABLE, 2.0, 0.5), {}),
    "coordinates of both": ((TABLE, Y, X), {}), "a distance and coordinates": ((TABLE, 2.0, X), {}),
    "one axis": ((TABLE,), dict(axis=1)), "one axis from the end": ((TABLE, Y), dict(axis=-2)),
    "axes in another order": ((TABLE, X, Y), dict(axis=(1, 0))), "axes in a tuple": ((TABLE, 0.5), dict(axis=(0,))),
    "three axes": ((BOX,), {}), "three coordinates": ((BOX, Z, Y, X), {}),
    "two of three": ((BOX, X, Z), dict(axis=(2, 0))),
    "integers": ((np.array([1, 4, 9, 16]),), {}), "single precision": ((ROW.astype("float32"), X), {}),
    "half precision": ((ROW.astype("float16"), 0.5), {}),
}  # fmt: skip


def tensors(args):
    return [mg.constant(a) if isinstance(a, np.ndarray) else a for a in args]


@over(list(CALLS), [1, 2])
def test_values_are_numpys(name, edge_order):
    args, options = CALLS[name]
    expected = np.gradient(*args, **options, edge_order=edge_order)
    got = np.gradient(*tensors(args), **options, edge_order=edge_order)
    assert type(got) is mg.Tensor if isinstance(expected, np.ndarray) else type(got) is type(expected) is tuple
    for g, e in zip(got if isinstance(got, tuple) else [got], expected if isinstance(expected, tuple) else [expected]):
        assert g.shape == e.shape and g.dtype == e.dtype
        np.testing.assert_allclose(g.value, e, rtol={2: 2e-3, 4: 2e-5, 8: 1e-11}[e.dtype.itemsize], atol=1e-6)


@pytest.mark.parametrize("edge_order", [1, 2])
def test_slopes_in_values_distances_and_coordinates(edge_order):
    weight = RNG.normal(size=TABLE.shape)

    def total(f, step, x):
        down, across = np.gradient(f, step, x, edge_order=edge_order)
        return mg.sum(weight * down * across)

    check_gradients(total, TABLE, np.array(0.75), X)


def test_uneven_coordinates_of_a_parabola_are_exact():
    x = np.array([0.0, 1.0, 3.0])
    assert np.gradient(mg.constant(x**2), x, edge_order=2).value.tolist() == [0.0, 2.0, 6.0]
    assert np.gradient(mg.constant([0.0, 1.0, 9.0]), x).shape == (3,)


@pytest.mark.parametrize(("args", "options", "error", "words"), [
    ((ROW, X[:3]), {}, ValueError, r"a row of coordinates, 5 for axis 0, got shape \(3,\)"),
    ((TABLE, 1.0, 2.0, 3.0), {}, TypeError, "each of the 2 axes, got 3"),
    ((TABLE, 1.0, 2.0), dict(axis=0), TypeError, "each of the 1 axes, got 2"),
    ((ROW,), dict(edge_order=3), ValueError, "edge_order 1 or 2, got 3"),
    ((ROW[:2],), dict(edge_order=2), ValueError, "needs 3 points, axis 0 has 2"),
    ((ROW[:1],), {}, ValueError, "needs 2 points, axis 0 has 1"),
    ((ROW, np.ones((5, 1))), {}, ValueError, r"got shape \(5, 1\)"),
    ((TABLE,), dict(axis=2), np.exceptions.AxisError, "out of bounds"),
])  # fmt: skip
def test_errors(args, options, error, words):
    with pytest.raises(error, match=words):
        np.gradient(*tensors(args), **options)
