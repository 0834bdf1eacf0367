"""The widget of `viz.retrain`, and its controls. Importing this file needs ipywidgets."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import ipywidgets

from minigrad.core.support.error_words import name_of
from minigrad.tracing.numbers import short

from ..hosts.displayed import display_both
from ..hosts.html import page
from ..render.markup import Html, joined, markup
from .figure_view import FigureView
from .static_view import LINES, write

#: A style that makes the content of the widget as wide as the cell: text wraps, and a wide figure scrolls.
WRAPPED = "width: 0; min-width: 100%; white-space: normal; line-height: 1.4"
RANGE = 50  #: a slider is logarithmic if the ratio of its ends is at least this


class Retrain(ipywidgets.VBox):
    """The sliders, and the pictures for the current settings; the pictures of `runs` are saved.

    runs : the settings whose runs are saved, beginning with the initial ones. mark : identifies the saved runs, so that
        the working widget can hide them.
    """

    def __init__(
        self, train: Callable[..., Any], settings: dict[str, Any], controls: dict[str, Any], show: Sequence[Any]
    ) -> None:
        self.shown = ipywidgets.HTML(layout={"width": "calc(100% - 4px)"})
        super().__init__([*controls.values(), self.shown])
        self.train, self.settings, self.controls, self.mark = train, settings, controls, uuid4().hex[:12]
        self._views_of: dict[str, list[Any]] = {}
        self._run()
        self.runs = [self.settings, *({**self.settings, **one} for one in show)]
        for control in controls.values():
            control.observe(self._run, "value")

    def _run(self, _: Any = None) -> None:
        """Call `train` with the current settings, and show the result."""
        self.settings = {**self.settings, **{name: control.value for name, control in self.controls.items()}}
        began = time.perf_counter()
        parts = [_shown(view) for view in _trained(self.train, self.settings)]
        seconds = f"This run took {time.perf_counter() - began:.1f} seconds."
        live = f"<style>[data-saved='{self.mark}']{{display:none}}</style>"
        body = joined([Html(live), *parts, markup("<p>{seconds}</p>", seconds=seconds)])
        self.shown.value = str(markup('<div style="{wrapped}">{body}</div>', wrapped=WRAPPED, body=body))

    def to_text(self, max_lines: int | None = None) -> str:
        """Return the settings and the text of each saved run. max_lines : the approximate maximum length of a table."""
        text = lambda view: view.to_text(max_lines) if hasattr(view, "to_text") else str(view)
        return "\n\n".join("\n".join([self._line(one), *map(text, self._views(one))]) for one in self.runs)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the saved runs as HTML, each in a collapsed section; write them to `path` as a page if given."""
        runs = joined(self._opened(one, i) for i, one in enumerate(self.runs))
        if path is None:
            return str(runs)
        view = markup('<main class="mg-view">{runs}</main>', runs=runs)
        return write(path, str(page(view, f"Runs of {name_of(self.train)}")))

    def _opened(self, one: dict[str, Any], number: int) -> Html:
        views = self._views(one)
        said = [view.summary for view in views if isinstance(view, FigureView)]
        return markup(
            "<details{open}><summary>{line}</summary>{views}</details>",
            open=Html(" open") if number == 0 else Html(), line=" · ".join([self._line(one), *said]),
            views=joined(map(_shown, views)),
        )  # fmt: skip

    def _line(self, one: dict[str, Any]) -> str:
        changed = {name: one[name] for name in self.controls}
        return ", ".join(f"{name} = {_short(value)}" for name, value in changed.items())

    def _views(self, one: dict[str, Any]) -> list[Any]:
        key = self._line(one)
        if key not in self._views_of:
            self._views_of[key] = _trained(self.train, one)
        return self._views_of[key]

    def _ipython_display_(self, **options: Any) -> None:
        """Display the widget, and below it the saved runs, which are hidden while the widget works."""
        words = "The sliders need a running kernel. Some runs without one:"
        display_both(self, options, words, self.mark, self.to_html(), self.to_text(LINES))


def control_of(name: str, setting: Any) -> Any:
    """Return a menu, a slider that reports its value when it is released, or None for a fixed setting."""
    wide = {"style": {"description_width": "7em"}, "layout": {"width": "32em", "max_width": "calc(100% - 4px)"}}
    if isinstance(setting, list):
        return ipywidgets.Dropdown(options=setting, description=name, **wide)
    if not (
        isinstance(setting, tuple) and len(setting) in (2, 3) and all(isinstance(x, (int, float)) for x in setting)
    ):
        return None
    low, high = setting[:2]
    if not low < high:
        raise ValueError(f"the range of {name} must go from low to high, got {setting!r}")
    if low > 0 and high / low >= RANGE:
        start = setting[2] if len(setting) == 3 else math.sqrt(low * high)
        return ipywidgets.FloatLogSlider(
            start, min=math.log10(low), max=math.log10(high), step=0.05, description=name, readout_format=".3g",
            continuous_update=False, **wide,
        )  # fmt: skip
    start = setting[2] if len(setting) == 3 else (low + high) / 2
    kind = ipywidgets.IntSlider if all(isinstance(x, int) for x in setting) else ipywidgets.FloatSlider
    start = int(start) if kind is ipywidgets.IntSlider else start
    return kind(start, min=low, max=high, description=name, continuous_update=False, **wide)


def _trained(train: Callable[..., Any], settings: Mapping[str, Any]) -> list[Any]:
    """Return the result of `train` as a list, or the message of the error that `train` raises."""
    try:
        result = train(**settings)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _short(value: Any) -> str:
    return short(float(value), 3) if isinstance(value, float) else str(value)


def _shown(view: Any) -> Html:
    try:
        if isinstance(view, FigureView):
            return view._html(view.to_text(LINES), markup("<p>{summary}</p>", summary=view.summary))
        if hasattr(view, "_repr_mimebundle_"):
            return Html(view._repr_mimebundle_()["text/html"])
        return markup("<pre>{text}</pre>", text=str(view))
    except Exception as error:  # drawing the view may raise anything
        return markup("<pre>{error}</pre>", error=f"{type(error).__name__}: {error}")
