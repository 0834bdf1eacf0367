"""Replay a graph in float64 at other points, or at this point with changed last digits, within a budget."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ..core.support.observers import unannounced
from ..core.tensor import Tensor
from ..tracing.replay import Instead, again, graph_of, is_call, is_input, is_opaque, replay
from .domains import finite, gradients_of, maker_of, op_of, users_of

#: Ops that add up integers: if their result is used only as a number, so are their arguments.
SUMS = {"sum", "mean", "add", "subtract", "multiply"}

#: Inputs smaller than this are varied relative to their size.
TINY = 1e-7

#: A result counts as lost to rounding if changing the last digits of other results changes it by more than this
#: fraction.
LOST = 3e-5

#: Serial of an input or of another varied node -> its value.
Point = Mapping[int, Any]


class OutOfBudget(Exception):
    """Raised when the budget of replays or of time is used up."""


def sources_of(y: Tensor) -> list[Tensor]:
    """Return the float inputs of the graph of `y`."""
    return [node for node in graph_of(y) if is_input(node) and node.dtype.kind == "f"]


def counts_in(graph: Sequence[Tensor]) -> list[Tensor]:
    """Return the integer inputs that are used only as numbers, as in `1 / n` or `sum(n) * x`, and never as an index."""
    otherwise: set[int] = set()
    for node in reversed(graph):
        number = node.op is not None and node.op.elementwise and node.dtype.kind == "f"
        if not number and op_of(node) in SUMS:
            number = node.dtype.kind == "f" or node.serial not in otherwise
        if not number:
            otherwise |= {a.serial for a in node.args if isinstance(a, Tensor)}
    return [n for n in graph if is_input(n) and n.dtype.kind in "iu" and n.serial not in otherwise]


def close(a: Any, b: Any, tolerance: float = 1e-6) -> bool:
    """Return whether all elements are equal up to rounding, relative to 1 + |b|."""
    return bool(np.all(np.abs(np.asarray(a) - b) <= tolerance * (1 + np.abs(b))))


class Bench:
    """The test bench for rewrites: it replays the graph of `y`, and rewritten graphs, with other inputs.

    inputs : the float inputs, or those among them whose gradients matter, without `elsewhere`.
    calls : the calls to user functions, such as custom gradients, which are not run again.
    cut : the float inputs, the integer inputs that are used as numbers, and the results of `calls`.
    elsewhere : inputs that are not varied.
    shown : all inputs in order, including `elsewhere`.
    blamed : nodes that get nan or inf only by a framework's rules, not by minigrad's.
    varied : returns `cut`, or, for a large graph, the operands of the rewritten nodes, so only later ops are replayed.
    """

    def __init__(
        self, y: Tensor, replays: int = 1500, seconds: float = 2.0, xs: Iterable[Tensor] | None = None,
        elsewhere: Sequence[Tensor] = (), blamed: Sequence[Tensor] = (),
    ) -> None:  # fmt: skip
        self.y, self.replays, self.end = y, replays, time.process_time() + seconds
        self.reserved = 0  # replays reserved for a later part of the search
        self.elsewhere, self.blamed = elsewhere, blamed
        apart, wanted = {x.serial for x in elsewhere}, None if xs is None else {x.read_value().serial for x in xs}
        sources = [s for s in sources_of(y) if s.serial not in apart]
        self.shown = [s for s in sources_of(y) if wanted is None or s.serial in wanted]
        self.inputs = [s for s in self.shown if s.serial not in apart]
        graph = graph_of(y)
        self.calls = [node for node in graph if is_call(node)]
        made = [n for n in graph if is_opaque(maker_of(n)) and not isinstance(n.value, tuple)]
        self._results = {n.serial: n.value for n in made if is_call(maker_of(n))}
        self.cut = [*sources, *(n for n in made if n.dtype.kind == "f"), *counts_in(graph)]
        self._serials = {node.serial for node in graph}
        self._large = sum(np.size(n.value) for n in graph if not isinstance(n.value, tuple)) + 100 * len(graph) > 50_000

    @contextmanager
    def untimed(self) -> Iterator[None]:
        """Exclude a block from the time budget, for example while another framework compiles."""
        start = time.process_time()
        try:
            yield
        finally:
            self.end += time.process_time() - start

    def varied(self, rewrites: Sequence[Any]) -> list[Tensor]:
        return self.operands(rewrites) if self._large else self.cut

    def moving(self, values: Sequence[Tensor]) -> list[Tensor]:
        """Return the values to vary: all except those that are only compared for equality, such as labels."""
        users = users_of(self.y)
        is_label = lambda s: s.serial in users and {op_of(n) for n in users[s.serial]} <= {"equal", "not_equal"}
        return [s for s in values if not is_label(s)]

    def operands(self, rewrites: Sequence[Any]) -> list[Tensor]:
        """Return the Tensors for the rewrites' letters, except those that depend on a rewritten node."""
        bound = [v for r in rewrites for v in r.bound.values() if isinstance(v, Tensor) and v.dtype.kind == "f"]
        changed = {r.at.serial for r in rewrites}
        for node in graph_of(self.y) if len(rewrites) > 1 else ():
            if any(isinstance(a, Tensor) and a.serial in changed for a in node.args):
                changed.add(node.serial)
        return list({v.serial: v for v in bound if v.serial in self._serials - changed}.values())

    def nodes(
        self, y: Tensor, point: Point, exact: bool = False, instead: Mapping[int, Instead] | None = None
    ) -> dict[int, Tensor]:
        """Replay the graph of `y` in float64 at a point; nonfinite constants are replaced, unless `exact` is true.

        The results of calls stay unchanged unless the point has values for them.
        """
        self.replays -= 1
        if self.replays < self.reserved or time.process_time() > self.end:
            raise OutOfBudget
        number = np.float64 if exact else _made_finite
        kept = {k: number(v) if np.asarray(v).dtype.kind == "f" else v for k, v in self._results.items()}
        with unannounced():  # observers, such as the recorder of lines, are not needed for these nodes
            return replay(y, {**kept, **point}, instead, number=number)

    def steady(self, y: Tensor, varied: Sequence[Tensor], point: Point) -> bool:
        """Return whether changing the last digits of every intermediate result leaves value and gradients unchanged.

        They change, for example, if 1 - exp(-x) is 0 because of rounding, or if large numbers cancel.
        Changing the digits at random is known as stochastic arithmetic (J. Vignes, Numerical Algorithms 37, 2004).
        """
        rng = np.random.default_rng(7)
        floats = [n for n in graph_of(y) if not isinstance(n.value, tuple) and n.dtype.kind == "f"]
        computed = [n for n in floats if not (is_input(n) or is_opaque(n) or n.serial in point)]
        value, gradients = self.slopes(y, varied, point, exact=True)
        largest = max([1.0, *(np.max(np.abs(g), initial=0) for g in gradients)])
        for _ in range(3 * finite(value, *gradients)):
            nodes = self.nodes(y, point, True, {n.serial: partial(_perturbed, n, rng) for n in computed})
            slopes = self.gradients(nodes[y.serial], nodes, varied, np.ones_like(nodes[y.serial].value))
            moved = float(np.sum(nodes[y.serial].value))
            if not (finite(moved, *slopes) and close(moved, value, LOST)):
                return False
            if not all(close(g / largest, h / largest, LOST) for g, h in zip(slopes, gradients)):
                return False
        return finite(value, *gradients)

    def gradients(self, y: Tensor, nodes: Mapping[int, Tensor], varied: Sequence[Tensor], upstream: Any) -> list[Any]:
        """Return the gradients of `y` in a replayed graph for the values `varied`; a value without effect gets zeros.

        nodes : serial of an original node -> its node in the replayed graph.
        """
        return gradients_of(y, [nodes.get(s.serial, s) for s in varied], upstream)

    def slopes(self, y: Tensor, varied: Sequence[Tensor], point: Point, exact: bool = False) -> tuple[float, list[Any]]:
        """Replay `y` at a point; return its value, and its gradient for each of `varied` (zeros without effect)."""
        nodes = self.nodes(y, point, exact)
        top = nodes[y.serial]
        return float(np.sum(top.value)), self.gradients(top, nodes, varied, np.ones_like(top.value))


def _perturbed(node: Tensor, rng: Any, now: Mapping[int, Tensor]) -> Tensor:
    """Compute a node again in float64, as in `replay`, and change the last digits of the result at random."""
    new = again(node, now, np.float64)
    new.value = new.value * (1 + np.finfo(np.float64).eps * rng.uniform(-3, 3, new.shape))
    return new


def _made_finite(a: Any) -> Any:
    """Convert an array to float64, and replace each nonfinite number with a number between -1 and 1."""
    a = np.asarray(a, np.float64)
    return np.where(np.isfinite(a), a, np.cos(np.arange(a.size)).reshape(a.shape))[()]


def finite_value(s: Tensor) -> Any:
    """Return the value of an input in float64, with 1 instead of each nonfinite element."""
    return np.where(np.isfinite(s.value), s.value, 1.0).astype(np.float64)


def nearby(here: Point, distance: float, scale: Mapping[int, Any] | None = None) -> Iterator[Point]:
    """Yield four pairs of points on opposite sides of this point, in random directions.

    distance : the typical change of each value, before it is multiplied by the scale.
    scale : the scale of each value (default 1).
    """
    for draw in range(4):
        rng = np.random.default_rng(draw)
        way = {k: rng.standard_normal(np.shape(v)) * (1.0 if scale is None else scale[k]) for k, v in here.items()}
        for h in (distance, -distance):
            yield {k: (v + h * way[k])[()] for k, v in here.items()}


def other_points(varied: Sequence[Tensor], rng: Any, count: int = 20) -> Iterator[tuple[bool, dict[int, Any]]]:
    """Yield points for comparisons: near this point, positive, in (0, 1), in (-1, 1), and mixed.

    After ten points, all further points are in (-1, 1). Each point comes with a bool, which is True for points in
    (0, 1) or (-1, 1): a program should not lose digits at such points.
    """
    for i in range(count):
        point = {}
        for s in varied:
            v, n, u = finite_value(s), rng.standard_normal(s.shape), rng.uniform(0.1, 0.9, s.shape)
            near = v + (0.1, 1e-3)[i // 5 % 2] * (1 + abs(v)) * n
            point[s.serial] = (near, abs(v) * u + u, u, 2 * u - 1, 0.3 * n + v * u)[i % 5 if i < 10 else 3][()]
        yield i % 5 in (2, 3) or i >= 10, point
