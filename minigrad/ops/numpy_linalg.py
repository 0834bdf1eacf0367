"""NumPy's vector and matrix functions, including `numpy.linalg`, as short combinations of ops."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.support.operands import adopt_all
from .arrange import diagonal
from .axes import axes_of, in_floats, keepdims_shape, to_last
from .declare import BY_NUMPY
from .decomposition import cholesky, qr, svd
from .norms import norm
from .numpy_options import refusal
from .products import cross, matmul, matvec, outer, tensordot
from .reduce import sum
from .shapes import expand_dims, reshape, squeeze, swapaxes


def _last_two(x: Any, offset: int = 0) -> Any:
    """The diagonals of the matrices in the last two axes; `numpy.diagonal` uses the first two.

    x : shape (..., rows, columns). offset : how far the diagonal is above the main one, or below it if negative.

    Returns the elements x[..., i, i + offset], along the last axis. Raises ValueError for fewer than two axes.

    >>> import minigrad as mg
    >>> mg.numpy.linalg.diagonal(mg.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]])).value
    array([[1., 4.],
           [5., 8.]], dtype=float32)
    """
    return diagonal(x, offset, -2, -1)


def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    return sum(diagonal(a, offset, axis1, axis2), -1, dtype=dtype)


def _qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "r"):
        raise refusal("np.linalg.qr", "mode", mode)
    return qr(a).R if mode == "r" else qr(a)


def _cholesky(a: Any, *, upper: bool = False) -> Any:
    return swapaxes(cholesky(swapaxes(a, -1, -2)), -1, -2) if upper else cholesky(a)


def _cross(x1: Any, x2: Any, *, axis: int = -1) -> Any:
    if not np.shape(x1)[axis] == np.shape(x2)[axis] == 3:
        shapes = f"{np.shape(x1)} and {np.shape(x2)}"
        raise ValueError(f"linalg.cross takes vectors of 3 numbers along axis {axis}, got shapes {shapes}")
    return cross(x1, x2, axis=axis)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if axis is None and ord is not None and x.ndim > 2:
        raise ValueError(f"linalg.norm with ord={ord!r} of an array of shape {x.shape} needs axis: one axis, or two")
    return norm(in_floats(x), ord, axis, keepdims)


def _vector_norm(x: Any, axis: Any, keepdims: bool, ord: Any) -> Any:
    """The norm of vectors; if several axes are given, their elements form one vector."""
    x = in_floats(x)
    axes = axes_of(x, axis)
    y = norm(to_last(x, axes), ord, -1)
    return reshape(y, keepdims_shape(x, axes)) if keepdims else y


def _vecdot(x1: Any, x2: Any, axis: int = -1, keepdims: bool = False) -> Any:
    x1, x2 = adopt_all([x1, x2])
    products = x1 * x2
    return sum(products, axis, keepdims, **({} if products.dtype.kind == "f" else dict(dtype=products.dtype)))


def _vecmat(x1: Any, x2: Any) -> Any:
    """A vector times a matrix, or stacks of vectors times stacks of matrices.

    x1 : shape (..., n), one vector or a stack. x2 : shape (..., n, m). The leading axes are broadcast.

    Returns the products, of shape (..., m). Raises ValueError if the two lengths n differ.

    >>> import minigrad as mg
    >>> mg.numpy.vecmat(mg.constant([1.0, 2.0]), [[1.0, 0.0, 3.0], [0.0, 1.0, 4.0]]).value
    array([ 1.,  2., 11.], dtype=float32)
    """
    x1, x2 = adopt_all([x1, x2])
    if x1.ndim < 1 or x2.ndim < 2 or x1.shape[-1] != x2.shape[-2]:
        raise ValueError(
            f"vecmat takes x1 of shape (..., n) and x2 of shape (..., n, m), got shapes {x1.shape} and {x2.shape}"
        )
    return squeeze(matmul(expand_dims(x1, -2), x2), -2)


MATRICES: dict[Callable[..., Any], Callable[..., Any]] = {
    np.linalg.svd: svd,
    np.linalg.outer: outer,
    np.linalg.matmul: matmul,
    np.linalg.tensordot: lambda x1, x2, axes=2: tensordot(x1, x2, axes),
    np.linalg.cross: _cross,
    np.linalg.diagonal: _last_two,
    np.linalg.trace: lambda x, offset=0, dtype=None: _trace(x, offset, -2, -1, dtype),
    np.linalg.vector_norm: lambda x, axis=None, keepdims=False, ord=2: _vector_norm(x, axis, keepdims, ord),
    np.linalg.matrix_norm: lambda x, keepdims=False, ord="fro": norm(in_floats(x), ord, (-2, -1), keepdims),
    np.linalg.norm: _norm,
    np.linalg.qr: _qr,
    np.linalg.cholesky: _cholesky,
    np.matrix_transpose: lambda x: swapaxes(x, -1, -2),
    np.linalg.matrix_transpose: lambda x: swapaxes(x, -1, -2),
    np.linalg.vecdot: lambda x1, x2, axis=-1: _vecdot(x1, x2, axis),
    np.trace: _trace,
    np.vecdot: _vecdot,
    np.linalg.multi_dot: lambda arrays: functools.reduce(matmul, arrays),
}

#: Functions, by name, that some NumPy versions since 2.0 do not have.
_OF_SOME_VERSIONS: dict[str, Callable[..., Any]] = {"matvec": matvec, "vecmat": _vecmat}

MATRICES |= {getattr(np, name): ours for name, ours in _OF_SOME_VERSIONS.items() if hasattr(np, name)}

BY_NUMPY |= MATRICES
