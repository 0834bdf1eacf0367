"""NumPy's shorthands give NumPy's values on Tensors, and gradients that agree with finite differences."""

import numpy as onp
import pytest

import minigrad as mg
import minigrad.numpy as np
from tests.programs import numeric_gradient

A = onp.array([[0.5, -1.5, 2.0], [1.0, 3.0, -0.5]])
V = onp.array([0.3, -1.2, 2.0, 0.7])
W = onp.array([1.0, 2.0, 3.0])

CALLS = {
    "vstack": (lambda x: np.vstack([x, 2 * x]), V),
    "vstack of matrices": (lambda x: np.vstack([x, x * x]), A),
    "hstack": (lambda x: np.hstack([x, 2 * x]), V),
    "hstack of matrices": (lambda x: np.hstack([x, x * x]), A),
    "column_stack": (lambda x: np.column_stack([x, x * x]), V),
    "append": (lambda x: np.append(x, x * x), A),
    "append along an axis": (lambda x: np.append(x, x * x, axis=1), A),
    "average": (lambda x: np.average(x, axis=0), A),
    "average with weights": (lambda x: np.average(x, axis=1, weights=W), A),
    "partition": (lambda x: np.partition(x, 2), V),
    "partition of rows": (lambda x: np.partition(x, 1, axis=1), A),
    "gradient": (lambda x: np.gradient(x), V),
    "gradient with spacing": (lambda x: np.gradient(x, 0.5), V),
    "gradient along an axis": (lambda x: np.gradient(x, axis=1), A),
    "gradient along all axes": (lambda x: np.gradient(x)[0] * np.gradient(x)[1], A),
    "ptp": (lambda x: np.ptp(x, axis=1), A),
    "fabs": (lambda x: np.fabs(x), A),
    "real": (lambda x: np.real(x), A),
    "nansum": (lambda x: np.nansum(np.where(x > 1.5, onp.nan, x)), A),
    "singular values": (lambda x: np.linalg.svd(x, compute_uv=False), A),
    "svd": (lambda x: np.linalg.svd(x, full_matrices=False)[0] ** 2, A),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients(name):
    f, at = CALLS[name]
    got = f(mg.constant(at))
    assert isinstance(got, mg.Tensor)
    onp.testing.assert_allclose(got.value, f(at), rtol=1e-12)
    weights = onp.cos(onp.arange(got.size)).reshape(got.shape)
    loss = lambda x: mg.sum(f(x) * weights)
    onp.testing.assert_allclose(mg.grad(loss)(at), numeric_gradient(loss, at)[0], rtol=1e-6, atol=1e-7)


def test_numpy_itself_finds_them():
    x = mg.constant(V)
    assert isinstance(onp.vstack([x, x]), mg.Tensor)
    assert isinstance(onp.linalg.svd(mg.constant(A), compute_uv=False), mg.Tensor)
