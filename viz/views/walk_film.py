"""The film of a wrong walk: the learner's own pass, opened at its first wrong message, next to the true one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from minigrad.tracing.nodes import WalkNode, telling
from minigrad.tracing.numbers import short

from ..model.findings import Findings
from ..model.frames import parts_of
from ..model.learner_findings import LearnerFindings, learner_timeline, same
from ..model.learner_trace import LearnerTrace
from ..model.timeline import Moment
from ..render.lane import Lane, lane_of
from ..render.markup import Html, markup
from .learner import LearnerView

Walk = Callable[..., Any]


class FilmView(LearnerView):
    """Two passes on one slider: `wrong_messages` says which message of the first pass is the first wrong one."""

    wrong = ""
    first = 0

    def _above(self) -> Html:
        return markup('<p class="mg-error"><b>The first wrong message:</b> {words}</p>', words=self.wrong)

    def _opening(self) -> int:
        return self.first

    def to_text(self, max_lines: int | None = None) -> str:
        """The first wrong message, and both passes."""
        return f"The first wrong message: {self.wrong}\n\n{super().to_text(max_lines)}"


def walk_film(y: WalkNode, walk: Walk, true: Walk) -> FilmView | None:
    """The pass of `walk` over the nodes behind `y` next to the pass of `true`; None if no message of `walk` is wrong.

    Both are functions of `y`, and of `tell` if they take it: see `minigrad.tracing.nodes.telling`.

    >>> from minigrad.tracing.nodes import NumberSlope
    >>> x = WalkNode(3.0, name="x")
    >>> y = WalkNode(9.0, "multiply", (x, x))
    >>> y.slopes = tuple(NumberSlope(y, i, lambda g: 3.0 * g) for i in (0, 1))
    >>> def stores(y):
    ...     return {y: 1.0, x: [1.0 * slope for slope in y.slopes][-1]}
    >>> def adds(y):
    ...     return {y: 1.0, x: sum(1.0 * slope for slope in y.slopes)}
    >>> walk_film(y, stores, adds).wrong
    'multiply sends x 3. 3, 3 arrived at x, together 6. But x holds 3.'
    """
    mine, other = _lane(y, walk, "yours"), _lane(y, true, "true")
    reports = bool(mine.trace.steps)  # a walk without products may report nothing
    first_wrong = _first_wrong(mine, other) if reports else None
    if first_wrong is None:
        return None
    at, words, label = first_wrong

    def narrate(findings: Findings) -> tuple[Moment, ...]:
        moments = [*learner_timeline(findings)]
        message = moments[at].message
        if message is not None:
            message = replace(message, value=label or message.value, bad=True)
            said = f"{moments[at].words} Wrong: {words}" if label else moments[at].words
            moments[at] = replace(moments[at], message=message, words=said)
        return tuple(moments)

    view = FilmView([replace(mine, narrate=narrate), other], "Your pass and the true one")
    view.first, view.wrong = at, words
    return view


def _lane(y: WalkNode, walk: Walk, name: str) -> Lane:
    engine = LearnerTrace(y, {})
    engine.listen(telling(walk))
    findings = LearnerFindings(engine.trace, name, engine.count)
    return replace(lane_of(findings, parts_of(engine.trace), learner_timeline), name=name)


def _first_wrong(mine: Lane, other: Lane) -> tuple[int, str, str] | None:
    """The moment of the first wrong message, a sentence about it, and the words at its arrow."""
    truths = {send.edge: send.value for step in other.trace.steps for send in step.sends}
    names, sent = mine.findings.names, set()
    for at, moment in enumerate(mine.moments):
        message = moment.message
        if message is None or moment.verdict:
            continue
        send, true = message.send, truths.get(message.send.edge)
        who = f"{names[moment.node]} sends {names[send.to]} {short(send.value)}"
        if send.edge in sent:
            return at, f"{who}, a second message along this arrow.", f"{short(send.value)} again"
        if true is not None and not same(send.value, true):
            return at, f"{who}; true: {short(true)}.", f"{short(send.value)} ≠ {short(true)}"
        if message.spoils:
            assert isinstance(mine.findings, LearnerFindings)
            return at, f"{who}. {mine.findings.mark(mine.trace.steps[moment.step], send)}", ""
        sent.add(send.edge)
    left = next((edge for edge in mine.trace.edges if edge.id in truths and edge.id not in sent), None)
    if left is None:
        return None
    words = f"{names[left.dst]} sends {names[left.src]} nothing; true: {short(truths[left.id])}."
    return len(mine.moments) - 1, words, ""
