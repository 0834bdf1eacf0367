"""The effect of nudging one input: how far each number moves, and the curve of each op with its tangent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from minigrad.core.custom import CustomCall
from minigrad.core.graph import ancestors
from minigrad.core.tensor import Tensor, constant
from minigrad.tracing.labels import titles
from minigrad.tracing.nodes import WalkNode, nodes_of
from minigrad.tracing.numbers import short
from minigrad.tracing.recorder import backward_trace
from minigrad.tracing.table import text_table

NUDGES = 20  #: number of nudges on each side of 0
CURVE = 33  #: number of points of a curve
MOST = 12  #: maximum number of ops that depend on the input
MARGIN = 0.35  #: the space in a plot beyond the largest nudge on each side, as a fraction of the range of nudges


@dataclass(frozen=True)
class Nudged:
    """How far the numbers of a graph move when one input moves.

    nudges : the nudges of the input, from the largest negative to the largest positive, with 0 in the middle.
    nodes : the nodes that depend on the input, oldest first, from the input itself to the result. values : the values
        of each node, one for each nudge. gradients : the gradient of each node. titles : the title of each node.
    """

    nudges: tuple[float, ...]
    nodes: tuple[WalkNode, ...]
    tensors: tuple[Tensor, ...]
    values: tuple[tuple[float, ...], ...]
    gradients: tuple[float, ...]
    titles: tuple[str, ...]

    @property
    def middle(self) -> int:
        return len(self.nudges) // 2

    def moves(self, n: int) -> list[float]:
        """Return how far node `n` moves for each nudge."""
        return [value - self.values[n][self.middle] for value in self.values[n]]

    def uses(self, n: int) -> dict[int, list[int]]:
        """Return parent -> its indices among the arguments of node `n`, for each parent that moves."""
        positions: dict[int, list[int]] = {}
        for i, parent in enumerate(self.nodes[n].parents):
            if parent in self.nodes:
                positions.setdefault(self.nodes.index(parent), []).append(i)
        return positions

    def slope(self, n: int, i: int) -> float:
        """Return the slope of node `n` for its i-th argument."""
        return float(self.nodes[n].slopes[i])  # type: ignore[arg-type]

    def along(self, n: int, parent: int) -> Callable[[float], float]:
        """Return a function of the value of `parent` that computes node `n`; other arguments keep their values."""
        return lambda value: _computed(self.tensors[n], {self.tensors[parent].serial: value})


def nudged(y: Tensor, x: Tensor, largest: float, names: Mapping[str, Tensor]) -> Nudged:
    """Nudge the input `x` of `y`. Raises ValueError for arrays, for too many ops, or if no path leads from x to y."""
    every = nodes_of(y, names)
    tensors = {t.serial: t for t in ancestors([y.read_value()])}
    moving = [x.serial] if x.serial in every else []
    for serial, t in tensors.items():
        if any(isinstance(a, Tensor) and a.serial in moving for a in t.args):
            moving.append(serial)
    if y.read_value().serial not in moving:
        raise ValueError("the result does not depend on the input that is nudged")
    if len(moving) > MOST + 1:
        raise ValueError(f"a nudge is drawn through up to {MOST} ops; here are {len(moving) - 1}")
    if arrays := [every[serial] for serial in moving if np.ndim(every[serial].value)]:
        raise ValueError(f"a nudge is drawn for numbers; {arrays[0].op or 'the input'} is an array")
    nodes, kept = [every[serial] for serial in moving], [tensors[serial] for serial in moving]
    steps = range(-NUDGES, NUDGES + 1)
    nudges = tuple(largest * k / NUDGES for k in steps)
    rows = []
    for nudge in nudges:
        values = {x.serial: float(x.value) + nudge}
        for t in kept[1:]:
            values[t.serial] = _computed(t, values)
        rows.append([values[t.serial] for t in kept])
    trace = backward_trace(y, names=names)
    called = titles(trace)  # the titles are the same as in the picture of the backward pass
    heads = tuple(called[trace.node_of[serial]] for serial in moving)
    return Nudged(nudges, tuple(nodes), tuple(kept), tuple(zip(*rows)), _gradients(nodes), heads)


def _computed(t: Tensor, values: Mapping[int, float]) -> float:
    """Return the value of a node for other values of some arguments. values : serial of an argument -> its value."""
    kind = np.asarray(t.value).dtype.type
    values_of = lambda a: kind(values[a.serial]) if a.serial in values else a.value
    other = [values_of(a) if isinstance(a, Tensor) else a for a in t.args]
    with np.errstate(all="ignore"):
        if isinstance(t.op, CustomCall):
            tensors = (constant(v) if isinstance(a, Tensor) else v for v, a in zip(other, t.args))
            got = t.op.f(*tensors)[0]
            return float(got.value if isinstance(got, Tensor) else got)
        return float(t.op.fn(*other, **(t.kwargs or {})))


def _gradients(nodes: list[WalkNode]) -> tuple[float, ...]:
    gradients = dict.fromkeys(nodes, 0.0)
    gradients[nodes[-1]] = 1.0
    for node in reversed(nodes):
        for parent, slope in zip(node.parents, node.slopes, strict=True):
            if parent in gradients:
                gradients[parent] += float(gradients[node] * slope)
    return tuple(gradients.values())


def picture_data(nudged: Nudged) -> dict[str, Any]:
    """Return the nudges as plain data for `viz.scene.stretch`, which draws them both in Python and in the page."""
    middle = nudged.middle
    ranks = [0] * len(nudged.nodes)
    for n in range(1, len(nudged.nodes)):
        ranks[n] = 1 + max(ranks[parent] for parent in nudged.uses(n))
    columns: list[list[int]] = [[] for _ in range(max(ranks) + 1)]
    for n, rank in enumerate(ranks):
        columns[rank].append(n)
    arrows: list[dict[str, Any]] = []
    lanes = 0
    cards = [_card(nudged, n) for n in range(len(nudged.nodes))]
    for n in range(len(nudged.nodes)):
        uses = nudged.uses(n)
        for plot, (parent, arguments) in enumerate(uses.items()):
            for at, i in enumerate(arguments):
                # An arrow over several columns reserves a place in each, so that no box is drawn on it.
                passed = range(ranks[parent] + 1, ranks[n])
                for number, column in enumerate(passed):
                    columns[column].append(-(lanes + number) - 1)
                slope, message = nudged.slope(n, i), nudged.gradients[n] * nudged.slope(n, i)
                arrows.append(
                    {
                        "from": parent, "to": n, "plot": plot, "at": at, "of": len(arguments), "slope": _sized(slope),
                        "factor": f"× {_few(slope)}", "message": _sized(message),
                        "back": f"{_few(nudged.gradients[n])} × {_few(slope)} = {_few(message)}",
                        "forth": [f"{_few(m)} × {_few(slope)} = {_few(m * slope)}" for m in nudged.moves(parent)],
                        "lanes": [lanes + number for number in range(len(passed))],
                    }
                )  # fmt: skip
                lanes += len(passed)
    sizes = [abs(nudged.moves(a["from"])[k] * s) for a in arrows for k in (0, -1) for s in (1.0, a["slope"])]
    messages = [abs(m) for a in arrows for m in (a["message"], cards[a["to"]]["g"])]
    return {
        "cards": cards, "arrows": arrows, "columns": columns, "lanes": lanes, "middle": middle,
        "nudges": [short(nudge) for nudge in nudged.nudges],
        "reach": max(filter(_drawable, sizes), default=1.0), "messages": max(filter(_drawable, messages), default=1.0),
        "said": [forwards(nudged, k) for k in range(len(nudged.nudges))], "back": backwards(nudged),
    }  # fmt: skip


def _card(nudged: Nudged, n: int) -> dict[str, Any]:
    node, values = nudged.nodes[n], nudged.values[n]
    title = node.op if n else node.name or "input"
    rule = isinstance(nudged.tensors[n].op, CustomCall)
    kind = "leaf" if not n else "custom" if rule else "result" if n == len(nudged.nodes) - 1 else "op"
    return {
        "kind": kind,
        "title": title, "called": node.name if node.name != title else "",
        "value": f"= {short(values[nudged.middle])}",
        "values": [f"{short(values[nudged.middle])} → {short(value)}" for value in values],
        "moves": [_sized(move) for move in nudged.moves(n)],
        "stretch": [f"moves by {_signed(move)}" for move in nudged.moves(n)],
        "g": _sized(nudged.gradients[n]), "gradient": f"ḡ {short(nudged.gradients[n])}",
        "plots": [_plot(nudged, n, parent, arguments) for parent, arguments in nudged.uses(n).items()],
    }  # fmt: skip


def _plot(nudged: Nudged, n: int, parent: int, arguments: list[int]) -> dict[str, Any]:
    """Return the plot of node `n` as a function of `parent`: curve, tangent, and a point for each nudge.

    Coordinates are fractions of the plot's width and height. arguments : the indices of `parent` among the arguments.
    """
    finite = [v for v in nudged.values[parent] if isfinite(v)]
    x0, y0 = nudged.values[parent][nudged.middle], nudged.values[n][nudged.middle]
    slope = sum(nudged.slope(n, i) for i in arguments)
    if not finite or not isfinite(x0) or not isfinite(y0):
        return {"curve": [], "tangent": [], "at": [], "moved": [], "bad": f"the value is {short(y0)}"}
    f = nudged.along(n, parent)
    # If no nudge moves the argument, the plot still shows a piece of the curve.
    reach = (max(finite) - min(finite)) * MARGIN or max(abs(x0), 1.0) * MARGIN
    low, high = min(finite) - reach, max(finite) + reach
    xs = np.linspace(low, high, CURVE)
    ys = [f(float(x)) for x in xs]
    inside = [y for y in [*ys, y0] if isfinite(y)]
    bottom, top = min(inside), max(inside)
    if isfinite(slope):  # extend the plot, so that the tangent can be seen to leave the curve
        half = (high - low) * 0.2
        bottom, top = min(bottom, y0 - abs(slope) * half), max(top, y0 + abs(slope) * half)
    space = (top - bottom) * 0.08 or max(abs(y0), 1.0) * 0.5
    bottom, top = bottom - space, top + space

    def spot(x: float, y: float) -> list[float]:
        part = np.interp(x, (low, high), (0.0, 1.0)), np.interp(y, (bottom, top), (0.0, 1.0))
        return [round(float(p), 4) for p in part]

    tangent = _tangent(x0, y0, slope, (low, high), (bottom, top)) if isfinite(slope) else []
    moved = [(x, f(x)) for x in nudged.values[parent]]
    return {
        "curve": [spot(float(x), y) for x, y in zip(xs, ys) if isfinite(y)],
        "tangent": [spot(*end) for end in tangent],
        "at": spot(x0, y0),
        "moved": [spot(x, y) if isfinite(x) and isfinite(y) else [] for x, y in moved],
        "bad": "",
    }


def _tangent(
    x0: float, y0: float, slope: float, xs: tuple[float, float], ys: tuple[float, float]
) -> list[tuple[float, float]]:
    """Return the ends of the line through a point with a given slope, clipped to a rectangle."""
    low, high = xs
    if slope:
        # A steep line leaves the rectangle through its top and bottom before it reaches the sides.
        ends = sorted(x0 + (y - y0) / slope for y in ys)
        low, high = max(low, ends[0]), min(high, ends[1])
    return [(x, y0 + slope * (x - x0)) for x in (low, high)]


def forwards(nudged: Nudged, k: int) -> str:
    """Return a sentence about how far nudge `k` moves the result, compared with the gradient of the input."""
    x, y = nudged.titles[0], nudged.titles[-1]
    nudge, move, slope = nudged.nudges[k], nudged.moves(len(nudged.nodes) - 1)[k], nudged.gradients[0]
    if not nudge:
        return f"Nudge {x}: how far does {y} move?"
    if not isfinite(move):
        at = short(nudged.values[-1][nudged.middle])
        return f"{x} moves by {_signed(nudge)}. {y} is {at}, so it cannot be said how far it moves."
    words = f"{x} moves by {_signed(nudge)}, {y} by {_signed(move)}: {short(move / nudge)} times as far."
    return f"{words} For a small nudge it is {short(slope)} times by the slopes: the gradient of {x}."


def backwards(nudged: Nudged) -> str:
    """Return the sentence about the gradient of the input as the product and sum of slopes, from the result back."""
    x, y = nudged.titles[0], nudged.titles[-1]
    sent = [
        short(nudged.gradients[n] * nudged.slope(n, i))
        for n in range(len(nudged.nodes))
        for i in nudged.uses(n).get(0, [])
    ]
    total = f"{' + '.join(sent)} = {short(nudged.gradients[0])}" if len(sent) > 1 else short(nudged.gradients[0])
    return f"Read backwards: {y} starts from 1, and each slope stretches the message: {x} gets {total}."


def table(nudged: Nudged, k: int) -> str:
    """Return a table of how far nudge `k` moves each node: the exact move, and the move that the slopes predict."""
    rows = []
    # The prediction is carried through the slopes alone, so that the column shows how far it goes astray.
    by_slopes = {0: nudged.nudges[k]}
    for n, title in enumerate(nudged.titles):
        parts = [(nudged.slope(n, i), by_slopes[p]) for p, each in nudged.uses(n).items() for i in each]
        if parts:
            by_slopes[n] = sum(slope * move for slope, move in parts)
        terms = " + ".join(f"{short(slope)} · {short(move)}" for slope, move in parts)
        said = f"{terms} = {short(by_slopes[n])}" if parts else short(by_slopes[n])
        value, gradient = short(nudged.values[n][nudged.middle]), short(nudged.gradients[n])
        rows.append((title, value, _signed(nudged.moves(n)[k]), said, gradient))
    return text_table(("name", "value", "moves by", "by the slopes", "gradient"), rows, words=range(5))


def _few(x: float) -> str:
    """Write a number with three significant digits."""
    return short(x, 3)


def _signed(x: float) -> str:
    return f"+{short(x)}" if x > 0 else short(x)


def _sized(x: float) -> float:
    """Return a finite number as it is, and 1e301 for nan and inf, which JSON lacks; no ribbon is drawn for 1e301."""
    return float(x) if isfinite(x) else 1e301


def _drawable(size: float) -> bool:
    return 0 < size < 1e300
