"""A backward pass as a learner's own engine tells it: recorded message by message, computed nowhere here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from minigrad.core.messages import name_of, visible
from minigrad.tracing.model import BackwardTrace, Num, Send, Step
from minigrad.tracing.summary import event, number

from .own_graph import OwnGraph

MOST = 1000  #: messages that are recorded beyond one for each edge


def told_by(graph: OwnGraph, by: Callable[..., Any]) -> tuple[BackwardTrace, int]:
    """The trace of what `by(y, tell)` tells, and the number of messages it told; of very many, the first are
    recorded.

    `by` calls `tell(node, i, message, held)` after each message: from which node, along which of its arguments, how
    much, and what the parent holds now. A step of the trace is a run of messages from one node. That the result has
    the gradient 1 is not told: the slope of a number with respect to itself is 1.

    Raises TypeError where `by` cannot be called so, or tells of what is no node or no number.
    """
    called = visible(name_of(by))
    listener = _Listener(graph, called)
    y = graph.objects[-1]
    try:
        inspect.signature(by).bind(y, listener.tell)
    except TypeError:
        raise TypeError(
            f"{called} is called as {called}(y, tell): give it a second parameter, and call "
            "tell(node, i, message, held) after each message"
        ) from None
    by(y, listener.tell)
    return listener.trace(), listener.count


class _Listener:
    def __init__(self, graph: OwnGraph, called: str) -> None:
        self.graph, self.called = graph, called
        self.count, self.most = 0, len(graph.trace.edges) + MOST
        self.held: dict[int, Any] = {len(graph.objects) - 1: np.float64(1.0)}
        self.steps: list[tuple[int, Num, list[Send]]] = []

    def tell(self, node: Any, i: int, message: Any, held: Any) -> None:
        """Record one message: `node` sent `message` to its parent number `i`, which holds `held` now."""
        self.count += 1
        if self.count > self.most:
            return
        me = self.graph.ids.get(id(node))
        if me is None:
            raise TypeError(f"{self.called} told of {node!r:.60}, which is no node behind the result")
        edge = self.graph.edge_ids.get((me, i))
        if edge is None:
            raise TypeError(
                f"{self.called} told of argument {i!r} of {node!r:.60}, which has {len(node.parents)}, numbered from 0"
            )
        message, held = self._number("message", message), self._number("held", held)
        to = self.graph.ids[id(node.parents[i])]
        before, g = self.held.get(to), self.held.get(me, np.float64(0.0))
        send = Send(
            edge, to, number(message), None if before is None else number(before), number(held),
            event(g, message, before, held),
        )  # fmt: skip
        if not self.steps or self.steps[-1][0] != me or any(known.edge == edge for known in self.steps[-1][2]):
            self.steps.append((me, number(g), []))
        self.steps[-1][2].append(send)
        self.held[to] = held

    def _number(self, what: str, x: Any) -> Any:
        try:
            return np.asarray(x, float)[()]
        except (TypeError, ValueError):
            raise TypeError(
                f"{self.called} told {x!r:.60} as {what}, which must be a number; the order is "
                "tell(node, i, message, held)"
            ) from None

    def trace(self) -> BackwardTrace:
        """The steps in the order of telling, then one without messages for each input that was reached."""
        trace = self.graph.trace
        if not self.steps:
            return trace
        y = len(self.graph.objects) - 1
        steps = self.steps if self.steps[0][0] == y else [(y, number(self.held[y]), []), *self.steps]
        inputs = [n.id for n in trace.nodes if n.kind == "leaf" and n.id in self.held]
        steps = [*steps, *((n, number(self.held[n]), []) for n in inputs)]
        made = tuple(Step(i, node, "derived", g, tuple(sends)) for i, (node, g, sends) in enumerate(steps))
        nodes = tuple(replace(n, adjoint=number(self.held[n.id])) if n.id in self.held else n for n in trace.nodes)
        return replace(trace, nodes=nodes, steps=made)
