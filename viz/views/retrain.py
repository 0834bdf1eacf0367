"""`viz.retrain`: a training behind sliders, run again at each change; some runs are saved for when no kernel runs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any
from uuid import uuid4

from minigrad.tracing.numbers import short

from ..render.markup import Html, joined, markup
from .figure_view import FigureView
from .forms import LINES

#: What is shown in the widget is as wide as the cell, and no wider: its text breaks, and a wide figure scrolls.
WRAPPED = "width: 0; min-width: 100%; white-space: normal; line-height: 1.4"
RANGE = 50  #: from this ratio of its ends on, a slider is logarithmic


def retrain(train: Callable[..., Any], *, show: Sequence[Mapping[str, Any]] = (), **settings: Any) -> Any:
    """Sliders and menus for the settings of `train`, which runs again when one is changed; its pictures follow.

    train : a function of the settings, by name, that returns a view such as `viz.history(...)`, a text, or a list of
        these. It should take less than a second or two: while it runs, the notebook waits.
    show : dicts of settings, to be run and saved with the notebook beside those at the start, each as a line that
        opens. They are shown where no kernel runs; what a dict leaves out is as at the start.
    settings : a pair of numbers is the range of a slider, which is logarithmic where the range is wide, and starts in
        its middle; a triple (low, high, start) starts elsewhere. A list is a menu; anything else is passed on as it is.

    Returns a widget of ipywidgets: `w.settings` is the dict of the present settings, `w.controls` the dict of its
    sliders and menus. Below them stand the pictures and how long the run took; an error of `train` is shown there, and
    the controls stay. `w.to_text()` and `w.to_html()` are what is saved. Raises TypeError where there is nothing to
    change; ValueError where `show` names another setting; ImportError where ipywidgets is missing.

    >>> import viz
    >>> w = viz.retrain(lambda rate, depth: f"{depth} layers", rate=(0.01, 1.0), depth=[1, 2], show=[{"depth": 2}])
    >>> w.controls["depth"].value = 2
    >>> w.settings["depth"], round(w.settings["rate"], 3)
    (2, 0.1)
    >>> print(w.to_text())
    rate = 0.1, depth = 1
    1 layers
    <BLANKLINE>
    rate = 0.1, depth = 2
    2 layers
    """
    try:
        import ipywidgets
    except ImportError:
        raise ImportError('retrain needs the package ipywidgets: pip install "minigrad-kit[lab]"') from None
    controls = {name: made for name, setting in settings.items() if (made := _control(ipywidgets, name, setting))}
    if not controls:
        raise TypeError("retrain takes a range, as in rate=(0.01, 1.0), or a menu, as in layers=[1, 2, 3]; got none")
    if unknown := [name for one in show for name in one if name not in settings]:
        raise ValueError(f"show names {unknown[0]!r}, which is not a setting; the settings are {', '.join(settings)}")
    start = {**settings, **{name: control.value for name, control in controls.items()}}
    widget = _widget_class()([*controls.values(), shown := ipywidgets.HTML(layout={"width": "calc(100% - 4px)"})])
    widget.controls, widget.shown, widget.mark = controls, shown, uuid4().hex[:12]
    widget.train, widget.runs = train, [start, *({**start, **one} for one in show)]

    def run(_: Any = None) -> None:
        widget.settings = {**settings, **{name: control.value for name, control in controls.items()}}
        began = time.perf_counter()
        parts = [_shown(view) for view in _run(train, widget.settings)]
        seconds = f"This run took {time.perf_counter() - began:.1f} seconds."
        live = f"<style>[data-saved='{widget.mark}']{{display:none}}</style>"
        body = joined([Html(live), *parts, markup("<p>{seconds}</p>", seconds=seconds)])
        shown.value = str(markup('<div style="{wrapped}">{body}</div>', wrapped=WRAPPED, body=body))

    for control in controls.values():
        control.observe(run, "value")
    run()
    return widget


@cache
def _widget_class() -> type:
    import ipywidgets

    class Retrain(ipywidgets.VBox):
        """The sliders and the pictures of one setting; what is saved are those of `runs`."""

        train: Callable[..., Any]
        runs: list[dict[str, Any]]  #: the settings that are saved, the first those at the start
        mark: str  #: of the saved runs, which the widget hides while it lives

        def to_text(self, max_lines: int | None = None) -> str:
            """The settings and the texts of the saved runs; tables have about `max_lines` lines if given."""
            text = lambda view: view.to_text(max_lines) if hasattr(view, "to_text") else str(view)
            return "\n\n".join("\n".join([self._line(one), *map(text, self._views(one))]) for one in self.runs)

        def to_html(self) -> str:
            """The same as HTML: a line for each run, the first one open."""
            return str(joined(self._opened(one, i) for i, one in enumerate(self.runs)))

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
            self._made = getattr(self, "_made", {})
            if key not in self._made:
                self._made[key] = _run(self.train, one)
            made: list[Any] = self._made[key]
            return made

        def _ipython_display_(self, **options: Any) -> None:
            """Display the widget, and below it the saved runs, which are hidden while the widget lives."""
            from IPython.display import display

            live: Any = self._repr_mimebundle_(**options)
            live = live[0] if isinstance(live, tuple) else live
            live = {kind: form for kind, form in live.items() if kind.startswith("application/")}
            display({**live, "text/plain": "The sliders need a running kernel. Some runs without one:"}, raw=True)
            html = f'<div data-saved="{self.mark}">{self.to_html()}</div>'
            display({"text/html": html, "text/plain": self.to_text(LINES)}, raw=True)

    return Retrain


def _run(train: Callable[..., Any], settings: Mapping[str, Any]) -> list[Any]:
    """What `train` returns, as a list; the sentence of the error that it raises."""
    try:
        found = train(**settings)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _short(value: Any) -> str:
    return short(float(value), 3) if isinstance(value, float) else str(value)


def _control(ipywidgets: Any, name: str, setting: Any) -> Any:
    """A menu or a slider, which reports where it is let go; None for a setting that stays."""
    wide = {"style": {"description_width": "7em"}, "layout": {"width": "32em", "max_width": "calc(100% - 4px)"}}
    if isinstance(setting, list):
        return ipywidgets.Dropdown(options=setting, description=name, **wide)
    if not (
        isinstance(setting, tuple) and len(setting) in (2, 3) and all(isinstance(x, (int, float)) for x in setting)
    ):
        return None
    low, high = setting[:2]
    if not low < high:
        raise ValueError(f"the range of {name} goes from low to high, got {setting!r}")
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


def _shown(view: Any) -> Html:
    try:
        if isinstance(view, FigureView):
            return view._html(view.to_text(LINES), markup("<p>{summary}</p>", summary=view.summary))
        if hasattr(view, "_repr_mimebundle_"):
            return Html(view._repr_mimebundle_()["text/html"])
        return markup("<pre>{text}</pre>", text=str(view))
    except Exception as error:  # of a view that cannot be drawn
        return markup("<pre>{error}</pre>", error=f"{type(error).__name__}: {error}")
