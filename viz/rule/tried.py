"""Try a rule in Python: minigrad computes the same samples as static/yourrule.js in a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor
from minigrad.diagnostics.finite_differences import Inputs
from minigrad.tracing.numbers import short
from minigrad.tracing.trace_fields import number

from ..drag.lowering import UFUNCS
from ..drag.page_tape import TYPES
from ..model.measured_call import MeasuredCall, Seed, weights
from ..model.tolerance import ROOM, right_slopes, word_of
from .explained import doubt, misfit, reason
from .grammar import Rule
from .measured import measured
from .python_rules import OpsRule, OwnRule
from .rule_verdict import NARROWED, SAMPLES, judged, moved, narrowed, outside, placed, span

#: Name on a tape -> NumPy's function.
CALLS: dict[str, Any] = {name: ufunc for ufunc, name in UFUNCS.items()} | {"pows": np.power, "where": np.where}
DTYPES = {letter: dtype for dtype, letter in TYPES.items()}


AnyRule = Rule | OpsRule | OwnRule
FEW = 64  #: maximum number of elements of an array at which a rule is tried
ROUNDED = 2.0**-26  #: how much less rounding changes a number in float64 than in float32, with some room


def places(low: float, high: float) -> list[float]:
    """Return the inputs of the samples along a range."""
    return [low + (high - low) * k / (SAMPLES - 1) for k in range(SAMPLES)]


class Tried:
    """Try the rules of a function, one text per float input, at the current inputs and along a range of one entry.

    f : the function with its derived gradient. arguments : Tensors, by name. opening : the result of `opening`.
    own_rule : the function's own rule, used for an empty text, or None. constants : numbers that a rule may name.
    """

    def __init__(
        self, f: Callable[..., Any], arguments: Mapping[str, Any], opening: Mapping[str, Any],
        own_rule: OwnRule | None = None, constants: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.texts = {key: text for key, text in opening["inputs"] if text is not None}
        self.own_rule, self.constants = own_rule, constants or {}
        self.call = MeasuredCall(f, arguments)
        self.ruled = [*self.texts]
        tensors = {k: x for k, x in arguments.items() if isinstance(x, Tensor) and x.dtype.kind == "f"}
        self.names, self.dtypes = [*tensors], [x.dtype for x in tensors.values()]
        self.inputs = Inputs(self.names, [np.array(x.value, np.float64) for x in tensors.values()], [])
        self.ys = self.call.outputs(self.tensors(self.inputs.values))
        self.results, self.upstreams = zip(*(row[:2] for row in opening["results"]))
        self.names_known: dict[str, Any] = {}
        shaped = [*zip(self.names, tensors.values()), *zip(self.upstreams, self.ys), *zip(self.results, self.ys)]
        for cell, (name, x) in enumerate(shaped):
            if name in (*self.ruled, *self.upstreams, *self.results):
                self.names_known[name] = {"cell": cell, "type": TYPES[x.dtype], "shape": [*x.shape]}
        self.names_known |= {name: {"text": text} for name, text in opening["locals"].items()}
        self.start, self.replaced = len(shaped), opening.get("replaced", False)
        alone = [tuple(float(i == k) for i in range(len(self.ys))) for k in range(len(self.ys))]
        self.seeds: list[Seed] = [1.0, *(alone if len(self.ys) > 1 else (2.0, -1.0))]
        self.slope, self.numbers_at = cache(self.slope), cache(self.numbers_at)  # type: ignore[method-assign]
        self.values_at = cache(self.values_at)  # type: ignore[method-assign]

    def rules(self, texts: Mapping[str, str]) -> dict[int, AnyRule]:
        """Parse the rules, and return them by the index of the input. Raises ValueError for the first error."""
        return {self.names.index(name): self.rule(name, texts[name]) for name in self.ruled}

    def rule(self, name: str, text: str) -> AnyRule:
        """Parse the rule for one input: in the language of the field or, if that fails, with minigrad's ops."""
        if self.own_rule and not text.strip():
            return self.own_rule
        rule, i = Rule(text, self.names_known, self.start), self.names.index(name)
        words = rule.error or misfit(rule, name, [*self.inputs.values[i].shape])
        if not words:
            return rule
        names = [key for key, entry in self.names_known.items() if "cell" in entry]
        steps = {key: entry["text"] for key, entry in self.names_known.items() if "text" in entry}
        x = float(self.inputs.values[i].flat[0])
        try:
            ops = OpsRule(text, names, self.constants, steps)
            with np.errstate(all="ignore"):
                value = self.computed(ops, i, (0,) * self.inputs.values[i].ndim, x, 1.0, False, 0)
            if np.shape(value) == self.inputs.values[i].shape and value.dtype.kind in "fi":
                return ops
        except ValueError:
            pass
        except Exception as error:  # an op refuses its arguments
            words = f"{error}"
        at = f" at character {rule.at + 1}" if rule.error == words else ""
        raise ValueError(f"the rule for {name} cannot be read{at}: {words}")

    def computed(
        self, rule: OpsRule | OwnRule, i: int, index: tuple[int, ...], x: float, seed: Seed, wide: bool, place: int
    ) -> np.ndarray:
        """Return the value of a rule that is not in the field's language, for the value `x` of an element."""
        if isinstance(rule, OwnRule):
            values = self.at(i, index, x, place)
            return np.asarray(rule.gradient(values, i, seed, [np.float64] * len(values) if wide else self.dtypes))
        numbers = self.numbers_at(i, index, x, seed, wide, place)
        return np.asarray(rule.value(dict(zip([*self.names, *self.upstreams, *self.results], numbers))))

    def verdict(self, texts: Mapping[str, str], name: str = "", index: tuple[int, ...] = ()) -> dict[str, str]:
        """Return the verdict of rules as `kind` and `words`, sampled along the entry `index` of the input `name`."""
        rules, i = self.rules(texts), self.names.index(name or self.ruled[0])
        index = index or (0,) * self.inputs.values[i].ndim
        x = self.inputs.values[i][index]
        with np.errstate(all="ignore"):
            low, high = self.span(i, index, float(x))
            rows = [self.row(rules[i], i, index, place) for place in places(low, high)]
            far = [self.row(rules[i], i, index, place) for place in outside(low, high)]
            far = [row | {"place": f"{self.entry(i, index)} = {short(row['x'])}"} for row in far]
            away, seeded_away = self.elsewhere(rules)
            here = self.row(rules[i], i, index, x)
            others = []
            for j, other in self.judged_entries(rules):
                if (j, other) != (i, index):
                    at, rule = self.inputs.values[j][other], rules[j]
                    row = self.row(rule, j, other, at) | {"name": self.entry(j, other)}
                    others.append(row | {"seeds": self.seeded(rule, j, other, float(at))})
            tried = self.seeded(rules[i], i, index, float(x), places(low, high))
            words = judged(
                self.entry(i, index), here, rows,
                {
                    "far": [*far, *away], "away": seeded_away,
                    "value": self.bad_value(), "derived": here["derived"], "seeds": tried, "others": others,
                    "transposed": self.transposed(rules[i], i), "array": self.names[i], "alone": not others,
                    "why": lambda row: self.why(rules[i], i, index, row["x"]),
                },
            )  # fmt: skip
        return dict(words)

    def span(self, i: int, index: tuple[int, ...], x: float) -> list[float]:
        """Return the range of the samples for element `index` of input `i`, whose value is `x`."""
        low, high = span(x, TYPES[self.dtypes[i]])
        has_value = partial(self.has_value, i, index)
        if has_value(x):
            for _ in range(NARROWED):
                low, high = narrowed(low, high, x, [*filter(has_value, places(low, high))])
        return [low, high]

    def has_value(self, i: int, index: tuple[int, ...], x: float) -> bool:
        x = float(np.asarray(x, self.dtypes[i]))
        return bool(np.isfinite(self.call.value(self.inputs.at(self.at(i, index, x)), 1.0)))

    def judged_entries(self, rules: Mapping[int, AnyRule]) -> list[tuple[int, tuple[int, ...]]]:
        """Return the entries (input, element) for the samples: all, or of a large array those most off."""
        entries: list[tuple[int, tuple[int, ...]]] = []
        for i, rule in rules.items():
            every = [*np.ndindex(*self.inputs.values[i].shape)]
            if len(every) > FEW:
                first = every[0]
                whole = self.whole(rule, i, first, float(self.inputs.values[i][first]))
                exact = self.call.gradient(self.inputs.at(self.inputs.values), i, 1.0)
                off = np.abs(whole - (0.0 if exact is None else np.ravel(exact)))
                worst = np.argsort(np.where(np.isnan(off), np.inf, off), kind="stable")[::-1][: FEW // 2]
                spread = range(0, len(every), -(-len(every) // (FEW // 2)))
                every = [every[k] for k in sorted({*map(int, worst), *spread})]
            entries += [(i, index) for index in every]
        return entries

    def whole(self, rule: AnyRule, i: int, index: tuple[int, ...], x: float) -> np.ndarray:
        """Return the whole gradient of input `i` that a rule gives in the function's dtype, flattened."""
        value = self.computed_cells(rule, i, index, x, 1.0, False, 0)[0]
        return np.broadcast_to(np.ravel(value), self.inputs.values[i].size)

    def why(self, rule: AnyRule, i: int, index: tuple[int, ...], x: float) -> str:
        """Return which operation of a rule makes a nan, or "" if that is not known."""
        return reason(rule, self.cells(rule, i, index, x), self.flat(i, index)) if isinstance(rule, Rule) else ""

    def computed_cells(
        self, rule: AnyRule, i: int, index: tuple[int, ...], x: float, seed: Seed, wide: bool, place: int
    ) -> list[Any]:
        """Return the flat value of a rule and, in the field's language, the values of all cells."""
        if isinstance(rule, Rule):
            cells = self.cells(rule, i, index, x, seed, wide, place)
            return [cells[rule.value["cell"]], *cells]
        return [np.ravel(self.computed(rule, i, index, x, seed, wide, place))]

    def seeded(
        self, rule: AnyRule, i: int, index: tuple[int, ...], x: float, places: Sequence[float] = ()
    ) -> list[dict[str, Any]]:
        """Return samples for upstream gradients other than 1, at element `index` of input `i`: at `x`, and at `places`.

        With one result, the upstream gradients are 2 and -1. With several, one result at a time has an upstream
        gradient of 1, and all others have 0. In each sample, "forgets" is the name of its upstream gradient if the rule
        does not use it, else "".
        """
        at = (x, *places[:: SAMPLES // 4])
        return [self.other(rule, i, index, v, seed) for v in at for seed in range(1, len(self.seeds))]

    def elsewhere(self, rules: Mapping[int, AnyRule]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return samples at two places where all inputs have other values, for the first and last element of each.

        Those for other upstream gradients are a second list; it leaves out elements whose rule is wrong anyway.
        """
        rows, seeded = [], []
        for place in (1, 2):
            values = self.values_at(place)
            for i, rule in rules.items():
                every = [*np.ndindex(*values[i].shape)]
                for index in dict.fromkeys((every[0], every[-1])):
                    x = float(values[i][index])
                    rows.append(self.other(rule, i, index, x, 0, place))
                    if word_of(rows[-1]) not in ("nan", "inf", "wrong"):
                        seeded += [self.other(rule, i, index, x, k, place) for k in range(1, len(self.seeds))]
        return rows, seeded

    def other(
        self, rule: AnyRule, i: int, index: tuple[int, ...], x: float, seed: int, place: int = 0
    ) -> dict[str, Any]:
        """Return a sample with the upstream gradients `self.seeds[seed]`, and its place in words."""
        row, values = self.row(rule, i, index, x, self.seeds[seed], place), self.at(i, index, x, place)
        names = [self.entry(j, k) for j, value in enumerate(values) for k in np.ndindex(*np.shape(value))]
        flat = [float(v) for value in values for v in np.ravel(value)]
        position = names.index(self.entry(i, index))
        unused = ["" if rule.used is None or name in rule.used else name for name in self.upstreams]
        where = placed(names, flat, position) if place else f"{names[position]} = {short(row['x'])}"
        forgets = unused[seed - 1 if len(self.ys) > 1 else 0] if seed else ""
        return row | {"name": names[position], "place": where, "forgets": forgets}

    def values_at(self, place: int) -> list[Any]:
        """Return the values of the inputs at a place where all differ from the present ones, or these for place 0."""
        if not place:
            return self.inputs.values
        start, values = 0, []
        for value, dtype in zip(self.inputs.values, self.dtypes):
            flat = [moved(float(v), start + k, place) for k, v in enumerate(np.ravel(value))]
            start += len(flat)
            values.append(np.reshape(np.array(flat, dtype).astype(np.float64), np.shape(value)))
        return values

    def told(self, seed: Seed) -> str:
        """Return a phrase about the upstream gradients that `seed` stands for, such as "an upstream gradient of 2"."""
        words = [short(number(w)) for w in weights(self.ys, seed)]
        if len(words) == 1:
            return f"an upstream gradient of {words[0]}"
        each = [f"{word} for {name}" for word, name in zip(words, self.results)]
        return f"upstream gradients of {', '.join(each[:-1])} and {each[-1]}"

    def row(
        self, rule: AnyRule, i: int, index: tuple[int, ...], x: Any, seed: Seed = 1.0, place: int = 0
    ) -> dict[str, Any]:
        """Return the sample, described in `rule_verdict`, for the value `x` of element `index` of input `i`."""
        x, k = float(np.asarray(x, self.dtypes[i])), self.flat(i, index)
        narrow, wide = (self.computed_cells(rule, i, index, x, seed, double, place) for double in (False, True))
        mine, exact = (cells[0][k if len(cells[0]) > 1 else 0] for cells in (narrow, wide))
        unsure = ROUNDED * abs(float(mine) - float(exact))
        over = any(np.isinf(a).any() and not np.isinf(b).any() for a, b in zip(narrow, wide))
        return {
            **self.slope(i, index, x, seed, place), "over": over,
            "mine": float(mine.astype(self.dtypes[i])), "wide": float(exact),
            "doubt": doubt(rule, wide[1:], k, float(np.finfo(np.float64).eps))
            if isinstance(rule, Rule) else unsure if unsure < np.inf else 0.0,
        }  # fmt: skip

    def slope(self, i: int, index: tuple[int, ...], x: float, seed: Seed, place: int = 0) -> dict[str, Any]:
        """Return the fields of a sample that do not depend on the rule: measured slopes and derived gradients."""
        values, unit = self.at(i, index, x, place), max(1.0, abs(x))
        derived, exact = (self.call.gradient(xs, i, seed) for xs in (self.tensors(values), self.inputs.at(values)))
        of = 0.0 if exact is None else float(exact[index])

        def along(t: float) -> float:
            return float(self.call.value(self.inputs.at(self.at(i, index, x + t, place)), seed))

        seen, (room, least) = measured(along, unit, abs(of)), ROOM[TYPES[self.dtypes[i]]]
        bent = seen["low"] < seen["high"]
        return {
            **seen, "x": x, "exact": of, "derived": 0.0 if derived is None else float(derived[index]),
            "bend": along(1e-4 * unit) + along(-1e-4 * unit) - 2 * along(0.0) if bent else 0.0,
            "room": room, "least": least, "replaced": self.replaced, "seed": self.told(seed),
        }  # fmt: skip

    def numbers_at(self, i: int, index: tuple[int, ...], x: float, seed: Seed, wide: bool, place: int = 0) -> list[Any]:
        """Return the values of all names in a rule: inputs, upstream gradients and results.

        Element `index` of input `i` is replaced with `x`. wide : whether to compute in float64.
        """
        values = self.at(i, index, x, place)
        xs = self.inputs.at(values) if wide else self.tensors(values)
        ys = self.call.outputs(xs)
        arrives = [w.astype(y.dtype) for y, w in zip(ys, weights(ys, seed))]
        return [*(t.value for t in xs), *arrives, *(y.value for y in ys)]

    def cells(
        self, rule: Rule, i: int, index: tuple[int, ...], x: float, seed: Seed = 1.0, wide: bool = False, place: int = 0
    ) -> list[Any]:
        """Run the instructions of a rule; return the values of `numbers_at`, then the result of each instruction."""
        cells = [*self.numbers_at(i, index, x, seed, wide, place)]
        for name, *args in rule.rows:
            if name == "is":
                cells.append(np.asarray(args[1][0], np.float64 if wide else DTYPES[args[0]]))
            elif name == "as":
                cells.append(np.asarray(cells[args[1]]).astype(np.float64 if wide else DTYPES[args[0]]))
            else:
                cells.append(CALLS[name](*(cells[c] for c in args)))
        return [np.ravel(cell) for cell in cells]

    def transposed(self, rule: AnyRule, i: int) -> bool:
        """Return whether input `i` is a square matrix and the rule is right, but for its transpose."""
        value = self.inputs.values[i]
        if value.ndim != 2 or value.shape[0] != value.shape[1]:
            return False
        every = [index for j, index in self.judged_entries({i: rule})]
        rows = [self.row(rule, i, index, value[index]) for index in every]
        whole = np.reshape(self.whole(rule, i, (0, 0), float(value[0, 0])), value.shape).astype(self.dtypes[i])
        mine = [float(whole[index[::-1]]) for index in every]
        turned = [row | {"mine": v, "wide": v} for row, v in zip(rows, mine)]
        if any(right_slopes(row) is None for row in rows):
            return False
        return any(word_of(row) == "wrong" for row in rows) and all(
            word_of(row) in ("", "rounded", "blurred") for row in turned
        )

    def bad_value(self) -> str:
        values = np.concatenate([np.ravel(y.value) for y in self.ys])
        bad = [*values[np.isnan(values)], *values[np.isinf(values)]]
        return short(float(bad[0])) if bad else ""

    def at(self, i: int, index: tuple[int, ...], x: float, place: int = 0) -> list[Any]:
        values = [np.array(value) for value in self.values_at(place)]
        values[i][index] = x
        return [value[()] for value in values]

    def tensors(self, values: list[Any]) -> list[Tensor]:
        return self.inputs.at([np.asarray(v).astype(d)[()] for v, d in zip(values, self.dtypes)])

    def flat(self, i: int, index: tuple[int, ...]) -> int:
        return int(np.ravel_multi_index(index, self.inputs.values[i].shape)) if index else 0

    def entry(self, i: int, index: tuple[int, ...]) -> str:
        return self.names[i] + (f"[{', '.join(map(str, index))}]" if index else "")
