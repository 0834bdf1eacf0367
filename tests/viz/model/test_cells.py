"""Small arrays as shaded cells, and the row and the column that made an element nan or inf."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.trace_fields import number
from tests.helpers.node import run_js, words
from viz.model.cells import bad_cells, shades


def card(view, name):
    """The sentences about the elements of a node that are nan or inf."""
    found = view._lanes[0].findings
    return bad_cells(found, next(n for n, called in found.names.items() if called == name))


def test_a_shade_is_a_quarter_of_the_largest_finite_element():
    assert shades(number(np.array([[-4.0, -1.0], [0.0, 3.9]]))) == "da04"
    assert shades(number(np.array([1.0, np.inf, -np.inf, np.nan]))) == "4xxx"
    assert shades(number(np.zeros(3))) == "000"


@pytest.mark.parametrize("value", [1.0, None, "nan", number(np.zeros(65)), number(np.zeros(1)), number(np.zeros(0))])
def test_one_number_and_a_large_array_have_no_cells(value):
    assert shades(value) == ""


def test_an_array_of_64_elements_has_cells_here_and_in_the_browser(subtests):
    for n in (16, 17, 64, 65):
        with subtests.test(n):
            values = np.linspace(-4.0, 4.0, n)
            values[n // 2 :: 3] = np.nan
            page = "return shadesOf({ n: data.length, sample: data.slice(0, 64) })"
            assert shades(number(values)) == run_js(("tape", "cells"), page, words(values))
            assert len(shades(number(values))) == (n if n <= 64 else 0)


def images_of(view, n):
    """The images in the box of node `n`, of its value and of its gradient: at each place of a cell, its sign."""
    (box,) = re.findall(f"<g class='n [^']*' data-n='{n}'.*?</g>(?:<text|</g>)", view.to_svg())
    for image in box.split("<g class='ga'>"):
        grid = re.search(r"translate\((\S+) (\S+)\)scale\((\S+)\)' stroke-width='(\S+)'", image)
        left, top, cell, pen = map(float, grid.groups() if grid else "0000")
        cells = {}
        for sign, path in re.findall(r"<path class='q([^x])' d='([^']*)'", image):
            for x, y in re.findall(r"M(\d+) (\d+)z", path):  # the middle of a square as wide as the pen
                cells[top + (int(y) - pen / 2) * cell, left + (int(x) - pen / 2) * cell] = sign
        for x, y in re.findall(r"M(\S+) (\d+(?:\.\d+)?)l", "".join(re.findall("<path class='qx'.*?>", image))):
            cells[float(y), float(x)] = "x"
        yield {(round(y, 1), round(x, 1)): sign for (y, x), sign in cells.items()}


def in_rows(cells):
    """The signs of an image, row below row."""
    return ["".join(cells[y, x] for y, x in sorted(cells) if y == row) for row in sorted({y for y, _ in cells})]


def test_cells_stand_in_the_box_row_below_row():
    view = viz.backward(lambda x: mg.sum(x * x), x=np.array([[1.0, -2.0], [np.inf, 3.0]]))
    assert [in_rows(cells) for cells in images_of(view, 0)] == [["2c", "x4"], ["2c", "x4"]]
    assert len(re.findall(r"class='qx' [^>]*d='M\S+ \S+l8.5 8.5m0-8.5l-8.5 8.5'", view.to_svg())) == 3  # crossed out


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
    assert [bad_cells(view._lanes[0].findings, node.id) for node in view.trace.nodes] == [[]] * len(view.trace.nodes)


def dense(x, w, b):
    return mg.sum(mg.tanh(x @ w + b) * 2.0)


def rows_of(view):
    """The rows of the player by (sender, receiver), by name."""
    lane = view.data()[0]["lanes"][0]
    return {(lane["cards"][row[1]]["name"], lane["cards"][row[3]]["name"]): row for row in lane["stops"] if row[3] >= 0}


def test_the_adjoint_of_a_small_array_is_an_image_at_every_moment():
    x, w, b = np.array([[1.0, -2.0], [0.5, 3.0]]), np.eye(2), np.zeros(2)
    view = viz.backward(dense, x=x, w=w, b=b)
    lane = view._lanes[0]
    cells = {
        (lane.findings.names[s.node], lane.findings.names[m.to]): m.after for s in lane.trace.steps for m in s.sends
    }
    assert {pair for pair, row in rows_of(view).items() if len(row) > 9 and row[9]} == {
        pair for pair, after in cells.items() if shades(after)
    }
    for pair, row in rows_of(view).items():
        assert (row[9] if len(row) > 9 else "") == shades(cells[pair])
    (value, gradient), x = images_of(view, 0), lane.trace.nodes[0]
    assert ["".join(in_rows(cells)) for cells in (value, gradient)] == [shades(x) for x in (x.value, x.adjoint)]
    assert [*images_of(view.start(), 0)] == [value, {}]  # nothing has arrived: no cells, which is not the same as zeros


@pytest.mark.parametrize(
    "shape, columns, rows",
    [((3,), 3, 1), ((1, 3), 3, 1), ((4, 1), 3, 0)],
    ids=["a row", "a row of a matrix", "a column"],
)
def test_a_sum_over_rows_or_columns_has_the_cells_of_each_and_of_the_sum(shape, columns, rows):
    x, b = np.arange(12.0).reshape(4, 3) - 5, np.linspace(-1, 1, int(np.prod(shape))).reshape(shape)
    view = viz.backward(lambda x, b: mg.sum(mg.sin(x * b)), x=x, b=b)
    whole = np.cos(x * b) * x
    total = whole.sum(0 if rows else 1).reshape(shape)
    fold = rows_of(view)["multiply", "b"][10]
    assert fold == [shades(number(whole)), columns, rows, shades(number(total))]
    assert len(rows_of(view)["multiply", "x"]) == 10


def test_nothing_is_folded_where_nothing_was_copied_or_the_array_is_large():
    for view in (
        viz.backward(lambda x, b: mg.sum(x * b), x=np.ones((2, 2)), b=np.ones((2, 2))),
        viz.backward(lambda x, b: mg.sum(x + b), x=np.ones((30, 3)), b=np.ones(3)),
        viz.backward(lambda x, b: mg.sum(x + b), x=np.ones((2, 2)), b=1.0),
    ):
        assert all(len(row) < 11 for row in rows_of(view).values())
