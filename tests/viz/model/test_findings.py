"""The table of steps, and the way numbers are written."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.tracing.labels import spoken
from minigrad.tracing.numbers import clip, full, is_zero, nonfinite, short
from minigrad.tracing.trace_fields import number
from tests.helpers.traces import log1pexp, of_graph, repaired
from viz.model.findings import Findings, step_table


def test_the_table_of_a_nan():
    assert step_table(Findings(log1pexp())).splitlines() == [
        "step  op   gradient  sends",
        "0     log  1         add += 1 · 0 = 0 (not yet -> 0) [stops]",
        "1     add  0         exp += 0 · 1 = 0 (not yet -> 0) [stops]",
        "2     exp  0         x += 0 · inf = nan (not yet -> nan) [first nan: 0 * inf]",
        "3     x    nan       (nothing: the end of the path)",
    ]


def test_accumulation_is_an_arrow_from_the_old_sum_to_the_new():
    w, a = mg.constant(3.0), mg.constant(2.0)
    table = step_table(Findings(mg.backward_trace(w * a + w, names={"w": w, "a": a})))
    assert "w += 1 · 2 = 2 (1 -> 3)" in table


def test_the_ghost_stands_below_the_table():
    table = step_table(Findings(repaired()))
    real, ghost = table.split("\n\n")
    assert "log1pexp [grad]  1         x += 1 (not yet -> 1)" in real and "nan" not in real
    assert ghost.startswith("Replaced by the custom rule of log1pexp; derived, it would have been:")
    assert "first nan" in ghost
    assert "Replaced" not in step_table(Findings(repaired()), ghosts=False)


def test_an_array_is_a_range_and_a_count():
    assert short(number(np.array([1.0, 2.0]))) == "[1 2]"
    assert short(number(np.linspace(0, 1, 50))) == "0…1"
    assert short(number(np.full((4, 4), 0.5))) == "all 0.5"
    assert short(number(np.array([1.0, np.nan, np.inf]))) == "[1 nan inf]"
    assert short(number(np.array([1.0, np.nan, np.inf, 1e-9, 0.1]))) == "1 nan of 5"
    assert spoken(number(np.array([[1.0, np.nan], [0.5, 1e-9]]))) == "[1 nan 0.5 1e-9] (2×2)"
    assert full(number(np.array([1.0, np.inf]))) == (
        "float64 array of shape (2,): [1, inf]; min 1, max 1, mean 1, 1 inf"
    )


@pytest.mark.parametrize(
    "value, word",
    [("nan", "nan"), ("-inf", "inf"), (0.0, None), (None, None), (number(np.array([np.nan, np.inf])), "nan")],
)
def test_nonfinite_is_a_word(value, word):
    assert nonfinite(value) == word


def test_zero_is_zero_in_numbers_and_in_arrays():
    assert is_zero(0.0) and is_zero(-0.0) and is_zero(number(np.array([0.0, 1.0])))
    assert not is_zero(None) and not is_zero("nan")


def test_names_are_clipped_in_the_middle():
    assert clip("a" * 40, 18) == "a" * 9 + "…" + "a" * 8
    assert clip("two\n  lines", 20) == "two lines"


def test_a_long_table_is_shortened_around_its_births():
    trace = of_graph({k: [k - 1] for k in range(1, 400)}, leaves=1)
    lines = step_table(Findings(trace), max_lines=50).splitlines()
    assert len(lines) == 52 and "left out here; to_text() has them all" in lines[26]
    assert len(step_table(Findings(trace)).splitlines()) == 401


def dense(names):
    """A rule with a Variable of each name, called once."""
    held = [mg.Variable(2.0, name=name) for name in names]

    @mg.custom_gradient
    def dense(x):
        return x * sum(held), lambda dy, variables: (dy * 2.0, [dy for _ in variables])

    return Findings(mg.backward_trace(dense(mg.constant(3.0))))


def test_the_variables_of_a_rule_are_listed_with_their_whole_names():
    long = "encoder/layer_with_a_very_long_name_12/attention/output/kernel"
    table = step_table(dense([long, "b"]))
    assert table.endswith(f"\n\nThe rule <lambda> of dense gets the variables b, {long}.")
    assert "variables" not in step_table(Findings(repaired()))


def test_of_many_rules_with_variables_a_short_table_lists_the_first():
    w = mg.Variable(0.5, name="w")
    times = mg.custom_gradient(lambda x: (x * w, lambda dy, variables: (dy * 0.5, [dy * x])))
    x = mg.constant(1.0)
    for _ in range(9):
        x = times(x)
    found = Findings(mg.backward_trace(x))
    assert step_table(found).count("gets the variables w.") == 9
    assert step_table(found, max_lines=4).count("gets the variables w.") == 4
