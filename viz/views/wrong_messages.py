"""Draw the backward pass of a wrong answer: a rule, or a learner's walk.

The pass of a rule has a mark at each message that differs from the true message. The pass of a learner's walk is opened
at its first wrong message, next to the true pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isclose, isfinite
from typing import Any

from minigrad.tracing.nodes import WalkNode, telling
from minigrad.tracing.numbers import number_of, short
from minigrad.tracing.trace_fields import number
from minigrad.tracing.trace_schema import BackwardTrace

from ..model.findings import Findings
from ..model.frames import parts_of
from ..model.learner_findings import LearnerFindings, learner_timeline, same
from ..model.learner_trace import LearnerTrace
from ..model.timeline import Moment, timeline
from ..render.lane import Lane, lane_of
from ..render.markup import Html, markup
from .learner import LearnerView
from .view import View

Walk = Callable[..., Any]

FIRST = '<p class="mg-error"><b>The first wrong message:</b> {words}</p>'
CLOSE = 1e-3  #: messages that differ by less than this count as equal, because they may be float32


class WrongView(View):
    """A backward pass with marks; `wrong` has a sentence for each message that differs from the true message."""

    wrong: tuple[str, ...] = ()

    def _point(self) -> str:
        """Return "" as the headline, because the first wrong message is shown above the picture."""
        return ""

    def _above(self) -> Html:
        return markup(FIRST, words=self.wrong[0])

    def _table(self, lane: Lane, max_lines: int | None) -> str:
        return "\n".join([super()._table(lane, max_lines), "", "Wrong messages:", *self.wrong[:max_lines]])

    def _opening(self) -> int:
        """Return the moment of the first wrong message."""
        moments = self._lanes[0].moments
        return next((i for i, m in enumerate(moments) if m.words.endswith(self.wrong[0])), super()._opening())


def with_wrong(view: View, true: Mapping[str, Any]) -> View:
    """Return the view with its wrong messages marked, or the view itself if there are none.

    true : name of an input with a wrong gradient -> its true gradient.

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
    # `followed` is not copied, so inputs cannot be changed: the marks are right only for these inputs.
    other.note, other.report = view.note, view.report
    sent = [(step, send) for step in lane.trace.steps for send in step.sends if send.edge in truths]
    other.wrong = tuple(_words(lane.findings, step.node, send, truths[send.edge]) for step, send in sent)
    return other


def _true_messages(trace: BackwardTrace, true: Mapping[str, Any]) -> dict[int, Any]:
    """Return edge -> true message, for the wrong messages of a pass. true : input -> its true gradient, if wrong.

    If an input receives only one message, the true message is the true gradient. If it receives several, the true
    messages are known only if a rule replaced them.
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
    words = _words(findings, moment.node, message.send, true)
    message = replace(message, value=f"{message.value} ≠ {true}", bad=True)
    return replace(moment, message=message, words=f"{moment.words} Wrong: {words}")


def _words(findings: Findings, node: int, send: Any, true: str) -> str:
    return f"{findings.names[node]} sends {findings.names[send.to]} {short(send.value)}; true: {true}"


class FilmView(LearnerView):
    """Two passes on one slider: `wrong_messages` says which message of the first pass is the first wrong one."""

    wrong = ""
    first = 0

    def _above(self) -> Html:
        return markup(FIRST, words=self.wrong)

    def _opening(self) -> int:
        return self.first

    def to_text(self, max_lines: int | None = None) -> str:
        """Return a sentence about the first wrong message, and the text of both passes."""
        return f"The first wrong message: {self.wrong}\n\n{super().to_text(max_lines)}"


def walk_film(y: WalkNode, walk: Walk, true: Walk) -> FilmView | None:
    """Show the pass of `walk` over the nodes behind `y` next to the pass of `true`; return None if no message is wrong.

    Both walks are functions of `y`, and also of `tell` if they take it: see `minigrad.tracing.nodes.telling`.

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
    findings = LearnerFindings(engine, name)
    return replace(lane_of(findings, parts_of(engine.trace), learner_timeline), name=name)


def _first_wrong(mine: Lane, other: Lane) -> tuple[int, str, str] | None:
    """Find the first wrong message; return its moment, a sentence about it, and the text next to its arrow.

    mine : the learner's pass. other : the true pass.
    """
    assert isinstance(mine.findings, LearnerFindings) and isinstance(other.findings, LearnerFindings)
    truths = {send.edge: send.value for step in other.trace.steps for send in step.sends}
    numbers = {edge: message for (_, edge), (message, _) in other.findings.reported.items()}
    names, sent = mine.findings.names, set()
    for at, moment in enumerate(mine.moments):
        message = moment.message
        if message is None or moment.verdict:
            continue
        send, true = message.send, truths.get(message.send.edge)
        who = f"{names[moment.node]} sends {names[send.to]} {short(send.value)}"
        if send.edge in sent:
            return at, f"{who}, a second message along this arrow.", f"{short(send.value)} again"
        yours = mine.findings.reported[moment.step, send.edge][0]
        if true is not None and not same(yours, numbers[send.edge], [yours], mine.trace.nodes[send.to].dtype):
            return at, f"{who}; true: {short(true)}.", f"{short(send.value)} ≠ {short(true)}"
        if message.spoils:
            return at, f"{who}. {mine.findings.mark(mine.trace.steps[moment.step], send)}", ""
        sent.add(send.edge)
    left = next((edge for edge in mine.trace.edges if edge.id in truths and edge.id not in sent), None)
    if left is None:
        return None
    words = f"{names[left.dst]} sends {names[left.src]} nothing; true: {short(truths[left.id])}."
    return len(mine.moments) - 1, words, ""
