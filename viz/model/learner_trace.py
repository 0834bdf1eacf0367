"""The trace of a learner's own engine: the graph of its objects, and the backward pass that it reports.

A node is any object with the attributes `value` and `parents`, a tuple with one entry for each argument. The attributes
`op`, `slopes` (one for each argument) and `name` are used if present. This file computes no gradients.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from minigrad.core.support.error_words import name_of, visible
from minigrad.core.tensor import Tensor
from minigrad.tracing.nodes import WalkSlope
from minigrad.tracing.numbers import short
from minigrad.tracing.trace_fields import event, number
from minigrad.tracing.trace_schema import BackwardTrace, Edge, Node, Num, Send, Step

MOST = 1000  #: the maximum number of recorded messages is the number of edges plus this number


def is_node(y: Any) -> bool:
    """Return whether `y` is a node of a learner's own engine."""
    return hasattr(y, "value") and hasattr(y, "parents") and not isinstance(y, (Tensor, type))


class LearnerTrace:
    """The trace of the objects behind `y`, oldest first, and of the messages reported about them.

    namespace : variables by name; an object without a name gets the first name that refers to it.

    Raises TypeError for a value that is not a number, parents that are not a tuple of nodes, or slopes that are not one
    number per parent. Raises ValueError for a graph with a cycle.

    >>> class Number:
    ...     def __init__(self, value, op="", parents=(), slopes=()):
    ...         self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
    >>> x = Number(3.0)
    >>> trace = LearnerTrace(Number(9.0, "multiply", (x, x), (3.0, 3.0)), {"x": x}).trace
    >>> [(node.op, node.name, node.value) for node in trace.nodes]
    [('leaf', 'x', 3.0), ('multiply', '', 9.0)]
    """

    def __init__(self, y: Any, namespace: Mapping[str, Any]) -> None:
        circular = lambda node: f"{_called(node)} is made from itself: its parents lead back to it"
        self.y, objects = y, oldest_first(y, _parents, circular)
        self.ids = {id(node): i for i, node in enumerate(objects)}  # by id, because equal objects are different nodes
        called = {id(value): name for name, value in [*namespace.items()][::-1] if not name.startswith("_")}
        nodes = [_node(i, node, called.get(id(node), ""), node is y) for i, node in enumerate(objects)]
        edges: list[Edge] = []
        self.edge_ids: dict[tuple[int, int], int] = {}  # (node, argument) -> index of the edge
        #: edge -> its slope, if known: a number, or a `WalkSlope`, by which an array is multiplied.
        self.slopes: dict[int, Any] = {}
        #: (step, edge) -> the message, and the receiver's gradient after it, as numbers or arrays.
        self.reported: dict[tuple[int, int], tuple[Any, Any]] = {}
        for i, node in enumerate(objects):
            slopes = _slopes(node)
            for arg, parent in enumerate(node.parents):
                self.edge_ids[i, arg] = len(edges)
                edge = len(edges)
                if slopes is not None:
                    self.slopes[edge] = slopes[arg]
                edges.append(Edge(edge, self.ids[id(parent)], i, arg, None, _number_of_slope(self.slopes.get(edge))))
        self.trace = BackwardTrace(tuple(nodes), tuple(edges), ())
        #: The number of messages reported so far, and the maximum number to record.
        self.count, self.most = 0, len(edges) + MOST
        self._held: dict[int, Any] = {len(objects) - 1: np.ones(nodes[-1].shape)[()]}
        self._steps: list[tuple[int, Num, list[Send]]] = []
        self._arrays: dict[int, tuple[Any, Any]] = {}  # by the id of a Send, as in `reported`
        self._teller = ""

    def listen(self, by: Callable[..., Any]) -> None:
        """Add the steps reported by `by(y, tell)` to the trace.

        `by` calls `tell(node, i, message, held)` after each message: the sending node, the index of the argument, the
        number sent, and the parent's gradient after the message. A step is a run of messages from one node. The
        gradient of the result is not reported, because it is always 1.

        Raises TypeError if `by` cannot be called with `(y, tell)`, or reports something that is not a node or a number.
        Raises ValueError for a message or a gradient whose shape differs from its value.
        """
        self._teller = visible(name_of(by))
        try:
            inspect.signature(by).bind(self.y, self._tell)
        except TypeError:
            raise TypeError(
                f"{self._teller} is called as {self._teller}(y, tell): give it a second parameter, and call "
                "tell(node, i, message, held) after each message"
            ) from None
        by(self.y, self._tell)
        if not self._steps:
            return
        held, steps, last = {n: number(g) for n, g in self._held.items()}, self._steps, len(self.ids) - 1
        steps = steps if steps[0][0] == last else [(last, held[last], []), *steps]
        inputs = [n.id for n in self.trace.nodes if n.kind == "leaf" and n.id in held]
        steps = [*steps, *((n, held[n], []) for n in inputs)]  # inputs with a gradient get a step that sends nothing
        made = tuple(Step(i, node, "derived", g, tuple(sends)) for i, (node, g, sends) in enumerate(steps))
        nodes = tuple(replace(n, adjoint=held[n.id]) if n.id in held else n for n in self.trace.nodes)
        self.trace = replace(self.trace, nodes=nodes, steps=made)
        self.reported = {(step.i, send.edge): self._arrays[id(send)] for step in made for send in step.sends}

    def _tell(self, node: Any, i: int, message: Any, held: Any) -> None:
        """Record one message: `node` sent `message` to its i-th parent, whose gradient is now `held`."""
        self.count += 1
        if self.count > self.most:
            return
        me = self.ids.get(id(node))
        if me is None:
            raise TypeError(f"{self._teller} reported {node!r:.60}, which is not in the graph of the result")
        edge = self.edge_ids.get((me, i))
        if edge is None:
            raise TypeError(
                f"{self._teller} reported argument {i!r} of {node!r:.60}, which has {len(node.parents)}, "
                "numbered from 0"
            )
        message, held = self._number("message", message), self._number("held", held)
        to = self.ids[id(node.parents[i])]
        shape = self.trace.nodes[to].shape
        for what, x in (("message", message), ("gradient", held)):
            if np.shape(x) != shape:
                name = _called(node.parents[i])
                raise ValueError(
                    f"{self._teller} reported a {what} of shape {np.shape(x)} for {name}, whose value has the shape "
                    f"{shape}; a gradient has the shape of its value"
                )
        before, g = self._held.get(to), self._held.get(me, np.float64(0.0))
        sum_before = None if before is None else number(before)
        send = Send(edge, to, number(message), sum_before, number(held), event(g, message, before, held))
        if not self._steps or self._steps[-1][0] != me or any(sent.edge == edge for sent in self._steps[-1][2]):
            self._steps.append((me, number(g), []))
        self._steps[-1][2].append(send)
        self._arrays[id(send)] = message, held
        self._held[to] = held

    def _number(self, what: str, x: Any) -> Any:
        try:
            return _floats(x)[()]
        except (TypeError, ValueError):
            raise TypeError(
                f"{self._teller} reported {x!r:.60} as {what}, which must be a number or an array; the order is "
                "tell(node, i, message, held)"
            ) from None


def oldest_first(y: Any, parents: Callable[[Any], Sequence[Any]], circular: Callable[[Any], str]) -> list[Any]:
    """Return all objects from which `y` is computed, parents before children. The search does not use recursion.

    Raises ValueError for a graph with a cycle. circular : returns the message for an object that is its own ancestor.
    """
    ordered: list[Any] = []
    state: dict[int, bool] = {}  # id -> whether the object and its parents are in `ordered`
    stack = [y]
    while stack:
        node = stack[-1]
        if id(node) in state:
            stack.pop()
            if not state[id(node)]:
                state[id(node)] = True
                ordered.append(node)
            continue
        state[id(node)] = False
        for parent in reversed(parents(node)):
            if state.get(id(parent)) is False:
                raise ValueError(circular(parent))
            if id(parent) not in state:
                stack.append(parent)
    return ordered


def _floats(x: Any) -> Any:
    """Copy numbers to an array of floats, which may be changed in place later without changing the copy."""
    array = np.array(x)
    if array.dtype.kind == "c":
        raise TypeError("complex numbers")
    return array if array.dtype.kind == "f" else array.astype(float)


def _number_of_slope(slope: Any) -> Num | None:
    """Return the slope as a trace stores it; None if it is not known, or not a number but a rule."""
    if slope is None or (isinstance(slope, WalkSlope) and not isinstance(slope, float)):
        return None
    return number(np.asarray(slope, float))


def _called(node: Any) -> str:
    return str(getattr(node, "name", "") or getattr(node, "op", "") or type(node).__name__)


def _parents(node: Any) -> tuple[Any, ...]:
    parents = node.parents
    if not isinstance(parents, (tuple, list)):
        raise TypeError(
            f"the parents of {_called(node)} must be a tuple with one entry for each argument, got {parents!r:.60}"
        )
    for parent in parents:
        if not is_node(parent):
            raise TypeError(
                f"the parents of {_called(node)} must be objects with value and parents, got {parent!r:.60}; "
                f"write {type(node).__name__}({parent!r:.20}) for a number"
            )
    return tuple(parents)


def _slopes(node: Any) -> Any:
    """Return the slopes of an object, one for each parent, or None if the object has no slopes."""
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
        value = _floats(node.value)
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
