"""A rule tried in Python: the samples that static/yourrule.js takes on a page, taken with minigrad itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor
from minigrad.diagnostics.finite_differences import Inputs
from minigrad.tracing.numbers import short
from minigrad.tracing.trace_fields import number

from ..drag.functions import UFUNCS
from ..drag.tape import TYPES
from ..model.measured_call import MeasuredCall, seeds
from .explained import doubt, misfit, reason
from .grammar import Rule
from .judge import ROOM, SAMPLES, judged, known, span, word_of
from .measured import measured

#: NumPy's functions by their names on a tape.
CALLS = {name: ufunc for ufunc, name in UFUNCS.items()} | {"pows": np.power, "where": np.where}
DTYPES = {letter: dtype for dtype, letter in TYPES.items()}


class Tried:
    """The rules of a function, a text for each input of floats, tried at its inputs and along a range of one entry.

    f : the function with its derived gradient. arguments : by name, Tensors. opening : what `opening` returned.
    """

    def __init__(self, f: Callable[..., Any], arguments: Mapping[str, Any], opening: Mapping[str, Any]) -> None:
        self.call = MeasuredCall(f, arguments)
        tensors = {k: x for k, x in arguments.items() if isinstance(x, Tensor) and x.dtype.kind == "f"}
        self.names, self.dtypes = [*tensors], [x.dtype for x in tensors.values()]
        self.inputs = Inputs(self.names, [np.array(x.value, np.float64) for x in tensors.values()], [])
        (self.y,) = self.call.outputs(self.tensors(self.inputs.values))
        self.opening = opening
        self.names_known: dict[str, Any] = {}
        shaped = [*zip(self.names, tensors.values()), ("upstream", self.y), (opening["output"], self.y)]
        for cell, (name, x) in enumerate(shaped):
            self.names_known[name] = {"cell": cell, "type": TYPES[x.dtype], "shape": [*x.shape]}
        self.names_known |= {name: {"text": text} for name, text in opening["locals"].items()}
        self.start = len(shaped)

    def rules(self, texts: Mapping[str, str]) -> list[Rule]:
        """The rules that were read; raises ValueError with the first refusal."""
        found = [Rule(texts[name], self.names_known, self.start) for name in self.names]
        for name, rule, value in zip(self.names, found, self.inputs.values):
            words = rule.error or misfit(rule, name, [*value.shape])
            if words:
                at = f" at character {rule.at + 1}" if rule.error else ""
                raise ValueError(f"the rule for {name} cannot be read{at}: {words}")
        return found

    def verdict(self, texts: Mapping[str, str], name: str = "", index: tuple[int, ...] = ()) -> dict[str, str]:
        """The verdict of rules as `kind` and `words`; samples are along the entry `index` of the input `name`."""
        rules, i = self.rules(texts), self.names.index(name) if name else 0
        index = index or (0,) * self.inputs.values[i].ndim
        x = self.inputs.values[i][index]
        low, high = span(float(x))
        places = [low + (high - low) * k / (SAMPLES - 1) for k in range(SAMPLES)]
        with np.errstate(all="ignore"):
            rows = [self.row(rules[i], i, index, place) for place in places]
            here = self.row(rules[i], i, index, x)
            others = []
            for j, value in enumerate(self.inputs.values):
                for other in np.ndindex(*value.shape):
                    if (j, other) != (i, index):
                        others.append(self.row(rules[j], j, other, value[other]) | {"name": self.entry(j, other)})
            tried = [self.row(rules[i], i, index, x, seed) for seed in (2.0, -1.0)]
            words = judged(
                self.entry(i, index), here, rows,
                {
                    "value": self.bad_value(), "derived": here["derived"], "forgets": "upstream" not in rules[i].used,
                    "seeds": tried, "others": others, "transposed": self.transposed(rules[i], i),
                    "array": self.names[i], "alone": not others,
                    "why": lambda row: reason(rules[i], self.cells(rules[i], i, index, row["x"]), self.flat(i, index)),
                },
            )  # fmt: skip
        return dict(words)

    def row(self, rule: Rule, i: int, index: tuple[int, ...], x: Any, seed: float = 1.0) -> dict[str, Any]:
        """A sample: see `judge`."""
        x = float(np.asarray(x, self.dtypes[i]))
        values = self.at(i, index, x)
        derived = self.call.gradient(self.tensors(values), i, seed)
        exact = self.call.gradient(self.inputs.at(values), i, seed)
        of = 0.0 if exact is None else float(exact[index])
        unit = max(1.0, abs(x))

        def along(t: float) -> float:
            return float(self.call.value(self.inputs.at(self.at(i, index, x + t)), seed))

        found = measured(along, unit, abs(of))
        bend = float(along(1e-4 * unit) + along(-1e-4 * unit) - 2 * along(0.0)) if found["low"] < found["high"] else 0.0
        wide_cells, (room, least) = self.cells(rule, i, index, x, seed, True), ROOM[TYPES[self.dtypes[i]]]
        return {
            **found, "x": x, "bend": bend, "exact": of, "room": room, "least": least,
            "mine": self.entry_of(rule, self.cells(rule, i, index, x, seed), i, index),
            "wide": self.entry_of(rule, wide_cells, i, index),
            "doubt": doubt(rule, wide_cells, self.flat(i, index), float(np.finfo(np.float64).eps)),
            "seed": short(number(seeds(self.y, seed))),
            "derived": 0.0 if derived is None else float(derived[index]),
        }  # fmt: skip

    def cells(
        self, rule: Rule, i: int, index: tuple[int, ...], x: float, seed: float = 1.0, wide: bool = False
    ) -> list[Any]:
        """What a tape would hold at an input: the numbers with names, then each instruction of the rule."""
        values = self.at(i, index, x)
        xs = self.inputs.at(values) if wide else self.tensors(values)
        (y,) = self.call.outputs(xs)
        cells = [*(t.value for t in xs), seeds(y, seed).astype(y.dtype), y.value]
        for name, *args in rule.rows:
            if name == "is":
                cells.append(np.asarray(args[1][0], np.float64 if wide else DTYPES[args[0]]))
            elif name == "as":
                cells.append(np.asarray(cells[args[1]]).astype(np.float64 if wide else DTYPES[args[0]]))
            else:
                cells.append(CALLS[name](*(cells[c] for c in args)))
        return [np.ravel(cell) for cell in cells]

    def entry_of(self, rule: Rule, cells: list[Any], i: int, index: tuple[int, ...]) -> float:
        cell = cells[rule.value["cell"]]
        return float(
            cell.astype(self.dtypes[i])[self.flat(i, index)] if cell.dtype.itemsize < 8 else cell[self.flat(i, index)]
        )

    def transposed(self, rule: Rule, i: int) -> bool:
        """Whether the rule gives the gradient of a square array with rows and columns exchanged."""
        value = self.inputs.values[i]
        if value.ndim != 2 or value.shape[0] != value.shape[1]:
            return False
        rows = [self.row(rule, i, index, value[index]) for index in np.ndindex(*value.shape)]
        mine = np.reshape([row["mine"] for row in rows], value.shape).T.ravel()
        turned = [row | {"mine": v, "wide": v} for row, v in zip(rows, mine)]
        if any(known(row) is None for row in rows):
            return False
        return any(word_of(row) == "wrong" for row in rows) and all(word_of(row) in ("", "rounded") for row in turned)

    def bad_value(self) -> str:
        values = np.ravel(self.y.value)
        bad = [*values[np.isnan(values)], *values[np.isinf(values)]]
        return short(float(bad[0])) if bad else ""

    def at(self, i: int, index: tuple[int, ...], x: float) -> list[Any]:
        values = [np.array(value) for value in self.inputs.values]
        values[i][index] = x
        return [value[()] for value in values]

    def tensors(self, values: list[Any]) -> list[Tensor]:
        return self.inputs.at([np.asarray(v).astype(d)[()] for v, d in zip(values, self.dtypes)])

    def flat(self, i: int, index: tuple[int, ...]) -> int:
        return int(np.ravel_multi_index(index, self.inputs.values[i].shape)) if index else 0

    def entry(self, i: int, index: tuple[int, ...]) -> str:
        return self.names[i] + (f"[{', '.join(map(str, index))}]" if index else "")
