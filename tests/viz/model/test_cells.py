"""Small arrays as shaded cells, and the row and the column that made an element nan or inf."""

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.summary import number
from viz.model.cells import bad_cells, shades


def card(view, name):
    """The sentences about the elements of a node that are nan or inf."""
    found = view._lanes[0].found
    return bad_cells(found, next(n for n, called in found.names.items() if called == name))


def test_a_shade_is_a_quarter_of_the_largest_finite_element():
    assert shades(number(np.array([[-4.0, -1.0], [0.0, 3.9]]))) == "da04"
    assert shades(number(np.array([1.0, np.inf, -np.inf, np.nan]))) == "4xxx"
    assert shades(number(np.zeros(3))) == "000"


@pytest.mark.parametrize("value", [1.0, None, "nan", number(np.zeros(17)), number(np.zeros(1)), number(np.zeros(0))])
def test_one_number_and_a_large_array_have_no_cells(value):
    assert shades(value) == ""


def test_cells_stand_in_the_box_row_beside_row():
    view = viz.backward(lambda x: mg.sum(x * x), x=np.array([[1.0, -2.0], [np.inf, 0.0]]))
    lane = view._lanes[0]
    text = lane.texts["n0"]
    assert (text.cells, text.row) == ("2dx0", 2)
    svg = view.to_svg()
    assert svg.count("class='q qx'") == 2 and "class='q qz'" in svg  # x and multiply
    assert text.h == lane.texts["n1"].h > viz.backward(lambda x: x * x, x=1.0)._lanes[0].texts["n0"].h


def test_a_bad_element_of_a_product_names_its_row_and_its_column():
    x, w = np.array([[1.0, 2.0], [3.0, np.inf]]), np.array([[1.0, 0.5], [2.0, 0.0]])
    view = viz.backward(lambda x, w: mg.sum(x @ w), x=x, w=w)
    assert card(view, "matmul") == [
        "value[1, 0]: row 1 of x [3 inf] by column 0 of w [1 2] = inf",
        "value[1, 1]: row 1 of x [3 inf] by column 1 of w [0.5 0] = nan",
    ]
    assert card(view, "x") == ["value[1, 1]: inf"]
    assert card(view, "w") == [
        "ḡ[1, 0]: row 1 of x.T [2 inf] by column 0 of ḡ of matmul [1 1] = inf",
        "ḡ[1, 1]: row 1 of x.T [2 inf] by column 1 of ḡ of matmul [1 1] = inf",
    ]


def test_a_bad_element_of_the_other_factor():
    x, w = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, np.inf], [2.0, 0.0]])
    view = viz.backward(lambda x, w: mg.sum((x @ w) * 0.0), x=x, w=w)
    assert card(view, "x")[0] == "ḡ[0, 0]: row 0 of ḡ of matmul [0 0] by column 0 of w.T [1 inf] = nan"


def test_a_bad_element_of_an_op_on_elements_names_its_factors():
    view = viz.backward(lambda x: mg.sum(mg.exp(x) * 0.0), x=np.array([1.0, 800.0]))
    assert card(view, "x") == ["ḡ[1]: ḡ · slope = 0 · inf = nan"]


def test_a_finite_pass_has_none():
    view = viz.backward(lambda x: mg.sum(x * x), x=np.ones(3))
    assert [bad_cells(view._lanes[0].found, node.id) for node in view.trace.nodes] == [[]] * len(view.trace.nodes)
