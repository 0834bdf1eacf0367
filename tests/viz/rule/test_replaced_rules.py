"""A rule for a function that calls one with a custom rule: the values decide what is right, not that custom rule."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz

from .test_tried import looked

#: Functions with the text of their derivative.
SMOOTH = [
    (mg.softplus, mg.sigmoid, "sigmoid(x)"),
    (mg.sin, mg.cos, "cos(x)"),
    (mg.tanh, lambda x: 1 - mg.tanh(x) ** 2, "(1 - tanh(x) ** 2)"),
    (lambda x: x * mg.sigmoid(x), None, "(sigmoid(x) + x * sigmoid(x) * (1 - sigmoid(x)))"),
]


def with_rule(f, slope, off, start):
    """The function with a custom rule that is off by a factor from `start` onwards."""

    @mg.custom_gradient
    def ruled(x):
        def rule(upstream):
            true = slope(x) if slope else mg.sigmoid(x) * (1 + x * (1 - mg.sigmoid(x)))
            return upstream * mg.where(x > start, off * true, true)

        return f(x), rule

    return ruled


@pytest.mark.parametrize("case", range(8))
def test_the_true_slope_is_found_beside_a_custom_rule_that_is_wrong_in_a_part(case):
    rng = np.random.default_rng(case)
    f, slope, text = SMOOTH[case % len(SMOOTH)]
    off, start = 1 + rng.choice([-1, 1]) * 10 ** rng.uniform(-2.5, 0), float(rng.uniform(-4, 1.5))
    weight, line = (float(v) for v in rng.uniform(0.5, 3, 2).round(2))
    ruled = with_rule(f, slope, off, start)
    view = viz.backward(lambda x: weight * ruled(x) + line * x, x=float(rng.uniform(start - 3, start)))

    texts = [
        f"upstream * ({weight} * {text} + {line})",
        f"upstream * ({weight} * where(x > {start}, {off}, 1) * {text} + {line})",
    ]
    right, wrong = (view.try_rule(x=one) for one in texts)
    assert right.startswith("Right") and "; right at all 1" in right, right
    assert wrong.startswith("Wrong at x = "), wrong
    view.rule, _ = view.ruled()
    assert [found["words"] for found in looked(view, [{"x": one} for one in texts])] == [right, wrong], (
        "on the page too"
    )


def test_a_right_custom_rule_is_not_blamed():
    ruled = with_rule(mg.softplus, mg.sigmoid, 1.0, 0.0)
    view = viz.backward(lambda x: ruled(x), x=0.5)
    assert view.try_rule().startswith("Right at x = 0.5: 0.6225; right at all 121 samples")


@mg.custom_gradient
def readable(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))


@mg.custom_gradient
def recorded(x, w):
    def rule(upstream):
        g = upstream
        for _ in range(2):
            g = g * 0.5
        return g * w, 4 * g * x

    return x * w, rule


OWN = [
    (readable, {"x": 100.0}, {"x": "upstream * (1 - 1 / (1 + e))"}, "Lost to rounding at x = -17.5: 0 instead of"),
    (recorded, {"x": 2.0, "w": 3.0}, {"x": "upstream * 0.5 * 0.5 * w"}, "Wrong at x = 2: 0.75 instead of 3"),
]


@pytest.mark.parametrize("f, inputs, texts, words", OWN, ids=["from its source", "from its tape"])
def test_the_picture_of_a_function_with_a_rule_has_a_mode_that_opens_with_it(f, inputs, texts, words):
    view = viz.backward(f, **inputs)
    opened = dict(view.rule["inputs"])
    assert {name: re.sub(r"[()]", "", opened[name]) for name in texts} == {
        name: re.sub(r"[()]", "", text) for name, text in texts.items()
    }
    assert view.data()[0]["modes"][-1] == "rule" and view.mode == "gradient"
    (found,) = looked(view, [opened])
    assert found["words"] == view.try_rule() and found["words"].startswith(words)
