"""gammaln and polygamma on the whole line: against identities, known values and, in the parity tests, SciPy."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import minigrad as mg

PI = math.pi


@pytest.mark.parametrize(("n", "x", "want"), [
    (0, 1.0, -np.euler_gamma),
    (0, 0.5, -np.euler_gamma - 2 * math.log(2)),
    (0, -0.5, -np.euler_gamma - 2 * math.log(2) + 2),
    (1, 1.0, PI**2 / 6),
    (1, -0.5, PI**2 / 2 + 4),
    (1, -1.5, PI**2 / 2 + 4 + 4 / 9),
    (3, 0.5, PI**4),
    (3, -0.5, PI**4 + 96),
    (0, -1e-300, 1e300),
    (1, 1e-200, math.inf),
    (2, 1e300, 0.0),
    (0, 1e300, math.log(1e300)),
    (8, -2.5, -0.5763846518699325),
    (0, -1e5 - 0.5, math.log(1e5 + 1)),  # half-way between the poles the cotangent is 0
])  # fmt: skip
def test_known_values(n, x, want):
    assert mg.polygamma(n, np.float64(x)) == pytest.approx(want, rel=1e-9 if abs(x) == 1e5 + 0.5 else 1e-14)


@given(st.integers(0, 8), st.floats(-40, 40))
@settings(max_examples=200)
def test_the_recurrence_holds_on_both_sides_of_zero(n, x):
    assume(abs(x - round(x)) > 1e-3)
    here, next_one = (mg.polygamma(n, np.float64(at)) for at in (x, x + 1))
    step = (-1) ** n * math.factorial(n) / x ** (n + 1)
    assert next_one - here == pytest.approx(step, rel=1e-9, abs=1e-9 * abs(here) + 1e-12)


def test_the_slope_of_gammaln_at_negative_numbers():
    x = np.array([-0.5, -1.5, -20.3])
    slope = mg.elementwise_grad(mg.gammaln)(x)
    np.testing.assert_allclose(slope[0], -np.euler_gamma - 2 * math.log(2) + 2, rtol=1e-13)
    np.testing.assert_allclose(slope[1], slope[0] + 2 / 3, rtol=1e-13)
    mg.check_gradients(mg.gammaln, x, order=3)


def test_the_poles_and_the_ends():
    poles = np.array([0.0, -0.0, -1.0, -2.0])
    np.testing.assert_array_equal(mg.polygamma(0, poles), [-np.inf, np.inf, np.nan, np.nan])
    np.testing.assert_array_equal(mg.polygamma(1, poles), [np.inf] * 4)
    np.testing.assert_array_equal(mg.gammaln(np.array([0.0, -3.0, 1e308, np.inf])), [np.inf] * 4)
    np.testing.assert_array_equal(mg.polygamma(0, np.array([np.inf, np.nan])), [np.inf, np.nan])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_dtype_is_that_of_x(dtype):
    y = mg.polygamma(1, mg.constant([-0.5, 2.0], dtype))
    assert y.dtype == dtype
    np.testing.assert_allclose(y.value, [PI**2 / 2 + 4, PI**2 / 6 - 1], rtol=10 * float(np.finfo(dtype).eps))


def test_the_order_comes_first_and_may_be_an_array_or_a_tensor():
    x = mg.constant(np.array([0.5, 0.5]))
    each = mg.polygamma(np.array([1, 3]), x)
    np.testing.assert_allclose(each.value, [PI**2 / 2, PI**4])
    np.testing.assert_allclose(mg.math.polygamma(mg.constant(1.0), x).value, [PI**2 / 2] * 2)
    np.testing.assert_allclose(mg.gradients(each, x)[0].value, mg.polygamma(np.array([2, 4]), x.value))
    with pytest.raises(ValueError, match=r"order n must be an integer from 0 to 100.*n first"):
        mg.polygamma(np.array([0.5, 3.0]), 0)
    with pytest.raises(ValueError, match="order n"):
        mg.polygamma(-1, x)
