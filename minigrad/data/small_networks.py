"""The initial weights and the training loop of lesson 15, which hides them because they would solve its exercises."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np


def layers_of(scale: float, sizes: Sequence[int] = (64, 32, 10), seed: int = 0) -> list[dict[str, np.ndarray]]:
    """Return a dict with `W` and `b` for each layer, in float32: random weights times `scale`, and biases of 0."""
    rng = np.random.default_rng(seed)
    weights = [scale * rng.normal(size=(m, n)) / np.sqrt(m) for m, n in pairwise(sizes)]
    return [{"W": W.astype("float32"), "b": np.zeros(W.shape[1], "float32")} for W in weights]


def trained_on(
    images: np.ndarray, T: np.ndarray, params: Any, loss: Callable[..., Any], epochs: int, rate: float
) -> tuple[Any, list[float]]:
    """Train for `epochs` epochs in batches of 32; return the trained parameters and the loss of each batch.

    loss : a function of the parameters, images and their rows of T. rate : the learning rate of SGD with momentum 0.9.
    """
    minigrad = importlib.import_module("minigrad")
    rng, losses = np.random.default_rng(0), []
    optimizer = minigrad.optim.SGD(rate, momentum=0.9)
    step = minigrad.value_and_grad(loss)
    for _ in range(epochs):
        order = rng.permutation(len(images))
        for i in range(0, len(images) - 31, 32):
            batch = order[i : i + 32]
            value, slopes = step(params, images[batch], T[batch])
            params = optimizer.step(params, slopes)
            losses.append(float(value))
    return params, losses
