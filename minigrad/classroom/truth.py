"""True values and slopes at any inputs, and the slopes of the student's function and of common mistakes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigrad.core.gradients import gradients
from minigrad.core.tensor import Tensor, constant
from minigrad.core.variable import Variable
from minigrad.diagnostics.finite_differences import elementwise_slopes
from minigrad.graphs.as_function import RuleError
from minigrad.tracing.nodes import unbroadcast

from .answer_graph import Misused, NotConnected, Replayed
from .compared_values import plain
from .inputs import numbers_only
from .mistakes import mistake

Answer = Callable[..., Any]


def values_at(f: Answer, *xs: Any) -> Any:
    """Call the student's function with Tensors of these numbers, and return the values of its results."""
    f = getattr(f, "by_value", f)  # a function in another process computes its values there
    y = f(*[x if isinstance(x, Variable) else constant(x) for x in xs])
    if isinstance(y, tuple) and len(y) == 2 and isinstance(y[0], Tensor) and callable(y[1]):
        raise Misused(mistake.no_decorator)
    return plain(y)


def differentiate(f: Answer, numbers: Sequence[Any], upstream: Any, order: int) -> Any:
    """Return the gradient that minigrad finds through the student's function; for several inputs, return a tuple."""
    xs = [x if isinstance(x, Variable) else constant(x) for x in numbers]
    y = f(*xs)
    if not isinstance(y, Tensor):
        raise NotConnected(f"The function returned a tuple of {len(y)}; one Tensor is expected.")
    g = constant(np.broadcast_to(np.asarray(upstream, y.dtype), y.shape))
    try:
        grads = gradients(y, xs, grad_ys=g)
        first = order == 2 and all(isinstance(d, Tensor) for d in grads)
        if first:
            grads = gradients(list(grads), xs)
    except RuleError:
        if isinstance(f, Replayed):  # a replayed answer raises the error itself, with the student's line
            gradients(f.f(*xs), xs, grad_ys=g)
        raise
    if not all(isinstance(d, Tensor) for d in grads):
        rules = [_missing_gradients(graph.root) for graph in f.all_graphs()] if isinstance(f, Replayed) else []
        if any(gaps == "all" for gaps in rules):
            raise Misused(mistake.rule_none)
        missing = [f"input {i}" for i, d in enumerate(grads, start=1) if d is None]
        if any(rules):
            raise NotConnected(f"The rule returns None for {' and '.join(missing)}: no gradient arrives there.")
        if y.dtype.kind != "f":
            raise NotConnected(
                f"No gradient arrives at the input (it is None): the result has the dtype {y.dtype}, and only floats "
                "have a gradient. Keep the dtype of the input."
            )
        if first:
            raise NotConnected(
                "The gradient of the gradient is None: the gradient does not depend on the input through recorded ops. "
                "In a rule, a number that was taken out of a Tensor has no graph."
            )
        raise NotConnected(
            "No gradient arrives at the input (it is None). The result is not computed from it, or an op on the way "
            "sends none (mg.round, mg.stop_gradient, a comparison), or a number was taken out of its Tensor (.value, "
            "float(...), NumPy)."
        )
    return plain(grads[0]) if len(grads) == 1 else tuple(map(plain, grads))


def _missing_gradients(fragment: Any) -> str:
    """Return "all" if a rule in a graph returns None for all its inputs, "some" if it does for one, else ""."""
    rules = [node[6] for node in fragment["nodes"] if node[1] == "custom"]
    outs = [rule["out"] for rule in rules if rule is not None and rule.get("out")]
    return "all" if any(set(out) == {None} for out in outs) else "some" * any(None in out for out in outs)


def measured(forward: Answer, inputs: Sequence[Any], upstream: Any = 1.0, order: int = 1) -> tuple[Any, ...]:
    """Return the derivative of sum(upstream * forward(*inputs)) for each input, by finite differences in float64.

    order : 1, or 2 for the derivative of the sum of the gradient. For an elementwise function, this is the second
        derivative.

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

    derivatives = [(slopes_of if order == 1 else bends_of)(i, x) for i, x in enumerate(points)]
    return tuple(np.round(x, 9)[()] for x in derivatives)


def computed(forward: Answer, inputs: Sequence[Any], upstream: Any = 1.0, order: int = 1) -> tuple[Any, ...] | None:
    """Return the derivatives that `measured` estimates, exact up to rounding, or None if `forward` takes no Tensors.

    >>> computed(np.sin, [0.0])
    (np.float64(1.0),)
    """
    xs = [constant(np.asarray(x, np.float64)) for x in inputs]
    try:
        y = forward(*xs)
    except (TypeError, ValueError, RuntimeError, AttributeError):
        return None
    if not isinstance(y, Tensor) or y.dtype != np.float64:
        return None
    grads = gradients(y, xs, constant(np.broadcast_to(np.asarray(upstream, float), y.shape)))
    if order == 2:
        live = [d for d in grads if d is not None]
        grads = gradients(live, xs) if live else grads
    return tuple(np.zeros(x.shape)[()] if d is None else d.value for x, d in zip(xs, grads))


def slopes(forward: Answer | None, slope: Answer | None, order: int, upstream: bool) -> Answer:
    """Return the function that computes the true gradient, called as `true(*inputs, g=None)`.

    The upstream gradient is `g` if that is given; otherwise it is the last input, or 1 if `upstream` is False.

    forward, slope : the function to differentiate, or its derivative.
    """

    def true(*args: Any, g: Any = None) -> Any:
        xs, last = (args[:-1], args[-1]) if upstream else (args, 1.0)
        g = last if g is None else g
        if slope is not None:
            grads = weighted(slope, xs, g)
        else:
            assert forward is not None, "give forward= or slope="
            grads = computed(forward, xs, g, order) or measured(forward, xs, g, order)
        return grads[0] if len(grads) == 1 else grads

    return true


def each(f: Answer, *xs: Any) -> Any:
    """Apply `f` to each element of arrays that broadcast; `f` takes numbers and returns a number or a tuple of numbers.

    >>> each(lambda a, b: (a + b, a), np.array([1.0, 2.0]), 3.0)
    (array([4., 5.]), array([1., 2.]))
    """
    if not any(map(np.ndim, xs)):
        return f(*xs)
    arrays = np.broadcast_arrays(*xs)
    rows = [f(*[float(x) for x in row]) for row in zip(*[a.ravel() for a in arrays])]
    if not rows:
        one = f(*[1.0] * len(xs))
        return tuple(np.zeros(arrays[0].shape) for _ in one) if isinstance(one, tuple) else np.zeros(arrays[0].shape)
    if isinstance(rows[0], tuple):
        return tuple(np.reshape(column, arrays[0].shape) for column in zip(*rows))
    return np.reshape(rows, arrays[0].shape)


def weighted(slope: Answer, xs: Sequence[Any], upstream: Any) -> tuple[Any, ...]:
    """Return upstream times the slopes of an elementwise function.

    Each product is summed over the axes along which its input was broadcast.
    """
    local = each(slope, *xs)
    products = []
    for s, x in zip(local if isinstance(local, tuple) else (local,), xs):
        products.append(np.asarray(unbroadcast(np.asarray(upstream * np.asarray(s)), np.shape(x)))[()])
    return tuple(products)


def elementwise(f: Callable[..., Any], vary: Sequence[Any]) -> Callable[..., Any]:
    return partial(each, f) if numbers_only(vary) else f
