"""viz.forward: the graph without adjoints, box by box in the order of making; and a player at its start."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings

import minigrad as mg
import viz
from tests.viz.model.test_timeline import graphs
from viz.model.findings import Findings
from viz.model.folding import draw
from viz.model.growth import growth


def example():
    x = mg.constant(3.0)
    s = x * x
    y = mg.exp(s * 0.5) + x
    return viz.forward(y)


def hidden(view):
    """The heads of the boxes that are not there yet."""
    root = ElementTree.fromstring(view.to_svg())
    groups = [g for g in root.iter() if "later" in g.get("class", "").split() and g.get("data-n")]
    return [g.find("{*}text").text for g in groups]


def test_the_text_says_how_each_number_was_made():
    assert example().to_text().splitlines() == [
        "name      made by           value",
        "x         (input)           3",
        "s         multiply(x, x)    9",
        "multiply  multiply(s, 0.5)  4.5",
        "exp       exp(multiply)     90.02",
        "y         add(exp, x)       93.02",
    ]


def test_no_adjoint_and_no_message_is_in_the_picture():
    svg = example().to_svg()
    assert "ḡ" not in svg and "class='g'" not in svg and not re.search(r"class='m'[^>]*>[^<]", svg)
    assert example().trace.steps == ()


def test_it_grows_in_the_order_of_making_and_a_constant_comes_with_its_use():
    view = example()
    assert hidden(view) == []
    assert hidden(view.start()) == ["x", "multiply", "0.5", "multiply", "exp", "add"]
    assert hidden(view.step(0)) == ["multiply", "0.5", "multiply", "exp", "add"]
    assert hidden(view.step(2)) == ["exp", "add"]


def test_lines_and_argument_numbers_come_with_the_box_they_enter():
    root = ElementTree.fromstring(example().step(1).to_svg())
    later = [g for g in root.iter() if "later" in g.get("class", "").split()]
    assert sum("e" in g.get("class").split() for g in later) == 5
    assert sum("k" in g.get("class").split() for g in later) == 4


@given(trace=graphs())
@settings(max_examples=40)
def test_every_box_comes_after_those_it_is_made_from(trace):
    found = Findings(trace)
    at = {moment.node: i for i, moment in enumerate(growth(found, draw(trace)))}
    assert set(at) == {-1} | {node.id for node in trace.nodes if node.kind != "const" and not node.ghost}
    assert all(at[e.src] < at[e.dst] for e in trace.edges if e.src in at and e.dst in at)


def test_options_and_arrays_are_named():
    view = viz.forward(lambda w: mg.sum(w, axis=0), w=np.ones((2, 2)))
    assert view.to_text().splitlines()[-1] == "sum   sum(w, axis=0)  [2 2] (2)"


def test_a_custom_call_is_one_box_and_integers_are_drawn_too():
    @mg.custom_gradient
    def square(x):
        return x * x, lambda dy: 2 * dy * x

    assert [node.op for node in viz.forward(square, x=2.0).trace.nodes] == ["leaf", "square"]
    assert [node.op for node in viz.forward(mg.constant(2) * 3).trace.nodes] == ["leaf", "const", "multiply"]


def test_a_folded_box_grows_as_one():
    h = mg.constant(0.5)
    for block in range(60):
        with mg.scope(f"block {block}"):
            h = mg.tanh(h * 0.9) + mg.sin(h)
    view = viz.forward(h)
    words = [moment.words for moment in view._lanes[0].moments]
    assert "block 0 … block 9: 50 nodes in one frame." not in words  # it opens, so its boxes come one by one
    assert "multiply(x, 0.9) = 0.45." in words and len(words) == 242
    opened = view.unfold("block 0 … block 9")
    assert isinstance(opened, viz.ForwardView) and len(opened._lanes[0].moments) == len(words)


def test_a_backward_view_opens_before_the_first_message():
    x = mg.constant(3.0)
    view = viz.backward(x * x).start()
    svg = view.to_svg()
    assert svg.count("ḡ not yet") == 1 and "ḡ 1" in svg
    assert view.data()[1] == 0
    assert view.step(1).to_svg().count("ḡ not yet") == 0


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda: viz.forward(3.0), r"forward takes a Tensor, or a function .* got 3\.0 of type float"),
        (lambda: viz.forward(lambda x: None, x=1.0), "forward: <lambda> must return a Tensor"),
    ],
)
def test_mistakes_get_a_sentence(wrong, words):
    with pytest.raises(TypeError, match=words):
        wrong()
