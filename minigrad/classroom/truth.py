"""The true slope, the slope of the student's function, and the slopes that usual mistakes give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.core.op import Op
from minigrad.core.pullback import gradients
from minigrad.core.tensor import Tensor, constant
from minigrad.diagnostics.finite_differences import elementwise_slopes

from .compare import plain
from .mistakes import Mistake, mistake

Answer = Callable[..., Any]


class NotConnected(TypeError):
    """The student's result does not depend on the input through recorded ops."""


def values_at(f: Answer, *xs: Any) -> Any:
    """The values of the student's function of Tensors."""
    return plain(f(*map(constant, xs)))


def differentiate(f: Answer, numbers: Sequence[Any], upstream: Any, order: int) -> Any:
    """The gradient that minigrad finds through the student's function; one, or a tuple with one for each input."""
    xs = [constant(x) for x in numbers]
    y = f(*xs)
    if not isinstance(y, Tensor):
        raise NotConnected(
            f"The function returned {type(y).__name__}, not a Tensor, so no gradient can follow: "
            "compute with minigrad's functions (mg.exp, mg.log, mg.where, ...)."
        )
    found = gradients(y, xs, grad_ys=constant(np.full(y.shape, upstream, y.dtype)))
    if order == 2 and all(isinstance(d, Tensor) for d in found):
        found = gradients(list(found), xs)
    if not all(isinstance(d, Tensor) for d in found):
        raise NotConnected(
            "No gradient arrives at the input (it is None): the result does not depend on it through recorded ops. "
            "Compute with minigrad's functions, and do not take .value or float(...) on the way."
        )
    return plain(found[0]) if len(found) == 1 else tuple(map(plain, found))


def measured(forward: Answer, inputs: Sequence[Any], upstream: Any = 1.0, order: int = 1) -> tuple[Any, ...]:
    """The derivative of sum(upstream * forward(*inputs)) with respect to each input, by finite differences in float64.

    order : 1, or 2 for the derivative of the sum of the gradient: of an elementwise function, the second derivative.

    >>> measured(np.sin, [0.0])
    (np.float64(1.0),)
    """
    points = [np.asarray(x, np.float64) for x in inputs]

    def slopes_of(i: int, x: Any) -> Any:
        def total(moved: Any) -> Any:
            value = forward(*points[:i], moved, *points[i + 1 :])
            return np.sum(np.asarray(upstream, float) * np.asarray(value, float))

        return elementwise_slopes(total, x, 1e-3)

    def bends_of(i: int, x: Any) -> Any:
        return elementwise_slopes(lambda moved: np.sum(slopes_of(i, moved)), x, 1e-2)

    found = [(slopes_of if order == 1 else bends_of)(i, x) for i, x in enumerate(points)]
    return tuple(np.round(x, 9)[()] for x in found)


def slopes(forward: Answer | None, slope: Answer | None, order: int, upstream: bool) -> Answer:
    """The function `true(*inputs, g=None)`: the gradient for the last input as upstream, or for `g` in its place."""

    def true(*args: Any, g: Any = None) -> Any:
        xs, given = (args[:-1], args[-1]) if upstream else (args, 1.0)
        g = given if g is None else g
        if slope is not None:
            local = slope(*xs)
            found = tuple(g * np.asarray(s)[()] for s in (local if isinstance(local, tuple) else (local,)))
        else:
            assert forward is not None, "give forward= or slope="
            found = measured(forward, xs, g, order)
        return found[0] if len(found) == 1 else found

    return true


def usual_mistakes(
    true: Answer, forward: Answer | None, op: Op | None, arity: int, upstream: bool
) -> list[tuple[Mistake, Answer]]:
    """The mistakes that can be made in any rule, each with the answer that it would give."""

    def change(how: Callable[[Any, Any], Any], local: bool = False) -> Answer:
        def predicted(*args: Any) -> Any:
            t = true(*args, g=1.0) if local else true(*args)
            return tuple(how(s, args[-1]) for s in t) if isinstance(t, tuple) else how(t, args[-1])

        return predicted

    found = []
    if upstream:
        found += [
            (mistake.no_upstream, change(lambda t, g: t, local=True)),
            (mistake.no_local, change(lambda t, g: g + 0 * t, local=True)),
            (mistake.upstream_twice, change(lambda t, g: g * g * t, local=True)),
            (mistake.upstream_added, change(lambda t, g: g + t, local=True)),
        ]
    found += [
        (mistake.sign, change(lambda t, g: -t)),
        (mistake.twice, change(lambda t, g: 2 * t)),
        (mistake.half, change(lambda t, g: t / 2)),
    ]
    if forward is not None and arity == 1:
        found.append((mistake.value_for_slope, lambda x, g=1.0: g * forward(x)))
    if op is not None and op.vjps and arity == 1 and upstream:
        rule, fn = op.vjps[0], op.fn
        found.append((mistake.input_for_output, lambda x, g: rule(np.float64(g), np.float64(x), np.float64(x))))
        found.append((mistake.output_for_input, lambda x, g: rule(np.float64(g), fn(x), fn(x))))
    return found
