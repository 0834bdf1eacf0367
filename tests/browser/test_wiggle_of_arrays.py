"""The wiggle of arrays: Python measures what the page measures, and says it in the same words."""

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.test_modes import chosen, say

pytestmark = pytest.mark.browser

WEIGHTS = np.float32([[1, 2], [3, 4]])


@mg.custom_gradient
def doubled_rule(v):
    return mg.tanh(v), lambda upstream: 2.0 * upstream


def branching(v):
    return mg.sum(v * v) if v[0] > 1.0 else mg.sum(v)


#: A function, its inputs, and words that the wiggle has.
PROGRAMS = {
    "matmul": (
        lambda W, x: mg.sum(mg.tanh(W @ x) ** 2),
        (WEIGHTS, np.float32([0.1, 0.2])),
        "moves sum 0.07269",
    ),
    "number first": (lambda a, v: mg.sum(mg.exp(a * v)), (0.5, np.float32([1, -1])), "a moves the entries of exp"),
    "many": (lambda v: mg.sum(mg.cumsum(v)), (np.arange(12, dtype="f"),), "moves the entries of cumsum 1 times"),
    "large first": (lambda V, v: mg.sum(V) * mg.sum(v), (np.ones(70, "f"), np.float32([2, 3])), "v[0] moves sum#3 1"),
    "rule": (lambda v: mg.sum(doubled_rule(v)), (np.float32([0.5, 1]),), "v[0] moves sum 0.7864"),
    "decides": (branching, (np.float32([1, 2]),), "Within a step of v[0] the code decides otherwise"),
    "apart": (branching, (np.float32([2, 2]),), "v[0] moves sum 4 times"),
    "half": (lambda v: mg.sum(v * v), (np.float16([3, 1]),), "v[0] moves sum 6 times"),
    "log of 0": (lambda v: mg.sum(mg.log(v)), (np.float32([0, 1]),), "moves the entries of log [nan 0] times"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_page_says_of_each_box_what_python_says(open_view, name):
    f, inputs, words = PROGRAMS[name]
    view = viz.backward(f, *inputs, mode="wiggle")
    told = [moment.words for moment in view._opened(view._lanes[0]).moments]
    assert any(words in each for each in told), told
    page = open_view(view)
    assert chosen(page) == "wiggle"
    slider, said = page.get_by_role("slider", name="Step"), []
    for k in range(len(told)):
        slider.fill(str(k))
        said.append(say(page))
    assert said == told
