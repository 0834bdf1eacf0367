"""The verdict of a comparison: for each argument, its two gradients, the measured slope, and a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from minigrad.core.custom import ignore_custom_gradients
from minigrad.core.support.error_words import visible
from minigrad.core.support.structure import leaves
from minigrad.core.tensor import Tensor
from minigrad.diagnostics.finite_differences import Inputs
from minigrad.tracing.numbers import short
from minigrad.tracing.trace_fields import number
from minigrad.tracing.trace_schema import Num

from .kinks import Crossing, crossing
from .measured_call import MeasuredCall, MeasuredSlopes, seeds
from .tolerance import AGREE, LEAST, SHARP

MANY = 256  #: maximum number of elements of an array whose slopes are measured element by element

#: The sentences about the two gradients of an argument, with placeholders, by kind from the worst to the best. The
#: headline of a comparison comes from its worst row. A page fills them in when its inputs change.
VERDICTS = {
    "both wrong": "both differ from the finite difference{at}",
    "broken": "{second} breaks it: {got} instead of {want}{at}",
    "another slope": "{second} gives another slope than the function has: {got} instead of {want}{at}",
    "second wrong": "{first} is right, not {label}'s {got}{at}",
    "wrong upstream": "{who} is right only where the upstream gradient is 1: "
    "for {seed} it gives {got} instead of {want}{at}",
    "wrong other upstream": "{who} is right for an upstream gradient of 1, "
    "but for {seed} it gives {got} instead of {want}{at}",
    "wrong nearby": "{who} is right here, but at {place} it gives {got} instead of {want}{at}",
    "first wrong, missing": "{second} is right, not the missing gradient of {first}{at}",
    "first wrong": "{second} is right, not {got}{at}",
    "unknown, unequal": "no reference: the function is not finite in float64 here; they differ",
    "jump, unequal": "no reference: the function jumps here, so it has no slope{at}; they differ",
    "hidden, unequal": "no reference: the slope is too small to be measured beside the value{at}; they differ",
    "steep, unequal": "no reference: the slope here could not be measured{at}; they differ",
    "many": "not checked: more than {most} elements",
    "unknown, equal": "no reference: the function is not finite in float64 here; they agree",
    "jump, equal": "no reference: the function jumps here, so it has no slope{at}; they agree",
    "hidden, equal": "no reference: the slope is too small to be measured beside the value{at}; they agree",
    "steep, equal": "no reference: the slope here could not be measured{at}; they agree",
    "repaired, missing": "{second} repairs the missing gradient of {first}{at}",
    "repaired": "{second} repairs {got}{at}",
    "both right, kinks": "both are right: at this kink several gradients are, with slopes from {low} to {high}{at}",
    "both right, kink": "both are right: at this kink every slope from {low} to {high} is{at}",
    "both right, rounded": "both are right, up to rounding{at}",
    "both right": "both are right here",
    "neither": "neither depends on it",
}
WORST_FIRST = tuple(VERDICTS)
#: The upstream gradients to try in addition to 1, and the distances by which the input is moved.
ELSEWHERE = ((2.0, 0.0), (-1.0, 0.0), (64.0, 0.0), (0.015625, 0.0), (1.0, 0.5), (1.0, -0.5))


@dataclass(frozen=True)
class CompareRow:
    """One argument: its two gradients and its finite difference, each as a trace stores numbers, or None if missing.

    kind : kind of the verdict, a key of `VERDICTS`. agree : whether the two gradients agree in all elements.
    place : the element or direction that the verdict names, in words, or "".
    """

    argument: str
    first: Num | None
    second: Num | None
    difference: Num | None
    verdict: str
    kind: str = ""
    agree: bool = True
    place: str = ""


def rows(
    functions: Sequence[Callable[..., Any]], arguments: Mapping[str, Any], labels: tuple[str, str]
) -> tuple[CompareRow, ...]:
    """Return a row for each float Tensor in the arguments, and for each trainable Variable that the functions use.

    arguments : name -> a Tensor or a structure of Tensors.

    >>> import minigrad as mg
    >>> f = mg.custom_gradient(lambda x: (mg.sin(x), lambda dy: mg.cos(x)))
    >>> rows([mg.sin, f], {"x": mg.constant(0.0)}, ("derived", "custom"))[0].verdict
    'the custom rule is right only where the upstream gradient is 1: for 2 it gives 1 instead of 2'
    """
    calls = [MeasuredCall(f, arguments) for f in functions]
    variables = list({id(v): v for call in calls for v in call.variables()}.values())
    held = [v.value for v in variables]
    floats = [(path, leaf) for name, argument in arguments.items() for path, leaf in leaves(argument, name)]
    floats = [(path, leaf) for path, leaf in floats if isinstance(leaf, Tensor) and leaf.dtype.kind == "f"]
    names = [visible(name) for name in [*(path for path, _ in floats), *(v.name for v in variables)]]
    inputs = Inputs(names, [np.array(leaf.value, np.float64) for _, leaf in floats], variables)
    dtypes = [leaf.dtype for _, leaf in floats] + [v.dtype for v in variables]
    try:
        return tuple(_Row(calls, inputs, dtypes, i, labels).finish() for i in range(len(names)))
    finally:
        for v, value in zip(variables, held):
            v.hold(value)


class Fault(NamedTuple):
    """A faulty gradient and its right value as text, and its place, as in " at x[2]". wrong : whether it is certain."""

    got: str
    want: str
    at: str
    wrong: bool = True


class _Row:
    """The comparison of two functions with respect to input `i`. A `side` is 0 for the first function, else 1."""

    def __init__(
        self, calls: Sequence[MeasuredCall], inputs: Inputs, dtypes: Sequence[Any], i: int, labels: tuple[str, str]
    ) -> None:
        self.calls, self.inputs, self.dtypes, self.i, self.labels = calls, inputs, dtypes, i, labels
        self.name, self.custom = inputs.names[i], labels == ("derived", "custom")
        self.who = (labels[0], "the custom rule" if self.custom else labels[1])

    def finish(self) -> CompareRow:
        start = self.inputs.values
        self.gradients = [self.gradient(side, start) for side in (0, 1)]
        self.judge = None if start[self.i].size > MANY else self.difference(start, 1.0, self.gradients[1])
        hidden = self.judge is None or bool(np.isin(self.judge.state.astype(str), ("noise", "jump", "steep")).any())
        measured = None if self.judge is None or hidden else self.judge.value
        first, second, judge = (None if value is None else number(value) for value in (*self.gradients, measured))
        kind, holes = self.verdict()
        holes = {"first": self.labels[0], "second": self.who[1], "label": self.labels[1], "most": str(MANY), **holes}
        verdict, place = VERDICTS[kind].format(**holes), holes.get("at", "")
        return CompareRow(self.name, first, second, judge, verdict, kind, self.agree, place)

    def at_values(self, values: list[Any]) -> list[Tensor]:
        """Return Tensors with these values, in the dtypes of the inputs."""
        return self.inputs.at([value.astype(dtype) for value, dtype in zip(values, self.dtypes)])

    def gradient(self, side: int, values: list[Any], seed: float = 1.0, i: int | None = None) -> np.ndarray | None:
        with np.errstate(all="ignore"):
            return self.calls[side].gradient(self.at_values(values), self.i if i is None else i, seed)

    def exact(self, side: int, values: list[Any], seed: float = 1.0, i: int | None = None) -> np.ndarray | None:
        """Return the gradient of function `side` in float64, or None if some output is not float64 for float64 inputs.

        Such a gradient needs no allowance for rounding in the dtypes of the inputs.
        """
        xs = self.inputs.at(values)
        with np.errstate(all="ignore"):
            if any(y.dtype != np.float64 for y in self.calls[side].outputs(xs)):
                return None
            return self.calls[side].gradient(xs, self.i if i is None else i, seed)

    def overflows(self, side: int, values: list[Any], seed: float) -> bool:
        """Return whether function `side` has a value or a derived gradient that is not finite at `values`."""
        xs = self.at_values(values)
        with np.errstate(all="ignore"), ignore_custom_gradients():
            derived = self.calls[side].gradient(xs, self.i, seed)
            finite = derived is None or bool(np.isfinite(derived).all())
            return not finite or not self.calls[side].is_finite(xs)

    def difference(
        self, values: list[Any], seed: float, claim: np.ndarray | None, i: int | None = None
    ) -> MeasuredSlopes:
        with np.errstate(all="ignore"):
            return self.calls[0].difference(self.inputs, values, self.i if i is None else i, seed, claim)

    def fault(
        self, side: int, values: list[Any], seed: float, got: np.ndarray | None, judge: MeasuredSlopes
    ) -> Fault | None:
        """Return the first fault of a gradient, in one element or, at a kink, along a direction; None if there is none.

        got : the gradient of function `side` at `values`. seed : the upstream gradient. judge : the measured slopes.
        """
        index = _wrong(got, self.exact(side, values, seed), judge)
        if index is not None:
            return Fault(*told_apart(got, judge, index), self.at(index))
        if not (judge.low < judge.high).any():
            return None
        bent: dict[int, np.ndarray] = {}
        rounded, sharp, room = [], [], SHARP
        for i, value in enumerate(values):
            if value.size > MANY:
                continue
            mine = got if i == self.i else self.gradient(side, values, seed, i)
            exact = self.exact(side, values, seed, i)
            ends = judge if i == self.i else self.difference(values, seed, mine, i)
            if i == self.i or _wrong(mine, exact, ends) is None:
                bent[i] = np.asarray(ends.low < ends.high)
                mine = np.zeros(value.shape) if mine is None else mine
                room = AGREE if exact is None and mine.any() else room
                rounded.append(mine[bent[i]])
                sharp.append((mine if exact is None else exact)[bent[i]])
        spots = [(i, tuple(map(int, index))) for i, where in bent.items() for index in np.argwhere(where)]
        # The unit of the steps, so that a step changes even the largest element.
        unit = max(1.0, *(abs(float(values[i][index])) for i, index in spots))

        def value_at(t: np.ndarray) -> float:
            moved = [np.array(value, np.float64) for value in values]
            for (i, index), step in zip(spots, t):
                moved[i][index] += step
            return float(self.calls[0].value(self.inputs.at([value[()] for value in moved]), seed))

        with np.errstate(all="ignore"):
            crossed = crossing(value_at, np.concatenate(sharp), unit, room)
            crossed = crossed or crossing(value_at, np.concatenate(rounded), unit, AGREE)
        if not crossed:
            return None
        touched = [spot for spot, step in zip(spots, crossed.direction) if step]
        # The fault lies in another input; that input has its own row.
        if self.i not in {i for i, _ in touched}:
            return None
        return Fault(*_beyond(crossed), self.along(spots, crossed.direction, touched), crossed.wrong)

    def along(self, spots: list[Any], direction: np.ndarray, touched: list[Any]) -> str:
        """Return a direction as text: " at x[2]" if only one element moves, or as in " along x = [1 -1]"."""
        if len(touched) == 1:
            return self.at(touched[0][1])
        moves = {i: np.zeros(np.shape(self.inputs.values[i])) for i, _ in touched}
        for (i, index), step in zip(spots, direction):
            if i in moves:
                moves[i][index] = step
        return " along " + ", ".join(f"{self.inputs.names[i]} = {short(number(move))}" for i, move in moves.items())

    def verdict(self) -> tuple[str, dict[str, str]]:
        """Judge the gradients by the measured slopes; return a key of `VERDICTS` and values for its placeholders."""
        (first, second), judge = self.gradients, self.judge
        self.agree = _unequal(first, second) is None
        if first is None and second is None:
            return "neither", {}
        if judge is None:
            return "many", {}
        # Where the slope could not be measured, nothing can be called right or wrong.
        for state, kind in (("edge", "unknown"), ("jump", "jump"), ("noise", "hidden"), ("steep", "steep")):
            if (at := np.argwhere(judge.state == state)).size or (state in judge.state.ravel()):
                place = self.at(tuple(map(int, at[0]))) if state != "edge" else ""
                return f"{kind}, {'equal' if self.agree else 'unequal'}", {"at": place}
        exact = [self.exact(side, self.inputs.values) for side in (0, 1)]
        wrong = [self.fault(side, self.inputs.values, 1.0, self.gradients[side], judge) for side in (0, 1)]
        for fault in wrong:
            if fault and not fault.wrong:
                return f"steep, {'equal' if self.agree else 'unequal'}", {"at": fault.at}
        self.agree &= bool(wrong[0]) == bool(wrong[1])
        if wrong[0] and wrong[1]:
            return "both wrong", {"at": wrong[1].at}
        # A derived pass needs no second point: only a rule that somebody wrote can depend on the upstream gradient.
        for side in (1,) if self.custom else (0, 1):
            if wrong[side] is None and (other_point := self.elsewhere(side)):
                return other_point
        if wrong == [None, None]:
            bent = np.argwhere(judge.low < judge.high) if judge.low.ndim else [()] * bool(judge.low < judge.high)
            if len(bent) == 0 and not self.agree:
                index = _unequal(*self.gradients)
                # If the gradients also differ in float64, the measured slopes are too uncertain to decide.
                rounded = not any(g is None for g in exact) and _unequal(*exact) != index
                return "both right, rounded" if rounded else "hidden, unequal", {"at": self.at(index)}
            if len(bent) == 0:
                return "both right", {}
            index = tuple(map(int, bent[0]))
            low, high = (short(number(np.asarray(end)[index])) for end in (judge.low, judge.high))
            kind = "both right, kink" if len(bent) == 1 else "both right, kinks"
            return kind, {"low": low, "high": high, "at": self.at(index)}
        fault = wrong[0] or wrong[1]
        assert fault
        holes = {"got": fault.got, "want": fault.want, "at": fault.at}
        if wrong[0]:
            return ("repaired" if self.custom else "first wrong") + ", missing" * (first is None), holes
        if fault.got in ("nan", "inf", "-inf"):
            return "broken", holes
        return "another slope" if self.custom else "second wrong", holes

    def elsewhere(self, side: int) -> tuple[str, dict[str, str]] | None:
        """Return a verdict if a gradient is wrong at a nearby point or for another upstream gradient, else None."""
        start = self.inputs.values
        for seed, toward in ELSEWHERE:
            values = [*start]
            values[self.i] = start[self.i] + toward * np.maximum(1.0, np.abs(start[self.i]))
            # A nan at the nearby point says nothing about the rule at this one.
            if toward and self.overflows(side, values, seed):
                continue
            got = self.gradient(side, values, seed)
            want = self.difference(values, seed, got)
            missed = want.state.astype(bool).any()
            fault = None if missed else self.fault(side, values, seed, got, want)
            if not fault or not fault.wrong:
                continue
            holes = {"who": self.who[side], "got": fault.got, "want": fault.want, "at": fault.at}
            if toward:
                return "wrong nearby", {**holes, "place": f"{self.name} = {short(number(values[self.i]))}"}
            kind = "wrong upstream" if seed == 2 else "wrong other upstream"
            return kind, {**holes, "seed": self.seed(side, seed)}
        return None

    def seed(self, side: int, first: float) -> str:
        """Return the upstream gradient that begins with `first` as text, or "others" if there are several results."""
        (y, *others) = self.calls[side].outputs(self.inputs.at(self.inputs.values))
        return short(number(seeds(y, first))) if not others else "others"

    def at(self, index: tuple[int, ...] | None) -> str:
        """Return the place of an element as text, such as " at x[2]", or "" for a single number."""
        return f" at {self.name}[{', '.join(map(str, index))}]" if index else ""


def _unequal(got: np.ndarray | None, want: np.ndarray | None) -> tuple[int, ...] | None:
    """Return the index of the first element in which two gradients differ, or None if there is none."""
    if got is None or want is None or got.shape != want.shape:
        return None if got is want else ()
    return _first(~np.isclose(got, want, rtol=AGREE, atol=0, equal_nan=True))


def _wrong(got: np.ndarray | None, exact: np.ndarray | None, judge: MeasuredSlopes) -> tuple[int, ...] | None:
    """Return the index of the first wrong element, or None if there is none. A missing gradient counts as 0.

    exact : the gradient in float64, which must agree with the slope within its uncertainty, except at a kink.
    """
    got = np.zeros(judge.value.shape) if got is None else got
    if got.shape != judge.value.shape:
        return ()
    size = np.maximum(np.abs(judge.low), np.abs(judge.high))
    slack = AGREE * size + judge.error + judge.rounding
    wrong = ~((got >= judge.low - slack) & (got <= judge.high + slack))
    if exact is not None and exact.shape == got.shape:
        off = np.abs(exact - judge.value) > SHARP * size + judge.error + LEAST
        wrong |= off & np.isfinite(exact) & (judge.low == judge.high)
    return _first(wrong)


def _first(marked: Any) -> tuple[int, ...] | None:
    marked = np.asarray(marked)
    return tuple(int(k) for k in np.argwhere(marked)[0]) if marked.any() else None


def _beyond(crossed: Crossing) -> tuple[str, str]:
    """Write a gradient's slope along a direction, and the range of right slopes, so that they differ as text."""
    for digits in (4, 6, 9, 17):
        got, low, high = (short(number(np.asarray(y)), digits) for y in (crossed.got, crossed.low, crossed.high))
        if got not in (low, high):
            break
    return got, _range(low, high)


def _range(low: str, high: str) -> str:
    """Write two numbers as a range, or only once if they are equal as text."""
    return low if low == high else f"{low} to {high}"


def told_apart(got: np.ndarray | None, want: MeasuredSlopes | np.ndarray, index: tuple[int, ...]) -> tuple[str, str]:
    """Write two numbers in the fewest digits that distinguish them; at a kink, the second is a range."""
    if isinstance(want, MeasuredSlopes):
        low, high, want = want.low[index], want.high[index], want.value
        if low.ndim == 0 and low < high:
            ends = _range(short(number(low)), short(number(high)))
            return "none" if got is None else short(number(got[index])), ends
    if got is None:
        return "none", short(number(want))
    a, b = number(got[index]), number(want[index])
    return next(((x, y) for n in (4, 6, 9, 17) if (x := short(a, n)) != (y := short(b, n))), (short(a), short(b)))
