"""Arguments that a function does not use: boxes without lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.tracing.model import BackwardTrace, Node
from minigrad.tracing.summary import number

UNUSED = "unused"  #: the op of the box of such an argument


def with_unused(trace: BackwardTrace, arguments: Mapping[str, Any]) -> BackwardTrace:
    """`trace` with a leaf for each of the named Tensors that it does not have.

    >>> import minigrad as mg
    >>> x, w = mg.constant(3.0), mg.constant(2.0)
    >>> with_unused(mg.backward_trace(x * x, names={"x": x}), {"x": x, "w": w}).nodes[-1].name
    'w'
    """
    there = {node.name for node in trace.nodes}
    nodes = list(trace.nodes)
    for name, t in arguments.items():
        if isinstance(t, Tensor) and name not in there:
            nodes.append(Node(len(nodes), UNUSED, name, "leaf", number(t.value), t.shape, str(t.dtype)))
    return replace(trace, nodes=tuple(nodes)) if len(nodes) > len(trace.nodes) else trace
