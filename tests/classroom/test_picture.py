"""The answer as a picture next to the true one, for every kind of answer made up of numbers."""

import base64
import math

import numpy as np
import pytest
from matplotlib.figure import Figure

import minigrad as mg
from minigrad.classroom import arrays, exercise, floats
from minigrad.classroom.examination import examine
from minigrad.classroom.exercises import Check
from minigrad.classroom.picture import Picture, of_tables, tables


@exercise("length", function="length(a, b)")
def length(c):
    plane = (floats(-9, 9, also=(3.0,)), floats(-9, 9, also=(4.0,)))
    true = lambda a, b: (a / np.hypot(a, b), b / np.hypot(a, b)) if a or b else (0.0, 0.0)
    c.derivative("the gradients", vary=plane, slope=true)


@exercise("jacobian", function="jacobian(x)")
def jacobian(c):
    c.example((np.array([1.0, 2.0]),), np.array([[2.0, 0.0], [0.0, 4.0]]), says="of x * x")


@exercise("products", function="products(A, B)")
def products(c):
    c.derivative("the gradients", vary=(arrays((2, 2)), arrays((2, 2))), forward=np.matmul)


@exercise("adjoints", function="adjoints(rows)")
def adjoints(c):
    c.example(([[], [(0, 3.0), (0, 3.0)]],), [6.0, 1.0], says="of rows of pairs")


@exercise("word", function="word(x)")
def word(c):
    c.example((1.0,), "one")


def alt(verdict):
    picture = Picture.from_json(verdict.picture.to_json(), verdict.picture.alt)  # as in a gradebook
    assert picture.address == verdict.picture.address
    assert base64.b64decode(picture.address.removeprefix("data:image/png;base64,")).startswith(b"\x89PNG")
    return picture.alt


def test_a_tuple_of_numbers_has_a_panel_for_each():
    words = alt(examine(length, lambda a, b: mg.sqrt(a * a + b * b)))
    assert "At a = 0 yours is (nan, nan) and the true one (0, 0)." in words
    assert "Your gradient of a is nan there. Your gradient of b is nan there." in words


def test_a_jacobian_is_a_table_of_colours():
    words = alt(examine(jacobian, lambda x: np.array([[2.0, 0.0], [1.0, math.inf]])))
    assert "2 of 4 entries differ." in words
    assert "At index 1, 0 yours is 1 and the true one 0. At index 1, 1 yours is inf and the true one 4." in words


def test_a_list_of_numbers_is_a_table_whatever_the_inputs_are():
    words = alt(examine(adjoints, lambda rows: [3.0, 1.0]))
    assert words.endswith("1 of 2 entries differ. At index 0 yours is 3 and the true one 6.")
    assert examine(adjoints, lambda rows: [3.0, "1"]).picture is None


def test_a_tuple_of_arrays_has_a_row_of_tables_for_each():
    words = alt(examine(products, lambda a, b: mg.matmul(b, a)))
    assert "of the gradient of A differ" in words or "of the gradient of B differ" in words


@pytest.mark.parametrize("answer", [lambda x: "two", lambda x: None, lambda x: [1, 2], lambda x: 1 / 0])
def test_what_is_not_made_of_numbers_has_no_picture(answer):
    assert examine(word, answer).picture is None


def drawn(got, want):
    check = Check("", None, None, what="value", names=("x",))
    data, words = of_tables(check, got, want)
    return [[text.get_text() for text in axes.texts] for axes in tables(Figure, data).axes], words


def test_the_tables_hold_yours_the_true_one_and_the_difference():
    cells, _ = drawn([np.array([[1.0, 2.0], [math.nan, math.inf]])], [np.array([[1.0, 0.5], [3.0, math.inf]])])
    assert cells == [["1", "2", "nan", "inf"], ["1", "0.5", "3", "inf"], ["0", "1.5", "nan", "0"]]


def test_numbers_and_arrays_of_other_dimensions_are_tables_too():
    assert drawn([2.0], [3.0])[0] == [["2"], ["3"], ["-1"]]
    assert drawn([np.zeros((0,))], [np.zeros((0,))])[0] == [["no entries"]] * 3
    cells, words = drawn([np.ones((2, 3, 2))], [np.zeros((2, 3, 2))])
    assert [len(row) for row in cells] == [12, 12, 12]
    assert "12 of 12 entries differ. At index 0, 0, 0 yours is 1 and the true one 0." in words


def test_of_a_large_array_a_corner_is_drawn_without_numbers():
    cells, words = drawn([np.ones((100, 100))], [np.zeros((100, 100))])
    assert cells == [[], [], []]
    assert "10000 of 10000 entries differ." in words
