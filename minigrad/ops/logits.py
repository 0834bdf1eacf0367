"""softmax, its logarithm, and logsumexp, whose slope is softmax.

Scores are taken relative to the largest score, whose exponential is therefore exactly 1. The sums leave this 1 out and
count it separately, because the other exponentials may be so small that adding them to 1 would lose them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .axes import Axis, axes_of, count, in_floats, reduced, spread
from .choose import where
from .declare import LOGITS, defop, names_as
from .exponential import exp, expm1
from .extreme import max
from .identities import astype
from .reduce import sum

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_SAMPLES = ((_TABLE,), (_TABLE, 0), (_TABLE, None))


def _beside_largest(x: Any, axis: Axis) -> tuple[Any, Any]:
    """x minus its largest element, and the sum of exp over the differences, with one largest element left out."""
    x = in_floats(x)
    top = reduced(np.maximum, x, axis, True, initial=-np.inf)
    shifted, largest = x - top, x == top
    rest = reduced(np.add, np.where(largest, 0, np.exp(shifted)), axis, True)
    ties = reduced(np.add, largest.astype(x.dtype), axis, True) - 1  # each tie adds exactly 1
    return shifted, rest + ties


def _softmax(x: Any, axis: Axis = -1) -> Any:
    """exp(x) / sum(exp(x)) along `axis`: positive numbers that add up to 1."""
    shifted, rest = _beside_largest(x, axis)
    return np.exp(shifted) / (1 + rest)


def _softmax_rule(g: Any, y: Any, a: Any, axis: Axis = -1) -> Any:
    """y * (g - sum(g * y)), which does not change if a constant is added to g.

    The constant is chosen so that g is 0 at the largest y. Otherwise, a sum close to 1 might be subtracted from 1,
    which loses digits.
    """
    if not count(y, axis):
        return g
    largest = y == max(y, axis, True)
    g = g - sum(where(largest, g, 0), axis, True) / sum(astype(largest, y.dtype), axis, True)
    return y * (g - sum(g * y, axis, True))


softmax = defop(
    "softmax", _softmax, vjp=_softmax_rule,
    latex=r"\frac{e^{a_i}}{\sum_j e^{a_j}}", slope="y * (g - sum(g * y))",
    domain=LOGITS,
    names=names_as("softmax", tf="nn.softmax", jax="nn.softmax"), samples=_SAMPLES,
)


def _log_softmax(x: Any, axis: Axis = -1) -> Any:
    """log(softmax(x)), computed without taking the logarithm of a number that may have underflowed to 0."""
    shifted, rest = _beside_largest(x, axis)
    return shifted - np.log1p(rest)


log_softmax = defop(
    "log_softmax", _log_softmax,
    vjp=lambda g, y, a, axis=-1: -g * expm1(y) - exp(y) * (sum(g, axis, True) - g),  # 1 - exp(y) may lose digits
    latex=r"a_i - \log \sum_j e^{a_j}", slope="g - exp(y) * sum(g)",
    domain=LOGITS,
    names=names_as("log_softmax", tf="nn.log_softmax", jax="nn.log_softmax"), samples=_SAMPLES,
)


def _logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) along `axis`, computed relative to the largest element so that nothing overflows."""
    _, rest = _beside_largest(x, axis)
    total = np.log1p(rest) + reduced(np.maximum, in_floats(x), axis, True, initial=-np.inf)
    if keepdims:
        return total
    return total.reshape([n for i, n in enumerate(x.shape) if i not in axes_of(x, axis)])


def _logsumexp_rule(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """g * softmax(x), but 0 where every element is -inf."""
    nothing = spread(y == -np.inf, a, axis, keepdims)
    return where(nothing, 0, spread(g, a, axis, keepdims)) * softmax(where(nothing, 0, a), axis)


logsumexp = defop(
    "logsumexp", _logsumexp, method="logsumexp", vjp=_logsumexp_rule,
    latex=r"\log \sum_i e^{a_i}", slope="exp(a - y)",
    edge_cases="slopes 0 where all elements are -inf",
    domain=LOGITS,
    names=names_as("logsumexp", tf="reduce_logsumexp", jax="nn.logsumexp"),
    samples=((_TABLE,), (_TABLE, 0), (_TABLE, (0, -1), True)),
)
