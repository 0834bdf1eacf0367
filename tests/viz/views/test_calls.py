"""Calls to rules in pictures: several outputs, None, Variables, and numbers that leave the record in between."""

import math
import re

import numpy as np

import minigrad as mg
import viz
from minigrad.tracing.trace_schema import BackwardTrace
from viz.hosts.html import lane_data


@mg.custom_gradient
def both(a, b):
    def grad(da, db):
        return da + db * b, None

    return (a + b, a * b), grad


def box(view, name, svg=None):
    """The words in the box or the pill of a name, and its classes."""
    node = next(n for n, called in view._lanes[0].findings.names.items() if called == name)
    classes, inside = re.findall(rf"<g class='([^']*)' data-n='{node}'[^>]*>(.*?)</g>", svg or view.to_svg())[0]
    return re.findall("<text[^>]*>([^<]*)</text>", inside), classes.split()


def card(view, name):
    node = next(n for n, called in view._lanes[0].findings.names.items() if called == name)
    return lane_data(view._lanes[0])["cards"][node]


def test_each_output_is_a_port_and_the_unused_one_has_its_0():
    a, b = mg.constant(2.0), mg.constant(5.0)
    s, p = both(a, b)
    view = viz.backward(s * 1.0)
    step = next(step for step in view.trace.steps if step.rule == "custom:grad")
    assert step.g.sample == (1.0, 0.0)
    assert "= 10" in box(view, "output 1")[0] and card(view, "output 1")["used"] == "no"
    assert "both += [1 0] (not yet -> [1 0])" in str(view)
    assert BackwardTrace.from_json(view.to_json()) == view.trace
    view = viz.backward(s + 3.0 * p)
    assert next(step for step in view.trace.steps if step.rule == "custom:grad").g.sample == (1.0, 3.0)
    assert "output 1" not in view._lanes[0].findings.names.values()


def test_messages_to_a_call_stand_at_the_place_of_their_output():
    s, p = both(mg.constant(2.0), mg.constant(5.0))
    table = str(viz.backward(p * 3.0 + s))
    assert "[0 3]" in table and "-> [1 3])" in table


def test_the_none_of_a_rule_is_said_once_its_gradient_is_there():
    a, b = mg.constant(2.0), mg.constant(5.0)
    s, _ = both(a, b)
    view = viz.backward(s * 1.0)
    (edge,) = view._lanes[0].findings.nones
    assert view._lanes[0].findings.names[view.trace.edges[edge].src] == "b"
    assert card(view, "b")["none"].startswith("No gradient reaches b")

    @mg.custom_gradient
    def first(a, b):
        return a + b, lambda dy: (dy, None)

    view = viz.backward(first(a, b) * 1.0)
    svg = view.to_svg()
    assert len(re.findall(">None<", svg)) == 1 and ">None<" not in view.start().to_svg()

    @mg.custom_gradient
    def zero(a, b):
        return a + b, lambda dy: (dy, 0.0 * dy)

    assert ">None<" not in viz.backward(zero(a, b) * 1.0).to_svg()


def test_a_variable_has_a_look_of_its_own_and_the_rule_lists_them():
    w, b = mg.Variable(np.ones((3, 2)), name="w"), mg.Variable(np.zeros(2), name="b")

    @mg.custom_gradient
    def dense(x):
        def grad(dy, variables=None):
            return dy @ mg.transpose(w), [mg.transpose(x) @ dy if v is w else mg.sum(dy, axis=0) for v in variables]

        return x @ w + b, grad

    view = viz.backward(mg.mean(dense(mg.constant(np.ones((4, 3))))))
    words, look = box(view, "w")
    assert words[0] == "w" and "var" in look and card(view, "w")["head"] == "w (Variable)"
    # In the order in which the rule receives them.
    assert [c["variables"] for c in lane_data(view._lanes[0])["cards"].values() if "variables" in c] == ["[b, w]"]
    assert "n var" not in viz.backward(lambda x: x * x, x=1.0).to_svg()


def test_a_number_that_leaves_on_the_line_of_an_op_is_a_cut_with_its_line():
    x, w = mg.constant(4.0), mg.constant(2.0)
    view = viz.backward(w * math.sqrt(x))
    assert "x left the graph as a plain number at" in view.note and "w * math.sqrt(x)" in view.note
    assert view.note.endswith("Gradients do not pass there.")
    assert "gradient stops" in view.to_svg() and box(view, "x")[0] == ["x", "= 4"]


def test_the_number_itself_is_followed_over_lines():
    x, w = mg.constant(4.125), mg.constant(2.0)
    scale = float(x)
    y = w + 1.0
    assert "left the graph" in viz.backward(y * scale).note


def test_a_number_that_is_only_looked_at_cuts_nothing():
    x, w, rate = mg.constant(4.125), mg.constant(2.0), 0.25
    print(float(x))
    assert viz.backward(w * rate).note == ""
