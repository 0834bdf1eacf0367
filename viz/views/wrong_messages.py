"""A backward pass with marks at the messages that differ from the true ones, as for a failed answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isclose, isfinite
from typing import Any

from minigrad.tracing.numbers import number_of, short
from minigrad.tracing.trace_fields import number
from minigrad.tracing.trace_schema import BackwardTrace

from ..model.findings import Findings
from ..model.timeline import Moment, timeline
from ..render.lane import Lane
from ..render.markup import Html, markup
from .view import View

CLOSE = 1e-3  #: a relative difference between a rule and the replaced pass that is ignored: both may be in float32


class WrongView(View):
    """A backward pass with marks: `wrong_messages` has a sentence for each message that differs from the true one."""

    wrong: tuple[str, ...] = ()

    def _point(self) -> str:
        """No headline: the first wrong message is shown above."""
        return ""

    def _above(self) -> Html:
        return markup('<p class="mg-error"><b>The first wrong message:</b> {words}</p>', words=self.wrong[0])

    def _table(self, lane: Lane, max_lines: int | None) -> str:
        return "\n".join([super()._table(lane, max_lines), "", "Wrong messages:", *self.wrong[:max_lines]])

    def _opening(self) -> int:
        """The moment when the first wrong message is sent."""
        moments = self._lanes[0].moments
        return next((i for i, m in enumerate(moments) if m.words.endswith(self.wrong[0])), super()._opening())


def with_wrong(view: View, true: Mapping[str, Any]) -> View:
    """The view with its wrong messages marked; the view itself if there are none.

    true : the true gradient of each input whose gradient is wrong, by name.

    >>> import minigrad as mg
    >>> from viz import backward
    >>> @mg.custom_gradient
    ... def twice(x):
    ...     return 2.0 * x, lambda upstream: 3.0 * upstream
    >>> with_wrong(backward(twice, x=1.0), {"x": 2.0}).wrong
    ('twice sends x 3; true: 2',)
    """
    (lane,) = view._lanes
    truths = {edge: short(number(g)) for edge, g in _true_messages(lane.trace, true).items()}
    if not truths:
        return view

    def narrate(findings: Findings) -> tuple[Moment, ...]:
        return tuple(_marked(findings, moment, truths) for moment in timeline(findings))

    other = WrongView([replace(lane, narrate=narrate)], view.title)
    other.note, other.report = view.note, view.report  # not followed: at different inputs, different messages are wrong
    sent = [(step, send) for step in lane.trace.steps for send in step.sends if send.edge in truths]
    other.wrong = tuple(_words(lane.findings, step.node, send, truths[send.edge]) for step, send in sent)
    return other


def _true_messages(trace: BackwardTrace, true: Mapping[str, Any]) -> dict[int, Any]:
    """Edge -> the true message, for each that is wrong.

    If an input receives only one message, that message is its gradient. If it receives several, only the messages that
    a rule replaced are known.
    """
    sends = [send for step in trace.steps for send in step.sends]
    alone = {send.to: send.edge for send in sends if sum(other.to == send.to for other in sends) == 1}
    inputs = {node.id: node.name for node in trace.nodes if node.kind == "leaf"}
    messages = {edge: true[inputs[node]] for node, edge in alone.items() if inputs.get(node) in true}
    rules = {step.node: step for step in trace.steps}
    for ghost in trace.ghosts if true else ():
        replaced = [send for step in ghost.steps for send in step.sends]
        for send in rules[ghost.of].sends:
            parts = [number_of(other.value) for other in replaced if other.to == send.to]
            if (send.to in inputs and send.to in alone) or not parts or None in parts:
                continue
            total, yours = sum(map(float, parts)), number_of(send.value)  # type: ignore[arg-type]
            if yours is not None and isfinite(total) and not isclose(yours, total, rel_tol=CLOSE, abs_tol=1e-12):
                messages[send.edge] = total
    return messages


def _marked(findings: Findings, moment: Moment, truths: Mapping[int, str]) -> Moment:
    message = moment.message
    if message is None or moment.ghost or message.send.edge not in truths:
        return moment
    true = truths[message.send.edge]
    words = f"{moment.words} Wrong: {_words(findings, moment.node, message.send, true)}"
    return replace(moment, message=replace(message, value=f"{message.value} ≠ {true}", bad=True), words=words)


def _words(findings: Findings, node: int, send: Any, true: str) -> str:
    return f"{findings.names[node]} sends {findings.names[send.to]} {short(send.value)}; true: {true}"
