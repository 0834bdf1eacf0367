"""Derivatives without an engine: differences in float64, the independent truth that answers are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def derivative(
    forward: Callable[..., Any], inputs: Sequence[Any], upstream: Any = 1.0, order: int = 1
) -> tuple[Any, ...]:
    """The derivative of sum(upstream * forward(*inputs)) with respect to each input, by five-point differences.

    order : 1, or 2 for the diagonal second derivative, what differentiating the sum of the gradient gives for an
        elementwise function.

    >>> derivative(np.sin, [0.0])
    (np.float64(1.0),)
    """
    points = [np.asarray(x, dtype=np.float64) for x in inputs]

    def along(i: int, at: tuple[int, ...], step: float) -> Any:
        moved = [p.copy() for p in points]
        moved[i][at] += step
        with np.errstate(all="ignore"):
            return np.sum(np.asarray(upstream, float) * np.asarray(forward(*moved), float))

    found = []
    for i, point in enumerate(points):
        slope = np.zeros_like(point)
        for at in np.ndindex(point.shape):
            h = (1e-3 if order == 1 else 1e-2) * max(1.0, abs(float(point[at])) * 1e-2)
            far, near, here, left, right = (along(i, at, k * h) for k in (2, 1, 0, -1, -2))
            if order == 1:
                slope[at] = (8 * (near - left) - (far - right)) / (12 * h)
            else:
                slope[at] = (-far + 16 * near - 30 * here + 16 * left - right) / (12 * h * h)
        found.append(np.round(slope, 10)[()])
    return tuple(found)
