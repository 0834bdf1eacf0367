"""The state of `viz.play`: a function, its inputs, its sliders, and the picture of its pass.

The available rules are the function's own rule and some rules that replace its gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from minigrad.core.custom import CustomCall, CustomGradient, custom_gradient, ignore_custom_gradients
from minigrad.core.gradients import gradients
from minigrad.core.graph import ancestors
from minigrad.core.support.structure import flatten
from minigrad.core.tensor import Tensor
from minigrad.ops import clip
from minigrad.tracing.recorder import backward_trace
from minigrad.tracing.trace_schema import BackwardTrace

from ..drag.followed_page import Followed
from ..drag.replayed import CalledWith
from ..model.findings import Findings
from .backward import tensor_of
from .binding import known_as, range_of
from .view import View, picture

DTYPES = ("float16", "float32", "float64")
LARGEST = np.finfo(float).max

#: A rule: the upstream gradient, the value and the inputs -> one gradient for each input.
Rule = Callable[[Tensor, Tensor, Sequence[Tensor]], Sequence[Any]]


class Playground:
    """A function, its inputs, and the available rules; `draw` returns the view for a dtype and a rule."""

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
        """Return the view of the backward pass with the current inputs, a dtype and a rule."""
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

    def _value(self, dtype: str, f: Callable[..., Any]) -> tuple[Tensor, Mapping[str, Any], CalledWith | None]:
        cast = {}
        for name, value in self.inputs.items():
            array = np.asarray(value.value if isinstance(value, Tensor) else value)
            with np.errstate(all="ignore"):  # a slider's number may exceed the largest float16
                cast[name] = Tensor(array.astype(dtype) if array.dtype.kind == "f" else array)
        return tensor_of(f, cast, None, "play", None)


def _as_derived(trace: BackwardTrace) -> BackwardTrace:
    """Return the trace of a pass that ignored custom rules, with custom calls labelled as "derived"."""
    steps = tuple(replace(step, rule="derived") for step in trace.steps)
    nodes = tuple(replace(n, custom=None, kind="op" if n.kind == "custom" else n.kind) for n in trace.nodes)
    return replace(trace, nodes=nodes, steps=steps)


def slider(name: str, value: Any) -> dict[str, Any] | None:
    """Return the range, step and initial value of the slider for an input, or None if the input has no slider.

    Raises TypeError or ValueError for an invalid range.

    >>> slider("x", (0, 4))
    {'name': 'x', 'min': 0.0, 'max': 4.0, 'step': 0.01, 'start': 2.0}
    """
    if isinstance(value, tuple):
        low, high = range_of(name, value)
    elif isinstance(value, float):
        if not np.isfinite(value):
            raise ValueError(f"the input {name} is where a slider starts and must be finite, got {value}")
        low, high = np.clip(sorted((-value, 3 * value)), -LARGEST, LARGEST).tolist() if value else (-1.0, 1.0)
    else:
        return None
    step = 10.0 ** np.floor(np.log10(max(high / 100 - low / 100, 2e-322)))
    start = value if isinstance(value, float) else min(max(round((low / 2 + high / 2) / step) * step, low), high)
    return {"name": name, "min": low, "max": high, "step": float(step), "start": float(start) + 0.0}


def straight_through(dy: Tensor, y: Tensor, xs: Sequence[Tensor]) -> list[Any]:
    """Return the upstream gradient unchanged, as if the function were the identity."""
    return [dy * np.ones(x.shape, dy.dtype) for x in xs]


def reversed_gradient(dy: Tensor, y: Tensor, xs: Sequence[Tensor]) -> list[Any]:
    return [-g for g in _derived(dy, y, xs)]


def clipped(dy: Tensor, y: Tensor, xs: Sequence[Tensor]) -> list[Any]:
    """Return the derived gradient, clipped to [-1, 1]."""
    return [clip(g, -1.0, 1.0) for g in _derived(dy, y, xs)]


RULES: dict[str, Rule] = {"straight-through": straight_through, "reversed": reversed_gradient, "clipped": clipped}


def own_rule(f: Callable[..., Any]) -> Rule:
    """Turn a function `f(dy, *inputs)`, which returns one gradient for each input, into a rule."""
    return lambda dy, y, xs: flatten(f(dy, *xs))


def own_rules(rules: Mapping[str, Callable[..., Any]]) -> dict[str, Rule]:
    """Apply `own_rule` to each function in the dict `rules`. Raises TypeError unless `rules` is a dict of functions."""
    if not isinstance(rules, Mapping):
        raise TypeError(f'rules is a dict of functions by name, as in rules={{"half": rule}}, got {rules!r:.60}')
    return {name: own_rule(rule) for name, rule in rules.items()}


def with_rule(f: Callable[..., Any], rule: Rule, label: str) -> Callable[..., Any]:
    """Return a function like `f` whose gradient is `rule`; it takes its inputs by name.

    >>> from minigrad import constant, gradients
    >>> x = constant(3.0)
    >>> gradients(with_rule(lambda x: x * x, reversed_gradient, "reversed")(x=x), x)[0].value
    np.float32(-6.0)
    """

    def ruled(**inputs: Any) -> Any:
        names = [k for k, v in inputs.items() if isinstance(v, Tensor)]
        options = {k: v for k, v in inputs.items() if k not in names}

        def body(*xs: Tensor) -> Any:
            y = f(**dict(zip(names, xs)), **options)

            def grad(dy: Tensor, variables: Any = None) -> Any:
                grads = list(rule(dy, y, xs))
                if not variables:
                    return grads
                return grads, _derived(dy, y, [v.read_value() for v in variables])

            grad.__name__ = label
            return y, grad

        body.__name__ = getattr(f, "__name__", "f").replace("<lambda>", "f")
        return custom_gradient(body)(*(inputs[k] for k in names))

    return ruled


def without_rule(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorated function without its rule; return any other function unchanged."""
    return (lambda **inputs: f.f(**inputs)[0]) if isinstance(f, CustomGradient) else f


def _derived(dy: Tensor, y: Tensor, xs: Sequence[Tensor]) -> list[Any]:
    grads = gradients(y, list(xs), dy)
    return [Tensor(np.zeros(x.shape, dy.dtype)) if g is None else g for g, x in zip(grads, xs)]  # inputs may be ints
