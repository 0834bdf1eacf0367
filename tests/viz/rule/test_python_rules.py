"""Rules that only Python tries: matrix products, sums, large arrays, constants by name, and the rule of a function."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from viz.rule.python_rules import OpsRule

RNG = np.random.default_rng(3)
W, X, V = (RNG.normal(size=shape).astype(np.float32) for shape in ((3, 2), (4, 3), (3,)))
scale = np.float32([[0.5, -2.0, 3.0]])
half = 0.5


def layer(x, w):
    return mg.tanh(x @ w)


def mean_square(x):
    return mg.mean(x * x)


def scaled(x):
    return mg.sum(x * scale) * half


def softmax(z):
    return mg.softmax(z) * V


def bias(x, b):
    return mg.sum(mg.exp(x + b))


#: Function, inputs, right rules, and wrong ones by the kind that the sentence begins with.
CASES = {
    "matrix product": (layer, {"x": X, "w": W},
        {"x": "(upstream * (1 - y**2)) @ w.T", "w": "x.T @ (upstream * (1 - y**2))"},
        [({"w": "transpose(x) @ upstream"}, "Wrong"), ({"w": "x.T @ (1 - y**2)"}, "It forgets upstream"),
         ({"w": "-x.T @ (upstream * (1 - y**2))"}, "The sign is wrong")]),
    "mean": (mean_square, {"x": X}, {"x": "upstream * 2 * x / 12"}, [({"x": "upstream * 2 * x"}, "Wrong")]),
    "constants": (scaled, {"x": X}, {"x": "upstream * half * broadcast_to(scale, x.shape)"},
        [({"x": "upstream * half * x * 0 + scale"}, "Wrong")]),
    "sum": (softmax, {"z": V}, {"z": "softmax(z) * (upstream * V - sum(upstream * y))"},
        [({"z": "y * upstream"}, "Wrong")]),
    "broadcast": (bias, {"x": X, "b": V}, {"x": "upstream * exp(x + b)", "b": "mg.sum(upstream * exp(x + b), axis=0)"},
        [({"b": "mg.mean(upstream * exp(x + b), axis=0)"}, "Wrong")]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_rule_with_ops_beyond_the_field_has_the_verdict_of_float64(name):
    f, inputs, right, wrong = CASES[name]
    view = viz.backward(f, **inputs, mode="rule")
    for entry in ((), tuple(n - 1 for n in next(iter(inputs.values())).shape)):
        said = view.try_rule(*entry, **right)
        assert re.match(r"(Right at|Lost to rounding) ", said) and "rong" not in said, said
    for texts, start in wrong:
        said = view.try_rule(**{**right, **texts})
        key = next(iter(texts))
        assert view.try_rule(**texts, **{k: t for k, t in right.items() if k not in texts}).startswith(start), (
            key,
            said,
        )
        assert "instead of" in said, said


def test_the_numbers_of_a_verdict_are_those_of_the_gradient():
    x, w = mg.constant(X), mg.constant(W)
    (exact,) = mg.gradients(layer(x, w), [w])
    said = viz.backward(layer, x=X, w=W, mode="rule").try_rule(0, 1, w="x.T @ (upstream * (1 - y**2))", x="0 * x")
    got = re.search(r"right at w\[0, 1\] = \S+: (\S+?)[;.](?: |$)", said)
    assert float(got[1]) == pytest.approx(float(exact.value[0, 1]), rel=1e-3)


def test_an_array_too_large_for_the_page_has_a_rule_in_python():
    x = RNG.normal(size=120).astype(np.float32)
    view = viz.backward(lambda x: mg.sum(mg.sin(x) * x), x, mode="rule")
    assert view.rule["cannot"].endswith("more than 64 entries: x has 120. view.try_rule tries one in Python.")
    assert view.try_rule(x="upstream * (cos(x) * x + sin(x))").startswith("Right at x[0] = ")
    one = "upstream * where(x > 0, cos(x) * x + sin(x), 0 * x + 9)"
    assert "Wrong for x[" in view.try_rule(int(np.argmax(x > 0.5)), x=one) or "Wrong at" in view.try_rule(x=one)
    last = x.copy()
    last[77] = 77.0  # a fault at one of 120 elements is found
    view = viz.backward(lambda x: mg.sum(mg.sin(x) * x), last, mode="rule")
    said = view.try_rule(x="upstream * (cos(x) * x + sin(x)) + where(x > 50, 1, 0)")
    assert "Wrong for x[77]" in said or "x[77]" in said, said


REFUSED = [
    ("x @@ 2", "cannot be read"), ("__import__('os')", "cannot be read"), ("x.__class__", "cannot be read"),
    ("open('a')", "cannot be read"), ("sum(x, axis=7)", "cannot be read"), ("x @ x", "cannot be read"),
    ("x > 0", "a comparison is not a number"), ("sum(x)", "cannot be read"), ("q * upstream", "there is no q here"),
    ("(lambda: x)()", "cannot be read"), ("[x for x in x]", "cannot be read"), ("9**9**9 * x", "cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize("text, words", REFUSED)
def test_what_is_not_a_rule_is_refused(text, words):
    view = viz.backward(mean_square, x=X, mode="rule")
    with pytest.raises(ValueError, match=re.escape(words)):
        view.try_rule(x=text)


def test_only_functions_of_minigrad_are_called():
    for text in ("mg.save(x)", "eval('1')", "x.sum()", "mg.constant(x)", "getattr(x, 'value')"):
        with pytest.raises(ValueError):
            OpsRule(text, ["x"], {}).value({"x": 1.0})


@mg.custom_gradient
def clipped(x):
    def rule(upstream):
        g = upstream
        for _ in range(2):
            g = mg.clip(g * mg.cos(x), -50.0, 50.0)
        return g

    return mg.sin(x), rule


@mg.custom_gradient
def normal(x):
    def rule(upstream):
        return mg.transpose(W) @ upstream

    return W @ x, rule


@mg.custom_gradient
def raising(x):
    def rule(upstream):
        for _ in range(2):
            upstream = upstream / int(x.numpy() > 1.0) * (0.25 / 0)
        return upstream

    return mg.sin(x), rule


def test_a_rule_that_raises_an_error_leaves_the_picture_of_the_pass_that_it_replaces():
    view = viz.backward(raising, 0.5, mode="rule")
    source, sends = view.rule["own"]
    assert "0.25 / 0" in source and sends == []
    assert view.try_rule(x="upstream * cos(x)").startswith("Right at x = 0.5: 0.8776")


def test_the_own_rule_that_is_no_text_is_shown_and_judged():
    view = viz.backward(clipped, 0.5, mode="rule")
    source, sends = view.rule["own"]
    assert "g = mg.clip(g * mg.cos(x), -50.0, 50.0)" in source
    assert sends == [["x", "0.7702"]]
    assert "its code is below, with what it sends, and view.try_rule() judges it" in view.rule["note"]
    assert view.try_rule().startswith("Wrong at x = 0.5: 0.7702 instead of 0.8776")
    assert view.try_rule(x="upstream * cos(x)").startswith("Right at x = 0.5: 0.8776")
    good = viz.backward(normal, np.float32([1.0, -2.0]), mode="rule")
    assert "own" in good.rule and good.try_rule().startswith("Right at x[0] = 1: ")


a, b = mg.Variable(3.0, name="a"), mg.Variable(-2.0, name="b")


@mg.custom_gradient
def two(x):
    def rule(dy, variables=None):
        return dy * a, [dy * x if v is a else dy for v in variables]

    return a * x + b, rule


def test_the_own_rule_for_a_list_of_variables_is_in_the_fields():
    view = viz.backward(two, 2.0, mode="rule")
    assert dict(view.rule["inputs"]) == {"x": "upstream * a", "a": "upstream * x", "b": "upstream"}
    assert "the rule of the function" in view.rule["note"] and (a.value, b.value) == (3.0, -2.0)
    assert view.try_rule().startswith("Right at x = 2: 3")


@mg.custom_gradient
def looped(x):
    def rule(dy, variables=None):
        g = dy
        for _ in range(1):
            g = mg.cumsum(mg.stack([g, g]))[0]
        return g * a, [mg.sum(mg.stack([g * x, 0 * g]))]

    return a * x, rule


def test_the_own_rule_with_variables_that_is_no_text_is_judged_for_each():
    view = viz.backward(looped, 2.0, mode="rule")
    assert view.rule["own"][1] == [["x", "3"], ["a", "2"]]
    assert view.try_rule().startswith("Right at x = 2: 3") and a.value == 3.0
    assert view.try_rule(a="upstream * x * 2").startswith(("Wrong at a = 3", "Wrong for a"))
