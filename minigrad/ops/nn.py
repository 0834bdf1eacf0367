"""Functions of neural networks that deserve a rule of their own: stabler or shorter than what would be derived."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import defop
from .elementwise import exp
from .reduce import logsumexp


def _softmax(x: Any, axis: int = -1) -> Any:
    """exp(x) / sum(exp(x)) along `axis`: positive numbers that add up to 1."""
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


softmax = defop(
    "softmax", _softmax,
    vjp=lambda g, y, x, axis=-1: y * (g - (g * y).sum(axis=axis, keepdims=True)),
    latex=r"\frac{e^{x_i}}{\sum_j e^{x_j}}", local="y * (g - sum(g * y))",
    names=dict(tf="nn.softmax", keras="softmax", torch="softmax", jax="nn.softmax"),
)


def _log_softmax(x: Any, axis: int = -1) -> Any:
    """log(softmax(x)), computed without taking the logarithm of a vanishing number."""
    shifted = x - x.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


log_softmax = defop(
    "log_softmax", _log_softmax,
    vjp=lambda g, y, x, axis=-1: g - exp(y) * g.sum(axis=axis, keepdims=True),
    latex=r"x_i - \log \sum_j e^{x_j}", local="g - exp(y) * sum(g)",
    names=dict(tf="nn.log_softmax", keras="log_softmax", torch="log_softmax", jax="nn.log_softmax"),
)


def softmax_cross_entropy(logits: Any, labels: Any) -> Any:
    """The cross entropy between integer class labels and softmax(logits), one number for each row.

    logits : shape (n, classes). labels : n integers.

    >>> from minigrad import constant
    >>> softmax_cross_entropy(constant([[0.0, 0.0]]), [1]).value
    array([0.6931472], dtype=float32)
    """
    labels = np.asarray(labels)
    return logsumexp(logits, axis=-1) - logits[np.arange(len(labels)), labels]
