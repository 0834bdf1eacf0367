"""NumPy functions without an instruction in a page, composed of functions that have one.

Each function takes stand-ins for arrays. After an input changes, a sort or an index may pick different elements. So a
sort compares each element with all others, and an index gathers all elements that it might pick and masks all but one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.core.op import OPS
from minigrad.core.support.tensor_values import default_dtype
from minigrad.programs import instructions
from minigrad.programs.listing import StandIn

OUTSIDE = "an index is out of range"
UNSORTED = "the points are not in order"


def written(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Compute a call of the NumPy function `function` with the functions of this file; return None if none fits."""
    if function is operator.getitem or function in ADDS:
        if not any(issubclass(type(k), StandIn) for k in (args[1] if isinstance(args[1], tuple) else (args[1],))):
            return None
        return _taken(*args) if function is operator.getitem else _added(function, *args[:3])
    if function is instructions.method:
        function, args = args[1], (args[0], *args[2:])
    composed = _WRITTEN.get(function)
    return composed and composed(*args, **kwargs)


def _reduced(ufunc: Any) -> Callable[..., Any]:
    return lambda x, axis=None, **options: ufunc.reduce(x, axis=axis, **options)


def _rounded(x: Any, decimals: int = 0) -> Any:
    if x.dtype.kind != "f":
        return x.copy() if decimals >= 0 else None
    power = 10.0 ** abs(decimals)
    if decimals > 0:
        return np.rint(x * power) / power
    return np.rint(x / power) * power if decimals else np.rint(x)


def _fmax(a: Any, b: Any) -> Any:
    return np.where((a >= b) | np.isnan(b), a, b)


def _fmin(a: Any, b: Any) -> Any:
    return np.where((a <= b) | np.isnan(b), a, b)


def _without_nan(ufunc: Any, worst: float) -> Callable[..., Any]:
    def reduce(x: Any, **options: Any) -> Any:
        nans = np.isnan(x)
        reduced = ufunc.reduce(np.where(nans, worst, x), **options)
        return np.where(np.logical_and.reduce(nans, **options), np.nan, reduced)

    return reduce


def _fmod(a: Any, b: Any) -> Any:
    rest = np.remainder(np.abs(a), np.abs(b))
    return np.where(a == rest, a, np.where(a < 0, -rest, rest))


def _logaddexp2(a: Any, b: Any) -> Any:
    more = np.log1p(np.exp2(-np.abs(a - b))) * math.log2(math.e)
    return np.where(a == b, a + 1, np.maximum(a, b) + more)


def _accumulated(ufunc: Any) -> Callable[..., Any]:
    """Return the function `ufunc.accumulate`, which reduces the first element, the first two, the first three, ..."""

    def accumulate(x: Any, axis: int = 0) -> Any:
        rows = np.moveaxis(x, axis, -1)
        upto = np.minimum(*np.indices((rows.shape[-1],) * 2))
        return np.moveaxis(ufunc.reduce(rows[..., upto], axis=-1), -1, axis)

    return accumulate


def _argsort(x: Any, axis: int | None = -1, kind: str | None = None) -> Any:
    """Return the indices that sort `x`; the sort is stable, and nans come last."""
    if axis is None:
        x, axis = x.reshape(-1), -1
    rows = np.moveaxis(x, axis, -1)
    a, b, places = rows[..., None], rows[..., None, :], np.arange(rows.shape[-1])
    later, earlier = _less(b, a), places < places[:, None]
    rank = np.add.reduce(later | (earlier & ~_less(a, b)), axis=-1)
    order = np.add.reduce(np.where(rank[..., None, :] == places[:, None], places, 0), axis=-1)
    return np.moveaxis(order, -1, axis)


def _less(a: Any, b: Any) -> Any:
    return (a < b) | (np.isnan(b) & ~np.isnan(a))


def _first(ufunc: Any) -> Callable[..., Any]:
    """Return argmax or argmin: a function that finds the first nan or, without nans, the first extreme element."""

    def place(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
        if axis is None:
            index = place(x.reshape(-1), 0)
            return index.reshape((1,) * x.ndim) if keepdims else index
        n, hit = x.shape[axis], (x == ufunc.reduce(x, axis=axis, keepdims=True)) | np.isnan(x)
        places = np.moveaxis(np.arange(n).reshape((1,) * (x.ndim - 1) + (n,)), -1, axis)
        first: Any = np.minimum.reduce
        return first(np.where(hit, places, n), axis=axis, keepdims=keepdims)

    return place


def _one_hot(indices: Any, depth: int, axis: int = -1, dtype: Any = None) -> Any:
    hot = indices[..., None] == np.arange(depth)
    return np.moveaxis(hot.astype(dtype or default_dtype()), -1, axis)


def _searchsorted(points: Any, x: Any, side: str = "left") -> Any:
    x = (x if issubclass(type(x), StandIn) else np.asarray(x))[..., None]
    if issubclass(type(points), StandIn):
        points.listing.require(np.logical_and.reduce(points[:-1] <= points[1:]), UNSORTED)
    before = (points <= x) | np.isnan(x) if side == "right" else ~(points >= x) & ~np.isnan(points)
    return np.add.reduce(before, axis=-1)


def _reached(shape: tuple[int, ...], key: Any) -> Any:
    """Return the possible positions of each element of `x[key]` in an array of `shape`, and a mask of the actual one.

    Both arrays have shape (..., n); n is the length of the indexed axis. Returns None if more than one index in
    the key can change.
    """
    key = key if isinstance(key, tuple) else (key,)
    at = [i for i, k in enumerate(key) if issubclass(type(k), StandIn)]
    index = key[at[0]]
    if len(at) > 1 or index.real_value.dtype.kind != "i":
        return None
    mask = lambda k: isinstance(k, np.ndarray) and k.dtype.kind == "b"
    used = [0 if k is None or k is ... else k.ndim if mask(k) else 1 for k in key]
    used = [len(shape) - sum(used) if k is ... else n for k, n in zip(key, used)]
    axis = sum(used[: at[0]])
    n, put = shape[axis], lambda other: (*key[: at[0]], other[()], *key[at[0] + 1 :])
    if not n:
        return None
    rest = shape[axis + 1 :]
    start = np.arange(math.prod(shape)).reshape(shape)[put(np.zeros(index.shape, int))]
    numbers = np.arange(index.size).reshape(-1, *(1,) * len(rest))
    which = np.broadcast_to(numbers, (*shape[:axis], index.size, *rest))
    number = index.reshape(-1)[which[put(np.arange(index.size).reshape(index.shape))]][..., None]
    index.listing.require(np.logical_and.reduce((number >= -n) & (number < n), axis=None), OUTSIDE)
    choices = np.arange(n)
    return start[..., None] + math.prod(rest) * choices, np.where(number < 0, number + n, number) == choices


def _taken(x: Any, key: Any) -> Any:
    reach = _reached(x.shape, key)
    if reach is None:
        return None
    places, hit = reach
    elements = x.reshape(-1)[places]
    if x.dtype.kind == "f":
        return np.maximum.reduce(np.where(hit, elements, -np.inf), axis=-1)
    return np.add.reduce(np.where(hit, elements, 0), axis=-1).astype(x.dtype)


def _added(function: Any, x: Any, key: Any, value: Any) -> Any:
    reach = _reached(x.shape, key)
    if reach is None:
        return None
    places, hit = reach
    parts = np.where(hit, np.broadcast_to(value, places.shape[:-1])[..., None], 0)
    function = instructions.index_add_each if function is instructions.index_add else function
    return hit.listing.call(function, (x.reshape(-1), places.reshape(-1), parts.reshape(-1))).reshape(x.shape)


def _padded(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0, **options: Any) -> Any:
    """Pad `x` as np.pad does, with constants or by odd reflection; return None for any other kind of padding."""
    if mode == "constant" and (np.ndim(constant_values) or issubclass(type(constant_values), StandIn)):
        fill = constant_values if issubclass(type(constant_values), StandIn) else np.asarray(constant_values)
        of_fill = x.size + np.arange(fill.size).reshape(fill.shape)
        places = np.pad(np.arange(x.size).reshape(x.shape), pad_width, constant_values=of_fill)
        return np.concatenate([x.reshape(-1), fill.reshape(-1).astype(x.dtype)])[places]
    if options.get("reflect_type") != "odd":
        return None
    for axis, width in enumerate(np.broadcast_to(pad_width, (x.ndim, 2))):
        rows = np.empty(x.shape[axis], object)
        for i in range(len(rows)):
            rows[i] = x[(slice(None),) * axis + (i,)]
        x = np.stack(list(np.pad(rows, width, mode, **options)), axis)  # type: ignore[call-overload]
    return x


ADDS = {instructions.index_add, instructions.index_add_each, instructions.index_add_sum}
_WRITTEN: dict[Any, Callable[..., Any]] = {
    np.round: _rounded, np.fmax: _fmax, np.fmin: _fmin, np.fmod: _fmod, np.logaddexp2: _logaddexp2,
    np.fmax.reduce: _without_nan(np.maximum, -np.inf), np.fmin.reduce: _without_nan(np.minimum, np.inf),
    np.maximum.accumulate: _accumulated(np.maximum), np.minimum.accumulate: _accumulated(np.minimum),
    np.argsort: _argsort, np.searchsorted: _searchsorted, OPS["one_hot"].fn: _one_hot,
    "argmax": _first(np.maximum), "argmin": _first(np.minimum),
    np.pad: _padded, OPS["pad"].fn: _padded, np.sum: _reduced(np.add), np.all: _reduced(np.logical_and),
}  # fmt: skip
