"""Explain why a program has no value at a point: no data, an infinite value, or a limit that depends on the path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, permutations
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input
from .domains import op_of, value_of
from .first_overflow import overflow_of
from .guards import fraction_text
from .other_points import Bench, OutOfBudget, Point, nearby
from .patterns import options_of

#: Two limits differ if their distance is larger than this, relative to 1 plus their size.
APART = 0.05
#: Values grow without bound if they grow by more than this factor when the distance shrinks to a hundredth.
MANY = 5.0


def why_no_limit(
    y: Tensor, first: Tensor | None, called: Callable[[Tensor], str], xs: Iterable[Tensor] | None = None
) -> str:
    """Return a phrase that explains why the program has no value at this point, or "" if the reason is unknown.

    y, first : the result, and the node to blame.
    called : returns the user's name for an input.
    xs : the inputs to vary; by default all float inputs.
    """
    op = op_of(first)
    if first is not None and op == "mean" and not np.size(value_of(first.args[0])):
        return "it has no elements, so no number is left to average"
    if first is not None and op in ("softmax", "log_softmax", "logsumexp") and _has_no_score(first):
        return "its scores are all -inf, so that nothing is left to choose from"
    bench, limits = Bench(y, replays=150, seconds=0.5, xs=xs), []
    here = {s.serial: np.asarray(s.value, np.float64)[()] for s in bench.moving(bench.cut)}

    def value(point: Point, b: Any = y) -> Any:
        return bench.nodes(b, point, exact=True)[b.serial].value if isinstance(b, Tensor) else b

    try:
        if (
            first is not None
            and op == "divide"
            and not any(np.any(value(p, first.args[1])) for p in nearby(here, 1e-3))
        ):
            return "the divisor stays 0 where the inputs change a little, so no number is left to divide by"
        if bench.calls:  # these are not run again, so their results would not change along the path
            return ""
        if np.isfinite(value(here)).all() and any(map(_is_too_large, graph_of(y))):  # y has a value in float64
            return ""
        if np.isinf(y.value).any() and _grows(
            *([np.sum(value(p)) for p in nearby(here, h)] for h in (1e-2, 1e-4, 1e-6))
        ):
            return "the value itself is infinite here"
        for path, points in _paths(bench, here, called):
            limits.append((path, _limit(*(float(np.sum(value(p))) for p in points))))
    except (OutOfBudget, ValueError):  # an argument, such as an order of polygamma, may be invalid at other points
        pass
    # Prefer two paths that approach the point from both sides along the same element: they are easiest to understand.
    for pair in sorted(permutations(limits, 2), key=lambda pair: pair[0][0][0] != pair[1][0][0]):
        (_, a), (_, b) = pair
        if np.isfinite(a) and abs(b - a) > APART * (1 + abs(a)):
            texts = (f"{fraction_text(v, 4) if np.isfinite(v) else 'infinite'} for {' '.join(p)}" for p, v in pair)
            return f"the limit depends on the path, {' and '.join(texts)}"
    return ""


def _is_too_large(node: Tensor) -> bool:
    """Return whether a node is infinite in its dtype but finite in float64."""
    if is_input(node) or isinstance(node.value, tuple) or not np.isinf(node.value).any():
        return False
    overflow = overflow_of(node)
    return overflow is not None and overflow.number is not None


def _has_no_score(node: Tensor) -> bool:
    """Return whether a node such as a softmax has a row of scores that are all -inf."""
    axis = options_of(node, 1).get("axis", -1)
    return bool(np.isneginf(value_of(node.args[0])).all(axis=axis).any())


def _grows(*values: Any) -> bool:
    """Return whether the program's absolute value grows without bound towards this point, as 1 / x does at 0.

    values : the values at three distances from the point, the farthest first.
    """
    sizes = [np.abs(v)[np.isfinite(v)] for v in values]
    far, middle, near = (np.median(v) if v.size else 0.0 for v in sizes)
    return bool(near - middle > max(0.9 * (middle - far), 0.1))


def _paths(
    bench: Bench, here: Point, called: Callable[[Tensor], str]
) -> Iterator[tuple[tuple[str, str], Sequence[Point]]]:
    """Yield paths to this point: for each, two phrases that describe it, and three points on it, the nearest last.

    A path changes one element of the inputs, or all elements by the same number. Constants are not changed, because
    that would change the program.
    """
    alone = " alone" * (sum(np.size(s.value) for s in bench.inputs) > 1)
    elements = ((s, index) for s in bench.inputs if s.serial in here and called(s) for index in np.ndindex(*s.shape))
    for s, index in islice(elements, 6):
        name = called(s) + (f"[{', '.join(map(str, index))}]" if index else "")
        step = np.zeros(s.shape)
        step[index] = 1.0
        for sign, side in ((1, ">"), (-1, "<")):
            points = [{**here, s.serial: (here[s.serial] + sign * h * step)[()]} for h in (1e-2, 1e-3, 1e-4)]
            yield (name, f"{side} {s.value[index]:g}{alone}"), points
    for sign, side in ((1, "larger"), (-1, "smaller")):
        if alone:
            moved = {s.serial: here[s.serial] for s in bench.inputs if s.serial in here}
            points = [{**here, **{k: v + sign * h for k, v in moved.items()}} for h in (1e-2, 1e-3, 1e-4)]
            yield ("all inputs", f"{side} by the same number"), points


def _limit(far: float, middle: float, near: float) -> float:
    """Estimate the limit on a path from three values: inf if they grow without bound, nan if the limit is unclear.

    Numbers that grow but stay small, such as 1e-30, 1e-20 and 1e-10 after an underflow, have no clear limit.
    """
    first, then = middle - far, near - middle
    if np.isinf(near) or (abs(near) > 2 * abs(middle) > 4 * abs(far)):
        return np.inf if abs(near) > MANY * (1 + abs(far)) else np.nan
    if abs(then) > 0.35 * abs(first) + 1e-9 or abs(then) > APART * (1 + abs(near)):
        return np.nan
    return near + then * then / (first - then) if abs(then) > 1e-9 else near  # Aitken's extrapolation
