"""The growth of time and memory with depth, width, the number of uses and the order of the derivative.

A straight line in a log-log plot means a power law, whose power is the slope; 1 is the best possible for a graph.
Derivatives of derivatives grow by a factor for each order: their logarithm is plotted over the order itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg

from .recompute import traced_peak


class Growth(NamedTuple):
    """Time and peak memory at each size."""

    name: str
    unit: str
    sizes: list[int]
    seconds: list[float]
    bytes: list[int]

    @property
    def laws(self) -> tuple[str, str]:
        """The growth of time and of peak memory: a power of n, or a factor for each order."""
        time, memory = self.slopes
        if self.name == "order":
            return f"x {np.exp(time):.1f} each", f"x {np.exp(memory):.1f} each"
        return f"n^{time:.2f}", f"n^{memory:.2f}"

    @property
    def slopes(self) -> tuple[float, float]:
        """The slopes of log time and log memory over log n, or over n where n is the order of a derivative.

        The smallest third of the sizes is left out, because the fixed cost of a call dominates there.
        """
        large = slice(len(self.sizes) // 3, None)
        x = np.asarray(self.sizes[large], float)
        x = x if self.name == "order" else np.log(x)
        time, memory = (float(np.polyfit(x, np.log(y[large]), 1)[0]) for y in (self.seconds, self.bytes))
        return time, memory


def depth(n: int) -> Callable[[], Any]:
    """Return a chain of n ops on one number."""

    def chain(x: Any) -> Any:
        for _ in range(n // 2):
            x = x * 0.999 + 0.001
        return x

    return lambda: mg.value_and_grad(chain)(np.float64(0.5))


def width(n: int) -> Callable[[], Any]:
    """Seven ops on n numbers."""
    x = np.linspace(-1, 1, n)
    return lambda: mg.value_and_grad(lambda x: mg.sum(mg.tanh(mg.sin(x * x) + x) * 0.5 - x))(x)


def uses(n: int) -> Callable[[], Any]:
    """One number used n times."""
    return lambda: mg.value_and_grad(lambda x: reduce(lambda a, _: a + x, range(n), x))(np.float64(0.5))


def order(n: int) -> Callable[[], Any]:
    """Derivative number n of tanh."""
    f = reduce(lambda g, _: mg.grad(g), range(n), mg.tanh)
    return lambda: f(np.float64(0.3))


#: Name -> what is done at size n, what n counts, and the sizes.
QUESTIONS: dict[str, tuple[Callable[[int], Callable[[], Any]], str, list[int]]] = {
    "depth": (depth, "ops", [10**k for k in range(2, 7)]),
    "width": (width, "elements", [10**k for k in range(2, 8)]),
    "uses": (uses, "uses", [10**k for k in range(2, 7)]),
    "order": (order, "orders", [1, 2, 3, 4, 5, 6, 7]),
}


def grow(name: str, quick: bool = False, tick: Callable[[], Any] = lambda: None) -> Growth:
    """Measure one question at all its sizes, two fewer when quick. `tick` is called after each."""
    make, unit, sizes = QUESTIONS[name]
    sizes = sizes[: -2 if quick else None]
    seconds, peaks = [], []
    for n in sizes:
        run = make(n)
        seconds.append(min(_seconds(run) for _ in range(3)))
        peaks.append(traced_peak(run))
        tick()
    return Growth(name, unit, sizes, seconds, peaks)


def _seconds(run: Callable[[], Any]) -> float:
    """Seconds of CPU for a call; for short ones the mean of many, since the clock counts microseconds."""
    start = time.process_time()
    run()
    once = time.process_time() - start
    calls = int(0.005 / max(once, 1e-6))
    for _ in range(calls):
        run()
    return (time.process_time() - start) / (1 + calls)
