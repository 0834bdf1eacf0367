"""The formula and the local derivatives of a declaration, checked against the values that the op computes."""

import ast
import inspect
import re

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.op import OPS, no_gradient
from tests.helpers.latex import FUNCTIONS as COMMANDS
from tests.helpers.latex import evaluate
from tests.helpers.op_samples import is_array
from tests.helpers.tables import over

FUNCTIONS = {name: op.fn for name, op in OPS.items()} | {"pi": np.pi, "isfinite": np.isfinite, "T": np.swapaxes}

#: Formulas that cannot be evaluated with numbers: an integral, a derivative of order n.
NOT_READ = {"erf", "erfc", "polygamma"}

#: Formulas that fail at one point, where the op has the limit.
LIMITS = {"sinc": 0.0}


def samples(op):
    """For each sample the arguments in order, numbers as arrays, and the keywords."""
    for sample in op.facts.samples:
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


def options(op):
    """The parameters of the op that have a default: `low`, `alpha`, `negative_slope`."""
    if isinstance(op.fn, np.ufunc):
        return set()
    return {p.name for p in inspect.signature(op.fn).parameters.values() if p.default is not p.empty}


#: The values that None has as an option: no bound.
UNBOUNDED = {"low": -np.inf, "high": np.inf}


def letters_of(op, numbers, keywords):
    """a, b, c for the arguments in order, and the options by name."""
    letters = dict(zip("abc", numbers))
    if named := options(op):
        bound = inspect.signature(op.fn).bind(*numbers, **keywords)
        bound.apply_defaults()
        letters |= {k: UNBOUNDED.get(k) if v is None else v for k, v in bound.arguments.items() if k in named}
    return letters


def python(text):
    """A local derivative as an expression of Python: `1 where c, else 0` is `where(c, 1, 0)`."""
    text = re.sub(r"^(.+) where (.+), else (.+)$", r"where(\2, \1, \3)", text)
    return re.sub(r"(\w+(?:\([^()]*\))?)\.T\b", r"T(\1, -1, -2)", text)


ELEMENTWISE = [op for op in OPS.values() if op.elementwise and op.vjps is not None and op.facts.samples]
SLOPES = [(op, i) for op in ELEMENTWISE for i, text in enumerate(op.facts.slope) if text and op.name != "astype"]


@over(SLOPES)
def test_the_local_derivative_that_is_shown_is_the_one_of_the_rule(op, i):
    checked = 0
    for *numbers, y, keywords in points(op):
        if op.name in LIMITS and numbers[0] == LIMITS[op.name]:
            continue
        letters = letters_of(op, numbers, keywords) | {"y": y}
        with np.errstate(all="ignore"):
            shown = eval(op.facts.slope[i], {}, FUNCTIONS | letters)
            computed = op.vjps[i](np.float64(1.0), y, *numbers, **keywords)
        np.testing.assert_allclose(shown, computed, rtol=1e-12, atol=1e-15, err_msg=str(numbers))
        checked += 1
    assert checked


FORMULAS = [op for op in ELEMENTWISE if op.facts.latex and op.name not in NOT_READ]


@over(FORMULAS)
def test_the_formula_that_is_shown_gives_the_value(op):
    checked = 0
    for *numbers, y, keywords in points(op):
        if op.name in LIMITS and numbers[0] == LIMITS[op.name]:
            continue
        letters = letters_of(op, numbers, keywords)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(evaluate(op.facts.latex, **letters), y, rtol=1e-9, err_msg=str(numbers))
        checked += 1
    assert checked


@pytest.mark.parametrize("name", sorted(NOT_READ))
def test_a_formula_that_is_not_read_could_not_be(name):
    with pytest.raises((KeyError, AssertionError)):
        evaluate(OPS[name].facts.latex, a=0.5, b=1.0)


#: Commands that are neither a function of `tests.helpers.latex` nor a letter: signs, and functions that are not
#: evaluated.
SIGNS = {
    "\\frac", "\\sqrt", "\\pi", "\\bmod", "\\int", "\\infty", "\\psi", "\\Phi", "\\sigma", "\\lfloor", "\\rfloor",
    "\\lceil", "\\rceil",
}  # fmt: skip


def names_in_formula(latex):
    """The letters and names of a formula, without functions, e, and the variable of an integral."""
    if "\\int" in latex:
        latex = latex.replace("dt", "").replace("t^2", "")
    words = [word.replace("\\_", "_") for word in re.findall(r"\\operatorname\{(.*?)\}", latex)]
    rest = re.sub(r"\\(operatorname|text)\{.*?\}", " ", latex)
    found = {*words, *re.findall(r"\\[a-zA-Z]+|[a-zA-Z]", rest)} - {*COMMANDS, *SIGNS, "e"}
    return {name.lstrip("\\") for name in found}


def names_in_slope(text):
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    return names - FUNCTIONS.keys()


@over([op for op in OPS.values() if op.elementwise])
def test_formula_and_slopes_of_an_elementwise_op_use_the_letters_a_b_c_y_and_its_options(op):
    arity = op.fn.nin if isinstance(op.fn, np.ufunc) else len(inspect.signature(op.fn).parameters)
    letters = {*"abc"[:arity]} | options(op)
    assert names_in_formula(op.facts.latex) <= letters
    for text in filter(None, op.facts.slope):
        assert names_in_slope(text) <= letters | {"y"}


@over([op for op in OPS.values() if op.elementwise and op.vjps])
def test_the_rules_of_an_elementwise_op_have_the_same_letters(op):
    for rule in filter(lambda rule: rule is not no_gradient, op.vjps):
        rest = [p.name for p in inspect.signature(rule).parameters.values()][2:]
        given = [name for name in rest if name not in options(op)]
        assert given in (list("abc"[: len(given)]), ["a", "dtype"])


@pytest.mark.parametrize(
    ("name", "field", "wrong"),
    [("sin", "latex", r"\sin x"), ("exp", "latex", "e^x"), ("elu", "latex", r"\beta e^a"), ("clip", "latex", "l")]
    + [("sin", "slope", ("cos(x)",)), ("sin", "slope", ("b",)), ("leaky_relu", "slope", ("1 if a > 0 else s",))],
)
def test_another_letter_would_be_found(name, field, wrong, monkeypatch):
    monkeypatch.setattr(OPS[name].facts, field, wrong)
    with pytest.raises(AssertionError):
        test_formula_and_slopes_of_an_elementwise_op_use_the_letters_a_b_c_y_and_its_options.check(OPS[name])


@pytest.mark.parametrize(("name", "i"), [
    ("sum", 0), ("mean", 0), ("var", 0), ("std", 0), ("max", 0), ("min", 0), ("logsumexp", 0),
    ("euclidean_norm", 0), ("inv", 0), ("det", 0), ("solve", 0), ("solve", 1), ("matmul", 0), ("matmul", 1),
    ("softmax", 0), ("log_softmax", 0),
])  # fmt: skip
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
    shown = eval(python(op.facts.slope[i]), {}, FUNCTIONS | letters)
    shown = shown if "g" in re.findall(r"\w+", op.facts.slope[i]) else g * shown
    np.testing.assert_allclose(np.broadcast_to(shown, args[i].shape), op.vjps[i](g, y, *args, **keywords), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "wrong"), [("sin", "sin(a)"), ("tan", "1 - y * y"), ("tanh", "1 + y * y"), ("sqrt", "1 / (2 * a)")]
)
def test_a_wrong_local_derivative_would_be_found(name, wrong, monkeypatch):
    monkeypatch.setattr(OPS[name].facts, "slope", (wrong,))
    with pytest.raises(AssertionError):
        test_the_local_derivative_that_is_shown_is_the_one_of_the_rule.check(OPS[name], 0)


@pytest.mark.parametrize(("name", "wrong"), [("sin", r"\cos a"), ("hypot", r"\sqrt{a^2 - b^2}"), ("log2", r"\log a")])
def test_a_wrong_formula_would_be_found(name, wrong, monkeypatch):
    monkeypatch.setattr(OPS[name].facts, "latex", wrong)
    with pytest.raises(AssertionError):
        test_the_formula_that_is_shown_gives_the_value.check(OPS[name])


def test_each_elementwise_op_shows_its_local_derivative():
    assert [op.name for op in ELEMENTWISE if not any(op.facts.slope)] == []
    assert "cos(a)" in mg.sin.__doc__
