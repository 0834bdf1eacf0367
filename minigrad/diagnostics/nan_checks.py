"""The checks that a rewrite passes before it is offered.

1. Its value and its gradients are finite, in the dtype of the program. 2. At other points the rewritten node equals the
old one wherever its guard does nothing, and so do the result and all gradients. 3. Its gradient here is the slope that
finite differences measure. 4. Where the program tends to a number beside this point, that is its value. 5. Where it
tends to infinity, no number takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.tensor import Tensor
from .nan_bench import Bench, Point, close, here, other_points
from .nan_domains import finite, gradients_of, value_of
from .nan_guards import is_free
from .nan_patterns import Rewrite

MEASURED = "its gradient here is the slope measured by finite differences"
CONVENTION = "the program has no finite slope here, so that the gradient is a convention"
TENDS = "its value here is what the program tends to"
NO_VALUE = "its value here is a convention, as the program has none"
INFINITE = "the value itself is infinite here"


class Checked(NamedTuple):
    """What the checks say of a rewrite that passed them: the grade of its repair, and sentences."""

    grade: str
    checks: tuple[str, ...]


def equals_its_node(rewrite: Rewrite, result: Tensor, bench: Bench) -> bool:
    """Whether the rewritten node equals the old one at other points, element by element, wherever its guard is free.

    The result alone would not show it: the node may be multiplied by 0, or squared, on the way.
    """
    varied, rng, seen = bench.varied([rewrite]), np.random.default_rng(2), []
    old, new = (rewrite.y, result) if rewrite.kind == "masked" else (rewrite.at, rewrite.made)
    with np.errstate(all="ignore"):
        for ordinary, point in other_points(varied, rng, 20):
            nodes = bench.nodes(old, point)
            v, w = value_of(nodes[rewrite.at.serial]), value_of(bench.nodes(new, point)[rewrite.made.serial])
            if v.shape != w.shape:
                return False
            counts = np.isfinite(v)
            if rewrite.guard:
                free = is_free(rewrite, nodes)
                counts &= free if np.shape(free) == v.shape else np.all(free)
            if counts.any():
                seen.append(close(w[counts], v[counts]))
                if not seen[-1] and (rewrite.guard or ordinary or not finite(w[counts])):
                    return False
    return sum(seen) > 0.6 * len(seen)


def verify(y: Tensor, new: Tensor, rewrites: Sequence[Rewrite], bench: Bench) -> Checked | None:
    """The grade of the graph of `new`, which the rewrites made of that of `y`; None where it may not be offered."""
    if not finite(new.value, *gradients_of(new, bench.inputs)):
        return None
    varied = bench.varied(rewrites)
    with np.errstate(all="ignore"):
        equal = _equal_elsewhere(y, new, rewrites, varied, bench)
        slope = _slope_here(new, varied, bench) if equal else ""
        grade, value = _value_here(y, new, varied, bench, rewrites) if slope else ("", "")
    if value == INFINITE:
        return Checked("", (INFINITE,))
    if not grade:
        return None
    checks = (f"equal to the program at {equal} other points, in value and gradient", slope)
    if slope == MEASURED and all(r.kind in ("same", "masked", "limit") for r in rewrites):
        return Checked("same", checks)
    return Checked(grade, (*checks, value))


def _equal_elsewhere(y: Tensor, new: Tensor, rewrites: Sequence[Rewrite], varied: Any, bench: Bench) -> int:
    """At how many other points both programs were compared; 0 where they differ, or too few could be compared."""
    rng, equal, compared = np.random.default_rng(1), 0, 0
    guarded = [r for r in rewrites if r.guard and r.kind != "masked"]
    for ordinary, point in other_points(varied, rng):
        v, g = bench.slopes(y, varied, point)
        if not finite(v) or not all(np.all(is_free(r, bench.nodes(r.y, point))) for r in guarded):
            continue
        w, k = bench.slopes(new, varied, point)
        if finite(*g):
            agrees = close(w, v) and all(close(b, a) for a, b in zip(g, k))
        else:  # the gradient of the program is lost at every point: its slope is measured
            way = {s.serial: rng.standard_normal(s.shape) for s in varied}
            up, down = (bench.value(y, _moved(point, way, h)) for h in (1e-5, -1e-5))
            agrees = close(w, v) and close(_along(k, varied, way), (up - down) / 2e-5, 1e-4)
        compared, equal = compared + 1, equal + agrees
        if not agrees and (ordinary or not finite(w)):  # at the others the program may have lost its digits
            return 0
    return compared if compared >= 2 and equal >= 0.6 * compared else 0


def _moved(point: Point, way: Point, h: float) -> dict[int, Any]:
    return {serial: (v + h * way[serial])[()] for serial, v in point.items()}


def _along(gradients: Sequence[Any], varied: Sequence[Tensor], way: Point) -> float:
    """The slope along a direction."""
    return sum(float(np.sum(g * way[s.serial])) for g, s in zip(gradients, varied))


def _slope_here(new: Tensor, varied: Sequence[Tensor], bench: Bench) -> str:
    """How the gradient at the point itself compares with finite differences, in words; "" where it differs.

    It is compared along any direction, and along one that leaves 0 upwards: between both sides at a kink.
    """
    point, rng, words = here(varied), np.random.default_rng(3), ""
    value, gradients = bench.slopes(new, varied, point)
    for draw in (np.positive, np.abs):
        way = {serial: draw(rng.standard_normal(np.shape(v))) for serial, v in point.items()}
        found = _one_slope(
            _along(gradients, varied, way), value, lambda h, way=way: bench.value(new, _moved(point, way, h))
        )
        if found is None:
            return ""
        words = found if words in ("", MEASURED) else words
    return words


def _one_slope(told: float, value: float, f: Any) -> str | None:
    """Whether a slope lies between those measured on both sides, taken at the first two steps that agree, in words.

    None where it does not; "" where nothing can be measured.
    """
    agrees, steepest, last, sides = False, [], [], []  # type: bool, list[float], list[float], list[float]
    for h in (1e-4, 1e-6, 1e-9, 1e-12):
        sides = sorted(d for d in ((f(h) - value) / h, (value - f(-h)) / h) if finite(d))
        if not sides:
            break
        steepest.append(max(map(abs, sides)))
        settled = len(last) == len(sides) and close(last, np.array(sides), 1e-2)
        slack = 1e-3 * (1 + abs(told)) + 4e-16 * abs(value) / h + 1e-2 * abs(told) * settled
        inside = sides[0] - slack <= told <= sides[-1] + slack
        agrees = inside or (agrees and not settled)
        if settled:
            break
        last = sides
    if agrees or not steepest:
        return MEASURED if agrees else ""
    steeper = len(steepest) > 2 and steepest[0] + 1 < steepest[1] and steepest[1] + 1 < steepest[2]
    return CONVENTION if steeper or len(sides) == 1 else None  # a slope on one side is no gradient


class _Beside:
    """The program near this point, infinities included: the numbers that its value and its gradient tend to."""

    def __init__(self, y: Tensor, varied: Sequence[Tensor], bench: Bench) -> None:
        self.y, self.varied, self.bench = y, varied, bench
        self.point = {s.serial: np.asarray(s.value, np.float64)[()] for s in varied}

    def at(self, distance: float, only: int | None = None) -> list[tuple[float, list[Any]]]:
        """The finite values, with gradients, at four pairs of points at a distance. only : the one input that moves."""
        found = []
        for draw in range(4):
            rng = np.random.default_rng(draw)
            way = {k: rng.standard_normal(np.shape(v)) * (only in (None, k)) for k, v in self.point.items()}
            for h in (distance, -distance):
                found.append(self.bench.slopes(self.y, self.varied, _moved(self.point, way, h), exact=True))
        return [(value, gradients) for value, gradients in found if finite(value)]

    def limit(self, only: int | None = None) -> float | None:
        """The number that the value tends to; None where it does not."""
        values = [value for distance in (1e-6, 1e-7) for value, _ in self.at(distance, only)]
        return values[-1] if values and np.ptp(values) <= 1e-3 * (1 + abs(values[0])) else None

    def is_infinite(self) -> bool:
        """Whether the size of the value grows without end towards this point, like a pole or a logarithm."""
        far, middle, near = (np.median([abs(v) for v, _ in self.at(h)] or [0.0]) for h in (1e-2, 1e-4, 1e-6))
        return bool(near - middle > max(0.9 * (middle - far), 0.1))

    def gradients_agree(self, gradients: Sequence[Any]) -> bool:
        """Whether each element of the gradients is what that of the program tends to, if it tends to a number."""
        nearby = [g for distance in (1e-4, 1e-5) for _, g in self.at(distance)]
        for mine, his in zip(gradients, map(np.array, zip(*nearby))):
            level = np.median(his, axis=0)
            settled = np.all(np.abs(his - level) <= 1e-3 * (1 + np.abs(level)), axis=0)  # false for nan
            if not np.all((np.abs(mine - level) <= 5e-3 * (1 + np.abs(level))) | ~settled):
                return False
        return True


def _value_here(
    y: Tensor, new: Tensor, varied: Sequence[Tensor], bench: Bench, rewrites: Sequence[Rewrite]
) -> tuple[str, str]:
    """The grade by how value and gradient compare with those of the program here and beside, "" where they differ;
    and words."""
    beside = _Beside(y, varied, bench)
    true, _ = bench.slopes(y, varied, beside.point, exact=True)
    value, gradients = bench.slopes(new, varied, beside.point, exact=True)
    limit = level = true if finite(true) else beside.limit()
    if limit is None and len(varied) > 1:  # where one input moves alone
        alone = [found for serial in beside.point if (found := beside.limit(serial)) is not None]
        level = alone[0] if alone and np.ptp(alone) <= 1e-3 else None
    slack = max(1e-3, 8 * float(np.finfo(y.dtype).eps))
    mine = (value, float(np.sum(new.value, dtype=np.float64)))  # in float64, and in the dtype of the program
    if (level is not None and not all(close(v, level, slack) for v in mine)) or not beside.gradients_agree(gradients):
        return "", ""
    if limit is not None:
        off = max(abs(v - limit) for v in mine)
        return "limit", TENDS if off <= 1e-5 * (1 + abs(limit)) else f"the floor moves its value here by {off:.1g}"
    floor = any(r.kind == "floor" and (r.guard[1] or 0) > -1e3 for r in rewrites)  # scores of -inf stay where they are
    if floor and not beside.at(1e-3):  # a floor would make up what rounding has lost
        return "", ""
    return ("", INFINITE) if beside.is_infinite() else ("convention", NO_VALUE)
