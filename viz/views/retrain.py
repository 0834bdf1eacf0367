"""`viz.retrain`: a training run with sliders, repeated after each change; a notebook saves some of the runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def retrain(train: Callable[..., Any], *, show: Sequence[Mapping[str, Any]] = (), **settings: Any) -> Any:
    """Run `train` again whenever one of its settings is changed, by a slider or a menu.

    train : a function that takes the settings by name. It returns a view such as `viz.history(...)`, a string, or a
        list of these, and should take at most a second or two, because the notebook waits while it runs.
    show : dicts of settings. After the initial run, the notebook also saves the runs of these settings, each in a
        collapsed section, and shows them if no kernel is running. A setting missing from a dict has its initial value.
    settings : a pair of numbers is the range of a slider, which starts in the middle and is logarithmic if the range is
        wide; a triple (low, high, start) also sets the start. A list is a menu; anything else is passed on unchanged.

    Returns an ipywidgets widget: `w.settings` is the dict of the current settings, and `w.controls` the dict of the
    sliders and menus. Below them are the pictures and the time of the run, or the error that `train` raised.
    `w.to_text()` and `w.to_html()` return the saved runs. Raises TypeError if there is nothing to change, ValueError if
    `show` names an unknown setting, and ImportError if ipywidgets is missing.

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
        from .retrain_widget import Retrain, control_of
    except ImportError:
        raise ImportError('retrain needs the package ipywidgets: pip install "minigrad-kit[lab]"') from None
    controls = {name: made for name, setting in settings.items() if (made := control_of(name, setting))}
    if not controls:
        raise TypeError("retrain takes a range, as in rate=(0.01, 1.0), or a menu, as in layers=[1, 2, 3]; got none")
    if unknown := [name for one in show for name in one if name not in settings]:
        raise ValueError(f"show names {unknown[0]!r}, which is not a setting; the settings are {', '.join(settings)}")
    return Retrain(train, settings, controls, show)
