"""micrograd, for the scalar workloads. It recurses over its graph: the chain of 100,000 nodes is too deep for it."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from micrograd.engine import Value

spell = SimpleNamespace(relu=Value.relu)


class Peer:
    def prepare(self, workload: Any, arrays: list[Any]) -> Any:
        return partial(self._gradient, workload.f, arrays) if workload.name == "scalar-mlp" else None

    def _gradient(self, f: Any, arrays: list[Any]) -> Any:
        leaves = [Value(x) for x in arrays[0]]
        y = f(spell, leaves, *arrays[1:])
        y.backward()
        return y.data, [[x.grad for x in leaves]]
