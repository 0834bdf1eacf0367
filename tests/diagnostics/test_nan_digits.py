"""Inputs that are so near to 0 that rounding takes them from a sum: no repair stands in for digits that are lost.

1 - exp(-x) is 0 at 1e-20, so its logarithm is -inf, and x divided by it inf. The true value and slope at the
point itself are computed with 200 digits.
"""

import re

import mpmath
import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.nan_source import edited
from tests.diagnostics.test_nan_programs import executed, value_and_gradients
from tests.diagnostics.test_nan_search import by_digits, near, program

#: Programs for which a repair that was false had been offered.
FOUND = [
    ("(exp(x) - 1) / (sqrt(1 + x) - 1)", 1e-20, "float32"),
    ("log(1 + x) / log(1 + x)", 1e-30, "float64"),
    ("(sqrt(1 + x ** 2) - 1) / (sqrt(1 + x ** 2) - 1)", 1e-12, "float64"),
    ("(exp(x) - exp(-x)) / (1 - cos(x)) + 1.0", 1e-30, "float64"),
    ("(exp(x) - exp(-x)) / (1 - exp(-x))", 1e-17, "float64"),
    ("expm1(x) / ((1 + x) ** 3 - 1)", 1e-9, "float32"),
    ("tan(x) / log(1 + x)", 1e-9, "float32"),
    ("(x / (exp(x) - 1)) ** 2", 1e-9, "float32"),
    ("x / (1 - exp(-x))", 1e-20, "float64"),
    ("sqrt((exp(x) - 1 - x) / (x * x))", 1e-9, "float32"),
    ("sqrt(cosh(x) - 1) * 0.5", 1e-20, "float64"),
    ("(exp(x) - 1) * log(1 - exp(-x))", 1e-30, "float32"),
    ("exp(-(1 / sqrt(x ** 2) - 1 / (1 - exp(-x))))", 1e-9, "float32"),
    ("arccos(1 - tan(x)) + 3 * x", 1e-20, "float64"),
]
POINTS = [1e-20, 1e-12, 1e-9, 3e-8, 1e-30]


def near_0():
    """Random programs that may lose their value at 0, at a number beside it."""
    drawn = ((seed, *program(f"digits {seed}")) for seed in range(700))
    return [(text, POINTS[seed % len(POINTS)], dtype) for seed, text, point, dtype in drawn if point == 0]


@pytest.mark.parametrize(("text", "point", "dtype"), [*FOUND, *near_0()])
def test_what_is_offered_is_true(text, point, dtype):
    of_tensors = re.sub(r"([a-z]\w*)[(]", r"mg.\1(", text)
    source = f"import minigrad as mg\n\n\ndef program(x):\n    return {of_tensors}\n"
    x = mg.constant(np.asarray(point, dtype))
    mg.remember_lines()
    try:
        report = mg.find_nan(executed(source)(x), names={"x": x})
    finally:
        mg.remember_lines(False)
    if not (report and report.repair):
        return
    value, slope = float(report.repair.after.value), float(report.repair.after.gradients[0])
    if report.repair.edits:
        found = value_and_gradients(executed(edited(source, report.repair.edits)), {"x": point}, dtype)
        assert np.allclose([float(n) for n in found], [value, slope], rtol=1e-6)
    with mpmath.workdps(200):
        at = mpmath.mpf(float(x.value))
        step = at * mpmath.mpf(10) ** -30
        low, true, high = (by_digits(text, at + k * step) for k in (-1, 0, 1))
        assert None not in (low, true, high), "the program has no value here"
        rounding = 1e-4 if dtype == "float32" else 1e-6
        assert near(value, true, rounding)
        assert near(slope, (high - low) / (2 * step), 10 * rounding)
