"""The messages that a learner's engine reports, and marks on those that cannot be right: `viz.backward(y, by=...)`.

Two conditions are true in every correct pass. The gradient of a node is the sum of the messages that arrived, and the
messages along an edge add up to the sender's gradient times the slope. A mark shows a reported number next to the
correct one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isclose

from minigrad.tracing.labels import spoken
from minigrad.tracing.numbers import nonfinite, number_of, short
from minigrad.tracing.trace_schema import BackwardTrace, Edge, Num, Send, Step

from .findings import NOT_YET, Findings, MessageText, arithmetic
from .text_table import shortened
from .timeline import Moment, Narrator

FEW = 4  #: maximum number of messages that are written out one by one


class LearnerFindings(Findings):
    """Findings about a reported pass.

    Edges show all their messages; boxes show the gradient and the sum of the messages that arrived.

    complete : whether every message was recorded; if not, the final gradients get no verdict.
    """

    def __init__(self, trace: BackwardTrace, called: str, count: int) -> None:
        super().__init__(trace)
        self.called, self.count = called, count
        self.complete = count == sum(len(step.sends) for step in trace.steps)
        self.sent: dict[int, list[Num]] = {}  # edge -> the messages reported along it
        self.arrived: dict[int, list[Num]] = {}  # node -> the messages reported to arrive
        self.held: dict[int, Num] = {trace.steps[0].node: trace.steps[0].g} if trace.steps else {}
        self.sums: dict[int, str] = {}  # node -> the mark on its final sum, or ""
        self.first_sent: dict[int, int] = {}  # node -> its first step with a message
        self._texts = {(step.i, send.edge): self._read(step, send) for step in trace.steps for send in step.sends}

    def message(self, step: Step, send: Send) -> MessageText:
        return self._texts[step.i, send.edge][0]

    def mark(self, step: Step, send: Send) -> str:
        """Return the reason why the receiver's reported gradient after a message cannot be right, or ""."""
        return self._texts[step.i, send.edge][1]

    def _read(self, step: Step, send: Send) -> tuple[MessageText, str]:
        self.first_sent.setdefault(step.node, step.i)
        sent, arrived = self.sent.setdefault(send.edge, []), self.arrived.setdefault(send.to, [])
        sent.append(send.value)
        arrived.append(send.value)
        self.held[send.to] = send.after
        total, held = _sum(arrived), short(send.after)
        mark = ""
        if not same(total, send.after):
            held = f"{held} ≠ {short(total)}"
            name, together = self.names[send.to], f", together {short(total)}" * (len(arrived) > 1)
            mark = f"{_listed(arrived)} arrived at {name}{together}. But {name} holds {short(send.after)}."
        self.sums[send.to] = mark
        before = NOT_YET if send.before is None else short(send.before)
        product = arithmetic(step, self.edges[send.edge], send)
        bad = nonfinite(send.value) is not None
        return MessageText(send, _listed(sent), before, held, product, bad, bool(mark), None), mark

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
            held, slope = number_of(self.held.get(edge.dst)), number_of(edge.local_value)
            sent = self.sent.get(edge.id, [])
            if held is None or slope is None:
                continue
            total, expected = _sum(sent), held * slope
            if not same(total, expected):
                name, to = self.names[edge.dst], self.names[edge.src]
                together = f", together {short(total)}" * (len(sent) > 1)
                words = f"{name} sent {_listed(sent) or 'nothing'} to {to}{together}."
                words += f" But {name} holds {short(held)}, and {short(held)} · {short(slope)} = {short(expected)}."
                marks.append((edge, f"{short(total)} ≠ {short(expected)}", words))
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
        has_slopes = any(edge.local_value is not None for edge in self.trace.edges)
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
        return f"Start: the gradient of {name} is {spoken(steps[0].g)}, the slope of {name} with respect to itself."

    def arrived(self, step: Step, ghost: bool) -> str:
        name = self.names[step.node]
        if self.findings.nodes[step.node].kind != "leaf":
            return f"{name} sends nothing at first."
        holds = f"{name} is an input and holds {spoken(self.findings.held[step.node])}: nothing more arrives."
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


def _listed(values: Sequence[Num]) -> str:
    words = [short(value) for value in values]
    if len(words) <= FEW:
        return ", ".join(words)
    return f"{words[0]}, {words[1]}, …, {words[-1]} ({len(words)} messages)"


def _sum(values: Sequence[Num]) -> Num:
    return sum(number_of(value) or 0.0 for value in values)


def same(a: Num, b: Num) -> bool:
    """Return whether two numbers are equal up to rounding. Arrays are not compared, and always count as equal."""
    x, y = number_of(a), number_of(b)
    if x is None or y is None:
        return True
    return isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) or (x != x and y != y)
