"""Local derivatives at their lines: numbers as numbers, of arrays the formula, of matrices the product with shapes."""

import re

import numpy as np

import minigrad as mg
import viz
from tests.helpers.own_engines import Number, backward


def slopes(view):
    """The words at the line from each argument to each op."""
    lane = view._lanes[0]
    names = lane.found.names
    ends = {link.key: lane.found.edges[link.edges[0]] for link in lane.drawing.links}
    return {(names[ends[key].src], names[ends[key].dst]): text for key, text in lane.slopes.items()}


def test_a_number_is_written_as_a_number():
    view = viz.backward(lambda x, w: mg.exp(x * w) - w, x=2.0, w=-3.0)
    assert slopes(view) == {
        ("x", "multiply"): "× -3",
        ("w", "multiply"): "× 2",
        ("multiply", "exp"): "× 0.002479",
        ("exp", "subtract"): "× 1",
        ("w", "subtract"): "× -1",
    }
    assert "<text class='d' x='" in view.to_svg()


def test_each_message_is_the_upstream_times_the_slope_at_its_line():
    view = viz.backward(lambda x, w: mg.tanh(x * w) * mg.exp(x) / w, x=0.5, w=1.5)
    lane = view._lanes[0]
    at_edge = {lane.drawing.links[i].edges[0]: lane.slopes[link.key] for i, link in enumerate(lane.drawing.links)}
    sends = [(step.g, send) for step in view.trace.steps for send in step.sends]
    assert len(sends) == 8
    for g, send in sends:
        assert np.isclose(g * float(at_edge[send.edge].removeprefix("× ")), send.value, rtol=2e-3)


def test_a_slope_that_is_nan_or_inf_is_a_word():
    assert slopes(viz.backward(lambda x: mg.sqrt(x), x=0.0)) == {("x", "sqrt"): "× inf"}


def test_of_matrices_it_is_the_product_with_the_shapes_of_its_factors():
    view = viz.backward(lambda x, w: mg.mean(x @ w), x=np.ones((4, 3)), w=np.ones((3, 2)))
    assert slopes(view) == {
        ("x", "matmul"): "ḡ @ w.T (4×2 @ 2×3)",
        ("w", "matmul"): "x.T @ ḡ (3×4 @ 4×2)",
        ("matmul", "mean"): "× (1 / 8)",
    }


def test_of_arrays_it_is_the_formula():
    view = viz.backward(lambda x, w: mg.sum(x * w), x=np.arange(9.0), w=np.arange(9.0))
    assert slopes(view)["x", "multiply"] == "× w" and slopes(view)["w", "multiply"] == "× x"


def test_a_long_formula_gives_way_to_its_numbers():
    view = viz.backward(lambda a_long_name: mg.sum(mg.tanh(a_long_name * 2.0)), a_long_name=np.zeros(3))
    assert slopes(view)["multiply", "tanh"] == "× [1 1 1]"


def test_a_rule_of_the_user_has_no_local_derivative_and_what_it_replaced_has():
    @mg.custom_gradient
    def square(x):
        return x * x, lambda dy: 2 * dy * x

    assert slopes(viz.backward(square, x=3.0)) == {("x", "multiply"): "× 3"}


def test_a_forward_pass_has_none():
    assert viz.forward(lambda x: x * x, x=3.0)._lanes[0].slopes == {}


def test_the_slopes_of_a_learners_engine_stand_at_their_lines():
    x = Number(3.0)
    y = x * x
    assert slopes(viz.backward(y, by=backward)) == {("x", "y"): "× 3"}


def test_the_words_at_the_lines_of_a_box_do_not_touch():
    view = viz.backward(lambda x, w, b: mg.where(x > 0.0, x * w, b) * w, x=1.0, w=2.0, b=3.0)
    found = re.findall(r"<text class='([md])' x='(\d+)' y='(\d+)'>[^<]", view.to_svg())
    lows = {(int(x), int(y) - (8 if kind == "m" else 7), int(y) + 2) for kind, x, y in found}
    for x, top, low in lows:
        near = [(t, b) for other, t, b in lows if other == x and (t, b) != (top, low)]
        assert not [box for box in near if top < box[1] and box[0] < low]


def test_a_line_is_straight_although_a_constant_joins_it_with_words_at_both():
    lane = viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=100.0)._lanes[0]
    curved = [link.arg for link in lane.drawing.links if "c" in lane.layout.paths[link.key].d]
    assert len(lane.drawing.links) == 4 and curved == [0]  # that of the 1
