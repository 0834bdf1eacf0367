"""log(1 + exp(x)) with the gradient written by the user, and the same through primitives."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import workload


def log1pexp_by_hand(x: Any) -> Any:
    e = np.exp(x)
    e += 1
    return np.log(e).sum(), [1 - 1 / e]


def _arrays() -> list[Any]:
    return [np.linspace(-2, 2, 10)]


@workload(
    "custom", "log1pexp through custom_gradient, size 10", log1pexp_by_hand, arrays=_arrays,
    limit="Calls of NumPy on ten numbers. A custom gradient costs a call of the function, a call of its rule, and "
    "the check of what the rule returns.",
)  # fmt: skip
def custom(xp: Any, x: Any) -> Any:
    return xp.sum(xp.log1pexp(x))


@workload(
    "primitives", "log1pexp through primitives, size 10", log1pexp_by_hand, arrays=_arrays,
    limit="Calls, as in the row above; this row is the reference for it.",
)  # fmt: skip
def primitives(xp: Any, x: Any) -> Any:
    return xp.sum(xp.log(1 + xp.exp(x)))
