"""Protocols of Python and NumPy for numbers and arrays: Tensors compared with NumPy."""

import math
import operator

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.tables import over

FLOATS = np.array([1.25, -2.75, 3.5])
WHOLE = np.array([5, -3, 2])
VALUES = [FLOATS, WHOLE, np.array([True, False, True]), np.float64(2.5), np.float32(2.625), np.int64(7), np.eye(2)]

CALLS = {
    "//": lambda x: x // 2, "%": lambda x: x % 2, "7 //": lambda x: 7 // x, "7 %": lambda x: 7 % x,
    "divmod": lambda x: divmod(x, 2), "divmod of 7": lambda x: divmod(7, x), "divmod of itself": lambda x: divmod(x, x),
    "** 4": lambda x: x**4, "2 **": lambda x: 2**x, "abs": abs, "-": operator.neg, "~": operator.invert,
    "<": lambda x: x < 2, ">=": lambda x: x >= 2, "==": lambda x: x == 2, "!=": lambda x: x != 2, "&": lambda x: x & 1,
    "|": lambda x: x | 1, "^": lambda x: x ^ 1, "<<": lambda x: x << 1, ">>": lambda x: x >> 1, "len": len,
    "in": lambda x: 2.0 in x, "not in": lambda x: 99 not in x, "list": list, "unpacked": lambda x: [*x],
    "sum": sum, "max": max, "sorted": sorted, "reversed": lambda x: list(reversed(x)), "bool": bool, "float": float,
    "int": int, "complex": complex, "floor": math.floor, "ceil": math.ceil, "index": operator.index,
    "item of a list": lambda x: list(range(9))[x], "range": lambda x: list(range(x)), "hex": hex,
    "format": lambda x: format(x, ".2f"), "plain format": lambda x: f"{x}", "@": lambda x: x @ x,
    "pow with a modulus": lambda x: pow(x, 2, 3),
}  # fmt: skip


def attempt(f, x):
    try:
        with np.errstate(all="ignore"):
            return f(x)
    except Exception as error:
        return error


def plain(y):
    """A result as Python values with the dtype of each part."""
    if isinstance(y, mg.Tensor):
        return y.dtype.name, y.tolist()
    if isinstance(y, (np.ndarray, np.generic)):
        return y.dtype.name, y.tolist()
    return [plain(part) for part in y] if isinstance(y, (list, tuple)) else (type(y).__name__, y)


@over(list(CALLS), VALUES)
def test_an_operation_gives_what_it_gives_on_numpys_values(name, value):
    expected, got = attempt(CALLS[name], value), attempt(CALLS[name], mg.constant(value))
    if isinstance(expected, Exception):
        assert isinstance(got, Exception)
        assert isinstance(expected, type(got)) or {type(got), type(expected)} <= {TypeError, ValueError}, repr(got)
    else:
        assert not isinstance(got, Exception), repr(got)
        assert repr(plain(got)) == repr(plain(expected))  # nan is not equal to itself


def test_trunc_is_int():
    assert math.trunc(mg.constant(-2.75)) == -2


@pytest.mark.parametrize(("value", "digits", "rounded"), [
    (2.5, (), 2.0), (-1.25, (1,), -1.2), (1234.0, (-2,), 1200.0), (7, (-1,), 10), (3.5, (None,), 4.0),
])  # fmt: skip
def test_round_returns_a_tensor(value, digits, rounded):
    y = round(mg.constant(value), *digits)
    assert isinstance(y, mg.Tensor) and y.value == pytest.approx(rounded)


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: float(mg.constant([1.0, 2.0])), TypeError, r"float\(\) takes a Tensor of one number, got shape \(2,\)"),
    (lambda: int(mg.constant([])), TypeError, r"int\(\) takes a Tensor of one number, got shape \(0,\)"),
    (lambda: complex(mg.ones((2, 2))), TypeError, r"complex\(\) takes a Tensor of one number"),
    (lambda: operator.index(mg.constant(1.5)), TypeError, "one integer, got a Tensor of .* dtype float32"),
    (lambda: operator.index(mg.constant(True)), TypeError, "one integer, got a Tensor of .* dtype bool"),
    (lambda: [1, 2][mg.constant([0])], TypeError, r"one integer, got a Tensor of shape \(1,\) and dtype int32"),
    (lambda: operator.delitem(mg.constant([1.0]), 0), TypeError, "cannot be deleted in place; write y = np.delete"),
    (lambda: len(mg.constant(1.0)), TypeError, "it is a single number"),
    (lambda: +mg.constant(True), TypeError, "positive has no result for bool; write astype"),
])  # fmt: skip
def test_what_cannot_be_says_why(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("make", [mg.constant, mg.Variable])
def test_asarray_without_a_copy_is_a_read_only_view(make):
    x = make(FLOATS)
    view = np.asarray(x, copy=False)
    assert np.shares_memory(view, x.value) and not view.flags.writeable
    assert np.shares_memory(np.asarray(x, "float64", copy=False), x.value)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 9.0
    assert x.value[0] == 1.25


@pytest.mark.parametrize("copy", [None, True])
def test_an_array_made_of_a_tensor_is_a_copy(copy):
    x = mg.constant(FLOATS)
    array = np.array(x) if copy is None else np.asarray(x, copy=True)
    array[0] = 9.0
    assert x.value[0] == 1.25


@pytest.mark.parametrize("convert", [
    lambda: mg.constant(FLOATS).__array__(np.float32, copy=False), lambda: mg.constant(1.0).__array__(copy=False),
    lambda: mg.constant([1.0]).__array__(np.float64, copy=False),
])  # fmt: skip
def test_where_only_a_copy_will_do_copy_false_is_an_error(convert):
    with pytest.raises(ValueError, match="only by a copy; leave out copy=False"):
        convert()
    with pytest.raises(ValueError):
        np.asarray(mg.constant(FLOATS), "float32", copy=False)
