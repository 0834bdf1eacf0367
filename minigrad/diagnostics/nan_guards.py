"""Rewrites that keep an argument inside the domain of its op: behind a where, by the limit at a hole, by a floor."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ..core.graph import ancestors
from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input
from .finite_differences import tends_to
from .nan_bench import Bench, here
from .nan_domains import Bounds, bounds_of, finite, suspects, value_of
from .nan_patterns import Rewrite, options_of

#: How the ops of two operands are written; all others are calls.
OWN = {"divide": "a / b", "power": "a ** b", "xlogy": "xlogy(a, b)"}


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
            inside = f"where(c, {me}, {bounds.inside})" if selected else f"where(c, {bounds.inside}, {me})"
            guard = (condition, None, selected)
            yield Rewrite(y, node, _put(own, me, inside), bound | {"c": condition}, "masked", guard, own)
        if node.op.name == "divide" and isinstance(x, Tensor):
            for limit, hole, waist in limits_of(node, bench):
                template = f"where({hole}, {limit}, a / where({hole}, 1.0, b))"
                yield Rewrite(y, node, template, bound | {"x": waist}, "limit", (), own)
        for inside, low, high in _floors(me, value_of(x), bounds):
            yield Rewrite(y, node, _put(own, me, inside), bound, "floor", (x, low, high), own)


def _put(own: str, letter: str, inside: str) -> str:
    """A template with an expression in the place of a letter."""
    return re.sub(rf"\b{letter}\b", inside, own)


def _selecting(node: Tensor, x: Any, users: Mapping[int, list[Tensor]]) -> Iterator[tuple[Any, bool]]:
    """The conditions, older than a node, of each `where` after it, and whether they select it."""
    wave, seen = [node], {node.serial}
    while wave:
        now = wave.pop()
        for user in users.get(now.serial, []):
            condition = user.args[0]
            older = not isinstance(condition, Tensor) or condition.serial < node.serial
            if user.op.name == "where" and condition is not now and older and np.shape(condition) == np.shape(x):
                yield condition, user.args[1] is now
            if user.serial not in seen:
                seen.add(user.serial)
                wave.append(user)


def _floors(a: str, v: Any, bounds: Bounds) -> Iterator[tuple[str, float, float | None]]:
    """An argument kept inside its domain, with the ends; then by a far smaller floor, if the first moves the value.

    None for an argument that is outside by more than rounding: another number is no repair then.
    """
    _, low, high, _, hole, least = bounds
    v = v[np.isfinite(v)]
    if low is None or (not hole and (v < low - 1e-3).any()) or (high is not None and (v > high + 1e-3).any()):
        return
    for floor in (low, least) if 0 < low < 1e-2 else (low,):
        yield f"maximum({a}, {floor!r})" if high is None else f"clip({a}, {floor!r}, {high!r})", floor, high
        if hole:
            yield f"where(abs({a}) < {floor!r}, {floor!r}, {a})", floor, None


def is_free(rewrite: Rewrite, nodes: dict[int, Tensor]) -> Any:
    """Where, element by element, the guard of a rewrite does nothing at a replayed point."""
    argument, low, high = rewrite.guard
    a = value_of(nodes[argument.serial] if isinstance(argument, Tensor) else argument)
    if rewrite.kind == "masked":
        return a == high
    bounds = bounds_of(rewrite.at) if rewrite.at.op is not None else None
    a = abs(a) if bounds is not None and bounds.hole else a  # open on both sides: a floor changes what is negative
    return (a >= (-np.inf if low is None else low)) & (a <= (np.inf if high is None else high))


def simple(v: Any) -> float:
    """The fraction that a measured limit stands for, 1/6 for 0.16666667, else six digits."""
    fraction = Fraction(float(v)).limit_denominator(24)
    return float(fraction) if abs(v - fraction) < 1e-7 else float(f"{v:.6g}")


def limits_of(node: Tensor, bench: Bench) -> Iterator[tuple[str, str, Tensor]]:
    """What a quotient tends to at 0 / 0, as text: a number, or a line in the one Tensor that it depends on; then where.

    Nothing where that depends on other elements. It is a limit at this point alone: elsewhere, a divisor of 0 stays.
    """
    x = _waist(node)
    hole = np.broadcast_to(value_of(node.args[1]) == 0, node.shape)
    if x is None or not hole.any() or np.ptp(x.value[hole]):
        return
    start, only = here(x), np.zeros(hole.size, bool)
    center = float(start[hole][0])
    only[np.flatnonzero(hole)[0]] = True
    other = start + np.random.default_rng(0).standard_normal(start.shape)

    def beside(h: float) -> Any:
        """The elements at the hole, then the first of them while all others are elsewhere."""
        moved = [(start, hole), (other, only.reshape(hole.shape))]
        points = [(np.where(part, center + h, base)[()], part) for base, part in moved]
        return np.concatenate([value_of(bench.nodes(node, {x.serial: at})[node.serial])[part] for at, part in points])

    rough = np.concatenate([beside(h) for h in (1e-4, -1e-4)])
    level, tilt = tends_to(beside)
    if not finite(rough, level, tilt) or np.ptp(rough) > 2e-3 or np.ptp(level) > 1e-6 or np.ptp(tilt) > 1e-6:
        return
    slope, where, away = simple(tilt.mean()), f"x == {center:g}", f"(x - {center:g})" if center else "x"
    yield f"{simple(level.mean()):.8g}", where, x
    if slope:
        yield f"{simple(level.mean()):.8g} {'-+'[slope > 0]} {abs(slope):.8g} * {away}", where, x


def _waist(node: Tensor) -> Tensor | None:
    """The youngest float of the shape of a node through which its inputs pass; None where there is none."""
    for x in reversed(graph_of(node)[:-1]):
        behind = ancestors([node], enter=partial(operator.is_not, x))
        if x.shape == node.shape and x.dtype.kind == "f" and all(n is x for n in behind if is_input(n)):
            return x
    return None
