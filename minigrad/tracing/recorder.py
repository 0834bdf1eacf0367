"""`backward_trace(y)`: run the backward pass once and record each step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from ..core.backward import Sends, backward, start
from ..core.custom import CustomCall
from ..core.graph import ancestors
from ..core.op import COPY, PICK
from ..core.support.fast import gc_paused
from ..core.support.scattered import Scattered
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from .calls_and_scopes import parts_of
from .trace_fields import at_output, constant_name, event, flat, is_operand, local_derivative, number, whole
from .trace_schema import COPIED, VARIABLE, BackwardTrace, Edge, Ghost, Node, Num, Send, Step
from .user_lines import line_of


def backward_trace(
    y: Tensor, xs: Iterable[Tensor] | None = None, names: Mapping[str, Any] | None = None
) -> BackwardTrace:
    """Run one backward pass from `y` and return the record of the pass.

    Parameters
    ----------
    y : the Tensor to differentiate; if it has several elements, their sum is differentiated.
    xs : the Tensors to differentiate with respect to; by default all float inputs.
    names : the Tensors by the user's names, as `locals()` returns them.

    Raises TypeError if `y` is not a Tensor.

    >>> from minigrad import constant
    >>> x = constant(3.0)
    >>> [(step.node, step.g) for step in backward_trace(x * x, names={"x": x}).steps]
    [(1, 1.0), (0, 6.0)]
    """
    if not isinstance(y, Tensor):
        advice = "compute it from Tensors, such as constant(3.0)"
        raise TypeError(f"y must be a Tensor, got {y!r:.60} of type {type(y).__name__}; {advice}")
    with gc_paused():
        return _Recorder(y.read_value(), None if xs is None else list(xs), names or {}).finish()


class _Recorder:
    """Writes a trace: it numbers the nodes, oldest first, then runs the pass and records the pass's steps."""

    def __init__(self, y: Tensor, xs: list[Tensor] | None, names: Mapping[str, Any]) -> None:
        self.y = y
        self.called = {id(v): k for k, v in names.items() if isinstance(v, Tensor) and not k.startswith("_")}
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.ghosts: list[Ghost] = []
        self.ids: dict[int, int] = {}  # the numbers of nodes, by the serials of their Tensors
        self.inside: dict[int, int] = {}  # the numbers of nodes in the bodies of custom calls
        self.edge_ids: dict[tuple[int, int, bool], int] = {}  # the numbers of edges, by (dst, argument, ghost)
        self.adjoints: dict[int, Num] = {}
        self.calls: list[tuple[Tensor, Any]] = []

        graph = [node for node in ancestors([y]) if not isinstance(node, Variable)]
        self.parts = parts_of(graph)
        for tensor in graph:
            self.add(tensor)
        self.sources = (
            [t for t in graph if t.op is None or t.op is READ] if xs is None else [x.read_value() for x in xs]
        )
        self.sources = [s for s in self.sources if s.dtype.kind == "f"]

    def finish(self) -> BackwardTrace:
        upstream = np.ones_like(self.y.value)[()]  # a scalar for shape (), as in `gradients`
        steps = self.follow([self.y], [upstream], self.sources, self.ids, ghost=False)
        for call, g in self.calls:
            self.add_ghost(call, g)
        nodes = tuple(
            Node(**{**vars(n), "adjoint": self.adjoints.get(n.id)}) if n.id in self.adjoints else n for n in self.nodes
        )
        node_of = {**self.inside, **self.ids}
        return BackwardTrace(nodes, tuple(self.edges), steps, tuple(self.ghosts), node_of=node_of)

    # Nodes and edges.

    def add(self, tensor: Tensor, ghost_of: int | None = None, ids: dict[int, int] | None = None) -> int:
        """Add the node of a Tensor to the trace, with its constant arguments and the edges to it; return its number.

        ghost_of : the number of the custom call whose body the Tensor is in, or None. ids : serial -> number of a node;
        the node is added.
        """
        ids = self.ids if ids is None else ids
        op, leaf, called = tensor.op, tensor.op is None or tensor.op is READ, isinstance(tensor.op, CustomCall)
        kind = "custom" if called else "output" if tensor is self.y else "op"
        if leaf:
            kind = "leaf" if tensor.dtype.kind == "f" else "const"
        entering = []
        for i, a in enumerate(tensor.args if op is not READ else ()):
            if isinstance(a, Tensor):
                if a.serial in ids:
                    entering.append((i, ids[a.serial], a))
            elif is_operand(op, i, a):
                entering.append((i, self.box("const", constant_name(a), "const", a, ghost_of), a))
        me = self.box(
            "leaf" if leaf else "copy" if op is COPY else op.name, self.name_of(tensor), kind, tensor.value, ghost_of,
            line=line_of(tensor), scope=self.parts.get(tensor.serial, ()), detail=self.detail_of(tensor),
            output=tensor is self.y and ghost_of is None,
            custom=getattr(op.grad_fn, "__name__", "grad_fn") if called else None,
        )  # fmt: skip
        for i, src, a in entering:
            local, value = local_derivative(tensor, i, a)
            self.edge(src, me, i, local, value, ghost_of is not None)
        ids[tensor.serial] = me
        return me

    def box(self, op: str, name: str, kind: str, value: Any, ghost_of: int | None, **more: Any) -> int:
        array = np.concatenate([np.ravel(v) for v in value]) if isinstance(value, tuple) else np.asarray(value)
        self.nodes.append(
            Node(len(self.nodes), op, name, kind, number(array), array.shape, str(array.dtype),
                 ghost=ghost_of is not None, ghost_of=ghost_of, **more)
        )  # fmt: skip
        return len(self.nodes) - 1

    def edge(self, src: int, dst: int, arg: int, local: str | None, value: Any, ghost: bool) -> None:
        self.edge_ids[dst, arg, ghost] = len(self.edges)
        self.edges.append(Edge(len(self.edges), src, dst, arg, local, None if value is None else number(value), ghost))

    def detail_of(self, tensor: Tensor) -> str:
        """Return an op's options as text, such as "axis=0"; for a custom call, return the Variables its rule gets."""
        op = tensor.op
        if op is None or op is READ:
            return VARIABLE if op else ""
        if isinstance(op, CustomCall):
            named = [self.called.get(id(v), v.name) for v in op.variables]
            return f"variables=[{', '.join(named)}]" if named else ""
        if op is COPY:
            return COPIED
        if op is PICK:
            return f"number {tensor.args[1]}"
        operands = len(tensor.args if op.vjps is None or op.vjp_all is not None else op.vjps)
        options = [*map(repr, tensor.args[operands:]), *(f"{k}={v!r}" for k, v in (tensor.kwargs or {}).items())]
        return ", ".join(options)

    def name_of(self, tensor: Tensor) -> str:
        if tensor.op is READ:
            variable = tensor.args[0]
            return self.called.get(id(variable), variable.name)
        user_name = self.called.get(id(tensor), "")
        if tensor.op is COPY and not user_name and (src := self.ids.get(tensor.args[0].serial)) is not None:
            return f"copy of {self.nodes[src].name or self.nodes[src].op}"
        if user_name or tensor.op is not None:
            return user_name
        if tensor.dtype.kind != "f":
            return constant_name(tensor.value)
        taken = {n.name for n in self.nodes} | set(self.called.values())
        return next(name for name in ("x", *(f"x{i}" for i in range(1, len(taken) + 2))) if name not in taken)

    # The steps.

    def follow(
        self,
        targets: list[Tensor],
        upstreams: list[Any],
        sources: list[Tensor],
        ids: dict[int, int],
        ghost: bool,
        cut: Collection[int] = (),
    ) -> tuple[Step, ...]:
        """Run one backward pass and return its steps, with the gradient of each receiver before and after each message.

        ids : serial -> number of a node; messages to other nodes are left out. ghost : whether this is the pass that a
        custom rule replaced.
        """
        steps: list[Step] = []
        arrived: dict[int, Any] = {}

        def observe(node: Tensor, g: Any, messages: Sends) -> None:
            if node.serial not in ids:
                return  # such a node is a copy of an argument, and has no box
            me = ids[node.serial]
            adjoint = g = whole(node, g) if isinstance(g, dict) else g
            if isinstance(g, dict):
                adjoint = flat(g)
            sends = []
            for i, a, message in messages:
                if a.serial in ids:
                    message = at_output(node, a, message) if isinstance(a.value, tuple) else message
                    sends.append(self.send(me, i, a, message, adjoint, ids, arrived, ghost))
            call: Any = node.op if isinstance(node.op, CustomCall) else None
            rule = f"custom:{getattr(call.grad_fn, '__name__', 'grad_fn')}" if call else "derived"
            steps.append(Step(len(steps), me, rule, number(adjoint), tuple(sends)))
            if not ghost:
                self.adjoints[me] = steps[-1].g
                if call:
                    self.calls.append((node, g))

        with np.errstate(all="ignore"):
            backward(start(targets, upstreams, sources, cut), observe)
        return tuple(steps)

    def send(
        self, me: int, i: int, argument: Tensor, contribution: Any, g: Any, ids: dict[int, int],
        arrived: dict[int, Any], ghost: bool,
    ) -> Send:  # fmt: skip
        to = ids[argument.serial]
        before = arrived.get(to)
        if isinstance(contribution, Scattered):
            contribution = contribution.dense()
        after = contribution if before is None else before + contribution
        arrived[to] = after
        sent, edge, what = number(contribution), self.edge_ids[me, i, ghost], event(g, contribution, before, after)
        if before is None:
            return Send(edge, to, sent, None, sent, what)
        return Send(edge, to, sent, number(before), number(after), what)

    def add_ghost(self, call: Tensor, g: Any) -> None:
        """Record the body of the custom call `call`, and the backward pass through it that the call's rule replaced.

        g : the upstream gradient of the call; a dict if it has several outputs.
        """
        op: Any = call.op
        me = self.ids[call.serial]
        operands = [a for a in call.args if isinstance(a, Tensor)]
        copies = [x.read_value() for x in [*op.body_inputs, *op.variables] if isinstance(x, Tensor)]
        ids = {copy.serial: self.ids[a.serial] for copy, a in zip(copies, operands)}
        drawn = set(ids)
        for tensor in ancestors(op.body_outputs, enter=lambda node: node.serial not in drawn):
            if not isinstance(tensor, Variable) and tensor.serial not in ids:
                self.add(tensor, me, ids)
        for i, output in enumerate(op.body_outputs):
            self.edge(ids[output.serial], me, -1 - i, None, None, True)
        values = call.value if isinstance(call.value, tuple) else (call.value,)
        upstreams = [g[i] for i in range(len(values))] if isinstance(g, dict) else [g]
        self.inside |= ids
        try:
            steps = self.follow(op.body_outputs, upstreams, copies, ids, ghost=True, cut=drawn)
        except Exception as error:  # raised by a rule in the body, which an ordinary pass does not call
            self.ghosts.append(Ghost(me, raised=f"{type(error).__name__}: {error}"))
        else:
            self.ghosts.append(Ghost(me, tuple(s for s in steps if self.nodes[s.node].ghost)))
