"""A learner's own engine: the picture draws what it reports, and marks what cannot be right."""

import math
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
import viz
from tests.helpers.own_engines import (
    Number,
    assigning,
    backward,
    by_recursion,
    double_counting,
    first_come,
    order_nodes,
    stale,
)

RIGHT = "Every box holds the sum of what arrived, and sent it on times its slopes."


def told(by, x=3.0):
    """The pass of b + b*b with b = 2x: 26 at 3."""
    x = Number(x)
    b = 2 * x
    y = b + b * b
    return viz.backward(y, by=by)


def unnamed():
    b = 2 * Number(3.0)
    return b + b * b


def shown(view):
    """Gradients by box, in the words of the last picture, and messages by edge, as it was given them."""
    (lane,) = view._lanes
    names, edges = lane.findings.names, lane.findings.edges
    boxes = [g for g in ElementTree.fromstring(view.to_svg()).iter() if g.get("data-n")]
    gradients = {names[int(g.get("data-n"))]: t.text[2:] for g in boxes for t in g if t.get("class", "")[:2] == "gv"}
    sent = {edges[int(key[1:])]: text for key, text in lane.state(len(lane.moments) - 1)["sent"].items()}
    return gradients, {(names[edge.dst], names[edge.src], edge.arg): text for edge, text in sent.items()}


def at_lines(view):
    """The numbers above the lines of the picture."""
    root = ElementTree.fromstring(view.to_svg())
    return [t.text for t in root.iter() if t.get("class", "")[:2] == "lv"]


def test_the_right_engine_is_drawn_and_not_marked():
    view = told(backward)
    gradients, messages = shown(view)
    assert gradients == {"x": "26", "b": "13", "multiply": "1", "y": "1", "2": "39"}
    assert messages["b", "x", 0] == "26" and messages["multiply", "b", 0] == "6"
    assert sorted(at_lines(view)) == ["1", "1", "26", "6", "6"]
    assert view.note == f"6 messages were recorded. {RIGHT}"
    assert "≠" not in view.to_svg() and "≠" not in str(view)


def test_recursion_is_right_and_its_edges_show_every_message():
    view = told(by_recursion)
    gradients, messages = shown(view)
    assert gradients["x"] == "26" and messages["b", "x", 0] == "2, 12, 12" and "2, 12, 12" in at_lines(view)
    assert view.note == f"10 messages were recorded. {RIGHT}"


def test_double_counting_is_marked_at_the_edge():
    view = told(double_counting)
    gradients, messages = shown(view)
    assert gradients["x"] == "42" and gradients["b"] == "13"
    assert messages["b", "x", 0] == "42 ≠ 26" and "42 ≠ 26" in at_lines(view)
    assert view.note.endswith(
        "This cannot be right: b sent 2, 14, 26 to x, together 42. But b holds 13, and 13 · 2 = 26."
    )
    assert "3  b sends to the constant 2: 1 · 3 = 3. It now holds 3." in view.to_text()


@pytest.mark.parametrize("by", [double_counting, first_come])
def test_without_names_everything_is_a_constant_and_is_marked_all_the_same(by):
    view = viz.backward(unnamed(), by=by)
    assert {node.kind for node in view.trace.nodes} == {"const", "op", "output"}
    assert "This cannot be" in view.note and "Every box holds" not in view.note


def test_constants_may_be_left_out():
    def to_inputs_alone(y, tell):
        backward(y, lambda node, i, *message: node.parents[i].value == 2 or tell(node, i, *message))

    x = Number(3.0)
    assert "Every box holds" in viz.backward(x * 2.0 + x, by=to_inputs_alone).note


def test_assigning_is_marked_at_the_box():
    view = told(assigning)
    gradients, _ = shown(view)
    assert gradients == {"x": "12", "b": "6 ≠ 13", "multiply": "1", "y": "1", "2": "18"}
    mark = "1, 6, 6 arrived at b, together 13. But b holds 6."
    assert view.note == f"6 messages were recorded. This cannot be right: {mark}"
    assert f"multiply sends to b: 1 · 6 = 6. b held 6 and now holds 6. {mark}" in str(view)


def test_stale_gradients_are_marked_from_the_second_pass_on():
    x = Number(3.0)
    y = x * x + x
    first, second = viz.backward(y, by=stale), viz.backward(y, by=stale)
    assert first.note.endswith(RIGHT)
    assert shown(first)[0]["x"] == "7"
    gradients, _ = shown(second)
    assert gradients["x"] == "20 ≠ 13" and gradients["multiply"] == "2 ≠ 1"
    assert "1 arrived at multiply. But multiply holds 2." in second.note


def test_a_node_that_sends_too_early_is_marked():
    view = told(first_come)
    gradients, messages = shown(view)
    assert gradients["x"] == "2" and gradients["b"] == "13" and messages["b", "x", 0] == "2 ≠ 26"
    assert view.note.endswith("This cannot be right: b sent 2 to x. But b holds 13, and 13 · 2 = 26.")
    assert "b held 1 and now holds 7. b had sent before this arrived." in str(view)


def test_a_result_that_does_not_start_at_1_is_marked():
    def seeded(y, tell):
        adjoint = dict.fromkeys(order_nodes(y), 0.0)
        adjoint[y] = 2.0
        tell(y, 0, 2.0 * y.slopes[0], 2.0 * y.slopes[0])

    x = Number(3.0)
    view = viz.backward(Number(-3.0, "negative", (x,), (-1.0,)), by=seeded)
    assert view.note.endswith("This cannot be right: negative sent -2 to x. But negative holds 1, and 1 · -1 = -1.")


@given(st.lists(st.tuples(st.sampled_from("+*"), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
@settings(max_examples=40, deadline=None)
def test_of_any_graph_the_right_pass_has_no_mark_and_holds_what_the_engine_computes(rows):
    def build(make):
        numbers = [make(0.5), make(-1.5)]
        for op, i, j in rows:
            a, b = numbers[i % len(numbers)], numbers[j % len(numbers)]
            numbers.append(a + b if op == "+" else a * b)
        return numbers

    mine, theirs = build(Number), build(lambda x: mg.constant(np.float64(x)))
    view = viz.backward(mine[-1], by=backward, names={"p": mine[0], "q": mine[1]})
    assert view.note.endswith(RIGHT)
    true = mg.gradients(theirs[-1], theirs[:2], unconnected_gradients="zero")
    held = {node.name: node.adjoint for node in view.trace.nodes}
    for name, slope in zip("pq", true):
        assert held.get(name, 0.0) == pytest.approx(float(slope.value), rel=1e-12)


def test_without_by_the_forward_graph_is_drawn_with_the_names_of_the_caller():
    x = Number(3.0)
    y = 2 * x + x
    view = viz.backward(y)
    assert str(view) == str(viz.forward(y))
    assert str(view).splitlines() == [
        "name      made by           value",
        "x         (input)           3",
        "multiply  multiply(x, 2)    6",
        "y         add(multiply, x)  9",
    ]
    assert [node.kind for node in view.trace.nodes] == ["leaf", "const", "op", "output"]


def test_any_object_will_do_and_a_name_of_its_own_wins():
    leaf = SimpleNamespace(value=2, parents=(), name="weight")
    y = SimpleNamespace(value=np.float32(4.0), parents=[leaf, leaf])

    def engine(y, tell):
        tell(y, 0, 2, 2)
        tell(y, 1, 2, 4)

    view = viz.backward(y, by=engine)
    assert [(node.name, node.op, node.value) for node in view.trace.nodes] == [
        ("weight", "leaf", 2.0), ("y", "SimpleNamespace", 4.0)
    ]  # fmt: skip
    assert view.note == "2 messages were recorded. Every box holds the sum of what arrived."


def test_equal_objects_are_different_nodes():
    class Equal(Number):
        def __eq__(self, other):
            return self.value == other.value

        __hash__ = Number.__hash__

    a, b = Equal(1.0), Equal(1.0)
    assert len(viz.forward(Equal(2.0, "add", (a, b), (1.0, 1.0))).trace.nodes) == 3


def test_nan_is_told_as_nan():
    x = Number(0.0)
    y = Number(math.nan, "odd", (x,), (math.inf,))
    view = viz.backward(y, by=lambda y, tell: tell(y, 0, math.nan, math.nan))
    assert shown(view)[0]["x"] == "nan"
    assert "arrived" not in view.note


def test_an_engine_that_tells_nothing_gets_a_sentence():
    view = told(lambda y, tell: None)
    assert view.note == "<lambda> did not call tell: write tell(node, i, message, held) after each message."
    assert "did not call tell" in view.data()[0]["lanes"][0]["stops"][0][8]


def test_of_very_many_messages_the_first_are_drawn():
    y = Number(1.0)
    for _ in range(11):
        y = y + y
    view = viz.backward(y, by=by_recursion)
    assert view.note == "tell was called 4094 times; the first 1022 messages are drawn."


def test_long_chains_need_no_recursion():
    y = Number(1.0)
    for _ in range(1500):
        y = y * 0.999
    view = viz.backward(y, by=backward, names={})
    assert view.trace.nodes[0].adjoint == pytest.approx(0.999**1500)


def test_it_opens_at_the_start_and_survives_being_folded_and_stepped():
    view = told(backward)
    assert view.data()[1] == 0 and view.step(0).data()[1] == 2
    assert "x is an input and holds 26: nothing more arrives." in view.unfold().to_text()
    assert mg.BackwardTrace.from_json(view.to_json()) == view.trace


CIRCLE = Number(1.0, "loop")
CIRCLE.parents, CIRCLE.slopes = (CIRCLE,), (1.0,)


@pytest.mark.parametrize(
    "wrong, error, words",
    [
        (lambda: viz.backward(3.0, by=backward), TypeError, "by= goes with an object that has value"),
        (lambda: told(lambda y: None), TypeError, r"<lambda> is called as <lambda>\(y, tell\): give it a second"),
        (
            lambda: told(lambda y, tell: tell(Number(1.0), 0, 1.0, 1.0)),
            TypeError,
            r"reported Number\(1\), which is not",
        ),
        (lambda: told(lambda y, tell: tell(y, 2, 1.0, 1.0)), TypeError, r"argument 2 of Number\(42\), which has 2"),
        (
            lambda: told(lambda y, tell: tell(y, 0, "a", 1.0)),
            TypeError,
            "reported 'a' as message, which must be a number",
        ),
        (lambda: viz.forward(Number(1.0, "odd", {1.0})), TypeError, "parents of odd must be a tuple .* got {1.0}"),
        (lambda: viz.forward(Number(1.0, "odd", (1.0,))), TypeError, r"got 1\.0; write Number\(1\.0\) for a number"),
        (lambda: viz.forward(Number(1.0, "odd", (Number(1.0),), 1.0)), TypeError, r"slopes of odd .*, 1, got 1\.0"),
        (lambda: viz.forward(Number("a", "odd")), TypeError, "the value of odd must be a number, got 'a'"),
        (lambda: viz.forward(CIRCLE), ValueError, "loop is made from itself"),
    ],
)
def test_mistakes_get_a_sentence(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()
