"""Padding: elements added before and after along each axis, in each mode of `np.pad`.

The axes are padded one after the other, as in NumPy, so the padding of an axis also extends the padding of earlier
axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.support.operands import adopt, float_dtype
from ..core.support.settings import plain_setting
from ..core.tensor import Tensor
from .arrange import flip
from .create import linspace
from .declare import BY_NUMPY, defop, names_as, plain
from .extreme import max, min
from .identities import astype
from .index import getitem, index_add
from .join import concatenate, stack
from .products import tensordot
from .reduce import mean, sum
from .shapes import along, broadcast_to, moveaxis, reshape
from .statistics import median

Pairs = tuple[tuple[int, int], ...]  # for each axis, the number of elements before and after

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]

#: The modes that add elements of `x`.
_TAKEN = ("edge", "reflect", "symmetric", "wrap")
#: The modes that add a statistic of the elements at each end.
_STATISTICS = {"maximum": max, "minimum": min, "mean": mean, "median": median}
_MODES = ("constant", *_TAKEN, *_STATISTICS, "linear_ramp")


def _padded(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0, **options: Any) -> Any:
    filled = dict(constant_values=constant_values) if mode == "constant" else {}
    return np.pad(x, pad_width, mode, **filled, **options)  # type: ignore[call-overload]


def _x_rule(g: Any, y: Any, a: Any, pad_width: Any, mode: str = "constant", fill: Any = 0, **options: Any) -> Any:
    """The gradient of `a`: `g` without the padding, plus `g` at added elements that were computed from `a`."""
    widths = _pairs(pad_width, a.ndim)
    if mode == "constant":
        return getitem(g, _inside(a.shape, widths, -1))
    for axis, (width, n) in enumerate(zip(widths, a.shape)):
        if options:  # each added element is a weighted sum of elements of `a`, such as 2 * edge - x
            weights = np.pad(np.eye(n, dtype=g.dtype), (width, (0, 0)), mode, **options)  # type: ignore[call-overload]
            g = moveaxis(tensordot(g, weights, (axis, 0)), -1, axis)
        else:
            shape, came_from = (*g.shape[:axis], n, *g.shape[axis + 1 :]), np.pad(np.arange(n), width, mode)  # type: ignore[call-overload]
            g = index_add(np.zeros(shape, g.dtype), (*(slice(None),) * axis, came_from), g)
    return g


def _fill_rule(g: Any, y: Any, a: Any, pad_width: Any, mode: str, fill: Any) -> Any:
    """The constants' gradient: the sum of `g` over the elements that were filled with each constant."""
    widths, sums = _pairs(pad_width, a.ndim), []
    for axis, (before, after) in enumerate(widths):
        inside, n = _inside(a.shape, widths, axis), g.shape[axis]
        for ends in (slice(before), slice(n - after, n)):
            sums.append(sum(getitem(g, (*(slice(None),) * axis, ends, *inside[axis + 1 :]))))
    table = reshape(stack(sums), (a.ndim, 2)) if sums else sum(g) * 0
    return reshape(sum(table), np.shape(fill)) if np.size(fill) == 1 else table


def _inside(shape: Sequence[int], widths: Pairs, axis: int) -> tuple[slice, ...]:
    """Return an index for a padded array that selects everything but the padding along the axes after `axis`."""
    ends = ((before, before + n) if i > axis else (None,) for i, ((before, _), n) in enumerate(zip(widths, shape)))
    return tuple(slice(*each) for each in ends)


_pad = defop(
    "pad", _padded, vjp=(_x_rule, None, None, _fill_rule),
    slope=("1", "", "", "1"),
    names=names_as("pad", torch="nn.functional.pad"), example=(_TABLE, 1),
    samples=(
        (_TABLE, 1), (_TABLE, ((0, 1), (2, 0)), dict(constant_values=3.0)), (_TABLE, ((0, 1), (2, 1)), "edge"),
        (_TABLE, 1, "reflect"), (_TABLE, (1, 2), "wrap"),
        (_TABLE, 1, "constant", dict(constant_values=[[0.5, 1.5], [2.5, 3.5]])),
        (_TABLE, (3, 1), "reflect", dict(reflect_type="odd")), (_TABLE, 1, "maximum", dict(stat_length=2)),
        (_TABLE, (1, 2), "mean"), (_TABLE, ((1, 0), (0, 2)), "median"), (_TABLE, 2, "linear_ramp", dict(end_values=1)),
    ),
)  # fmt: skip


def pad(
    x: Any, pad_width: Any, mode: str = "constant", constant_values: Any | None = 0, *, stat_length: Any = None,
    end_values: Any = 0, reflect_type: str = "even",
) -> Any:  # fmt: skip
    """`x` with elements added before and after along each axis, as in `np.pad`.

    pad_width : one number, one pair (before, after) for all axes, or a pair for each axis; or a dict {axis: pair}.
    mode : "constant" adds `constant_values`; "edge", "reflect", "symmetric" and "wrap" repeat elements of `x`;
        "maximum", "minimum", "mean" and "median" use the first or last `stat_length` elements, by default all
        elements; "linear_ramp" goes in equal steps to `end_values` at the ends.
    constant_values, end_values : one number, one pair for all axes, or one pair per axis. Both are differentiable.
    reflect_type : "even", or "odd" to reflect the values at the edge element too, which gives 2 * edge - x.

    Returns a Tensor, or an array if no argument is a Tensor, with `before + after` more elements along each axis.
    Raises ValueError for an unknown mode, an option of a different mode, and an axis without elements to repeat.

    >>> import minigrad as mg
    >>> mg.ops.pad([[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]], 1)
    Tensor([[ 0. ,  0. ,  0. ,  0. ,  0. ],
            [ 0. ,  1.5, -2. ,  0.5,  0. ],
            [ 0. ,  0.3,  1. ,  2.5,  0. ],
            [ 0. ,  0. ,  0. ,  0. ,  0. ]], shape=(4, 5), dtype=float32, op=pad)
    >>> mg.numpy.pad(mg.constant([1.0, 2.0, 4.0]), (2, 1), "reflect").value
    array([4., 2., 1., 2., 4., 2.], dtype=float32)
    """
    x = x if isinstance(x, (Tensor, np.ndarray, np.generic)) else _as_array(x, constant_values, end_values)
    mode = _checked(mode, constant_values, stat_length, end_values, reflect_type)
    pad_width = _widths(plain_setting(pad_width), np.ndim(x))
    lengths = _pairs(plain_setting(stat_length), np.ndim(x))
    if mode == "constant":
        fill = 0 if constant_values is None else constant_values
        return _pad(x, pad_width) if type(fill) is int and not fill else _pad(x, pad_width, mode, fill)
    if mode in _TAKEN:
        return _pad(x, pad_width, mode, **dict(reflect_type="odd") if reflect_type == "odd" else {})
    if x.dtype.kind != "f":  # integers have no gradient, and NumPy rounds the elements it adds to them
        options = dict(end_values=end_values) if mode == "linear_ramp" else dict(stat_length=stat_length)
        return _pad(x, pad_width, mode, **options)
    shape, widths = x.shape, _pairs(pad_width, x.ndim)
    for axis, width in enumerate(widths):
        if not shape[axis] and any(width):
            raise ValueError(f"pad cannot extend axis {axis} of shape {shape}, which has no elements, by its {mode}")
        added: list[Any] = [None, None]
        for side, count in enumerate(width):
            if count and mode == "linear_ramp":
                added[side] = _ramp(x, axis, side, count, end_values)
            elif count:
                y = _STATISTICS[mode](_end(x, axis, side, lengths and lengths[axis][side]), axis, True)
                added[side] = broadcast_to(y, (*x.shape[:axis], count, *x.shape[axis + 1 :]))
        if any(width):
            x = concatenate([part for part in (added[0], x, added[1]) if part is not None], axis)
    return x


OPS["pad"].call = pad
BY_NUMPY[np.pad] = pad


def _as_array(x: Any, *values: Any) -> Any:
    """Convert the number or list `x` to a Tensor, or to an array if one of the values is an array."""
    x = adopt(x, float_dtype(values))
    raw = any(isinstance(v, (np.ndarray, np.generic)) for v in values)
    return x if raw or isinstance(x, Tensor) else Tensor(x)


def _checked(mode: Any, constant_values: Any, stat_length: Any, end_values: Any, reflect_type: Any) -> str:
    """The mode in lowercase. Raises ValueError for an unknown mode, or for an option of a different mode."""
    name = mode.lower() if isinstance(mode, str) else mode
    if name not in _MODES:
        instead = ": its elements are arbitrary; write mode='constant'" if name == "empty" else ""
        raise ValueError(f"pad has no mode {mode!r}{instead}; its modes are {', '.join(_MODES)}")
    for option, value, modes in (
        ("constant_values", constant_values, ("constant",)), ("stat_length", stat_length, (*_STATISTICS,)),
        ("end_values", end_values, ("linear_ramp",)),
    ):  # fmt: skip
        if name not in modes and not (value is None or (np.size(value) == 1 and not plain(value))):
            raise ValueError(f"{option} belongs to the mode {' or '.join(modes)} of pad, got mode={mode!r}")
    if reflect_type not in ("even", "odd") or (reflect_type == "odd" and name not in ("reflect", "symmetric")):
        raise ValueError(
            f"reflect_type must be 'even', or 'odd' with mode reflect or symmetric; got {reflect_type!r}, mode={mode!r}"
        )
    return name


def _widths(pad_width: Any, ndim: int) -> Any:
    """`pad_width`, with a dict converted to a pair for each axis; an axis that is not in the dict is not padded."""
    if not isinstance(pad_width, Mapping):
        return pad_width
    pairs: list[Any] = [(0, 0)] * ndim
    for axis, width in pad_width.items():
        if not isinstance(axis, (int, np.integer)) or not -ndim <= axis < ndim:
            raise ValueError(f"pad_width names axis {axis!r}, but the array has {ndim} axes")
        pairs[axis] = _pairs(plain_setting(width), 1)[0]
    return tuple(pairs)


def _pairs(numbers: Any, ndim: int) -> Any:
    """The numbers as a tuple of pairs, one pair for each axis, or None if `numbers` is None."""
    if numbers is None:
        return None
    return tuple((int(before), int(after)) for before, after in np.broadcast_to(np.asarray(numbers), (ndim, 2)))


def _end(x: Any, axis: int, side: int, length: int | None) -> Any:
    """The first (side 0) or last (side 1) `length` elements of `x` along `axis`, or all if `length` is None."""
    n = x.shape[axis]
    if length is not None and length < 1:
        raise ValueError(f"stat_length must be at least 1, got {length}")
    if length is None or length >= n:
        return x
    return getitem(x, along(x, axis, slice(n - length, None) if side else slice(length)))


def _ramp(x: Any, axis: int, side: int, count: int, ends: Any) -> Any:
    """`count` elements in equal steps from an end value (included) to the edge of `x` (excluded)."""
    if not isinstance(ends, (int, float)):
        ends = getitem(broadcast_to(adopt(ends, x.dtype), (x.ndim, 2)), (axis, side))
    edge = getitem(x, along(x, axis, -1 if side else 0))
    ramp = linspace(astype(ends, x.dtype) if isinstance(ends, Tensor) else ends, edge, count, False, axis)
    ramp = astype(ramp, x.dtype) if ramp.dtype != x.dtype else ramp
    return flip(ramp, axis) if side else ramp
