"""Find the ends that a nan or inf in a pass affects: the program's value, or the gradients of some of its inputs."""

from __future__ import annotations

from collections.abc import Iterable

from ..tracing.numbers import nonfinite
from ..tracing.trace_schema import BackwardTrace
from .origins import NanOrigin

#: The entry for the program's value in a set of the ids of inputs.
VALUE = -1


class Reach:
    """A search for the ends that a nan or inf in a trace affects.

    ends : all nonfinite ends: the ids of inputs whose gradients are not finite, and VALUE if the value is not finite.
    """

    def __init__(self, trace: BackwardTrace) -> None:
        self.trace = trace
        self.bad = {node.id for node in trace.nodes if nonfinite(node.value)}
        self.arguments: dict[int, list[int]] = {}
        for edge in trace.edges:
            self.arguments.setdefault(edge.dst, []).append(edge.src)
        self.ends = {n.id for n in trace.nodes if n.kind == "leaf" and not n.ghost and nonfinite(n.adjoint)}
        if any(node.output and node.id in self.bad for node in trace.nodes):
            self.ends.add(VALUE)

    def of_value(self, node: int) -> set[int]:
        """Return the ends that a nonfinite node affects, or that the source of its nan or inf affects.

        A nan or inf spreads through values in the forward pass, and from values to slopes in the backward pass.
        """
        spoilt, wave = {node}, [node]
        while wave:
            before = self.bad.intersection(self.arguments.get(wave.pop(), ())) - spoilt
            spoilt |= before
            wave += before
        for other in self.trace.nodes:  # oldest first
            if other.id in self.bad and spoilt.intersection(self.arguments.get(other.id, ())):
                spoilt.add(other.id)
        ends = {VALUE} if any(self.trace.nodes[i].output for i in spoilt) else set()
        near = {i for i in self.arguments if i in spoilt or spoilt.intersection(self.arguments[i])}
        return self.ends & (ends | self._along(near))

    def of_origin(self, origin: NanOrigin) -> set[int]:
        """Return the inputs whose gradients an origin in the backward pass makes nonfinite."""
        return self.ends & {path[-1] for path in origin.paths}

    def _along(self, senders: Iterable[int]) -> set[int]:
        """Return the ids of the nodes that a nan or inf reaches, if it first appears in a message of these senders."""
        senders, reached = {*senders}, set[int]()
        for step in self.trace.steps:
            for send in step.sends:
                born = send.event in ("nan-born", "inf-born") and step.node in senders
                if born or (step.node in reached and nonfinite(send.value)):
                    reached.add(send.to)
        return reached
