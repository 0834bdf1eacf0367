"""Repair an overflow by a wider dtype, if everything is finite there, and not only because of lucky rounding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..tracing.replay import NotReplayable, graph_of, is_input, replay
from .domains import finite, gradients_of, op_of, value_of
from .other_points import Bench, OutOfBudget, finite_value, sources_of
from .repair_report import Numbers, Repair

#: The errors that an op or a template raises if a rewrite does not fit a graph.
UNFIT = (ArithmeticError, AttributeError, IndexError, KeyError, NotReplayable, TypeError, ValueError)

HUGE = "; the number itself is that large, so look at what makes it grow"

#: A further check of a rewritten graph, called with its result and its float inputs in the order of `sources_of`.
Also = Callable[[Tensor, Sequence[Tensor]], bool]


def numbers_of(y: Tensor, sources: list[Tensor], names: tuple[str, ...]) -> Numbers:
    """Return the value of a program and the gradients of some inputs, with their names."""
    return Numbers(y.value, tuple(gradients_of(y, sources)), names)


def _by_rounded_constants(y: Tensor, now: Mapping[int, Tensor]) -> bool:
    """Return whether a divisor that is 0 depends, in the wider graph `now`, on how constants were rounded.

    Constants in the program's dtype were rounded before the program ran. If a divisor is 0 in
    this dtype, its value in the wider dtype may be nothing but these rounding errors.
    """
    rng = np.random.default_rng(9)

    def moved(a: Any) -> Any:
        a = np.asarray(a)
        narrow = a.dtype == y.dtype and bool((a != np.round(a)).any())
        shift = 1 + float(np.finfo(y.dtype).eps) * rng.uniform(-1, 1, a.shape) * narrow
        return np.asarray(a * shift, now[y.serial].dtype)[()]

    point = {s.serial: now[s.serial].value for s in graph_of(y) if is_input(s) and s.dtype.kind == "f"}
    again = replay(y, point, number=moved)
    for node in graph_of(y):
        divisor = node.args[1] if op_of(node) == "divide" else None
        if isinstance(divisor, Tensor) and (lost := value_of(divisor) == 0).any():
            before, after = (value_of(graph[divisor.serial])[lost] for graph in (now, again))
            if (np.abs(after - before) > 0.1 * np.abs(before)).any():
                return True
    return False


def wider(y: Tensor, cause: Repair, old: Bench, also: Also | None) -> Repair | None:
    """Return a repair that uses the next wider dtype if all is finite there, and not only because of lucky rounding."""
    dtype = np.dtype(np.float32 if y.dtype == np.float16 else np.float64)
    if y.dtype == dtype:
        return None
    try:
        now = replay(y, number=lambda a: np.asarray(a, dtype)[()])
        bench, rng = Bench(y, xs=old.inputs, elsewhere=old.elsewhere), np.random.default_rng(5)
        point = {s.serial: finite_value(s) for s in sources_of(y)}
        points = [{k: v + 1e-6 * rng.standard_normal(v.shape) for k, v in point.items()} for _ in range(6)]
        around = [bench.slopes(y, bench.inputs, near) for near in points]
        steady = bench.steady(y, bench.inputs, point)
    except (OutOfBudget, *UNFIT):
        return None
    names = () if cause.before is None else cause.before.names
    inputs = [now[s.serial] for s in bench.inputs]
    after = numbers_of(now[y.serial], [now[s.serial] for s in bench.shown], names)
    if also is not None and not also(now[y.serial], inputs):
        return None
    if (
        not steady
        or _by_rounded_constants(y, now)
        or not all(
            finite(value, *gradients)
            for value, gradients in [(after.value, gradients_of(now[y.serial], inputs)), *around]
        )
    ):
        return None
    words = f"in {dtype} everything is finite: make the inputs {dtype}"
    if np.max(np.abs(after.value), initial=0) > 1e30:
        words += HUGE
    return replace(cause, grade="wider", words=words, after=after)
