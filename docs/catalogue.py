"""The stability catalogue: formulas that lose a value or a gradient, where, and what to write instead.

Both sides are from the table that repairs are made from (`minigrad.diagnostics.patterns`). When the site is built,
the left side must break in float32 at the given number, and the right side must be correct there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
import viz
from minigrad.diagnostics.patterns import ROWS, compute_template

from .text import Pages, code, escape, table

#: A right side counts as right up to this relative difference from float64.
NEAR = 1e-4


class Formula(NamedTuple):
    """A row of the table, as a function of one number t.

    letters : the letters of the row, as expressions of t. at : the t at which it breaks. drawn : the
    range of the picture. why : how the digits are lost. convention : the usual gradient there, if the function has
    none.
    """

    left: str
    at: float
    drawn: tuple[float, float]
    why: str
    letters: Mapping[str, str] = MappingProxyType({"x": "t"})
    convention: float | None = None


class Broken(Exception):
    """A formula does not break where the catalogue says it does, or its right side is not correct there."""


OVERFLOW = "exp overflows at 88.7, and inf meets 0 or inf"
ROUNDED = "the 1 takes the digits of the small number"
STEEP = "the root is infinitely steep at 0: 0 times inf"
PAIR, VECTOR = {"x": "stack([t, 0 * t])"}, {"x": "stack([t, 2 * t])"}
FORMULAS = [
    Formula("log(1 + exp(x))", 100, (-20, 120), OVERFLOW),
    Formula("1 / (1 + exp(-x))", -100, (-120, 20), OVERFLOW),
    Formula("exp(x) / (1 + exp(x))", 100, (-20, 120), OVERFLOW),
    Formula("exp(x) / (1 + exp(x)) ** 2", 60, (-20, 100), "the square overflows at 44.4 already"),
    Formula("log(sigmoid(x))", -110, (-120, 20), "the probability is rounded to 0"),
    Formula("log(1 - sigmoid(x))", 20, (-10, 30), "the probability is rounded to 1"),
    Formula("exp(x)[i] / sum(exp(x), **k)", 100, (-20, 120), OVERFLOW, PAIR),
    Formula("log(softmax(x, **k)[i])", -110, (-120, 20), "the probability is rounded to 0", PAIR),
    Formula("log(sum(exp(x), **k))", 100, (-20, 120), OVERFLOW, PAIR),
    Formula("log(mean(exp(x), **k))", 100, (-20, 120), OVERFLOW, PAIR),
    Formula("log(exp(x) + exp(z))", 100, (-20, 120), OVERFLOW, {"x": "t", "z": "0 * t + 1"}),
    Formula("log(exp(x) - exp(z))", 100, (2, 120), OVERFLOW, {"x": "t", "z": "0 * t + 1"}),
    Formula("log(exp(x) - 1)", 100, (1, 120), OVERFLOW),
    Formula("log(1 - exp(x))", -1e-9, (-1e-6, -1e-9), "exp is rounded to 1, and log of 0 is -inf"),
    Formula("exp(x) - 1", 1e-8, (0, 1e-6), "exp is rounded to 1"),
    Formula("log(1 + x)", 1e-8, (0, 1e-6), ROUNDED),
    Formula("sqrt(1 + x) - 1", 1e-8, (0, 1e-6), ROUNDED),
    Formula("1 - cos(x)", 1e-4, (0, 1e-2), "cos is rounded to 1; the gradient is right"),
    Formula("a / (exp(x) - 1)", 1e-8, (1e-9, 1e-6), "exp is rounded to 1", {"a": "0 * t + 1", "x": "t"}),
    Formula("(exp(x) - exp(-x)) / (exp(x) + exp(-x))", 100, (-20, 120), OVERFLOW),
    Formula("log(cosh(x))", 100, (-20, 120), "cosh overflows at 89.4"),
    Formula("1 / cosh(x)", 60, (-20, 100), "the square of cosh overflows on the way back"),
    Formula("log(1 - tanh(x) ** 2)", 20, (-5, 25), "tanh is rounded to 1, and log of 0 is -inf"),
    Formula("arctanh(tanh(x))", 20, (-5, 25), "tanh is rounded to 1, where arctanh is inf"),
    Formula("sqrt(x ** 2)", 0, (-1, 1), STEEP, convention=0.0),
    Formula("sqrt(x ** 2 + z ** 2)", 0, (-1, 1), STEEP, {"x": "t", "z": "0 * t"}, 0.0),
    Formula("sqrt(sum(x ** 2, **k))", 0, (-1, 1), STEEP, VECTOR, 0.0),
    Formula("sqrt(mean((x - mean(x)) ** 2, **k))", 0, (-1, 1), STEEP, VECTOR, 0.0),
    Formula(
        "sqrt(mean(x ** 2, **k) - mean(x) ** 2)",
        10000,
        (9900, 10100),
        "two large squares, and no digit of their difference",
        {"x": "stack([t, 0 * t + 10001, 0 * t + 10002])"},
    ),
    Formula("x * log(x)", 0, (0, 1), "0 times log of 0", convention=0.0),
    Formula("x * log(x / z)", 0, (0, 1), "0 times log of 0", {"x": "t", "z": "0 * t + 2"}, 0.0),
    Formula("sin(x) / x", 0, (-1, 1), "0 / 0"),
    Formula("x ** 0.3333333333333333", -8, (-10, 10), "a fractional power of a negative number"),
    Formula(
        "log(prod(x, **k))", -1e-20, (-1, 1), "the product is smaller than the least number", {"x": "stack([t, t, t])"}
    ),
]


def sides(formula: Formula) -> tuple[str, str]:
    """Both sides of the row, without the options of the calls."""
    (right,) = (right for _, left, right, _ in ROWS if left == formula.left)
    return bare(formula.left), bare(right)


def bare(text: str) -> str:
    return text.replace(", **k", "").replace(", **axis", "").replace("3.141592653589793", "pi").replace("[i]", "[0]")


def function(formula: Formula, template: str) -> Callable[[Any], Any]:
    """A side of the row as a function of t."""

    def f(t: Any) -> Any:
        letters = {name: compute_template(text, {"t": t}) for name, text in formula.letters.items()}
        return compute_template(template, {"k": {}, "axis": {}, "N": np.size(letters["x"].value), "i": 0, **letters})

    return f


def computed(formula: Formula, template: str, dtype: str) -> tuple[float, float]:
    """The value and gradient of a side at the number at which the left side breaks."""
    t = mg.constant(np.array(formula.at, dtype))
    with np.errstate(all="ignore"):
        y = function(formula, template)(t)
        (g,) = mg.gradients(y, t, unconnected_gradients="zero")
    assert g is not None
    return y.item(), g.item()


def near(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return bool(np.allclose(a, b, rtol=NEAR, atol=1e-40))


def run(formula: Formula) -> tuple[tuple[float, float], tuple[float, float]]:
    """The results of both sides in float32. Raises Broken if the left side is correct, or the right side is not."""
    (right,) = (right for _, left, right, _ in ROWS if left == formula.left)
    naive, safe = computed(formula, formula.left, "float32"), computed(formula, right, "float32")
    true = computed(formula, right, "float64")
    if near(naive, true) or not near(safe, true) or not np.isfinite(true).all():
        raise Broken(f"{formula.left} at t = {formula.at:g}: {naive}, and {right}: {safe}; in float64 {true}")
    return naive, safe


def told(numbers: tuple[float, float]) -> str:
    value, gradient = (number + 0.0 for number in numbers)  # without the sign of a 0
    return f"value {value:.6g}, gradient {gradient:.6g}"


def entry(number: int, formula: Formula, seen: str) -> str:
    """The page's text on a formula, and its picture. seen : the summary of the picture."""
    (left, right), (naive, safe) = sides(formula), run(formula)
    letters = ", ".join(f"{name} = {text}" for name, text in formula.letters.items() if text != name)
    lines = [
        f"## {number} · {code(left)}",
        f"At t = {formula.at:g} in float32: **{told(naive)}**. The reason: {formula.why}. Here {letters}.",
        f"Write {code(right)}: {told(safe)}."
        + " The function has no finite slope there, and 0 is the choice of the right side."
        * (formula.convention is not None),
        f"![{left}, where it breaks](formula{number}.svg)",
        f"*{escape(seen)}*",
    ]
    return "\n\n".join(lines)


def pages() -> Pages:
    """The catalogue, and a picture for each formula."""
    found: Pages = {}
    rows, entries = [], []
    for number, formula in enumerate(FORMULAS, start=1):
        low, high = formula.drawn
        view = viz.curves(function(formula, formula.left), t=(low, high), size=(6.4, 4.0), points=120)
        found[f"stability/formula{number}.svg"] = view.to_svg()
        entries.append(entry(number, formula, view.summary))
        (left, right), (naive, _) = sides(formula), run(formula)
        rows.append([str(number), code(left), f"{formula.at:g}", told(naive), code(right)])
    about = (
        f"{len(FORMULAS)} formulas that are right on paper and lose a value or a gradient in float32. Each was run "
        "when this page was built: at the number named here the left side breaks, and the right side agrees with "
        "float64. They are rows of the table from which `mg.find_nan` makes its repairs."
    )
    head = table(["", "formula", "breaks at", "there", "write"], rows)
    found["stability/index.md"] = "\n\n".join(["# The stability catalogue", about, head, *entries])
    return found
