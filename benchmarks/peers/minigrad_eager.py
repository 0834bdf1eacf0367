"""minigrad as it runs: ops compute at once and are recorded, then the backward loop."""

from __future__ import annotations

import operator
from functools import partial, reduce
from types import SimpleNamespace
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.core.op import OPS


@mg.custom_gradient
def log1pexp(x: Any) -> Any:
    e = mg.exp(x)

    def grad(upstream: Any) -> Any:
        return upstream * (1 - 1 / (1 + e))

    return mg.log(1 + e), grad


spell = SimpleNamespace(
    **{name: op.call for name, op in OPS.items() if name != "matvec"},
    matvec=operator.matmul,
    zeros=np.zeros,
    take_rows=lambda x, rows: x[rows],
    log1pexp=log1pexp,
)
spell.avg_pool = partial(spell.avg_pool, pool_size=2) if hasattr(spell, "avg_pool") else None


def question(workload: Any) -> Any:
    """The function whose value is the answer."""
    f, wrt = partial(workload.f, spell), tuple(range(workload.wrt))
    if workload.task == "hvp":
        return mg.hvp(f)
    if workload.task == "hessian":
        return mg.hessian(f)
    if workload.task == "fifth":
        return reduce(lambda g, _: mg.grad(g), range(5), f)
    return mg.value_and_grad(f, wrt)


def numpy_arguments(arrays: list[Any]) -> list[Any]:
    """The arguments as NumPy values, whose answers are NumPy values."""
    return [[np.float64(x) for x in a] if _floats(a) else np.float64(a) if isinstance(a, float) else a for a in arrays]


def _floats(a: Any) -> bool:
    return isinstance(a, list) and isinstance(a[0], float)


class Peer:
    def prepare(self, workload: Any, arrays: list[Any]) -> Any:
        if workload.name == "lenet" and not spell.avg_pool:
            return None
        return partial(question(workload), *numpy_arguments(arrays))
