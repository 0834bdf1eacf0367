"""Sample a function along one argument: values, derived and custom gradients, and finite differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minigrad.core.backward import pullback
from minigrad.core.custom import CustomCall, ignore_custom_gradients
from minigrad.core.graph import ancestors
from minigrad.core.tensor import Tensor
from minigrad.diagnostics.measured_slopes import EXACT, INNER, measure
from minigrad.tracing.numbers import short
from minigrad.transforms.nesting import call_recorded

from .kinks import crossing

CLOSE = 1e-2  #: relative difference that cannot be seen in a plot
MISSING = 1.5e308  #: represents a gradient that is None; larger than any plotted number


@dataclass(frozen=True)
class Stretch:
    """A range from `low` to `high` in which `curve` ("value", "derived" or "custom") has the fault `what`.

    what : "nan", "inf", "wrong" or "missing".

    name : the name of the argument.
    """

    curve: str
    what: str
    low: float
    high: float
    name: str = "x"

    def __str__(self) -> str:
        low, high = short(self.low), short(self.high)
        ends = f"at {self.name} = {low}" if self.low == self.high else f"from {self.name} = {low} to {high}"
        return f"{self.curve} is {self.what} {ends}"


@dataclass(frozen=True)
class Break:
    """A "jump" or a "pole" of the value at the position `at`, between the points `i` and `i + 1`."""

    i: int
    at: float
    kind: str


class Slopes:
    """Samples of `f` at `points` values of one argument, in one dtype.

    `value`, `derived`, `custom` (None if f has no custom rule) and `difference` (nan where a slope cannot be measured)
    are arrays along `x`. Errors that f raises are not caught.
    """

    def __init__(
        self, f: Callable[..., Any], name: str, ends: tuple[float, float], others: Mapping[str, Any],
        dtype: np.dtype[Any], points: int,
    ) -> None:  # fmt: skip
        self.f, self.name, self.others, self.dtype = f, name, others, dtype
        self.x = np.linspace(*ends, points)
        with np.errstate(all="ignore"):
            self.has_custom = any(isinstance(node.op, CustomCall) for node in ancestors([self._call(self.x[0])[1]]))
            self.value, self.derived = np.array([self.at(x, "derived") for x in self.x], np.float64).T
            self.custom = np.array([self.at(x, "custom")[1] for x in self.x], np.float64) if self.has_custom else None
            received = [float(np.asarray(x, dtype)) for x in self.x]  # the numbers that f receives
            rules = ("derived", "custom") if self.has_custom else ("derived",)
            wide = np.dtype(np.float64)
            self.exact = {rule: np.array([self.at(x, rule, wide)[1] for x in received], np.float64) for rule in rules}
            judged = [self._judge(x, g) for x, g in zip(received, self.exact["derived"])]
        self.difference, self.error, self.slack = np.array([numbers[:3] for numbers in judged], np.float64).T
        self.state = np.array([state for *_, state in judged])
        #: For each point, whether gradients are compared with the measured slope. They are not compared at a jump,
        #: next to inf or nan, or if rounding hides the slope.
        self.judged = np.isin(self.state, ("", "near", "kink", "unclear"))
        self.breaks = self._breaks()

    def at(self, x: float, rule: str, dtype: Any = None) -> tuple[float, float]:
        """Return the value of f at `x` and its gradient, which is MISSING if the value does not depend on the argument.

        rule : "derived" to ignore custom rules, or "custom".
        """
        point, y = self._call(x, dtype)
        if rule == "derived":
            with ignore_custom_gradients():
                (g,) = pullback([y], [np.ones_like(y.value)], [point])
        else:
            (g,) = pullback([y], [np.ones_like(y.value)], [point])
        return float(np.sum(y.value)), MISSING if g is None else float(g)

    @property
    def curves(self) -> dict[str, np.ndarray]:
        curves = {"value": self.value, "derived": self.derived}
        return curves if self.custom is None else {**curves, "custom": self.custom}

    def stretches(self) -> list[Stretch]:
        """Return the stretches in which a value or gradient is nan or inf, or a gradient is missing or wrong.

        Neighbouring stretches of the same kind are merged.
        """
        stretches: list[Stretch] = []
        for curve in self.curves:
            what = self.verdicts(curve)
            begin = 0
            for i in range(1, len(what) + 1):
                if i == len(what) or what[i] != what[begin]:
                    if what[begin]:
                        stretches.append(self._stretch(curve, what[begin], begin, i - 1))
                    begin = i
        return _joined(stretches, 0.02 * (self.x[-1] - self.x[0]))

    def verdicts(self, curve: str) -> list[str]:
        """Return the fault of the curve at each point: "nan", "inf", "missing", "wrong", or "" if there is none."""
        y = self.curves[curve]
        missing = np.where(y == MISSING, "missing", "")
        words = np.where(np.isnan(y), "nan", np.where(np.isinf(y), "inf", missing)).tolist()
        if curve == "value":
            return words
        measured = np.isfinite(self.difference) & np.isin(self.state, ("", "near"))
        # This uses a quantile, because slopes next to a pole are huge.
        scale = np.quantile(np.abs(self.difference[measured]), 0.9) if measured.any() else 0.0
        with np.errstate(all="ignore"):
            off = np.abs(y - self.difference) > CLOSE * np.abs(self.difference) + 1e-3 * scale + self.slack
            exact = self.exact[curve]  # a float64 gradient needs no allowance for its own rounding
            sharp = np.abs(exact - self.difference) > EXACT * np.abs(self.difference) + self.error + INNER
            off = (off | (sharp & np.isfinite(exact) & (self.state == ""))) & measured
            for i in np.flatnonzero(np.isin(self.state, ("kink", "unclear")) & np.isfinite(y)):
                off[i] = self._crosses(float(np.asarray(self.x[i], self.dtype)), float(y[i]), float(exact[i]))
        return [word or ("wrong" if bad else "") for word, bad in zip(words, off)]

    def _crosses(self, x: float, rounded: float, exact: float) -> bool:
        """Return whether a gradient at a kink is not between the slopes on the left and on the right.

        rounded : the gradient in the dtype of the sweep. exact : the gradient in float64.
        """
        unit, f = max(1.0, abs(x)), self._moved(x)
        claims = [(rounded, CLOSE), *[(exact, EXACT)] * bool(np.isfinite(exact))]
        crossings = [crossing(lambda t: float(f(t[0])), np.array([g]), unit, room) for g, room in claims]
        return any(one is not None and one.wrong for one in crossings)

    def _stretch(self, curve: str, what: str, first: int, last: int) -> Stretch:
        """Return the `Stretch` from point `first` to point `last`; `curve` has the fault `what` there.

        The ends of nan or inf are found by bisection, because they are rarely at grid points.
        """
        low, high = float(self.x[first]), float(self.x[last])
        if what in ("nan", "inf"):
            low = low if first == 0 else self._edge(curve, float(self.x[first - 1]), low)
            high = high if last == len(self.x) - 1 else self._edge(curve, float(self.x[last + 1]), high)
        return Stretch(curve, what, low, high, self.name)

    def _edge(self, curve: str, good: float, bad: float) -> float:
        for _ in range(30):
            middle = (good + bad) / 2
            value, g = self.at(middle, curve)
            good, bad = (middle, bad) if np.isfinite(value if curve == "value" else g) else (good, middle)
        return bad

    def _call(self, x: float, dtype: Any = None) -> tuple[Tensor, Tensor]:
        dtype = dtype or self.dtype
        with np.errstate(all="ignore"):
            fixed = {k: _cast(v, dtype) for k, v in self.others.items()}
            point = Tensor(np.asarray(x, dtype)[()])
            y = call_recorded(self.f, **{**fixed, self.name: point})
        if not isinstance(y, Tensor) or y.size != 1:
            got = f"shape {y.shape}" if isinstance(y, Tensor) else f"{y!r:.60} of type {type(y).__name__}"
            hint = "; does it lack a return?" if y is None else ""
            raise TypeError(f"curves: f must return a Tensor with one number for each number, got {got}{hint}")
        return point, y

    def _judge(self, x: float, expected: float) -> tuple[float, float, float, str]:
        """Measure the slope of f at `x` in float64; return (slope, error, error including rounding, state).

        expected : the gradient to compare with. The slope is nan at an edge or a jump.
        """
        unit = max(1.0, abs(x))
        claim = 0.0 if expected == MISSING else expected
        measured = measure(self._moved(x), 1e-4 * unit, expected=claim)
        slack = float(measured.error) + 64 * float(np.finfo(self.dtype).eps * measured.size) / unit
        number = float("nan") if measured.state in ("edge", "jump") else float(measured.value)
        return number, float(measured.error), slack, "" if measured.is_zero(claim, unit) else str(measured.state)

    def _moved(self, x: float) -> Callable[[float], Any]:
        """Return a function that computes f in float64 at a given distance from `x`."""
        return lambda t: self._call(x + t, np.dtype(np.float64))[1].value.reshape(())

    def _breaks(self) -> list[Break]:
        """Find the jumps and poles of f between the points, by bisection."""
        finite = np.isfinite(self.value)
        span = float(np.ptp(self.value[finite])) if finite.any() else 0.0
        breaks = []
        for i in np.flatnonzero(finite[1:] & finite[:-1]):
            change, width = abs(self.value[i + 1] - self.value[i]), self.x[i + 1] - self.x[i]
            steep = np.nanmax([0.0, *np.abs(self.difference[i : i + 2])]) * width
            suspect = change > 0.02 * span or change > 3 * steep + 1e-6 * span
            if suspect and (jump := self._halved(int(i), float(change))):
                breaks += jump
            else:
                breaks += self._risen(int(i))
        return breaks

    def _risen(self, i: int) -> list[Break]:
        """Find a pole between points `i` and `i + 1` where f has the same sign on both sides, like 1 / x² at 0."""
        size, slopes = np.abs(self.value[i : i + 2]), self.difference[i : i + 2] * np.sign(self.value[i : i + 2])
        low, high = self.x[i : i + 2].tolist()
        if not (slopes[0] * (high - low) > 0.2 * size[0] and -slopes[1] * (high - low) > 0.2 * size[1]):
            return []
        f = self._moved(0.0)
        with np.errstate(all="ignore"):
            for _ in range(60):
                _, first, second, _ = np.linspace(low, high, 4).tolist()
                left, right = abs(float(f(first))), abs(float(f(second)))
                if not (np.isfinite(left) and np.isfinite(right)) or max(left, right) > 1e20 * size.max():
                    return [Break(i, first if left > right else second, "pole")]
                low, high = (low, second) if left > right else (first, high)
        return [Break(i, low, "pole")] if max(left, right) > 1e6 * size.max() else []

    def _halved(self, i: int, change: float) -> list[Break]:
        f, low, high = self._moved(0.0), float(self.x[i]), float(self.x[i + 1])
        with np.errstate(all="ignore"):
            ends = float(f(low)), float(f(high))
            for _ in range(46):
                middle = (low + high) / 2
                value = float(f(middle))
                if not np.isfinite(value):
                    return [Break(i, middle, "pole")]
                if abs(value - ends[0]) > abs(ends[1] - value):
                    high, ends = middle, (ends[0], value)
                else:
                    low, ends = middle, (value, ends[1])
        left = abs(ends[1] - ends[0])
        return [Break(i, middle, "pole" if left > 1e3 * change else "jump")] if left > 0.25 * change else []


def _joined(stretches: list[Stretch], gap: float) -> list[Stretch]:
    """Merge stretches with the same fault of the same curve if the gap between them is shorter than `gap`.

    Such a gap appears where a wrong curve crosses the right one.
    """
    joined: list[Stretch] = []
    for s in stretches:
        last = joined[-1] if joined else None
        if last and (last.curve, last.what) == (s.curve, s.what) and s.low - last.high < gap:
            joined[-1] = replace(last, high=s.high)
        else:
            joined.append(s)
    return joined


def _cast(value: Any, dtype: Any) -> Any:
    """Convert an argument that is not varied to the dtype of the sweep, if it contains floats."""
    array = np.asarray(value.value if isinstance(value, Tensor) else value)
    return Tensor(array.astype(dtype)[()]) if array.dtype.kind == "f" else value
