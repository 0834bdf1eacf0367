"""The proof of a repair: three rules that a rewrite must pass before it is offered as proven.

Elsewhere: at other points, the rewritten node equals the old one in value and gradient, for all elements that the guard
leaves unchanged.

Value: at this point, the value is finite in the program's dtype, and equals the program's own value, or its limit from
all sides. If the program jumps away from its own value, there is no repair.

Slope: all gradients at this point are finite, and lie between the gradients nearby. A gradient that grows without bound
towards this point may be set to 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor
from .domains import finite, gradients_of, value_of
from .finite_differences import slope
from .guards import is_inactive
from .other_points import TINY, Bench, Point, close, nearby, other_points
from .patterns import Rewrite

#: The largest relative differences at which two values, or two slopes, count as equal.
VALUE, SLOPE = 1e-3, 1e-2

#: The report's words about the gradient at this point.
BETWEEN = "its gradient here lies between the gradients at nearby points"
ROUNDED = "its gradient here lies between its own at nearby points, where the program's is lost to rounding"
CONVENTION = "the program has no finite slope here, so that the gradient is a convention"
#: The report's words about the value at this point.
OWN = "its value here is the program's value"
TENDS = "its value here is what the program tends to"
NO_VALUE = "the program has no value here"
SELECTED = "the value and the gradient are those of the branch that is selected"
BRANCH = f"the program jumps here by its own where: {SELECTED}"


class Offer(NamedTuple):
    """Rewrites that passed the checks, the rewritten graph, the grade of the repair, and the checks in words."""

    rewrites: list[Rewrite]
    new: Tensor
    grade: str
    checks: tuple[str, ...]


def equal_points(rewrite: Rewrite, result: Tensor, bench: Bench, by_operands: bool = False) -> int | None:
    """Return the number of other points where the rewritten node equals the old one in value and gradient.

    Return None if the nodes differ, and 0 if no point could be compared. If the program loses its digits at every
    point, as log(sum(exp(x))) does if every exp underflows, a rewrite of kind "same" is compared as a function of its
    operands.

    The nodes are compared rather than the results, because a later op may square a difference or multiply it by 0. Only
    elements that the guard of the rewrite leaves unchanged are compared.

    by_operands : whether only the operands are varied.
    """
    if by_operands:
        return _equal_points(rewrite, result, bench, bench.operands([rewrite]))
    equal = _equal_points(rewrite, result, bench, bench.varied([rewrite]))
    rewrite.by_operands = equal == 0 and rewrite.kind == "same"
    return _equal_points(rewrite, result, bench, bench.operands([rewrite])) if rewrite.by_operands else equal


def _equal_points(rewrite: Rewrite, result: Tensor, bench: Bench, varied: Sequence[Tensor]) -> int | None:
    rng, seen, compared = np.random.default_rng(2), [], []
    tops = (rewrite.y, result) if rewrite.kind == "masked" else (rewrite.at, rewrite.made)
    sloped = [np.zeros(s.shape, bool) for s in varied]  # elements for which the program has a gradient at some point
    for ordinary, point in other_points(varied, rng):
        old, new = (bench.nodes(top, point) for top in tops)
        at, made = old[rewrite.at.serial], new[rewrite.made.serial]
        v, w = value_of(at), value_of(made)
        if v.shape != w.shape:
            return None
        free = is_inactive(rewrite, old) if rewrite.guard else np.True_
        counts = np.isfinite(v) & (free if free.shape == v.shape else free.all())
        if counts.any():
            upstream = rng.standard_normal(v.shape) * counts
            expected, got = (bench.gradients(top, nodes, varied, upstream) for top, nodes in ((at, old), (made, new)))
            finite_slopes = [*map(np.isfinite, expected)]
            equal = close(w[counts], v[counts]) and all(
                close(g[k], e[k], 1e-5) for g, e, k in zip(got, expected, finite_slopes)
            )
            seen.append(equal)
            if not equal and (rewrite.guard or ordinary or not finite(w[counts])):
                return None
            sloped = [s | k for s, k in zip(sloped, finite_slopes)]
            compared += [(point, counts, upstream, got)] if equal else []
    rewrite.by_differences = bool(compared) and not all(s.all() for s in sloped)
    if rewrite.by_differences:
        values = lambda point: value_of(bench.nodes(tops[0], point)[rewrite.at.serial])
        slopes = (_equals_differences(values, *one, varied, sloped) for one in compared)
        measured = [equal for equal in slopes if equal is not None]
        rewrite.by_differences = bool(measured)
        # If the program has no gradient and no slope could be measured, nothing is proven.
        seen = measured if measured or not any(s.any() for s in sloped) else seen
    return len(seen) if not seen or sum(seen) > 0.6 * len(seen) else None


def _equals_differences(
    values: Callable[[Point], Any],
    point: Point,
    counts: Any,
    upstream: Any,
    got: Sequence[Any],
    varied: Sequence[Tensor],
    sloped: Sequence[Any],
) -> bool | None:
    """Return whether a rewritten node's gradient equals the slope of the program's values in a random direction.

    The direction leaves out the `sloped` elements, whose gradients were compared directly. Return None if there is
    nothing to compare: no element is left, or the values have no slope.

    values : computes the program's values at a point. got : the rewritten node's gradients.
    """
    rng = np.random.default_rng(3)
    way = [rng.standard_normal(s.shape) * (~k & np.isfinite(g)) for s, k, g in zip(varied, sloped, got)]
    if not any(w.any() for w in way):
        return None
    moved = lambda h: values({s.serial: point[s.serial] + h * w for s, w in zip(varied, way)})
    measured = slope(lambda h: np.sum(moved(h)[counts] * upstream[counts]))
    mine = sum(np.sum(w[w != 0] * g[w != 0]) for w, g in zip(way, got))
    return None if measured.kink or measured.edge else close(mine, measured.value, 1e-4)


def compared_with(rewrites: Sequence[Rewrite], where: str = "") -> str:
    """Describe in words how rewrites were compared with the program."""
    points = "values of its operands" if any(r.by_operands for r in rewrites) else "points"
    how = "in value and gradient"
    if any(r.by_differences for r in rewrites):
        how = "in value and in the slope of its values, since its gradient is not finite at any of them"
    return f"equal to the program {where}at {min(r.equal for r in rewrites)} other {points}, {how}"


def verify(y: Tensor, new: Tensor, rewrites: list[Rewrite], bench: Bench) -> Offer | None:
    """Check rewrites that change the graph of `y` to the graph of `new`; return an offer, or None if a check fails."""
    if not finite(new.value, *gradients_of(new, bench.inputs)):
        return None
    around = Neighbourhood(y, new, rewrites, bench)
    if not around.keeps_its_digits():
        return None
    grade, value = around.value()
    slope = around.slope() if grade else ""
    if not slope:
        return None
    if slope in (BETWEEN, ROUNDED) and all(r.kind in ("same", "masked", "limit") for r in rewrites):
        grade, value = "same", BRANCH if value == BRANCH else ""
    said = [value] if value == BRANCH else [] if value == NO_VALUE else [slope, value]
    return Offer(rewrites, new, grade, tuple(filter(None, [compared_with(rewrites), *said])))


class Neighbourhood:
    """A comparison of the program and the rewritten program at this point and near it.

    Its methods are the rules on digits, value and slope.

    point : the values of the inputs at this point, by serial.
    value_here, gradients : the rewritten program's value and gradients at this point, in float64.
    scale : the scale of the distances, by serial.
    """

    def __init__(self, y: Tensor, new: Tensor, rewrites: Sequence[Rewrite], bench: Bench) -> None:
        self.y, self.new, self.rewrites, self.bench = y, new, rewrites, bench
        self.varied = varied = bench.moving(bench.varied(rewrites))
        self.point = {s.serial: np.asarray(s.value, np.float64)[()] for s in varied}
        self.value_here, self.gradients = bench.slopes(new, varied, self.point, exact=True)
        exact = all(r.kind == "same" for r in rewrites)
        self.scale = {k: self._scale(v, g) if exact else 1.0 for (k, v), g in zip(self.point.items(), self.gradients)}

    def keeps_its_digits(self) -> bool:
        """Return whether the last digits of intermediate results have no effect on the value and the gradients.

        This is tested only if an input is so close to 0 that rounding may lose it. A rewrite that clamps to the end of
        a domain then fails, because the number may have been lost to rounding. The gradients in the program's dtype are
        also compared with the gradients in float64.
        """
        if not any(np.any((v != 0) & (np.abs(v) < TINY)) for v in self.point.values()):
            return True
        if any(r.kind == "end" for r in self.rewrites) or not self.bench.steady(self.new, self.varied, self.point):
            return False
        most = max([1.0, *(np.max(np.abs(g), initial=0) for g in self.gradients)])
        own = gradients_of(self.new, self.varied)
        return all(close(g / most, h / most, 1e-3) for g, h in zip(own, self.gradients))

    def _scale(self, v: Any, gradient: Any) -> Any:
        """Return, for each number in `v`, the scale of its changes: its size if it is tiny but matters, else 1.

        It matters if it affects the value by more than rounding does.
        """
        varies = np.abs(gradient * v) > 1e-8 * abs(self.value_here)
        return np.where((v != 0) & (np.abs(v) < TINY) & varies, np.abs(v), 1.0)[()]

    def beside(self, y: Tensor, distance: float) -> list[tuple[float, list[Any]]]:
        """Return the value and gradients of `y` at each of eight nearby points, at a distance relative to `scale`."""
        points = nearby(self.point, distance, self.scale)
        return [self.bench.slopes(y, self.varied, point, exact=True) for point in points]

    def values(self, distance: float) -> Any:
        """Return the values of the program at a distance from this point."""
        return np.array([value for value, _ in self.beside(self.y, distance)])

    def limit(self) -> float | None:
        """Return the limit of the program's value at this point, or None if there is none.

        Very near this point, the program may lose digits and seem to have a limit, as 1 / (sinh(x) - x) - 1 / (x -
        sin(x)) does at 0. Therefore, return None also if the values at larger distances are not finite or differ too
        much from the limit.
        """
        for distance in (1e-6, 1e-4):
            near = np.concatenate([self.values(h * distance) for h in (1, 0.1)])
            near = near[~np.isnan(near)]  # points outside the domain do not count
            if near.size and finite(near) and np.ptp(near) <= VALUE * (1 + abs(near[0])):
                far, middle = (np.abs(self.values(h) - near[-1]) for h in (1e-2, 1e-3))
                distances, slack = middle[~np.isnan(middle)], 2 * np.nanmax([0, *far]) + VALUE * (1 + abs(near[-1]))
                return float(near[-1]) if distances.size and finite(distances) and distances.max() <= slack else None
        return None

    def indeterminate(self) -> bool:
        """Return whether the graph has a power with an infinite argument: 1 ** inf is 1 only by convention."""
        powers = [n for n in self.bench.nodes(self.y, self.point, exact=True).values() if n.op is OPS["power"]]
        return not finite(*(value_of(a) for node in powers for a in node.args))

    def jumps_away(self, true: float) -> bool:
        """Return whether, on some side of this point, the program is infinite or jumps away from its value here."""
        values = [self.values(distance) for distance in (1e-4, 1e-6, 1e-8)]
        gaps = [np.max(np.abs(v - true), initial=0, where=~np.isnan(v)) for v in values]
        return min(gaps) > VALUE * (1 + abs(true)) and gaps[2] >= 0.95 * gaps[1]

    def slope(self) -> str:
        """Describe how the gradient at this point compares with the gradients nearby; return "" if they disagree.

        The gradients nearby are the program's, or the rewritten program's if the program has none. If all rewrites are
        of kind "same" and the program's gradient nearby depends on the last digits of numbers, the rewritten program's
        gradients nearby are used.
        """
        words = self._slope(self.y)
        if words or any(r.kind != "same" for r in self.rewrites):
            return words
        near = next(nearby(self.point, 1e-6, self.scale))
        if not self.bench.steady(self.new, self.varied, near) or self.bench.steady(self.y, self.varied, near):
            return ""
        return ROUNDED if self._slope(self.new) == BETWEEN else ""

    def _slope(self, counts: Tensor) -> str:
        """Do the work of `slope`.

        counts : the graph whose gradients nearby are used; those that are not finite are taken from the new program.
        """
        here, both = _flat(self.gradients), []
        for distance in (1e-3, 1e-4, 1e-6, 1e-9):
            program, rewritten = (
                [_flat(g) for v, g in self.beside(y, distance) if finite(v)] for y in (counts, self.new)
            )
            if not rewritten:
                return ""
            own, other = (np.array([np.fmin.reduce(g), np.fmax.reduce(g)]) for g in (program or rewritten, rewritten))
            both.append(np.where(np.isfinite(own), own, other))
        ends, slack = np.array(both), VALUE + SLOPE * np.abs(here)
        inside = (ends[:, 0] - slack <= here) & (here <= ends[:, 1] + slack)
        settled = np.all(np.abs(np.diff(ends, axis=0)) <= SLOPE * (1 + np.abs(ends[1:])), axis=1)
        agrees = np.select(list(settled), list(inside[1:]), inside.any(axis=0))
        first, then = np.diff(np.abs(ends[1:]).max(axis=1), axis=0)
        # Whether each element's gradient grows without bound towards this point.
        grows = ~settled[:2].any(axis=0) & (first > 0) & (then > 0.9 * first)
        cut = any(r.kind == "end" for r in self.rewrites)  # a rewrite sets the slope to 0
        return BETWEEN if (agrees & ~(grows & cut)).all() else CONVENTION if (agrees | grows).all() else ""

    def value(self) -> tuple[str, str]:
        """Compare the value with the program's values at this point and nearby; return the grade and its sentence.

        Both are "" if the values differ.
        """
        true, _ = self.bench.slopes(self.y, self.varied, self.point, exact=True)
        own = finite(true) and not self.indeterminate()
        limit = true if own else self.limit()
        new = (
            self.value_here,
            float(np.sum(self.new.value, dtype=np.float64)),
        )  # the new value in float64, and in the program's dtype
        slack = max(VALUE, 8 * float(np.finfo(self.y.dtype).eps))
        if limit is not None and not all(close(v, limit, slack) for v in new):
            return "", ""
        kinds = {r.kind for r in self.rewrites}
        if own:
            if self.jumps_away(true):  # a jump to another branch of a where does not affect the repaired node
                return ("limit", BRANCH) if kinds == {"masked"} else ("", "")
            return "limit", OWN
        if limit is not None:
            return "limit", TENDS
        if "end" in kinds or finite(self.values(1e-6), self.values(1e-4)):  # the program jumps
            return "", ""
        return "convention", NO_VALUE


def _flat(gradients: Sequence[Any]) -> Any:
    """Join the elements of several gradients into one array, with nan instead of infinities."""
    flat = np.concatenate([np.ravel(g) for g in gradients])
    return np.where(np.isfinite(flat), flat, np.nan)
