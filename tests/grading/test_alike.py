"""What the notebook says of an answer, the judge says too: for random exercises, and right or changed answers."""

import random

import pytest

from minigrad.classroom.check import examine
from minigrad.classroom.loading import load
from minigrad.classroom.mutants import mutants_of
from minigrad.classroom.proof import namespace
from minigrad.grading.judge import Judge
from minigrad.grading.reading import Cell, Submission
from minigrad.runner.limits import Limits

COUNT = 40
#: An op, its derivative in terms of x, and where it is tried.
OPS = {
    "sin": ("{m}.cos(x)", (-3, 3)),
    "exp": ("{m}.exp(x)", (-2, 2)),
    "tanh": ("(1 - {m}.tanh(x) ** 2)", (-2, 2)),
    "log": ("(1 / x)", (0.5, 4)),
    "sqrt": ("(0.5 / {m}.sqrt(x))", (0.5, 4)),
}
VARY = "vary=(floats{domain},)"


def term(rng):
    """A function of x with its derivative, as text, and its domain."""
    op, factor, shift = rng.choice(list(OPS)), rng.randint(2, 5), rng.randint(-3, 3)
    slope, domain = OPS[op]
    return f"{factor} * {{m}}.{op}(x) + {shift}", f"{factor} * {slope}", domain


def plain_value(name, rng):
    f, _, domain = term(rng)
    checks = f"    c.answer(lambda x: {f.format(m='math')}, {VARY}, says='the value')"
    return f"{name}(x)", checks.format(domain=domain), f"def {name}(x):\n    return {f.format(m='math')}"


def plain_rule(name, rng):
    op = rng.choice(list(OPS))
    slope, domain = OPS[op]
    checks = f"    c.gradient(forward={op!r}, {VARY})".format(domain=domain)
    return f"{name}(x, upstream)", checks, f"def {name}(x, upstream):\n    return upstream * {slope.format(m='math')}"


def of_tensors(name, rng):
    f, slope, domain = term(rng)
    checks = f"    c.value(lambda x: {f.format(m='math')}, {VARY}, says='the value')\n"
    checks += f"    c.derivative('the slope', {VARY}, slope=lambda x: {slope.format(m='math')})\n"
    checks += f"    c.plain({VARY})"
    return f"{name}(x)", checks.format(domain=domain), f"def {name}(x):\n    return {f.format(m='mg')}"


def of_a_rule(name, rng):
    f, slope, domain = term(rng)
    checks = f"    c.derivative('the slope', {VARY}, slope=lambda x: {slope.format(m='math')})\n"
    checks += f"    c.custom({VARY})\n    c.linear({VARY})\n    c.small(nodes=30, constants=12, {VARY})"
    rule = f"lambda upstream: upstream * {slope.format(m='mg')}"
    source = f"@mg.custom_gradient\ndef {name}(x):\n    return {f.format(m='mg')}, {rule}"
    return f"{name}(x)", checks.format(domain=domain), source


def in_parts(name, rng):
    f, _, domain = term(rng)
    low, high = domain
    middle = (low + high) / 2
    checks = f"    c.answer(lambda x: {f.format(m='math')}, vary=(floats({low}, {middle}),), says='low', marks=0.5)\n"
    checks += f"    c.answer(lambda x: {f.format(m='math')}, vary=(floats({middle}, {high}),), says='high', marks=0.5)"
    return f"{name}(x)", checks, f"def {name}(x):\n    return {f.format(m='math')}"


def a_property(name, rng):
    n = rng.randint(2, 6)
    checks = f"    c.property('{n} times', lambda f, x: getattr(f(mg.constant(x)), 'value', 0) == {n} * x or 'No.',\n"
    checks += "               at=[(1.0,), (-2.0,)], vary=())"
    return f"{name}(x)", checks, f"def {name}(x):\n    return {n} * x"


KINDS = [plain_value, plain_rule, of_tensors, of_a_rule, in_parts, a_property]
HEAD = "import math\nimport minigrad as mg\nfrom minigrad.classroom import exercise, floats\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of an assignment with exercises of every kind, and an answer to each."""
    rng, checks, answers = random.Random(7), [HEAD], {}
    for n in range(COUNT):
        name = f"q{n}"
        function, text, source = KINDS[n % len(KINDS)](name, rng)
        checks.append(f"@exercise({name!r}, function={function!r})\ndef {name}(c):\n{text}\n")
        mutants = mutants_of(source)
        answers[name] = source if n % 3 == 0 else rng.choice(mutants).source
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    (folder / "checks.py").write_text("\n".join(checks))
    return folder, answers


@pytest.mark.slow
def test_the_judge_says_what_the_notebook_says(made, subtests):
    folder, answers = made
    first = Cell("import math\nimport minigrad as mg", 1)
    cells = [first, *(Cell(source, n, name) for n, (name, source) in enumerate(answers.items(), 2))]
    with Judge(folder, limits=Limits(call=1.0, submission=60.0)) as judge:
        report = judge.judge(Submission("ada", "ada.ipynb", "00", tuple(cells)))
    exercises = load(folder / "checks.py")
    space = namespace([cell.source for cell in cells])
    there = {name: examine(exercises[name], space.get(name)) for name in answers}
    for mark in report.results:
        with subtests.test(msg=answers[mark.exercise]):
            verdict = there[mark.exercise]
            assert mark.state == verdict.status
            assert [line.right for line in mark.lines] == [line.right for line in verdict.lines]
            assert (mark.mistake or [""])[0] == (verdict.mistake.name if verdict.mistake else "")
    states = [mark.state for mark in report.results]
    assert min(states.count("right"), states.count("wrong")) >= COUNT // 4
