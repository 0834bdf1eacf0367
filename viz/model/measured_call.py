"""The function that a comparison calls: its values, its gradients, and its slopes measured in float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.core.backward import pullback
from minigrad.core.graph import ancestors
from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable
from minigrad.diagnostics.finite_differences import Inputs, prepare
from minigrad.diagnostics.measured_slopes import measure
from minigrad.transforms.nesting import call_recorded

Seed = float | tuple[float, ...]  #: the first element of an upstream gradient; a tuple has one for each result


class MeasuredSlopes(NamedTuple):
    """Measured slopes: for each element, a slope and the range of correct slopes, which is wide at a kink.

    state : "" for a slope or a kink, else "edge", "jump", "noise", or "steep" if the slopes keep growing as the step
        shrinks. error : the uncertainty. rounding : the additional uncertainty of a pass in float32.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    error: np.ndarray
    rounding: np.ndarray
    state: np.ndarray


class MeasuredCall:
    """A user's function as a function of a list of input values, with its gradients and measured slopes.

    arguments : name of an argument -> its value, a Tensor or a structure of Tensors.
    """

    def __init__(self, f: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
        _, self.start, self.f = prepare(
            lambda *values: call_recorded(f, **dict(zip(arguments, values))), tuple(arguments.values())
        )

    def outputs(self, xs: Sequence[Tensor]) -> list[Tensor]:
        return [y for _, y in self.f(list(xs))]

    def variables(self) -> list[Variable]:
        graph = ancestors(self.outputs([Tensor(value) for value in self.start]))
        return [v for v in graph if isinstance(v, Variable) and v.trainable and v.dtype.kind == "f"]

    def is_finite(self, xs: Sequence[Tensor]) -> bool:
        return all(bool(np.isfinite(y.value).all()) for y in self.outputs(xs))

    def gradient(self, xs: Sequence[Tensor], i: int, seed: Seed) -> np.ndarray | None:
        """Return the gradient of input `i` as the rules compute it; see `seeds` for the upstream gradients."""
        ys = self.outputs(xs)
        arrives = [w.astype(y.dtype) for y, w in zip(ys, weights(ys, seed))]
        adjoint = pullback(ys, arrives, [xs[i].read_value()])[0]
        return None if adjoint is None else np.asarray(adjoint, np.float64)

    def value(self, xs: Sequence[Tensor], seed: Seed) -> np.ndarray:
        """Return the sum of all elements of the outputs, each weighted by its upstream gradient."""
        ys = self.outputs(xs)
        return np.asarray(sum(np.sum(np.asarray(y.value, np.float64) * w) for y, w in zip(ys, weights(ys, seed))))

    def difference(self, inputs: Inputs, values: list[Any], i: int, seed: float, claim: Any) -> MeasuredSlopes:
        """Measure the slope for each element of input `i` in float64, from values next to `values`.

        claim : the gradient to check, which sets the scale of the tolerances; None counts as 0.
        """
        x = np.asarray(values[i])
        claims = np.zeros(x.shape) if claim is None or claim.shape != x.shape else claim
        measured = []
        for index in np.ndindex(*x.shape):

            def along(t: float, index: Any = index) -> Any:
                moved = x.copy()
                moved[index] += t
                return self.value(inputs.at([*values[:i], moved[()], *values[i + 1 :]]), seed)

            unit = max(1.0, abs(float(x[index])))
            one = measure(along, 1e-4 * unit, expected=claims[index])
            state, value = str(one.state), float(one.value)
            ends = (value, value)
            if kink := state in ("kink", "unclear"):
                left, right = float(one.left), float(one.right)
                closer = measure(along, 1e-4 * unit / 64, expected=claims[index])
                grown = max(abs(float(closer.left) - left), abs(float(closer.right) - right))
                if not grown <= 0.1 * max(abs(left), abs(right)):
                    kink, state = False, "steep"  # the slopes keep growing as the step shrinks
                else:
                    ends = (min(left, right), max(left, right))
            error, rounding = (0.0, 0.0) if kink else (float(one.error), 4e-7 * float(one.size) / unit)
            if kink or state == "near" or one.is_zero(claims[index], unit):
                state = ""
            measured.append((value, *ends, error, rounding, state))
        parts = [*zip(*measured)] or [()] * 6
        shaped = [np.array(part, object if i == 5 else np.float64).reshape(x.shape) for i, part in enumerate(parts)]
        return MeasuredSlopes(*shaped)


def seeds(y: Tensor, first: float) -> np.ndarray:
    """Return an upstream gradient for `y`: all 0 or all 1 if `first` is 0 or 1, else numbers growing from `first`."""
    grow = 0.0 if first in (0, 1) else 1 / max(1, y.size)
    return first + grow * np.arange(y.size, dtype=np.float64).reshape(y.shape)


def weights(ys: Sequence[Tensor], seed: Seed) -> list[np.ndarray]:
    """Return an upstream gradient for each of `ys`, as `seeds` makes it; `seed` may have one number for each."""
    return [seeds(y, first) for y, first in zip(ys, seed if isinstance(seed, tuple) else (seed,) * len(ys))]
