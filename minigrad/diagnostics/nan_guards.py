"""Rewrites that keep an argument inside the domain of its op: behind a where, by the limit at a hole, by a floor."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ..core.graph import ancestors
from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input
from .finite_differences import tends_to
from .nan_bench import TINY, Bench
from .nan_domains import Bounds, bounds_of, finite, gradients_of, numbers_in, outside, suspects, value_of
from .nan_patterns import Rewrite, options_of

#: How the ops of two operands are written; all others are calls.
OWN = {"divide": "a / b", "power": "a ** b", "xlogy": "xlogy(a, b)"}
COMPARED = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}


def guards(y: Tensor, bench: Bench) -> Iterator[Rewrite]:
    """Guards for each suspect of the graph of `y`, the oldest first."""
    users: dict[int, list[Tensor]] = {}
    for node in graph_of(y):
        for a in node.args:
            if isinstance(a, Tensor):
                users.setdefault(a.serial, []).append(node)
    for node in suspects(y, bench.inputs):
        bounds = bounds_of(node)
        if bounds is None:
            continue
        x, me = node.args[bounds.argument], "ab"[bounds.argument]
        own = OWN.get(node.op.name, f"{node.op.name}(a, **k)")
        letters = "ab" if node.op.name in OWN else "a"
        bound = dict(zip(letters, node.args)) | {"k": options_of(node, len(letters))}
        for condition, selected in _selecting(node, x, users):
            read = _read_again(condition, node)
            if read is None:
                continue
            text, more = read
            inside = f"where({text}, {me}, {bounds.inside})" if selected else f"where({text}, {bounds.inside}, {me})"
            masked = (condition, None, selected)
            yield Rewrite(y, node, _put(own, me, inside), bound | more, "masked", masked, own)
        if node.op.name == "divide" and isinstance(x, Tensor):
            hole: Any = (value_of(node.args[0]) == 0) & (value_of(x) == 0)
            for waist in islice(_waists(node), 1):
                for line, where, _ in _limit(node, waist, hole, bench):
                    template = f"where({where}, {line}, a / where({where}, 1.0, b))"
                    yield Rewrite(y, node, template, bound | {"x": waist}, "limit", (), own)
        if bounds.low is not None and (finite(node.value) or not bounds.hole):  # kept at the end, with a slope of 0
            end, high = float(round(bounds.low)), None if bounds.high is None else 1.0
            within = f"{me} != 0" if bounds.hole else f"{me} > {end:g}" if high is None else f"abs({me}) < 1"
            safe, fixed = (
                _put(own, me, e) for e in (f"where({within}, {me}, {bounds.inside})", f"stop_gradient({me})")
            )
            yield Rewrite(y, node, f"where({within}, {safe}, {fixed})", bound, "floor", (x, end, high), own)
        for inside, low, high in _floors(me, x, bounds):
            yield Rewrite(y, node, _put(own, me, inside), bound, "floor", (x, low, high), own)


def _put(own: str, letter: str, inside: str) -> str:
    """A template with an expression in the place of a letter."""
    return re.sub(rf"\b{letter}\b", inside, own)


def _selecting(node: Tensor, x: Any, users: Mapping[int, list[Tensor]]) -> Iterator[tuple[Any, bool]]:
    """The conditions of each `where` after a node, and whether they select it."""
    wave, seen = [node], {node.serial}
    while wave:
        now = wave.pop()
        for user in users.get(now.serial, []):
            condition = user.args[0]
            if user.op.name == "where" and condition is not now and np.shape(condition) == np.shape(x):
                yield condition, user.args[1] is now
            if user.serial not in seen:
                seen.add(user.serial)
                wave.append(user)


def _read_again(condition: Any, node: Tensor) -> tuple[str, dict[str, Any]] | None:
    """A condition where a node is computed, as a template and its letters: a younger one is compared there anew."""
    older = lambda v: not isinstance(v, Tensor) or v.serial < node.serial
    if older(condition):
        return "c", {"c": condition}
    if is_input(condition) or condition.op.name not in COMPARED or not all(map(older, condition.args)):
        return None
    return f"p {COMPARED[condition.op.name]} q", dict(zip("pq", condition.args))


def _floors(a: str, x: Any, bounds: Bounds) -> Iterator[tuple[str, float, float | None]]:
    """An argument kept inside its domain, with the ends.

    None for an argument that is outside by more than rounding: another number is no repair then.
    """
    _, low, high, _, hole = bounds
    v = value_of(x)
    sizes = [np.abs(value_of(n)).max(initial=0) for n in numbers_in(getattr(x, "args", ()))]
    rounding = 64 * float(np.finfo(v.dtype).eps if v.dtype.kind == "f" else 0) * max([abs(low or 0), high or 0, *sizes])
    v = v[np.isfinite(v)]
    if low is None or (not hole and (v < min(low, round(low, 2)) - rounding).any()):
        return
    if high is not None and (v > high + rounding).any():
        return
    yield f"maximum({a}, {low!r})" if high is None else f"clip({a}, {low!r}, {high!r})", low, high
    if hole:
        yield f"where(abs({a}) < {low!r}, {low!r}, {a})", low, None


def is_free(rewrite: Rewrite, nodes: dict[int, Tensor]) -> Any:
    """Where, element by element, the guard of a rewrite does nothing at a replayed point."""
    argument, low, high = rewrite.guard
    a = value_of(nodes[argument.serial] if isinstance(argument, Tensor) else argument)
    if rewrite.kind == "masked":
        return a == high
    bounds = bounds_of(rewrite.at) if rewrite.at.op is not None else None
    a = abs(a) if bounds is not None and bounds.hole else a  # open on both sides: a floor changes what is negative
    return (True if low is None else a > low) & (True if high is None else a < high)  # at an end nothing is compared


def holes(y: Tensor, bench: Bench) -> Iterator[Rewrite]:
    """Whole expressions without a value here that tend to one, the shortest first, computed beside this point there."""
    lost: dict[int, Any] = {}
    point = {s.serial: np.asarray(s.value, np.float64)[()] for s in bench.cut}
    exact = bench.nodes(y, point, exact=True)  # what only overflows in the dtype of the program has no hole
    for node in graph_of(y):
        if node.serial in point or node.serial not in exact or isinstance(node.value, tuple) or node.dtype.kind != "f":
            continue
        value = exact[node.serial].value
        hole = ~np.isfinite(value) | _steep(node)
        for a in node.args:
            if isinstance(a, Tensor) and a.serial in lost:
                hole = hole | (lost[a.serial] if a.shape == node.shape else True)
        if hole.any():
            lost[node.serial] = hole
            if np.isinf(value).any():  # rounding made 1e-17 / 0 of 0 / 0, or it is a pole
                continue
            for x in islice(_waists(node), 3 * (len(lost) < 12 and node.op.name != "where")):
                for line, where, safe in _limit(node, x, hole, bench):
                    template = f"where({where}, {line}, f)"
                    yield Rewrite(y, node, template, {"x": x, "f": node}, "limit", (), "f", safe=safe)


def _steep(node: Tensor) -> Any:
    """The elements of an elementwise node that are finite while the slope is not, as the root of 0."""
    bounds = bounds_of(node)
    if bounds is None or not node.op.elementwise or not outside(node):
        return np.False_
    x = node.args[bounds.argument]
    slopes = gradients_of(node, [x])[0] if isinstance(x, Tensor) else np.zeros(())
    return np.isfinite(node.value) & ~np.isfinite(slopes) if slopes.shape == node.shape else np.False_


def simple(v: Any, digits: int) -> str:
    """The fraction that a measured limit stands for, 1/6 for 0.16666667, else so many digits."""
    fraction = float(Fraction(float(v)).limit_denominator(24))
    return f"{fraction if abs(v - fraction) < 1e-8 * (1 + abs(v)) else v:.{digits}g}"


def _limit(node: Tensor, x: Tensor, hole: Any, bench: Bench) -> Iterator[tuple[str, str, str]]:
    """The line that a node tends to at a hole, the condition for the hole, and `x` moved away from there, as texts.

    Nothing where the elements are different functions of `x`, or where the sides differ. It is a limit at this point
    alone: another hole stays.
    """
    hole = np.broadcast_to(hole, node.shape)
    if not hole.any() or not finite(x.value) or np.ptp(x.value[hole]):
        return
    center = float(x.value[hole][0])
    if 0 < abs(center) < TINY:  # the hole is at 0, and rounding made it wider
        return

    def at(v: float) -> Any:
        values = bench.nodes(node, {x.serial: np.full(x.shape, v)[()]})[node.serial].value
        return np.ravel(values)

    near = np.concatenate([at(center + h) for h in (1e-5, 3e-5, -1e-5, -3e-5)])
    near = near[~np.isnan(near)]
    if not near.size or not finite(near) or np.ptp(near) > 1e-2 * (1 + np.abs(near[0])):
        return
    digits, step = (7 if np.finfo(node.dtype).bits < 64 else 11), 0.02
    level, tilt = tends_to(lambda h: at(center + h), step)
    if not finite(level, tilt):  # for functions that bend more
        level, tilt = tends_to(lambda h: at(center + h), step / 4)
    away = [center + h for h in (1.0, -1.0, 0.5, -0.5, 0.1, -0.1)]
    safe = next((v for v in away if finite(at(v))), None)
    if safe is None or not finite(level, tilt) or np.ptp(level) > 1e-7 or np.ptp(tilt) > 1e-6:
        return
    side = lambda h: 3 * at(center + h) - 3 * at(center + 2 * h) + at(center + 3 * h)
    gaps = np.array([np.abs(side(h) - side(-h)) for h in (1e-3, 2e-3, 4e-3)])
    if ((gaps.min(axis=0) > 1e-9) & (gaps.max(axis=0) < 1.5 * gaps.min(axis=0))).any():  # as wide at each distance
        return
    number, slope, where = simple(level.mean(), digits), simple(tilt.mean(), digits), f"x == {center:.9g}"
    line = f"{slope} * {f'(x - {center:.9g})' if center else 'x'}".removeprefix("1 * ") if float(slope) else number
    if float(slope) and float(number):
        line = f"{number} + {line}".replace("+ -", "- ")
    yield line, where, f"where({where}, {safe:.9g}, x)"


def _waists(node: Tensor) -> Iterator[Tensor]:
    """The floats that a node is an elementwise function of, the youngest first."""
    for x in reversed(graph_of(node)[:-1]):
        if isinstance(x.value, tuple) or x.shape != node.shape or x.dtype.kind not in "fiu":
            continue
        behind = [n for n in ancestors([node], enter=partial(operator.is_not, x)) if n is not x]
        if not any(is_input(n) or (x.ndim and not n.op.elementwise) for n in behind):
            yield x
