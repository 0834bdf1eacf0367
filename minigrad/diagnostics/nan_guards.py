"""Rewrites that keep an argument inside the domain of its op: behind a where, by the limit at a hole, by a floor."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from ..core.graph import ancestors
from ..core.tensor import Tensor
from ..tracing.replay import graph_of
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
            for limit, letters in limits_of(self.node, bench):
                yield self.rewrite(f"where(b == 0, {limit}, a / where(b == 0, 1.0, b))", "limit", (), **letters)

    def floors(self) -> Iterator[Rewrite]:
        """The argument kept inside its domain, and by a far smaller floor, for where the first moves the value."""
        _, low, high, _, hole, least = self.bounds
        if self.name == "power" and (value_of(self.x) < 0).any():
            yield self.rewrite("sign(a) * abs(a) ** b", "floor", (self.x, 0.0, None))
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


def simple(v: float) -> float:
    """The fraction that a measured limit stands for, 1/6 for 0.16666667, else six digits."""
    fraction = Fraction(v).limit_denominator(24)
    return float(fraction) if abs(v - fraction) < 1e-7 else float(f"{v:.6g}")


def extrapolated(f: Callable[[float], Any], step: float = 0.02) -> Any:
    """The value at 0 of an even function of a distance that is smooth, from its values at three distances."""
    wide, middle, near = f(step), f(step / 2), f(step / 4)
    return (16 * (4 * near - middle) - (4 * middle - wide)) / 45


def limits_of(node: Tensor, bench: Bench) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a quotient tends to where its divisor is 0, as text, with the letters in it: a number, or a line in the one
    input. Nothing where that depends on the way there."""
    hole = np.broadcast_to(value_of(node.args[1]) == 0, node.shape)
    before = {a.serial for a in ancestors([node])}
    behind = [s for s in bench.inputs if s.serial in before]
    start, rng = here(behind), np.random.default_rng(0)
    ways = [{s.serial: rng.standard_normal(s.shape) for s in behind} for _ in range(2)]

    def beside(way: dict[int, Any], h: float) -> Any:
        point = {serial: (v + h * way[serial])[()] for serial, v in start.items()}
        return np.asarray(bench.nodes(node, point)[node.serial].value)[hole].ravel()

    def middle(way: dict[int, Any], h: float) -> Any:
        return (beside(way, h) + beside(way, -h)) / 2

    rough = np.concatenate([beside(way, h) for way in ways for h in (1e-4, -1e-4)])
    if not rough.size or not finite(rough) or np.ptp(rough) > 2e-3:
        return
    levels = [extrapolated(functools.partial(middle, way)) for way in ways]
    if not finite(*levels) or np.ptp(levels) > 1e-6:
        return
    level = simple(float(np.mean(levels)))
    yield f"{level:.8g}", {}
    if len(behind) != 1 or behind[0].shape != node.shape:
        return
    up = {behind[0].serial: np.ones(node.shape)}
    tilts = extrapolated(lambda h: (beside(up, h) - beside(up, -h)) / (2 * h))
    centers = np.asarray(start[behind[0].serial])[hole]
    if finite(tilts) and np.ptp(tilts) < 1e-6 and np.ptp(centers) == 0 and (tilt := simple(float(tilts.mean()))):
        away = f"(x - {centers.flat[0]:g})" if centers.flat[0] else "x"
        yield f"{level:.8g} {'-+'[tilt > 0]} {abs(tilt):.8g} * {away}", {"x": behind[0]}
