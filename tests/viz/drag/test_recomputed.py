"""For other inputs, the page says what Python says: rows, sentences, values, slopes, letter by letter.

Where a nan or inf first appears, the page shows the factors, Python the cause.
"""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad.core.tensor import next_serial
from minigrad.tracing.numbers import full, short
from minigrad.tracing.recorder import backward_trace
from minigrad.tracing.trace_fields import number
from minigrad.tracing.trace_schema import Summary
from tests.helpers.node import TAPE, run_js, words
from tests.helpers.random_programs import programs
from viz.drag.followed_page import draggable, telling
from viz.drag.replayed import CalledWith
from viz.hosts.html import lane_data
from viz.views.backward import view_of

FILES = ("cells", "moments", *TAPE, "numbers", "recomputed")
RETELL = """
return data.map(({ lane, setting }) => {
  lane.pass = lane.stops.map((s) => expand(lane, s));
  const t = tape(lane.drag.code);
  for (const [cell, values] of Object.entries(setting)) t.cells[cell].set(values.map(numeric));
  t.run();
  const told = recomputed(lane, t);
  return {
    stops: told.stops.map((s) => [...s.slice(0, 8), s[8], s[9] || "", s[10] || []]), seeds: told.seeds,
    values: [...told.values].map(([n, v]) => [n, short(v), full(v), spoken(v)]),
    local: Object.keys(lane.cards).map((n) => [n, told.slopes(+n)]),
  };
});
"""
EXPAND = "return data.map((lane) => lane.stops.map((s) => expand(lane, s)));"


def lane_of(f, values, call=True):
    """The lane of a view as plain data, with what a page needs to follow it; and the trace."""
    xs = {name: mg.constant(v) for name, v in zip("xwabc", values)}
    since = next_serial()
    y = f(*xs.values()).read_value()
    trace = backward_trace(y, names=xs)
    view = view_of(trace, fold="none")
    (lane,) = view._lanes
    data = lane_data(lane)
    found = draggable(y, trace, CalledWith(lambda **given: f(*given.values()), xs, since) if call else None)
    found |= telling(lane.findings, data["cards"])
    return {**data, "drag": found}, trace


def told_by_both(f, points):
    """The page's words at each point after the first, where it was recorded; and Python's words."""
    lane, trace = lane_of(f, points[0])
    requests, expected = [], []
    for values in points:
        named = dict(zip("xwabc", values))
        setting = {cell: words(named[trace.nodes[node].name]) for node, cell in lane["drag"]["inputs"]}
        requests.append({"lane": lane, "setting": setting})
        expected.append(lane_of(f, values, call=False))
    rows = run_js(("moments",), EXPAND, [data for data, _ in expected])
    return zip(run_js(FILES, RETELL, requests), rows, expected)


NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
BORN = re.compile(r" ((?:nan|inf) (?:first|also)) appears here")  #: the page shows the factors, Python the cause
ZEROS = " Only zeros go on from here."  #: where a sum cancels, a last digit decides whether it is 0


def same(got, want, close):
    """Equal words, and numbers that differ in a last digit at most."""
    if got == want:
        return True
    if NUMBER.sub("#", got) != NUMBER.sub("#", want):
        return False
    pairs = zip(map(float, NUMBER.findall(got)), map(float, NUMBER.findall(want)))
    return all(math.isclose(a, b, rel_tol=close, abs_tol=1e-6) for a, b in pairs)


def check(f, points, close=2e-3, cancels=False):
    """Return the number of rows, and the number of those that are equal letter by letter."""
    end = ZEROS if cancels else ""
    total = equal = 0
    for told, rows, (lane, trace) in told_by_both(f, points):
        for got, want in zip(told["stops"], rows, strict=True):
            assert (got[:4], got[7]) == (want[:4], want[7]), (got, want)
            (said, *born), (expected, *cause) = (re.split(BORN, words) for words in (got[8], want[8]))
            assert born[:1] == cause[:1]
            for a, b in zip([*got[4:7], said], [*want[4:7], expected]):
                assert same(a.removesuffix(end), b.removesuffix(end), close), (a, b)
            assert [len(shades) for shades in got[9:]] == [len(shades) for shades in ([*want[9:], "", ""])[:2]]
            total, equal = total + 1, equal + (said == expected)
        for node, brief, whole, _ in told["values"]:
            value = trace.nodes[node].value
            assert same(brief, short(value), close) and same(whole, full(value), close), (brief, whole, value)
        local = {node: slopes for node, slopes in told["local"]}
        for node, card in lane["cards"].items():
            for a, b in zip(local[str(node)], card.get("local", []), strict=True):
                assert same(a, b, close), (a, b)
        assert [s[:2] for s in told["seeds"]] == [s[:2] for s in lane["seeds"]]
        assert all(same(a[2], b[2], close) for a, b in zip(told["seeds"], lane["seeds"]))
    return total, equal


F = np.float32


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))

    return mg.log(1 + e), grad


@mg.custom_gradient
def broken(x, w):
    return x * w, lambda dy: (dy * w / 0.0, dy * x)


#: Programs with a point at which they are recorded and others, so that each kind of nan, and each sentence, is told.
CASES = {
    "custom": (lambda x: log1pexp(x * 2.0), [[F(40)], [F(1)], [F(44.4)], [F(-50)], [np.nan], [F(np.inf)]]),
    "broken rule": (lambda x, w: broken(x, w) + x, [[F(1), F(2)], [F(0), F(0)], [F(3), F(np.inf)]]),
    "0 * inf": (lambda x: mg.log(1 + mg.exp(x)), [[F(1)], [F(100)], [F(-200)], [np.nan], [F(89)]]),
    "masked": (lambda x: mg.where(x > 0, mg.log(x), 0.0), [[F(2)], [F(0)], [F(-1)]]),
    "sqrt": (lambda x: mg.sqrt(x) * mg.sqrt(x - 1), [[F(2)], [F(1)], [F(0)], [F(0.5)]]),
    "0 / 0": (lambda x, w: x / w, [[F(1), F(2)], [F(0), F(0)], [F(1), F(0)], [F(-1), F(0)]]),
    "overflow": (lambda x: mg.exp(x) * mg.exp(x) - mg.exp(x), [[F(1)], [F(60)], [F(88.73)], [F(-88)]]),
    "inf - inf": (lambda x: mg.exp(x) / x - mg.exp(x) * x, [[F(1)], [F(87)], [F(100)]]),
    "sum too large": (lambda x: x * 3e38 + x * 3e38 - x * 1.0, [[F(1)], [F(2)], [F(0)]]),
    "below": (lambda x: -mg.exp(x) * 2.0, [[F(1)], [F(88.7)], [F(89)]]),
    "added up": (
        lambda x, w, a: mg.sum(mg.tanh(x @ w + a) ** 2),
        [[np.arange(6, dtype=F).reshape(2, 3) / s, np.ones((3, 2), F) * s, np.array([0, s], F)] for s in (7, 1, 80)],
    ),
    "nan in an array": (
        lambda x, w: mg.sum(mg.log(x) * w),
        [[np.array(v, F), np.ones(3, F)] for v in ([1, 2, 3], [0, 1, 2], [-1, 2, 0], [np.inf, np.nan, 1])],
    ),
    "many": (lambda x: mg.mean(mg.exp(x) * x), [[np.linspace(a, b, 20)] for a, b in ((0, 1), (5, 800), (-3, 3))]),
    "outputs": (
        lambda x: mg.sum(mg.exp(mg.split(x, 2)[0]) + mg.split(x, 2)[1]) * mg.split(x * 2.0, 2)[0][1],
        [[np.array(v, F)] for v in ([1, 2, 3, 4], [0, 100, 0, -1], [np.inf, 0, 1, 2])],
    ),
    "an element far behind": (
        lambda x: mg.sum(mg.log(x) * x),
        [
            [np.where(np.arange(n) == k, v, 1.5)]
            for n, k, v in ((40, 0, 1.5), (40, 30, 0.0), (40, 39, -1.0), (40, 17, np.inf))
        ],
    ),
    "half": (lambda x: mg.exp(x) * x, [[np.float16(2)], [np.float16(10.5)], [np.float16(12)]]),
}


def test_every_sentence_of_the_page_is_that_of_python(subtests):
    for case, (f, points) in CASES.items():
        with subtests.test(case):
            total, equal = check(f, points)
            assert equal >= 0.9 * total > 0


#: By case and number of its point.
BIRTHS = {
    ("0 * inf", 1): ["nan first appears here: 0 · inf at exp."],
    ("masked", 1): ["nan first appears here: 0 · inf at log."],
    ("inf - inf", 2): [
        "inf first appears here: -1 · inf at multiply.", "inf also appears here: -100 · inf at exp#3.",
        "inf also appears here: 1 · -inf at divide.", "nan first appears here: -inf + inf at x.",
    ],
    ("overflow", 1): [f"inf {k} appears here: 1.142e26 · 1.142e26 at exp#{n}." for k, n in (("first", 2), ("also", 1))],
    ("0 / 0", 1): ["inf first appears here: 1 · inf at divide.", "nan first appears here: 1 · nan at divide."],
    ("broken rule", 1): ["nan first appears here: by the rule <lambda>."],
    ("nan in an array", 1): [
        "inf first appears here: 1 · -inf at multiply.", "inf also appears here: 1 · inf at log.",
    ],
}  # fmt: skip


def test_a_birth_is_told_by_its_factors_and_where_they_meet(subtests):
    for (case, k), sentences in BIRTHS.items():
        with subtests.test(case):
            f, points = CASES[case]
            lane, _ = lane_of(f, points[0])
            setting = {cell: words(v) for (_, cell), v in zip(lane["drag"]["inputs"], points[k])}
            (told,) = run_js(FILES, RETELL, [{"lane": lane, "setting": setting}])
            born = [row[8] for row in told["stops"] if row[7] & 8]
            assert [words[re.search(r" (first|also) appears", words).start() - 3 :] for words in born] == sentences


@settings(max_examples=8)
@given(programs(most=8), st.integers(0, 2**32 - 1), st.sampled_from(["float32", "float64"]))
def test_random_programs_are_told_alike(f, seed, dtype):
    rng = np.random.default_rng(seed)
    points = [[rng.normal(size=shape).astype(dtype) * scale for _ in range(2)] for shape in [()] for scale in (1, 1, 4)]
    check(f, points, cancels=True)


@settings(max_examples=10)
@given(st.lists(st.floats(width=32) | st.floats(), min_size=60, max_size=60), st.integers(1, 9))
def test_numbers_are_formatted_as_in_python(values, digits):
    values += [0.5, 2.5, 1234.5, 12345.0, 0.00012345, 99995.0, 1e22, 65504.0, -0.0, 0.125, 12.5, 1e-5]
    said = [word for word in words(np.array(values)) if not isinstance(word, float) or word]
    got = run_js(
        ("moments", "tape", "numbers"), "return data.map(([v, d]) => short(numeric(v), d))", [[v, digits] for v in said]
    )
    assert got == [short(v, digits) for v in said]


def test_arrays_are_told_as_in_python():
    rng = np.random.default_rng(0)
    arrays = [
        rng.normal(size=s).astype(t) * 10.0**k for s in (1, 4, 5, (2, 3), 20, 70) for t in ("f4", "f8") for k in (0, 6)
    ]
    arrays += [np.zeros(3), np.ones(9), np.array([np.nan, 1, 2]), np.array([np.inf, 1, 2, 3, 4]), np.full(5, np.nan)]
    arrays += [np.array([1e308, 1.5e308]), np.full(5, -1.5e308), np.full(6, np.float32(3e38))]
    data = [[words(a), "d" if a.dtype == float else "f", a.dtype.name, "×".join(map(str, a.shape))] for a in arrays]
    body = (
        "return data.map(([a, ...more]) => { const v = summary(a.map(numeric), ...more);"
        "return [short(v), full(v), v.sample]; })"
    )

    for (brief, whole, sample), a in zip(run_js(FILES, body, data), arrays):
        value = number(a)
        assert isinstance(value, Summary)
        assert brief == short(value) and same(whole, full(value), 2e-3)
        assert [float(v) for v in sample] == pytest.approx([float(v) for v in value.sample], nan_ok=True, rel=0)
        assert len(value.sample) == min(a.size, 64) and full(value).count(", …]") == (a.size > 8)
