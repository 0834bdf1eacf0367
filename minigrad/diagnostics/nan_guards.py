"""Rewrites that keep an argument inside the domain of its op: behind a where, by the limit at a hole, by a floor."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ..core.graph import ancestors
from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input
from .nan_bench import Bench, here
from .nan_domains import Bounds, bounds_of, finite, suspects, value_of
from .nan_patterns import Rewrite, options_of


def guards(y: Tensor, bench: Bench) -> Iterator[Rewrite]:
    """Guards for each suspect of the graph of `y`, the oldest first, and for scores of -inf that went in."""
    users: dict[int, list[Tensor]] = {}
    for node in graph_of(y):
        for a in node.args:
            if isinstance(a, Tensor):
                users.setdefault(a.serial, []).append(node)
    for node in suspects(y, bench.inputs):
        bounds = bounds_of(node)
        if bounds is not None:
            yield from _Guard(y, node, bounds).behind_a_where(users)
            yield from _Guard(y, node, bounds).limits(bench)
            yield from _Guard(y, node, bounds).floors()
    for s in bench.inputs:
        if (s.value == -np.inf).any() and not np.isnan(s.value).any():
            low = -6e4 if s.dtype == np.float16 else -1e9
            yield Rewrite(y, s, f"maximum(x, {low!r})", {"x": s}, "floor", (s, low, None))


class _Guard:
    """The guards of one argument of one node."""

    def __init__(self, y: Tensor, node: Tensor, bounds: Bounds) -> None:
        self.y, self.node, self.bounds, self.name = y, node, bounds, node.op.name
        self.x = node.args[bounds.argument]
        letters = ["a", "b"] if self.name in ("divide", "power", "xlogy") else ["a"]
        self.letter = letters[bounds.argument]
        self.bound = dict(zip(letters, node.args)) | {"k": options_of(node, len(letters))}
        self.letters = letters

    def call(self, argument: str) -> str:
        """The node with another argument, as a template."""
        if self.name == "divide":
            return f"a / {argument}"
        if self.name == "power":
            return f"{argument} ** b"
        given = ", ".join(argument if letter == self.letter else letter for letter in self.letters)
        return f"{self.name}({given}, **k)" if self.bound["k"] else f"{self.name}({given})"

    def rewrite(self, template: str, kind: str, guard: tuple[Any, ...] = (), **bound: Any) -> Rewrite:
        return Rewrite(self.y, self.node, template, self.bound | bound, kind, guard)

    def behind_a_where(self, users: dict[int, list[Tensor]]) -> Iterator[Rewrite]:
        """The argument replaced where a later `where`, whose condition is older than the node, does not select it."""
        wave, seen = [self.node], {self.node.serial}
        while wave:
            node = wave.pop()
            for user in users.get(node.serial, []):
                condition = user.args[0]
                if user.op.name == "where" and condition is not node and self._fits(condition):
                    selected = user.args[1] is node
                    inside, me = self.bounds.inside, self.letter
                    sides = f"where(c, {me}, {inside})" if selected else f"where(c, {inside}, {me})"
                    yield self.rewrite(self.call(sides), "masked", (condition, None, selected), c=condition)
                if user.serial not in seen:
                    seen.add(user.serial)
                    wave.append(user)

    def _fits(self, condition: Any) -> bool:
        older = not isinstance(condition, Tensor) or condition.serial < self.node.serial
        return older and value_of(condition).shape == value_of(self.x).shape

    def limits(self, bench: Bench) -> Iterator[Rewrite]:
        """A quotient with its limit at 0 / 0."""
        if self.name == "divide" and isinstance(self.x, Tensor):
            for limit, hole, letters in limits_of(self.node, bench):
                yield self.rewrite(f"where({hole}, {limit}, a / where({hole}, 1.0, b))", "limit", (), **letters)

    def _is_far(self) -> bool:
        """Whether the argument is outside of the domain by more than rounding: another number is no repair then."""
        low, high = self.bounds.low, self.bounds.high
        v = value_of(self.x)[np.isfinite(value_of(self.x))]
        below = low is not None and not self.bounds.hole and bool((v < low - 1e-3).any())
        return below or (high is not None and bool((v > high + 1e-3).any()))

    def floors(self) -> Iterator[Rewrite]:
        """The argument kept inside its domain, and by a far smaller floor, for where the first moves the value."""
        _, low, high, _, hole, least = self.bounds
        if self._is_far():
            return
        small = low is not None and 0 < low < 1e-2
        for floor in (low, least) if small else (low,):
            if floor is not None and high is not None:
                inside = f"clip({self.letter}, {floor!r}, {high!r})"
            elif floor is not None:
                inside = f"maximum({self.letter}, {floor!r})"
            else:
                inside = f"minimum({self.letter}, {high!r})"
            yield self.rewrite(self.call(inside), "floor", (self.x, floor, high))
            if hole:
                inside = f"where(abs({self.letter}) < {floor!r}, {floor!r}, {self.letter})"
                yield self.rewrite(self.call(inside), "floor", (self.x, floor, None))


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


def extrapolated(f: Callable[[float], Any], step: float = 0.02) -> Any:
    """The value at 0 of an even function of a distance that is smooth, from its values at three distances."""
    wide, middle, near = f(step), f(step / 2), f(step / 4)
    return (16 * (4 * near - middle) - (4 * middle - wide)) / 45


def limits_of(node: Tensor, bench: Bench) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What a quotient tends to at 0 / 0, as text: a number, or a line in the one Tensor that it depends on; then where.

    Nothing where that depends on other elements. It is a limit at this point alone: elsewhere, a divisor of 0 stays.
    """
    x = _waist(node)
    hole = np.broadcast_to(value_of(node.args[1]) == 0, node.shape)
    if x is None or not hole.any() or np.ptp(x.value[hole]):
        return
    start, only = np.asarray(here([x])[x.serial]), np.zeros(hole.size, bool)
    center = float(start[hole][0])
    only[np.flatnonzero(hole)[0]] = True
    other = start + np.random.default_rng(0).standard_normal(start.shape)

    def beside(h: float) -> Any:
        """The elements at the hole, then the first of them while all others are elsewhere."""
        moved = [(start, hole), (other, only.reshape(hole.shape))]
        points = [(np.where(part, center + h, base)[()], part) for base, part in moved]
        return np.concatenate([value_of(bench.nodes(node, {x.serial: at})[node.serial])[part] for at, part in points])

    rough = np.concatenate([beside(h) for h in (1e-4, -1e-4)])
    level = extrapolated(lambda h: (beside(h) + beside(-h)) / 2)
    tilt = extrapolated(lambda h: (beside(h) - beside(-h)) / (2 * h))
    if not finite(rough, level, tilt) or np.ptp(rough) > 2e-3 or np.ptp(level) > 1e-6 or np.ptp(tilt) > 1e-6:
        return
    slope, where, away = simple(tilt.mean()), f"x == {center:g}", f"(x - {center:g})" if center else "x"
    yield f"{simple(level.mean()):.8g}", where, {"x": x}
    if slope:
        yield f"{simple(level.mean()):.8g} {'-+'[slope > 0]} {abs(slope):.8g} * {away}", where, {"x": x}


def _waist(node: Tensor) -> Tensor | None:
    """The youngest float of the shape of a node through which its inputs pass; None where there is none."""
    for x in reversed(graph_of(node)[:-1]):
        behind = ancestors([node], enter=partial(operator.is_not, x))
        if x.shape == node.shape and x.dtype.kind == "f" and all(n is x for n in behind if is_input(n)):
            return x
    return None
