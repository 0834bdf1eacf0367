"""The stability catalogue of the site: each left side breaks, and each right side is what 60 digits give."""

import mpmath
import numpy as np
import pytest

from docs import catalogue
from docs.catalogue import FORMULAS, Broken, Formula
from minigrad.diagnostics.patterns import ROWS

mp = mpmath.mp.clone()
mp.dps = 60


def spread(f):
    """A function of one number, applied to each number of an array."""
    return np.vectorize(f, otypes=[object])


OPS = {name: spread(getattr(mp, called)) for name, called in {
    "exp": "exp", "log": "log", "sqrt": "sqrt", "cos": "cos", "sin": "sin", "cosh": "cosh", "tanh": "tanh",
    "arctanh": "atanh", "abs": "fabs", "log1p": "log1p", "expm1": "expm1",
}.items()}  # fmt: skip
OPS |= {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "stack": lambda xs: np.array(xs, dtype=object),
    "sigmoid": spread(lambda x: 1 / (1 + mp.exp(-x))),
    "softmax": lambda x: OPS["exp"](x) / np.sum(OPS["exp"](x)),
}


def true(formula):
    """Value and slope of the left side in 60 digits."""

    def f(t):
        letters = {name: eval(text, dict(OPS), {"t": t}) for name, text in formula.letters.items()}
        text = formula.left.replace(", **k", "").replace("[i]", "[0]").replace("x ** 0.3333333333333333", "cube(x)")
        cube = lambda x: mp.sign(x) * mp.cbrt(mp.fabs(x))
        y = eval(text, {**OPS, "cube": cube}, letters)
        return y.item() if isinstance(y, np.ndarray) else y

    at, h = mp.mpf(float(np.float32(formula.at))), mp.mpf("1e-25") * max(1, abs(mp.mpf(formula.at)))
    if formula.left == "log(prod(x, **k))":  # of numbers below 0: the logarithm of what is above
        f = lambda t: 3 * mp.log(mp.fabs(t))
        h = abs(at) * mp.mpf("1e-25")
    if formula.at == 0:
        slope = (f(h) - f(-h)) / (2 * h) if formula.convention is None else formula.convention
        return float(f(h)), float(slope)
    return float(f(at)), float((f(at + h) - f(at - h)) / (2 * h))


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.left)
def test_the_left_side_breaks_and_the_right_side_is_the_truth(formula):
    naive, safe = catalogue.run(formula)
    value, slope = true(formula)
    room = lambda x: max(2e-4 * abs(x), 1e-15 if formula.at == 0 else 1e-40)
    assert abs(safe[0] - value) <= room(value) and abs(safe[1] - slope) <= room(slope)
    assert not (abs(naive[0] - value) <= room(value) and abs(naive[1] - slope) <= room(slope))


def test_there_are_30_at_least_and_each_once_from_the_table_of_repairs():
    lefts = [formula.left for formula in FORMULAS]
    assert len(lefts) == len(set(lefts)) >= 30
    assert set(lefts) <= {left for _, left, _, _ in ROWS}


@pytest.mark.parametrize("at", [3.0, 80.0])
def test_a_formula_that_holds_at_its_number_ends_the_build(at):
    with pytest.raises(Broken, match="log"):
        catalogue.run(Formula("log(1 + exp(x))", at, (-1, 1), ""))


def test_a_right_side_that_is_lost_ends_the_build():
    with pytest.raises(Broken):
        catalogue.run(Formula("log(1 - exp(x))", -20, (-30, -1), ""))


def test_an_entry_says_what_a_run_gave():
    text = catalogue.entry(1, FORMULAS[0], "value is inf from t = 88.7")
    assert "value inf, gradient nan" in text and "value 100, gradient 1" in text and "88.7" in text
    assert "softplus(x)" in text and "no finite slope" not in text
