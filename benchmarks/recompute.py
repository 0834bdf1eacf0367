"""Memory against time: a deep perceptron in segments, whose intermediate results `recompute_grad` recomputes.

With n layers in s segments, s results are kept, and the backward pass holds the intermediate results of one segment at
a time, n / s layers. The sum is least near s = sqrt(n), for about a third more time.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import minigrad as mg

from .workloads.deep import LAYERS, deep_arrays

SEGMENTS = (1, 2, 5, 10, 20, 50, 100)


class Traded(NamedTuple):
    """Peak bytes and seconds of value and gradients; 0 segments means that everything is kept."""

    segments: int
    bytes: int
    seconds: float


def stack(h: Any, *params: Any) -> Any:
    """Layers, given as alternating weights and biases."""
    for w, b in zip(params[::2], params[1::2]):
        h = mg.tanh(h @ w + b)
    return h


def in_segments(segments: int, layers: int = LAYERS) -> Callable[..., Any]:
    """Return the network of `workloads/deep.py` as a function of its arrays, with that many recomputed segments."""
    edges = [layers * i // max(segments, 1) for i in range(max(segments, 1) + 1)]

    def f(*arrays: Any) -> Any:
        *params, h = arrays
        for start, stop in pairwise(edges):
            h = (mg.recompute_grad(stack) if segments else stack)(h, *params[2 * start : 2 * stop])
        return mg.mean(h * h)

    return f


def trade(
    segments: Sequence[int] = (0, *SEGMENTS), arrays: list[Any] | None = None, tick: Callable[[], Any] = lambda: None
) -> list[Traded]:
    """Measure each number of segments; the bytes are exact counts of NumPy's arrays and of Python."""
    arrays = arrays or deep_arrays()
    layers = len(arrays) // 2
    found = []
    for s in segments:
        run = partial(mg.value_and_grad(in_segments(s, layers), tuple(range(2 * layers))), *arrays)
        found.append(Traded(s, traced_peak(run), min(_seconds(run) for _ in range(2))))
        tick()
    return found


def traced_peak(run: Callable[[], Any]) -> int:
    """Return the most bytes that NumPy and Python hold at a time during a call, beyond what they held before."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _seconds(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start
