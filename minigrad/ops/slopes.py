"""`numpy.gradient`: slopes of a function that is known only at some points, from second-order differences."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..core.support.operands import adopt_all
from ..core.tensor import Tensor
from .identities import astype
from .index import getitem
from .join import concatenate
from .shapes import along, reshape


def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """The slopes of `f` along `axis` (an axis, a tuple of axes, or None for all): one result for each axis.

    spacing : one distance between points for all axes; or, for each axis, a distance or a row with the coordinates of
    its points. By default all distances are 1. edge_order : the order of the differences at the ends, 1 or 2.

    The slopes are differentiable in `f`, in the distances and in the coordinates.

    >>> import minigrad as mg
    >>> import minigrad.numpy as np
    >>> np.gradient(mg.constant([1.0, 2.0, 4.0])).value
    array([1. , 1.5, 2. ], dtype=float32)
    >>> np.gradient(mg.constant([1.0, 4.0, 16.0]), [1.0, 2.0, 4.0]).value  # x**2 at uneven points
    array([3., 4., 6.], dtype=float32)
    """
    f, *steps = adopt_all([f, *spacing])
    f = Tensor(f) if isinstance(f, (list, tuple)) else f
    if f.dtype.kind != "f":
        f = astype(f, np.float64)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    if edge_order not in (1, 2):
        raise ValueError(f"gradient takes edge_order 1 or 2, got {edge_order!r}")
    if len(steps) == 1 and np.ndim(steps[0]) == 0:
        steps = steps * len(axes)
    if steps and len(steps) != len(axes):
        raise TypeError(
            f"gradient takes one distance for all axes, or one distance or row of coordinates for each of the "
            f"{len(axes)} axes, got {len(steps)}"
        )
    slopes = tuple(
        astype(_slope(f, i, step, operator.index(edge_order)), f.dtype)
        for i, step in zip(axes, steps or [1.0] * len(axes))
    )
    return slopes[0] if len(slopes) == 1 else slopes


def _slope(f: Any, axis: int, step: Any, edge_order: int) -> Any:
    """The slopes along one axis. step : the distance between points, or a row with their coordinates."""
    n = f.shape[axis]
    if n < edge_order + 1:
        raise ValueError(f"gradient with edge_order={edge_order} needs {edge_order + 1} points, axis {axis} has {n}")
    part = lambda start, stop: getitem(f, along(f, axis, slice(start, stop)))
    if np.ndim(step) == 0:
        inside = (part(2, None) - part(None, -2)) / (2 * step)
        gaps = [step] * 4
    else:
        distances = _distances(step, f.ndim, axis, n)
        gap = lambda start, stop: getitem(distances, along(f, axis, slice(start, stop)))
        inside = _at_second(part(None, -2), part(1, -1), part(2, None), gap(None, -1), gap(1, None))
        gaps = [gap(0, 1), gap(1, 2), gap(-1, None), gap(-2, -1)]
    if edge_order == 1:
        first, last = (part(1, 2) - part(0, 1)) / gaps[0], (part(-1, None) - part(-2, -1)) / gaps[2]
    else:
        first = _at_first(part(0, 1), part(1, 2), part(2, 3), gaps[0], gaps[1])
        last = -_at_first(part(-1, None), part(-2, -1), part(-3, -2), gaps[2], gaps[3])
    return concatenate([first, inside, last], axis)


def _distances(points: Any, ndim: int, axis: int, n: int) -> Any:
    """The distances between neighbouring coordinates of a row, arranged along one of `ndim` axes."""
    points = Tensor(points) if isinstance(points, (list, tuple)) else points
    if np.ndim(points) != 1 or len(points) != n:
        raise ValueError(
            f"gradient takes a distance or a row of coordinates, {n} for axis {axis}, got shape {np.shape(points)}"
        )
    if points.dtype.kind != "f":
        points = astype(points, np.float64)
    steps = getitem(points, slice(1, None)) - getitem(points, slice(None, -1))
    return reshape(steps, [-1 if i == axis else 1 for i in range(ndim)])


def _at_second(a: Any, b: Any, c: Any, before: Any, after: Any) -> Any:
    """The slope of the parabola through a, b and c at the second of these three points."""
    return (before * (c - b) / after + after * (b - a) / before) / (before + after)


def _at_first(a: Any, b: Any, c: Any, before: Any, after: Any) -> Any:
    """The slope of the parabola through a, b and c at the first of these three points."""
    return ((2 * before + after) * (b - a) / before - before * (c - b) / after) / (before + after)
