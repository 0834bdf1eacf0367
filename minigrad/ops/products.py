"""Array products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from .arithmetic import multiply
from .arrange import diagonal, roll
from .axes import Axis
from .declare import composite, defop, names_as
from .reduce import sum
from .shapes import expand_dims, moveaxis, ravel, reshape, transpose

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_TALL = [[1.0, 2.0], [0.5, -1.0], [3.0, 0.7]]
_ROW = [1.0, 2.0, -0.5]
_SQUARE = [[1.0, 2.0], [3.0, 4.0]]


def _column(x: Any) -> Any:
    return reshape(x, (*x.shape, 1))


def _rows(x: Any) -> Any:
    """The rows of all matrices in a batch as one matrix. (A length of -1 would fail for empty matrices.)"""
    return reshape(x, (math.prod(x.shape[:-1]), x.shape[-1]))


def _left(g: Any, y: Any, a: Any, b: Any) -> Any:
    """g @ b.T; a vector is a row if it was the left argument, and a column if it was the right argument."""
    if b.ndim == 1:
        return (g if a.ndim == 1 else _column(g)) * b
    if a.ndim == 1:
        return b @ g if b.ndim == 2 else reshape(b @ _column(g), b.shape[:-1])
    return g @ b.swapaxes(-1, -2)


def _right(g: Any, y: Any, a: Any, b: Any) -> Any:
    """a.T @ g, with vectors treated as in `_left`. If `b` is not a batch but `a` is, this also sums over the batch."""
    if b.ndim == 1:
        return a * g if a.ndim == 1 else g @ a if a.ndim == 2 else ravel(g) @ _rows(a)
    if a.ndim == 1:
        return reshape(g, (*g.shape[:-1], 1, g.shape[-1])) * _column(a)
    if b.ndim == 2 < a.ndim:
        a, g = _rows(a), _rows(g)
    return a.swapaxes(-1, -2) @ g


matmul = defop(
    "matmul", np.matmul, operator="matmul",
    vjp=(_left, _right),
    latex="A B", slope=("g @ b.T", "a.T @ g"),
    says="The matrix product of batches, which broadcast; a vector is a row on the left, a column on the right.",
    names=names_as("matmul"),
    samples=(
        (_TABLE, _TALL), (_ROW, _TALL), (_TABLE, _ROW), (_ROW, _ROW), ([_TABLE, _TABLE], _TALL), ([_TABLE], _ROW),
        (_ROW, [_TALL]),
    ),
)


@composite(
    arrays=2, numpy=np.dot, method="dot", latex="a \\cdot b", names=dict(keras="dot", jax="dot"),
    samples=((_TABLE, _TALL), (_ROW, _ROW), (2.0, _ROW), ([_TABLE], [_TALL])),
)
def dot(a: Any, b: Any) -> Any:
    """The sum of products over the last axis of `a` and the second-last axis of `b`, as in `np.dot`."""
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    return matmul(a, b) if b.ndim <= 2 else tensordot(a, b, (-1, -2))


@composite(
    arrays=2, numpy=np.tensordot, names=names_as("tensordot"),
    samples=((_TABLE, _TALL, 1), ([_TABLE], _TALL, ((1, 2), (1, 0))), (_ROW, _ROW, 0)),
)
def tensordot(a: Any, b: Any, axes: int | tuple[Axis, Axis] = 2) -> Any:
    """The sum of products over pairs of axes.

    axes : a number n, for the last n axes of `a` and the first n axes of `b`; or a pair of lists, the axes of `a` and
        the axes of `b`.
    """
    pair: Any = axes
    if isinstance(axes, (int, np.integer)):
        if axes > min(a.ndim, b.ndim):
            raise ValueError(f"tensordot cannot sum over axes={axes} of the shapes {a.shape} and {b.shape}")
        pair = range(a.ndim - int(axes), a.ndim), range(int(axes))
    of_a, of_b = normalize_axis_tuple(pair[0], a.ndim), normalize_axis_tuple(pair[1], b.ndim)
    if [a.shape[i] for i in of_a] != [b.shape[i] for i in of_b]:
        raise ValueError(f"tensordot pairs unequal axes: {list(of_a)} of shape {a.shape}, {list(of_b)} of {b.shape}")
    free_a, free_b = ([i for i in range(x.ndim) if i not in of] for x, of in ((a, of_a), (b, of_b)))
    rows, columns = [a.shape[i] for i in free_a], [b.shape[i] for i in free_b]
    n = int(np.prod([a.shape[i] for i in of_a], dtype=int))
    left = reshape(transpose(a, [*free_a, *of_a]), (int(np.prod(rows, dtype=int)), n))
    right = reshape(transpose(b, [*of_b, *free_b]), (n, int(np.prod(columns, dtype=int))))
    return reshape(left @ right, (*rows, *columns))


@composite(arrays=2, numpy=np.outer, latex="a b^T", names=names_as("outer", tf=""), samples=((_ROW, [2.0, 3.0]),))
def outer(a: Any, b: Any) -> Any:
    """The matrix of products of each element of `a` with each element of `b`."""
    return expand_dims(ravel(a), 1) * ravel(b)


@composite(
    arrays=2, numpy=np.inner, latex=r"\sum_i a_i b_i", names=names_as("inner", tf=""),
    samples=((_ROW, _ROW), (_TABLE, _ROW), (2.0, _ROW)),
)
def inner(a: Any, b: Any) -> Any:
    """The sum of products over the last axis of both arrays."""
    return multiply(a, b) if a.ndim == 0 or b.ndim == 0 else tensordot(a, b, (-1, -1))


@composite(arrays=2, numpy=np.vdot, names=names_as("vdot", tf=""), samples=((_TABLE, _TABLE),))
def vdot(a: Any, b: Any) -> Any:
    """The sum of products of all elements."""
    return ravel(a) @ ravel(b)


@composite(
    arrays=2, numpy=np.kron, latex=r"A \otimes B", names=names_as("kron", tf=""),
    example=([1.0, 10.0], [1.0, 2.0]), samples=((_TABLE, _TALL), (_ROW, _TABLE), (2.0, _ROW)),
)
def kron(a: Any, b: Any) -> Any:
    """The matrix of blocks a[i, j] * b."""
    n = max(a.ndim, b.ndim)
    a_shape, b_shape = (1,) * (n - a.ndim) + a.shape, (1,) * (n - b.ndim) + b.shape
    wide = reshape(a, [k for m in a_shape for k in (m, 1)]) * reshape(b, [k for m in b_shape for k in (1, m)])
    return reshape(wide, [i * j for i, j in zip(a_shape, b_shape)])


@composite(
    arrays=2, numpy=np.vecdot, latex=r"\sum_i a_i b_i",
    names=dict(torch="linalg.vecdot", jax="vecdot"),
    samples=((_ROW, _ROW), (_TABLE, _ROW), (_TABLE, _TABLE, dict(axis=0))),
)
def vecdot(a: Any, b: Any, axis: int = -1) -> Any:
    """The sum of products along one axis of both arrays, which broadcast against each other."""
    return sum(a * b, axis)


@composite(
    arrays=2, numpy=np.cross, latex=r"a \times b", names=names_as("cross", tf="linalg.cross"),
    samples=((_ROW, [2.0, 3.0, 0.5]), (_TABLE, _ROW), (_TALL, _TABLE, dict(axisa=0, axisb=1, axisc=0))),
)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """The cross product of vectors of length 3.

    axisa, axisb, axisc : the axes of the vectors in `a`, in `b` and in the result; `axis` sets all three.

    Raises ValueError for vectors of any other length; in the plane write a[0] * b[1] - a[1] * b[0].
    """
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    lengths = [x.ndim and x.shape[normalize_axis_index(i, x.ndim)] for x, i in ((a, axisa), (b, axisb))]
    if lengths != [3, 3]:
        raise ValueError(
            f"cross takes vectors of 3 along axis {axisa} of the first and axis {axisb} of the second argument, "
            f"got shapes {a.shape} and {b.shape}"
        )
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    product = roll(a, -1, -1) * roll(b, -2, -1) - roll(a, -2, -1) * roll(b, -1, -1)
    return moveaxis(product, -1, axisc)


@composite(
    numpy=np.trace, method="trace", latex=r"\sum_i A_{ii}",
    names=names_as("trace", tf="linalg.trace"), samples=((_TABLE,), (_TABLE, 1), ([_TALL], 0, 1, 2)),
)
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of a diagonal."""
    return sum(diagonal(x, offset, axis1, axis2), -1)


@composite(
    arrays=2, names=dict(tf="linalg.matvec", torch="mv", jax="matvec"),
    samples=((_TABLE, _ROW), ([_TABLE, _TABLE], [_ROW, _ROW])),
)
def matvec(a: Any, b: Any) -> Any:
    """A matrix times a vector; either may be a batch."""
    return a @ b if b.ndim == 1 else reshape(y := a @ expand_dims(b, -1), y.shape[:-1])
