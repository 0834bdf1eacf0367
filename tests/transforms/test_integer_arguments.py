"""Integers among the primals of vjp and jvp: indices and counts, which have no gradient."""

import numpy as np
import pytest

import minigrad as mg

ROW = np.array([1.0, 2.0, 4.0])

#: An integer of each kind that picks the last element of ROW, by what f does with it.
LAST = [2, np.int64(2), np.array(2), np.array([2], "int32"), mg.constant(2), np.array([False, False, True])]


@pytest.mark.parametrize("i", LAST, ids=repr)
def test_vjp_hands_an_integer_on_and_gives_it_none(i):
    y, pull_back = mg.vjp(lambda x, i: x[i] ** 2, ROW, i)
    assert np.ravel(y.value).tolist() == [16.0]
    slope, none = pull_back(np.ones(y.shape))
    assert slope.tolist() == [0.0, 0.0, 8.0] if isinstance(slope, np.ndarray) else slope.value.tolist() == [0, 0, 8]
    assert none is None


@pytest.mark.parametrize("i", LAST, ids=repr)
@pytest.mark.parametrize("still", [None, 0], ids=repr)
def test_jvp_takes_none_or_zero_along_an_integer(i, still):
    _, moved = mg.jvp(lambda i, x: x[i] ** 2, (i, ROW), (still, np.array([1.0, 1.0, 10.0])))
    assert np.ravel(getattr(moved, "value", moved)).tolist() == [80.0]


def test_zeros_of_the_integers_own_shape_are_a_tangent_of_it():
    i = np.array([0, 2])
    _, moved = mg.jvp(lambda x, i: x[i], (ROW, i), (ROW, np.zeros_like(i)))
    assert moved.tolist() == [1.0, 4.0]


def test_integers_stay_in_their_places_in_nested_arguments():
    params = {"n": 3, "w": [np.array(2.0), np.array([1, 0])]}
    f = lambda p, k: p["w"][0] ** p["n"] * float(p["w"][1][0]) * k
    _, pull_back = mg.vjp(f, params, np.array(5.0))
    inner, outer = pull_back(1.0)
    assert inner == {"n": None, "w": [60.0, None]}
    assert outer == 8.0
    y, moved = mg.jvp(f, (params, np.array(5.0)), ({"n": None, "w": [np.array(1.0), None]}, np.array(0.0)))
    assert (y, moved) == (40.0, 60.0)


def test_an_integer_cannot_move():
    with pytest.raises(ValueError, match=r"tangents\[1\] is 1, but the argument there is an integer; write None or 0"):
        mg.jvp(lambda x, i: x[i], (ROW, 1), (ROW, 1))


@pytest.mark.parametrize("transform", [
    lambda f: mg.vjp(f, 3, 1), lambda f: mg.jvp(f, (3, 1), (0, 0)), lambda f: mg.grad(f, (0, 1))(1.0, 3),
])  # fmt: skip
def test_something_must_be_a_float(transform):
    with pytest.raises(TypeError, match=r"is 3 of dtype int32, which has no gradient; write a float, for example 3.0"):
        transform(lambda x, y: x * y)


def test_a_second_derivative_passes_a_product_with_an_integer_argument():
    slope = lambda x: mg.vjp(lambda x, i: x[i] ** 3, x, 1)[1](1.0)[0].sum()
    assert mg.grad(slope)(ROW).tolist() == [0.0, 12.0, 0.0]
