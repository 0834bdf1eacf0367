"""Ops that only move, repeat or add up elements. Each is linear, and its rule is its transpose.

broadcast_to and sum_to are each other's rules. The rule of reshape is a reshape, and moveaxis's rule is a moveaxis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..core.support.operands import adopt_all
from ..core.tensor import Tensor
from .declare import BY_NUMPY, composite, defop, names_as

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_BOX = [[[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]]


#: Below this many elements, creating a copy is four times as fast as creating a view.
_SMALL = 20_000

# broadcast_to and sum_to are transposes of each other.

def _broadcast_to(x: Any, shape: int | tuple[int, ...]) -> Any:
    if issubclass(type(x), np.floating) and type(shape) is tuple:  # a view with strides of 0 is 10 times as fast
        return np.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
    if type(x) is np.ndarray and type(shape) is tuple and math.prod(shape) < _SMALL:
        y = np.empty(shape, x.dtype)
        y[...] = x
        return y
    return np.broadcast_to(x, shape)


broadcast_to = defop(
    "broadcast_to", _broadcast_to, numpy=np.broadcast_to,
    vjp=lambda g, y, a, shape: sum_to(g, a.shape),
    says="Repeat `x` along new axes and axes of length 1 until it has `shape`.",
    names=names_as("broadcast_to"), samples=(([[1.5], [2.0]], (3, 2, 4)), (0.5, (2, 3))),
    example=([1.5, 2.0], (2, 2)),
)


def _sum_to(x: Any, shape: tuple[int, ...]) -> Any:
    """Sum `x` over the axes along which an array of shape `shape` would be broadcast to the shape of `x`."""
    lead = x.ndim - len(shape)
    if lead and x.shape[lead:] == tuple(shape):  # only leading axes are summed, as for the gradient of a layer's bias
        return np.add.reduce(x, 0 if lead == 1 else tuple(range(lead)))
    axes = tuple(range(lead)) + tuple(
        lead + i for i, (n, m) in enumerate(zip(shape, x.shape[lead:])) if n == 1 and m != 1
    )
    total = np.add.reduce(x, axis=axes, keepdims=True) if axes else x
    return total.reshape(shape) if lead else total


sum_to = defop(
    "sum_to", _sum_to,
    vjp=lambda g, y, a, shape: broadcast_to(g, a.shape),
    names=dict(torch="sum_to_size"), samples=((_TABLE, (2, 1)), (_TABLE, (3,)), (_TABLE, ())),
)


def _reshape_options(x: Any, shape: Any, *, order: str = "C") -> Any:
    """Arrange the elements in a different shape; one length may be -1.

    order : "C" if the last index changes fastest, or "F" if the first index does, in both `x` and the result.
    """
    if order == "C":
        return reshape(x, shape)
    if order != "F":
        raise ValueError(
            f"the order is 'C' (the last index runs fastest) or 'F' (the first does), got {order!r}; "
            f"'A' and 'K' follow the layout in memory, which is not a property of a Tensor"
        )
    backwards = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)[::-1]
    return transpose(reshape(transpose(x), backwards))


reshape = defop(
    "reshape", lambda x, shape: x.reshape(shape), options=_reshape_options,
    vjp=lambda g, y, a, shape: reshape(g, a.shape),
    names=names_as("reshape"), samples=((_TABLE, (3, -1)), (_TABLE, -1), (_TABLE, (3, 2), dict(order="F"))),
)


BY_NUMPY[np.reshape] = reshape


@composite(
    numpy=np.ravel, method=("ravel", "flatten"), names=names_as("ravel", tf=""),
    samples=((_TABLE,), (_TABLE, "F")),
)
def ravel(x: Any, order: str = "C") -> Any:
    """Flatten `x` to one axis; `order` is as in `reshape`."""
    return reshape(x, (-1,)) if order == "C" else reshape(x, (-1,), order=order)


def _transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    """Reorder the axes; by default their order is reversed."""
    return np.transpose(x, axes)


def _inverse(axes: Sequence[int] | None) -> Any:
    return None if axes is None else tuple(int(i) for i in np.argsort(np.mod(axes, len(axes))))


transpose = defop(
    "transpose", _transpose, numpy=np.transpose,
    vjp=lambda g, y, a, axes=None: transpose(g, _inverse(axes)),
    names=names_as("transpose", torch="permute"), samples=((_TABLE,), (_BOX, (1, 2, 0)), (_BOX, (-1, 0, 1))),
)


def _reshape_method(self: Tensor, *shape: Any, **order: Any) -> Any:
    """`x.reshape(2, 3)` or `x.reshape((2, 3))`, as in NumPy; `order="F"` is allowed too."""
    return reshape(self, shape[0] if len(shape) == 1 else shape, **order)


def _transpose_method(self: Tensor, *axes: Any) -> Any:
    """`x.transpose()`, `x.transpose(1, 0)` or `x.transpose((1, 0))`, as in NumPy."""
    as_one = len(axes) == 1 and not isinstance(axes[0], int)
    return transpose(self, axes[0] if as_one else axes or None)


Tensor.reshape = _reshape_method  # type: ignore[method-assign, assignment]
Tensor.transpose = _transpose_method  # type: ignore[method-assign, assignment]
Tensor.T = property(lambda x: transpose(x), doc="The Tensor with its axes reversed.")  # type: ignore[method-assign, assignment]
Tensor.mT = property(lambda x: _matrix_transpose(x), doc="Each matrix of the last two axes transposed.")  # type: ignore


def _matrix_transpose(x: Any) -> Any:
    if x.ndim < 2:
        raise ValueError(f"mT transposes the matrices of the last two axes, got shape {x.shape}; T reverses all axes")
    return swapaxes(x, -1, -2)


swapaxes = defop(
    "swapaxes", lambda x, axis1, axis2: x.swapaxes(axis1, axis2), numpy=np.swapaxes, method="swapaxes",
    vjp=lambda g, y, a, axis1, axis2: swapaxes(g, axis1, axis2),
    says="Exchange two axes.",
    names=names_as("swapaxes", tf=""), samples=((_BOX, 0, -1),), example=(_TABLE, 0, 1),
)

moveaxis = defop(
    "moveaxis", lambda x, source, destination: np.moveaxis(x, source, destination), numpy=np.moveaxis,
    vjp=lambda g, y, a, source, destination: moveaxis(g, destination, source),
    says="Move the axes `source` to the positions `destination`; the others keep their order.",
    names=names_as("moveaxis", tf=""), samples=((_BOX, 0, -1), (_BOX, (0, 1), (1, 2))), example=(_TABLE, 0, 1),
)


@composite(numpy=np.rollaxis, names=dict(jax="rollaxis"), example=(_TABLE, 1),
           samples=((_BOX, 2), (_BOX, 0, 3), (_BOX, -1, 1)))  # fmt: skip
def rollaxis(x: Any, axis: int, start: int = 0) -> Any:
    """Move `axis` to just before the axis currently at `start`; `moveaxis` takes the final position instead."""
    axis = normalize_axis_index(axis, x.ndim)
    if not -x.ndim <= start <= x.ndim:
        raise ValueError(f"start must be from {-x.ndim} to {x.ndim} for {x.ndim} axes, got {start}")
    start = start + x.ndim if start < 0 else start
    return moveaxis(x, axis, start - 1 if axis < start else start)


expand_dims = defop(
    "expand_dims", lambda x, axis: np.expand_dims(x, axis), numpy=np.expand_dims,
    vjp=lambda g, y, a, axis: reshape(g, a.shape),
    says="Insert an axis of length 1 at position `axis`, an int or a tuple of ints.",
    names=names_as("expand_dims", torch="unsqueeze"), samples=((_TABLE, 1), (_TABLE, (0, -1))),
    example=([1.5, 2.0], 1),
)


def _squeeze(x: Any, axis: int | tuple[int, ...] | None = None) -> Any:
    """Drop axes of length 1: all of them, or those named by `axis`."""
    return np.squeeze(x, tuple(axis) if isinstance(axis, list) else axis)


squeeze = defop(
    "squeeze", _squeeze, numpy=np.squeeze, method="squeeze",
    vjp=lambda g, y, a, axis=None: reshape(g, a.shape),
    names=names_as("squeeze"), samples=((_BOX,), (_BOX, 0)),
)


@composite(numpy=np.atleast_1d, names=names_as("atleast_1d", tf=""), samples=((0.5,), (_TABLE,)))
def atleast_1d(x: Any) -> Any:
    """Add an axis to `x` if it has none."""
    return x if x.ndim else reshape(x, (1,))


@composite(numpy=np.atleast_2d, names=names_as("atleast_2d", tf=""), samples=((0.5,), ([0.5, 2.0],), (_TABLE,)))
def atleast_2d(x: Any) -> Any:
    """Add axes to `x` until it has two: a number or a row becomes a one-row matrix."""
    return x if x.ndim >= 2 else reshape(x, (1, -1))


@composite(
    numpy=np.atleast_3d, names=names_as("atleast_3d", tf=""),
    samples=((0.5,), ([0.5, 2.0],), (_TABLE,), (_BOX,)),
)
def atleast_3d(x: Any) -> Any:
    """Add axes to `x` until it has three: a row becomes shape (1, n, 1), a matrix (m, n, 1)."""
    return x if x.ndim >= 3 else expand_dims(x, 2) if x.ndim == 2 else reshape(x, (1, -1, 1))


@composite(
    arrays=0, numpy=np.broadcast_arrays, names=dict(torch="broadcast_tensors", jax="broadcast_arrays"),
    samples=(([[1.5], [2.0]], [0.5, 1.0, 2.0]),),
)
def broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    """Broadcast arrays to their common shape.

    >>> import minigrad as mg
    >>> [a.shape for a in mg.broadcast_arrays(mg.ones((3, 1)), mg.ones(2))]
    [(3, 2), (3, 2)]
    """
    operands = adopt_all(arrays)
    shape = np.broadcast_shapes(*map(np.shape, operands))
    return tuple(broadcast_to(a, shape) for a in operands)


def along(x: Any, axis: int, key: Any) -> tuple[Any, ...]:
    """The index that applies `key` to `axis` of `x` and takes everything along the axes before it."""
    return (*(slice(None),) * normalize_axis_index(axis, x.ndim), key)
