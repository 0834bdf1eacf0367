"""Second order: the picture of a gradient, and the edges that a rule left out of it."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz


def gradient_of(rule_of, x=1.0):
    @mg.custom_gradient
    def f(x):
        e = mg.exp(x)
        return mg.log(1 + e), rule_of(x, e)

    x = mg.constant(x)
    y = f(x)
    (slope,) = mg.gradients(y, x)
    return slope, x, y


def marks(view):
    """The number of lines that are drawn where a gradient stops, each with the words."""
    svg = view.to_svg()
    lines = re.findall("<path class='e [^']*\\bcut", svg)
    assert len(lines) == svg.count(">gradient stops<")
    return len(lines)


def sound(x, e):
    return lambda dy: dy * (1 - 1 / (1 + e))


def leaving(x, e):
    def grad(dy):
        plain = float(e)
        return dy * (1 - 1 / (1 + plain))

    return grad


def test_the_backward_graph_is_the_forward_graph_of_the_next_pass():
    x = mg.constant(2.0)
    (slope,) = mg.gradients(mg.exp(x) * x, x)
    view = viz.backward(slope)
    assert view.title == "Backward pass of slope"
    (second,) = (node.adjoint for node in view.trace.nodes if node.name == "x")
    assert second == pytest.approx(float(mg.gradients(slope, x)[0].value))
    assert {node.name for node in view.trace.nodes if node.kind == "leaf"} == {"x", "dy"}


def test_a_rule_that_left_the_graph_is_marked_with_the_missing_edge():
    slope, x, _y = gradient_of(leaving)
    assert mg.gradients(slope, x) == [None]
    view = viz.backward(slope)
    assert "exp left the graph as a plain number at" in view.note and "plain = float(e)" in view.note
    assert marks(view) == 1 and view.to_svg().count(">gradient stops<") == 1 and "left the graph" in view.to_html()
    assert view.note in view.to_text()


def test_a_sound_rule_has_none():
    slope, *_ = gradient_of(sound)
    view = viz.backward(slope)
    assert view.note == "" and marks(view) == 0 and "gradient stops" not in view.to_html()


def test_looking_at_a_number_outside_a_rule_is_no_missing_edge():
    x = mg.constant(2.0)
    float(x)
    assert viz.backward(x * 3.0).note == ""


def looking(x, e):
    def grad(dy):
        if float(e) > 0:
            return dy * e / (2.0 + e)
        return dy * 2.0

    return grad


def through_numpy(x, e):
    def grad(dy):
        return dy * np.tanh(e.numpy())

    return grad


def through_a_constant(x, e):
    def grad(dy):
        slope = mg.constant(float(e) / 3)
        return dy * slope

    return grad


def unchanged(x, e):
    return lambda dy: dy * float(e)


@pytest.mark.parametrize("rule, edges", [(looking, 0), (through_numpy, 1), (through_a_constant, 1), (unchanged, 1)])
def test_only_a_number_that_is_computed_with_is_a_missing_edge(rule, edges):
    slope, x, _y = gradient_of(rule)
    assert (mg.gradients(slope, x)[0] is None) == bool(edges)
    assert marks(viz.backward(slope)) == edges


def test_an_array_that_left_is_found_too():
    slope, x, _y = gradient_of(through_numpy, np.array([1.0, 2.0]))
    assert mg.gradients(slope, x) == [None] and "e.numpy()" in viz.backward(slope).note


# The body of a function with a custom gradient.


@mg.custom_gradient
def kept_in_the_body(x):
    e = mg.exp(x)
    plain = float(e)
    return x * plain, lambda dy: dy * e * (1 + x)


@mg.custom_gradient
def not_kept(x):
    return x * float(mg.exp(x)), lambda dy: dy * x


@mg.custom_gradient
def only_read(x):
    e = mg.exp(x)
    return (e if float(e) > 0 else x), lambda dy: dy * x


@pytest.mark.parametrize("f", [kept_in_the_body, not_kept])
def test_a_number_that_left_in_the_body_is_marked_there(f):
    view = viz.backward(f(mg.constant(0.5)))
    assert re.search(r"exp left the graph as a plain number at .*float\(", view.note)
    assert view.note.endswith("The derived gradients, which the rule replaces, do not pass there.")
    assert marks(view) == 1


def line_higher(x, e):
    n = float(e)
    return lambda dy: dy * n / (1.0 + n)


def line_higher_spelled_out(x, e):
    _one = float(x)  # 1, which the rule spells out
    return lambda dy: dy * e / (1.0 + e)


@pytest.mark.parametrize("rule, edges", [(line_higher, 1), (line_higher_spelled_out, 0)])
def test_a_number_that_left_a_line_above_the_rule_is_marked_where_the_rule_uses_it(rule, edges):
    slope, _x, _y = gradient_of(rule)
    view = viz.backward(slope)
    assert marks(view) == edges
    if edges:
        assert view.note.endswith("n = float(e). Gradients of this gradient do not pass there.")


def test_a_number_that_is_only_read_in_the_body_is_not():
    view = viz.backward(only_read(mg.constant(0.5)))
    assert view.note == "" and marks(view) == 0


@pytest.mark.parametrize("ones", [1.0, [1.0, 1.0]])
def test_a_variable_of_ones_keeps_its_name_after_an_older_one_was_read(ones):
    w = mg.Variable(3.0, name="w")
    w * 2.0  # the read of `w` is now older than the next Variable
    view = viz.backward(mg.sum(w * mg.Variable(ones, name="gain")))
    assert "an entry of gain" in view.to_text() or "as fast as gain" in view.to_text()
    assert "dy" not in view.to_text()
