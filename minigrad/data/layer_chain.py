"""A chain of 64 layers for lesson 13, and a function that measures the memory and the work of its gradient.

A layer is `tanh(x @ w)` for 2048 rows of 32 numbers; the unit of memory is one such array, 262 kB.
"""

from __future__ import annotations

import gc
import importlib
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor

Layer = Callable[[Tensor], Tensor]

_rng = np.random.default_rng(0)
rows = _rng.normal(size=(2048, 32)).astype(np.float32)
_weights = (_rng.normal(size=(64, 32, 32)) / 32**0.5).astype(np.float32)
_runs = [0]


def _layer_of(w: Any) -> Layer:
    def layer(x: Tensor) -> Tensor:
        _runs[0] += 1
        return OPS["tanh"].call(x @ w)

    return layer


layers: list[Layer] = [_layer_of(w) for w in _weights]


def run_all(part: list[Layer]) -> Layer:
    """Return a function that runs the layers of `part`, one after the other."""

    def piece(x: Tensor) -> Tensor:
        for layer in part:
            x = layer(x)
        return x

    return piece


def pieces_of(size: int, wrap: Callable[[Layer], Layer]) -> Layer:
    """Return the chain, divided into pieces of `size` layers that are each wrapped with `wrap`."""

    def model(x: Tensor) -> Tensor:
        for start in range(0, len(layers), size):
            x = wrap(run_all(layers[start : start + size]))(x)
        return x

    return model


def peak(f: Layer) -> str:
    """Measure the gradient of sum(f(rows)): return the peak number of arrays and the number of layer runs, as text."""

    minigrad = importlib.import_module("minigrad")  # its `grad` stores nothing for a second derivative
    gradient = minigrad.grad(lambda x: minigrad.sum(f(x)))
    gradient(rows)  # a first run, so that only the gradient's own arrays are counted
    gc.collect()
    _runs[0] = 0
    tracemalloc.start()
    gradient(rows)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return f"about {round(most / rows.nbytes, -1):3.0f} arrays at once, {_runs[0]} runs of a layer"
