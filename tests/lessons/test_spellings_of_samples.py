"""Twenty honest spellings of each solution of the sample assignments are right, in a notebook and when graded.

The spellings of hw7 are in tests/classroom/test_other_spellings.py, those of hw16 in test_capstones.py.
"""

import contextlib
import itertools
import re
import textwrap
import types
from pathlib import Path

import pytest

from minigrad.classroom.examination import examine
from minigrad.classroom.loading import load_to_grade
from minigrad.grading.judge import Judge
from tests.hostile.test_assignments import ASSIGNMENTS, submission


def rule(signature, values, slopes):
    """A function with each value and each rule: `slopes` are what it returns."""
    grad = "    def grad(upstream):\n        return {slope}\n    return {value}, grad"
    head = f"@mg.custom_gradient\ndef {signature}:\n{grad}"
    return [head.format(value=value, slope=slope) for value, slope in itertools.product(values, slopes)]


#: The upstream gradient where the mask is true.
MASKED = [
    "mg.where({m}, upstream, 0.0)", "upstream * mg.where({m}, 1.0, 0.0)", "({m}) * upstream", "upstream * ({m})",
    "mg.where(mg.logical_not({m}), 0.0, upstream)", "mg.where({m}, upstream, mg.zeros_like(upstream))",
]  # fmt: skip
WITHIN = ["abs(x) <= 1", "(x >= -1) * (x <= 1)", "x * x <= 1", "mg.maximum(x, -x) <= 1.0"]
QUANTIZE = [
    "mg.clip(mg.round(2 * x) / 2, -1.0, 1.0)", "mg.round(2 * mg.clip(x, -1.0, 1.0)) / 2",
    "mg.maximum(-1.0, mg.minimum(1.0, mg.round(x * 2) * 0.5))", "mg.clip(mg.round(x + x), -2, 2) / 2",
    "sum(mg.where(x > t, 0.5, 0.0) for t in (-0.75, -0.25, 0.25, 0.75)) - 1",  # exact numbers, in float32
]  # fmt: skip
CLIPPED = [
    "upstream * limit / mg.maximum(norm, limit), None", "upstream * mg.minimum(1.0, limit / safe), None",
    "mg.where(norm > limit, upstream * (limit / safe), upstream), None",
    "(limit / mg.maximum(norm, limit)) * upstream, None",
    "upstream / mg.maximum(norm / limit, 1.0), None",
]  # fmt: skip
NORMS = [
    "mg.sqrt(mg.sum(upstream * upstream))", "mg.sqrt(mg.sum(upstream ** 2))", "mg.sum(upstream * upstream) ** 0.5",
    "mg.norm(upstream)",
]  # fmt: skip
NEAREST = [
    "mg.sum(mg.one_hot(mg.argmin(abs(mg.expand_dims(x, -1) - codes), axis=-1), len(codes)) * codes, axis=-1)",
    "mg.gather(codes, mg.argmin(abs(mg.expand_dims(x, -1) - codes), axis=-1))",
    "mg.take(codes, mg.argmin((mg.expand_dims(x, -1) - codes) ** 2, axis=-1))",
    "codes[mg.argmin(abs(x[..., None] - codes), axis=-1)]",
    "mg.take(codes, mg.argmax(-abs(mg.expand_dims(x, -1) - codes), axis=-1))",
]
STRAIGHT = [
    "upstream, None", "[upstream, None]", "mg.identity(upstream), None", "1.0 * upstream, None", "upstream + 0, None"
]  # fmt: skip
QUADRATIC = """
def make_quadratic(weights):
    @mg.custom_gradient
    def quadratic(x):
        def grad(upstream, variables=None):
            u = upstream
            return {x}, {weights}

        return {value}, grad

    return quadratic
"""
OF_WEIGHTS = [
    "[mg.stack([mg.sum(u), mg.sum(u * x), mg.sum(u * x * x)])]",
    "[mg.stack([mg.sum(u * x ** n) for n in range(3)])]",
    "[mg.sum(mg.reshape(u * mg.stack([mg.ones_like(x), x, x * x]), (3, -1)), axis=1)]",
    "[mg.sum(mg.reshape(mg.stack([u, u * x, u * x ** 2]), (3, -1)), axis=-1)]",
    "(mg.stack([mg.sum(u), mg.sum(x * u), mg.sum(x * (x * u))]),)",
]
OF_X = [
    "u * (weights[1] + 2 * weights[2] * x)", "u * weights[1] + 2 * u * weights[2] * x",
    "(weights[1] + weights[2] * (x + x)) * u"
]  # fmt: skip
POLYNOMIAL = [
    "weights[0] + weights[1] * x + weights[2] * x * x", "weights[0] + x * (weights[1] + x * weights[2])",
    "(weights[2] * x + weights[1]) * x + weights[0]",
]  # fmt: skip
LINE = """
def make_line(w, b, factor):
    @mg.custom_gradient
    def line(x):
        def grad(upstream, variables=None):
            return {x}, {owed}

        return {value}, grad

    return line
"""
OWED = [
    "[factor * mg.sum(upstream * x) if v is w else mg.sum(upstream) for v in variables]",
    "[mg.sum(upstream * (factor * x if v is w else mg.ones_like(x))) for v in variables]",
    "[{id(w): factor * mg.sum(x * upstream), id(b): mg.sum(upstream)}[id(v)] for v in variables]",
    "[mg.sum(factor * upstream * x) if v is w else mg.sum(upstream) if v is b else None for v in variables]",
    "[mg.sum(upstream * x) * factor if v is not b else mg.sum(upstream) for v in variables]",
]
OF_TANH = ("1 - y * y", "1 - y ** 2", "(1 - y) * (1 + y)", "1.0 - math.pow(y, 2)")
TANHS = (
    "e = math.exp(-2 * abs(x.value))\ny = math.copysign((1 - e) / (1 + e), x.value)",
    "e = math.expm1(-2 * abs(x.value))\ny = math.copysign(-e / (e + 2), x.value)",
    "y = (2 / (1 + math.exp(-2 * abs(x.value))) - 1) * (1 if x.value > 0 else -1)",
)
TANH = [*(("y = math.tanh(x.value)", slope) for slope in OF_TANH), *((y, "1 - y * y") for y in TANHS)]
TANH_SLOPES = ["(1 - y) + (1 - y) * y", "1 - abs(y) ** 2", "-(y * y - 1)"]
RESULTS = [
    "return Value(y, (x,), (s,))",
    "return Value(y, parents=(x,), slopes=(s,))",
    "return Value(y, [x], [s])",
    "z = Value(y)\nz.parents, z.slopes = (x,), (s,)\nreturn z",
]


def function(head, body):
    return f"{head}\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}"


def with_norm(norm, slope):
    body = f"norm = {norm}\nsafe = mg.where(norm > 0, norm, 1.0)\nreturn {slope}"
    grad = function("def grad(upstream):", body)
    return "@mg.custom_gradient\n" + function("def clip_by_norm(x, limit):", f"{grad}\nreturn mg.identity(x), grad")


def in_file(folder):
    """The spellings in a file of spellings, by assignment and exercise."""
    text = (Path(__file__).parent / "spellings" / f"{folder}.txt").read_text("utf-8")
    notebook = (ASSIGNMENTS / folder / f"{folder}.py").read_text("utf-8")
    found = re.search(r"    def __sub__.*?\n\n\n", notebook, re.DOTALL)
    spellings = {}
    for name, source in re.findall(r"^#: (\w+): [^\n]*\n(.*?)(?=^#: |\Z)", text, re.MULTILINE | re.DOTALL):
        spellings.setdefault(f"{folder} {name}", []).append(source.replace("    #: as given", found[0].rstrip()))
    return spellings


SPELLINGS = {
    "hw12 quantize": rule("quantize(x)", QUANTIZE, [m.format(m=w) for m, w in itertools.product(MASKED, WITHIN)]),
    "hw12 clip_by_norm": [with_norm(*pair) for pair in itertools.product(NORMS, CLIPPED)],
    "hw12 nearest": rule("nearest(x, codes)", NEAREST, STRAIGHT),
    "hw8 make_quadratic": [
        QUADRATIC.format(x=x, weights=w, value=v) for x, w, v in itertools.product(OF_X, OF_WEIGHTS, POLYNOMIAL)
    ],
    "hw8 make_line": [
        LINE.format(x=x, owed=owed, value=value)
        for x, owed, value in itertools.product(("upstream * w", "w * upstream"), OWED, ("w * x + b", "b + x * w"))
    ],
    "hw4 tanh": [
        function("def tanh(x):", f"{y}\ns = {slope}\n{result}")
        for (y, slope), result in itertools.product(
            [*TANH, *(("y = math.tanh(x.value)", s) for s in TANH_SLOPES)], RESULTS
        )
    ],
    **in_file("hw4"),
}  # fmt: skip


@pytest.fixture(scope="module")
def judges():
    with contextlib.ExitStack() as stack:
        yield {n: stack.enter_context(Judge(ASSIGNMENTS / n)) for n in sorted({kind.split()[0] for kind in SPELLINGS})}


def solved(folder):
    """The names of a sample after its solutions, which the checks of hw4 use."""
    space = {}
    source = (ASSIGNMENTS / folder / f"{folder}.py").read_text(encoding="utf-8")
    lines = [line for line in source.splitlines() if not line.startswith(("check", "from minigrad.classroom"))]
    exec("\n".join(lines), space)
    return {**space, "mg": __import__("minigrad")}


def twenty(kind):
    """Twenty spellings or some more: of a product of values and rules, each value and each rule is among them."""
    return SPELLINGS[kind][:: len(SPELLINGS[kind]) // 20]


def test_there_are_twenty_of_each():
    assert [kind for kind, sources in SPELLINGS.items() if len(set(sources)) < 20] == []


@pytest.mark.cases(len(SPELLINGS))
@pytest.mark.parametrize("kind", SPELLINGS)
def test_honest_spellings_are_right_in_a_notebook(kind):
    folder, name = kind.split()
    exercise = load_to_grade(ASSIGNMENTS / folder / "checks.py")[name]
    space, refused = solved(folder), []
    for source in twenty(kind):
        names = dict(space)
        if folder == "hw4":
            names["value_of"] = types.FunctionType(space["value_of"].__code__, names)  # which makes a Value of these
        exec(source, names)
        verdict = examine(exercise, names[name], {other: names[other] for other in exercise.also}, thorough=False)
        refused += [] if verdict else [(source, verdict.to_text())]
    assert refused == []


@pytest.mark.cases(len(SPELLINGS))
@pytest.mark.parametrize("kind", SPELLINGS)
def test_honest_spellings_are_right_when_they_are_graded(kind, judges, sampled):
    folder, name = kind.split()
    refused = []
    for source in sampled(twenty(kind)):
        results = judges[folder].judge(submission(folder, name, source)).results
        refused += [
            (source, mark.words, mark.mistake) for mark in results if mark.exercise == name and mark.state != "right"
        ]
    assert refused == []
