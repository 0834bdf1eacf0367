"""The rules that `viz.play` offers for a function: its own rule, and some that replace its gradient."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.core.custom import CustomGradient, custom_gradient
from minigrad.core.gradients import gradients
from minigrad.core.support.structure import flatten
from minigrad.core.tensor import Tensor
from minigrad.ops import clip

#: A rule: the upstream gradient, the value and the inputs -> one gradient for each input.
Rule = Callable[[Tensor, Tensor, Sequence[Tensor]], Sequence[Any]]


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
    """Convert the learner's rules, by name; raises TypeError unless they are a dict of functions."""
    if not isinstance(rules, Mapping):
        raise TypeError(f'rules is a dict of functions by name, as in rules={{"half": rule}}, got {rules!r:.60}')
    return {name: own_rule(rule) for name, rule in rules.items()}


def with_rule(f: Callable[..., Any], rule: Rule, label: str) -> Callable[..., Any]:
    """Return `f` as a function with a custom gradient, which has the given rule; call it with its inputs by name.

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
    return [Tensor(np.zeros(x.shape, dy.dtype)) if g is None else g for g, x in zip(grads, xs)]  # integers too
