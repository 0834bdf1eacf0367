"""NumPy's shorthands give NumPy's values on Tensors, and gradients that agree with finite differences."""

import numpy as onp
import pytest

import minigrad as mg
import minigrad.numpy as np
from tests.helpers.random_programs import numeric_gradient
from tests.helpers.tables import over

A = onp.array([[0.5, -1.5, 2.0], [1.0, 3.0, -0.5]])
V = onp.array([0.3, -1.2, 2.0, 0.7])
W = onp.array([1.0, 2.0, 3.0])

CALLS = {
    "vstack": (lambda x: np.vstack([x, 2 * x]), V),
    "vstack of matrices": (lambda x: np.vstack([x, x * x]), A),
    "hstack": (lambda x: np.hstack([x, 2 * x]), V),
    "hstack of matrices": (lambda x: np.hstack([x, x * x]), A),
    "column_stack": (lambda x: np.column_stack([x, x * x]), V),
    "r_": (lambda x: np.r_[x, 2.5, x[1] * x, 1:9:2], V),
    "r_ along a new axis": (lambda x: np.r_["0,2", x, x * x], V),
    "r_ of columns": (lambda x: np.r_["-1,2,0", x, x * x], V),
    "r_ of matrices": (lambda x: np.r_[x, x * x], A),
    "r_ with lists": (lambda x: np.r_[x, [1.5, x[0] * 3]], V),
    "c_": (lambda x: np.c_[x, 2 * x, onp.ones(4)], V),
    "c_ of matrices": (lambda x: np.c_[x, x * x], A),
    "ascontiguousarray": (lambda x: np.ascontiguousarray(x[0]) * x, V),
    "ascontiguousarray of a list": (lambda x: np.ascontiguousarray([x[0], 2.0, x[1] * x[1]]), V),
    "asanyarray": (lambda x: np.asanyarray(x) * x, V),
    "asanyarray of a list": (lambda x: np.asanyarray([x[0], x[1] * x[1]], float), V),
    "asfortranarray": (lambda x: np.asfortranarray(x) * x, A),
    "asarray": (lambda x: np.asarray(x, onp.float64) * x, V),
    "array with ndmin": (lambda x: np.array([x[0], x[1] * 2], ndmin=3), V),
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
    "nanmean": (lambda x: np.nanmean(np.where(x > 1.5, onp.nan, x), axis=0), A),
    "amax and amin": (lambda x: np.amax(x, axis=0) * np.amin(x), A),
    "full": (lambda x: np.full((2, 4), x), V),
    "fliplr and flipud": (lambda x: np.fliplr(x) * np.flipud(x), A),
    "dstack": (lambda x: np.dstack([x, x * x]), A),
    "dstack of vectors": (lambda x: np.dstack([x, x * x]), V),
    "vsplit": (lambda x: np.vsplit(x, 2)[1], A),
    "hsplit": (lambda x: np.hsplit(x, [1])[1], A),
    "hsplit of a vector": (lambda x: np.hsplit(x, 2)[1], V),
    "radians and degrees": (lambda x: np.radians(x) * np.degrees(x), V),
    "astype": (lambda x: np.astype(x, "float64"), V),
    "linalg.outer": (lambda x: np.linalg.outer(x, x), V),
    "linalg.matmul": (lambda x: np.linalg.matmul(x, x.T), A),
    "linalg.tensordot": (lambda x: np.linalg.tensordot(x, x.T, axes=1), A),
    "linalg.cross": (lambda x: np.linalg.cross(x, x[::-1]), A),
    "linalg.diagonal": (lambda x: np.linalg.diagonal(np.stack([x, 2 * x]), offset=1), A),
    "linalg.trace": (lambda x: np.linalg.trace(np.stack([x, 2 * x])), A),
    "linalg.vector_norm": (lambda x: np.linalg.vector_norm(x, ord=3), A),
    "linalg.vector_norm of rows": (lambda x: np.linalg.vector_norm(x, axis=1), A),
    "linalg.matrix_norm": (lambda x: np.linalg.matrix_norm(np.stack([x, x * x])), A),
    "linalg.multi_dot": (lambda x: np.linalg.multi_dot([x, x.T, x]), A),
    "matrix_transpose": (lambda x: np.matrix_transpose(np.stack([x, x * x])), A),
    "singular values": (lambda x: np.linalg.svd(x, compute_uv=False), A),
    "svd": (lambda x: np.linalg.svd(x, full_matrices=False)[0] ** 2, A),
    "average along both axes": (lambda x: np.average(x, axis=(1, 0), weights=onp.arange(1.0, 7.0).reshape(3, 2)), A),
    "average with its weights": (lambda x: np.average(x, 1, W, True)[0] * np.average(x, 1, W, True)[1], A),
    "average by weights": (lambda x: np.average(onp.sin(A), 1, x * x), A),
    "average kept": (lambda x: np.average(x, 0, [1.0, 3.0], keepdims=True), A),
    "linspace and its step": (
        lambda x: np.linspace(x, 1.0, 4, True, True)[0] * np.linspace(x, 1.0, 4, True, True)[1],
        V,
    ),
    "linspace along the last axis": (lambda x: np.linspace(x, x * x, 3, False, False, None, -1), V),
    "meshgrid": (lambda x: np.meshgrid(x, x[:2] ** 2)[0] * np.meshgrid(x, x[:2] ** 2)[1], V),
    "sparse meshgrid": (lambda x: np.meshgrid(x, x[:2] ** 2, sparse=True)[0] * np.meshgrid(x, x, sparse=True)[1], V),
    "upper factor": (lambda x: np.linalg.cholesky(x @ x.T + onp.eye(2), upper=True), A),
    "R alone": (lambda x: np.linalg.qr(x.T, "r") ** 2, A),
    "vecdot kept": (lambda x: np.vecdot(x, x * x, axis=0, keepdims=True), A),
    "linalg.vecdot": (lambda x: np.linalg.vecdot(x, x * x, axis=0), A),
    "trace in double precision": (lambda x: np.trace(x, 1, 0, 1, "float64"), A),
    "insert": (lambda x: np.insert(x, 1, x[0] ** 2, 0), A),
    "nancumsum": (lambda x: np.nancumsum(np.where(x > 1.5, onp.nan, x), 1, "float64"), A),
    "nancumprod": (lambda x: np.nancumprod(np.where(x > 2.5, onp.nan, x), 0), A),
    "select": (lambda x: np.select([A > 1, A < 0], [x, x * x], 0.5), A),
    "einsum in a dtype": (lambda x: np.einsum("ij,kj->ik", x, x * x, dtype="float64"), A),
    "several at least 2d": (lambda x: np.atleast_2d(x, x[0])[0] * np.atleast_2d(x, x[0])[1], V),
    "float_power": (lambda x: np.float_power(x * x + 1.0, 1.5), V),
    "add in a dtype": (lambda x: np.add(x, x * x, dtype="float64", casting="safe"), V),
    "clip by NumPy's names": (lambda x: np.clip(x, a_min=-1.0, a_max=0.5), V),
    "clip by its newer names": (lambda x: np.clip(x, min=-1.0), V),
    "vector norm over both axes": (lambda x: np.linalg.vector_norm(x, axis=(0, 1), keepdims=True, ord=3), A),
    "nuclear norm": (lambda x: np.linalg.matrix_norm(x, ord="nuc"), A),
    "trapezoid": (lambda x: np.trapezoid(x, [0.0, 1.0, 3.0], axis=1), A),
    "nanvar": (lambda x: np.nanvar(np.where(x > 2.5, onp.nan, x), 1, None, None, 1), A),
}

if hasattr(onp, "matvec"):  # from NumPy 2.2 on
    CALLS |= {
        "matvec": (lambda x: np.matvec(onp.stack([x, x * x]), x[0]), A),
        "vecmat": (lambda x: np.vecmat(x[:, 0], onp.stack([x, x * x])), A),
    }


@over(CALLS)
def test_values_and_gradients(f, at):
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


def test_questions_about_places_are_answered_with_arrays():
    x = mg.constant(V)
    for places in (np.flatnonzero(x > 0), np.argwhere(x > 0)[:, 0], np.nonzero(x > 0)[0]):
        assert places.tolist() == [0, 2, 3]
    assert np.digitize(x, [0.0, 1.0]).tolist() == [1, 0, 2, 1]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(not hasattr(onp, "row_stack"), reason="this NumPy has no row_stack any more")
def test_row_stack_is_vstack():
    x = mg.constant(V)
    onp.testing.assert_array_equal(np.row_stack([x, 2 * x]).value, onp.vstack([V, 2 * V]))


def test_arrays_alone_stay_numpys():
    assert isinstance(np.r_[V, 1.0], onp.ndarray) and isinstance(np.c_[V, V], onp.ndarray)
    assert np.array(V, copy=True, order="F", ndmin=2).shape == (1, 4)
    assert np.asarray(V, order="C") is V and np.ascontiguousarray(V) is V and np.asanyarray(V) is V


@pytest.mark.parametrize("join", ["concatenate", "stack", "vstack", "hstack"])
def test_what_is_joined_takes_the_dtype_that_is_asked_for(join):
    x = mg.constant([1.0, 2.0])
    for library in (np, onp):  # NumPy's own function finds the op too
        y = getattr(library, join)([x, 3 * x], dtype="float64")
        assert isinstance(y, mg.Tensor) and y.dtype == onp.float64
        onp.testing.assert_array_equal(y.value, getattr(onp, join)([x.value, 3 * x.value], dtype="float64"))
        assert mg.gradients(y, x)[0].value.tolist() == [4.0, 4.0]
        with pytest.raises(TypeError, match="cannot convert float32 to int32 with casting='same_kind'"):
            getattr(library, join)([x, x], dtype="int32")
        whole = getattr(library, join)([x, x], dtype="int32", casting="unsafe")
        assert whole.dtype == onp.int32
    assert np.concatenate([x, [0.1, 0.2]], dtype="float64").value.tolist() == [1.0, 2.0, 0.1, 0.2]
    assert np.concatenate([[x], [x]], axis=None, dtype="float64").shape == (4,)
