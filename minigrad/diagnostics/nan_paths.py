"""Explain why a program has no limit: two paths have different limits, or a divisor stays 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from .nan_bench import Bench, OutOfBudget
from .nan_domains import op_of
from .nan_guards import fraction_text


def why_no_limit(y: Tensor, first: Tensor | None, called: Callable[[Tensor], str]) -> str:
    """A sentence on why no number can replace `y` here; "" if the reason is unknown. first : the node to blame."""
    if first is not None and op_of(first) == "mean" and not np.size(getattr(first.args[0], "value", first.args[0])):
        return "it has no elements, so that no number is left to average"
    bench, found = Bench(y, replays=150, seconds=0.5), []
    try:
        if first is not None and op_of(first) == "divide" and _stays_0(first.args[1], bench):
            return "the divisor stays 0 where the inputs change a little, so that no number is left to divide by"
        for path, points in () if bench.calls else _paths(bench, called):  # their results would not follow the path
            found.append((path, _limit([float(np.sum(bench.nodes(y, p, True)[y.serial].value)) for p in points])))
    except OutOfBudget:
        pass
    pairs = [(a, b) for i, a in enumerate(found) for b in found[:i] + found[i + 1 :]]
    for (path, limit), (other, far) in sorted(pairs, key=lambda pair: pair[0][0].split()[0] != pair[1][0].split()[0]):
        if np.isfinite(limit) and abs(far - limit) > 0.05 * (1 + abs(limit)):
            more = fraction_text(far, 4) if np.isfinite(far) else "infinite"
            return f"the limit depends on the path, {fraction_text(limit, 4)} for {path} and {more} for {other}"
    return ""


def _stays_0(b: Any, bench: Bench) -> bool:
    """Whether a divisor is 0 here and at points nearby."""
    if not isinstance(b, Tensor):
        return not np.any(b)
    rng = np.random.default_rng(3)
    points = [{s.serial: (s.value + 1e-3 * rng.standard_normal(s.shape))[()] for s in bench.cut} for _ in range(4)]
    return not np.any([bench.nodes(b, p, True)[b.serial].value for p in points])


def _paths(bench: Bench, called: Callable[[Tensor], str]) -> Iterator[tuple[str, list[dict[int, Any]]]]:
    """Paths to this point along one element of the inputs, or along all of them equally, with three points each."""
    here = {s.serial: np.asarray(s.value, np.float64) for s in bench.cut}
    alone = " alone" * (sum(v.size for v in here.values()) > 1)
    elements = ((s, index) for s in bench.cut if called(s) for index in np.ndindex(*s.shape))
    for s, index in islice(elements, 6):
        name = called(s) + (f"[{', '.join(map(str, index))}]" if index else "")
        for sign, side in ((1, ">"), (-1, "<")):
            points = []
            for h in (1e-2, 1e-3, 1e-4):
                moved = here[s.serial].copy()
                moved[index] += sign * h
                points.append({k: v[()] for k, v in {**here, s.serial: moved}.items()})
            yield f"{name} {side} {s.value[index]:g}{alone}", points
    for sign, side in ((1, "larger"), (-1, "smaller")):
        points = [{k: (v + sign * h)[()] for k, v in here.items()} for h in (1e-2, 1e-3, 1e-4)]
        if alone:
            yield f"all inputs {side} by the same number", points


def _limit(values: list[float]) -> float:
    """The limit of the values on a path; inf if they grow without bound, nan if it is not clear."""
    far, middle, near = values
    first, then = middle - far, near - middle
    if np.isinf(near) or (abs(near) > 2 * abs(middle) > 4 * abs(far)):
        return np.inf
    if abs(then) > 0.35 * abs(first) + 1e-9 or abs(then) > 0.05 * (1 + abs(near)):
        return np.nan
    return near + then * then / (first - then) if abs(then) > 1e-9 else near
