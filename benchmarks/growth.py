"""How time and memory grow: with depth, width, the number of uses and the order of the derivative.

A straight line in log-log means a power law; its slope is the power. A slope of 1 is the best a graph can do.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg


class Growth(NamedTuple):
    """What was measured at each size, and the power it grows with."""

    name: str
    unit: str
    sizes: list[int]
    seconds: list[float]
    bytes: list[int]

    @property
    def power(self) -> list[float]:
        """The slopes of time and of peak memory in log-log, over all but the smallest sizes, where calls cost most."""
        large = slice(len(self.sizes) // 3, None)
        x = np.log(self.sizes[large])
        return [float(np.polyfit(x, np.log(y[large]), 1)[0]) for y in (self.seconds, self.bytes)]


def depth(n: int) -> Callable[[], Any]:
    """A chain of n ops on one number."""

    def chain(x: Any) -> Any:
        for _ in range(n // 2):
            x = x * 0.999 + 0.001
        return x

    return lambda: mg.value_and_grad(chain)(np.float64(0.5))


def width(n: int) -> Callable[[], Any]:
    """Ten ops on n numbers."""
    x = np.linspace(-1, 1, n)
    return lambda: mg.value_and_grad(lambda x: mg.sum(mg.tanh(mg.sin(x * x) + x) * 0.5 - x))(x)


def uses(n: int) -> Callable[[], Any]:
    """One number used n times."""
    return lambda: mg.value_and_grad(lambda x: reduce(lambda a, _: a + x, range(n), x))(np.float64(0.5))


def order(n: int) -> Callable[[], Any]:
    """Derivative number n of tanh: by repeated differentiation the work doubles or triples each time."""
    f = reduce(lambda g, _: mg.grad(g), range(n), mg.tanh)
    return lambda: f(np.float64(0.3))


QUESTIONS = {
    "depth": (depth, "ops", [10**k for k in range(2, 7)]),
    "width": (width, "elements", [10**k for k in range(2, 8)]),
    "uses": (uses, "uses", [10**k for k in range(2, 6)]),
    "order": (order, "derivatives", [1, 2, 3, 4, 5, 6, 7]),
}


def grow(name: str, quick: bool = False, tick: Callable[[], Any] = lambda: None) -> Growth:
    """Measure one question at all its sizes, two fewer when quick. `tick` is called after each."""
    make, unit, sizes = QUESTIONS[name]
    sizes = sizes[: -2 if quick else None]
    seconds, peaks = [], []
    for n in sizes:
        thunk = make(n)
        seconds.append(min(_seconds(thunk) for _ in range(3)))
        tracemalloc.start()
        thunk()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        tick()
    return Growth(name, unit, sizes, seconds, peaks)


def _seconds(thunk: Callable[[], Any]) -> float:
    start = time.process_time()
    thunk()
    return max(time.process_time() - start, 1e-7)
