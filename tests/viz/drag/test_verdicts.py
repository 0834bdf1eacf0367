"""For other inputs, the table of a comparison and the sentence above it say what Python says."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.numbers import short
from tests.helpers.node import TAPE, run_js, words

JUDGE = """
return data.map(({ lanes, labels, verdicts, setting, names }) => {
  const runs = lanes.map((lane) => tape(lane.drag.code));
  lanes.forEach((lane, i) => lane.drag.inputs.forEach(([node, cell]) => {
    runs[i].cells[cell].set(setting[lane.cards[node].name].map(numeric));
  }));
  runs.forEach((run) => run.run());
  const cell = (textContent) => ({ textContent, removeAttribute() {} });
  const rows = names.map((name) => ({ cells: [name, "", "", "", ""].map(cell) }));
  const numbersOf = () => JSON.stringify(runs.map((run) => run.cells.map((c) => [...c].map(String))));
  const before = numbersOf();
  const point = comparisonTable({ table: { querySelectorAll: () => rows }, labels, verdicts, lanes, runs })();
  if (numbersOf() !== before) throw new Error("the table changes the numbers of the picture");
  return [point, ...rows.map((row) => row.cells.map((cell) => cell.textContent))];
});
"""
FILES = ("scene", "elements", "cells", "moments", *TAPE, "numbers", "kinks", "measured", "compared", "comparison")


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


@mg.custom_gradient
def forgets(x):
    return mg.sin(x), lambda dy: mg.cos(x)


@mg.custom_gradient
def wrong(x):
    return mg.sum(x * x), lambda dy: dy * mg.where(x > 1, 2 * x, x)


POINTS = [-np.inf, -1e30, -200.0, -104.0, -88.0, -17.0, -1.0, -1e-3, -1e-8, -0.0, 0.0, 1e-8, 1e-3, 0.3, 1.0, 5.0, 17.0]
POINTS += [44.0, 80.0, 88.7, 89.0, 104.0, 200.0, 1e30, np.inf, np.nan]
CASES = {
    "custom": ((log1pexp,), [[np.float32(p)] for p in POINTS]),
    "seed": ((forgets,), [[np.float32(p)] for p in (0.0, 1.0, -3.0)]),
    "array": ((wrong,), [[np.array(v, np.float32)] for v in ([0.0, 2.0], [3.0, 2.0], [0.0, 0.0], [1.5, 1.5])]),
    "two functions": (
        (lambda x, w: mg.tanh(x * w), lambda x, w: mg.exp(x * w) - 1),
        [[np.float32(x), np.float32(w)] for x in (0.0, 1.0, 50.0) for w in (0.0, 2.0)],
    ),
}


@mg.custom_gradient
def tie(x):
    return mg.reduce_max(x), lambda dy: dy * np.array([1.0, 1.0])


@mg.custom_gradient
def half(x, y):
    return mg.sum(mg.maximum(x, y)), lambda dy: (0.3 * dy * mg.ones_like(x), 0.7 * dy * mg.ones_like(x))


CASES |= {
    "kinks": ((tie,), [[np.array(v, np.float32)] for v in ([1.0, 1.0], [1.0, 2.0], [3.0, 3.0])]),
    "kinks of two": (
        (half,),
        [
            [np.array(v, np.float32), np.array(w, np.float32)]
            for v in ([1.0, 2.0], [3.0, 3.0])
            for w in ([1.0, 2.0], [3.0, 0.0])
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_table_follows(case, sampled):
    functions, points = CASES[case]
    points = [points[0], *sampled(points[1:])]
    view = viz.compare(*functions, *points[0])
    data, _ = view.data()
    names = [row.argument for row in view.rows]
    requests = [
        {
            **{k: data[k] for k in ("lanes", "labels", "verdicts")},
            "names": names,
            "setting": dict(zip(names, map(words, point))),
        }
        for point in points
    ]
    for point, got in zip(points, run_js(FILES, JUDGE, requests)):
        fresh = viz.compare(*functions, *point)
        rows, (headline, *got) = fresh.rows, got
        assert blurred(headline) == blurred(fresh.point), point
        for cells, row in zip(got, rows, strict=True):
            want = [row.argument, *("none" if v is None else short(v) for v in (row.first, row.second, row.difference))]
            assert [blurred(c) for c in cells[1:4]] == [blurred(c) for c in want[1:]], (point, cells, want)
            assert blurred(cells[4]) == blurred(row.verdict), point


def blurred(text):
    """The text without the last digits, in which float32 and the measured slopes may differ."""
    return re.sub(r"-?\d+\.?\d*(?:e-?\d+)?", lambda m: f"{float(m[0]):.2g}" if abs(float(m[0])) > 1e-5 else "0", text)
