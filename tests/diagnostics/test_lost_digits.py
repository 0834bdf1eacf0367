"""A finite gradient that has lost its digits is reported with its value in float64 and the op whose rounding did it."""

import re

import mpmath
import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.lost_digits import difference, rounded

pytestmark = pytest.mark.filterwarnings("ignore")
FINITE = "every value and every gradient is finite"
CANCELS = {
    "1 - cos over x squared": (lambda x: (1 - mg.cos(x)) / x**2, 1e-4, "cos"),
    "exp - 1 over x": (lambda x: (mg.exp(x) - 1) / x, 1e-6, "exp"),
    "log of 1 + x over x": (lambda x: mg.log(1 + x) / x, 3e-7, "add"),
    "log1p of -tanh": (lambda x: mg.log1p(-mg.tanh(x)), 9.0, "tanh"),
    "sin - x": (lambda x: (mg.sin(x) - x) / x**3, 1e-2, "sin"),
}
FINE = {
    "sigmoid": (mg.sigmoid, 20.0),
    "tanh": (mg.tanh, 6.0),
    "softplus": (mg.softplus, -30.0),
    "hypot": (lambda x: mg.sqrt(x * x + 1) - 1, 1e-4),
    "a gradient that is 0": (lambda x: mg.sum(mg.softmax(mg.stack([x, mg.constant(0.3)]))), 0.5),
    "a branch that float64 does not take": (lambda x: mg.where(x > 0.1, x * 2, x * 3), 0.1),
    "a corner at a constant that is rounded": (lambda x: mg.relu(x - 0.1), 0.1),
    "an underflow": (lambda x: mg.exp(-x), 200.0),
}


def numbers(f, x, dtype):
    x = mg.constant(np.asarray(x, dtype))
    return float(mg.grad(f)(x))


@pytest.mark.parametrize("name", CANCELS)
def test_the_numbers_of_both_dtypes_and_the_op_are_told(name):
    f, x, op = CANCELS[name]
    x = np.float32(x)
    report = mg.find_nan(f(mg.constant(x)))
    lost = report.lost
    assert not report and report.sentence.startswith(f"{FINITE}; the gradient of x is ")
    assert float(lost.here) == numbers(f, x, np.float32)
    assert float(lost.exact) == pytest.approx(numbers(f, x, np.float64), rel=1e-6)
    assert difference(lost.here, lost.exact) > 0.01
    assert lost.op == op and f"With only the result of {op} rounded to float32, it is {lost.alone:.6g}" in str(report)


def test_the_gradient_with_one_rounding_is_that_of_float64_with_it():
    x = np.float32(1e-4)
    lost = mg.find_nan((lambda z: (1 - mg.cos(z)) / z**2)(mg.constant(x))).lost
    x = np.float64(x)
    cos = np.float64(np.float32(np.cos(x)))
    assert lost.alone == pytest.approx(np.sin(x) / x**2 - 2 * (1 - cos) / x**3, rel=1e-9)


#: A program for minigrad and for mpmath, and the points where float64 too has lost digits, or all of them.
BOTH = {
    "a slope that cancels in float64": (lambda m, x: m.tanh(x) - x, 1.0732775e-07),
    "sin over x": (lambda m, x: m.sin(x) / x, -6.778698e-08),
    "a root": (lambda m, x: (m.sqrt(1 + m.log(1 + x) * m.log(1 + x)) - 1) * 4096.0 / x, 2.6007725e-09),
    "cosine": (lambda m, x: (1 - m.cos(x)) / (x * x), 1.2235171e-08),
    "exp": (lambda m, x: (m.exp(x) - 1) / x, -6.2025975e-08),
    "a detour": (lambda m, x: ((x + 1000.0) - 1000.0) / m.tanh(x), -1.3850917e-08),
    "no digit at all": (lambda m, x: ((x + 1000.0) - 1000.0) / x, -1.6849413e-09),
    "float64 suffices": (lambda m, x: (1 - m.cos(x)) / (x * x), 1e-3),
}


@pytest.mark.parametrize("name", BOTH)
def test_float64_is_given_with_no_more_digits_than_it_has(name):
    f, x = BOTH[name]
    x = np.float32(x)
    lost = mg.find_nan(f(mg, mg.constant(x))).lost
    with mpmath.workdps(150):
        truth = mpmath.diff(lambda z: f(mpmath, z), mpmath.mpf(float(x)), h=mpmath.mpf(10) ** -60)
    if lost is None:  # float64 does no better than float32
        assert name in ("cosine", "a root", "sin over x")
        return
    written = re.search(r"and (about )?(\S+?)( give or take (\S+))? in float64", str(lost))
    digits = len(written[2].partition("e")[0].strip("-").replace(".", "").lstrip("0")) or 1
    allowed = float(written[4] or 0) or 2 * 10.0 ** (np.floor(np.log10(abs(float(truth)))) - digits + 1)
    assert abs(float(written[2]) - truth) <= allowed


@pytest.mark.parametrize("name", FINE)
def test_nothing_is_told_where_the_digits_are_right_or_there_are_none(name):
    f, x = FINE[name]
    assert mg.find_nan(f(mg.constant(x))).sentence == FINITE


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_are_told_only_where_their_float64_differs(seed):
    """Random chains of ops. The reported difference is that of two gradients, computed independently."""
    rng = np.random.default_rng(seed)
    ops = [mg.sin, mg.cos, mg.exp, mg.tanh, mg.sigmoid, lambda v: 1 - v, lambda v: v * v, mg.log1p, lambda v: v - 0.5]
    chain = [ops[i] for i in rng.integers(0, len(ops), 5)]
    x = rng.uniform(0.01, 1, 4).astype(np.float32)

    def f(z):
        for op in chain:
            z = op(z)
        return mg.sum(z)

    report = mg.find_nan(f(mg.constant(x)))
    if report or report.lost is None:
        return
    here, there = (np.asarray(mg.grad(f)(mg.constant(x.astype(d))).value) for d in (np.float32, np.float64))
    assert difference(here, there) > 0.01 and difference(report.lost.exact, there) < 1e-3


def test_the_dtypes_of_a_program_that_mixes_them_are_told_and_the_op_has_its_own():
    x = mg.constant(np.float16(0.03))
    c = mg.astype(mg.cos(x), np.float32)
    lost = mg.find_nan((1 - c) / mg.astype(x, np.float32) ** 2, names={"x": x}).lost
    assert (lost.dtype, lost.op, lost.to) == ("float16 and float32", "cos", "float16")
    assert "With only the result of cos rounded to float16, it is" in str(lost)


def test_a_function_with_a_rule_of_its_own_is_not_run_again():
    root = mg.custom_gradient(lambda x: (mg.sqrt(x), lambda g: g))
    assert mg.find_nan(1 - mg.cos(root(mg.constant(1e-8)))).lost is None


def test_bfloat16_is_rounded_to_the_nearest_and_to_even():
    values = np.array([1.0, 1.00390625, 1.01171875, 3.14159265, -0.1, 0.0, 1.00390625 * 2.0**100])
    expected = [1.0, 1.0, 1.015625, 3.140625, -0.10009765625, 0.0, 2.0**100]
    assert rounded(values, "bfloat16") == pytest.approx(expected, rel=1e-6)
    assert rounded(1 / 3, "float16") == np.float64(np.float16(1 / 3))
