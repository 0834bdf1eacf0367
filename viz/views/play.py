"""`viz.play`: a function with sliders, and its backward pass redrawn as they move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from minigrad.core.custom import CustomCall, CustomGradient, ignore_custom_gradients
from minigrad.core.graph import ancestors
from minigrad.core.tensor import Tensor, next_serial
from minigrad.tracing.recorder import backward_trace
from minigrad.tracing.trace_schema import BackwardTrace

from ..drag.page import Followed
from ..drag.replay import CalledWith
from ..hosts.html import DRAG, INSTRUCTIONS, player_style
from ..hosts.widget import widget_class
from ..model.findings import Findings
from ..model.play_rules import RULES, Rule, own_rule, own_rules, with_rule, without_rule
from ..model.sliders import slider
from .backward import call
from .binding import check_flow, known_as
from .view import View, picture

DTYPES = ("float16", "float32", "float64")


class Playground:
    """A function, its inputs, and the rules to choose from; `draw` gives the view for a dtype and a rule."""

    def __init__(self, f: Callable[..., Any], inputs: Mapping[str, Any], flow: str) -> None:
        self.f, self.inputs, self.flow = f, dict(inputs), flow
        self.own: dict[str, Rule] = {}
        self.title = f"Playing with {known_as(f)}"
        y, *_ = self._value("float32", f)
        self.custom = isinstance(f, CustomGradient) or any(isinstance(n.op, CustomCall) for n in ancestors([y]))

    @property
    def rules(self) -> list[str]:
        return ["derived", *(["custom"] if self.custom else []), *RULES, *self.own]

    def draw(self, dtype: str, rule: str) -> View:
        """The view of the backward pass with these inputs, this dtype and this rule."""
        followed = self._passed(dtype, rule)
        view = View(picture(Findings(followed.trace), self.flow)._lanes, self.title)
        view.followed = (followed,)
        return view

    def _passed(self, dtype: str, rule: str) -> Followed:
        if rule == "derived":
            y, names, made = self._value(dtype, without_rule(self.f))
            with ignore_custom_gradients():
                trace = _as_derived(backward_trace(y, names=names))
            return Followed(y, trace, made, "the custom rules are left out" if self.custom else "")
        f = self.f if rule == "custom" else with_rule(without_rule(self.f), {**RULES, **self.own}[rule], rule)
        y, names, made = self._value(dtype, f)
        return Followed(y, backward_trace(y, names=names), made)

    def _value(self, dtype: str, f: Callable[..., Any]) -> tuple[Tensor, dict[str, Tensor], CalledWith]:
        cast = {}
        for name, value in self.inputs.items():
            array = np.asarray(value.value if isinstance(value, Tensor) else value)
            with np.errstate(all="ignore"):  # a slider may go beyond the largest float16
                cast[name] = Tensor(array.astype(dtype) if array.dtype.kind == "f" else array)
        made = CalledWith(f, cast, next_serial())
        return *call(f, cast, "play"), made


def _as_derived(trace: BackwardTrace) -> BackwardTrace:
    """Label a pass in which the custom rules were ignored as derived."""
    steps = tuple(replace(step, rule="derived") for step in trace.steps)
    nodes = tuple(replace(n, custom=None, kind="op" if n.kind == "custom" else n.kind) for n in trace.nodes)
    return replace(trace, nodes=nodes, steps=steps)


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
    """`f` with a slider for each input, menus for the dtype and the rule, and its backward pass following them.

    Parameters
    ----------
    f : a function of the inputs that returns a Tensor.
    inputs : a pair is the range of a slider, a float the middle of one; anything else becomes a Tensor without one.
    dtype : "float16", "float32" or "float64". rule : "derived", "custom" where f has a custom gradient,
        "straight-through", "reversed", "clipped", or the name of one of `rules`.
    rules : more rules by name: functions `rule(dy, *inputs)` that return one gradient for each input.

    Returns an anywidget. Its traits are one float for each slider, `dtype`, `rule`, `stop`, `step`, `selected`; they
    can be set, observed and linked like those of any widget. `on_click(callback)` is for nodes that
    are clicked; `@w.rule_of` above a function in a later cell adds that function to the rules and chooses it.
    Where anywidget is missing, the view of the middle of the ranges is returned, with a note on what to install.
    Raises TypeError for inputs that f does not take, ValueError for an unknown dtype or rule and an empty range.

    >>> import minigrad as mg
    >>> w = play(lambda x, w: mg.exp(x * w), x=(-2.0, 2.0), w=0.5)
    >>> w.x = 1.0
    >>> w.trace.nodes[0].value
    1.0
    """
    check_flow(flow, "play", inputs, f)
    if not callable(f) or isinstance(f, Tensor):
        raise TypeError(f"play takes a function and its inputs by name, as in play(f, x=(-5, 5)), got {f!r:.60}")
    sliders = {name: s for name, value in inputs.items() if (s := slider(name, value))}
    start = {**inputs, **{name: np.float64(s["start"]) for name, s in sliders.items()}}
    playground = Playground(f, start, flow)
    playground.own.update(own_rules(rules or {}))
    rule = rule or ("custom" if playground.custom else "derived")
    _check("rule", rule, playground.rules)
    _check("dtype", dtype, DTYPES)
    try:
        kind = _play_class()
    except ImportError:
        view = playground.draw(dtype, rule)
        view.note = (
            'The sliders need the package anywidget: pip install "minigrad-kit[lab]". This is the middle of the ranges.'
        )
        return view
    if taken := [name for name in sliders if hasattr(kind, name)]:
        raise ValueError(f"a slider cannot be called {taken[0]}: the widget uses that name; rename the argument of f")
    return _with_sliders(kind, tuple(sliders))(playground, list(sliders.values()), dtype, rule)


def _check(what: str, got: Any, known: Any) -> None:
    if got not in known:
        raise ValueError(f"{what} must be one of {', '.join(known)}, got {got!r}")


@cache
def _play_class() -> type:
    import traitlets

    class Play(widget_class((*DRAG, *INSTRUCTIONS, "cells", "play"))):  # type: ignore[misc]
        controls = traitlets.Dict().tag(sync=True)
        css = traitlets.Unicode(player_style(("drag", "cells", "play"))).tag(sync=True)
        followed = traitlets.Dict(help="the numbers that the picture follows in the page").tag(sync=True)
        dtype = traitlets.Unicode().tag(sync=True)
        rule = traitlets.Unicode().tag(sync=True)
        error = traitlets.Unicode().tag(sync=True)

        def __init__(self, playground: Playground, sliders: list[dict[str, Any]], dtype: str, rule: str) -> None:
            self._playground, self._sliders, self._quiet = playground, sliders, False
            values = {s["name"]: s["start"] for s in sliders}
            self._drawn: View | None = playground.draw(dtype, rule)
            view, stop = _without_style(self._drawn)
            step = view["lanes"][0]["stops"][stop][0]
            super().__init__(view=view, stop=stop, step=step, dtype=dtype, rule=rule, controls=self._menu(), **values)
            self.observe(self._follow, ["dtype", "rule", *values])

        def _menu(self) -> dict[str, Any]:
            return {"inputs": self._sliders, "dtypes": list(DTYPES), "rules": self._playground.rules}

        @property
        def shown(self) -> View:
            """The view at the present numbers; drawn now where only the page has followed them."""
            self._drawn = self._drawn or self._playground.draw(self.dtype, self.rule)
            return self._drawn

        @property
        def trace(self) -> BackwardTrace:
            return self.shown.trace

        def rule_of(self, rule: Callable[..., Any]) -> Callable[..., Any]:
            """Decorate a function `rule(dy, *inputs)`: it becomes one of the rules, and the chosen one."""
            name = rule.__name__
            self._playground.own[name] = own_rule(rule)
            self.controls = self._menu()
            if self.rule == name:
                self._follow(None)
            self.rule = name
            return rule

        def _follow(self, change: Any) -> None:
            """Draw again, unless the page follows. An error is shown above the picture, which stays as it was."""
            for name in (s["name"] for s in self._sliders):
                value = getattr(self, name) + 0.0  # to a trait -0.0 and 0.0 are the same number, so to f
                self._playground.inputs[name] = np.float64(value)
            if change and self.followed.get(change["name"]) == change["new"] and not self.error:
                self._drawn = None
                return
            last = self.stop >= len(self.view["lanes"][0]["stops"]) - 1
            try:
                _check("dtype", self.dtype, DTYPES)
                _check("rule", self.rule, self._playground.rules)
                self._drawn = self._playground.draw(self.dtype, self.rule)
                view, end = _without_style(self._drawn)
            except Exception as error:
                self.error = f"{type(error).__name__}: {error}"
                return
            with self.hold_sync():
                self.error, self.followed = "", {}
                self.set_trait("view", view)
                self.set_trait("stop", end if last else min(self.stop, end))

    return Play


@cache
def _with_sliders(kind: type, names: tuple[str, ...]) -> type:
    import traitlets

    return type("Play", (kind,), {name: traitlets.Float(0.0).tag(sync=True) for name in names})


def _without_style(view: View) -> tuple[dict[str, Any], int]:
    data, stop = view.data()  # the widget has the style once
    return {**data, "css": ""}, stop
