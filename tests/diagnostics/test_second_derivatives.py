"""A repair is compared with the program's second derivative too, at the point itself."""

import mpmath
import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics import second_derivatives
from tests.diagnostics.nan_programs import executed, reported

#: Functions of x with a hole at 0 in their quotient by x, and their Taylor coefficients of x, x ** 2 and x ** 3.
NUMERATORS = {
    "mg.sin(x)": (1, 0, -1 / 6),
    "(mg.exp(x) - 1)": (1, 1 / 2, 1 / 6),
    "mg.tanh(x)": (1, 0, -1 / 3),
    "mg.log1p(x)": (1, -1 / 2, 1 / 3),
    "mg.arctan(x)": (1, 0, -1 / 3),
    "mg.sinh(x)": (1, 0, 1 / 6),
    "mg.arcsinh(x)": (1, 0, -1 / 6),
}


def program_of(rng):
    """The source of a program with a removable hole at 0, and its second derivative there."""
    text, (_, b, c) = list(NUMERATORS.items())[rng.integers(len(NUMERATORS))]
    bend, tilt, scale = (round(float(v), 2) for v in rng.uniform(0.5, 2, 3))
    kind = rng.integers(3)
    if kind == 0:
        return f"{text} / x + {bend} * x ** 2", 2 * (c + bend)
    if kind == 1:  # by the product rule
        return f"({tilt} * x + {scale}) * ({text} / x)", 2 * (c * scale + b * tilt)
    return f"{scale} * {text} / x", 2 * scale * c


def second(source):
    f = executed(source)
    return float(mg.grad(mg.grad(f))(mg.constant(0.0, dtype="float64")).value)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_offered_is_right_in_the_second_derivative_or_the_report_says_so(seed):
    expression, exact = program_of(np.random.default_rng(seed))
    source = f"import minigrad as mg\ndef program(x):\n    return {expression}\n"
    report, _ = reported(source, [mg.constant(0.0, dtype="float64")])
    assert report.repair.lines, str(report)
    lines = source.splitlines()
    for _, no, _, new in report.repair.lines:
        lines[no - 1] = "\n".join("    " + line for line in new.splitlines())
    found = second("\n".join(lines) + "\n")
    said = [check for check in report.repair.checks if "second derivative" in check]
    assert bool(said) == (abs(found - exact) > 1e-2 * (1 + abs(exact))), (found, exact, str(report))
    if said:
        numbers = said[0].removeprefix("its second derivative here is ").split(":")[0]
        here, _, limit = numbers.partition(", and the program's tends to ")
        assert float(here) == pytest.approx(found, abs=1e-6) and float(limit) == pytest.approx(exact, rel=1e-4)
        curved, _, line = said[0].partition("write ")[2].partition(" instead of ")
        safe, _, rest = "\n".join(lines).rpartition(f", {line}, ")
        assert second(f"{safe}, {curved}, {rest}\n") == pytest.approx(exact, rel=1e-4)


#: Functions of u with a hole at 0, in minigrad and with mpmath.
HOLES = {
    "mg.sin({u}) / ({u})": lambda u: mpmath.sin(u) / u,
    "(1 - mg.cos({u})) / ({u}) ** 2": lambda u: (1 - mpmath.cos(u)) / u**2,
    "(mg.exp({u}) - 1) / ({u})": lambda u: mpmath.expm1(u) / u,
    "mg.log1p({u}) / ({u})": lambda u: mpmath.log1p(u) / u,
    "mg.tanh({u}) / ({u})": lambda u: mpmath.tanh(u) / u,
    "({u}) / mg.sinh({u})": lambda u: u / mpmath.sinh(u),
    "({u}) / (mg.exp({u}) - 1)": lambda u: u / mpmath.expm1(u),
    "({u} - mg.sin({u})) / ({u}) ** 3": lambda u: (u - mpmath.sin(u)) / u**3,
}


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("text", HOLES)
def test_a_second_derivative_is_right_or_told_and_never_left_to_luck(text, seed):
    rng = np.random.default_rng(seed)
    scale, bend, size = (round(float(v), 2) for v in rng.uniform((0.3, -2, 0.5), (3, 2, 2)))
    u, at = [("x", 0.0), (f"{scale} * x", 0.0), ("(x - 1.5)", 1.5)][seed % 3]
    source = f"import minigrad as mg\ndef program(x):\n    return {size} * ({text.format(u=u)}) + {bend} * x ** 2\n"
    with mpmath.workdps(60):
        inner = [lambda x: x, lambda x: mpmath.mpf(scale) * x, lambda x: x - mpmath.mpf(1.5)][seed % 3]
        f = lambda x: mpmath.mpf(size) * HOLES[text](inner(x)) + mpmath.mpf(bend) * x**2
        h, x = mpmath.mpf(10) ** -12, mpmath.mpf(at)
        exact = float((f(x + 2 * h) - f(x + h) - f(x - h) + f(x - 2 * h)) / (3 * h**2))
    report, _ = reported(source, [mg.constant(at, dtype=["float64", "float32"][seed // 3 % 2])])
    if not report.repair:
        return
    lines = source.splitlines()
    for _, no, _, new in report.repair.lines:
        lines[no - 1] = "\n".join("    " + line for line in new.splitlines())
    found = float(mg.grad(mg.grad(executed("\n".join(lines) + "\n")))(mg.constant(at, dtype="float64")).value)
    said = [check for check in report.repair.checks if "second derivative" in check]
    assert said or abs(found - exact) < 2e-2 * (1 + abs(exact)), (found, exact, str(report))
    for limit in (check.partition("tends to ")[2].partition(":")[0] for check in said):
        assert not limit or float(limit) == pytest.approx(exact, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_a_limit_that_is_not_found_counts_as_not_known(seed, monkeypatch):
    """If the program loses its digits, so that no limit is found, the report says that nothing is compared."""
    monkeypatch.setattr(second_derivatives, "tends_to", lambda *_: (np.nan, np.nan))
    text = list(HOLES)[seed % len(HOLES)].format(u="x")
    report = mg.find_nan(lambda x: eval(text, {"mg": mg, "x": x}) + seed * x**2, mg.constant(0.0, dtype="float64"))
    assert not report.repair or report.repair.checks[-1] == second_derivatives.NOT_COMPARED


def test_the_term_that_is_missing_is_told():
    report = mg.find_nan(lambda x: mg.tanh(x) / x, mg.constant(0.0))
    assert report.repair.checks[-1] == (
        "its second derivative here is 0, and the program's tends to -0.666667: if it matters, write "
        "1 - 0.3333333 * x ** 2 instead of 1"
    )


@pytest.mark.parametrize("f", [lambda x: mg.log(1 + mg.exp(x)), lambda x: mg.log(mg.sigmoid(-x))])
def test_nothing_is_said_of_an_equal_function(f):
    report = mg.find_nan(f, 100.0)
    assert report.repair and "second derivative" not in str(report)


@pytest.mark.parametrize("f", [lambda x: mg.sqrt(mg.sum(x**2)), lambda x: mg.sum(mg.sqrt(mg.sum(x**2)) ** 1.5)])
def test_nothing_is_said_where_the_program_has_no_second_derivative(f):
    report = mg.find_nan(f, mg.constant([0.0, 0.0]))
    assert report.repair and "second derivative" not in str(report)
