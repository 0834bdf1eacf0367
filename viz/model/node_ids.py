"""The number of each Tensor in a trace: a trace numbers its nodes anew, the engine by serial."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minigrad.core.custom_call import CustomCall
from minigrad.core.graph import ancestors
from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable
from minigrad.tracing.model import BackwardTrace, Node

ADDED = ("const", "cut", "unused")  #: the ops of boxes that are no Tensors of the graph


def numbers(y: Tensor, trace: BackwardTrace) -> dict[int, int]:
    """Serial of each Tensor behind `y` -> number of its node in the trace of `y`, the bodies of custom calls included.

    >>> from minigrad import constant
    >>> from minigrad.tracing.recorder import backward_trace
    >>> x = constant(3.0)
    >>> y = x * 2.0
    >>> found = numbers(y, backward_trace(y))
    >>> found[x.serial], found[y.serial]
    (0, 2)
    """
    graph = ancestors([y.read_value()])
    found = _paired(graph, (node for node in trace.nodes if not node.ghost))
    calls = {found[t.serial]: t for t in graph if isinstance(t.op, CustomCall)}
    for ghost in trace.ghosts:
        call: Any = calls[ghost.of]
        operands = [a for a in call.args if isinstance(a, Tensor)]
        copies = [x.read_value() for x in [*call.op.body_inputs, *call.op.variables] if isinstance(x, Tensor)]
        found |= {copy.serial: found[a.serial] for copy, a in zip(copies, operands)}
        known = {copy.serial for copy in copies}
        body = ancestors(call.op.body_outputs, enter=lambda node: node.serial not in known)  # noqa: B023
        mine = (node for node in trace.nodes if node.ghost_of == ghost.of)
        found |= _paired([t for t in body if t.serial not in known | found.keys()], mine)
    return found


def _paired(graph: list[Tensor], nodes: Iterable[Node]) -> dict[int, int]:
    """Both are oldest first; only the trace has boxes for plain numbers and for what the picture adds."""
    tensors = [t for t in graph if not isinstance(t, Variable)]
    return {t.serial: node.id for t, node in zip(tensors, (n for n in nodes if n.op not in ADDED), strict=True)}
