"""Judge a gradient at a kink, where several gradients are right, by the function's slopes along directions.

At a point where a function bends, a gradient g is right if, along every direction d, the slope g·d lies between the
slopes on both sides. Checking the entries one by one is not enough: if the arguments of max are equal, each entry may
be any number from 0 to 1, but [1, 1] is wrong, because the function has the slope 1 along [1, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from minigrad.diagnostics.finite_differences import elementwise_slopes
from minigrad.diagnostics.measured_slopes import EXACT, INNER

STEPS = (1e-4, 1e-6)  #: distances at which slopes are measured until one is exact enough; relative for entries above 1
NEAR = 1e-5  #: the distance from the kink at which nearby gradients are measured
PAIRS = 6  #: maximum number of entries for which pairwise sums and differences are tried as directions
SEARCHES = 24  #: maximum number of directions to try among those that separate a gradient from gradients near the kink


class Crossing(NamedTuple):
    """A direction along which a gradient is outside the range of the function's slopes.

    got : the slope along `direction` by the gradient. low, high : the range of the function's slopes. wrong : whether
        this proves that the gradient is wrong; if not, it may be right.
    """

    direction: np.ndarray
    got: float
    low: float
    high: float
    wrong: bool


def crossing(
    f: Callable[[np.ndarray], float], gradient: np.ndarray, unit: float = 1.0, room: float = EXACT
) -> Crossing | None:
    """Find a direction along which a gradient is outside the range of slopes at a kink; return None if none is found.

    The search tries the axes, some fixed directions, and directions that separate the gradient from the gradients near
    the kink. If the function bends up along one direction and down along another, a gradient is also right if it is a
    mean of gradients near the kink.

    f : a function of the offset from the kink. unit : the size of a step. room : the relative tolerance of slopes.

    >>> crossing(max, np.array([0.25, 0.75])), crossing(max, np.ones(2)).direction
    (None, array([1., 1.]))
    """
    search = _Search(f, gradient, unit)
    bends, outside, unmeasured = set(), [], None
    for d in search.directions():
        left, right, error = search.sides(d)
        low, high, got = min(left, right), max(left, right), float(gradient @ d)
        slack = room * max(abs(low), abs(high), float(np.abs(gradient) @ np.abs(d))) + error + INNER
        if not error <= 1e-2 * search.size() + INNER:
            unmeasured = Crossing(d, got, low, high, False)
        elif not low - slack <= got <= high + slack:
            outside.append((Crossing(d, got, low, high, True), slack))
        if high - low > slack:
            bends.add(right > left)
    for crossed, slack in outside:
        # A single direction proves the fault if it is an axis, or if nearby gradients have the same slope along it.
        alike = np.ptp([beside @ crossed.direction for beside in search.beside]) <= slack
        if len(bends) < 2 or np.count_nonzero(crossed.direction) == 1 or alike:
            return crossed
    if outside and not search.is_mean() and not search.is_mean(places=64):
        return outside[0][0]._replace(wrong=False)
    return unmeasured


class _Search:
    """The measurements that `crossing` makes: slopes along directions in the inputs, and gradients near the kink."""

    def __init__(self, f: Callable[[np.ndarray], float], gradient: np.ndarray, unit: float) -> None:
        self.f, self.gradient, self.unit, self.count = f, gradient, unit, len(gradient)
        self.here = float(f(np.zeros(self.count)))
        self.beside = [self.gradient_at(_spread(self.count, k)) for k in (1, 2)]
        self.mean = self.beside[0]

    def size(self) -> float:
        return float(np.max(np.abs([self.gradient, *self.beside])))

    def is_mean(self, places: int = 0) -> bool:
        """Return whether the gradient is a weighted mean of gradients measured near the kink.

        places : the number of additional points; the gradients there are measured first.
        """
        if places:
            self.beside += [self.gradient_at(_spread(self.count, 50 + k)) for k in range(places)]
            self.approach()
        return bool(np.max(np.abs(self.gradient - self.mean)) <= 1e-4 * self.size())

    def directions(self) -> Iterator[np.ndarray]:
        """Yield fixed directions, then directions to the gradient from the nearest mean of gradients near the kink."""
        axes = np.eye(self.count)
        yield np.ones(self.count)
        if self.count == 1:
            return
        yield from axes
        yield (-1.0) ** np.arange(self.count)
        if self.count <= PAIRS:
            for first, second in combinations(axes, 2):
                yield from (first + second, first - second)
        yield from (_spread(self.count, k) for k in range(2, 8))
        if self.gradient.any():
            yield self.gradient / np.max(np.abs(self.gradient))
        for k in range(min(SEARCHES, 2 + 120 // self.count)):
            away = self.approach()
            if self.is_mean():
                return
            away = away / np.max(np.abs(away))
            yield away
            sides = [self.gradient_at(side * away + 0.03 * _spread(self.count, 12 + k)) for side in (1, -1)]
            farthest = max(np.array(self.beside) @ away)
            if max(g @ away for g in sides) <= farthest + 1e-6 * self.size():
                return
            self.beside += sides

    def approach(self) -> np.ndarray:
        """Find the weighted mean of nearby gradients closest to `gradient`, and return `gradient` minus this mean."""
        beside = np.array(self.beside)
        weights = np.eye(len(beside))[0]
        for _ in range(200):
            away = self.gradient - weights @ beside
            scores = beside @ away
            best, least = np.argmax(scores), np.argmin(np.where(weights > 0, scores, np.inf))
            step = beside[best] - beside[least]
            if not step @ away > 1e-9 * self.size() ** 2:
                break
            part = min(weights[least], step @ away / (step @ step))
            weights[[best, least]] += part, -part
        self.mean = weights @ beside
        return self.gradient - self.mean

    def sides(self, d: np.ndarray) -> tuple[float, float, float]:
        """Return the slopes on the left and on the right along a direction, and their uncertainty."""
        best = (np.nan, np.nan, np.inf)
        for step in STEPS:
            slopes: list[float] = []
            error = 0.0
            for side in (-step * self.unit, step * self.unit):
                values = [float(self.f(side * part * d)) for part in (1, 0.5, 0.25)]
                far, middle, near = ((v - self.here) / (side * part) for v, part in zip(values, (1, 0.5, 0.25)))
                slopes.append((8 * near - 6 * middle + far) / 3)
                rounding = 32 * 2.3e-16 * max(map(abs, (self.here, *values))) / abs(side)
                error = max(error, abs(slopes[-1] - (2 * near - middle)) + rounding)
            if not error >= best[2]:
                best = (slopes[0], slopes[1], error)
            if best[2] <= 0.1 * EXACT * max(map(abs, best[:2])):
                break
        return best

    def gradient_at(self, place: np.ndarray) -> np.ndarray:
        """Measure the gradient at a point near the kink by finite differences."""
        slopes = elementwise_slopes(self.f, NEAR * self.unit * place, 1e-3 * NEAR * self.unit)
        return np.asarray(slopes, np.float64)


def _spread(count: int, k: int) -> np.ndarray:
    """Return the k-th pseudorandom direction, which is the same on every computer and in the page."""
    return np.sin(1.0 + 12.9898 * k + 78.233 * np.arange(1, count + 1) * np.sqrt(k + 1))
