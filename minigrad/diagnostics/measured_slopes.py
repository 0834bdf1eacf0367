"""Measure slopes and their uncertainty with finite differences at several steps, and use the most precise result.

The uncertainty is estimated only from the values: from their rounding, and from the spread of the estimates at several
distances. No absolute tolerance is used, so slopes of 1e-12 and of 1e12 are measured equally well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

#: SMALLER : how many smaller steps are tried, each a quarter of the step before, if the function is curved within the
#: first step. INSIDE : the same if a value nearby is inf or nan. LARGER : how many larger steps are tried if rounding
#: hides the slope.
SMALLER, INSIDE, LARGER = 13, 6, 4
#: A slope counts as measured, without further steps, if its relative uncertainty is at most this.
EXACT = 1e-5
#: A slope counts as not measured if its relative uncertainty is above this.
MEASURED = 2.5e-3
#: Differences up to this fraction of the values may come from rounding inside the function, as in float32.
ROUNDING = 4e-6
#: The largest error of a slope that the estimated uncertainty may not include. It comes from rounding numbers near 1
#: in float64 inside the function.
INNER = 3e-11
#: The factor by which the step shrinks when a suspected kink or jump is measured again, in float64.
CLOSER = 4.0**-8


class Measured(NamedTuple):
    """The slope of a function along one direction, with one entry for each element of its value.

    value : the slope.
    error : the uncertainty of the slope.
    state : "" if the slope is measured; "near" if it is measured, but a kink or a jump is within the step; "kink" or
        "jump" if the point itself has one; "edge" if a value nearby is inf or nan; "noise" if rounding hides the slope;
        "unclear" if the estimates differ for another reason.
    left, right : the slopes on both sides.
    size : the largest absolute value nearby.
    """

    value: Any
    error: Any
    state: Any
    left: Any
    right: Any
    size: Any

    def is_zero(self, claim: Any, unit: float) -> Any:
        """Return, for each element, whether the measured and the expected slope (`claim`) are both 0 up to rounding."""
        small = np.abs(claim) * unit <= 1e-14 * self.size
        return (np.asarray(self.state) == "noise") & (np.abs(self.value) <= self.error) & small


class _Estimate(NamedTuple):
    """An estimate of the slope from the values within one step.

    gap : how much the slopes at several distances and on both sides disagree.
    moved : the largest change of the value.
    """

    value: Any
    error: Any
    left: Any
    right: Any
    size: Any
    gap: Any
    moved: Any
    step: float


def measure(f: Callable[[float], Any], step: float = 1e-4, eps: float = 2.3e-16, expected: Any = 0.0) -> Measured:
    """Measure the slope at 0 of a function of one number that returns an array.

    step : the first step to try.
    eps : the relative rounding error of the values.
    expected : the expected slopes. Smaller steps are tried before a different slope is returned, and a slope that is
        far smaller than expected counts as 0.

    For a smooth function, halving the step halves the difference between the slopes on both sides, and quarters the
    difference between successive central differences. At a kink, the difference between the sides stays the same; at a
    jump, it doubles. A kink near the point is detected if it is within one step but not within the next smaller one.

    >>> found = measure(lambda t: 1e-9 * np.array([t**3 + 2 * t, abs(t), np.sin(1e8 * t)]))
    >>> found.state.tolist(), [f"{v:.6g}" for v in found.value[[0, 2]]]
    (['', 'kink', ''], ['2e-09', '0.1'])
    """
    with np.errstate(all="ignore"):
        here = np.asarray(f(0.0), np.float64)
        search = _Search(f, here, step, eps, np.broadcast_to(np.asarray(expected, np.float64), here.shape))
        hidden = search.hidden(search.first)
        search.enlarge([step * 4**k for k in range(1, LARGER + 1)], hidden)
        search.reduce([step / 4**k for k in range(1, SMALLER + 1)], ~hidden)
        search.dispute([step / 4**k for k in (3, 6, 9, 12)])
        return search.finish(hidden)


class _Search:
    """The search for the best estimate of each element's slope."""

    def __init__(self, f: Callable[[float], Any], here: Any, step: float, eps: float, expected: Any) -> None:
        self.f, self.here, self.eps, self.claim = f, here, eps, expected
        self.expected = np.where(np.isfinite(expected), np.abs(expected), 0.0)
        self.first = _estimate(f, here, step, eps)
        self.best = [np.array(part, np.float64) for part in self.first[:6]]
        #: An absolute error that is accepted: a thousandth of the slope nearby if rounding may hide more, else 0.
        self.steep = np.where(self.hidden(self.first), 1e-3 * self.first.moved / step, 0)
        self.state = np.where(np.isfinite(here), "", "edge").astype("<U7")
        self.noisy = np.zeros(here.shape, bool)

    def within(self, part: float) -> Any:
        value, error, *_ = self.best
        return np.isfinite(error) & (error <= part * np.max([np.abs(value), self.expected, self.steep], axis=0))

    def flat(self) -> Any:
        """Return, for each element, whether its value was the same at all steps so far."""
        return (self.best[0] == 0) & (self.best[5] == 0)

    def open(self) -> Any:
        done = np.where(self.flat(), self.expected == 0, self.within(max(EXACT, 8 * self.eps)))
        return ~done & (self.state == "") & ~self.noisy

    def hidden(self, estimate: _Estimate) -> Any:
        return estimate.gap * estimate.step <= max(ROUNDING, 16 * self.eps) * estimate.size

    def enlarge(self, steps: list[float], mask: Any) -> None:
        """Try larger steps, which may show a slope that rounding hides at smaller ones."""
        before, ratio, noise = self.first, np.full(self.here.shape, np.nan), self.first.gap * self.first.step
        for step in steps:
            mask = mask & self.open()
            if not mask.any():
                return
            now = _estimate(self.f, self.here, step, self.eps)
            now = now._replace(error=np.maximum(now.error, noise / step))
            last, ratio = ratio, now.gap / before.gap
            self._settle_steady(mask, before, now, last, ratio)
            self._take(mask & (self.state == "") & ((now.error < self.best[1]) | (self.flat() & (now.value != 0))), now)
            before, noise = now, np.maximum(noise, np.where(self.hidden(now), now.gap * step, 0))

    def reduce(self, steps: list[float], mask: Any) -> None:
        """Try smaller steps, within which the function may be smooth."""
        before, ratio, doubt = self.first, np.full(self.here.shape, np.nan), np.zeros(self.here.shape, bool)
        for k, step in enumerate(steps):
            mask = mask & (self.open() | doubt) & (np.isfinite(before.gap) | (k < INSIDE))
            if not mask.any():
                return
            now = _estimate(self.f, self.here, step, self.eps)
            last, ratio = ratio, now.gap / before.gap
            exact = now.gap <= 1e-6 * np.abs(now.value) + 64 * self.eps * now.size / step
            vanished = (before.gap > 1e-3 * np.abs(now.value)) & (now.gap < 1e-4 * before.gap) & exact
            self._settle("near", mask & self._real(before) & vanished, now)
            self._settle_steady(mask, before, now, last, ratio)
            curved = mask & _near(last, step / before.step) & _near(ratio, step / before.step)
            self.steep[curved] = (1e-3 * self.first.moved / self.first.step)[curved]
            stuck = (now.value == 0) & (now.gap == 0)
            # The first exact slope counts only if the next step confirms it, because the step may happen to equal a
            # period of the function.
            differs = np.abs(now.value - self.best[0]) > 2 * (now.error + self.best[1])
            differs |= (now.gap > 8 * self.best[5]) & (now.gap * step > 64 * self.eps * now.size)
            differs &= doubt
            was_open = self.open()
            self._take(mask & (self.state == "") & ((now.error < self.best[1]) & ~stuck | differs), now)
            doubt = mask & (was_open | differs) & ~self.open() & (self.state == "")
            self.noisy |= mask & self.hidden(now) & (now.gap > before.gap / 2)
            before = now

    def dispute(self, steps: list[float]) -> None:
        """Try smaller steps for elements whose best estimate contradicts the expected slope, and may be wrong."""
        for step in steps:
            value, error, *_ = self.best
            open_ = (
                (self.state == "")
                & np.isfinite(self.claim)
                & (np.abs(value - self.claim) > error + EXACT * np.abs(value))
            )
            if not open_.any():
                return
            now = _estimate(self.f, self.here, step, self.eps)
            far, rough = np.abs(now.value - self.claim), now.error / np.abs(now.value)
            self._take(open_ & (far <= now.error + EXACT * np.abs(now.value)) & (rough <= 10 * EXACT), now)
            unlike = np.abs(now.value - value) > 4 * (now.error + error)
            self.state[open_ & (far <= 4 * now.error) & (rough <= 0.05) & (rough > 10 * EXACT) & unlike] = "noise"
            # A staircase has slope 0, but seems to follow a line if its stairs are narrower than the steps.
            still = (now.value == 0) & (now.gap == 0) & (np.abs(value) * step > 64 * self.eps * now.size)
            self.state[open_ & (self.claim == 0) & still] = "unclear"

    def _real(self, estimate: _Estimate) -> Any:
        return estimate.gap * estimate.step > 1e3 * self.eps * estimate.size

    def _settle_steady(self, mask: Any, before: _Estimate, now: _Estimate, last: Any, ratio: Any) -> None:
        """Mark elements as kinks or jumps if their one-sided slopes still differ at a much smaller step.

        last, ratio : how the gap between the one-sided slopes changed in the last two reductions of the step.
        """
        steady = {
            state: mask
            & (self.state == "")
            & self._real(before)
            & np.logical_and(*(_near(r, growth) for r in (last, ratio)))
            for state, growth in (("kink", 1.0), ("jump", before.step / now.step))
        }
        if any(where.any() for where in steady.values()):
            close = _estimate(self.f, self.here, self.first.step * max(CLOSER, 100 * self.eps), self.eps)
            for state, growth in (("kink", 1.0), ("jump", now.step / close.step)):
                self._settle(state, steady[state] & (np.abs(close.gap / now.gap / growth - 1) < 0.2), now)

    def _settle(self, state: str, where: Any, estimate: _Estimate) -> None:
        where = where & (self.state == "")
        self.state[where] = state
        self._take(where, estimate)

    def _take(self, where: Any, estimate: _Estimate) -> None:
        for mine, theirs in zip(self.best, estimate[:6]):
            mine[where] = theirs[where]

    def finish(self, hidden: Any) -> Measured:
        value, error, left, right, size, _ = self.best
        zero = error > max(MEASURED, 100 * self.eps) * np.maximum(np.abs(value), self.expected)
        error = np.where(zero, error + 2 * np.abs(value), error)
        rest = (self.state == "") & ~self.within(max(MEASURED, 100 * self.eps)) & ~(self.flat() & (self.expected == 0))
        why = np.where(~np.isfinite(error), "edge", np.where(hidden | self.noisy, "noise", "unclear"))
        self.state[rest] = why[rest]
        return Measured(value, error, self.state, left, right, size)


def _near(ratio: Any, growth: float) -> Any:
    return np.abs(np.log(ratio / growth)) < 0.03


def _estimate(f: Callable[[float], Any], here: Any, step: float, eps: float) -> _Estimate:
    """Estimate the slope from values at a step, its half and its quarter, by central and one-sided differences."""
    steps = (step, step / 2, step / 4)
    ups, downs = ([np.asarray(f(side * h), np.float64) for h in steps] for side in (1, -1))
    wide, middle, near = ((up - down) / (2 * h) for up, down, h in zip(ups, downs, steps))
    bends = [(up - 2 * here + down) / h for up, down, h in zip(ups, downs, steps)]
    gap = 2 * np.abs(middle - near - (wide - middle) / 4)
    gap = gap + 3 * np.maximum(np.abs(bends[1] - bends[0] / 2), np.abs(bends[2] - bends[0] / 4))
    left, right = (
        (8 * near - 6 * middle + far) / 3
        for far, middle, near in (
            [(value - here) / (side * h) for value, h in zip(values, steps)] for values, side in ((downs, -1), (ups, 1))
        )
    )
    size = np.max(np.abs([here, *ups, *downs]), axis=0)
    moved = np.max(np.abs([value - here for value in (*ups, *downs)]), axis=0)
    error = np.where(np.isfinite(gap), gap + 4 * eps * size / step, np.inf)
    return _Estimate((4 * middle - wide) / 3, error, left, right, size, gap, moved, step)
