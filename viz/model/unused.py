"""Show the unused arguments of a function, and the unused outputs of a call with several outputs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from minigrad.core.graph import ancestors
from minigrad.core.support.error_words import visible
from minigrad.core.tensor import Tensor
from minigrad.tracing.trace_fields import number
from minigrad.tracing.trace_schema import BackwardTrace, Edge, Node

UNUSED = "unused"  #: the op in the box of an unused argument or output


def with_unused(trace: BackwardTrace, names: Mapping[str, Any], inputs: Collection[str]) -> BackwardTrace:
    """Return `trace` with a leaf for each Tensor named in `inputs` that is missing from the trace.

    >>> import minigrad as mg
    >>> x, w = mg.constant(3.0), mg.constant(2.0)
    >>> with_unused(mg.backward_trace(x * x, names={"x": x}), {"x": x, "w": w}, ["w"]).nodes[-1].name
    'w'
    """
    there = {node.name for node in trace.nodes}
    nodes = list(trace.nodes)
    for name, t in names.items():
        if isinstance(t, Tensor) and visible(name) not in there and re.split(r"\W", name)[0] in inputs:
            nodes.append(Node(len(nodes), UNUSED, name, "leaf", number(t.value), t.shape, str(t.dtype)))
    return replace(trace, nodes=tuple(nodes)) if len(nodes) > len(trace.nodes) else trace


def with_ports(y: Tensor, trace: BackwardTrace) -> BackwardTrace:
    """Return `trace` with a box for each unused output of a call with several outputs; its upstream gradient is 0.

    >>> import minigrad as mg
    >>> @mg.custom_gradient
    ... def both(x):
    ...     return (x + 1.0, x * x), lambda da, db: da + 2 * x * db
    >>> first, second = both(mg.constant(3.0))
    >>> with_ports(first, mg.backward_trace(first)).nodes[-1].name
    'output 1'
    """
    box_of = trace.node_of
    nodes, edges = list(trace.nodes), list(trace.edges)
    for call in (t for t in ancestors([y.read_value()]) if isinstance(t.value, tuple) and t.serial in box_of):
        users = {edge.dst for edge in trace.edges if edge.src == box_of[call.serial]}
        used = {node.detail for node in trace.nodes if node.id in users}
        for i, value in enumerate(call.value):
            if f"number {i}" not in used:
                edges.append(Edge(len(edges), box_of[call.serial], len(nodes), 0))
                shape, kind = value.shape, str(value.dtype)
                nodes.append(Node(len(nodes), UNUSED, f"output {i}", "leaf", number(value), shape, kind))
    return replace(trace, nodes=tuple(nodes), edges=tuple(edges)) if len(nodes) > len(trace.nodes) else trace
