"""`where_it_leads`: the picture at the end of lesson 0, of the network that students train at the end of lesson 5."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..core.gradients import gradients
from ..core.op import OPS
from ..core.tensor import constant
from ..data import two_moons

RATE, MOMENTS = 1.0, (0, 0, 20, 100, 400)  # as in lesson 5


def where_it_leads() -> Any:
    """Return a picture of a small network that learns to separate two moons, before, during and after training.

    >>> where_it_leads().right["step 400"] > 0.95
    True
    """
    import viz

    points, labels = two_moons(200, seed=0)
    T = np.eye(2, dtype="float32")[labels]
    rng = np.random.default_rng(1)
    W, V = (rng.normal(size=(m, n)) / np.sqrt(m) for m, n in ((2, 16), (16, 2)))
    weights = [w.astype("float32") for w in (W, np.zeros(16), V, np.zeros(2))]
    moments = {}
    for before, after in pairwise(MOMENTS):
        for _ in range(after - before):
            tensors = [constant(w) for w in weights]
            slopes: list[Any] = gradients(_cross_entropy(_outputs(tensors, points), T), tensors)
            weights = [w - RATE * slope.numpy() for w, slope in zip(weights, slopes)]
        moments[f"step {after}"] = partial(_outputs, weights)
    return viz.plane(moments, points, labels)


def _outputs(weights: Any, x: Any) -> Any:
    W, b, V, c = weights
    return OPS["tanh"].call(x @ W + b) @ V + c


def _cross_entropy(z: Any, T: Any) -> Any:
    exp, log, total = (OPS[name].call for name in ("exp", "log", "sum"))
    return (log(total(exp(z), axis=1)) - total(z * T, axis=1)).mean()
