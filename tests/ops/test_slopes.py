"""What a declaration shows of its op - the formula, the local derivative - against what the op computes."""

import re

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.op import OPS
from tests.helpers.latex import evaluate
from tests.helpers.op_samples import is_array

FUNCTIONS = {name: op.fn for name, op in OPS.items()} | {"pi": np.pi, "isfinite": np.isfinite, "T": np.swapaxes}

#: Formulas that are no expression of numbers: an integral, a derivative of order n.
NOT_READ = {"erf", "erfc", "polygamma"}

#: Formulas that do not hold at one point, where the op has the limit.
LIMITS = {"sinc": 0.0}


def samples(op):
    """For each sample the arguments in order, numbers as arrays, and the keywords."""
    for sample in op.samples:
        keywords = sample[-1] if isinstance(sample[-1], dict) else {}
        args = sample[: -1 if keywords else None]
        yield [np.asarray(a, np.float64)[()] if is_array(a) else a for a in args], keywords


def points(op):
    """Each element of each sample: the numbers that the arguments are there, the result, the keywords."""
    for args, keywords in samples(op):
        with np.errstate(all="ignore"):
            y = op.fn(*args, **keywords)
        for rows in zip(*[np.broadcast_to(a, np.shape(y)).ravel() for a in args], np.ravel(y)):
            yield *rows, keywords


def settings(op, numbers, keywords):
    """The letters that are options of the op: `s`, `alpha`, `low`, `high`."""
    if op.name == "clip":
        low, high = (bound if number is None else number for number, bound in zip(numbers[1:], (-np.inf, np.inf)))
        return dict(low=low, high=high, l=low, h=high)
    return dict(s=keywords.get("negative_slope", 0.2), alpha=keywords.get("alpha", 1.0))


def python(text):
    """A local derivative as an expression of Python: `1 where c, else 0` is `where(c, 1, 0)`."""
    text = re.sub(r"^(.+) where (.+), else (.+)$", r"where(\2, \1, \3)", text)
    return re.sub(r"(\w+(?:\([^()]*\))?)\.T\b", r"T(\1, -1, -2)", text)


ELEMENTWISE = [op for op in OPS.values() if op.elementwise and op.vjps is not None and op.samples]
SLOPES = [(op, i) for op in ELEMENTWISE for i, text in enumerate(op.slope) if text and op.name != "astype"]


@pytest.mark.parametrize(("op", "i"), [pytest.param(op, i, id=f"{op.name}-{i}") for op, i in SLOPES])
def test_the_local_derivative_that_is_shown_is_the_one_of_the_rule(op, i):
    checked = 0
    for *numbers, y, keywords in points(op):
        if op.name in LIMITS and numbers[0] == LIMITS[op.name]:
            continue
        letters = dict(zip("abc", numbers)) | settings(op, numbers, keywords) | {"y": y, "condition": numbers[0]}
        if op.name == "where":  # the condition has a word of its own, the letters stand for what is chosen from
            letters |= dict(a=numbers[1], b=numbers[2])
        with np.errstate(all="ignore"):
            shown = eval(op.slope[i], {}, FUNCTIONS | letters)
            computed = op.vjps[i](np.float64(1.0), y, *numbers, **keywords)
        np.testing.assert_allclose(shown, computed, rtol=1e-12, atol=1e-15, err_msg=str(numbers))
        checked += 1
    assert checked


FORMULAS = [op for op in ELEMENTWISE if op.latex and op.name not in NOT_READ]


@pytest.mark.parametrize("op", [pytest.param(op, id=op.name) for op in FORMULAS])
def test_the_formula_that_is_shown_gives_the_value(op):
    checked = 0
    for *numbers, y, keywords in points(op):
        if op.name in LIMITS and numbers[0] == LIMITS[op.name]:
            continue
        letters = dict(zip("abc", numbers)) | settings(op, numbers, keywords) | {"x": numbers[0]}
        if op.name == "where":
            letters |= dict(a=numbers[1], b=numbers[2], c=numbers[0])
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(evaluate(op.latex, **letters), y, rtol=1e-9, err_msg=str(numbers))
        checked += 1
    assert checked


@pytest.mark.parametrize("name", sorted(NOT_READ))
def test_a_formula_that_is_not_read_could_not_be(name):
    with pytest.raises((KeyError, AssertionError)):
        evaluate(OPS[name].latex, x=0.5, n=1.0)


@pytest.mark.parametrize(
    ("name", "i"),
    [
        ("sum", 0), ("mean", 0), ("var", 0), ("std", 0), ("max", 0), ("min", 0), ("logsumexp", 0),
        ("euclidean_norm", 0), ("inv", 0), ("det", 0), ("solve", 0), ("solve", 1), ("matmul", 0), ("matmul", 1),
        ("softmax", 0), ("log_softmax", 0),
    ],
)  # fmt: skip
def test_the_local_derivative_of_a_sum_or_product_is_the_one_of_the_rule(name, i):
    op = OPS[name]
    args, keywords = next(samples(op))
    if name == "solve":
        args = [args[0], np.eye(2)]  # two columns: for a vector the formula needs np.outer
    if "softmax" in name:
        args = [args[0][0]]  # the sum in the formula is over one row
    y = op.fn(*args, **keywords)
    g = np.random.default_rng(0).normal(size=np.shape(y))
    letters = dict(zip("ab", args)) | dict(y=y, g=g, n=args[0].size)
    shown = eval(python(op.slope[i]), {}, FUNCTIONS | letters)
    shown = shown if "g" in re.findall(r"\w+", op.slope[i]) else g * shown
    np.testing.assert_allclose(np.broadcast_to(shown, args[i].shape), op.vjps[i](g, y, *args, **keywords), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "wrong"), [("sin", "sin(a)"), ("tan", "1 - y * y"), ("tanh", "1 + y * y"), ("sqrt", "1 / (2 * a)")]
)
def test_a_wrong_local_derivative_would_be_found(name, wrong, monkeypatch):
    monkeypatch.setattr(OPS[name], "slope", (wrong,))
    with pytest.raises(AssertionError):
        test_the_local_derivative_that_is_shown_is_the_one_of_the_rule(OPS[name], 0)


@pytest.mark.parametrize(("name", "wrong"), [("sin", r"\cos x"), ("hypot", r"\sqrt{a^2 - b^2}"), ("log2", r"\log x")])
def test_a_wrong_formula_would_be_found(name, wrong, monkeypatch):
    monkeypatch.setattr(OPS[name], "latex", wrong)
    with pytest.raises((AssertionError, KeyError)):
        test_the_formula_that_is_shown_gives_the_value(OPS[name])


def test_each_elementwise_op_shows_its_local_derivative():
    assert [op.name for op in ELEMENTWISE if not any(op.slope)] == []
    assert "cos(a)" in mg.sin.__doc__
