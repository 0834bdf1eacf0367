"""The graph behind a learner's own object, as a trace without steps.

A node is any object with `value` and `parents`, a tuple with one entry for each argument; `op`, `slopes` (one
for each argument) and `name` are used where they are there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor
from minigrad.tracing.model import BackwardTrace, Edge, Node
from minigrad.tracing.numbers import short
from minigrad.tracing.summary import number


def is_own(y: Any) -> bool:
    """Whether `y` is an object of a learner's own engine."""
    return hasattr(y, "value") and hasattr(y, "parents") and not isinstance(y, (Tensor, type))


class OwnGraph:
    """The objects behind `y`, oldest first, and their trace.

    namespace: variables by name; an object gets the first name it has there, if it has no name of its own.

    Raises TypeError for a value that is no number, for parents that are no tuple of nodes and for slopes that are not
    one number for each parent; ValueError for a graph with a circle.

    >>> class Number:
    ...     def __init__(self, value, op="", parents=(), slopes=()):
    ...         self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
    >>> x = Number(3.0)
    >>> graph = OwnGraph(Number(9.0, "multiply", (x, x), (3.0, 3.0)), {"x": x})
    >>> [(node.op, node.name, node.value) for node in graph.trace.nodes]
    [('leaf', 'x', 3.0), ('multiply', '', 9.0)]
    """

    def __init__(self, y: Any, namespace: Mapping[str, Any]) -> None:
        self.objects = _oldest_first(y)
        self.ids = {id(node): i for i, node in enumerate(self.objects)}  # equal objects are different nodes
        called: dict[int, str] = {}
        for name, value in namespace.items():
            if not name.startswith("_"):
                called.setdefault(id(value), name)
        nodes: list[Node] = []
        edges: list[Edge] = []
        self.edge_ids: dict[tuple[int, int], int] = {}  # (node, argument) -> number of the edge
        for i, node in enumerate(self.objects):
            nodes.append(_node(i, node, called.get(id(node), ""), node is y))
            slopes = _slopes(node)
            for arg, parent in enumerate(node.parents):
                self.edge_ids[i, arg] = len(edges)
                slope = None if slopes is None else number(np.asarray(slopes[arg], float))
                edges.append(Edge(len(edges), self.ids[id(parent)], i, arg, None, slope))
        self.trace = BackwardTrace(tuple(nodes), tuple(edges), ())


def _oldest_first(y: Any) -> list[Any]:
    """Everything that `y` is made from: parents before children, without recursion."""
    found: list[Any] = []
    state: dict[int, bool] = {}  # id -> whether all its parents are in `found`
    stack = [y]
    while stack:
        node = stack[-1]
        if id(node) in state:
            stack.pop()
            if not state[id(node)]:
                state[id(node)] = True
                found.append(node)
            continue
        state[id(node)] = False
        for parent in reversed(_parents(node)):
            if state.get(id(parent)) is False:
                raise ValueError(f"{_called(parent)} is made from itself: its parents lead back to it")
            if id(parent) not in state:
                stack.append(parent)
    return found


def _called(node: Any) -> str:
    return str(getattr(node, "name", "") or getattr(node, "op", "") or type(node).__name__)


def _parents(node: Any) -> tuple[Any, ...]:
    parents = node.parents
    if not isinstance(parents, (tuple, list)):
        raise TypeError(
            f"the parents of {_called(node)} must be a tuple with one entry for each argument, got {parents!r:.60}"
        )
    for parent in parents:
        if not is_own(parent):
            raise TypeError(
                f"the parents of {_called(node)} must be objects with value and parents, got {parent!r:.60}; "
                f"write {type(node).__name__}({parent!r:.20}) for a number"
            )
    return tuple(parents)


def _slopes(node: Any) -> Any:
    """The slope for each parent; None where the object has none."""
    slopes = getattr(node, "slopes", None)
    if slopes is None or (not node.parents and not np.size(slopes)):
        return None
    if not isinstance(slopes, (tuple, list)) or len(slopes) != len(node.parents):
        raise TypeError(
            f"the slopes of {_called(node)} must be a tuple with one number for each of its parents, "
            f"{len(node.parents)}, got {slopes!r:.60}"
        )
    return slopes


def _node(i: int, node: Any, called: str, output: bool) -> Node:
    try:
        value = np.asarray(node.value, float)
    except (TypeError, ValueError):
        raise TypeError(f"the value of {_called(node)} must be a number, got {node.value!r:.60}") from None
    name = str(getattr(node, "name", "") or called)
    op = str(getattr(node, "op", "") or type(node).__name__)
    if node.parents:
        kind = "output" if output else "op"
    else:
        kind = "leaf" if name or getattr(node, "op", "") or output else "const"
        op = "leaf" if kind == "leaf" else "const"
    if kind == "const":
        name = short(number(value))
    return Node(i, op, name, kind, number(value), value.shape, str(value.dtype), output=output)
