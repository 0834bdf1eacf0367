"""The first number that left the range of its dtype, before the nan that it became."""

from itertools import product

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.op import OPS
from minigrad.diagnostics.first_overflow import first_overflow

pytestmark = pytest.mark.filterwarnings("ignore")
half = lambda *numbers: mg.constant(np.array(numbers, np.float16))


def test_a_nan_is_followed_back_to_the_first_number_above_the_largest():
    x = half(300.0, 2.0)
    y = mg.sum((x * x) * half(0.0, 1.0))
    assert mg.find_nan(y).first == (
        "The first inf on the way to it: multiply computes 90,000, which is above 65,504, the largest float16."
    )


def test_the_number_of_a_matrix_product_is_that_of_the_element_that_overflowed():
    a, b = half(200.0, 1.0), half(-400.0, 3.0)
    y = mg.sum(mg.reshape(a, (2, 1)) @ mg.reshape(b, (1, 2)))
    assert "matmul computes -80,000, which is below -65,504, the lowest float16" in mg.find_nan(y - y).first


@pytest.mark.parametrize("make", [lambda x: mg.log(x) * x, lambda x: (1 / x) * x, lambda x: mg.constant(np.inf) * x])
def test_an_infinity_that_is_no_overflow_is_not_called_one(make):
    report = mg.find_nan(make(mg.constant(0.0)))
    assert report.word == "nan" and report.first == ""


@pytest.mark.parametrize("seed", range(8))
def test_the_number_is_the_one_of_float64(seed):
    """Random programs: the largest element of the first op whose float64 result is above the largest float16."""
    rng = np.random.default_rng(seed)
    x, w = rng.uniform(1, 300, (3, 4)).astype(np.float16), rng.uniform(1, 300, (4, 2)).astype(np.float16)
    h = mg.constant(x) @ mg.constant(w)
    twice = h * mg.constant(np.float16(2))
    inside = [node for node in (h, twice) if np.isinf(node.value).any()]
    overflow = first_overflow(mg.softmax(twice, axis=0))
    assert bool(inside) == (overflow is not None)
    if overflow:
        exact = x.astype(np.float64) @ w if inside[0] is h else 2 * h.value.astype(np.float64)
        assert overflow.number == pytest.approx(exact[np.isinf(inside[0].value)].max(), rel=1e-12)


POINTS = (0.0, 1.0, -1.0, -2.0, 0.5)


@pytest.mark.parametrize("name", sorted(name for name, op in OPS.items() if op.elementwise))
def test_a_pole_is_not_called_too_large(name):
    """A result that is infinite in float64 too, at small numbers, did not leave the range of float32."""
    for operands in (*product(POINTS), *product(POINTS, POINTS)):
        try:
            y = OPS[name].call(*[mg.constant(np.float32(number)) for number in operands])
        except (TypeError, ValueError):
            continue
        if y.dtype.kind == "f" and np.isinf(y.value):
            assert "largest" not in str(report := mg.find_nan(y)) and "lowest" not in str(report), operands
