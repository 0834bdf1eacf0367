"""Neural-network functions: activations, losses, dropout, normalisation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.support.tensor_values import is_placeholder
from .arithmetic import rsqrt
from .axes import Axis, in_floats
from .choose import clip, where
from .declare import composite, defop, names_as, plain
from .exponential import exp, expm1
from .index import take_along_axis
from .join import split
from .logits import log_softmax
from .reduce import mean, sum, var
from .shapes import squeeze
from .sigmoid_and_tanh import sigmoid, softplus
from .special_functions import erfc

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_BOTH = (([0.5, -2.0],),)


relu = defop(
    "relu", lambda x: np.maximum(x, 0), elementwise=True, method="relu",
    says="Each element where it is positive, else 0: the rectified linear unit.",
    vjp=lambda g, y, a: where(a > 0, g, 0),
    latex=r"\max(a, 0)", slope="1 if a > 0 else 0",
    edge_cases="slope 0 at 0",
    names=names_as("relu", tf="nn.relu", jax="nn.relu"), samples=_BOTH,
)


def _leaky_relu(x: Any, negative_slope: Any = 0.2) -> Any:
    """`x` if it is positive, else negative_slope * x."""
    return np.where(x > 0, x, x * negative_slope)


leaky_relu = defop(
    "leaky_relu", _leaky_relu, elementwise=True,
    vjp=(
        lambda g, y, a, negative_slope=0.2: where(a > 0, g, g * negative_slope),
        lambda g, y, a, negative_slope: where(a > 0, 0, g * a),
    ),
    latex=r"a \text{ where } a > 0 \text{ else } \operatorname{negative\_slope} a",
    slope="1 if a > 0 else negative_slope",
    edge_cases="slope `negative_slope` at 0",
    names=names_as("leaky_relu", tf="nn.leaky_relu", jax="nn.leaky_relu"),
    samples=(*_BOTH, ([0.5, -2.0], dict(negative_slope=0.1))),
)


def _elu(x: Any, alpha: Any = 1.0) -> Any:
    """`x` if it is positive, else alpha * (e**x - 1)."""
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0, x)))


elu = defop(
    "elu", _elu, elementwise=True,
    vjp=(
        lambda g, y, a, alpha=1.0: where(a > 0, g, g * (alpha * exp(where(a > 0, 0, a)))),
        lambda g, y, a, alpha: where(a > 0, 0, g * expm1(where(a > 0, 0, a))),
    ),
    latex=r"a \text{ where } a > 0 \text{ else } \alpha (e^a - 1)", slope="1 if a > 0 else alpha * exp(a)",
    names=names_as("elu", tf="nn.elu", jax="nn.elu"), samples=(*_BOTH, ([0.5, -2.0], dict(alpha=0.5))),
)


@composite(
    elementwise=True, latex=r"a \Phi(a)", names=names_as("gelu", tf="nn.gelu", jax="nn.gelu"),
    samples=(([0.5, -2.0],), ([0.5, -2.0], True)),
)
def gelu(x: Any, approximate: bool = False) -> Any:
    """`x` times the probability that a standard normal number is below `x`; approximate=True uses tanh."""
    x = in_floats(x)
    if approximate:
        z = clip(x, -30, 30)  # beyond 30 the sigmoid is 0 or 1, so clipping only keeps z**3 finite
        return x * sigmoid(2 * math.sqrt(2 / math.pi) * (z + 0.044715 * z**3))  # 1 + tanh(u) = 2 sigmoid(2 u)
    return x * erfc(x * -math.sqrt(0.5)) / 2  # not 1 + erf, which loses its digits if erf is close to -1


@composite(elementwise=True, latex=r"a \sigma(a)", names=names_as("silu", tf="nn.silu", jax="nn.silu"), samples=_BOTH)
def silu(x: Any) -> Any:
    """`x` times sigmoid(x), also called swish."""
    return x * sigmoid(x)


@composite(
    latex=r"a_1 \sigma(a_2)", names=dict(keras="glu", torch="nn.functional.glu", jax="nn.glu"),
    samples=(([[1.5, -2.0, 0.5, 1.0]],), ([[1.5, -2.0], [0.5, 1.0]], 0)),
)
def glu(x: Any, axis: int = -1) -> Any:
    """A gated linear unit: the first half of `x` along `axis` times the sigmoid of the second half."""
    if x.shape[axis] % 2:
        raise ValueError(f"glu halves axis {axis}, whose length is odd: shape {x.shape}")
    a, gate = split(x, 2, axis)
    return a * sigmoid(gate)


@composite(
    arrays=2, elementwise=True, latex=r"\log(1 + e^a) - a b",
    names=dict(tf="nn.sigmoid_cross_entropy_with_logits", torch="nn.functional.binary_cross_entropy_with_logits"),
    samples=(([0.5, -2.0], [1.0, 0.3]),),
)
def sigmoid_cross_entropy(logits: Any, labels: Any) -> Any:
    """The cross entropy between labels from 0 to 1 and sigmoid(logits), element by element."""
    logits, labels = in_floats(logits), in_floats(labels)
    right = where(logits > 0, logits * (1 - labels), -logits * labels)  # avoids subtracting nearly equal numbers
    return right + softplus(where(logits > 0, -logits, logits))


@composite(
    latex=r"-\sum_i b_i \log \operatorname{softmax}(a)_i",
    names=dict(tf="nn.softmax_cross_entropy_with_logits",
               torch="nn.functional.cross_entropy"),
    samples=((_TABLE, np.array([2, 0])), (_TABLE, [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])),
)
def softmax_cross_entropy(logits: Any, labels: Any) -> Any:
    """The cross entropy between labels and softmax(logits) over the last axis, one number for each row.

    logits : shape (..., classes).
    labels : integers of shape (...), or the probability of each class, shape (..., classes).

    >>> import minigrad as mg
    >>> mg.softmax_cross_entropy(mg.constant([[0.0, 0.0]]), [1]).value
    array([0.6931472], dtype=float32)
    """
    logs = log_softmax(logits)
    if plain(labels).dtype.kind == "f":
        return -sum(labels * logs, -1)
    labels = plain(labels)
    if labels.shape != logits.shape[:-1]:
        raise ValueError(f"the class labels must have shape {logits.shape[:-1]}, one per row, got {labels.shape}")
    if not is_placeholder(labels) and np.any(outside := (labels < 0) | (labels >= logits.shape[-1])):
        raise IndexError(f"the label {labels[outside][0]} is out of bounds: classes are 0 to {logits.shape[-1] - 1}")
    return -squeeze(take_along_axis(logs, labels[..., None], -1), -1)


@composite(
    latex=r"\frac{a_i m_i}{1 - \operatorname{rate}}", names=dict(tf="nn.dropout", torch="nn.functional.dropout"),
    edge_cases="the same seed draws the same elements again, so that a recomputed forward pass is the same",
    samples=((_TABLE, dict(rate=0.5, seed=0)),),
)
def dropout(x: Any, rate: float, seed: int | np.random.Generator) -> Any:
    """`x` with about a fraction `rate` of its elements set to 0 and the others scaled up to keep the mean.

    seed : an int to drop the same elements every time, or a NumPy Generator to drop different elements each time.
    """
    if not 0 <= rate < 1:
        raise ValueError(f"dropout takes a rate of at least 0 and below 1, got {rate}")
    mask = np.random.default_rng(seed).random(x.shape) >= rate
    return x * (mask / (1 - rate)).astype(x.dtype)


@composite(
    latex=r"\frac{a - \bar a}{\sqrt{\operatorname{var} a + \epsilon}}",
    names=dict(keras="layer_normalization", torch="nn.functional.layer_norm"),
    samples=((_TABLE,), (_TABLE, [1.0, 2.0, 3.0], [0.5, 0.0, 1.0]), (_TABLE, None, None, (0, 1))),
)
def layer_norm(x: Any, gamma: Any = None, beta: Any = None, axis: Axis = -1, epsilon: Any = 1e-3) -> Any:
    """`x` shifted and scaled to mean 0 and variance 1 along `axis`, then times `gamma`, plus `beta`."""
    y = (x - mean(x, axis, True)) * rsqrt(var(x, axis, True) + epsilon)
    y = y if gamma is None else y * gamma
    return y if beta is None else y + beta
