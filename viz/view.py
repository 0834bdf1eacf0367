"""View: a backward pass to look at. A notebook shows it as a player; its methods hold every other form of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from html import escape
from itertools import count
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigrad.births import Birth
from minigrad.formulas import titles
from minigrad.traces import BackwardTrace, Node

from .flat import flatten
from .fold import folded, opened
from .lane import Lane
from .layout import Layout
from .plan import Drawing
from .player import code_of_player, html, packed, page, style_for
from .svg import arrange, image_style, picture_style, without_numbers, wrap
from .text import step_table

if TYPE_CHECKING:
    from graphviz import Digraph

LINES, FEW = 20, 12  #: lines of the table that are saved, under the picture and as plain text; births always are
SVG = 10_000  #: a picture above this size is no part of the bundle: it is wider than the paper it would go to
SAVED = 37_000  #: above this size of the HTML, the picture for where no script runs says less
BRIEF = (
    "",
    "Messages that come to a box alone are not written at their lines: the adjoint in the box is the same number.",
    "Where scripts run, the picture also shows the values of the ops and every message.",
    "Where scripts run, the picture also shows the values and the adjoints of the ops, and every message.",
)

_number = count(1).__next__


class View:
    """One backward pass, or several side by side, at one step.

    `trace` is the record that is drawn. Show the view by naming it in a notebook cell, or print it: its text twin
    is the table of steps. No form of it needs a kernel, a network or a file besides itself.

    >>> import minigrad as mg
    >>> from viz import backward
    >>> x = mg.constant(3.0)
    >>> print(backward(x * x))
    step  op        adjoint in  sends
    0     multiply  1           x += 1 * 3 = 3 (not yet -> 3)
                                x += 1 * 3 = 3 (3 -> 6)
    1     x         6           (nothing: the end of the path)
    """

    parts: tuple[str, ...] = ()  #: what the player has beside view.js and view.css, by the names of the files

    def __init__(self, lanes: Sequence[Lane], layouts: Sequence[Layout], title: str, at: int | None = None) -> None:
        self._lanes, self._layouts, self.title = tuple(lanes), tuple(layouts), title
        self.note = ""  #: a sentence below the picture
        self._step: int | None = at
        self._uid = _unique(self._lanes)

    @property
    def trace(self) -> BackwardTrace:
        """The record of the backward pass; of the last lane where there are several."""
        return self._lanes[-1].trace

    @property
    def births(self) -> tuple[Birth, ...]:
        """Where a nan or inf is born, with its kind, a sentence, and its path to each input."""
        return tuple(birth for lane in self._lanes for birth in lane.births)

    def step(self, n: int) -> View:
        """This view, opened after step `n` of the backward pass (0 is the first). Raises ValueError outside of it."""
        steps = max(len(lane.trace.steps) for lane in self._lanes)
        if not isinstance(n, int) or isinstance(n, bool):
            raise TypeError(f"step takes a whole number from 0 to {steps - 1}, got {n!r} of type {type(n).__name__}")
        if not 0 <= n < steps:
            raise ValueError(f"step takes a whole number from 0 to {steps - 1} for this backward pass, got {n}")
        other = copy(self)
        other._step, other._uid = n, _unique(self._lanes)
        return other

    def fold(self, name: str) -> View:
        """This view with every op of the scope `name` in one box; see `minigrad.scope`."""
        (lane,) = self._single("fold")
        return self._redrawn(folded(lane.trace, lane.plan, name))

    def unfold(self, name: str | None = None) -> View:
        """This view with the box `name` open (a scope, an op in its label, or the label); without a name, all boxes."""
        (lane,) = self._single("unfold")
        return self._redrawn(opened(lane.trace, lane.plan, name))

    def _single(self, who: str) -> tuple[Lane, ...]:
        if len(self._lanes) > 1:
            raise ValueError(f"{who} works on the view of one backward pass; this one shows {len(self._lanes)}")
        return self._lanes

    def _redrawn(self, plan: Drawing) -> View:
        """This view with another plan, laid out anew."""
        other = copy(self)
        lane = replace(self._lanes[0], plan=plan)
        other._lanes = (lane,)
        other._layouts = (arrange(lane.trace, plan, lane.stops, "auto", self._layouts[0].rankdir)[1],)
        other._uid = _unique(other._lanes)
        return other

    def find(self, text: str) -> tuple[Node, ...]:
        """The nodes whose op or name contains `text`, in birth order."""
        if not isinstance(text, str):
            raise TypeError(f'find takes a part of a name, such as "exp", got {text!r:.60}')
        name = titles(self.trace)
        return tuple(n for n in self.trace.nodes if text.lower() in f"{n.op} {name[n.id]}".lower())

    def to_text(self, most: int | None = None) -> str:
        """The table of steps, one line per message; at most about `most` lines where that is given."""
        tables = [(f"{lane.name}\n" if lane.name else "") + step_table(lane.trace, most=most) for lane in self._lanes]
        return "\n\n".join([*tables, *self._notes(), *self._extra_text()])

    def to_svg(self, path: str | Path | None = None, step: int | None = None) -> str:
        """The picture after `step` (by default where the view stands); written to `path` if one is given."""
        return _write(path, (self if step is None else self.step(step))._drawn())

    def to_html(self, path: str | Path | None = None) -> str:
        """A page of its own with the player, for a browser without a network; written to `path` if one is given."""
        return _write(path, page(self._html(), self.title))

    def to_json(self, path: str | Path | None = None) -> str:
        """The trace as JSON; `minigrad.BackwardTrace.from_json` reads it."""
        return _write(path, self.trace.to_json())

    def graphviz(self) -> Digraph:
        """The picture as a `graphviz.Digraph`, to be styled further. Needs the package graphviz, not the program."""
        from .export import digraph

        lane = self._lanes[-1]
        return digraph(lane.trace, lane.plan, lane.frame(lane.stop_of_step(self._step)), self._layouts[-1].rankdir)

    def to_dot(self, path: str | Path | None = None) -> str:
        """The picture in Graphviz's language."""
        return _write(path, self.graphviz().source)

    def to_png(self, path: str | Path) -> Path:
        """Write the picture as Graphviz draws it to `path`. Raises RuntimeError where the program dot is missing."""
        from .export import png

        Path(path).write_bytes(png(self.graphviz()))
        return Path(path)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        image = self._image()
        bundle = {"text/html": self._html(SAVED), "image/svg+xml": image, "text/plain": self.to_text(FEW)}
        if len(image) > SVG:
            del bundle["image/svg+xml"]
        return bundle

    def _summary(self) -> str:
        what = [f"{len(lane.trace.nodes)} nodes and {len(lane.trace.steps)} steps" for lane in self._lanes]
        bad = "".join(f" {b.word} is born: {b.sentence}." for b in self.births[:2] if not b.ghost)
        return f"{self.title}: {' beside '.join(what)}.{bad}"

    def _svg(self, style: str = "") -> str:
        """The picture of the player, in which every box and line can be found by its number."""
        return wrap(*self._figures(), self._uid, self._summary(), style)

    def _drawn(self) -> str:
        """The picture as a file of its own."""
        return self._svg(picture_style())

    def _image(self, brief: int = 0) -> str:
        """The picture for where no script runs; `brief` as for `svg.figure`."""
        body, width, height = self._figures(brief)
        flat = flatten(body)
        return wrap(flat, width, height, "i", "" if brief else self._summary(), image_style(flat))

    def _figures(self, brief: int = 0) -> tuple[str, float, float]:
        body, y = "", 0.0
        for i, (lane, layout) in enumerate(zip(self._lanes, self._layouts)):
            body += lane.figure(layout, lane.stop_of_step(self._clipped(lane)), i, y, brief)
            y += layout.height + (24 if lane.name else 0)
        return body, max(layout.width for layout in self._layouts), y

    def _clipped(self, lane: Lane) -> int | None:
        return None if self._step is None else min(self._step, len(lane.trace.steps) - 1)

    def data(self) -> tuple[dict[str, Any], int]:
        """What the player reads beside the picture, as plain data, and the stop at which it opens."""
        words = [birth.word for birth in self.births]
        svg = self._svg()
        view = {
            "title": self.title,
            "lanes": [lane.data() for lane in self._lanes],
            "ghosts": any(lane.trace.ghosts for lane in self._lanes),
            "word": "nan" if "nan" in words else "inf",
            "css": style_for(svg, self.parts),
            "svg": without_numbers(svg),
        }
        return view, max(lane.stop_of_step(self._clipped(lane)) for lane in self._lanes)

    def widget(self) -> Any:
        """The same player as an anywidget, with `stop`, `selected` and `on_click`. Needs a running kernel."""
        from .widget import widget

        return widget(self)

    def _html(self, most: float = inf) -> str:
        """The player, and the picture for where no script runs: in that, as much as comes under `most` characters."""
        view, stop = self.data()
        script = packed({"view": view, "stop": stop, "js": code_of_player(self.parts)})
        notes = "".join(f'<p class="mg-note">{escape(note, quote=False)}</p>' for note in self._notes())
        twin, below = self._twin(), notes + self._extra_html()
        if not self.parts:
            twin, below = "", f"{below}<details><summary>The same as text</summary>{twin}</details>"
        for brief, word in enumerate(BRIEF):
            note = f'<p class="mg-note">{word}</p>' if word else ""
            whole = html(self._image(brief), self._summary(), note + twin, below, script)
            if len(whole) <= most:
                break
        return whole

    def _twin(self) -> str:
        return f"<pre>{escape(self.to_text(LINES), quote=False)}</pre>"

    def _notes(self) -> list[str]:
        return [note for note in (*(lane.plan.note for lane in self._lanes), self.note) if note]

    def _extra_text(self) -> list[str]:
        """More text below the tables, for views that have some."""
        return []

    def _extra_html(self) -> str:
        return ""


def _unique(lanes: Sequence[Lane]) -> str:
    """What every id of a view begins with: no two views of a notebook share it, also after a restart."""
    key = "".join(stop.words for lane in lanes for stop in lane.stops)
    return f"mg{_number()}-{hashlib.sha256(key.encode()).hexdigest()[:6]}"


def _write(path: str | Path | None, text: str) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
