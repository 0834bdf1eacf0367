"""Numbers that agree in four digits and differ in the fifth: a sentence made from texts would say what is false."""

import math
import re
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import minigrad as mg
import viz
from minigrad.tracing.trace_fields import number
from minigrad.tracing.trace_schema import BackwardTrace, Node, Step
from tests.helpers.node import run_js
from viz.model.findings import Findings
from viz.model.timeline import timeline
from viz.scene.rates import added_up, rates
from viz.sentences.number_words import has, signed, size_of, told_apart, uniform

#: Numbers next to those where four digits, rounded again to three, give another third digit; and next to 1.
NEAR = st.one_of(
    st.builds(
        lambda digits, power, sign: sign * float(f"{digits}45e{power}"),
        st.integers(100, 999), st.integers(-6, -4), st.sampled_from([1.0, -1.0]),
    ),
    st.sampled_from([0.99996, 1.00004, -0.99996, 1.0, -1.0, 0.0]),
)  # fmt: skip


def written(x):
    """A number in three digits, in two with an exponent, from its exact decimal expansion."""
    if x == 0:
        return 0.0
    exact = Decimal(x)
    digits = 3 if 1e-3 <= abs(x) < 1e3 else 2 if not 1e-3 <= abs(x) < 1e5 else exact.adjusted() + 1
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() - digits + 1), ROUND_HALF_UP))


def says(text, x, error=0.0):
    """Whether a text is the rounded x, or a rounded number at most `error` from it: a tie may go either way."""
    return any(math.isclose(float(text), written(y), rel_tol=1e-12) for y in (x - error, x, x + error))


@settings(deadline=None, max_examples=40)
@given(st.lists(NEAR, min_size=2, max_size=3), st.sampled_from(["float32", "float64"]))
def test_how_fast_a_result_changes_is_the_gradient_rounded_once(factors, dtype):
    names = "abc"[: len(factors)]
    weights = [np.array(factor, dtype) for factor in factors]
    words = viz.backward(
        lambda **inputs: sum(w * x for w, x in zip(weights, inputs.values())),
        **{name: mg.constant(np.array(2.0, dtype)) for name in names},
    ).point
    clauses = r"(?:(grows|falls) |and |, )(?:([\d.e-]+) times |(about ))?as fast as (\w)"
    verb, seen = "", {}
    for own, times, about, name in re.findall(clauses, words):
        verb = own or verb
        seen[name] = (verb, times, about)
    for name, weight in zip(names, map(float, weights)):
        if weight == 0:
            assert name not in seen
            continue
        verb, times, about = seen[name]
        assert verb == ("grows" if weight > 0 else "falls")
        assert says(times, abs(weight)) if times else written(abs(weight)) == 1 and bool(about) == (abs(weight) != 1)


@settings(deadline=None, max_examples=40)
@example([1.0045, 1.0045, -1.4545])  # the exact sum 0.5545 is a tie of four digits
@given(st.lists(NEAR.filter(bool), min_size=2, max_size=5))
def test_the_parts_of_a_sum_and_the_sum_are_rounded_once(factors):
    words = viz.backward(lambda x: sum(np.array(factor) * x for factor in factors), x=np.array(1.0)).point
    found = re.search(r"gradient is a sum: (.+) ([=≈]) (\S+)\.$", words)
    if found is None:
        assert abs(sum(factors)) < 1e-12 or "fades" in words or "grows on" in words
        return
    terms = [term.replace(" ", "") for term in re.findall(r"(?:^-?|[+-] )[\d.e-]+", found[1])]
    assert len(terms) == len(factors) and all(map(says, terms, factors))
    assert says(found[3], math.fsum(factors), error=1e-15 * math.fsum(map(abs, factors)))
    if found[2] == "=":
        assert math.isclose(sum(map(float, terms)), float(found[3]), rel_tol=6e-3, abs_tol=1e-9)


def test_a_power_of_three_is_not_rounded_twice():
    def cubes(x):
        for _ in range(10):
            x = x * 3.0 + 0.0
        return x

    assert "19683" in viz.backward(cubes, x=0.5).point


@mg.custom_gradient
def shared(x):
    def grad(upstream, variables=None):
        return upstream * WEIGHT, [upstream * x]

    return x * WEIGHT, grad


WEIGHT = mg.Variable(2.0, name="w")


@pytest.mark.parametrize("other", [1.0, 0.99996, 1.0004, 1.01, 0.9])
def test_an_input_gets_most_only_if_it_does(other):
    words = viz.backward(shared, x=2 * other).point
    most = re.search(r"(\w) gets most, ", words)
    assert (most and most[1]) == {1.01: "w", 0.9: "x"}.get(other), words


@pytest.mark.parametrize("factor", [1.0, 1.00001, 1.01])
def test_two_values_are_the_same_only_if_they_are_equal(factor):
    words = viz.compare(lambda x: x * x, lambda x: x * x * np.array(factor), x=np.array(3.0)).point
    assert ("Same value" in words) == (factor == 1.0)
    assert ("Nearly the same value" in words) == (factor == 1.00001)


@pytest.mark.parametrize("seed", [1.0, 1.0004])
def test_a_gradient_starts_as_all_1_only_if_each_is_1(seed):
    g = number(np.full((6,), seed))
    trace = BackwardTrace(
        (Node(0, "leaf", "x", "leaf", g, (6,), "float64", g, output=True),), (), (Step(0, 0, "derived", g),)
    )
    assert ("is all 1: the sum" in timeline(Findings(trace))[0].words) == (seed == 1.0)


EXTREMES = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-320, -1e-320, 5e-324, 1e308, float(np.float32(0.1)), 12345.5]


@pytest.mark.parametrize("x", EXTREMES)
def test_extreme_numbers_keep_their_sizes_signs_and_words(x):
    one, several = number(np.array(x)), number(np.array([x, 0.25, 0.5, 1.0, 2.0]))
    assert (signed(one) == "0") == (x == 0)
    assert np.array_equal(size_of(one), abs(x), equal_nan=True)
    assert np.array_equal(size_of(several), max(abs(x), 2.0) if x == x else x, equal_nan=True)
    assert [has(one, "nan"), has(one, "inf")] == [math.isnan(x), math.isinf(x)]
    assert [has(several, "nan"), has(several, "inf")] == [math.isnan(x), math.isinf(x)]
    if not math.isfinite(x):
        assert signed(one) == str(x) and uniform(several) is None
    elif abs(x) > 1e-320:
        assert math.isclose(float(signed(one)), x, rel_tol=0.05, abs_tol=5e-324)
    assert has(number(np.array([math.inf, math.nan, *[1.0] * 6])), "inf"), "an inf next to a nan"


@given(NEAR, st.floats(-1e-5, 1e-5))
def test_two_numbers_that_differ_are_written_apart(a, part):
    b = a * (1 + part)
    assert a == b or len({*told_apart(a, b)}) == 2


def test_the_page_says_the_same_of_the_same_numbers():
    random = np.random.default_rng(0)
    pool = [*EXTREMES, 0.99996, 1.00004, -1.0, *(0.12345 * random.uniform(0.1, 9, 8)).tolist(), None]
    rows = []
    for _ in range(300):
        inputs = []
        for name in "abcd"[: random.integers(1, 5)]:
            sent = [pool[i] for i in random.integers(0, len(pool), random.integers(1, 8))]
            sums = [x for x in sent if x is not None]
            inputs.append([name, bool(random.integers(0, 4)), sum(sums) if sums else None, sent])
        rows.append(inputs)
    ours = [[rates("y = 1.", "it", inputs), added_up(inputs)] for inputs in rows]
    words = [[[*one[:2], _json(one[2]), [*map(_json, one[3])]] for one in inputs] for inputs in rows]
    body = """
    const real = (v) => (v === null ? v : Number(v));
    return data.map((rows) => {
      const inputs = rows.map(([name, one, g, sent]) => [name, one, real(g), sent.map(real)]);
      return [rates("y = 1.", "it", inputs), added_up(inputs)];
    });"""
    assert run_js(["scene", "rates"], body, words) == ours
    assert sum(bool(said) for said, _ in ours) > 30 and sum(bool(said) for _, said in ours) > 10


def _json(x):
    return None if x is None else "NaN" if x != x else repr(x).replace("inf", "Infinity")
