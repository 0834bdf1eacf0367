"""Integers and booleans as arguments: the value is that of the numbers, also if their dtype has no minus."""

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.tables import over

IN_FLOATS = {
    "sigmoid": mg.sigmoid, "softplus": mg.softplus, "log_sigmoid": mg.log_sigmoid, "silu": mg.silu,
    "glu": mg.ops.glu, "sigmoid_slope": mg.ops.sigmoid_slope, "logit": lambda x: mg.ops.logit(x // 2),
    "sigmoid_cross_entropy": lambda x: mg.ops.sigmoid_cross_entropy(x, x), "softmax": mg.softmax,
    "sinc_derivative": lambda x: mg.ops.sinc_derivative(2, x), "trapezoid": lambda x: mg.ops.trapezoid(x, x[::-1]),
}  # fmt: skip


@over(list(IN_FLOATS), ["uint8", "uint16", "int8", "int32", "bool"])
def test_an_op_with_floats_as_results_takes_integers_as_numbers(name, dtype):
    numbers = np.array([0, 1, 1, 0] if dtype == "bool" else [0, 1, 2, 3], dtype)
    if name == "logit":
        numbers = numbers[:2]
    expected = IN_FLOATS[name](mg.constant(numbers.astype("float64"))).value
    np.testing.assert_allclose(IN_FLOATS[name](mg.constant(numbers)).value, expected, rtol=3e-3, atol=1e-3)


def test_the_lowest_integer_has_no_positive_counterpart():
    lowest = mg.constant(np.array([-128], "int8"))
    np.testing.assert_allclose([mg.softplus(lowest).value, mg.sigmoid(lowest).value], np.exp(-128.0), rtol=1e-12)
    assert mg.log_sigmoid(lowest).value == -128


@pytest.mark.parametrize(
    ("numbers", "dtype", "values", "indices"),
    [
        ([3, 0, 2, 3], "uint8", [3, 3, 2], [0, 3, 2]),
        ([-128, 5, 127], "int8", [127, 5, -128], [2, 1, 0]),
        ([False, True, True], "bool", [True, True, False], [1, 2, 0]),
    ],
)
def test_top_k_of_any_integers(numbers, dtype, values, indices):
    x = mg.constant(np.array(numbers, dtype))
    assert mg.sort(x, direction="DESCENDING").value.tolist()[:3] == values
    assert mg.argsort(x, direction="DESCENDING").value.tolist()[:3] == indices
    columns = mg.sort(mg.stack([x, x[::-1]], 1), axis=0, direction="DESCENDING")
    assert columns.value.T[:, :3].tolist() == [values, values]
    largest, places = mg.top_k(x, 3)
    assert largest.dtype == dtype
    assert largest.value.tolist() == values and places.value.tolist() == indices


@over(["cumsum", "cumprod"], ["int8", "uint8", "int16", "int32", "bool", "float32"], ["int32", "int8", "float64"])
def test_a_scan_has_the_dtype_that_was_asked_for(name, dtype, of):
    numbers = np.array([[100, 2], [100, 3]], of)
    expected = getattr(np, name)(numbers, 0, dtype)
    y = getattr(mg.ops, name)(mg.constant(numbers), 0, dtype=dtype)
    assert y.dtype == dtype and np.array_equal(y.value, expected)
    longer = getattr(mg, "cumulative_" + name[3:])(mg.constant(numbers), axis=0, dtype=dtype, include_initial=True)
    assert longer.dtype == dtype and np.array_equal(longer.value[1:], expected)


def test_the_square_of_a_truth_is_a_number():
    truths = mg.constant([True, False])
    assert mg.sum(truths**2 + truths**2).value == 2


def test_matrices_of_small_integers_are_not_added_in_their_dtype():
    a = np.array([[200, 100], [100, 200]], "uint8")
    np.testing.assert_allclose(mg.linalg.eigvalsh(mg.constant(a)).value, [100, 300])
    np.testing.assert_allclose(mg.cholesky(mg.constant(a)).value, np.linalg.cholesky(a))
    np.testing.assert_allclose(mg.linalg.eigvalsh(mg.constant([[True, False], [False, True]])).value, [1, 1])
