"""Reductions: many elements into one, along some axes.

Every rule first brings the upstream gradient back to the shape of the argument; then it is elementwise.
"""

from __future__ import annotations

from typing import Any, Union

import numpy as np

from ..op import defop
from .arithmetic import where
from .elementwise import exp
from .shape import broadcast_to, reshape

Axis = Union[int, tuple[int, ...], None]


def _kept(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """The shape that a reduction with keepdims=True would have."""
    if axis is None:
        return (1,) * len(shape)
    axes = {a % len(shape) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))}
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def _spread(g: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """A reduction's result or upstream gradient, repeated to the shape of its argument."""
    if not keepdims and axis is not None:
        g = reshape(g, _kept(x.shape, axis))
    return broadcast_to(g, x.shape)


def _count(x: Any, axis: Axis) -> int:
    kept = _kept(x.shape, axis)
    return int(np.prod([n for n, k in zip(x.shape, kept) if k == 1] or [1])) if x.shape else 1


def _sum(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum of the elements along `axis` (an int, a tuple of ints, or None for all)."""
    return x.sum(axis=axis, keepdims=keepdims)


sum = defop(
    "sum", _sum, numpy=np.sum, method="sum",
    vjp=lambda g, y, x, axis=None, keepdims=False: _spread(g, x, axis, keepdims),
    latex=r"\sum_i x_i", local="1",
    names=dict(tf="reduce_sum", keras="sum", torch="sum", jax="sum"),
)


def _mean(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The mean of the elements along `axis`."""
    return x.mean(axis=axis, keepdims=keepdims)


mean = defop(
    "mean", _mean, numpy=np.mean, method="mean",
    vjp=lambda g, y, x, axis=None, keepdims=False: _spread(g / _count(x, axis), x, axis, keepdims),
    latex=r"\frac{1}{n} \sum_i x_i", local="1 / n",
    names=dict(tf="reduce_mean", keras="mean", torch="mean", jax="mean"),
)


def _extreme_rule(g: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The upstream gradient at the places of the extreme value, shared evenly among ties."""
    hit = x == _spread(y, x, axis, keepdims)
    ties = _spread(hit.astype(x.dtype).sum(axis=axis, keepdims=keepdims), x, axis, keepdims)
    return where(hit, _spread(g, x, axis, keepdims) / ties, 0)


def _max(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest element along `axis`."""
    return x.max(axis=axis, keepdims=keepdims)


def _min(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The smallest element along `axis`."""
    return x.min(axis=axis, keepdims=keepdims)


max = defop(
    "max", _max, numpy=np.max, method="max", vjp=_extreme_rule,
    latex=r"\max_i x_i", local="1 where a == y, else 0", domain="ties share the gradient evenly",
    names=dict(tf="reduce_max", keras="max", torch="amax", jax="max"),
)
min = defop(
    "min", _min, numpy=np.min, method="min", vjp=_extreme_rule,
    latex=r"\min_i x_i", local="1 where a == y, else 0", domain="ties share the gradient evenly",
    names=dict(tf="reduce_min", keras="min", torch="amin", jax="min"),
)


def _logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) along `axis`, computed relative to the largest element so that nothing overflows."""
    axis = tuple(range(x.ndim)) if axis is None else axis
    top = x.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.exp(x - top).sum(axis=axis, keepdims=True)) + top
    return total if keepdims else total.squeeze(axis)


logsumexp = defop(
    "logsumexp", _logsumexp, method="logsumexp",
    vjp=lambda g, y, x, axis=None, keepdims=False: _spread(g, x, axis, keepdims)
    * exp(x - _spread(y, x, axis, keepdims)),
    latex=r"\log \sum_i e^{x_i}", local="exp(a - y)",
    names=dict(tf="reduce_logsumexp", keras="logsumexp", torch="logsumexp", jax="nn.logsumexp"),
)
