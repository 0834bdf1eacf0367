"""View: a backward pass to look at. A notebook shows it as a player; methods return other forms of the view."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigrad.tracing.trace_schema import Node

from ..model.blocks import Part
from ..model.findings import Findings
from ..model.frames import folded, opened, parts_of
from ..model.timeline import timeline
from ..render.lane import Lane, Narrate, lane_of
from ..render.question_text import KINDS
from ..rule.tried import Tried
from .binding import check_flow
from .forms import Forms, unique_id
from .static_view import write

if TYPE_CHECKING:
    from graphviz import Digraph

    from .figure_view import FigureView


FILMED = 14  #: maximum number of boxes in a pass that is played automatically


class View(Forms):
    """One backward pass, or several side by side, at one step.

    `trace` is the record that is drawn. Show the view by naming it in a notebook cell, or print it: its text is a
    headline, followed by the table of steps. No form of the view needs a kernel, a network or another file.

    A step of the table belongs to one node, which may send several messages; the slider counts messages. The row
    `x += 1 · 3 = 3 (3 -> 6)` is a message to x: the gradient of the sending node times the slope, and the gradient of x
    before and after. [stops] means that the message is 0. [carries] means that the message is nan or inf because the
    node received such a message.

    >>> import minigrad as mg
    >>> from viz import backward
    >>> x = mg.constant(3.0)
    >>> print(backward(x * x))
    By its gradient, the result grows 6 times as fast as x. x is used 2 times, so its gradient is a sum: 3 + 3 = 6.
    <BLANKLINE>
    step  op        gradient  sends
    0     multiply  1         x += 1 · 3 = 3 (not yet -> 3)
                              x += 1 · 3 = 3 (3 -> 6)
    1     x         6         (nothing: the end of the path)
    """

    #: a function like `rule_of`: it returns the initial content of the field for a rule, and a function that makes the
    #: `Tried` object; None if no rule can be written, because the picture shows no function without its rule
    ruled: Callable[[], tuple[dict[str, Any], Callable[[], Tried] | None]] | None = None

    def step(self, n: int) -> View:
        """Return this view, opened after step `n` of the pass. Raises ValueError unless the pass has a step `n`."""
        steps = max(lane.steps for lane in self._lanes)
        if not isinstance(n, int) or isinstance(n, bool):
            raise TypeError(f"step takes a whole number from 0 to {steps - 1}, got {n!r} of type {type(n).__name__}")
        if not 0 <= n < steps:
            raise ValueError(f"step takes a whole number from 0 to {steps - 1} for this view, got {n}")
        return self._changed(self._lanes, n)

    def try_rule(self, *entry: int, **rules: str) -> str:
        """Try a rule for the function in Python, as the field below the picture does, and return the verdict.

        rules : input -> its rule, in the language of the field or with any op of minigrad, as in "upstream @ W". A rule
            may name numbers and arrays that the function names. Other inputs keep the function's own rule or, if it has
            none, the initial text of their fields. Samples are taken along the first input in `rules` or, for an array,
            along the input's element `entry`.

        Raises ValueError for an invalid rule, with the position and a correction, and TypeError for a view or an input
        without a field.

        >>> import minigrad as mg, viz
        >>> view = viz.compare(lambda x: mg.sin(x), 1.0)
        >>> view.try_rule(x="cos(x)")[:67]
        'It forgets upstream: for an upstream gradient of 2 it gives 0.5403 '
        """
        tried, texts = self._trial("try_rule", rules)
        if not texts:
            raise TypeError("try_rule needs a rule for an input, and no input's field opens with one")
        first = next(iter(rules), next(iter(texts)))
        return tried.verdict({**texts, **rules}, first, entry)["words"]

    def strip(self, *entry: int, **rules: str) -> FigureView:
        """Draw the slopes along an input with matplotlib: the true slope, the derived slope and the slope of a rule.

        `entry` and `rules` are as for `try_rule`. A view of `viz.backward(f, ...)` also has a strip, which includes the
        slopes of a rule only if `rules` are given. The figure is hatched wherever the rule is nan, inf or wrong or,
        without a rule, wherever the derived slope is nan or inf. Wherever the true slope is uncertain, the figure is
        shaded and the line for this slope has a gap. `points` has an array for each line, and `summary` is the verdict.

        >>> import minigrad as mg, viz
        >>> strip = viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=100.0).strip()
        >>> print(strip.summary)
        Slopes over x from -150 to 150: of 121 samples, the derived slope is nan or inf at 25.
        >>> [*strip.points]
        ['x', 'true', 'derived']
        """
        from .strip_figure import strip_figure

        tried, texts = self._trial("strip", rules)
        texts = texts if self.tried or rules else {}
        first = next(iter(rules), next(iter(texts), tried.names[0]))
        return strip_figure(tried, {**texts, **rules}, first, entry)

    def _trial(self, who: str, rules: Mapping[str, str]) -> tuple[Tried, dict[str, str]]:
        """Return the object that tries rules, and input -> the text of its rule. who : the caller's name, for errors.

        rules : the rules that replace the initial texts of the fields.
        """
        field, trial = (self.rule, self.tried) if self.tried or not self.ruled else self.ruled()
        if trial is None:
            why = field.get("cannot")
            raise TypeError(f"{who}: {why or 'this view has no field for a rule; viz.compare(f, 1.0) has one'}")
        tried = trial()
        texts = tried.texts
        if unknown := [name for name in rules if name not in texts]:
            raise TypeError(f"{who} has no rule for {unknown[0]}; the inputs are {', '.join(texts)}")
        return tried, dict.fromkeys(texts, "") if tried.own_rule else texts

    def start(self, play: bool = True) -> View:
        """Return this view, opened before the first message is sent; a forward pass opens at its first box.

        play : whether a backward pass of up to 14 boxes begins with its values and plays automatically: in about 20
            seconds, values arrive from the left, then gradients from the right. If the gradient of a function is nan,
            the reader can then write a rule for it. Nothing plays automatically if the reader prefers reduced motion.
        """
        other = self._changed(self._lanes, -1)
        boxes = [node for lane in self._lanes for node in lane.trace.nodes if node.kind != "const" and not node.ghost]
        if play and other.mode == "gradient" and len(self._lanes) == 1 and len(boxes) <= FILMED:
            other.film = "gradient"
        if other.film and other.ruled and any(origin.word == "nan" for origin in self.origins):
            other.film, (other.rule, other.tried) = "rule", other.ruled()
        return other

    def ask(self, question: Mapping[str, Any]) -> View:
        """Return this view with a question. The reader answers it in the picture, and then the pass is played.

        question : plain data. `words` is the text of the question. `kind` is "box" (click a box), "edge" or "edges"
            (click one arrow or several), "order" (click all arrows in a possible order of the messages), or "number" or
            "numbers" (type into the boxes named in `boxes`). The page judges the answer with `salt`, `known`, `step`
            and `otherwise`, which `minigrad.classroom` creates. These four do not contain the answer in plain text.
            Without them, any choice is accepted.

        No form of the view gives the answer away; `view.widget().answer` is the reader's answer. Raises ValueError for
        any other kind, or for a box that is not in the picture.

        >>> import minigrad as mg
        >>> from viz import backward
        >>> print(backward(lambda x: mg.exp(x), x=1.0).ask({"kind": "edge", "words": "Which arrow gets 2.718?"}))
        Which arrow gets 2.718?
        <BLANKLINE>
        name  made by  value
        x     (input)  1
        exp   exp(x)   2.718
        <BLANKLINE>
        Arrows: exp -> x.
        Answer with the two ends of an arrow, the sender first, as in ("exp", "x").
        """
        kind, names = question.get("kind"), set(self._only_lane("ask").findings.names.values())
        if kind not in KINDS:
            raise ValueError(f"a question has one of the kinds {', '.join(KINDS)}, got {kind!r:.60}")
        if unknown := [box for box in question.get("boxes", ()) if box not in names]:
            raise ValueError(f"there is no box {unknown[0]!r} in the picture; its boxes are {', '.join(sorted(names))}")
        other = self._changed(self._lanes, None if self._lanes[0].appears else -1)
        other.question, other.report, other.followed, other.rule, other.film = dict(question), None, (), {}, ""
        return other

    def fold(self, name: str) -> View:
        """Return this view with each part called `name` in a frame.

        A part is a scope (`minigrad.scope`) or a call to a function.
        """
        lane = self._only_lane("fold")
        return self._redrawn(lane, folded(lane.trace, lane.parts, name))

    def unfold(self, name: str | None = None) -> View:
        """Return this view without the frames called `name` (a scope, function or label); None removes all frames."""
        lane = self._only_lane("unfold")
        return self._redrawn(lane, opened(lane.trace, lane.parts, name))

    def _only_lane(self, who: str) -> Lane:
        if len(self._lanes) > 1:
            raise ValueError(f"{who} works on the view of one backward pass; this one shows {len(self._lanes)}")
        return self._lanes[0]

    def _redrawn(self, lane: Lane, parts: Sequence[Part]) -> View:
        """Return a copy of this view, drawn with other frames. lane : its lane. parts : the parts with their frames."""
        return self._changed((replace(lane, parts=parts),), self._step)

    def _changed(self, lanes: tuple[Lane, ...], at: int | None) -> View:
        other = copy(self)
        other._lanes, other._step, other._uid = lanes, at, unique_id(lanes)
        return other

    def find(self, text: str) -> tuple[Node, ...]:
        """Return the nodes whose op or name contains `text`, oldest first."""
        if not isinstance(text, str):
            raise TypeError(f'find takes a part of a name, such as "exp", got {text!r:.60}')
        names = self._lanes[-1].findings.names
        return tuple(n for n in self.trace.nodes if text.lower() in f"{n.op} {names[n.id]}".lower())

    def to_svg(self, path: str | Path | None = None, step: int | None = None) -> str:
        """Return the SVG picture after `step` (by default the view's current step); write it to `path` if given."""
        return write(path, (self if step is None else self.step(step))._drawn())

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the trace as JSON; `minigrad.BackwardTrace.from_json` reads it.

        If the view opens at a step, `shown` has the mode and the step, which is -1 before the first step.
        """
        text = self.trace.to_json()
        if self._step is not None:
            text = f'{text[:-1]},"shown":{json.dumps({"step": self._step, "mode": self.mode or "gradient"})}}}'
        return write(path, text)

    def graphviz(self) -> Digraph:
        """Return the picture as a `graphviz.Digraph`, to style it. This needs the package graphviz, not the program."""
        from ..render.graphviz_export import digraph

        return digraph([(lane, self._at(lane)) for lane in self._lanes])

    def to_dot(self, path: str | Path | None = None) -> str:
        """Return the picture in Graphviz's language; write it to `path` if given."""
        return write(path, self.graphviz().source)


def picture(
    findings: Findings,
    flow: str = "auto",
    fold: str = "auto",
    narrate: Narrate = timeline,
    kind: type[View] = View,
    what: str = "Backward pass",
) -> View:
    """Draw the findings about a trace.

    narrate : the function that makes the moments of the slider. kind : the class of the view. what : the first words of
        the view's title.
    """
    if not isinstance(fold, str):
        raise TypeError(f'fold must be "auto", "none" or the name of a scope, got {fold!r}')
    check_flow(flow, "a view")
    parts = parts_of(findings.trace, fold)
    lane = lane_of(findings, parts, narrate, flow) if fold == "auto" else Lane(findings, parts, narrate, flow)
    output = next((n for n in findings.trace.nodes if n.output), findings.trace.nodes[-1])
    if narrate is timeline and lane.point.loop:
        lane = lane.drawn_as(turns={lane.point.loop: max(0, lane.point.turn)})
    return kind([lane], f"{what} of {output.name or output.op}")
