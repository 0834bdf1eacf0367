"""`&`, `|`, `^`, `~`, `<<` and `>>`: bit by bit on integers, logic on bools, as in NumPy and TensorFlow."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
import minigrad.numpy as mnp
from tests.helpers.tables import over

JOINS = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
SHIFTS = {"<<": operator.lshift, ">>": operator.rshift}


@over([*JOINS, *SHIFTS], ["int32", "int64", "uint8", "bool"])
@given(data=st.data())
@settings(max_examples=20)
def test_the_operators_give_what_numpy_gives(sign, dtype, data):
    if dtype == "bool" and sign in SHIFTS:
        dtype = "int32"
    join = (JOINS | SHIFTS)[sign]
    most = 7 if sign in SHIFTS else 100
    a, b = (np.array(data.draw(st.lists(st.integers(0, most), min_size=3, max_size=3))).astype(dtype) for _ in "ab")
    want = join(a, b)
    for y in (join(mg.constant(a), mg.constant(b)), join(mg.constant(a), b), join(a, mg.constant(b))):
        assert isinstance(y, mg.Tensor) and y.dtype == want.dtype
        np.testing.assert_array_equal(y.value, want)
    number = True if dtype == "bool" else 3
    np.testing.assert_array_equal(join(mg.constant(a), number).value, join(a, number))
    np.testing.assert_array_equal(join(number, mg.constant(a)).value, join(number, a))


def test_the_complement_of_an_integer_and_of_a_bool():
    assert (~mg.constant([0, 5, -1])).value.tolist() == [-1, -6, 0]
    assert (~mg.constant([True, False])).value.tolist() == [False, True]
    assert (mg.constant(6) & 3).value == 2  # and not True


def test_the_functions_are_bitwise_in_every_spelling():
    x = mg.constant([12, 5])
    for f in (np.bitwise_and, mnp.bitwise_and, mg.bitwise.bitwise_and, mg.ops.bitwise_and):
        y = f(x, 6)
        assert y.value.tolist() == [4, 4]
    assert mg.bitwise.invert(x).value.tolist() == np.invert(x).value.tolist() == [-13, -6]
    assert mg.bitwise.left_shift(x, 2).value.tolist() == np.left_shift(x, 2).value.tolist() == [48, 20]
    assert mg.bitwise.right_shift(x, 1).value.tolist() == np.right_shift(x, 1).value.tolist() == [6, 2]
    assert np.logical_and(x, 0).value.tolist() == [False, False]


@pytest.mark.parametrize("join", [*JOINS.values(), *SHIFTS.values()])
def test_floats_have_no_bits(join):
    with pytest.raises(TypeError, match="not supported for the input types"):
        join(mg.constant([1.0]), mg.constant([2.0]))
    with pytest.raises(TypeError, match="not supported for the input types"):
        join(mg.constant([1.0]), 1)
