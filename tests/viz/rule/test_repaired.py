"""The rule of a repair: what the field offers to try next to a nan."""

import numpy as np
import pytest

import minigrad as mg
import viz


def softplus(x):
    e = mg.exp(x)
    return mg.log(1 + e)


def root(x):
    return mg.sqrt(x * x)


def masked(x):
    return mg.where(x > 0, mg.sqrt(x), 0)


def logistic(x):
    return mg.exp(x) / (1 + mg.exp(x))


def weighted(x, c):
    return c * mg.log(1 + mg.exp(x)) + c


def entropy(p):
    return -p * mg.log(p)


def drawn(f, *args):
    with np.errstate(all="ignore"):
        return viz.backward(f, *args, mode="rule")


@pytest.mark.parametrize(
    "f, x, rule, words",
    [
        (softplus, 100.0, "upstream * sigmoid(x)", "Right at x = 100: 1, where the derived rule gives nan"),
        (root, 0.0, "upstream * sign(x)", "Fair at x = 0, where the slope is -1 to the left and 1 to the right"),
        (logistic, 100.0, "upstream * sigmoid(x) * (1 - sigmoid(x))", "Lost to rounding at x = 17.5"),
    ],
)
def test_the_derived_rule_of_what_is_written_instead(f, x, rule, words):
    view = drawn(f, x)
    assert view.rule["repair"] == {"x": rule}
    assert view.try_rule(**view.rule["repair"]).startswith(words)


def test_inside_of_a_mask_the_rule_is_finite_where_the_derived_one_is_not():
    view = drawn(masked, 0.0)
    assert "right at all 120 samples where the slope is sure" in view.try_rule(**view.rule["repair"])


def test_a_slope_without_an_end_next_to_a_corner_is_not_sure():
    assert drawn(masked, 0.0).try_rule(x="0 * upstream").startswith("Wrong at x = ")
    words = drawn(masked, 0.0).try_rule(x="where(x > 0, upstream / (2 * sqrt(x)), 0)")
    assert "The slope is not sure at x = 0" in words


def test_each_input_has_one_or_none():
    view = drawn(weighted, 100.0, 2.0)
    assert "repair" not in view.rule, "softplus is not in the language"
    assert "repair" not in drawn(entropy, 0.0).rule, "nor is xlogy"
    assert "repair" not in drawn(softplus, 1.0).rule, "there is no nan"


def test_trace_nan_opens_at_the_crack_and_has_the_field():
    with np.errstate(all="ignore"):
        view = viz.trace_nan(softplus, x=100.0)
    data, stop = view.data()
    assert data["mode"] == "gradient" and "rule" in data["modes"]
    assert "nan first appears here" in data["lanes"][0]["stops"][stop][8].lower()
    assert view.paths == (("e", "x"),)
    assert data["rule"]["repair"] == {"x": "upstream * sigmoid(x)"}
    assert view.try_rule(x="upstream * sigmoid(x)").startswith("Right at x = 100")


def test_trace_nan_of_a_forward_nan_has_no_field():
    with np.errstate(all="ignore"):
        view = viz.trace_nan(lambda x: mg.log(x) - mg.log(x), x=0.0)
    assert view.phase == "forward" and not view.rule
