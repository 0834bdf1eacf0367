"""Findings about a backward pass, computed from its trace once and handed to every part of the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from minigrad.diagnostics.nan_origins import Birth, births
from minigrad.tracing.labels import Formulas
from minigrad.tracing.model import BackwardTrace, Edge, Send, Step
from minigrad.tracing.numbers import nonfinite, number_of, short

NOT_YET = "not yet"  #: an adjoint that nothing has reached must never look like 0


@dataclass(frozen=True)
class MessageText:
    """One message in words: its value, the adjoint of the receiver before and after, and how the value came about.

    `bad` and `spoils` tell whether the value, or the adjoint after it, is nan or inf; `origin` is set where that began.
    """

    send: Send
    value: str
    before: str
    after: str
    product: str
    bad: bool
    spoils: bool
    origin: Birth | None


class Findings:
    """Names, formulas, origins of nan and inf, adjoints and messages of one trace.

    origins : those of the pass, where they are known already.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> found = Findings(mg.backward_trace(mg.exp(x), names={"x": x}))
    >>> found.names, found.origins
    ({0: 'x', 1: 'exp'}, ())
    """

    def __init__(self, trace: BackwardTrace, origins: Sequence[Birth] | None = None) -> None:
        self.trace = trace
        self.formulas = Formulas(trace)
        self.names = self.formulas.name
        self.nodes = {node.id: node for node in trace.nodes}
        self.edges = {edge.id: edge for edge in trace.edges}
        found = list(births(trace) if origins is None else origins)
        for ghost in trace.ghosts:
            found += births(trace, ghost.steps, ghost=True)
        self.origins = tuple(found)
        passes = trace.steps, *(ghost.steps for ghost in trace.ghosts)
        self.adjoints = {step.node: short(step.g) for steps in passes for step in steps}
        self._origin_of = {origin.edge: origin for origin in found}
        self._messages: dict[int, MessageText] = {}

    def message(self, step: Step, send: Send) -> MessageText:
        """The message `send` of `step`, in words."""
        known = self._messages.get(send.edge)
        if known is None:
            value, after = short(send.value), short(send.after)
            before = NOT_YET if send.before is None else short(send.before)
            product = arithmetic(step, self.edges[send.edge], send)
            bad, spoils = nonfinite(send.value) is not None, nonfinite(send.after) is not None
            known = MessageText(send, value, before, after, product, bad, spoils, self._origin_of.get(send.edge))
            self._messages[send.edge] = known
        return known


def arithmetic(step: Step, edge: Edge, send: Send) -> str:
    """The arithmetic of a message: "0.5 * 2 = 1", or "1" where there is no single factor.

    >>> arithmetic(Step(0, 2, "derived", 0.5), Edge(0, 1, 2, 0, "b", 2.0), Send(0, 1, 1.0, None, 1.0, "first"))
    '0.5 * 2 = 1'
    """
    g, slope, value = number_of(step.g), number_of(edge.local_value), number_of(send.value)
    if g is None or slope is None or value is None or not step.rule.startswith("derived"):
        return short(send.value)
    product = g * slope
    same = (math.isnan(product) and math.isnan(value)) or product == value or math.isclose(product, value, rel_tol=1e-2)
    return f"{short(g)} * {short(slope)} = {short(value)}" if same else short(value)
