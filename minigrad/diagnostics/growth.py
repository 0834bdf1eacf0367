"""Explain weights that blew up: the step at which they grew, and a step length with which the loss falls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..core.variable import READ
from .domains import finite
from .other_points import Bench, OutOfBudget, finite_value


def growth_of(variable: Any) -> str:
    """Return a sentence about the step at which a Variable grew more than fivefold, or "" if no such step is known."""
    sizes = [] if variable.growth is None else variable.growth.sizes
    last = next((i for i, size in enumerate(sizes) if not math.isfinite(size)), len(sizes))
    step = next((i for i in range(1, last) if sizes[i] > 5 * sizes[i - 1] > 0), None)
    if step is None:
        return ""
    run = ", ".join(f"{size:.3g}" for size in sizes[: min(last, 5)])
    end = f"; it is not finite from step {last} on" if last < len(sizes) else ""
    times = sizes[step] / sizes[step - 1]
    return f"{variable.name} grows {times:.3g} times in step {step} (its largest element is {run}, ...){end}"


def step_length(y: Tensor, falls: int = 20) -> str:
    """Return a sentence with the length of the first step, and a length that makes every step reduce the loss.

    The lengths tried are 1, 1/10, 1/100 and so on, as fractions of the first step. The steps are replayed in float64
    from the first values of the Variables. Return "" if these values are unknown, if the loss calls a function with a
    custom gradient, or if the loss does not fall for any of the lengths.

    falls : the number of steps in which the loss must fall.
    """
    bench = Bench(y, replays=8 * (falls + 1), seconds=2.0)
    reads = [s for s in bench.inputs if s.op is READ]
    firsts: list[Any] = [s.args[0].growth.first if s.args[0].growth is not None else () for s in reads]
    same_shapes = all(len(first) > 1 and np.shape(first[0]) == s.shape for first, s in zip(firsts, reads))
    if not reads or not same_shapes or bench.calls:
        return ""
    start = {s.serial: finite_value(s) for s in bench.inputs}
    start |= {s.serial: np.asarray(f[0], np.float64)[()] for s, f in zip(reads, firsts)}
    moved = math.sqrt(sum(float(np.sum((np.float64(f[1]) - f[0]) ** 2)) for f in firsts))
    try:
        slopes = dict(zip((s.serial for s in bench.inputs), bench.slopes(y, bench.inputs, start)[1]))
        steep = math.sqrt(sum(float(np.sum(slopes[s.serial] ** 2)) for s in reads))
        if not finite(moved, steep) or not moved or not steep:
            return ""
        for k in range(7):
            length = float(f"{moved / steep / 10**k:.2g}")
            losses = descent(y, bench, reads, start, length, falls)
            if finite(losses) and all(b < a for a, b in pairwise(losses)):
                return (
                    f"the first step was {moved / steep:.2g} times the gradient; with {length:g} the same loss falls "
                    f"in each of {falls} steps, from {losses[0]:.4g} to {losses[-1]:.4g} (replayed from the first "
                    f"values)"
                )
    except OutOfBudget:
        pass
    return ""


def descent(y: Tensor, bench: Bench, reads: Sequence[Tensor], start: Any, length: float, steps: int) -> list[float]:
    """Take steps of gradient descent, and return the losses before the first step and after each step.

    If a loss is not finite or exceeds the first one, stop, and add a final nan to the losses.
    """
    point, losses = dict(start), []
    for _ in range(steps + 1):
        loss, gradients = bench.slopes(y, bench.inputs, point)
        losses.append(loss)
        if not finite(loss) or losses[-1] > losses[0]:
            return [*losses, math.nan]
        slopes = dict(zip((s.serial for s in bench.inputs), gradients))
        point |= {s.serial: point[s.serial] - length * slopes[s.serial] for s in reads}
    return losses
