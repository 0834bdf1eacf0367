"""Random programs around 0 / 0, 0 * log(0), roots of 0 and overflow: no repair that is offered is wrong.

The true value and slope are computed with hundreds of digits beside the point. Many programs are traps: a term of 1e-7
makes a pole of a quotient, sides differ, slopes are lost in rounding, a number underflows. Left out is what float64
rounds away in the program itself, such as 1 + 1e-17, which no check in float64 can see.
"""

import random
import re

import mpmath
import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.nan_source import edited
from tests.diagnostics.test_nan_programs import executed, value_and_gradients


def listed(text):
    return re.split(r";\s*", text)


FIRST = listed("""u;sin(u);tan(u);expm1(u);(exp(u) - 1);log1p(u);log(1 + u);arctan(u);arcsin(u);tanh(u);sinh(u);
(sqrt(1 + u) - 1);((1 + u) ** 3 - 1);(u * exp(u));(1 - exp(-u));(u + u ** 2);sin(2 * u);(exp(u) - exp(-u))""")
SECOND = listed("""(1 - cos(u));(u * u);u ** 2;(exp(u) - 1 - u);(cosh(u) - 1);sin(u) ** 2;(log1p(u) - u);
(sqrt(1 + u ** 2) - 1)""")
THIRD = listed("(u - sin(u));(tan(u) - u);u ** 3;(arctan(u) - u);(sinh(u) - u)")
KINKS = listed("abs(u);sqrt(u ** 2);maximum(u, 0.0);abs(sin(u));sqrt(1 - cos(u))")
TRAPS = listed("(u + 1e-9);(sin(u) - 1e-7);(u ** 2 + 1e-12);(u ** 2 + 1e-9);(cosh(u) - 1 - 1e-6)")
VANISHING = [FIRST, FIRST, SECOND, THIRD, KINKS, TRAPS, TRAPS]
AT_A_POINT = listed("""Z / Z;Z / Z;Z / Z;S * Z / Z;1 / Z - 1 / Z;Z * log(abs(u));Z * log(Z);sqrt(Z);Z ** 0.5 * S;
Z ** 1.5;sqrt(Z) / Z;arccos(1 - Z);log(Z) - log(Z);log(1 + sqrt(Z))""")
LARGE = listed("""log(K + exp(A));exp(A) / (K + exp(B));log(exp(A) + exp(B));1 / (K + exp(A));log(exp(A) - K);
(exp(A) - exp(B)) / (exp(A) + exp(B));log(cosh(A) + K);x * exp(A) / (K + exp(B));exp(A) / (1 + exp(A)) ** 2;
log(sigmoid(A));log(K - sigmoid(A));exp(A) * exp(-B);log(K - tanh(A) ** 2);(exp(A) + K) / (exp(A) - K);
sinh(A) / cosh(B);log(expm1(A))""")
SMOOTH = ["2.0", "cos(x)", "exp(-x)", "(1 + x)", "(x ** 2 + 1)", "3 * x"]
AROUND = ["F"] * 6 + ["exp(-(F))", "(F) ** 2", "sqrt(F)", "log(F)", "F + S", "where(x > P, F, 0.0)"]

BY_DIGITS = {name: getattr(mpmath, name) for name in ("sin", "cos", "tan", "exp", "expm1", "log1p", "log")}
BY_DIGITS |= {name: getattr(mpmath, name) for name in ("tanh", "sinh", "cosh", "sqrt")}
BY_DIGITS |= {"arctan": mpmath.atan, "arcsin": mpmath.asin, "arccos": mpmath.acos, "abs": abs, "maximum": max}
BY_DIGITS |= {"where": lambda which, a, b: a if which else b, "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x))}


#: What such a search found: wrong repairs that were offered once.
FOUND = [
    ("(sin(x) - 1e-7) * log(abs(x))", 0.0, "float64"),
    ("(x ** 2 + 1e-12) / tanh(x)", 0.0, "float32"),
    ("(sin(x) - 1e-7) ** 1.5 + (1 + x)", 0.0, "float64"),
    ("(x - sin(x)) / (cosh(x) - 1) + cos(x)", 0.0, "float64"),
    ("exp(-(sqrt(exp(x - 3.0) - 1 - (x - 3.0)) / sqrt(1 - cos(x - 3.0))))", 3.0, "float64"),
    ("exp(-((x ** 2 + 1e-12) / x))", 0.0, "float64"),
    ("sqrt((x ** 2 + 1) * sin(x) ** 2 / (x ** 2 + 1e-20))", 0.0, "float64"),
    ("1 / (sinh(x) - x) - 1 / (x - sin(x))", 0.0, "float64"),
    ("sqrt(1 / (x * x) - 1 / (x * sin(x)))", 0.0, "float32"),
]


def program(seed):
    """An expression in x, a point where it loses its value or its slope, or may do so, and a dtype."""
    rng = random.Random(seed)
    point, text, around = rng.choice([0.0, 0.0, 0.0, 1.0, 0.5, -2.0, 3.0]), rng.choice(AT_A_POINT), AROUND
    if rng.random() < 0.25:
        point, text = rng.choice([800.0, -800.0, 100.0, -90.0, 710.0, -745.0]), rng.choice(LARGE)
        around = [a for a in AROUND if "sqrt" not in a]  # of a number that is 0 by rounding alone
    text = rng.choice(around).replace("F", text).replace("P", str(point - 1))
    scaled = lambda: rng.choice(["x", "x", "(2 * x)", "(-1 * x)", "(0.5 * x)"])
    choices = {"A": scaled, "B": scaled, "K": lambda: rng.choice(["1", "1", "2", "0.5", "1e-3", "1e5"])}
    choices |= {"S": lambda: rng.choice(SMOOTH), "Z": lambda: rng.choice(rng.choice(VANISHING))}
    text = re.sub(r"\b[ABKSZ]\b", lambda letter: choices[letter[0]](), text)
    text = re.sub(r"\bu\b", f"(x - {point})" if point else "x", text)
    return text, point, rng.choice(["float64", "float64", "float32"])


def by_digits(text, x):
    """The real value of an expression with all digits, None where there is none."""
    try:
        value = eval(text, BY_DIGITS, {"x": x})
    except (ZeroDivisionError, ValueError, TypeError):
        return None
    return mpmath.mpf(value) if isinstance(value, (mpmath.mpf, float)) and mpmath.isfinite(value) else None


def beside(text, point, sign):
    """The value and slope on one side, at two distances; None outside of the domain."""
    found = []
    for h in (mpmath.mpf(10) ** -40, mpmath.mpf(10) ** -44):
        x, d = point + sign * h, h * mpmath.mpf(10) ** -12
        three = [by_digits(text, x + k * d) for k in (-1, 0, 1)]
        if None in three:
            return None
        found.append((three[1], (three[2] - three[0]) / (2 * d)))
    return found


@pytest.mark.parametrize("jump", [1e-2, 1e-5, 1e-7, 1e-8])
def test_a_small_jump_is_no_hole(jump):
    x = mg.constant(np.float64(0.0))
    assert not mg.find_nan((mg.sin(x) + jump * mg.abs(x)) / x, names={"x": x}).repair


def test_a_square_that_underflows_is_no_zero():
    x = mg.constant(np.array([3e-200, 4e-200]))
    assert not mg.find_nan(mg.sqrt(mg.sum(x**2)), names={"x": x}).repair
    x = mg.constant(np.array([3e-30, 4e-30], np.float32))
    assert mg.find_nan(mg.sqrt(mg.sum(x**2)), names={"x": x}).repair.grade == "wider"


def test_a_name_of_another_function_is_not_written():
    source = """import minigrad as mg


class Classifier:
    def __call__(self, x):
        z = 2.0 * x
        return 1 / (1 + mg.exp(-z))


def program(x):
    p = Classifier()(x)
    return -mg.log(1 - p)
"""
    mg.remember_lines()
    try:
        x = mg.constant(400.0)
        repair = mg.find_nan(executed(source)(x), names={"x": x}).repair
    finally:
        mg.remember_lines(False)
    assert repair.rewrites and not repair.edits


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * (1 + abs(b))


@pytest.mark.parametrize(("text", "point", "dtype"), [*FOUND, *map(program, range(400))])
def test_what_is_offered_is_true(text, point, dtype):
    of_tensors = re.sub(r"([a-z]\w*)[(]", r"mg.\1(", text)
    source = f"import minigrad as mg\n\n\ndef program(x):\n    return {of_tensors}\n"
    mg.remember_lines()
    try:
        x = mg.constant(np.asarray(point, dtype))
        report = mg.find_nan(executed(source)(x), names={"x": x})
    finally:
        mg.remember_lines(False)
    if not (report and report.repair):
        return
    repair = report.repair
    value, slope = float(repair.after.value), float(repair.after.gradients[0])
    if repair.edits:
        found = value_and_gradients(executed(edited(source, repair.edits)), {"x": point}, dtype)
        assert np.allclose([float(n) for n in found], [value, slope], rtol=1e-6)
    with mpmath.workdps(330 if abs(point) < 50 else 1600):
        sides = [side for sign in (1, -1) if (side := beside(text, mpmath.mpf(point), sign)) is not None]
        assert sides, "the program has no value beside the point"
        rounding = 1e-4 if dtype == "float32" else 1e-7
        for (_, _), (true, _) in sides:
            assert near(value, true, rounding) or (abs(true) > 1e38 and np.isinf(value))
        steep = any(abs(slopes[1]) > 1.01 * abs(slopes[0]) for slopes in ([s for _, s in side] for side in sides))
        ends = [side[1][1] for side in sides]
        slack = 10 * rounding * (1 + abs(max(ends, key=abs)))
        assert steep or min(ends) - slack <= slope <= max(ends) + slack, "a slope that is none of those beside"
