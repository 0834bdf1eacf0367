"""Other honest spellings of a value and of its rule are right: none of them is rejected because of rounding."""

import itertools

import pytest

import minigrad as mg
from minigrad.classroom import lesson
from minigrad.classroom.examination import examine
from minigrad.classroom.loading import load_to_grade
from minigrad.lab.handout import lessons_folder

#: The upstream gradient g times a slope s, in other words.
WEIGHTED = ["({s}) * g", "(g / 3) * ({s}) * 3", "0.7 * (g * ({s})) / 0.7"]
SIGMOIDS = ["mg.sigmoid({})", "1 - mg.sigmoid(-({}))", "0.5 * (1 + mg.tanh(({}) / 2))", "0.5 + 0.5 * mg.tanh(({}) / 2)"]


def one(slopes):
    """Rules of one input: each slope times g, and the first in other words."""
    return [*(f"g * ({s})" for s in slopes), *(words.format(s=slopes[0]) for words in WEIGHTED)]


def two(pairs):
    return [f"(g * ({a}), g * ({b}))" for a, b in pairs]


far = "mg.where({c}, x, mg.log1p(mg.exp(mg.where({c}, 0.0, x))))"
SPELLINGS = {
    "07 log1pexp_stable(x)": (
        [
            "mg.maximum(x, 0.0) + mg.log1p(mg.exp(-abs(x)))",
            "mg.maximum(x, 0.0) + mg.log(1 + mg.exp(-abs(x)))",
            "(x + abs(x)) / 2 + mg.log1p(mg.exp(-abs(x)))",
            "x - mg.minimum(x, 0.0) + mg.log1p(mg.exp(-abs(x)))",
            "mg.relu(x) + mg.log1p(mg.exp(-abs(x)))",
            far.format(c="x > 40"),
            "mg.where(x > -30, x + mg.log1p(mg.exp(-mg.maximum(x, -30.0))), mg.exp(mg.minimum(x, -30.0)))",
            "mg.maximum(x, 0.0) + 2 * mg.atanh(mg.exp(-abs(x)) / (2 + mg.exp(-abs(x))))",
        ],
        one([s.format("x") for s in SIGMOIDS]),
    ),
    "06 safe_log1pexp(x)": (
        [
            "mg.maximum(x, 0.0) + mg.log1p(mg.exp(-abs(x)))",
            "mg.maximum(x, 0.0) + mg.log(1 + mg.exp(-abs(x)))",
            "x + mg.log(1 + mg.exp(-x))",
            "x + mg.log1p(mg.exp(-x))",
            "x - mg.log(mg.sigmoid(x))",
            far.format(c="x > 40"),
            far.format(c="x >= 50"),
        ],
        one([s.format("x") for s in SIGMOIDS] + ["1 / (1 + mg.exp(-x))", "mg.exp(x - y)", "1 - mg.exp(-y)"]),
    ),
    "07 safe_sqrt(x)": (
        ["mg.sqrt(x)", "x / mg.sqrt(safe)", "mg.exp(0.5 * mg.log(x))", "x ** 0.5", "mg.hypot(x ** 0.5, 0.0)"],
        [
            f"mg.where(x > 0, {w}, 0.0)"
            for s in (
                "0.5 / mg.sqrt(safe)", "1 / (2 * mg.sqrt(safe))", "0.5 * safe ** -0.5", "0.5 * mg.rsqrt(safe)",
                "mg.sqrt(safe) / (2 * safe)", "0.5 * mg.exp(-0.5 * mg.log(safe))", "mg.sqrt(0.25 / safe)",
            )
            for w in one([s])
        ],
    ),
    "07 length(a, b)": (
        [
            "mg.sqrt(a * a + b * b)", "mg.hypot(a, b)", "(a ** 2 + b ** 2) ** 0.5",
            "mg.norm(mg.stack([a + 0 * b, b + 0 * a]), axis=0)",
        ],
        two(
            (f"{a} {s}", f"{b} {s}")
            for a, b in (("a", "b"), ("mg.where(y > 0, a, 0.0)", "mg.where(y > 0, b, 0.0)"))
            for s in ("/ safe", "* (1 / safe)", "* safe / (safe * safe)", "/ mg.hypot(a, b + (y == 0) * 1.0)")
        ),
    ),
    "11 times_exp(x)": (
        ["x * mg.exp(x)", "mg.exp(x) * x", "x / mg.exp(-x)", "x * (mg.expm1(x) + 1)"],
        one(
            ["(1 + x) * mg.exp(x)", "mg.exp(x) + x * mg.exp(x)", "(x + 1) / mg.exp(-x)", "x * mg.exp(x) - -mg.exp(x)"]
        ),
    ),
    "16 log_cosh(x)": (
        [
            "abs(x) + mg.log1p(mg.exp(-2 * abs(x))) - 0.6931471805599453",
            "abs(x) + mg.log((1 + mg.exp(-2 * abs(x))) / 2)",
            "mg.softplus(2 * x) - x - 0.6931471805599453",
            "mg.logaddexp(x, -x) - 0.6931471805599453",
            "mg.softplus(-2 * x) + x - 0.6931471805599453",
        ],
        one([
            "mg.tanh(x)", "2 * mg.sigmoid(2 * x) - 1", "1 - 2 * mg.sigmoid(-2 * x)",
            "mg.sigmoid(2 * x) - mg.sigmoid(-2 * x)",
        ]),
    ),
    "hw7 xlogx(x)": (
        [
            "x * mg.log(safe)", "mg.log(safe) * x", "mg.where(x > 0, x * mg.log(safe), 0.0)", "-x * mg.log(1 / safe)",
            "2 * x * mg.log(mg.sqrt(safe))",
        ],
        [
            f"mg.where(x > 0, {w}, 0.0)"
            for s in (
                "mg.log(safe) + 1", "1 + mg.log(safe)", "mg.log(safe * 2.718281828459045)", "1 - mg.log(1 / safe)",
                "2 * mg.log(mg.sqrt(safe)) + 1",
            )
            for w in one([s])
        ],
    ),
    "hw7 log_of_sum(a, b)": (
        [
            "mg.maximum(a, b) + mg.log1p(mg.exp(-abs(a - b)))",
            "mg.maximum(a, b) + mg.log(1 + mg.exp(-abs(a - b)))",
            "mg.minimum(a, b) + abs(a - b) + mg.log1p(mg.exp(-abs(a - b)))",
            "(a + b + abs(a - b)) / 2 + mg.log1p(mg.exp(mg.minimum(a, b) - mg.maximum(a, b)))",
            "mg.log(mg.exp(a - mg.maximum(a, b)) + mg.exp(b - mg.maximum(a, b))) + mg.maximum(a, b)",
            "mg.where(a > b, a, b) + mg.log1p(mg.exp(-abs(b - a)))",
        ],
        two([
            *((s.format("a - b"), s.format("b - a")) for s in SIGMOIDS),
            ("mg.sigmoid(a - b)", "1 - mg.sigmoid(a - b)"),
            ("mg.exp(a - y)", "mg.exp(b - y)"),
            ("1 - mg.exp(b - y)", "1 - mg.exp(a - y)"),
            ("1 / mg.exp(y - a)", "1 / mg.exp(y - b)"),
        ]),
    ),
}  # fmt: skip


def cases():
    """Each value with the first rule, each rule with the first value, and the others in pairs."""
    for name, (values, rules) in SPELLINGS.items():
        pairs = [
            *itertools.product(values, rules[:1]),
            *itertools.product(values[:1], rules),
            *zip(values, rules[::-1]),
        ]
        yield from (pytest.param(name, *pair, id=f"{name} {i}") for i, pair in enumerate(dict.fromkeys(pairs)))


def answer(signature, value, rule):
    """The function with this value and this rule; `safe` is what a rule or a value may divide by."""
    names = signature[:-1].partition("(")[2].split(", ")

    def f(*xs):
        space = {"mg": mg, **dict(zip(names, xs))}
        if len(xs) == 1:
            space["safe"] = mg.where(xs[0] > 0, xs[0], 1.0)
        space["y"] = y = eval(value, space)
        if signature.startswith("length"):
            space["safe"] = mg.where(y > 0, y, 1.0)
        return y, lambda g: eval(rule, {**space, "g": g})

    return mg.custom_gradient(f)


def exercise_of(folder, name):
    if folder.startswith("hw"):
        return load_to_grade(lessons_folder() / "assignments" / folder / "checks.py")[name]
    return lesson(folder).exercises[name]


@pytest.mark.parametrize(("name", "value", "rule"), list(cases()))
def test_an_honest_spelling_is_right(name, value, rule):
    folder, signature = name.split(" ", 1)
    exercise = exercise_of(folder, signature.partition("(")[0])
    for seed in (None, 1, 2):
        assert (
            examine(exercise, answer(signature, value, rule), seed=seed).to_text().startswith(f"{exercise.name}: right")
        )
