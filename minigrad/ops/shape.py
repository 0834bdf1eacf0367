"""Shapes: ops that only move, repeat or add up elements. Each is linear, and its rule is its transpose.

They come in pairs that are each other's rule: broadcast_to and sum_to, reshape and reshape, concatenate and split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..node import OPS
from ..op import BY_NUMPY, defop
from ..tensor import Tensor
from .declare import composite, spelled

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_BOX = [[[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]]


# broadcast_to and sum_to: one matrix, read by rows or by columns.

def _broadcast_to(x: Any, shape: Any) -> Any:
    if isinstance(x, np.floating) and type(shape) is tuple:  # a view without strides: 10 times as fast
        return np.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
    return np.broadcast_to(x, shape)


broadcast_to = defop(
    "broadcast_to", _broadcast_to, numpy=np.broadcast_to,
    vjp=lambda g, y, x, shape: sum_to(g, x.shape),
    doc="Repeat `x` along new axes and axes of length 1 until it has `shape`.",
    names=spelled("broadcast_to"), samples=(([[1.5], [2.0]], (3, 2, 4)), (0.5, (2, 3))),
)


def _sum_to(x: Any, shape: tuple[int, ...]) -> Any:
    """Add up `x` over the axes along which `shape` would be broadcast to it."""
    lead = x.ndim - len(shape)
    if lead and x.shape[lead:] == tuple(shape):  # as a bias was broadcast over a batch
        return np.add.reduce(x, axis=0 if lead == 1 else tuple(range(lead)))
    axes = tuple(range(lead)) + tuple(
        lead + i for i, (n, m) in enumerate(zip(shape, x.shape[lead:])) if n == 1 and m != 1
    )
    total = np.add.reduce(x, axis=axes, keepdims=True) if axes else x
    return total.reshape(shape) if lead else total


sum_to = defop(
    "sum_to", _sum_to,
    vjp=lambda g, y, x, shape: broadcast_to(g, x.shape),
    names=dict(torch="sum_to_size"), samples=((_TABLE, (2, 1)), (_TABLE, (3,)), (_TABLE, ())),
)

reshape = defop(
    "reshape", lambda x, shape: x.reshape(shape), numpy=np.reshape,
    vjp=lambda g, y, x, shape: reshape(g, x.shape),
    doc="The same elements in C order under another shape; one length may be -1.",
    names=spelled("reshape"), samples=((_TABLE, (3, -1)), (_TABLE, -1)),
)


@composite(numpy=np.ravel, method=("ravel", "flatten"), names=spelled("ravel", tf=""), samples=((_TABLE,),))
def ravel(x: Any) -> Any:
    """All elements in C order, in one row."""
    return reshape(x, (-1,))


def _transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    """Reorder the axes: by default reverse them."""
    return np.transpose(x, axes)


def _inverse(axes: Sequence[int] | None) -> Any:
    return None if axes is None else tuple(int(i) for i in np.argsort(np.mod(axes, len(axes))))


transpose = defop(
    "transpose", _transpose, numpy=np.transpose,
    vjp=lambda g, y, x, axes=None: transpose(g, _inverse(axes)),
    names=spelled("transpose", torch="permute"), samples=((_TABLE,), (_BOX, (1, 2, 0)), (_BOX, (-1, 0, 1))),
)


def _reshape_method(self: Tensor, *shape: Any) -> Any:
    """`x.reshape(2, 3)` or `x.reshape((2, 3))`, as in NumPy."""
    return reshape(self, shape[0] if len(shape) == 1 else shape)


def _transpose_method(self: Tensor, *axes: Any) -> Any:
    """`x.transpose()`, `x.transpose(1, 0)` or `x.transpose((1, 0))`, as in NumPy."""
    return transpose(self, axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None)


Tensor.reshape = _reshape_method  # type: ignore[attr-defined]
Tensor.transpose = _transpose_method  # type: ignore[attr-defined]
Tensor.T = property(lambda x: transpose(x), doc="The Tensor with its axes reversed.")  # type: ignore[attr-defined]

swapaxes = defop(
    "swapaxes", lambda x, axis1, axis2: x.swapaxes(axis1, axis2), numpy=np.swapaxes, method="swapaxes",
    vjp=lambda g, y, x, axis1, axis2: swapaxes(g, axis1, axis2),
    doc="Exchange two axes.",
    names=spelled("swapaxes", tf=""), samples=((_BOX, 0, -1),),
)

moveaxis = defop(
    "moveaxis", lambda x, source, destination: np.moveaxis(x, source, destination), numpy=np.moveaxis,
    vjp=lambda g, y, x, source, destination: moveaxis(g, destination, source),
    doc="Move the axes `source` to the places `destination`; the others keep their order.",
    names=spelled("moveaxis", tf=""), samples=((_BOX, 0, -1), (_BOX, (0, 1), (1, 2))),
)

expand_dims = defop(
    "expand_dims", lambda x, axis: np.expand_dims(x, axis), numpy=np.expand_dims,
    vjp=lambda g, y, x, axis: reshape(g, x.shape),
    doc="Insert an axis of length 1 at position `axis`, an int or a tuple of ints.",
    names=spelled("expand_dims", torch="unsqueeze"), samples=((_TABLE, 1), (_TABLE, (0, -1))),
)


def _squeeze(x: Any, axis: int | tuple[int, ...] | None = None) -> Any:
    """Drop axes of length 1: all of them, or those named by `axis`."""
    return np.squeeze(x, tuple(axis) if isinstance(axis, list) else axis)


squeeze = defop(
    "squeeze", _squeeze, numpy=np.squeeze, method="squeeze",
    vjp=lambda g, y, x, axis=None: reshape(g, x.shape),
    names=spelled("squeeze"), samples=((_BOX,), (_BOX, 0)),
)


@composite(numpy=np.atleast_1d, names=spelled("atleast_1d", tf=""), samples=((0.5,), (_TABLE,)))
def atleast_1d(x: Any) -> Any:
    """`x` with at least one axis."""
    return x if x.ndim else reshape(x, (1,))


@composite(numpy=np.atleast_2d, names=spelled("atleast_2d", tf=""), samples=((0.5,), ([0.5, 2.0],), (_TABLE,)))
def atleast_2d(x: Any) -> Any:
    """`x` with at least two axes: a number or a row becomes a table of one row."""
    return x if x.ndim >= 2 else reshape(x, (1, -1))


def _astype(x: Any, dtype: Any) -> Any:
    """Convert to another dtype. Among float dtypes the gradient is converted back; to int there is none."""
    kind = np.dtype(dtype).kind
    if kind not in "fiub":
        raise TypeError(f"a tensor holds floats, ints or bools, and {np.dtype(dtype)} is none of them")
    if kind in "iu" and x.dtype.kind == "f" and not np.isfinite(x).all():
        raise ValueError(f"no integer is nan or inf; write where(isfinite(x), x, 0) before astype(x, '{dtype}')")
    return x.astype(dtype)


astype = defop(
    "astype", _astype, method="astype", elementwise=True,
    vjp=lambda g, y, x, dtype: astype(g, x.dtype) if np.dtype(dtype).kind == "f" else None,
    local="1",
    names=spelled("cast", torch="to", jax="astype"), samples=((_TABLE, "float64"),),
)

# concatenate and split.


def along(x: Any, axis: int, place: Any) -> tuple[Any, ...]:
    """The index that takes `place` along `axis` of `x` and everything along the axes before it."""
    return (*(slice(None),) * normalize_axis_index(axis, x.ndim), place)


def _cut(g: Any, sizes: Sequence[int], axis: int) -> list[Any]:
    """Slices of `g` of those sizes, one after the other along `axis`."""
    places = [along(g, axis, slice(int(end) - size, int(end))) for size, end in zip(sizes, np.cumsum(sizes))]
    return [g[place] for place in places]


_concatenate = defop(
    "concatenate", lambda *arrays, axis=0: np.concatenate(arrays, axis),
    joint=lambda g, y, *arrays, axis=0: _cut(g, [a.shape[axis] for a in arrays], axis),
    local="1",
    names=spelled("concatenate", tf="concat", torch="cat"),
    samples=(((_TABLE, [[1.0, 2.0, 3.0]]),), ((_TABLE, [[1.0], [2.0]]), -1)),
)


def concatenate(arrays: Sequence[Any], axis: int | None = 0) -> Any:
    """Join arrays along an existing axis; None joins all their elements in C order.

    >>> import minigrad as mg
    >>> mg.concatenate([mg.constant([1.0]), mg.constant([2.0, 3.0])]).value
    array([1., 2., 3.], dtype=float32)
    """
    if axis is None:
        return _concatenate(*map(ravel, arrays), axis=0)
    return _concatenate(*arrays, axis=axis)


BY_NUMPY[np.concatenate] = concatenate


def _split_at(x: Any, ends: tuple[int, ...] = (), axis: int = 0) -> Any:
    return tuple(np.split(x, ends, axis))


_split = defop(
    "split", _split_at,
    joint=lambda g, y, x, ends=(), axis=0: [concatenate(g, axis)],
    local="1",
    names=spelled("split"),
    samples=((_TABLE, 2), (_TABLE, (1, 2), -1)),
)


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Cut `x` along `axis`: into that many equal parts, or before each of the indices. Returns a tuple.

    >>> import minigrad as mg
    >>> [part.shape for part in mg.ops.split(mg.constant([1.0, 2.0, 3.0]), [1])]
    [(1,), (2,)]
    """
    n = np.shape(x)[axis]
    if isinstance(indices_or_sections, (int, np.integer)) and n % indices_or_sections:
        raise ValueError(f"split cannot cut an axis of length {n} into {indices_or_sections} equal parts")
    return array_split(x, indices_or_sections, axis)


@composite(numpy=np.array_split, names=spelled("array_split", tf="", torch="tensor_split"), samples=((_TABLE, 2, 1),))
def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Cut `x` along `axis` like `split`; the parts may be of unequal length, the longer ones first."""
    ends = indices_or_sections
    if isinstance(ends, (int, np.integer)):
        size, more = divmod(x.shape[axis], int(ends))
        ends = np.cumsum([size + 1] * more + [size] * (int(ends) - more))[:-1]
    return _split(x, ends=tuple(int(end) for end in np.asarray(ends)), axis=axis)


BY_NUMPY[np.split] = split
OPS["concatenate"].call, OPS["split"].call = concatenate, split


@composite(
    arrays=0, numpy=np.stack, names=spelled("stack"),
    samples=((([1.0, 2.0], [3.0, 4.0]),), (([1.0, 2.0], [3.0, 4.0]), -1)),
)
def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    """Join arrays of one shape along a new axis.

    >>> import minigrad as mg
    >>> mg.stack([mg.constant([1.0, 2.0]), mg.constant([3.0, 4.0])], axis=1).value
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """
    shapes = {np.shape(a) for a in arrays}
    if len(shapes) > 1:
        raise ValueError(f"stack joins arrays of one shape, got {', '.join(map(str, sorted(shapes)))}")
    return concatenate([expand_dims(a, axis) for a in _operands(arrays)], axis)


def _operands(arrays: Sequence[Any]) -> list[Any]:
    """Numbers among Tensors as numbers of their dtype, so that they can be reshaped."""
    known = [a.dtype for a in arrays if isinstance(a, (Tensor, np.ndarray, np.generic))]
    dtype = next((dtype for dtype in known if dtype.kind == "f"), None)
    return [np.asarray(a, dtype)[()] if dtype and isinstance(a, (int, float, list, tuple)) else a for a in arrays]


def unstack(x: Any, axis: int = 0) -> tuple[Any, ...]:
    """The slices of `x` along `axis`, which is dropped: what `stack` joins again."""
    return tuple(moveaxis(x, axis, 0)[i] for i in range(np.shape(x)[axis]))
