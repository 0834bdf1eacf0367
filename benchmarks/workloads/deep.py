"""A perceptron of many layers, whose activations determine its memory. It is measured, not timed."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import normal, workload

LAYERS = 100


def deep_arrays(layers: int = LAYERS, width: int = 128, batch: int = 2048) -> list[Any]:
    """Return a weight and a bias for each layer, then a batch."""
    weights = normal(*[(width, width)] * layers, scale=width**-0.5)
    (x,) = normal((batch, width), seed=1)
    return [*(a for w in weights for a in (w, np.zeros(width))), x]


def deep_by_hand(*arrays: Any) -> Any:
    *params, x = arrays
    weights, biases = list(params[::2]), params[1::2]
    states = [x]
    for w, b in zip(weights, biases):
        h = states[-1] @ w
        h += b
        states.append(np.tanh(h, out=h))
    value = (h * h).mean()
    dh = h * (2 / h.size)
    grads = []
    while weights:
        h = states.pop()
        h *= h
        np.subtract(1, h, out=h)
        dh *= h
        grads += [dh.sum(0), states[-1].T @ dh]
        dh = dh @ weights.pop().T
    return value, grads[::-1]


@workload(
    "deep", "MLP of 100 layers of 128, batch 2048", deep_by_hand, arrays=deep_arrays, wrt=2 * LAYERS,
    tiny=lambda: deep_arrays(width=2, batch=2), timed=False,
    limit="By hand, and in PyTorch, one array is kept for each layer: the output of tanh, from which its slope "
    "follows. In eager minigrad every node keeps its value, the product and the sum before tanh too, since the "
    "graph is there to be looked at.",
)  # fmt: skip
def deep(xp: Any, *arrays: Any) -> Any:
    *params, h = arrays
    for w, b in zip(params[::2], params[1::2]):
        h = xp.tanh(h @ w + b)
    return xp.mean(h * h)
