"""A rule for a function with several results: an upstream gradient for each, on the page and in Python."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.viz.rule.test_tried import looked


def moments(x, w):
    s = mg.exp(x) * w
    return s, s * s + x


@mg.custom_gradient
def polar(x, y):
    r = mg.sqrt(x * x + y * y)

    def grad(dr, da):
        return dr * x / r + da * y, dr * y / r + da * x

    return (r, x * y), grad


def parted(A):
    return mg.sum(A), A * 2.0


def listed(x):
    return [x, x * x]


def keyed(x):
    return {"b": x * x, "a": mg.sin(x)}


def itself(x):
    y = x * x
    return y, y, mg.constant(3.0)


MATRIX = np.float32([[1, 2], [3, 4]])
#: Function, inputs, texts, kind, and how the verdict begins; the numbers are sums of both results' slopes.
VERDICTS = {
    "derived": (moments, (0.0, 2.0), {}, "right", "Right at x = 0: 11; right at all 121 samples"),
    "own rule": (polar, (3.0, 4.0), {}, "right", "Right at x = 3: 4.6; right at all 121 samples"),
    "one is forgotten": (
        parted, (MATRIX,), {"A": "3 * upstream_y0 + 0 * A"}, "forgets",
        "It forgets upstream_y1: for upstream gradients of 0 for y0 and [1 1 1 1] for y1 it gives 0 "
        "instead of 2",
    ),
    "exchanged": (
        parted, (MATRIX,), {"A": "2 * upstream_y0 + upstream_y1"}, "upstream",
        "Wrong for upstream gradients of 1 for y0 and [0 0 0 0] for y1: 2 instead of 1 at A[0, 0] = 1;",
    ),
    # at 0 the slope of y1 is 0, with whatever upstream gradient; at -20 it is -40
    "exchanged, and right here": (
        keyed, (0.0,), {"x": "upstream_y0 * 2 * x + upstream_y0 * cos(x)"}, "forgets",
        "It forgets upstream_y1: for upstream gradients of 0 for y0 and 1 for y1 it gives 0 instead of -40 at x = -20;",
    ),
    "an input is a result": (listed, (3.0,), {"x": "upstream_y0 + upstream_y1 * 2 * x"}, "right", "Right at x = 3: 7;"),
    "one result twice, and one that is constant": (
        itself, (3.0,), {"x": "(upstream_y + upstream_y1) * 2 * x"}, "right", "Right at x = 3: 12;",
    ),
    "a constant result has no slope": (
        itself, (3.0,), {"x": "(upstream_y + upstream_y2) * 2 * x"}, "forgets",
        "It forgets upstream_y1: for upstream gradients of 0 for y, 1 for y1 and 0 for y2 it gives 0 instead of 6;",
    ),
}  # fmt: skip


@pytest.mark.parametrize("f, args, texts, kind, words", VERDICTS.values(), ids=VERDICTS)
def test_each_result_has_an_upstream_gradient_and_the_page_says_what_python_says(f, args, texts, kind, words):
    view = viz.backward(f, *args, mode="rule")
    texts = {name: text for name, text in view.rule["inputs"]} | texts
    (page,) = looked(view, [texts])
    assert (page["kind"], page["words"]) == (kind, view.try_rule(**texts))
    assert page["words"].startswith(words)


@pytest.mark.parametrize("f, args", [(moments, (0.3, 2.0)), (polar, (3.0, 4.0)), (parted, (MATRIX,)), (keyed, (0.5,))])
def test_the_copied_program_gets_the_upstream_gradients_in_their_order(f, args):
    view = viz.backward(f, *args, mode="rule")
    ups = [up for _, up, *_ in view.rule["results"]]
    texts = {name: f"{ups[0]} * 7 + {ups[1]} * {k + 1} + 0 * {name}" for k, (name, _) in enumerate(view.rule["inputs"])}
    (page,) = looked(view, [texts])
    space = dict(globals())
    exec(page["python"], space)
    copied = [v for v in space.values() if isinstance(v, type(polar)) and v not in (polar, lists)][-1]
    xs = [mg.constant(x) for x in args]
    mine, plain = copied(*xs), f(*xs)
    assert type(mine) is type(plain)
    found = mg.gradients(mg.sum(mine["b"] if f is keyed else mine[1]), xs)  # the second, in the order of upstreams
    assert [float(np.ravel(g.value)[0]) for g in found] == [k + 1 for k in range(len(xs))]


@mg.custom_gradient
def lists(A):
    """Its rule gives the second result the wrong share."""
    return [mg.sum(A), A * 2.0], lambda up, each: up + 3.0 * each


@pytest.mark.parametrize(
    "f, args, wrong", [(polar, (3.0, 4.0), "upstream_y0 * x / y0"), (lists, (MATRIX,), "upstream_y0 + 0 * A")]
)
def test_a_comparison_of_a_function_with_several_results_has_the_same_field(f, args, wrong):
    view, single = viz.compare(f, *args), viz.backward(f, *args, mode="rule")
    names = {"upstream_y0": single.rule["results"][0][1], "y0": single.rule["results"][0][0]}
    assert view.rule["inputs"] == single.rule["inputs"] and view.rule["copy"] == single.rule["copy"]
    texts = {name: text for name, text in view.rule["inputs"]}
    for word, name in names.items():
        wrong = re.sub(rf"\b{word}\b", name, wrong)
    trials = [texts, texts | {next(iter(texts)): wrong}]
    page, other = looked(view, trials), looked(single, trials)
    assert [one["words"] for one in page] == [one["words"] for one in other]
    assert [one["words"] for one in page] == [view.try_rule(**one) for one in trials]
    assert page[0]["words"] != page[1]["words"] and [one["kind"] for one in page] != ["right", "right"]


def test_the_picture_is_of_the_sum_and_the_field_says_so():
    view = viz.backward(moments, 0.0, 2.0, mode="rule")
    assert view.trace.steps[0].g == 1
    assert str(view).startswith("total = 6. By its gradients, it grows 11 times as fast as x")
    assert "The pass begins at the sum of all results." in view.rule["note"]
    assert [row[:2] for row in view.rule["results"]] == [["s", "upstream_s"], ["y1", "upstream_y1"]]


def test_what_has_no_rule_says_so():
    view = viz.backward(lambda x: (x * x, mg.constant([1, 2])), 2.0, mode="rule")
    assert view.rule["cannot"].startswith(
        "A rule cannot be tried here for the result y[1], which is not a float Tensor."
    )
    with pytest.raises(TypeError, match="must return a Tensor"):
        viz.backward(moments, 0.0, 2.0)


def test_a_local_name_beyond_the_language_makes_no_derived_rule():
    def late(x):
        h = mg.cumsum(mg.exp(x))
        return h + x

    texts = dict(viz.backward(late, np.float32([1, 2]), mode="rule").rule["inputs"])
    assert texts == {"x": "upstream * 1"} and "Wrong" in viz.backward(late, np.float32([1, 2]), mode="rule").try_rule()
