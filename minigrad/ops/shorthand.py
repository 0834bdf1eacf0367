"""NumPy functions that are short combinations of ops, such as vstack and average.

Call them by their NumPy names, such as `np.vstack(...)`, after `import minigrad.numpy as np`, or call NumPy's own
functions on Tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..core.support.operands import adopt_all
from ..core.tensor import Tensor
from .arithmetic import absolute, power
from .arrange import flip, meshgrid
from .axes import in_floats
from .choose import select, where
from .comparison import floor, isnan, round
from .contraction import einsum
from .create import full, full_like, linspace, ones_like, zeros_like
from .cumulative import cumprod, cumsum, diff
from .declare import BY_NUMPY, plain
from .extreme import max, min
from .identities import astype, identity
from .index import getitem, insert, take_along_axis
from .join import array_split, concatenate, split
from .one_dimensional import trapezoid
from .reduce import mean, sum
from .shapes import (
    along,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_to,
    expand_dims,
    ravel,
    reshape,
    transpose,
)  # fmt: skip
from .slopes import gradient
from .sorting import searchsorted
from .statistics import corrcoef, cov
from .trigonometry import deg2rad, rad2deg


def _vstack(tup: Sequence[Any], **options: Any) -> Tensor:
    """Arrays joined along the first axis; a row counts as a one-row matrix.

    >>> import minigrad as mg
    >>> mg.ops.vstack([mg.constant([1.0, 2.0]), [3.0, 4.0]]).value
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    return concatenate([atleast_2d(a) for a in adopt_all(tup)], 0, **options)


def _hstack(tup: Sequence[Any], **options: Any) -> Tensor:
    """Arrays joined along the second axis; one-dimensional arrays are joined along their only axis.

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


def _average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False) -> Any:
    if weights is None:
        (a,) = adopt_all([a])
        y = mean(a, axis=axis, keepdims=keepdims)
        return (y, zeros_like(y) + a.size / y.size) if returned else y
    a, weights = adopt_all([a, weights])
    a, weights = (Tensor(x) if isinstance(x, (list, tuple)) else x for x in (a, weights))
    if weights.shape != a.shape:
        weights = _along(weights, a.shape, axis)
    if a.dtype.kind != "f":
        a = astype(a, np.result_type(a.dtype, weights.dtype, np.float64))
    total = sum(broadcast_to(weights, a.shape), axis=axis, keepdims=keepdims)
    y = sum(a * weights, axis=axis, keepdims=keepdims) / total
    return (y, astype(total, y.dtype)) if returned else y


def _along(weights: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Weights along some axes of an array of this shape, reshaped to broadcast with the array."""
    if axis is None:
        raise TypeError(f"average without axis= takes weights of a's shape {shape}, got shape {weights.shape}")
    axes = normalize_axis_tuple(axis, len(shape))
    if weights.shape != tuple(shape[i] for i in axes):
        raise ValueError(
            f"average takes a weight for each element along axis {axis} of shape {shape}, got shape {weights.shape}"
        )
    weights = transpose(weights, np.argsort(axes))
    return reshape(weights, [n if i in axes else 1 for i, n in enumerate(shape)])


def _partition(a: Any, kth: Any, axis: int = -1) -> Any:
    return take_along_axis(a, np.argpartition(plain(a), kth, axis), axis)


def _ptp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return max(a, axis, keepdims) - min(a, axis, keepdims)


def _dstack(tup: Sequence[Any]) -> Any:
    return concatenate([atleast_3d(a) for a in adopt_all(tup)], 2)


def _dsplit(ary: Any, indices_or_sections: Any) -> Any:
    if ary.ndim < 3:
        raise ValueError(f"dsplit cuts along the third axis, but the array has shape {ary.shape}")
    return list(split(ary, indices_or_sections, 2))


def _cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    m, y = _cast((m, y), dtype or _of_precision(m, y))
    return cov(m, y, rowvar, bias, ddof, fweights, aweights)


def _corrcoef(
    x: Any, y: Any = None, rowvar: bool = True, bias: Any = None, ddof: Any = None, *, dtype: Any = None
) -> Any:  # NumPy before 2.4 also takes bias and ddof, which have no effect
    x, y = _cast((x, y), dtype or _of_precision(x, y))
    return corrcoef(x, y, rowvar)


def _of_precision(*values: Any) -> Any:
    """Return the dtype that NumPy gives to covariances of these arrays, which is at least float64."""
    return np.result_type(np.float64, *(x.dtype for x in values if hasattr(x, "dtype")))


def _cast(values: Sequence[Any], dtype: Any) -> list[Any]:
    """Convert each value to `dtype`, except values that are None; return them unchanged if `dtype` is None."""
    return [x if x is None or dtype is None else astype(x, dtype) for x in values]


def _linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    start, stop = adopt_all([start, stop])
    y = linspace(start, stop, num, endpoint, axis)
    if dtype is not None:
        whole = np.dtype(dtype).kind in "iu"  # NumPy rounds integers down
        y = astype(floor(y) if whole else y, dtype)
    intervals = num - 1 if endpoint else num
    return (y, (stop - start) / intervals if intervals > 0 else np.nan) if retstep else y


def _meshgrid(*xs: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    xs = tuple(ravel(x) for x in map(atleast_1d, adopt_all(xs)))
    if not sparse:
        return tuple(meshgrid(*xs, indexing=indexing))
    order = [1, 0, *range(2, len(xs))] if indexing == "xy" and len(xs) > 1 else range(len(xs))
    return tuple(reshape(x, [-1 if i == place else 1 for i in range(len(xs))]) for x, place in zip(xs, order))


def _of_each(one: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that applies `one` to its argument, or returns a tuple if it has several arguments."""
    return lambda *arys: one(arys[0]) if len(arys) == 1 else tuple(map(one, arys))


def _list(pieces: Callable[..., Any]) -> Callable[..., Any]:
    """Return a splitting function like `pieces` that returns a list instead of a tuple, as NumPy's functions do."""
    return lambda ary, indices_or_sections, axis=0: list(pieces(ary, indices_or_sections, axis))


def _like(fill: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function like `fill`, which is zeros_like or ones_like, with NumPy's option `shape`."""

    def like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
        y = fill(a, dtype)
        return y if shape is None else broadcast_to(fill(y.dtype.type(0)), shape)

    return like


def _full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    return full_like(a, fill_value, dtype) if shape is None else full(shape, fill_value, dtype or a.dtype)


def _angle(z: Any, deg: bool = False) -> Any:
    zero = zeros_like(in_floats(z, np.float64 if z.dtype.kind == "b" else np.rint(np.zeros((), z.dtype)).dtype))
    values = plain(z).astype(zero.dtype)
    angle = where(np.signbit(values), zero + (180.0 if deg else np.pi), zero)
    return where(np.isnan(values), np.nan, angle)


def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    if a.dtype.kind != "b" or prepend is not None or append is not None:
        return diff(a, n, axis, prepend, append)
    for _ in range(n):  # the difference of two bools is whether they differ
        a = getitem(a, along(a, axis, slice(1, None))) != getitem(a, along(a, axis, slice(None, -1)))
    return a


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    *choices, default = adopt_all([*choicelist, default])
    dtypes = [x.dtype for x in choices if hasattr(x, "dtype")]
    if any(dtype != dtypes[0] for dtype in dtypes):
        choices = [astype(x, np.result_type(*dtypes)) for x in choices]
    return select(condlist, choices, default)


def _in_dtype_of(arr: Any, values: Any) -> Any:
    (values,) = adopt_all([values])
    return astype(values, arr.dtype) if hasattr(values, "dtype") else values


def _skipping_nan(call: Callable[..., Any], neutral: int) -> Callable[..., Any]:
    """Return a function like the cumulative op `call` that first replaces each nan with `neutral`, 0 or 1."""
    return lambda a, axis=None, dtype=None: call(where(isnan(a), neutral, a), axis, dtype=dtype)


def _searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    return searchsorted(a if sorter is None else getitem(a, plain(sorter)), v, side)


def _einsum(*operands: Any, optimize: Any = False, dtype: Any = None, casting: str = "safe") -> Any:
    dtypes = [x.dtype for x in operands if hasattr(x, "dtype")]
    if dtype is None and len(set(dtypes)) > 1:
        dtype, casting = np.result_type(*dtypes), "safe"
    if dtype is not None:
        operands = tuple(_converted(x, np.dtype(dtype), casting) if hasattr(x, "dtype") else x for x in operands)
    return einsum(*operands)


def _converted(x: Any, dtype: np.dtype[Any], casting: Any) -> Any:
    if not np.can_cast(x.dtype, dtype, casting):
        raise TypeError(f"np.einsum cannot cast an operand from {x.dtype} to {dtype} by casting={casting!r}")
    return astype(x, dtype)


def _float64(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that converts its arguments to float64, as NumPy does here, and passes them to `call`."""
    return lambda *values: call(*(astype(x, np.float64) if hasattr(x, "dtype") else float(x) for x in values))


def _as_floats(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that passes its argument to `call`, with integers converted to NumPy's float dtype for them."""

    def of_floats(x: Any) -> Any:
        (x,) = adopt_all([x])
        return call(in_floats(x, np.rint(np.zeros((), x.dtype)).dtype) if hasattr(x, "dtype") else x)

    return of_floats


SHORTHANDS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.vstack: _vstack,
    np.hstack: _hstack,
    np.column_stack: _column_stack,
    np.append: _append,
    np.partition: _partition,
    np.gradient: gradient,
    np.ptp: _ptp,
    np.fabs: _as_floats(absolute),
    np.rint: _as_floats(round),
    np.real: identity,
    np.conj: identity,
    np.float_power: _float64(power),
    np.full: full,
    np.amax: max,
    np.amin: min,
    np.fliplr: lambda m: flip(m, 1),
    np.flipud: lambda m: flip(m, 0),
    np.dstack: _dstack,
    np.split: _list(split),
    np.array_split: _list(array_split),
    np.vsplit: lambda ary, indices_or_sections: list(split(ary, indices_or_sections, 0)),
    np.hsplit: lambda ary, indices_or_sections: list(split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)),
    np.dsplit: _dsplit,
    np.imag: zeros_like,
    np.angle: _angle,
    np.real_if_close: identity,
    np.radians: deg2rad,
    np.degrees: rad2deg,
    np.astype: astype,
    np.average: _average,
    np.cov: _cov,
    np.corrcoef: _corrcoef,
    np.linspace: _linspace,
    np.meshgrid: _meshgrid,
    np.atleast_1d: _of_each(atleast_1d),
    np.atleast_2d: _of_each(atleast_2d),
    np.atleast_3d: _of_each(atleast_3d),
    np.zeros_like: _like(zeros_like),
    np.ones_like: _like(ones_like),
    np.full_like: _full_like,
    np.searchsorted: _searchsorted,
    np.insert: lambda arr, obj, values, axis=None: insert(arr, obj, _in_dtype_of(arr, values), axis),
    np.diff: _diff,
    np.select: _select,
    np.nancumsum: _skipping_nan(cumsum, 0),
    np.nancumprod: _skipping_nan(cumprod, 1),
    np.trapezoid: trapezoid,
    np.einsum: _einsum,
}

SHORTHANDS |= {getattr(np, name): _vstack for name in ("row_stack",) if hasattr(np, name)}  # not in every NumPy version

BY_NUMPY |= SHORTHANDS
