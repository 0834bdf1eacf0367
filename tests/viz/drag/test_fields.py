"""The input of a field: a number as it is typed, and the steps of keys and of a drag."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.node import numbers, run_js, words

#: From a number among the elements of its input, of a type, whose elements were recorded: what some moves make of it.
STEPS = """
return data.map(([v, elements, recorded, digits, kind, moves]) => {
  const steps = stepsFrom(numeric(v), elements.map(numeric), recorded.map(numeric), digits);
  return moves.map((move) => steps[kind](...[move].flat()));
});
"""


def steps(v, kind, moves, elements=None, recorded=(), digits=7):
    """The result of each move for `v`, one of `elements`."""
    request = [*words(v), words([v] if elements is None else elements), words(recorded), digits, kind, moves]
    return [float(x) for x in run_js(("tape", "scrub"), STEPS, [request])[0]]


def test_a_key_is_a_tenth_of_the_power_of_ten_and_a_pixel_a_tenth_of_a_key():
    for v, key in ((80.0, 1.0), (2.0, 0.1), (-0.02, 0.001), (9.99, 0.1), (1000.0, 100.0), (1e-7, 1e-8), (1e300, 1e299)):
        assert steps(v, "keys", [10, -10, 1]) == pytest.approx([v + key, v - key, v + key / 10], rel=1e-12)
        assert steps(v, "pixels", [[10, 0], [1, 1], [100, -1]]) == pytest.approx([v + key] * 3, rel=1e-2)
    # the typed number counts, not the recorded one
    assert steps(2.0, "pixels", [[50, 0], [-250, 0]], recorded=[1000.0]) == [2.5, -0.5]


def test_numbers_of_few_digits_stay_such_on_the_way_through_0():
    third = np.float32(0.3)
    assert steps(third, "keys", [-400, -300, -200, -100, 0, 100]) == [-0.1, 0.0, 0.1, 0.2, third, 0.4]
    assert steps(np.float16(0.1), "keys", [-100, 100], digits=3) == [0.0, 0.2]
    assert steps(0.7, "keys", [-700, -1400], digits=15) == [0.0, -0.7]
    assert steps(1.23456789, "keys", [10], digits=15) == [1.33456789]
    assert steps(80.37, "pixels", [[1, 0], [-1, 0], [1, 1], [1, -1]]) == [80.5, 80.3, 81.0, 80.38]


def test_what_has_no_scale_of_its_own_moves_as_the_largest_element_does():
    table = [0.0, 250.0, -30.0, 1e-9, np.nan, np.inf]
    for v in (0.0, -0.0, 1e-9, 0.2, np.nan, np.inf, -np.inf):
        start = v if np.isfinite(v) else 0.0
        assert steps(v, "keys", [10], table) == [pytest.approx(start + 10, rel=1e-7)]
    assert steps(0.3, "keys", [10], table) == [0.31]  # not a thousand times smaller
    assert steps(-30.0, "keys", [10], table) == [-29.0]
    assert steps(0.0, "keys", [10], [0.0, 0.0], recorded=[0.0, 40.0]) == [1.0]
    assert steps(0.0, "keys", [10], recorded=[0.0]) == steps(np.nan, "keys", [10], recorded=[np.inf]) == [0.1]


@settings(max_examples=40)
@given(
    st.tuples(st.floats(), st.just(15))
    | st.tuples(st.floats(width=32), st.just(7))
    | st.tuples(st.floats(width=16), st.just(3)),
    st.lists(st.floats(), max_size=3),
    st.integers(-1, 1),
)
def test_the_way_back_ends_at_the_very_number_and_every_step_moves_it(held, others, power):
    v, digits = held
    back = run_js(("tape", "scrub"), STEPS, [
        [*words(v), words([v, *others]), [], digits, kind, moves]
        for kind, moves in (("keys", [0, 10, -10]), ("pixels", [[0, power], [1000, power], [-1000, power]]))
    ])  # fmt: skip
    for found in back:
        same, up, down = numbers(found)
        assert np.array_equal([same], [v], equal_nan=True) and (np.isnan(v) or np.signbit(same) == np.signbit(v))
        assert not np.isnan([up, down]).any()
        assert down < up and (not np.isfinite(v) or down <= v <= up)


TYPED = {
    "2": 2.0, " -0.5 ": -0.5, "-0": -0.0, "+3": 3.0, ".5": 0.5, "5.": 5.0, "1,5": 1.5, "-1,5e3": -1500.0, "1E-7": 1e-7,
    "−4": -4.0, "2e−3": 0.002, "nan": np.nan, "NaN": np.nan, "inf": np.inf, "-Infinity": -np.inf, "+inf": np.inf,
    "1e400": np.inf, "-1e400": -np.inf, "1e-400": 0.0, "9" * 500: np.inf, "0." + "0" * 5000 + "1": 0.0,
    "0." + "3" * 5000: 1 / 3,
    "": None, " ": None, ".": None, "-": None, "e5": None, "1e": None, "1e5,5": None, "1.2.3": None, "1,234.5": None,
    "1,234,567": None, "0x10": None, "0b11": None, "1_000": None, "1 000": None, "two": None, "1+1": None,
    "infinit": None, "nano": None, "x" * 5000: None,
}  # fmt: skip


def test_a_number_is_read_as_it_is_typed_and_nothing_else_is_a_number():
    answers = run_js(("typed",), "return data.map((text) => parsed(text) ?? null)", [*TYPED])
    for text, found in zip(TYPED, answers):
        want = TYPED[text]
        assert (found is None) == (want is None), text[:20]
        if want is not None:
            assert np.array_equal([float(found)], [want], equal_nan=True), text[:20]
            assert np.isnan(want) or np.signbit(float(found)) == np.signbit(want), text[:20]
