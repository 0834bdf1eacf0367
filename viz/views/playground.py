"""The state of `viz.play`: a function at the present numbers, dtype and rule, and the picture of its pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from minigrad.core.custom import CustomCall, CustomGradient, ignore_custom_gradients
from minigrad.core.graph import ancestors
from minigrad.core.tensor import Tensor, next_serial
from minigrad.tracing.recorder import backward_trace
from minigrad.tracing.trace_schema import BackwardTrace

from ..drag.followed_page import Followed
from ..drag.replayed import CalledWith
from ..model.findings import Findings
from ..model.play_rules import RULES, Rule, with_rule, without_rule
from .backward import call
from .binding import known_as
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

    def check(self, dtype: str, rule: str) -> None:
        """Raise ValueError for an unknown dtype or rule."""
        for what, got, choices in (("rule", rule, self.rules), ("dtype", dtype, DTYPES)):
            if got not in choices:
                raise ValueError(f"{what} must be one of {', '.join(choices)}, got {got!r}")

    def draw(self, dtype: str, rule: str) -> View:
        """The view of the backward pass with these inputs, this dtype and this rule."""
        followed = self._passed(dtype, rule)
        view = View(picture(Findings(followed.trace), self.flow)._lanes, self.title)
        view.followed, view.mode = (followed,), "gradient"
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
    """Give the label "derived" to a pass that ignored the custom rules."""
    steps = tuple(replace(step, rule="derived") for step in trace.steps)
    nodes = tuple(replace(n, custom=None, kind="op" if n.kind == "custom" else n.kind) for n in trace.nodes)
    return replace(trace, nodes=nodes, steps=steps)
