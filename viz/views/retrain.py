"""`viz.retrain`: a training behind sliders, run again at each change."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from ..render.markup import Html, joined, markup
from .figure_view import FigureView

RANGE = 50  #: from this ratio of its ends on, a slider is logarithmic


def retrain(train: Callable[..., Any], **settings: Any) -> Any:
    """Sliders and menus for the settings of `train`, which runs again when one is changed; its pictures follow.

    train : a function of the settings, by name, that returns a view such as `viz.history(...)`, a text, or a list of
        these. It should take less than a second or two: while it runs, the notebook waits.
    settings : a pair of numbers is the range of a slider, which is logarithmic where the range is wide, and starts in
        its middle; a triple (low, high, start) starts elsewhere. A list is a menu; anything else is passed on as it is.

    Returns a widget of ipywidgets: `w.settings` is the dict of the present settings, `w.controls` the dict of its
    sliders and menus. Below them stand the pictures and how long the run took; an error of `train` is shown there, and
    the controls stay. Raises TypeError where there is nothing to change; ImportError where ipywidgets is missing.

    >>> import viz
    >>> w = viz.retrain(lambda rate, depth: f"{depth} layers", rate=(0.01, 1.0), depth=[1, 2])
    >>> w.controls["depth"].value = 2
    >>> w.settings["depth"], round(w.settings["rate"], 3)
    (2, 0.1)
    """
    try:
        import ipywidgets
    except ImportError:
        raise ImportError("retrain needs the package ipywidgets: pip install ipywidgets") from None
    controls = {name: made for name, setting in settings.items() if (made := _control(ipywidgets, name, setting))}
    if not controls:
        raise TypeError("retrain takes a range, as in rate=(0.01, 1.0), or a menu, as in layers=[1, 2, 3]; got none")
    shown = ipywidgets.HTML()
    widget = ipywidgets.VBox([*controls.values(), shown])

    def run(_: Any = None) -> None:
        widget.settings = {**settings, **{name: control.value for name, control in controls.items()}}
        began = time.perf_counter()
        try:
            found = train(**widget.settings)
            views = list(found) if isinstance(found, (list, tuple)) else [found]
            parts = [_shown(view) for view in views]
        except Exception as error:
            parts = [markup("<pre>{error}</pre>", error=f"{type(error).__name__}: {error}")]
        seconds = f"This run took {time.perf_counter() - began:.1f} seconds."
        shown.value = str(joined([*parts, markup("<p>{seconds}</p>", seconds=seconds)]))

    widget.controls, widget.shown = controls, shown
    for control in controls.values():
        control.observe(run, "value")
    run()
    return widget


def _control(ipywidgets: Any, name: str, setting: Any) -> Any:
    """A menu or a slider, which reports where it is let go; None for a setting that stays."""
    wide = {"style": {"description_width": "7em"}, "layout": {"width": "32em", "max_width": "100%"}}
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
    if isinstance(view, FigureView):
        return view._html(view.to_text(40), markup("<p>{summary}</p>", summary=view.summary))
    if hasattr(view, "_repr_mimebundle_"):
        return Html(view._repr_mimebundle_()["text/html"])
    return markup("<pre>{text}</pre>", text=str(view))
