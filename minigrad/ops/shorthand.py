"""NumPy's shorthands: functions that say in one word what a few ops say in two. Tensors find them through NumPy.

They are called as `np.vstack(...)`, with `import minigrad.numpy as np` or, given a Tensor, with NumPy itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..op import BY_NUMPY
from .arithmetic import absolute
from .decomposition import svd
from .elementwise import identity
from .index import getitem, take_along_axis
from .reduce import mean, sum
from .shape import along, atleast_1d, atleast_2d, concatenate, expand_dims, ravel, reshape


def _vstack(tup: Sequence[Any]) -> Any:
    return concatenate([atleast_2d(a) for a in tup], 0)


def _hstack(tup: Sequence[Any]) -> Any:
    rows = [atleast_1d(a) for a in tup]
    return concatenate(rows, 0 if rows[0].ndim == 1 else 1)


def _column_stack(tup: Sequence[Any]) -> Any:
    return concatenate([expand_dims(a, 1) if a.ndim < 2 else a for a in map(atleast_1d, tup)], 1)


def _append(arr: Any, values: Any, axis: int | None = None) -> Any:
    return concatenate([ravel(arr), ravel(values)] if axis is None else [arr, values], axis or 0)


def _average(a: Any, axis: Any = None, weights: Any = None, keepdims: bool = False) -> Any:
    if weights is None:
        return mean(a, axis=axis, keepdims=keepdims)
    if isinstance(axis, int) and weights.ndim == 1 and a.ndim > 1:
        weights = reshape(weights, [-1 if i == axis % a.ndim else 1 for i in range(a.ndim)])
    return sum(a * weights, axis=axis, keepdims=keepdims) / sum(weights + 0 * a, axis=axis, keepdims=keepdims)


def _partition(a: Any, kth: Any, axis: int = -1) -> Any:
    return take_along_axis(a, np.argpartition(np.asarray(getattr(a, "value", a)), kth, axis), axis)


def _gradient(f: Any, *spacing: float, axis: Any = None) -> Any:
    """Central differences inside, one-sided differences at the ends, for evenly spaced points."""
    axes = range(f.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    steps = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    slopes = []
    for i, step in zip(axes, steps):
        part = lambda *ends, i=i: getitem(f, along(f, i, slice(*ends)))
        ends = (part(1, 2) - part(0, 1)) / step, (part(-1, None) - part(-2, -1)) / step
        slopes.append(concatenate([ends[0], (part(2, None) - part(None, -2)) / (2 * step), ends[1]], i))
    return slopes[0] if len(slopes) == 1 else slopes


def _nansum(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return sum(BY_NUMPY[np.where](BY_NUMPY[np.isnan](a), 0, a), axis=axis, keepdims=keepdims)


def _ptp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return BY_NUMPY[np.max](a, axis, keepdims) - BY_NUMPY[np.min](a, axis, keepdims)


SHORTHANDS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.vstack: _vstack,
    np.hstack: _hstack,
    np.column_stack: _column_stack,
    np.append: _append,
    np.average: _average,
    np.partition: _partition,
    np.gradient: _gradient,
    np.nansum: _nansum,
    np.ptp: _ptp,
    np.fabs: absolute,
    np.real: identity,
    np.conj: identity,
    np.positive: identity,
    np.float_power: BY_NUMPY[np.power],
    np.linalg.svd: svd,
}

for _theirs, _ours in SHORTHANDS.items():
    BY_NUMPY.setdefault(_theirs, _ours)

