"""`viz.play`: a function with sliders; its backward pass is redrawn as they move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor

from .binding import check_flow
from .playground import Playground, own_rules, slider


def play(
    f: Callable[..., Tensor],
    /,
    *,
    dtype: str = "float32",
    rule: str | None = None,
    rules: Mapping[str, Callable[..., Any]] | None = None,
    flow: str = "auto",
    **inputs: Any,
) -> Any:
    """Show the backward pass of `f` with sliders for its inputs, and menus for dtype and rule.

    Parameters
    ----------
    f : a function of the inputs that returns a Tensor.
    inputs : the inputs by name. A pair is the range of a slider, and a float is the middle of a range; anything else is
        converted to a Tensor and has no slider.
    dtype : "float16", "float32" or "float64". rule : "derived", "custom" if f has a custom gradient,
        "straight-through", "reversed", "clipped", or the name of one of `rules`.
    rules : more rules by name: functions `rule(dy, *inputs)` that return one gradient for each input.

    Returns an anywidget. Its traits are a float for each slider, `dtype`, `rule`, `stop`, `step` and `selected`; you
    can set, observe and link them as in any widget. `on_click(callback)` registers a callback for clicked nodes. The
    decorator `@w.rule_of` on a function in a later cell adds the function to the rules and selects it. If anywidget is
    missing, the result is the view at the middle of the ranges, with a note on what to install.

    Raises TypeError for inputs that f does not take, and ValueError for an unknown dtype or rule or an empty range.

    >>> import minigrad as mg
    >>> w = play(lambda x, w: mg.exp(x * w), x=(-2.0, 2.0), w=0.5)
    >>> w.x = 1.0
    >>> w.trace.nodes[0].value
    1.0
    """
    check_flow(flow, "play", inputs, f)
    if not callable(f):
        raise TypeError(f"play takes a function and its inputs by name, as in play(f, x=(-5, 5)), got {f!r:.60}")
    sliders = {name: s for name, value in inputs.items() if (s := slider(name, value))}
    start = {**inputs, **{name: np.float64(s["start"]) for name, s in sliders.items()}}
    playground = Playground(f, start, flow)
    playground.own.update(own_rules(rules or {}))
    rule = rule or ("custom" if playground.custom else "derived")
    playground.check(dtype, rule)
    try:
        from .play_widget import Play, with_sliders
    except ImportError:
        view = playground.draw(dtype, rule)
        view.note = (
            'The sliders need the package anywidget: pip install "minigrad-kit[lab]". This is the middle of the ranges.'
        )
        return view
    if taken := [name for name in sliders if hasattr(Play, name)]:
        raise ValueError(f"a slider cannot be called {taken[0]}: the widget uses that name; rename the argument of f")
    return with_sliders(tuple(sliders))(playground, list(sliders.values()), dtype, rule)
