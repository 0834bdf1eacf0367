"""A graph as a function of Tensors, which runs in this engine and can be differentiated like any other function."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from ..core.custom import CustomGradient
from ..core.op import OPS, as_leaf
from ..core.support.calling import compute_and_record
from ..core.support.custom_checks import CallConventions
from ..core.tensor import Tensor
from ..core.variable import Variable
from .as_json import from_data
from .reader import Graph
from .writer import Fragment

MOST_ELEMENTS = 1_000_000  # the limit for the result of one op; a whole run may compute 20 times as many elements


class TooMuchWork(ValueError):
    """Raised if a run of a graph computes more numbers than are allowed."""


class RuleError(RuntimeError):
    """Raised by a custom gradient's rule that was not recorded, or that raised an error when it was recorded."""


def function_of(graph: Graph, cast: Any = None, weights: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """Return the graph as a function. It takes one Tensor for each of the params, and returns one Tensor or a tuple.

    cast : a float dtype for running a graph that was recorded in float64; the constants are converted to this
        dtype. A conversion to float32 that is part of the graph is not changed.
    weights : different values for the graph's Variables, by name.

    The function's attribute `variables` contains the Variables by name. A call raises TooMuchWork if one result has
    more than a million elements, or if all results together have more than 20 million. A rule that was not recorded, or
    that raised an error when it was recorded, raises RuleError.

    >>> graph = Graph('{"params": [0], "nodes": [[1, "op", "exp", [{"node": 0}], {}]], "out": [1]}')
    >>> function_of(graph)(Tensor(0.0))
    Tensor(1.0, dtype=float32, op=exp)
    """
    return _Run(graph, cast, weights or {})


#: The cached call convention for the rules in all graphs. One entry is enough, because all rules share one code object.
RULES: CallConventions = {}


class _Run:
    def __init__(self, graph: Graph, cast: Any, weights: Mapping[str, Any]) -> None:
        self.graph, self.cast, self.weights = graph, cast, weights
        self.variables: dict[str, Variable] = {}
        self.work = 0

    def __call__(self, *xs: Tensor) -> Any:
        self.work = 0
        results = self.fragment(self.graph.root, xs, {})
        return results[0] if len(results) == 1 else tuple(results)

    def fragment(self, f: Fragment, values: Sequence[Any], nodes: MutableMapping[int, Any]) -> list[Any]:
        nodes.update(zip(f["params"], values))
        for number, kind, *rest in f["nodes"]:
            nodes[number] = getattr(self, kind)(nodes, *rest)
        return [None if number is None else nodes[number] for number in f["out"]]

    def op(self, nodes: Mapping[int, Any], name: str, args: list[Any], options: dict[str, Any]) -> Any:
        read = lambda data: from_data(data, nodes.__getitem__, self.cast)
        operands = tuple([a.read_value() if isinstance(a, Tensor) else a for a in map(read, args)])
        values = [a.value if isinstance(a, Tensor) else a for a in operands]
        result = compute_and_record(OPS[name], values, operands, {k: read(a) for k, a in options.items()} or None)
        size = sum(np.size(r.value) for r in result) if isinstance(result, tuple) else np.size(result.value)
        self.work += size
        if size > MOST_ELEMENTS or self.work > 20 * MOST_ELEMENTS:
            raise TooMuchWork(f"{name} makes {size:,} numbers, all together {self.work:,}")
        return result

    def constant(self, nodes: Any, data: Any) -> Tensor:
        return as_leaf(from_data(data, nodes.__getitem__, self.cast))

    def variable(self, nodes: Any, name: str, trainable: bool, data: Any) -> Variable:
        if name not in self.variables:
            weight = self.weights.get(name, from_data(data, nodes.__getitem__, self.cast))
            # Rules list their Variables sorted by name. With numbered names, the order is the same as in the recording.
            self.variables[name] = Variable(weight, trainable, f"v{self.graph.variables.index(name):04d}")
        return self.variables[name]

    def output(self, nodes: Mapping[int, Any], node: int, index: int) -> Tensor:
        return nodes[node][index]

    def custom(self, nodes: Any, name: str, numbers: list[int], many: bool, body: Fragment, rule: Any) -> Any:
        def f(*copies: Tensor) -> Any:
            inside = ChainMap({}, nodes)
            outputs = [o.read_value() for o in self.fragment(body, copies, inside)]

            def grad(*upstreams: Tensor, variables: Any = None) -> Any:
                if rule is None:
                    raise RuleError("the rule inside a rule inside a rule was not recorded")
                if "raises" in rule:
                    raise RuleError(rule["raises"])
                gradients = self.fragment(rule, upstreams, ChainMap({}, inside))
                return (
                    (gradients[: len(numbers)], gradients[len(numbers) :]) if variables else gradients[: len(numbers)]
                )

            return (tuple(outputs) if many else outputs[0]), grad

        f.__name__ = f.__qualname__ = name[:60] if name.isidentifier() else "custom"
        return CustomGradient(f, RULES)(*[nodes[number] for number in numbers])
