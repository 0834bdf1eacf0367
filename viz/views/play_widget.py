"""The widget of `viz.play`. Importing this file needs anywidget."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import traitlets

from minigrad.tracing.trace_schema import BackwardTrace

from ..hosts.html import DRAG, INSTRUCTIONS, module, player_style
from ..hosts.widget import Player
from .playground import DTYPES, Playground, own_rule
from .view import View

PARTS = (*DRAG, *INSTRUCTIONS, "cells", "modes", "play")  #: the player's files that the widget uses


class Play(Player):
    """The player, shown below sliders for the inputs and menus for the dtype and the rule."""

    controls = traitlets.Dict().tag(sync=True)
    css = traitlets.Unicode(player_style(("drag", "cells", "modes", "play"))).tag(sync=True)
    follows = traitlets.Bool(False, help="whether the page's picture follows the numbers").tag(sync=True)
    dtype = traitlets.Unicode().tag(sync=True)
    rule = traitlets.Unicode().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)

    def __init__(self, playground: Playground, sliders: list[dict[str, Any]], dtype: str, rule: str) -> None:
        self._playground, self._sliders = playground, sliders
        values = {s["name"]: s["start"] for s in sliders}
        self._drawn: View | None = playground.draw(dtype, rule)
        view, stop = _without_style(self._drawn)
        step = view["lanes"][0]["stops"][stop][0]
        super().__init__(
            code=module(PARTS), view=view, stop=stop, step=step, dtype=dtype, rule=rule, controls=self._menu(), **values
        )
        self.observe(self._follow, ["dtype", "rule", *values])
        self.observe(self._draw_again, "follows")

    def _menu(self) -> dict[str, Any]:
        return {"inputs": self._sliders, "dtypes": list(DTYPES), "rules": self._playground.rules}

    @property
    def shown(self) -> View:
        """The view at the current numbers; Python draws it now if only the page has drawn it so far."""
        self._drawn = self._drawn or self._playground.draw(self.dtype, self.rule)
        return self._drawn

    @property
    def trace(self) -> BackwardTrace:
        return self.shown.trace

    def rule_of(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a function `rule(dy, *inputs)`: add it to the rules, and select it."""
        name = rule.__name__
        self._playground.own[name] = own_rule(rule)
        self.controls = self._menu()
        if self.rule == name:
            self._follow(None)
        self.rule = name
        return rule

    def _follow(self, change: Any) -> None:
        """Redraw the picture unless the page does so. If an error occurs, show it above the unchanged picture."""
        for name in (s["name"] for s in self._sliders):
            value = getattr(self, name) + 0.0  # traits treat -0.0 and 0.0 as equal, so f always gets 0.0
            self._playground.inputs[name] = np.float64(value)
        if change and change["name"] in self._playground.inputs and self.follows and not self.error:
            self._drawn = None
            return
        last = self.stop >= len(self.view["lanes"][0]["stops"]) - 1
        try:
            self._playground.check(self.dtype, self.rule)
            self._drawn = self._playground.draw(self.dtype, self.rule)
            view, end = _without_style(self._drawn)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
            return
        with self.hold_sync():
            self.error, self.follows = "", False
            self.set_trait("view", view)
            self.set_trait("stop", end if last else min(self.stop, end))

    def _draw_again(self, change: Any) -> None:
        """Redraw the picture in Python if the page reports that it could not redraw it."""
        if not change["new"] and self._drawn is None:
            self._follow(None)


@cache
def with_sliders(names: tuple[str, ...]) -> type[Play]:
    """Create the class of the widget, with a slider for each of these inputs."""
    return type("Play", (Play,), {name: traitlets.Float(0.0).tag(sync=True) for name in names})


def _without_style(view: View) -> tuple[dict[str, Any], int]:
    data, stop = view.data()
    return {**data, "css": ""}, stop
