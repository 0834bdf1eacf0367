"""The judge says the same about an answer as the notebook, for random exercises and right or changed answers."""

import random

import pytest

from minigrad.classroom.examination import examine
from minigrad.classroom.loading import load
from minigrad.classroom.mutants import mutants_of
from minigrad.classroom.proof import namespace
from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import Cell, Submission
from minigrad.runner.budgets import Limits

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


def function_handed_over(name, rng):
    op, n = rng.choice(["sin", "exp", "tanh"]), rng.randint(2, 5)
    slope = OPS[op][0].format(m="mg")
    checks = f"    f = lambda x: {n} * mg.{op}(x)\n    true = lambda x: {n} * {slope}\n"
    checks += "    value = lambda y: getattr(y, 'value', math.nan)\n"
    checks += (
        "    near = lambda g, x: bool(np.allclose(value(g(f, mg.constant(x))), true(mg.constant(x)).value)) or 'No.'\n"
    )
    checks += "    c.property('the slope of a function', near, at=[(1.0,), (-0.5,)], vary=())"
    return f"{name}(f, x)", checks, f"def {name}(f, x):\n    y = 1 * f(x)\n    return mg.gradients(y, [x])[0]"


def slice_handed_over(name, rng):
    step = rng.randint(2, 3)
    checks = f"    holds = lambda f, n: list(f(list(range(9)), slice(n, None, {step}))) == list(range(9))[n::{step}]\n"
    checks += "    c.property('a part', lambda f, n: bool(holds(f, n)) or 'No.', at=[(0,), (4,)], vary=())"
    return f"{name}(x, part)", checks, f"def {name}(x, part):\n    return x[part][0 : len(x) + 1]"


def generator_handed_over(name, rng):
    n = rng.randint(2, 5)
    checks = "    draw = np.random.default_rng\n    holds = lambda f, seed: bool(np.array_equal("
    checks += f"f(draw(seed), {n}), draw(seed).normal(size={n}))) or 'No.'\n"
    checks += "    c.property('numbers of the generator', holds, at=[(0,), (7,)], vary=())"
    return f"{name}(rng, n)", checks, f"def {name}(rng, n):\n    return rng.normal(size=n) * 1 + 0"


def given(name, rng):
    n = rng.randint(2, 5)
    loop = "for _ in range(60):\n        y = y - (y**3 + {n} * y - x) / (3 * y**2 + {n})\n    return y"
    solved = f"def solved_{name}(x):\n    y = 0.0 * x\n    {loop.format(n=n)}"
    checks = "    " + solved.replace("\n", "\n    ") + f"\n    true = lambda x: 1 / (3 * solved_{name}(x) ** 2 + {n})\n"
    checks += f"    c.value(solved_{name}, vary=(floats(-4, 4),), says='the root')\n"
    checks += "    c.derivative('the slope', vary=(floats(-4, 4),), slope=true, given_value=True,\n"
    checks += "                 dtypes=('float64',), rtol=1e-9)"
    rule = f"lambda upstream: upstream / (3 * y * y + {n})"
    source = f"{solved}\n@mg.custom_gradient\ndef {name}(x):\n    y = mg.constant(solved_{name}(x.value))\n"
    return f"{name}(x)", checks, f"{source}    return y, {rule}"


def structure(name, rng):
    n = rng.randint(2, 6)
    checks = "    some = samples({'a': 1.0, 'b': [2.0, 3.0]}, {'a': -1.0, 'b': []}, {'a': 0.5, 'b': [4.0]})\n"
    checks += f"    c.answer(lambda d: (d['a'], [{n} * b for b in d['b']]), vary=(some,), says='each {n} times')"
    return f"{name}(d)", checks, f"def {name}(d):\n    return d['a'], [{n} * b for b in d['b']]"


def with_a_variable(name, rng):
    n = rng.randint(2, 5)
    vary = "vary=(floats(-2, 2), variable(floats(-2, 2), 'w'))"
    checks = f"    c.value(lambda x, w: {n} * x * w + x, {vary}, says='the value')\n"
    checks += f"    c.derivative('the slopes', {vary}, forward=lambda x, w: {n} * x * w + x)"
    return f"{name}(x, w)", checks, f"def {name}(x, w):\n    return {n} * x * w + x"


def second_derivative(name, rng):
    f, slope, (low, high) = term(rng)
    checks = f"    c.derivative('its slope in turn', vary=(floats({low / 2 + 0.5}, {high / 2}),), order=2,\n"
    checks += f"                 forward=lambda x: {f.format(m='mg')})"
    source = f"@mg.custom_gradient\ndef {name}(x):\n    return {f.format(m='mg')}, lambda upstream: upstream * "
    return f"{name}(x)", checks, source + slope.format(m="mg")


def in_branches(name, rng):
    n, at = rng.randint(2, 5), rng.randint(1, 3)
    checks = "    c.derivative('the slope', vary=(floats(0.25, 4),), branches=2, dtypes=('float64',),\n"
    checks += f"                 slope=lambda x: {n}.0 if x > {at} else 1.0)"
    return f"{name}(x)", checks, f"def {name}(x):\n    return {n} * x if float(x.value) > {at} else 1.0 * x"


def small_rule(name, rng):
    f, slope, domain = term(rng)
    checks = f"    c.small(nodes=9, constants=3, {VARY}, part='rule')".format(domain=domain)
    rule = f"lambda upstream: upstream * {slope.format(m='mg')}"
    return f"{name}(x)", checks, f"@mg.custom_gradient\ndef {name}(x):\n    return {f.format(m='mg')}, {rule}"


def a_number(name, rng):
    n = rng.randint(2, 9)
    return None, f"    c.number({n * n}.0, within=0.1)", f"{name} = {n} * {n}"


KINDS = [
    *(plain_value, plain_rule, of_tensors, of_a_rule, in_parts, a_property, function_handed_over, slice_handed_over),
    *(generator_handed_over, given, structure, with_a_variable, second_derivative, in_branches, small_rule, a_number),
]
HEAD = "import math\nimport numpy as np\nimport minigrad as mg\n"
FROM = "from minigrad.classroom import exercise, floats, samples, variable\n"


def made(folder, count):
    """An assignment with exercises of every kind in a folder, and an answer to each: right, or with a change."""
    rng, checks, answers = random.Random(7), [HEAD + FROM], {}
    for n in range(count):
        name = f"q{n}"
        function, text, source = KINDS[n % len(KINDS)](name, rng)
        checks.append(f"@exercise({name!r}, function={function!r})\ndef {name}(c):\n{text}\n")
        changed = rng.choice(mutants_of(source)).source
        answers[name] = source if rng.random() < 0.4 else changed
    (folder / "checks.py").write_text("\n".join(checks))
    return answers


@pytest.mark.parametrize("count", [len(KINDS), pytest.param(200, marks=pytest.mark.slow)])
def test_the_judge_says_what_the_notebook_says(count, tmp_path, subtests):
    answers = made(tmp_path, count)
    cells = [Cell(HEAD, 1), *(Cell(source, n, name) for n, (name, source) in enumerate(answers.items(), 2))]
    with Judge(tmp_path, limits=Limits(call=1.0, submission=600.0)) as judge:
        report = judge.judge(Submission("ada", "ada.ipynb", "00", tuple(cells)))
    exercises = load(tmp_path / "checks.py")
    space = namespace([cell.source for cell in cells])
    there = {name: examine(exercises[name], space.get(name)) for name in answers}
    for mark in report.results:
        with subtests.test(msg=answers[mark.exercise]):
            verdict = there[mark.exercise]
            assert mark.state == verdict.status, (mark.words, mark.why, str(verdict))
            assert [line.right for line in mark.lines] == [line.right for line in verdict.lines]
            assert (mark.mistake or [""])[0] == (verdict.mistake.name if verdict.mistake else "")
    states = [mark.state for mark in report.results]
    assert min(states.count("right"), states.count("wrong")) >= count // 4
