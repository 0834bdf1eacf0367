"""NumPy's shorthands: functions that say in one word what a few ops say in two. Tensors find them through NumPy.

They are called as `np.vstack(...)`, with `import minigrad.numpy as np` or, given a Tensor, with NumPy itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..op import BY_NUMPY
from .arithmetic import absolute
from .arrange import diagonal, flip
from .create import full
from .decomposition import svd
from .elementwise import identity
from .index import getitem, take_along_axis
from .linalg import cross, matmul, outer, tensordot, trace
from .norm import norm
from .reduce import max, mean, min, sum
from .shape import (
    along,
    astype,
    atleast_1d,
    atleast_2d,
    concatenate,
    expand_dims,
    ravel,
    reshape,
    split,
    swapaxes,
)  # fmt: skip
from .trigonometry import deg2rad, rad2deg


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
    return max(a, axis, keepdims) - min(a, axis, keepdims)


def _nanmean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return _nansum(a, axis, keepdims) / np.sum(~np.isnan(np.asarray(a)), axis=axis, keepdims=keepdims).astype(a.dtype)


def _dstack(tup: Sequence[Any]) -> Any:
    return concatenate([expand_dims(a, 2) if a.ndim < 3 else a for a in map(atleast_2d, tup)], 2)


def _last_two(call: Callable[..., Any]) -> Callable[..., Any]:
    """`call` on the matrices of the last two axes, where NumPy itself takes the first two."""
    return lambda x, offset=0: call(x, offset, -2, -1)


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
    np.full: full,
    np.amax: max,
    np.amin: min,
    np.fliplr: lambda m: flip(m, 1),
    np.flipud: lambda m: flip(m, 0),
    np.dstack: _dstack,
    np.vsplit: lambda ary, indices_or_sections: split(ary, indices_or_sections, 0),
    np.hsplit: lambda ary, indices_or_sections: split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0),
    np.radians: deg2rad,
    np.degrees: rad2deg,
    np.nanmean: _nanmean,
    np.astype: astype,
    np.linalg.outer: outer,
    np.linalg.matmul: matmul,
    np.linalg.tensordot: lambda x1, x2, axes=2: tensordot(x1, x2, axes),
    np.linalg.cross: cross,
    np.linalg.diagonal: _last_two(diagonal),
    np.linalg.trace: _last_two(trace),
    np.linalg.vector_norm: lambda x, axis=None, keepdims=False, ord=2: norm(
        ravel(x) if axis is None else x, ord, axis, keepdims
    ),
    np.linalg.matrix_norm: lambda x, keepdims=False, ord="fro": norm(x, ord, (-2, -1), keepdims),
    np.matrix_transpose: lambda x: swapaxes(x, -1, -2),
    np.linalg.multi_dot: lambda arrays: functools.reduce(matmul, arrays),
}

for _theirs, _ours in SHORTHANDS.items():
    BY_NUMPY.setdefault(_theirs, _ours)

