"""NumPy functions that are short combinations of ops, such as vstack and average.

They are called by NumPy's name, `np.vstack(...)`: with `import minigrad.numpy as np`, or with NumPy itself on Tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.operands import adopt_all
from ..core.tensor import Tensor
from .arithmetic import absolute
from .arrange import diagonal, flip
from .choose import where
from .create import full, zeros_like
from .declare import BY_NUMPY, plain
from .decomposition import svd
from .extreme import max, min
from .identities import astype, identity
from .index import getitem, take_along_axis
from .join import concatenate, split
from .norms import norm
from .products import cross, matmul, outer, tensordot, trace
from .reduce import mean, sum
from .shapes import along, atleast_1d, atleast_2d, atleast_3d, expand_dims, ravel, reshape, swapaxes
from .trigonometry import deg2rad, rad2deg


def _vstack(tup: Sequence[Any], **options: Any) -> Tensor:
    """Arrays joined along the first axis; a row is a matrix of one row.

    >>> import minigrad as mg
    >>> mg.ops.vstack([mg.constant([1.0, 2.0]), [3.0, 4.0]]).value
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    return concatenate([atleast_2d(a) for a in adopt_all(tup)], 0, **options)


def _hstack(tup: Sequence[Any], **options: Any) -> Tensor:
    """Arrays joined along the second axis; rows along their only one.

    >>> import minigrad as mg
    >>> mg.ops.hstack([mg.constant([1.0, 2.0]), [3.0]]).value
    array([1., 2., 3.], dtype=float32)
    """
    rows = [atleast_1d(a) for a in adopt_all(tup)]
    return concatenate(rows, 0 if rows[0].ndim == 1 else 1, **options)


def _column_stack(tup: Sequence[Any]) -> Any:
    return concatenate([expand_dims(a, 1) if a.ndim < 2 else a for a in map(atleast_1d, adopt_all(tup))], 1)


def _append(arr: Any, values: Any, axis: int | None = None) -> Any:
    return concatenate([arr, values], axis)


def _average(a: Any, axis: Any = None, weights: Any = None, keepdims: bool = False) -> Any:
    if weights is None:
        return mean(a, axis=axis, keepdims=keepdims)
    a, weights = adopt_all([a, weights])
    if isinstance(axis, int) and weights.ndim == 1 and a.ndim > 1:
        weights = reshape(weights, [-1 if i == axis % a.ndim else 1 for i in range(a.ndim)])
    return sum(a * weights, axis=axis, keepdims=keepdims) / sum(weights + 0 * a, axis=axis, keepdims=keepdims)


def _partition(a: Any, kth: Any, axis: int = -1) -> Any:
    return take_along_axis(a, np.argpartition(plain(a), kth, axis), axis)


def _gradient(f: Any, *spacing: float, axis: Any = None) -> Any:
    """Central differences inside, one-sided differences at the ends, for evenly spaced points.

    >>> import minigrad as mg
    >>> import minigrad.numpy as np
    >>> np.gradient(mg.constant([1.0, 2.0, 4.0])).value
    array([1. , 1.5, 2. ], dtype=float32)
    """
    axes = range(f.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    steps = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    slopes = []
    for i, step in zip(axes, steps):
        part = lambda *ends, i=i: getitem(f, along(f, i, slice(*ends)))
        ends = (part(1, 2) - part(0, 1)) / step, (part(-1, None) - part(-2, -1)) / step
        slopes.append(concatenate([ends[0], (part(2, None) - part(None, -2)) / (2 * step), ends[1]], i))
    return slopes[0] if len(slopes) == 1 else slopes


def _ptp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return max(a, axis, keepdims) - min(a, axis, keepdims)


def _dstack(tup: Sequence[Any]) -> Any:
    return concatenate([atleast_3d(a) for a in adopt_all(tup)], 2)


def _dsplit(ary: Any, indices_or_sections: Any) -> Any:
    if ary.ndim < 3:
        raise ValueError(f"dsplit cuts along the third axis, but the array has shape {ary.shape}")
    return split(ary, indices_or_sections, 2)


def _last_two(call: Callable[..., Any]) -> Callable[..., Any]:
    """`call` on the matrices of the last two axes; without axes NumPy's function takes the first two."""
    return lambda x, offset=0: call(x, offset, -2, -1)


SHORTHANDS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.vstack: _vstack,
    np.hstack: _hstack,
    np.column_stack: _column_stack,
    np.append: _append,
    np.average: _average,
    np.partition: _partition,
    np.gradient: _gradient,
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
    np.dsplit: _dsplit,
    np.imag: zeros_like,
    np.angle: lambda z, deg=False: where(z < 0, zeros_like(z) + (180.0 if deg else np.pi), zeros_like(z)),
    np.real_if_close: identity,
    np.radians: deg2rad,
    np.degrees: rad2deg,
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

if hasattr(np, "row_stack"):  # the old name of vstack, which newer versions of NumPy do not have
    SHORTHANDS[np.row_stack] = _vstack

for _theirs, _ours in SHORTHANDS.items():
    BY_NUMPY.setdefault(_theirs, _ours)

