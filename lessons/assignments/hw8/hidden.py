"""What students of hw8 do not receive: answers, hints, wrong answers that must fail, and further checks."""

import importlib.util
from pathlib import Path

from minigrad.classroom import exercise

_spec = importlib.util.spec_from_file_location("hw8_shown", Path(__file__).with_name("checks.py"))
shown = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(shown)


@exercise("what_is_returned")
def what_is_returned(c):
    c.choice(
        "b",
        because={
            "a": "The gradients of the Variables are a list of their own.",
            "b": "Yes: a pair of what the arguments get and a list with one gradient for each of variables.",
            "c": "The argument and the Variables are kept apart: a pair, whose second part is a list.",
        },
    )


@exercise("make_quadratic", points=3, function="make_quadratic(weights, x, upstream)")
def make_quadratic(c):
    points = [
        ([0.0, 0.0, 1.0], [[1.0, -2.0], [3.0, 0.5]], [[1.0, 0.0], [0.0, 10.0]]),
        ([2.0, -1.0, 4.0], -3.0, 2.0),
        ([1.0, 2.0, 3.0], [[[1.0], [2.0]], [[-1.0], [0.5]]], [[[1.0], [10.0]], [[100.0], [1000.0]]]),
    ]
    c.property("also where x has more axes", shown.quadratic_is_right, vary=(), points=points, reveal="message")
    c.hint(
        "The slope of the value for w0 is 1, for w1 it is x, for w2 it is x * x.",
        "weights has three numbers, so its gradient has three: each is a sum over all elements of x.",
        "of_weights = mg.stack([mg.sum(upstream), mg.sum(upstream * x), ___])",
    )
    c.solution("One weight acts on all elements, so what arrives from them is added up.")
    body = """
def make_quadratic(weights):
    @mg.custom_gradient
    def quadratic(x):
        def grad(upstream, variables=None):
            of = {stack}([{zero}, {one}, {two}])
            return {x}, {owed}
        return weights[0] + weights[1] * x + weights[2] * x * x, grad
    return quadratic
"""
    usual = {
        "stack": "mg.stack",
        "zero": "mg.sum(upstream)",
        "one": "mg.sum(upstream * x)",
        "two": "mg.sum(upstream * x * x)",
        "x": "upstream * (weights[1] + 2 * weights[2] * x)",
        "owed": "[of]",
    }
    for change in (
        {"zero": "mg.sum(upstream * x * x)", "two": "mg.sum(upstream)"},
        {"x": "weights[1] + 2 * weights[2] * x"},
        {"x": "upstream * (weights[1] + weights[2] * x)"},
        {"x": "upstream * weights[1]"},
        {"zero": "mg.mean(upstream)", "one": "mg.mean(upstream * x)", "two": "mg.mean(upstream * x * x)"},
        {"one": "mg.sum(upstream) * mg.sum(x)"},
        {"two": "mg.sum(x * x)"},
        {"owed": "of"},
        {"owed": "[None]"},
        {"zero": "1.0"},
    ):
        c.wrong(body.format(**{**usual, **change}))
    c.wrong(body.format(**usual).replace(", variables=None", ""))
    plain = "weights[0] + weights[1] * x + weights[2] * x * x"
    c.wrong(f"def make_quadratic(weights): return lambda x: {plain}")
    same = "@mg.custom_gradient\ndef same(y): return y, lambda upstream: upstream\n"
    c.wrong(same + f"def make_quadratic(weights): return lambda x: same({plain})")


@exercise("make_line", points=3, function="make_line(w, b, factor, x, upstream, names)")
def make_line(c):
    points = [
        (3.0, 1.0, 2.0, [1.0, 2.0], [1.0, 10.0], ("z", "a")),
        (2.0, 2.0, 4.0, [[1.0, 2.0], [3.0, 4.0]], [[1.0, 10.0], [100.0, 1000.0]], ("v10", "v9")),
    ]
    c.property("whatever the Variables are called", shown.line_is_right, vary=(), points=points, reveal="message")
    c.hint(
        "variables is sorted by name, and the names may be any. Which of the two is w?",
        "Compare with is: one gradient if v is w, another one if not, for v in variables.",
        "owed = [factor * mg.sum(upstream * x) if v is w else ___ for v in variables]",
    )
    c.solution("The list follows variables, whatever their order, and the factor meets w alone.")
    body = """
def make_line(w, b, factor):
    @mg.custom_gradient
    def line(x):
        def grad(upstream, variables=None):
            of_w, of_b = {w}, {b}
            return {x}, {owed}
        return w * x + b, grad
    return line
"""
    usual = {
        "w": "factor * mg.sum(upstream * x)",
        "b": "mg.sum(upstream)",
        "x": "upstream * w",
        "owed": "[of_w if v is w else of_b for v in variables]",
    }
    for change in (
        {"owed": "[of_w, of_b]"},
        {"owed": "[of_b, of_w]"},
        {"owed": "[of_b if v is w else of_w for v in variables]"},
        {"owed": "[of_w if v.name == 'w' else of_b for v in variables]"},
        {"w": "mg.sum(upstream * x)"},
        {"b": "factor * mg.sum(upstream)"},
        {"x": "factor * upstream * w"},
        {"x": "w"},
        {"w": "factor * mg.sum(upstream)"},
        {"b": "1.0"},
        {"w": "factor * upstream * x"},
    ):
        c.wrong(body.format(**{**usual, **change}))
    c.wrong("def make_line(w, b, factor): return lambda x: w * x + b")
    c.wrong(
        "@mg.custom_gradient\ndef same(y): return y, lambda upstream: upstream\n"
        "def make_line(w, b, factor):\n    v = factor * w + mg.stop_gradient(w - factor * w)\n"
        "    return lambda x: same(mg.stop_gradient(w) * x + (v - mg.stop_gradient(v)) * mg.stop_gradient(x) + b)"
    )
