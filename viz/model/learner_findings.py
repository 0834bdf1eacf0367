"""The messages that a learner's engine reports, and marks on those that cannot be right: `viz.backward(y, by=...)`.

Two conditions are true in every correct pass. The gradient of a node is the sum of the messages that arrived, and the
messages along an edge add up to the sender's gradient times the slope. A mark shows a reported number next to the
correct one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from minigrad.tracing.labels import spoken
from minigrad.tracing.numbers import nonfinite, shape_text, short
from minigrad.tracing.trace_fields import number
from minigrad.tracing.trace_schema import Edge, Send, Step

from .findings import NOT_YET, Findings, MessageText, arithmetic
from .learner_trace import LearnerTrace
from .text_table import shortened
from .timeline import Moment, Narrator

FEW = 4  #: maximum number of messages that are written out one by one


class LearnerFindings(Findings):
    """Findings about a reported pass.

    Edges show all their messages; boxes show the gradient and the sum of the messages that arrived.

    complete : whether every message was recorded; if not, the final gradients get no verdict.
    """

    def __init__(self, engine: LearnerTrace, called: str) -> None:
        trace = engine.trace
        super().__init__(trace)
        self.called, self.count, self.local_slopes = called, engine.count, engine.slopes
        self.reported = engine.reported  #: (step, edge) -> the message, and the receiver's gradient after it
        self.complete = self.count == sum(len(step.sends) for step in trace.steps)
        self.sent: dict[int, list[Any]] = {}  # edge -> the messages reported along it
        self.arrived: dict[int, list[Any]] = {}  # node -> the messages reported to arrive
        self.held: dict[int, Any] = {}  # node -> its gradient
        if trace.steps:
            first = trace.nodes[trace.steps[0].node]
            self.held[first.id] = np.ones(first.shape, first.dtype)[()]
        self.sums: dict[int, str] = {}  # node -> the mark on its final sum, or ""
        self.first_sent: dict[int, int] = {}  # node -> its first step with a message
        self._texts = {
            (step.i, send.edge): self._read(step, send, *self.reported[step.i, send.edge])
            for step in trace.steps
            for send in step.sends
        }

    def message(self, step: Step, send: Send) -> MessageText:
        return self._texts[step.i, send.edge][0]

    def mark(self, step: Step, send: Send) -> str:
        """Return the reason why the receiver's reported gradient after a message cannot be right, or ""."""
        return self._texts[step.i, send.edge][1]

    def _read(self, step: Step, send: Send, message: Any, gradient: Any) -> tuple[MessageText, str]:
        self.first_sent.setdefault(step.node, step.i)
        sent, arrived = self.sent.setdefault(send.edge, []), self.arrived.setdefault(send.to, [])
        sent.append(message)
        arrived.append(message)
        self.held[send.to] = gradient
        total, text = _sum(arrived), short(send.after)
        mark = ""
        if not same(total, gradient, arrived, self.nodes[send.to].dtype):
            text = f"{text} ≠ {_short(total)}"
            name, together = self.names[send.to], f", together {_short(total)}" * (len(arrived) > 1)
            mark = f"{_listed(arrived)} arrived at {name}{together}. But {name} holds {short(send.after)}."
            mark += _where(total, gradient)
        self.sums[send.to] = mark
        before = NOT_YET if send.before is None else short(send.before)
        product = arithmetic(step, self.edges[send.edge], send)
        bad = nonfinite(send.value) is not None
        return MessageText(send, _listed(sent), before, text, product, bad, bool(mark), None), mark

    def edge_marks(self) -> list[tuple[Edge, str, str]]:
        """Return (edge, label, sentence) for each edge whose messages do not add up to gradient times slope.

        Messages to constants are checked only if all others are right; an engine may omit messages to constants.
        """
        edges = self.trace.edges if self.complete else ()
        fixed = [edge for edge in edges if self.nodes[edge.src].kind == "const"]
        return self._marks([edge for edge in edges if edge not in fixed]) or self._marks(
            [edge for edge in fixed if edge.id in self.sent]
        )

    def _marks(self, edges: Sequence[Edge]) -> list[tuple[Edge, str, str]]:
        marks = []
        for edge in edges:
            held, slope = self.held.get(edge.dst), self.local_slopes.get(edge.id)
            sent = self.sent.get(edge.id, [])
            if held is None or slope is None:
                continue
            total, expected = _sum(sent) if sent else np.zeros(self.nodes[edge.src].shape)[()], slope * held
            if not same(total, expected, sent, self.nodes[edge.dst].dtype):
                name, to = self.names[edge.dst], self.names[edge.src]
                together = f", together {_short(total)}" * (len(sent) > 1)
                if edge.local_value is None:  # the slope of an array is a rule, not a number
                    product = f"the rule of {self.nodes[edge.dst].op} makes {_short(expected)} of it"
                else:
                    product = f"{_short(held)} · {_short(slope)} = {_short(expected)}"
                words = f"{name} sent {_listed(sent) or 'nothing'} to {to}{together}."
                words += f" But {name} holds {_short(held)}, and {product}.{_where(total, expected)}"
                marks.append((edge, f"{_short(total)} ≠ {_short(expected)}", words))
        return marks

    def verdict(self) -> str:
        """Return the text below the picture: every mark, or the statement that all numbers agree."""
        if not self.count:
            return f"{self.called} did not call tell: write tell(node, i, message, held) after each message."
        drawn = sum(map(len, self.sent.values()))
        count = "1 message was recorded" if self.count == 1 else f"{self.count} messages were recorded"
        if not self.complete:
            count = f"tell was called {self.count} times; the first {drawn} messages are drawn"
        marks = [mark for mark in self.sums.values() if mark] + [words for *_, words in self.edge_marks()]
        if marks:
            return f"{count}. This cannot be right: {' '.join(marks)}"
        if not self.complete:
            return f"{count}."
        has_slopes = bool(self.local_slopes)
        return f"{count}. Every box holds the sum of what arrived{', and sent it on times its slopes' * has_slopes}."


class LearnerNarrator(Narrator):
    """Writes the moments of a pass that a learner's engine reports.

    There is a moment for the start, for each message, for each node that sends nothing, and for each mark of an edge.
    """

    findings: LearnerFindings

    def moments(self) -> tuple[Moment, ...]:
        moments = super().moments()
        texts = [moment.message for moment in moments if moment.message]
        last, at_end = ({key(text.send): text for text in texts} for key in (lambda s: s.edge, lambda s: s.to))
        return moments + tuple(self._marked(*mark, last, at_end) for mark in self.findings.edge_marks())

    def _marked(
        self, edge: Edge, label: str, words: str, last: Mapping[int, MessageText], at_end: Mapping[int, MessageText]
    ) -> Moment:
        message = None
        if edge.id in last:
            held = at_end[edge.src]
            message = replace(last[edge.id], value=label, after=held.after, spoils=held.spoils, bad=True)
        return Moment(self.findings.trace.steps[-1].i, edge.dst, message, words, verdict=True)

    def start(self) -> str:
        steps = self.findings.trace.steps
        if not steps:
            return self.findings.verdict()
        name = self.names[steps[0].node]
        if self.findings.nodes[steps[0].node].shape:
            why = "because the sum of its elements is differentiated"
            return f"Start: the gradient of {name} is 1 in every entry, {why}."
        return f"Start: the gradient of {name} is {spoken(steps[0].g)}, the slope of {name} with respect to itself."

    def arrived(self, step: Step, ghost: bool) -> str:
        name = self.names[step.node]
        if self.findings.nodes[step.node].kind != "leaf":
            return f"{name} sends nothing at first."
        holds = f"{name} is an input and holds {spoken(number(self.findings.held[step.node]))}: nothing more arrives."
        return self.findings.sums.get(step.node) or holds

    def sent(self, step: Step, message: MessageText, ghost: bool) -> str:
        findings, send = self.findings, message.send
        sender, to = self.names[step.node], self.names[send.to]
        number = message.product if "=" in message.product else spoken(send.value)
        held = "" if send.before is None else f"held {spoken(send.before)} and "
        number_alone = findings.nodes[send.to].kind == "const" and to == findings.values[send.to]
        receiver, who = (f"the constant {to}", "It") if number_alone else (to, to)
        words = f"{sender} sends to {receiver}: {number}. {who} {held}now holds {spoken(send.after)}."
        if findings.first_sent.get(send.to, step.i) < step.i:
            words += f" {to} had sent before this arrived."
        return f"{words} {findings.mark(step, send)}".rstrip()


def learner_timeline(findings: Findings) -> tuple[Moment, ...]:
    """Return all moments of a reported pass, in order; moments for the marks of edges come last."""
    assert isinstance(findings, LearnerFindings)
    return LearnerNarrator(findings).moments()


def learner_table(moments: Sequence[Moment], max_lines: int | None = None) -> str:
    """Return the sentences of `moments` as text, one per line after the moment's position on the slider.

    max_lines : if there are more sentences, the middle is left out, so that about this many lines remain.
    """
    return "\n".join(shortened([f"{at}  {moment.words}" for at, moment in enumerate(moments)], max_lines))


def _listed(values: Sequence[Any]) -> str:
    words = [_short(value) for value in values]
    if len(words) <= FEW:
        return ", ".join(words)
    return f"{words[0]}, {words[1]}, …, {words[-1]} ({len(words)} messages)"


def _short(value: Any) -> str:
    return short(number(np.asarray(value)[()]))


def _sum(values: Sequence[Any]) -> Any:
    with np.errstate(all="ignore"):
        shape = np.broadcast_shapes(*map(np.shape, values))
        return sum((np.asarray(value, float) for value in values), start=np.zeros(shape))[()]


def _where(a: Any, b: Any) -> str:
    """Return a sentence about the first difference between two arrays, or about their shapes; "" for numbers."""
    if np.shape(a) != np.shape(b):
        return f" The shapes are {shape_text(np.shape(a)) or '()'} and {shape_text(np.shape(b)) or '()'}."
    if not np.shape(a):
        return ""
    at = np.unravel_index(np.argmax(~np.isclose(a, b, rtol=1e-9, equal_nan=True)), np.shape(a))
    return f" At entry {list(map(int, at))} they are {_short(a[at])} and {_short(b[at])}."


def same(a: Any, b: Any, messages: Sequence[Any] = (), dtype: str = "float64") -> bool:
    """Return whether two gradients are equal up to rounding; a nan equals a nan.

    messages : the messages that were added. dtype : the dtype of the computation.
    """
    if np.shape(a) != np.shape(b):
        return False
    rtol = max(1e-9, 64 * float(np.finfo(dtype).eps))
    size = sum(np.where(np.isfinite(m), np.abs(m), 0.0) for m in messages)  # what may cancel in the sum
    return bool(np.isclose(a, b, rtol=rtol, atol=1e-12 + rtol * size, equal_nan=True).all())
