"""viz.forward: the graph without gradients, box by box in the order of creation; and a player at its start."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings

import minigrad as mg
import viz
from minigrad.classroom import lesson
from tests.helpers.traces import graphs
from viz.model.findings import Findings
from viz.model.timeline import growth


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


def modes(view):
    """What the player of a view can switch to, whether its inputs can be changed, and whether it has gradients."""
    data = view.data()[0]
    return data.get("modes", []), "drag" in data["lanes"][0], any(stop[4] for stop in data["lanes"][0]["stops"])


def test_a_switch_leads_to_gradients():
    assert modes(example()) == (["values", "wiggle", "gradient"], True, True)
    view = viz.forward(lambda w: mg.sum(w * w), w=np.ones(3))
    assert modes(view) == (["values", "gradient"], True, True)
    assert view.data()[0]["mode"] == "values" and isinstance(view, viz.ForwardView)


def raising(x):
    def rule(dy):
        raise RuntimeError("it was called")

    return mg.exp(x), rule


NONE = {
    "integers": lambda: viz.forward(mg.constant(2) * 3),
    "no input": lambda: viz.forward(mg.stop_gradient(mg.constant(2.0)) * 3.0),
    "a rule that raises": lambda: viz.forward(mg.custom_gradient(raising), x=1.0),
    "not wanted": lambda: viz.forward(lambda x: x * x, x=3.0, gradients=False),
    "a question": lambda: viz.forward(lambda x: x * x, x=3.0).ask({"kind": "edge", "words": "Which?"}),
}


@pytest.mark.parametrize("make", NONE.values(), ids=NONE)
def test_where_there_is_no_gradient_to_show_there_is_no_switch(make):
    assert modes(make()) == ([], False, False)


def test_the_rule_is_not_called_before_the_picture_is_shown():
    calls = []

    @mg.custom_gradient
    def square(x):
        return x * x, lambda dy: calls.append(1) or 2 * dy * x

    view = viz.forward(square, x=3.0)
    assert view.to_text() and view.to_svg() and not calls
    view.data()
    assert calls


def test_a_lesson_before_gradients_has_no_switch_and_a_later_one_has():
    lesson("01")
    assert modes(example()) == ([], False, False)
    assert modes(viz.forward(lambda x: x * x, x=3.0, gradients=True))[0] == ["values", "wiggle", "gradient"]
    lesson("02")
    assert modes(example())[0] == ["values", "wiggle", "gradient"]


def test_frames_are_opened_in_both_pictures():
    h = mg.constant(0.5)
    for block in range(60):
        with mg.scope(f"block {block}"):
            h = mg.tanh(h * 0.9) + mg.sin(h)
    frames = lambda view: set(view.data()[0]["lanes"][0]["graph"]["frames"])
    changes = [lambda v: v, lambda v: v.unfold("block 0"), lambda v: v.unfold(), lambda v: v.unfold().fold("block 3")]
    forward, backward = ([frames(change(view)) for change in changes] for view in (viz.forward(h), viz.backward(h)))
    assert forward == backward and len({*map(len, forward)}) == 3


def test_the_opening_step_counts_boxes_and_not_what_a_rule_replaced():
    @mg.custom_gradient
    def softplus(x):
        return mg.log(1 + mg.exp(x)), lambda dy: dy * mg.sigmoid(x)

    view = viz.forward(lambda x: softplus(x) * x, x=2.0)
    data, stop = view.data()
    nodes = {node["id"]: node for node in data["lanes"][0]["graph"]["nodes"]}
    order = sorted((n for n in nodes.values() if n["kind"] != "const"), key=lambda n: n["output"])
    assert nodes[order[stop]["id"]]["kind"] == "op" and stop == len(order) - 1
    shown = [order[view.step(i).data()[1]] for i in range(3)]
    assert not any(n["ghost"] for n in shown) and [n["kind"] for n in shown] == ["leaf", "custom", "op"]
