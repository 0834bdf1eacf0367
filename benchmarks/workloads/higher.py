"""Derivatives of derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import normal, workload


def rosenbrock(xp: Any, x: Any) -> Any:
    a, b = x[:-1], x[1:]
    gap = b - a * a
    return xp.sum(100.0 * (gap * gap) + (1.0 - a) * (1.0 - a))


def hvp_by_hand(x: Any, v: Any) -> Any:
    a = x[:-1]
    out = np.zeros_like(x)
    out[:-1] = (1200 * a * a - 400 * x[1:] + 2) * v[:-1] - 400 * a * v[1:]
    out[1:] += 200 * v[1:] - 400 * a * v[:-1]
    return out


def hessian_by_hand(x: Any) -> Any:
    n, a = len(x), x[:-1]
    out = np.zeros((n, n))
    flat = out.reshape(-1)
    flat[: -n : n + 1] = 1200 * a * a - 400 * x[1:] + 2
    flat[n + 1 :: n + 1] += 200
    flat[1 :: n + 1] = flat[n :: n + 1] = -400 * a
    return out


workload(
    "hvp", "Hessian-vector product, Rosenbrock 100", hvp_by_hand, arrays=lambda: normal((100,), (100,)), task="hvp",
    limit="By hand it is a formula of 15 calls on 100 numbers. Eager runs the function, its backward pass, and the "
    "backward pass of both; compiled, the formula that remains after simplifying is run.",
)(rosenbrock)  # fmt: skip
workload(
    "hessian", "full Hessian, Rosenbrock 100", hessian_by_hand, arrays=lambda: normal((100,)), task="hessian",
    limit="By hand three diagonals are filled, and nothing is differentiated. Eager runs a backward pass for each of "
    "100 rows; compiled, as in JAX and tf.function, all rows are run at once, over arrays of 100 x 100 that "
    "are mostly zeros.",
)(rosenbrock)  # fmt: skip


def fifth_by_hand(x: float) -> float:
    t = math.tanh(x)
    s = t * t
    return (1 - s) * (16 - 120 * s + 120 * s * s)


@workload(
    "fifth", "fifth derivative of tanh, scalar", fifth_by_hand, arrays=lambda: [0.3], task="fifth",
    limit="By hand it is one formula of Python floats. Each order differentiates the graph of the one before, which "
    "nearly doubles; compiled, the call takes longer than the numbers.",
)  # fmt: skip
def tanh(xp: Any, x: Any) -> Any:
    return xp.tanh(x)
