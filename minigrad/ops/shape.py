"""Shapes: ops that only move, repeat or add up elements. Each is linear, and its rule is its transpose.

They come in pairs that are each other's rule: broadcast_to and sum_to, reshape and reshape, concatenate and slicing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..op import defop
from ..tensor import Tensor

# broadcast_to and sum_to: one matrix, read by rows or by columns.

broadcast_to = defop(
    "broadcast_to", lambda x, shape: np.broadcast_to(x, shape), numpy=np.broadcast_to,
    vjp=lambda g, y, x, shape: sum_to(g, x.shape),
    doc="Repeat `x` along new axes and axes of length 1 until it has `shape`.",
    names=dict(tf="broadcast_to", keras="broadcast_to", torch="broadcast_to", jax="broadcast_to"),
)


def _sum_to(x: Any, shape: tuple[int, ...]) -> Any:
    """Add up `x` over the axes along which `shape` would be broadcast to it."""
    lead = x.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(
        lead + i for i, (n, m) in enumerate(zip(shape, x.shape[lead:])) if n == 1 and m != 1
    )
    total = x.sum(axis=axes, keepdims=True) if axes else x
    return total.reshape(shape) if lead else total


sum_to = defop(
    "sum_to", _sum_to,
    vjp=lambda g, y, x, shape: broadcast_to(g, x.shape),
)

reshape = defop(
    "reshape", lambda x, shape: np.reshape(x, shape), numpy=np.reshape,
    vjp=lambda g, y, x, shape: reshape(g, x.shape),
    doc="The same elements in C order under another shape; one length may be -1.",
    names=dict(tf="reshape", keras="reshape", torch="reshape", jax="reshape"),
)


def _reshape_method(self: Tensor, *shape: Any) -> Any:
    """`x.reshape(2, 3)` or `x.reshape((2, 3))`, as in NumPy."""
    return reshape(self, shape[0] if len(shape) == 1 else shape)


def _transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    """Reorder the axes: by default reverse them."""
    return np.transpose(x, axes)


def _inverse(axes: Sequence[int] | None) -> Any:
    return None if axes is None else tuple(int(i) for i in np.argsort(np.mod(axes, len(axes))))


transpose = defop(
    "transpose", _transpose, numpy=np.transpose, method="transpose",
    vjp=lambda g, y, x, axes=None: transpose(g, _inverse(axes)),
    names=dict(tf="transpose", keras="transpose", torch="permute", jax="transpose"),
)
Tensor.reshape = _reshape_method  # type: ignore[attr-defined]
Tensor.T = property(lambda x: transpose(x), doc="The Tensor with its axes reversed.")  # type: ignore[attr-defined]
swapaxes = defop(
    "swapaxes", lambda x, axis1, axis2: np.swapaxes(x, axis1, axis2), numpy=np.swapaxes, method="swapaxes",
    vjp=lambda g, y, x, axis1, axis2: swapaxes(g, axis1, axis2),
    doc="Exchange two axes.",
    names=dict(keras="swapaxes", torch="swapaxes", jax="swapaxes"),
)
expand_dims = defop(
    "expand_dims", lambda x, axis: np.expand_dims(x, axis), numpy=np.expand_dims,
    vjp=lambda g, y, x, axis: reshape(g, x.shape),
    doc="Insert an axis of length 1 at position `axis`, an int or a tuple of ints.",
    names=dict(tf="expand_dims", keras="expand_dims", torch="unsqueeze", jax="expand_dims"),
)


def _squeeze(x: Any, axis: int | tuple[int, ...] | None = None) -> Any:
    """Drop axes of length 1: all of them, or those named by `axis`."""
    return np.squeeze(x, axis)


squeeze = defop(
    "squeeze", _squeeze, numpy=np.squeeze, method="squeeze",
    vjp=lambda g, y, x, axis=None: reshape(g, x.shape),
    names=dict(tf="squeeze", keras="squeeze", torch="squeeze", jax="squeeze"),
)
astype = defop(
    "astype", lambda x, dtype: x.astype(dtype), method="astype", elementwise=True, local="1",
    vjp=lambda g, y, x, dtype: astype(g, x.dtype) if np.dtype(dtype).kind == "f" else None,
    doc="Convert to another dtype. Among float dtypes the gradient is converted back; to int there is none.",
    names=dict(tf="cast", keras="cast", torch="to", jax="astype"),
)


def _concatenate_rule(g: Any, y: Any, *arrays: Any, axis: int = 0) -> list[Any]:
    """Cut the upstream gradient where the arrays were joined."""
    ends = np.cumsum([a.shape[axis] for a in arrays])
    lead = (slice(None),) * (axis % y.ndim)
    return [g[(*lead, slice(int(end) - a.shape[axis], int(end)))] for a, end in zip(arrays, ends)]


_concatenate = defop(
    "concatenate", lambda *arrays, axis=0: np.concatenate(arrays, axis), joint=_concatenate_rule
)


def concatenate(arrays: Sequence[Any], axis: int = 0) -> Any:
    """Join arrays along an existing axis.

    >>> from minigrad import constant
    >>> concatenate([constant([1.0]), constant([2.0, 3.0])]).value
    array([1., 2., 3.], dtype=float32)
    """
    return _concatenate(*arrays, axis=axis)


def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    """Join arrays of one shape along a new axis.

    >>> from minigrad import constant
    >>> stack([constant([1.0, 2.0]), constant([3.0, 4.0])], axis=1).value
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """
    return concatenate([expand_dims(a, axis) for a in arrays], axis)
