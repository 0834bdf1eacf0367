"""viz.forward: the graph without gradients, box by box in the order of making; and a player at its start."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings

import minigrad as mg
import viz
from tests.helpers.traces import graphs
from viz.model.findings import Findings
from viz.model.forward_moments import growth


def example():
    x = mg.constant(3.0)
    s = x * x
    y = mg.exp(s * 0.5) + x
    return viz.forward(y)


def drawn(view):
    """The heads of the boxes that are drawn, and the numbers of the lines, in the order of making."""
    root = ElementTree.fromstring(view.to_svg())
    boxes = sorted((g for g in root.iter() if g.get("data-n")), key=lambda g: int(g.get("data-n")))
    lines = [int(e.get("data-e")) for e in root.iter() if e.get("class", "").split()[:1] == ["e"]]
    return [g.find("{*}text").text for g in boxes], sorted(lines)


def test_the_text_says_how_each_number_was_made():
    assert example().to_text().splitlines() == [
        "name      made by           value",
        "x         (input)           3",
        "s         multiply(x, x)    9",
        "multiply  multiply(s, 0.5)  4.5",
        "exp       exp(multiply)     90.02",
        "y         add(exp, x)       93.02",
    ]


def test_no_gradient_and_no_message_is_in_the_picture():
    root = ElementTree.fromstring(example().to_svg())
    looks = {word for e in root.iter() for word in e.get("class", "").split()}
    assert "ḡ" not in "".join(root.itertext()) and not looks & {"gv", "lv", "sl"}
    assert {e.get("stroke-width") for e in root.iter() if e.get("data-e")} == {"1"}
    assert example().trace.steps == ()


def test_it_grows_in_the_order_of_making_and_a_constant_comes_with_its_use():
    view = example()
    heads = ["x", "s", "multiply 0.5", "exp", "y"]
    assert drawn(view)[0] == heads
    assert drawn(view.start())[0] == ["x"]
    assert [drawn(view.step(i))[0] for i in range(5)] == [heads[: i + 1] for i in range(5)]


def test_a_line_comes_with_the_box_that_it_enters():
    view = example()
    into = {}
    for edge in view.trace.edges:
        into.setdefault(edge.dst, []).append(edge.id)
    seen, constants = [], {edge.id for edge in view.trace.edges if view.trace.nodes[edge.src].kind == "const"}
    for i, node in enumerate(node.id for node in view.trace.nodes if node.kind != "const"):
        seen += into.get(node, [])
        assert drawn(view.step(i))[1] == sorted({*seen} - constants)


@given(trace=graphs())
@settings(max_examples=40)
def test_every_box_comes_after_those_it_is_made_from(trace):
    found = Findings(trace)
    at = {moment.node: i for i, moment in enumerate(growth(found))}
    assert set(at) == {node.id for node in trace.nodes if node.kind != "const" and not node.ghost}
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


def test_boxes_in_frames_come_one_by_one():
    h = mg.constant(0.5)
    for block in range(60):
        with mg.scope(f"block {block}"):
            h = mg.tanh(h * 0.9) + mg.sin(h)
    view = viz.forward(h)
    words = [moment.words for moment in view._lanes[0].moments]
    assert "multiply(x, 0.9) = 0.45." in words and len(words) == 241
    assert "60 × block: 240 ops" in view.to_text()
    opened = view.unfold("block 0")
    assert isinstance(opened, viz.ForwardView) and len(opened._lanes[0].moments) == len(words)


def test_the_strip_of_a_loop_shows_values():
    def doubled(x):
        for i in range(40):
            with mg.scope(f"block {i}"):
                x = mg.tanh(mg.sin(x * 2.0) + x) * 2.0
        return x

    view = viz.forward(doubled, x=1.0)
    texts = [t.text for t in ElementTree.fromstring(view.to_svg()).iter() if t.tag.endswith("text")]
    first = 2 * np.tanh(np.sin(2.0) + 1)
    assert "|value| of each block, on a log scale" in texts and "not yet" not in "".join(texts)
    assert any(text == f"block 0: {first:.3g}" for text in texts)
    assert "ḡ" not in "".join(texts) and "gradient" not in "".join(texts)
    before = [t.text for t in ElementTree.fromstring(view.step(0).to_svg()).iter() if t.tag.endswith("text")]
    assert "block 0" in before  # without a number, as it has none yet


def test_a_forward_view_opens_on_the_whole_graph():
    view = example()
    assert view.data()[1] == len(view._lanes[0].moments) - 1


def test_a_backward_view_can_open_before_the_first_message():
    x = mg.constant(3.0)
    view = viz.backward(x * x)
    gradients = lambda svg: [t.text for t in ElementTree.fromstring(svg).iter() if t.get("class", "")[:2] == "gv"]
    assert gradients(view.start().to_svg()) == ["ḡ 1"] and gradients(view.to_svg()) == ["ḡ 6", "ḡ 1"]
    assert view.start().data()[1] == 0


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
