"""The forms of a view: a picture, a player, a page, plain text, and the bundle of all these that a notebook saves."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

from minigrad.core.support.shown_names import ShownNames
from minigrad.diagnostics.nan import NanReport
from minigrad.diagnostics.origins import NanOrigin
from minigrad.diagnostics.repair_report import report_html
from minigrad.tracing.trace_schema import BackwardTrace

from ..drag.followed_page import Followed
from ..hosts.html import code_of_player, html, lane_data, module, page, parts_of, player_style
from ..hosts.saved import small
from ..model.findings import step_table
from ..model.frames import frame_list
from ..model.timeline import growth
from ..render.document import image_style, picture_style, printable, wrap
from ..render.lane import HIGH, WIDE, Lane
from ..render.markup import Html, as_text, joined, markup, preformatted
from ..render.question_text import arrows_of, question_text
from ..render.structure_tree import Tree, structures, tree_html, tree_text
from ..render.wiggled import arrays_of, why_still, wiggling
from ..rule.tried import Tried
from .static_view import LINES, StaticView, write

NO_RULE = "Nor can a rule be tried here: view.try_rule() tries one in Python."
SAVED = 140_000  #: maximum size of the HTML of a saved cell in which inputs can be changed
NO_ROOM = "to_html() has fields for the inputs."

Figures = tuple[str, float, float]  #: the SVG of all lanes, its width and its height

_number = count(1).__next__


class Forms(StaticView, ShownNames):
    """Lanes with a title, opened at one step, in every form that a host can show. Each kind of view adds methods."""

    unit = "step"  #: what the slider counts
    last_word = False  #: whether the note below the picture is hidden until the last message
    parts: tuple[str, ...] = ()  #: names of files that the player needs in addition to its own
    #: Attributes that only the modules of `viz` use. Tab completion does not offer them to users.
    _shared = frozenset({
        "asks", "behind", "data", "film", "followed", "last_word", "mode", "parts", "predict", "question", "reports",
        "rule", "ruled", "tried", "unit",
    })  # fmt: skip

    def __init__(self, lanes: Sequence[Lane], title: str) -> None:
        self._lanes, self.title = tuple(lanes), title
        self._step: int | None = None  #: the step at which the view is opened; None for the finished pass
        self.note = ""  #: a sentence below the picture
        self.followed: tuple[Followed, ...] = ()  #: what a page needs to recompute each lane, if inputs can be changed
        self.behind: Followed | None = None  #: the result and the call that a minigrad pass was computed from
        self.predict = ""  #: what the reader predicts: "messages", "boxes" or "order"
        self.question: dict[str, Any] = {}  #: the question to answer before the pass is shown: see `View.ask`
        self.answer: Any = None  #: the answer to the question, if it was not given in a widget
        self.report: NanReport | None = None  #: the cause of a nan or inf, which the view shows from the start
        self.reports = True  #: whether the report is shown below the picture
        self.tried: Callable[[], Tried] | None = None  #: returns the object that tries rules for the drawn function
        self.rule: dict[str, Any] = {}  #: the initial content of a rule's field, or the reason why there is none
        self.mode = ""  #: the first mode, "values", "wiggle", "gradient" or "rule", of a picture with a switch
        self.film = ""  #: the last mode of a film, which shows values and then gradients; "" without a film
        self._uid = unique_id(self._lanes)

    @property
    def trace(self) -> BackwardTrace:
        """The record of the backward pass, or of the last pass if there are several lanes."""
        return self._lanes[-1].trace

    @property
    def origins(self) -> tuple[NanOrigin, ...]:
        """The origins of nan and inf, each with its kind, a sentence, and its path to each input."""
        return tuple(origin for lane in self._lanes for origin in lane.findings.origins)

    @property
    def asks(self) -> bool:
        """Whether the reader must answer before the pass is shown. If so, no form of the view gives the answer away."""
        return bool(self.predict or self.question)

    @property
    def arrows(self) -> list[tuple[str, str]]:
        """The arrows that can be clicked, as sorted pairs of names: (sender, receiver)."""
        return arrows_of(self._lanes[-1])

    def to_text(self, max_lines: int | None = None) -> str:
        """Return the headline, a repair and the cause if there is a nan or inf, the table of steps, and the frames.

        The table has a line for each message. If `max_lines` is given, the table and the list of frames have at most
        about that many lines each. For a view that asks a question, the text shows the values and how to answer.
        """
        if self.asks:
            return question_text(self._lanes[-1], self.question, max_lines)
        tables = [(f"{lane.name}\n" if lane.name else "") + self._table(lane, max_lines) for lane in self._lanes]
        frames = [frame_list(lane.findings, lane.graph, max_lines) for lane in self._lanes]
        parts = [self.point, self._cause(), "\n\n".join([*tables, *self._notes()]), *frames, *self._extra_text()]
        return "\n\n".join(filter(None, parts))

    def _table(self, lane: Lane, max_lines: int | None) -> str:
        return step_table(lane.findings, max_lines=max_lines)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return a separate page with the player; the page needs no network. Write it to `path` if given."""
        return write(path, str(page(self._html(self._image(self._figures()), self.to_text(LINES)), self.title)))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        image, text = self._image(self._figures()), self.to_text(LINES)
        # The HTML contains the picture. Hosts prefer HTML to SVG, except nbconvert's LaTeX export, which needs Inkscape
        # for SVG.
        return {"text/html": str(self._html(image, text, SAVED)), "text/plain": text}

    @cached_property
    def _summary(self) -> str:
        what = [f"{len(lane.trace.nodes)} nodes and {len(lane.trace.steps)} steps" for lane in self._lanes]
        births = () if self.asks else self.origins[:2]
        bad = "".join(f" {b.word} first appears: {b.sentence}." for b in births if not b.ghost)
        return f"{self.title}: {' beside '.join(what)}.{bad}"

    def _drawn(self) -> str:
        """Return the picture as a separate SVG file."""
        return wrap(*self._figures(), self._uid, self._summary, picture_style())

    def _image(self, drawn: Figures) -> str:
        """Return the picture for hosts without scripts, with only the style rules that it needs."""
        body, width, height = drawn
        body = re.sub(r" data-\w+='[^']*'", "", body)  # only the player needs these attributes
        return wrap(body, width, height, "", "", image_style(body))

    def _figures(self) -> Figures:
        """Draw the lanes, one below the other; return the SVG and its size."""
        body, y = "", 0.0
        for lane in map(self._opened, self._lanes):
            drawn, high = lane.drawn(self._at(lane), WIDE, HIGH if len(self._lanes) == 1 else HIGH / 2)
            head = f"<text class='nm' x='9' y='{y + 16:g}'>{as_text(printable(lane.name))}</text>" if lane.name else ""
            y += 20 if lane.name else 0
            body += head + (f"<g transform='translate(0 {y:g})'>{drawn}</g>" if y else drawn)
            y += high
        return body, WIDE, y

    def _opened(self, lane: Lane) -> Lane:
        """Return a lane as it is drawn in the mode of the view that is shown first."""
        narrate = {"values": growth, "wiggle": wiggling}.get(self.mode)
        return replace(lane, narrate=narrate) if narrate else lane

    def _modes(self, lanes: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the names of the modes that a reader can switch between. lanes : the lanes' data for the player."""
        if not self.mode or self.asks or not self.trace.steps:
            return []
        drag = "drag" in lanes[0]
        findings = self._lanes[0].findings
        wiggles = drag and len(lanes) == 1 and not arrays_of(findings) and not why_still(findings)
        rule = drag and "inputs" in self.rule
        return ["values", *["wiggle"] * wiggles, "gradient", *["rule"] * rule]

    def _at(self, lane: Lane) -> int:
        """Return the moment that the view shows first for a lane."""
        return lane.after_step(None if self._step is None else min(self._step, lane.steps - 1))

    def data(self, drag: bool = True) -> tuple[dict[str, Any], int]:
        """Return the data of the player, and the index of its first moment.

        drag : whether to let inputs be changed, if the page can recompute the lanes.
        """
        lanes = [lane_data(lane, calls=bool(self.mode) and not self.asks) for lane in self._lanes]
        if drag:
            self._follow(lanes)
        view: dict[str, Any] = {
            "title": self.title,
            "unit": self.unit,
            "lanes": lanes,
            "ghosts": any(lane.trace.ghosts for lane in self._lanes),
            "point": self.point,
            **({"rule": self.rule} if "drag" in lanes[0] and "inputs" in self.rule else {}),
            **({"predict": self.predict} if self.predict else {"ask": self.question} if self.question else {}),
        }
        if modes := self._modes(lanes):
            opens = self.mode if self.mode in (*modes, "wiggle") else "gradient"  # a page can also wiggle arrays
            view = {**view, "modes": modes, "mode": opens, "film": self.film}
        view["css"] = player_style(parts_of(view, self.parts))
        return view, self._opening()

    @property
    def point(self) -> str:
        """One sentence about the finished pass, or "" if the reader is asked about the pass."""
        return "" if self.asks else self._point()

    def _point(self) -> str:
        return self._lanes[-1].point.words if self.trace.steps else ""

    def _cause(self) -> str:
        """Return the repair, its result and the cause, if there is a nan or inf."""
        return printable(str(self.report)) if self.report and self.reports else ""

    def _follow(self, lanes: list[dict[str, Any]]) -> None:
        """Add to each lane the data that a page needs to recompute the lane, if all lanes can be recomputed."""
        followable = [
            followed.data(lane.findings, data["cards"])
            for followed, lane, data in zip(self.followed, self._lanes, lanes)
        ]
        if all(followable) and not self._still():
            for lane, data, more in zip(self._lanes, lanes, followable):
                data["drag"] = more
                data["rates"] = lane.rates

    def _still(self) -> str:
        """Return why the inputs cannot be changed, or "" if they can. Call `data` first: it finds the reason."""
        return next((followed.why for followed in self.followed if followed.why), "")

    def _opening(self) -> int:
        """Return the first moment that the player shows: the end, or the step where a nan or inf first appears."""
        last, report = max(self._at(self._opened(lane)) for lane in self._lanes), self.report
        if self._step is not None or self.mode in ("values", "wiggle") or not report or report.phase != "backward":
            return last
        texts = ((i, moment.message) for i, moment in enumerate(self._lanes[0].moments) if not moment.ghost)
        born = [i for i, text in texts if text and text.origin is not None and text.origin.word == report.word]
        return born[0] if born else last

    def widget(self) -> Any:
        """Return the player as an anywidget, with `stop`, `selected` and `on_click`. The widget needs a running kernel.

        The widget's `answer` is the answer to the question of `View.ask`, `edge` is the chosen arrow, and `numbers` or
        `order` are the answers to `predict`.

        A notebook also saves the view itself, which is shown if no kernel runs. Raises ImportError if anywidget is
        missing.
        """
        from ..hosts.widget import Player

        data, stop = self.data()
        stops = data["lanes"][0]["stops"]  # the second of two lanes may be longer
        code, step = module(parts_of(data, self.parts)), stops[min(stop, len(stops) - 1)][0]
        made = Player(code=code, view=data, stop=stop, step=step)
        made.shown = self
        return made

    def _html(self, image: str, text: str, max_size: float = inf, drag: bool = True) -> Html:
        """Return the player, and `image` for hosts without scripts.

        The input fields are left out if the HTML would be larger than `max_size`.
        """
        view, stop = self.data(drag)
        touched = "drag" in view["lanes"][0]
        data = small(view, stop, code_of_player(parts_of(view, self.parts)))
        still = self._still()
        why = f"The inputs cannot be changed here: {still}." * bool(still) if drag else NO_ROOM
        why += f" {NO_RULE}" * bool(why and self.mode == "rule" and "inputs" in self.rule)
        notes = [(note, "mg-note mg-last" if self.last_word else "mg-note") for note in self._notes()]
        above = [(self.point, "mg-point")] if self.point else []
        below = [self._report_html(), _paragraphs([*notes, *[(why, "mg-note")] * bool(why)]), self._extra_html()]
        twin = self._twin(text)
        if not self.parts:
            below.append(markup("<details><summary>The recorded numbers as text</summary>{twin}</details>", twin=twin))
        first = joined([_paragraphs(above), *[twin] * bool(self.parts)])
        whole = html(self._above(), image, self._summary, first, joined(below), data, f"{self._uid}-player")
        if len(whole) > max_size and "rule" in view and self.mode != "rule":
            other = copy(self)
            other.rule = {}
            return other._html(image, text, max_size)
        if len(whole) > max_size and touched:
            return self._html(image, text, max_size, drag=False)
        return whole

    def _above(self) -> Html:
        """Return the content above the picture, next to its headline."""
        return Html()

    def _report_html(self) -> Html:
        """Return the report below the picture: the numbers that are not finite, the reason, the repair, and details."""
        parts = list[str]()
        for report in (self.report, *self.report.others) if self.report and self.reports else ():
            rows = [(head, printable(text)) for head, text in report.repair.rows()]
            rest = [*map(printable, report.rest())]
            parts.append(report_html([*map(printable, report.head())], rows, rest, report.harmless))
        return Html(f'<div class="mg-report">{"".join(parts)}</div>' if parts else "")

    def _twin(self, text: str) -> Html:
        return preformatted(Html(as_text(text).replace("&gt;", ">")))  # the many arrows (->) need no escaping

    def _notes(self) -> list[str]:
        return [self.note] if self.note and not self.asks else []

    def _extra_text(self) -> list[str]:
        """Return more text to put below the tables."""
        return [*[tree_text(self._trees)] * bool(self._trees), *self._rule_text()]

    def _rule_text(self) -> list[str]:
        """Return the initial content of the field for a rule."""
        texts = [f"{name}: {text}" for name, text in self.rule.get("inputs", ()) if text and self.tried]
        called = f"{self.rule['inputs'][0][0]}='...'" if texts else ""
        rows = ["Your rule, to begin with", *texts, f"view.try_rule({called}) tries another."]
        return ["\n".join(rows)] * bool(texts)

    def _extra_html(self) -> Html:
        cannot = self.rule.get("cannot")
        note = markup('<p class="mg-note">{words}</p>', words=cannot) if cannot else Html()
        return joined([tree_html(self._trees), note])

    @cached_property
    def _trees(self) -> Tree:
        """The structures that contain inputs, by argument name."""
        return structures(self._lanes[-1].findings)


def _paragraphs(texts: Sequence[tuple[str, str]]) -> Html:
    """Return a paragraph for each (class, text)."""
    return joined(markup('<p class="{look}">{text}</p>', look=look, text=text) for text, look in texts)


def unique_id(lanes: Sequence[Lane]) -> str:
    """Return a prefix for all ids in a view; views in a notebook have different prefixes, even after a restart."""
    key = "".join(moment.words for lane in lanes for moment in lane.moments)
    return f"mg{_number()}-{hashlib.sha256(key.encode()).hexdigest()[:6]}"
