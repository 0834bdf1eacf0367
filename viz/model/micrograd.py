"""Treat micrograd's objects as nodes of a learner's own engine.

A `Value` has `data`, `grad`, `_op`, `_prev` (the set of its operands), and `_backward`, a closure that adds to the
operands' `grad`. https://github.com/karpathy/micrograd
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minigrad.core.tensor import Tensor

from .learner_trace import oldest_first


def is_value(y: Any) -> bool:
    """Return whether `y` has the attributes of micrograd's `Value`."""
    return hasattr(y, "data") and hasattr(y, "_prev") and not isinstance(y, (Tensor, type))


class ValueNode:
    """A `Value` as a node of a graph: see `viz.model.learner_trace`."""

    def __init__(self, value: Any, parents: tuple[ValueNode, ...]) -> None:
        self.original, self.value, self.parents = value, value.data, parents
        self.op, self.name = str(getattr(value, "_op", "")), str(getattr(value, "label", ""))


def nodes_behind(y: Any) -> list[ValueNode]:
    """Return the nodes of all values from which `y` was computed, oldest first; the node of `y` is the last.

    `_prev` is a set: it has no order, and contains `x` only once for `x * x`. So the order of the arguments is taken
    from the closure, if there is one.

    Raises ValueError for a graph with a cycle.
    """
    nodes: dict[int, ValueNode] = {}
    circular = lambda value: f"{value!r:.60} is computed from itself: its _prev lead back to it"
    for value in oldest_first(y, _arguments, circular):
        nodes[id(value)] = ValueNode(value, tuple(nodes[id(one)] for one in _arguments(value)))
    return [*nodes.values()]


def _arguments(value: Any) -> list[Any]:
    """Return the distinct operands of a value: `self`, then the others in the order of the closure's variables."""
    rule = getattr(value, "_backward", None)
    names = getattr(getattr(rule, "__code__", None), "co_freevars", ())
    cells = dict(zip(names, getattr(rule, "__closure__", None) or ()))
    order = [id(cells[name].cell_contents) for name in sorted(cells, key=lambda name: (name != "self", name))]
    return sorted(value._prev, key=lambda one: order.index(id(one)) if id(one) in order else len(order))


def backward_of(nodes: list[ValueNode]) -> Callable[..., None]:
    """Return a walk that calls the `_backward` of each value, newest first, and reports the messages.

    Each closure runs twice. First its operands' `grad` starts at 0 and ends as the message; then it starts at the sum
    so far and ends as the new sum. So if a closure overwrites `grad` instead of adding to it, the new sum differs from
    the old sum plus the message. At the end, every `grad` is restored. Raises TypeError if a value has no `_backward`.
    """
    if not all(hasattr(node.original, "_backward") for node in nodes):
        kind = type(nodes[-1].original).__name__
        raise TypeError(f"a {kind} behind the result has no _backward; viz.forward(y) draws the values without it")

    def _backward(y: ValueNode, tell: Callable[..., None]) -> None:
        values = [node.original for node in nodes]
        before = [value.grad for value in values]
        try:
            for value in values:
                value.grad = 0.0
            y.original.grad = 1.0
            for node in reversed(nodes):
                parents = [parent.original for parent in node.parents]
                sums = [parent.grad for parent in parents]
                for parent in parents:
                    parent.grad = 0.0
                node.original._backward()
                messages = [parent.grad for parent in parents]
                for parent, grad in zip(parents, sums):
                    parent.grad = grad
                node.original._backward()
                for i, (parent, message) in enumerate(zip(parents, messages)):
                    tell(node, i, message, parent.grad)
        finally:
            for value, grad in zip(values, before):
                value.grad = grad

    return _backward


def names_of(nodes: list[ValueNode], namespace: Mapping[str, Any]) -> dict[str, ValueNode]:
    """Return name -> node for the variables in `namespace` that refer to a value of this graph."""
    of = {id(node.original): node for node in nodes}
    return {name: of[id(x)] for name, x in namespace.items() if id(x) in of}
