"""The data that a page needs to follow changed inputs, or the reason why the page cannot follow them.

The data are the instructions, the cells with the picture's numbers, and the words of its sentences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from minigrad.core.backward import Sends, backward, start
from minigrad.core.custom import CustomCall
from minigrad.core.graph import ancestors
from minigrad.core.tensor import Tensor
from minigrad.core.variable import READ, Variable
from minigrad.tracing.numbers import shape_text
from minigrad.tracing.trace_fields import at_output, local_derivative, whole
from minigrad.tracing.trace_schema import BackwardTrace

from ..model.findings import Findings
from ..model.timeline import SENTENCES
from .decisions import value_of
from .lowering import Lowering
from .page_tape import NotFollowed
from .replayed import CalledWith, Replay

MOST = 64  #: maximum number of elements of an input that can be changed
LONGEST = 300  #: maximum number of ops of a pass whose numbers can change on a page
FINISHED = "The recorded ops are recomputed; decisions of the Python code, indices and masks stay as they were."


class Followed:
    """The result shown by a lane of a view, with all that a page needs to recompute it for changed inputs.

    y : the result. call : the function call that made `y`, if known. trace : the record of the backward pass of `y`;
        the view's own trace may have more nodes. why : the reason why the page cannot follow changed inputs, or "";
        `data` sets it.
    """

    def __init__(self, y: Tensor, trace: BackwardTrace, call: CalledWith | None = None, why: str = "") -> None:
        self.y, self.trace, self.call, self.why = y, trace, call, why
        self._found: dict[str, Any] | None = {} if why else None

    def data(self, findings: Findings, shown: Collection[int]) -> dict[str, Any]:
        """Return the data for a player's lane, which is empty if the page cannot follow changed inputs.

        shown : the nodes that have a card.
        """
        if self._found is None:
            try:
                if len(self.trace.nodes) > 2 * LONGEST:
                    raise NotFollowed(f"there are more than {LONGEST} ops")
                self._found = draggable(self.y, self.trace, self.call)
            except NotFollowed as reason:
                self._found, self.why = {}, str(reason)
        if not self._found:
            return {}
        note = {} if self.call else {"note": FINISHED}
        return {**self._found, **telling(findings, shown), **note}


def telling(findings: Findings, shown: Collection[int]) -> dict[str, Any]:
    """Return the texts that static/recomputed.js needs to write the sentences of a pass after an input has changed.

    shown : the nodes that have a card.

    The keys of the result are:

    ops : a row [op, dtype, shape, kind, rule] for each node.
    edges : a row [source, node, formula of the slope, form of the message's formula, whether the edge is on the card,
        axes summed over] for each edge.
    names : the names of nodes without a card.
    said : the templates of the sentences.
    """
    trace = findings.trace
    ops = [[n.op, n.dtype, shape_text(n.shape) if n.shape else "", n.kind, n.custom or ""] for n in trace.nodes]
    edges = []
    for edge in trace.edges:
        on_card = bool(edge.local) and edge.ghost <= findings.nodes[edge.dst].ghost
        formula, sent = findings.formulas[edge.id], findings.message_formulas[edge.id]
        way = [formula, f"ḡ · {formula}", f"ḡ · ({formula})"].index(sent)
        edges.append([edge.src, edge.dst, formula, way, int(on_card), findings.added_up[edge.id]])
    return {
        "ops": _short_rows(ops),
        "edges": _short_rows(edges, 2),
        "names": {n.id: findings.names[n.id] for n in trace.nodes if n.id not in shown},
        "said": SENTENCES,
    }


def _short_rows(rows: list[list[Any]], least: int = 0) -> list[list[Any]]:
    """Remove empty fields from the end of each row in place, but keep at least `least` fields; return the rows."""
    for row in rows:
        while len(row) > least and not row[-1]:
            row.pop()
    return rows


def draggable(y: Tensor, trace: BackwardTrace, call: CalledWith | None = None) -> dict[str, Any]:
    """Return the instructions of the backward pass from `y`, and the cells of the numbers in `trace`, as plain data.

    call : the call that made `y`. The function is called again to find decisions that depend on numbers. Without
        `call`, only the recorded ops are followed.

    The keys of the result are:

    code : the instructions.
    seed : the cell of the upstream gradient.
    inputs : rows [node, cell].
    nodes : node -> the cell of its value.
    steps : rows [node, pass, cell of the adjoint, messages]. The pass is 0, or the index of a ghost. A message is
        [edge, cell], or [edge, cell, cell of the sum before, cell of the sum after].
    local : edge -> the cell of its slope.
    guards : rows [cell, value, where].

    Raises NotFollowed, with the reason, if the page cannot follow changed inputs.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> y = x * x
    >>> data = draggable(y, mg.backward_trace(y))
    >>> data["code"][:5], data["inputs"]
    ([['in', 'f', [3.0]], ['mul', 0, 0], ['in', 'f', [1.0]], ['mul', 2, 0], ['add', 3, 3]], [[0, 0]])
    >>> data["code"][5:], data["local"]
    ([['is', 'f', [1.0]], ['mul', 5, 0]], {0: 6, 1: 6})
    """
    reached = [n for n in trace.nodes if n.kind == "leaf" and n.adjoint is not None]
    if not any(0 < math.prod(n.shape) <= MOST for n in reached):
        raise NotFollowed(f"no input has 1 to {MOST} elements" if reached else "no gradient reaches an input")
    replay = Replay(y.read_value(), call)
    with replay.running():
        data = _Writer(replay, trace).data()
    if "inputs" not in data:
        raise NotFollowed("the result depends on no input that can be changed")
    return data


class _Writer:
    """Write a replayed backward pass to a tape, and record which cell has the number of each node, edge and step."""

    def __init__(self, replay: Replay, trace: BackwardTrace) -> None:
        self.replay, self.trace, self.lowering = replay, trace, Lowering()
        number = trace.node_of
        self.number = {serial: number[was] for serial, was in replay.recorded.items() if was in number} or number
        self.edges = {(e.dst, e.arg, e.ghost): e.id for e in trace.edges}
        self.nodes: dict[int, int] = {}
        self.tensors: dict[int, Tensor] = {}
        self.steps: list[Any] = []
        self.calls: list[tuple[Tensor, Any]] = []

    def data(self) -> dict[str, Any]:
        y, graph = self.replay.y, ancestors([self.replay.y])
        for leaf, line in self.replay.inputs:
            self.lowering.give(line, value_of(leaf).real_value)
        leaves = [t for t in graph if (t.op is None or t.op is READ) and t.dtype.kind == "f"]
        leaves = [t for t in leaves if not isinstance(t, Variable)]
        self.values(graph)
        one = self.replay.start(np.ones(y.shape, y.dtype)[()])
        seed = self.lowering.give(one.line, one.real_value)
        backward(start([y], [one], leaves), self.follow(0))
        for number, (node, upstream) in enumerate(self.calls, 1):
            self.ghost(node, upstream, number)
        data = {
            "code": self.lowering.tape.code,
            "seed": seed,
            "inputs": self.inputs(),
            "nodes": self.nodes,
            "steps": self.steps,
            "local": self.slopes(),
            "guards": self.guards(),
        }
        return {key: value for key, value in data.items() if value or value == 0}

    def values(self, graph: Iterable[Tensor]) -> None:
        for t in graph:
            number = self.number.get(t.serial)
            if number is not None and number not in self.nodes and not isinstance(t, Variable):
                self.tensors[number] = t
                self.nodes[number] = self.lowering.full(value_of(t))

    def follow(self, ghost: int) -> Callable[[Tensor, Any, Sends], None]:
        """Return an observer for `backward` that appends each step, and the cells of its messages, to `steps`.

        ghost : 0 for the pass itself, or the number of the replaced body whose ops the pass runs through.
        """
        arrived: dict[int, int] = {}

        def observe(node: Tensor, upstream: Any, sends: Sends) -> None:
            me = self.number.get(node.serial)
            if me is None or (ghost and not self.trace.nodes[me].ghost):
                return
            row = []
            upstream = whole(node, upstream) if isinstance(upstream, dict) else upstream
            for i, argument, message in sends:
                to = self.number.get(argument.serial)
                if to is None:
                    continue
                if isinstance(value_of(argument), tuple):
                    message = at_output(node, argument, message)
                cell, before = self.lowering.full(message), arrived.get(to)
                arrived[to] = cell if before is None else self.lowering.sum(before, cell)
                more = [] if before is None else [before, arrived[to]]
                row.append([self.edges[me, i, ghost > 0], cell, *more])
            self.steps.append([me, ghost, self.lowering.full(upstream), row])
            if isinstance(node.op, CustomCall) and not ghost:
                self.calls.append((node, upstream))

        return observe

    def ghost(self, node: Tensor, upstream: Any, number: int) -> None:
        """Run a backward pass through the body of a custom call, which the main pass skipped because of its rule.

        node : the custom call. upstream : its upstream gradient. number : the index of the ghost, from 1.
        """
        op: Any = node.op
        copies = [x.read_value() for x in [*op.body_inputs, *op.variables] if isinstance(x, Tensor)]
        cut = {copy.serial for copy in copies}
        body = ancestors(op.body_outputs, enter=lambda t: t.serial not in cut)
        self.values(t for t in body if t.serial not in cut)
        upstreams = [upstream[i] for i in sorted(upstream)] if isinstance(upstream, dict) else [upstream]
        backward(start(op.body_outputs, upstreams, copies, cut), self.follow(number))

    def slopes(self) -> dict[int, int]:
        """Return edge -> cell for each local derivative that the trace contains."""
        cells = {}
        for edge in self.trace.edges:
            node = self.tensors.get(edge.dst)
            if edge.local_value is not None and node is not None:
                _, slope = local_derivative(node, edge.arg, node.args[edge.arg])
                cells[edge.id] = self.lowering.full(slope)
        return cells

    def guards(self) -> list[list[Any]]:
        """Return a row [cell, value, where] for each guard, without duplicates: the cell must keep this value."""
        rows = {(self.lowering.cell(g.line), g.value, g.where): None for g in self.replay.guards}
        return [[*row] for row in rows]

    def inputs(self) -> list[list[int]]:
        """Return rows [node, cell] for the inputs that can be changed."""
        rows = []
        for leaf, line in self.replay.inputs:
            node = self.number.get(leaf.serial)
            if node is not None and 0 < line.size <= MOST and self.trace.nodes[node].kind == "leaf":
                rows.append([node, self.lowering.cell(line)])
        return rows
