"""Reductions: many elements into one, along some axes.

Every rule first brings the upstream gradient back to the shape of the argument; then it is elementwise.
The forward functions call NumPy's ufuncs directly: they are what `np.sum` and its relatives are made of.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..op import defop
from .arithmetic import unit
from .compare import where
from .declare import spelled
from .exponential import exp
from .shape import astype, broadcast_to, expand_dims, moveaxis, reshape

Axis = int | tuple[int, ...] | None

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_SAMPLES = ((_TABLE,), (_TABLE, 0), (_TABLE, (0, -1), True))


def axes_of(x: Any, axis: Axis) -> tuple[int, ...]:
    """The axes that `axis` means for `x`, counted from the front."""
    if axis is None or not x.ndim:
        return tuple(range(x.ndim))
    return normalize_axis_tuple(axis, x.ndim)


def kept(x: Any, axis: Axis) -> tuple[int, ...]:
    """The shape that a reduction with keepdims=True would have."""
    axes = axes_of(x, axis)
    return tuple(1 if i in axes else n for i, n in enumerate(x.shape))


def count(x: Any, axis: Axis) -> int:
    """How many elements go into one."""
    return x.size if axis is None else math.prod([x.shape[a] for a in axes_of(x, axis)])


def spread(g: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """A reduction's result or upstream gradient, repeated to the shape of its argument `x`."""
    if not keepdims and axis is not None:
        g = reshape(g, kept(x, axis))
    return broadcast_to(g, x.shape)


def to_last(x: Any, axis: Axis) -> Any:
    """`x` with the reduced axes made into one, the last."""
    axes = axes_of(x, axis)
    moved = moveaxis(x, axes, range(-len(axes), 0)) if axes else expand_dims(x, -1)
    return reshape(moved, (*moved.shape[: x.ndim - len(axes)], count(x, axis)))


def from_last(x: Any, like: Any, axis: Axis) -> Any:
    """The inverse of `to_last`: the axes of `like` again."""
    axes = axes_of(like, axis)
    rest = [n for i, n in enumerate(like.shape) if i not in axes]
    return moveaxis(reshape(x, (*rest, *(like.shape[a] for a in axes))), range(-len(axes), 0), axes)


def _wide(x: Any) -> Any:
    """The dtype to add up in: float32 for float16, as NumPy does, float64 for integers."""
    return np.float32 if x.dtype == np.float16 else None if x.dtype.kind == "f" else np.float64


def reduced(ufunc: Any, x: Any, axis: Axis, keepdims: bool, **more: Any) -> Any:
    return ufunc.reduce(x, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims, **more)


def _sum(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum of the elements along `axis` (an int, a tuple of ints, or None for all)."""
    return reduced(np.add, x, axis, keepdims)


sum = defop(
    "sum", _sum, numpy=np.sum, method="sum",
    vjp=lambda g, y, x, axis=None, keepdims=False: spread(g, x, axis, keepdims),
    latex=r"\sum_i x_i", local="1",
    names=spelled("sum", tf="reduce_sum"), samples=_SAMPLES,
)


def _mean(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The mean of the elements along `axis`."""
    mean = reduced(np.add, x, axis, keepdims, dtype=_wide(x)) / count(x, axis)
    return mean.astype(x.dtype) if x.dtype == np.float16 else mean


mean = defop(
    "mean", _mean, numpy=np.mean, method="mean",
    vjp=lambda g, y, x, axis=None, keepdims=False: spread(g / count(x, axis), x, axis, keepdims),
    latex=r"\frac{1}{n} \sum_i x_i", local="1 / n",
    domain="nan for no elements",
    names=spelled("mean", tf="reduce_mean"), samples=_SAMPLES,
)


def _prod(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The product of the elements along `axis`."""
    return reduced(np.multiply, x, axis, keepdims)


prod = defop(
    "prod", _prod, numpy=np.prod, method="prod",
    vjp=lambda g, y, x, axis=None, keepdims=False: spread(g, x, axis, keepdims) * product_of_others(x, axis),
    latex=r"\prod_i x_i", local="product of the others",
    domain="exact where elements are 0: nothing is divided by them",
    names=spelled("prod", tf="reduce_prod"),
    samples=(*_SAMPLES, ([0.0, 2.0, 3.0],), ([0.0, 0.0, 3.0],)),
)


def _product_of_others(x: Any, axis: Axis = None) -> Any:
    """For each element the product of all the others along `axis`: what is left of it times what is right of it."""
    flat = to_last(x, axis)
    one = np.ones_like(flat[..., :1])
    left = np.multiply.accumulate(np.concatenate([one, flat[..., :-1]], -1), axis=-1)
    right = np.multiply.accumulate(np.concatenate([one, flat[..., :0:-1]], -1), axis=-1)[..., ::-1]
    return from_last(left * right, x, axis)


def _others_rule(g: Any, y: Any, x: Any, axis: Axis = None) -> Any:
    """Without element k, what the others are multiplied to is a product of others again: one row for each k."""
    same = np.eye(count(x, axis), dtype=bool)
    rows = product_of_others(where(same, 1, expand_dims(to_last(x, axis), -2)), -1)
    return from_last(sum(where(same, 0, expand_dims(to_last(g, axis), -2) * rows), -1), x, axis)


product_of_others = defop(
    "product_of_others", _product_of_others, vjp=_others_rule,
    latex=r"\prod_{j \neq i} x_j", samples=((_TABLE,), (_TABLE, 1), ([0.0, 2.0, 0.0],)),
)


def _extreme_rule(g: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The upstream gradient at the places of the extreme value, shared evenly among ties."""
    hit = x == spread(y, x, axis, keepdims)
    ties = spread(sum(astype(hit, x.dtype), axis, keepdims), x, axis, keepdims)
    return where(hit, spread(g, x, axis, keepdims) / ties, 0)


def _max(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest element along `axis`."""
    return reduced(np.maximum, x, axis, keepdims)


def _min(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The smallest element along `axis`."""
    return reduced(np.minimum, x, axis, keepdims)


max = defop(
    "max", _max, numpy=np.max, method="max", vjp=_extreme_rule,
    latex=r"\max_i x_i", local="1 where a == y, else 0", domain="ties share the gradient evenly",
    names=spelled("max", tf="reduce_max", torch="amax"), samples=_SAMPLES,
)
min = defop(
    "min", _min, numpy=np.min, method="min", vjp=_extreme_rule,
    latex=r"\min_i x_i", local="1 where a == y, else 0", domain="ties share the gradient evenly",
    names=spelled("min", tf="reduce_min", torch="amin"), samples=_SAMPLES,
)


def _var(x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    """The mean squared distance from the mean along `axis`; divided by n - ddof."""
    away = (x - _mean(x, axis, keepdims=True)).astype(_wide(x) or x.dtype)
    total = reduced(np.add, away * away, axis, keepdims) / (count(x, axis) - ddof)
    return total.astype(x.dtype if x.dtype.kind == "f" else np.float64)


var = defop(
    "var", _var, numpy=np.var, method="var",
    vjp=lambda g, y, x, axis=None, keepdims=False, ddof=0: spread(g, x, axis, keepdims)
    * (2 / (count(x, axis) - ddof) * (x - mean(x, axis, True))),
    latex=r"\frac{1}{n} \sum_i (x_i - \bar x)^2", local="2 * (a - mean(a)) / n",
    names=spelled("var", tf="math.reduce_variance"),
    samples=(*_SAMPLES, (_TABLE, 1, False, 1)),
)


def _std(x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    """The square root of the variance along `axis`."""
    return np.sqrt(_var(x, axis, keepdims, ddof))


def _std_rule(g: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    away = unit(x - mean(x, axis, True), spread(y, x, axis, keepdims))
    return spread(g, x, axis, keepdims) * (away / (count(x, axis) - ddof))


std = defop(
    "std", _std, numpy=np.std, method="std", vjp=_std_rule,
    latex=r"\sqrt{\operatorname{var} x}", local="(a - mean(a)) / (n * y)",
    domain="slope 0 where all elements are equal",
    names=spelled("std", tf="math.reduce_std"),
    samples=(*_SAMPLES, (_TABLE, 1, False, 1)),
)


def _logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) along `axis`, computed relative to the largest element so that nothing overflows."""
    top = reduced(np.maximum, x, axis, True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(reduced(np.add, np.exp(x - top), axis, True)) + top
    return total if keepdims else total.reshape([n for i, n in enumerate(x.shape) if i not in axes_of(x, axis)])


def _logsumexp_rule(g: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """g * softmax(x), and 0 where every element is -inf."""
    return spread(g, x, axis, keepdims) * exp(x - spread(where(y == -np.inf, 0, y), x, axis, keepdims))


logsumexp = defop(
    "logsumexp", _logsumexp, method="logsumexp", vjp=_logsumexp_rule,
    latex=r"\log \sum_i e^{x_i}", local="exp(a - y)",
    domain="slopes 0 where all elements are -inf",
    names=spelled("logsumexp", tf="reduce_logsumexp", jax="nn.logsumexp"), samples=_SAMPLES,
)
