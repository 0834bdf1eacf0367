"""Functions with a custom gradient around a nan or inf: they are not run again, and every program gets a report."""

import random
import re

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from tests.diagnostics.nan_programs import executed, lines_remembered, reported, tensors, value_and_gradients

#: Names of functions, which may be those of ops.
NAMES = re.findall(
    r"\w+",
    """first second third fourth fifth sixth divide where power log sqrt exp softmax mean multiply
sum equal less identity output negative getitem max read stop_gradient""",
)

RULES = """import minigrad as mg

w = mg.Variable(3.0)

@mg.custom_gradient
def halved(a):
    return a * a, lambda dy: dy * 2.0

@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

@mg.custom_gradient
def cube(a):
    return a**3, lambda dy: dy * 3 * a**2

@mg.custom_gradient
def both(pair, b):
    return pair[0] + b, lambda dy: [dy, dy, dy]

@mg.custom_gradient
def stop_gradient(a):
    return a * a, lambda dy: dy * 2.0

class rules:
    @mg.custom_gradient
    def scaled(a):
        return a * w, lambda dy, variables=None: (dy * w, [dy * a])

def program(x):
    return """


def report_at(body, x):
    """The report on a program of one number that calls these rules, and its source."""
    x, source = mg.constant(x), f"{RULES}{body}\n"
    return reported(source, [x], {"x": x})[0], source


def no_repair(*functions):
    return f"No repair is known: {' and '.join(functions)} would have to be called again to check one."


@pytest.mark.parametrize("body, x, op, kind, cause, functions", [
    ("mg.sqrt(halved(x))", 0.0, "sqrt", "domain", "", ["halved"]),
    ("log1pexp(x) * 0.0", 100.0, "multiply", "0 * inf", "log1pexp: its value is not finite there", ["log1pexp"]),
    ("log1pexp(x) - log1pexp(x)", 100.0, "subtract", "inf - inf", "The cause is log1pexp", ["log1pexp"]),
    ("mg.sin(halved(x)) / halved(x)", 0.0, "divide", "0 / 0", "", ["halved"]),
    ("halved(x / x)", 0.0, "divide", "0 / 0", "", ["halved"]),
    ("halved(x) / cube(x)", 0.0, "divide", "0 / 0", "", ["halved", "cube"]),
    ("halved(mg.log(1 + mg.exp(x)))", 100.0, "exp", "0 * inf", "", ["halved"]),
    ("stop_gradient(mg.log(1 + mg.exp(x)))", 100.0, "exp", "0 * inf", "", ["stop_gradient"]),
])  # fmt: skip
def test_a_repair_that_would_call_a_function_again_is_not_offered(body, x, op, kind, cause, functions):
    report, _ = report_at(body, x)
    assert (report.op, report.kind) == (op, kind)
    assert not report.repair and cause in str(report)
    assert report.repair.more == no_repair(*functions)


def test_a_function_that_has_no_part_in_it_is_not_named():
    report, _ = report_at("mg.log(x) + halved(x)", -1.0)
    assert (report.op, report.repair.more) == ("log", "No repair is known.")


@pytest.mark.parametrize("body, x, written, value, slope", [
    ("mg.where(x > 0, mg.log(halved(x)), 0.0 * x)", 0.0, "mg.log(mg.where(x > 0, halved(x), 1.0))", 0, 0),
    ("mg.where(x > 0, mg.log(rules.scaled(x)), 5.0 * x)", 0.0, "mg.where(x > 0, rules.scaled(x), 1.0)", 0, 5),
    ("mg.log(1 + mg.exp(halved(x)))", 20.0, "mg.softplus(halved(x))", 400, 2),
    ("mg.sin(c := halved(x)) / c + x", 0.0, "sinc(", 1, 1),
])  # fmt: skip
def test_a_repair_beside_a_call_is_checked_and_written(body, x, written, value, slope):
    report, source = report_at(body, x)
    assert report.repair
    assert written in str(report.repair) and "jumps" not in str(report.repair)
    assert (report.repair.after.value, report.repair.after.gradients[0]) == (value, slope)
    if edits := report.repair.edits:
        now = value_and_gradients(executed(edited(source, edits)), {"x": x}, "float32")
        assert [float(n) for n in now] == [value, slope]


@pytest.mark.parametrize("body", ["cube(x) / x", "cube(x) / (x * x)", "mg.where(x >= 0, cube(x) / x, x)"])
def test_nothing_is_said_of_the_value_beside_this_point(body):
    """There only the function's result was moved, not its argument: cube(x) / x seems to jump, but tends to 0."""
    assert report_at(body, 0.0)[0].repair.more == no_repair("cube")


def test_a_nested_argument_is_not_taken_for_its_first_number():
    lines = "below = mg.log(both([x, x], 2.0 * x))\n    return mg.where(x > 0, below, x)\n"
    source, x = RULES.removesuffix("return ") + lines, mg.constant(0.0)
    repair = reported(source, [x], {"x": x})[0].repair
    assert "mg.where(x > 0" in repair.lines[0][-1]
    now = value_and_gradients(executed(edited(source, repair.edits)), {"x": 0.0}, "float32")
    assert [float(n) for n in now] == [0, 1]


@pytest.mark.parametrize("body, x, op", [
    ("halved(x / x)", 0.0, "divide"), ("halved(x) * 0.0", 1e30, "multiply"),
    ("mg.log(halved(x)) - x / x", 0.0, "divide"), ("halved(halved(x) / halved(x))", 0.0, "divide"),
    ("halved(mg.log(x))", 0.0, "log"),
    ("mg.where(halved(x), mg.log(x), halved(x - x))", 0.0, "log"),
])  # fmt: skip
def test_functions_may_be_called_like_ops(body, x, op, subtests):
    for name in NAMES:
        with subtests.test(name):
            source, inputs = RULES.replace("halved", name) + body.replace("halved", name), [mg.constant(x)]
            report, _ = reported(source, inputs)
            assert report.repair.op in (op, name)
            assert report.repair or report.repair.words


def test_a_call_beside_a_repair_in_a_large_graph_stays_as_it_is():
    source = f"{RULES}mg.sum(cube(x) + mg.log(1 + mg.exp(100.0 * x)))\n"
    repair = reported(source, [mg.constant(np.ones(20_000, np.float32))])[0].repair
    assert repair.grade == "same"
    assert "softplus" in str(repair)
    np.testing.assert_array_equal(repair.after.gradients[0], 103.0)


@np.errstate(all="ignore")
def test_weights_behind_a_call_that_blew_up_are_told_without_a_step_length():
    @mg.custom_gradient
    def squared(a):
        return a * a, lambda dy: dy * 2.0 * a

    w = mg.Variable(np.float32([1.0, -1.0]), name="w")
    loss = lambda: mg.mean(squared(w * 30.0))
    with lines_remembered():
        for _ in range(60):
            w.assign_sub(0.02 * mg.gradients(loss(), [w])[0].value)
    said = str(mg.find_nan(loss()))
    assert "w grows 17 times in step 1" in said and "the same loss falls" not in said


# Random programs.

#: Expressions in one value or in two that may lose a value or a slope.
ONE = """mg.sqrt(a); mg.log(a); mg.exp(a); a / a; 1 / a; mg.sin(a) / a; mg.log(1 + mg.exp(a)); a ** 0.5; a * a; -a;
a - a; mg.where(a > 0, mg.log(a), 0 * a); mg.abs(a); mg.sum(a) + 0 * a; mg.mean(a) + a; mg.tanh(a); a * 1e30;
mg.sqrt(mg.sum(a ** 2)) * a; mg.stop_gradient(a) * a; mg.maximum(a, 0.0); mg.exp(a) / mg.sum(mg.exp(a)); mg.arccos(a);
mg.log(mg.sigmoid(a))"""
TWO = """a + b; a - b; a * b; a / b; a ** b; mg.where(a > b, mg.log(a), b); mg.where(a == 0, b, b / a); mg.hypot(a, b);
mg.logaddexp(a, b)"""
#: Functions F around an expression E in a and b, and their calls: keywords, lists, several outputs, Variables, nested.
CALLS = {
    "def F(a, b):\n    return E, lambda dy: (dy * 2.0, dy)": "F(A, B)",
    "def F(a, *, b):\n    return E, lambda dy: (dy * b, dy / a)": "F(A, b=B)",
    "def F(pair):\n    a, b = pair\n    return E, lambda dy: [dy * mg.log(a), dy]": "F([A, B])",
    "def F(a, b):\n    return (E, a * b), lambda dy, dz: (dy + dz, dy * b)": "mg.multiply(*F(A, B))",
    "def F(a, b):\n    return {'y': E, 'z': a}, lambda y, z: (y + z, y * b)": "F(A, B)['y']",
    "def F(a, b):\n    return (E, mg.sum(a > 0)), lambda dy, dn: (dy, dy)": "mg.where(F(A, B)[1] > 0, F(A, B)[0], A)",
    "def F(a, b):\n    return E * w, lambda dy, variables=None: ((dy * w, dy), [mg.sum(dy * a)])": "F(A, B)",
    """def F(a, b):
    @mg.custom_gradient
    def inner(a):
        return E, lambda dy: dy * 3.0
    y = inner(a)
    return y / b, lambda dy: (dy * y, dy)""": "F(A, B)",
    "def F(a, b):\n    return E, lambda dy: (dy * (a - a) / (a - a), dy)": "F(A, B)",
}


def program(seed):
    """The source of a program in which about every second step is a call, its inputs and their dtype."""
    rng = random.Random(seed)
    functions, steps, names = ["import minigrad as mg\n\nw = mg.Variable(0.5)\n"], [], rng.sample(NAMES, len(NAMES))
    for k in range(2, 2 + rng.randint(1, 6)):
        a, b = (f"v{rng.randrange(max(k - 3, 0), k)}" for _ in range(2))
        step = rng.choice(re.split(r";\s+", rng.choice([ONE, ONE, TWO])))
        if rng.random() < 0.5:
            function, call = (text.replace("F", names[k]) for text in rng.choice(list(CALLS.items())))
            functions.append(f"@mg.custom_gradient\n{function.replace('E', step)}\n")
            steps.append(call.replace("A", a).replace("B", b))
        else:
            steps.append(re.sub(r"\b[ab]\b", lambda letter, now={"a": a, "b": b}: now[letter[0]], step))
    steps = [f"v{k} = {step}" for k, step in enumerate(steps, 2)]
    end = f"return mg.sum(v{k})" if rng.random() < 0.7 else f"return mg.sum(v{k} * v0 + v{k - 1})"
    numbers = [rng.choice([0.0, 0.0, 1.0, -1.0, 100.0, -3.0, 1e-30, 800.0]) for _ in range(4)]
    inputs = {"v0": numbers[:2], "v1": numbers[2:]} if rng.random() < 0.4 else dict(zip(("v0", "v1"), numbers))
    body = "\n    ".join(["def program(v0, v1):", *steps, end])
    return "\n\n".join([*functions, body]) + "\n", inputs, rng.choice(["float32", "float32", "float64", "float16"])


@pytest.mark.cases(3)
@pytest.mark.parametrize("seed", range(0, 1000, 100))
def test_every_program_with_calls_gets_a_report(seed, subtests):
    count = 0
    for source, inputs, dtype in map(program, range(seed, seed + 100)):
        with subtests.test(source):
            xs = tensors(inputs, dtype)
            report, _ = reported(source, xs.values(), xs)
            numbers = value_and_gradients(executed(source), inputs, dtype)
            assert report or all(np.isfinite(n).all() for n in numbers)
            assert report.repair or report.repair.words or not report
            if edits := report.repair.edits:
                count += 1
                now = value_and_gradients(executed(edited(source, edits)), inputs, dtype)
                after = dict(zip(report.repair.after.names, report.repair.after.gradients))
                for n, want in zip(now, [report.repair.after.value, *(after.get(name, 0) for name in inputs)]):
                    np.testing.assert_allclose(n, want, rtol=1e-3)
    assert count
