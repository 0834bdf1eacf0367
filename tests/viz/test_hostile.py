"""Input that nobody wants to draw: it is drawn in every form with a true sentence, or refused with a printable one."""

from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.viz.test_strings import STEERS

STRANGE = "x\x1b[31m\0\ud800<script>alert(1)</script>\u202e'\"&"


@mg.custom_gradient
def doubled(x):
    return x * x, lambda upstream: upstream * 2.0


def strange_scopes(x):
    with mg.scope(STRANGE):
        for i in range(5):
            with mg.scope(f"in\x1b {i}"):
                x = mg.tanh(x * 0.9)
    return x


def told_inf(y, tell):
    tell(y, 0, np.inf, np.inf)


class Own:
    def __init__(self, value, op="", parents=(), slopes=(), name=""):
        self.value, self.op, self.parents, self.slopes, self.name = value, op, parents, slopes, name


X = Own(3.0, name=STRANGE)
SQUARE = Own(9.0, "square\x1b", (X, X), (3.0, 3.0))

#: What is drawn, and how its sentence begins.
DRAWN = {
    "no elements": (lambda: viz.backward(mg.sum, x=np.zeros((0, 3))), "The result is 0. x has no elements."),
    "a mean of none": (
        lambda: viz.backward(mg.mean, x=np.zeros(0)),
        "A nan first appears in the forward pass, at mean: ",
    ),
    "no elements, compared": (
        lambda: viz.compare(doubled, np.zeros(0)),
        "Same value, two gradients, and they agree here",
    ),
    "an inf that comes in": (
        lambda: viz.backward(lambda x: mg.exp(x), x=-np.inf),
        "The result is 0. The gradient of x",
    ),
    "a nan among inputs": (
        lambda: viz.backward(lambda x: mg.sum(mg.tanh(x)), x=[1.0, np.nan]),
        "The input x has nan, and",
    ),
    "integers": (
        lambda: viz.backward(lambda x, y: mg.sin(y) * x, x=3, y=1.0),
        "By its gradient, the result grows 1.62",
    ),
    "only integers": (lambda: viz.backward(lambda x: x * 2, x=3), ""),
    "only a bool": (lambda: viz.backward(lambda x: x, x=True), ""),
    "the input is the result": (
        lambda: viz.backward(lambda x: x, x=2.0),
        "x is the result itself, so its gradient is 1.",
    ),
    "a million elements": (
        lambda: viz.backward(lambda x: mg.sum(x * x), x=np.ones(10**6)),
        "The result is 1e6. Each entry",
    ),
    "structures": (
        lambda: viz.backward(lambda p: p["\x1b"] * p["b"][0], p={"\x1b": 2.0, "b": (3.0,)}),
        "The result is 6.",
    ),
    "a long name": (lambda: viz.backward(lambda x: x * mg.Variable(2.0, name="w" * 300), x=1.0), "The result is 2."),
    "scopes": (lambda: viz.backward(strange_scopes, x=0.5), "By its gradient, the result grows 0.33 times"),
    "scopes, forward": (lambda: viz.forward(strange_scopes, x=0.5), ""),
    "too small for float32": (
        lambda: viz.backward(lambda x: x * x, x=np.float32(1e-40)),
        "By its gradient, the result grows 2e-40",
    ),
    "a rule that sends nothing": (
        lambda: viz.backward(mg.custom_gradient(lambda x: (x * 1.0, lambda g: None)), x=2.0),
        "The rule of <lambda> sends nothing",
    ),
    "sixty uses": (
        lambda: viz.backward(lambda x: sum(mg.sin(x * float(i)) for i in range(60)), x=0.5),
        "By its gradient, the result falls 124 times as fast as x grows. x is used 60 times",
    ),
    "an engine of one's own": (lambda: viz.backward(SQUARE, by=told_inf), ""),
    "a Jacobian": (lambda: viz.jacobian(lambda x: {STRANGE: x * x, "sum": mg.sum(x)}, np.ones(2)), ""),
}
REFUSED = {
    "a Jacobian without elements": (lambda: viz.jacobian(lambda x: x * x, np.zeros(0)), "at least one element"),
    "steps where nothing is finite": (lambda: viz.steps(mg.exp, x=1e300), "finite numbers, got x=1e\\+300"),
    "a scope that is not there": (lambda: viz.backward(strange_scopes, x=0.5, fold=STRANGE), "no scope or function"),
    "a frame that is not there": (lambda: viz.backward(strange_scopes, x=0.5).unfold("\x1b"), "no frame"),
    "text": (lambda: viz.backward(lambda x: x, x=STRANGE), "holds floats, ints or bools"),
    "a complex number": (lambda: viz.backward(lambda x: x, x=1j), "complex numbers are out of scope"),
}


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_drawn_has_every_form_and_a_true_sentence(name):
    make, sentence = DRAWN[name]
    view = make()
    assert getattr(view, "point", "").startswith(sentence) and (sentence == "") == (getattr(view, "point", "") == "")
    for text in (str(view), view.to_svg(), view._repr_mimebundle_()["text/plain"]):
        assert STEERS.search(text) is None
    ElementTree.fromstring(view.to_svg())
    assert "<script>alert" not in view.to_html()
    for lane in getattr(view, "_lanes", ()):
        for wide in (390, 1150):
            ElementTree.fromstring(f"<svg>{lane.drawn(len(lane.moments) - 1, wide)[0]}</svg>")


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_in_a_sentence_that_can_be_printed(name):
    make, words = REFUSED[name]
    with pytest.raises((TypeError, ValueError), match=words) as error:
        make()
    assert STEERS.search(str(error.value)) is None


def test_an_error_of_the_function_is_the_one_that_arrives():
    def raising(x):
        raise RuntimeError("mine")

    for make in (viz.backward, viz.forward, viz.trace_nan, viz.play):
        with pytest.raises(RuntimeError, match="mine"):
            make(raising, x=1.0)
