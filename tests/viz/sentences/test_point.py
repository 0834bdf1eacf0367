"""The point of a pass in one sentence: said exactly, and true."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
import viz
from minigrad.tracing.recorder import backward_trace
from tests.browser.gallery import log1pexp
from tests.helpers.pictures import program
from tests.helpers.random_programs import numeric_gradient, programs
from viz.model.blocks import by_scope, ops_of
from viz.model.findings import Findings
from viz.model.flow import graph_of
from viz.model.loops import bounded, with_loops
from viz.model.unused import with_ports, with_unused
from viz.sentences.finished import Birth, PassNumbers
from viz.sentences.sentence import point_of

# Rules and functions.


@mg.custom_gradient
def triple(x):
    return 3.0 * x, lambda dy: 100.0 * dy


@mg.custom_gradient
def reverse(x):
    return x, lambda dy: -dy


@mg.custom_gradient
def silent(x, w):
    return x * w, lambda dy: (dy * w, None)


@mg.custom_gradient
def spoilt(x):
    return x * x, lambda dy: dy * float("nan")


@mg.custom_gradient
def straight_through(x):
    return mg.round(x), lambda dy: dy


@mg.custom_gradient
def two_results(x):
    return (x + 1.0, x * x), lambda da, db: da + 2 * x * db


@mg.custom_gradient
def nearly(x):
    return x * 1.0, lambda dy: dy * 1.004


LOW = np.array([3.21e-4, 1e-4, 1e-5, 1e-6, 1e-7])


@mg.custom_gradient
def nearly_low(x):
    return x * LOW, lambda dy: dy * LOW * np.array([3.24 / 3.21, 1.0, 1.0, 1.0, 1.0])


scale, shift = mg.Variable(2.0, name="scale"), mg.Variable(1.0, name="shift")


@mg.custom_gradient
def affine_pair(x, y):
    def grad(upstream, variables=None):
        return (upstream * scale, upstream * scale), [upstream * (x + y), upstream]

    return (x + y) * scale + shift, grad


@mg.custom_gradient
def affine_of_x(x, k):
    def grad(upstream, variables=None):
        return (upstream * scale, None), [upstream * x, upstream]

    return x * scale + shift + mg.stop_gradient(k), grad


def repeated(step, count):
    def run(x):
        for _ in range(count):
            x = step(x)
        return x

    return run


def blocks(count):
    def run(x):
        for i in range(count):
            with mg.scope(f"block {i}"):
                x = (x * 0.5 + 1.0) - 1.0
        return x

    return run


def newton(a):
    x = a
    for _ in range(5):
        x = x - (x * x - a) / (2 * x)
    return x


def dying(x):
    for _ in range(10):
        x = mg.relu(x - 0.5) + 0.0
    return x


def overtaken(x):
    """Two values are handed on: the last of each turn fades, the other does not."""
    total = x * 0.0
    for _ in range(6):
        x = x + 0.25
        total = total * 0.1 + x
    return total


def windows(w, x):
    return w * x + mg.sin(w) + mg.exp(w * x)


def sigmoids(x):
    return mg.sigmoid(mg.sigmoid(mg.sigmoid(x * 9) * 9) * 9)


def mlp(x, W, b):
    return mg.mean((x @ W + b) ** 2)


def case(sentence, f, result="y", xs=None, **inputs):
    """A sentence, and the program that it is of: a function of inputs by name, and the name of its result."""
    return pytest.param(sentence, f, result, xs, inputs, id=sentence[:60])


ROWS = np.arange(6.0)
GROWS = "By its gradient, y grows {} times as fast as x."
TWICE = " x is used 2 times, so its gradient is a sum: 3 + 3 = 6."
TABLE = [
    # One input: its slope.
    case("By its gradient, y grows 6 times as fast as x." + TWICE, lambda x: x * x, x=3.0),
    case("By its gradient, the result grows 6 times as fast as x." + TWICE, lambda x: x * x, x=3.0, result=""),
    case("By its gradient, y falls 2 times as fast as x grows.", lambda x: 1 - 2 * x, x=3.0),
    case("By its gradient, y grows as fast as x.", lambda x: x + 1, x=3.0),
    case("By its gradient, y falls as fast as x grows.", lambda x: 1 - x, x=3.0),
    case("By its gradient, y grows 5000 times as fast as x.", lambda x: 5000 * x, x=3.0),
    case("By its gradient, y grows 3 times as fast as x.", lambda x: mg.relu(x) * 3, x=2.0),
    case("By its gradient, y grows as fast as x.", lambda x: mg.maximum(x, 1.0), x=2.0),
    case("By its gradient, the sum of y grows 15 times as fast as x.", lambda x: x * ROWS, x=2.0),
    case("By its gradient, y grows 4 times as fast as x.", lambda x, k: x * k, x=2.0, k=4),
    case("x is the result itself, so its gradient is 1.", lambda x: x, x=3.0, result=""),
    # A gradient that is not a slope, or need not be one: 0, a kink, a tie, rounding, stop_gradient, a rule.
    case("y = 0. The gradient of x is 0.", lambda x: x * x, x=0.0),
    case("y = 0. The gradient of x is 0.", lambda x: -x * x, x=-0.0),
    case("y = 0. The gradient of x is 0.", mg.abs, x=0.0),
    case("By its gradient, y grows 0.5 times as fast as x.", lambda x: mg.maximum(x, 2.0), x=2.0),
    case("By its gradient, y grows 2 times as fast as x.", lambda x: mg.floor(x) * x, x=2.5),
    case("y = 6.25. The gradient of x is 2.5.", lambda x: mg.stop_gradient(x) * x, x=2.5),
    case("y = 4. The gradient of x is 2.", lambda x: straight_through(x) * 2, x=2.25),
    case("y = 1.31. The gradient of x is 0.731.", log1pexp, x=1.0),
    case(
        "A nan first appears in the forward pass, at log: log of -1 is nan. The gradients stay finite.", mg.log, x=-1.0
    ),
    # One input that is an array.
    case("y = 14. The gradient of x is [2 4 6].", lambda x: mg.sum(x * x), x=[1.0, 2.0, 3.0]),
    case("For the sum of y, the gradient of x is [2 4 6].", lambda x: x * x, x=[1.0, 2.0, 3.0]),
    case("For the sum of y, the entries of the gradient of x go from -4 to 6.", lambda x: x * x, x=ROWS - 2),
    case("y = 2.5. Each entry of x has the gradient 0.167.", lambda x: mg.mean(x), x=ROWS),
    # Several inputs.
    case(
        "y = -6. By its gradients, it falls 2 times as fast as x grows, grows 3 times as fast as w and as fast as b.",
        lambda x, w, b: w * x + b,
        x=3.0,
        w=-2.0,
        b=0.0,
    ),
    case(
        "y = 6. By its gradients, it grows 2 times as fast as x and falls 3 times as fast as w grows.",
        lambda x, w: -w * x,
        x=3.0,
        w=-2.0,
    ),
    case(
        "y = 4. By its gradients, it grows 2 times as fast as x and 2 times as fast as w.",
        lambda x, w: x * w,
        x=2.0,
        w=2.0,
    ),
    case(
        "y = -4. By its gradients, it falls 2 times as fast as x grows and grows 2 times as fast as w.",
        lambda x, w: x * w,
        x=2.0,
        w=-2.0,
    ),
    case(
        "y = 7. By its gradients, it grows 2 times as fast as x, 2 times as fast as w and as fast as b.",
        lambda x, w, b: x * w + b,
        x=2.0,
        w=2.0,
        b=3.0,
    ),
    case(
        "y = 6. By its gradients, it grows 2 times as fast as x and 3 times as fast as w; the gradient of b is 0.",
        lambda x, w, b: w * x + b * 0.0,
        x=3.0,
        w=2.0,
        b=1.0,
    ),
    case(
        "By its gradients, the sum of y changes up to 4 times as fast as an entry of x and 6 times as fast as one "
        "of w.",
        lambda x, w: x * w,
        x=[[1.0, 2.0], [3.0, 6.0]],
        w=[[1.0, 1.0], [1.0, 4.0]],
    ),
    case(
        "By its gradients, the sum of y changes up to as fast as an entry of x, as fast as one of w and 2 times as "
        "fast as one of b.",
        lambda x, w, b: x - w + b * 2,
        x=[1.0, 2.0],
        w=[3.0, 1.0],
        b=[1.0, 2.0],
    ),
    case(
        "y = 6. By its gradient, it grows 2 times as fast as x; no gradient reaches w.",
        lambda x, w: x * w,
        xs="x",
        x=3.0,
        w=2.0,
    ),
    case("y = 6. The gradient of x is 2; no gradient reaches w.", lambda x, w: x * mg.stop_gradient(w), x=3.0, w=2.0),
    case(
        f"y = 9. By its gradient, it grows 6 times as fast as x; w is not used.{TWICE}",
        lambda x, w: x * x,
        x=3.0,
        w=2.0,
    ),
    case("y = 1. No gradient reaches x.", lambda x: mg.argmax(x), x=[2.0, 5.0]),
    case("y = 8. No input takes a gradient.", lambda k: k * 2, k=4),
    case("The result is 13. The gradient of x is 7.", lambda x: sum(two_results(x)), x=3.0, result=""),
    # A sum of messages.
    case(
        "y = 9. By its gradients, it grows 3 times as fast as x and 3 times as fast as w. x is used 2 times, so its "
        "gradient is a sum: 2 + 1 = 3.",
        lambda x, w: x * w + x,
        x=3.0,
        w=2.0,
    ),
    case(
        "y = 6.25. The gradient of x is 3. x is used 2 times, so its gradient is a sum: 2 + 1 = 3.",
        lambda x: straight_through(x) * 2 + x,
        x=2.25,
    ),
    case(
        f"{GROWS.format(12)} x is used 3 times, so its gradient is a sum: 4 + 4 + 4 = 12.",
        lambda x: x * x * x,
        x=2.0,
    ),
    case(
        f"{GROWS.format(11)} x is used 4 times, so its gradient is a sum: 4 + 4 + 4 - 1 = 11.",
        lambda x: x * x * x - x,
        x=2.0,
    ),
    case(
        "y = 0. The gradient of x is 0. x is used 3 times, so its gradient is a sum: 1 - 1 + 0 = 0.",
        lambda x: x - x + x * 0,
        x=2.0,
    ),
    case(
        f"{GROWS.format(12)} x gets 3 messages, so its gradient is a sum: 4 + 4 + 4 = 12.",
        lambda x: (x > 1) * x * x * x,
        x=2.0,
    ),
    case(
        f"{GROWS.format(10)} x is used 10 times, so its gradient is a sum: 1 + 1 + 1 + 1 + 1 + … = 10.",
        lambda x: x + x + x + x + x + x + x + x + x + x,
        x=2.0,
    ),
    # Rules.
    case("The rule sends 1 to x; the pass it replaces would send nan: 0 × inf at exp.", log1pexp, x=100.0),
    case(
        "The rule sends 2 to x; the pass it replaces would send nan: 0 × inf at exp.",
        lambda x: log1pexp(x) * 2,
        x=999.0,
    ),
    case(
        "The rule sends finite numbers to x; the pass it replaces would send nan: 0 × inf at exp.",
        log1pexp,
        x=[1.0, 300.0],
    ),
    case("The rule of triple sends 100 to x; the pass it replaces would send 3.", triple, x=1.0),
    case("The rule of triple sends 100 to x; the pass it replaces would send 3.", lambda x: triple(x) * x, x=1.0),
    case("The rule of triple sends all 100 to x; the pass it replaces would send all 3.", triple, x=ROWS),
    case(
        "The rule of reverse sends -1 to multiply; the pass it replaces would send 1.", lambda x: reverse(x * x), x=2.0
    ),
    case("The rule of silent sends nothing to w; the pass it replaces would send 2.", silent, x=2.0, w=3.0),
    case(
        "The rule of affine_pair sends to x, y, scale and shift; scale gets most, 42.",
        affine_pair,
        x=40.0,
        y=2.0,
        result="",
    ),
    case(
        "The rule of affine_of_x sends to x, scale and shift; scale gets most, 3; it sends nothing to k.",
        affine_of_x,
        x=3.0,
        k=1.0,
    ),
    # Numbers that are the same in three digits, and differ.
    case("The rule of nearly sends 1.004 to x; the pass it replaces would send 1.", nearly, x=1.0),
    case(
        "The rule of nearly_low sends up to 0.000324 to x; the pass it replaces would send up to 0.000321.",
        nearly_low,
        x=[1.0] * 5,
    ),
    case(
        "y = 2. By its gradients, it grows about as fast as x and as fast as w.",
        lambda x, w: x * 1.004 + w,
        x=1.0,
        w=1.0,
    ),
    case(
        "y = 2. The gradient of x is 1.004, that of w is 1.",
        lambda x, w: mg.stop_gradient(x * 0.0) + x * 1.004 + w,
        x=1.0,
        w=1.0,
    ),
    # nan and inf.
    case(
        "A nan first appears at exp: the gradient 0 meets the slope inf, and 0 × inf = nan. It reaches x.",
        lambda x: mg.log(1 + mg.exp(x)),
        x=100.0,
    ),
    case(
        "A nan first appears at exp: the branch that was not taken sends 0 into exp, where the slope is inf, and "
        "0 × inf = nan. It reaches x.",
        lambda x: mg.where(x > 0, x, mg.log(1 + mg.exp(x))),
        x=100.0,
    ),
    case(
        "A nan first appears at sqrt: the branch that was not taken sends 0 into sqrt, where the slope is inf, and "
        "0 × inf = nan. It reaches x.",
        lambda x: mg.where(x > 0, mg.sqrt(x), 0.0),
        x=[0.0, 1.0, 4.0],
    ),
    case(
        "A nan first appears at exp: where the gradient is 0, the slope is inf, and 0 × inf = nan. It reaches x.",
        lambda x: mg.where(x > 0, x, mg.log(1 + mg.exp(x))),
        x=[-1.0, 2.0, 100.0],
    ),
    case(
        "A nan first appears in the forward pass, at sqrt: sqrt of -1 is nan. The gradient of x has nan or inf too.",
        mg.sqrt,
        x=-1.0,
    ),
    case("A nan first appears at spoilt: its rule sends nan. It reaches x.", lambda x, w: spoilt(x) * w, x=2.0, w=3.0),
    case(
        "An inf first appears at sqrt: the gradient 1 meets the slope inf, and 1 × inf = inf. It reaches x.",
        mg.sqrt,
        x=0.0,
    ),
    case(
        "An inf first appears at sqrt: the slope there is inf. It reaches x.",
        lambda x: mg.sum(mg.sqrt(x)),
        x=[0.0, 1.0],
    ),
    case(
        "A nan first appears at multiply: the gradient inf meets the slope 0, and inf × 0 = nan. The inf comes from "
        "sqrt: the gradient 1 meets the slope inf, and 1 × inf = inf. It reaches x as nan.",
        lambda x: mg.sqrt(x * x),
        x=0.0,
    ),
    case(
        "A nan first appears at power. The inf comes from sqrt: the gradient 1 meets the slope inf, and 1 × inf = inf. "
        "It reaches a as nan.",
        lambda a: mg.sqrt(mg.mean((a - mg.mean(a)) ** 2)),
        a=[1.0, 1.0],
    ),
    case(
        "A nan first appears at x: messages of inf and -inf add up there. The inf comes from log: the gradient -1 "
        "meets the slope inf, and -1 × inf = -inf. It reaches x as nan.",
        lambda x: -mg.log(mg.exp(x) / (1 + mg.exp(x))),
        x=-100.0,
    ),
    case(
        "An inf first appears at multiply: the gradient 1e20 meets the slope 1e20, and their product is too large a "
        "number. It reaches x.",
        lambda x: (x * 1e20) * 1e20,
        x=1e-20,
    ),
    case(
        "An inf first appears at x: the messages to it are finite, and their sum is too large a number. It reaches x.",
        lambda x: 3e38 * x + 3e38 * x,
        x=1e-38,
    ),
    # Gradients that fade or grow. A step of `blocks` halves the gradient, and 0.5 ** 24 is the first below 1e-7.
    case(
        "The gradient fades on its way back: 1 at block 29, 1.9e-9 at block 0; below a ten-millionth at block 5 "
        "and before; in block 5 most at multiply 0.5, where 6e-8 arrives and 3e-8 goes on.",
        blocks(30),
        x=1.0,
    ),
    case(
        "The gradient fades on its way back: 1 at block 199, 0 at block 0; below a ten-millionth at block 175 and "
        "before, 0 at block 49 and before; in block 175 most at multiply 0.5, where 6e-8 arrives and 3e-8 goes on.",
        blocks(200),
        x=1.0,
    ),
    case(
        "The gradient grows on its way back: 1 at turn 10, 19683 at turn 1.",
        repeated(lambda x: (x * 3.0 + 1.0) - 1.0, 10),
        x=0.5,
    ),
    case(
        "The gradient fades on its way back: 1 at turn 10, 5.6e-8 at turn 1; in turn 1 most at sigmoid, where "
        "5.1e-8 arrives and 1.2e-8 goes on.",
        repeated(lambda x: mg.sigmoid(mg.tanh(x)) * 0.9, 10),
        x=0.5,
    ),
    case("The gradient stops on its way back: 1 at turn 10, 0 at turn 9 and before.", dying, x=1.75),
    case("The gradient fades on its way back: 1 at y, 1.4e-9 at x.", sigmoids, x=1.0),
    case(
        "The gradient fades on its way back: 1 at y, 2.5e-4 at x; most at multiply 0.01, where 0.025 arrives and "
        "2.5e-4 goes on.",
        lambda x: mg.sigmoid(mg.tanh(mg.sin(x) * 0.01)) * 0.1,
        x=0.0,
    ),
    case(
        "The gradient fades on its way back: 1 at y, 2.1e-9 at x; most at exp, where 1 arrives and 2.1e-9 goes on.",
        lambda x: mg.log(1 + mg.exp(x)),
        x=-20.0,
    ),
    case(
        "The gradient grows on its way back: 1 at turn 10, -19683 at turn 1.",
        repeated(lambda x: (x * -3.0 + 1.0) - 1.0, 10),
        x=0.5,
    ),
    case(
        "The gradient fades on its way back: 1 at y, -8e-6 at x; most at multiply -0.0001, where 0.2 arrives and "
        "-2e-5 goes on.",
        lambda x: ((x * 0.4) * -1e-4) * 0.2,
        x=0.5,
    ),
    case(
        "The gradient fades on its way back: 1 at y, at most 8e-6 at x; most at multiply -0.0001, where at most 0.2 "
        "arrives and at most 2e-5 goes on.",
        lambda x: mg.sum(((x * 0.4) * -1e-4) * 0.2),
        x=np.array([0.5, -1.0]),
    ),
    case(
        "Only the last turn matters: the gradient is 1 at turn 5, 3e-8 at turn 4 and 4.2e-18 at turn 1.",
        newton,
        x=2.0,
    ),
]


def told(f, result, xs, inputs):
    """The parts of a program's pass: its graph, the numbers at its end, and the origins of nan and inf."""
    arguments = {name: mg.constant(value) for name, value in inputs.items()}
    y = f(*arguments.values())
    names = {**arguments, result: y} if result else arguments
    trace = with_unused(backward_trace(y, xs and [arguments[xs]], names), arguments, arguments)
    trace = with_ports(y, trace) if any(node.kind == "custom" for node in trace.nodes) else trace
    return of_trace(trace)


def of_trace(trace):
    found = Findings(trace)
    parts = with_loops(by_scope(ops_of(trace), found.nodes), trace)
    numbers = PassNumbers({node.id: node.value for node in trace.nodes}, {}, {})
    births = []
    for ghost, steps in [(False, trace.steps), *((True, ghost.steps) for ghost in trace.ghosts)]:
        for step in steps:
            numbers.gradients[step.node] = step.g
            for send in step.sends:
                numbers.messages[send.edge] = send.value
                if send.event in ("nan-born", "inf-born"):
                    slope = found.edges[send.edge].local_value
                    births.append(Birth(send.edge, send.event[:3], step.g, slope, ghost))
    return [graph_of(found, bounded(parts, trace)), numbers, births]


@pytest.mark.parametrize(("sentence", "f", "result", "xs", "inputs"), TABLE)
def test_the_sentence(sentence, f, result, xs, inputs):
    assert point_of(*told(f, result, xs, inputs)).words == sentence


def test_a_sentence_of_a_loop_names_the_turn_to_look_at():
    grows = point_of(*told(repeated(lambda x: (x * 3.0 + 1.0) - 1.0, 10), "y", None, {"x": 0.5}))
    fades = point_of(*told(blocks(30), "y", None, {"x": 1.0}))
    last = point_of(*told(newton, "y", None, {"x": 2.0}))
    born = point_of(*told(repeated(lambda x: mg.sqrt(x * 1.0 - 0.5) + 0.0, 4), "y", None, {"x": 0.75}))
    place = "A nan first appears in the forward pass, at sqrt#19 (turn 3): sqrt of -0.5 is nan."
    assert born.words == f"{place} The gradient of x has nan or inf too."
    assert [p.turn for p in (grows, fades, last, born)] == [0, 5, 4, 2]
    graph = told(newton, "y", None, {"x": 2.0})[0]
    assert len(graph["frames"][last.loop]["turns"]) == 5
    assert point_of(*told(lambda x: x * x, "y", None, {"x": 2.0})).loop == ""


def test_a_loop_with_a_second_value_that_does_not_fade_does_not_fade():
    assert "fades" not in point_of(*told(overtaken, "y", None, {"x": 1.0})).words


# Two passes.


captured, measured = mg.constant(2.0), mg.Variable(2.0, name="measured", trainable=False)
PAIRS = [
    ("Same value, two gradients: the derived pass sends nan, the rule 1. The rule repairs the nan.", log1pexp, 100.0),
    ("Same value, two gradients, and they agree here: 0.731.", log1pexp, 1.0),
    (
        "Same value, two gradients: the derived pass sends 3, the rule 100. The derived pass is right here, the "
        "rule is not.",
        triple,
        1.0,
    ),
    ("Same value, two gradients: the derived pass sends 4, the rule nan. The nan is the rule's own.", spoilt, 2.0),
    (
        "Same value, two gradients of w: the derived pass sends 2, the rule nothing. They differ: the custom rule "
        "gives another slope than the function has: none instead of 2. The gradients of x agree.",
        silent,
        2.0,
        3.0,
    ),
    (
        "Same value, two gradients: the derived pass sends all 3, the rule all 100. They differ: the custom rule gives "
        "another slope than the function has: 100 instead of 3 at x[0].",
        triple,
        ROWS,
    ),
    (
        "Same value (5), two gradients: first sends [4 2], second [2 4]. They differ: first is right, not second's 2 "
        "at x[0].",
        lambda x: mg.sum(x * np.array([4.0, 2.0])) - 3.0,
        lambda x: mg.sum(x * np.array([2.0, 4.0])) - 2.0,
        np.array([1.5, 1.0]),
    ),
    ("Same value, two gradients, and they agree here: 0.5…0.993.", log1pexp, ROWS),
    ("Same value (9), two gradients, and they agree here: 6.", lambda x: x * x, lambda x: x**2, 3.0),
    (
        "Two values, first 9 and second 6, two gradients: first sends 6, second 2. Here first is right.",
        lambda x: x * x,
        lambda x: x + x,
        3.0,
    ),
    (
        "Same value (6), two gradients, and they agree here: those of x and w.",
        lambda x, w: x * w,
        lambda x, w: w * x,
        2.0,
        3.0,
    ),
    # Two numbers that three digits do not tell apart.
    (
        "Nearly the same value (3), two gradients: first sends 3, second 3.0001. Here first is right.",
        lambda x: x * 3.0,
        lambda x: x * np.float64(3.0001),
        1.0,
    ),
    ("Same value (1). Neither pass sends a gradient to an input.", mg.stop_gradient, mg.stop_gradient, 1.0),
    # Inputs that are no arguments: the table has no row for them.
    (
        "Two values, first 6 and second 12, two gradients: first sends 3, second 6. They differ.",
        lambda k: k * captured,
        lambda k: k * captured * 2,
        3,
    ),
    (
        "Same value (6), two gradients, and they agree here: 3.",
        lambda k: k * measured,
        lambda k: measured * k,
        3,
    ),
]


@pytest.mark.parametrize(("sentence", "parts"), [(sentence, parts) for sentence, *parts in PAIRS])
def test_the_sentence_of_two_passes(sentence, parts):
    assert viz.compare(*parts).point == sentence


# Random programs: every number and every comparison in the sentence holds.

NUMBER = r"(-?[\d.]+(?:e-?\d+)?)"
NAMES = r"([a-c](?:(?:, | and )[a-c])*)"
UNUSED = rf"(?:; {NAMES} (?:is|are) not used)?"
RATE = rf"(?:(grows|falls) )?(?:{NUMBER} times |(about ))?as fast as ([a-c])(?: grows)?"
FORMS = {
    "slope": rf"By its gradient, y (grows|falls) (?:{NUMBER} times )?as fast as {NAMES}(?: grows)?\.",
    "zero": rf"y = {NUMBER}\. The gradients? of {NAMES} (?:is|are) 0{UNUSED}\.",
    "rates": rf"y = {NUMBER}\. By its gradients?, it ([^;]+?)(?:; the gradients? of {NAMES} (?:is|are) 0)?{UNUSED}\.",
    "turns": r"(Only the last turn matters: the gradient is 1 at turn \d+ .*|"
    r"The gradient \w+ .* turn (?:1|\d+ and before).*)\.",
    "way": rf"The gradient (fades|grows) on its way back: 1 at y, {NUMBER} at {NAMES}"
    r"(?:; below a ten-millionth at \w+ and before)?(?:[,;] 0 at \w+ and before)?"
    rf"(?:; most at .+, where {NUMBER} arrives and {NUMBER} goes on)?\.",
}


SUM = rf"(.+\.) {NAMES} is used (\d+) times, so its gradient is a sum: (.+) ([=≈]) {NUMBER}\."


def listed(names):
    return re.split(", | and ", names) if names else []


def off(number):
    """The relative error of a number in three digits, in two where it has an exponent."""
    return 0.055 if "e" in str(number) else 0.0055


def check(words, slopes, value):
    """Check a sentence against the slopes of the inputs by name, measured from values; returns its form."""
    first, *total = sum_found.groups() if (sum_found := re.fullmatch(SUM, words)) else [words]
    form, found = next((form, m.groups()) for form, text in FORMS.items() if (m := re.fullmatch(text, first)))

    def near(number, true):
        return math.isclose(float(number), true, rel_tol=off(number), abs_tol=2e-6)

    sizes = {name: abs(slope) for name, slope in slopes.items()}
    if form == "slope":
        verb, number, name = found
        assert near(number or 1, slopes[name] if verb == "grows" else -slopes[name])
    if form == "zero":
        assert near(found[0], value) and all(sizes[name] < 1e-6 for name in sizes)
    if form == "rates":
        shown, clauses, zeros, unused = found
        assert near(shown, value)
        verb, named = "", []
        for clause in re.split(", | and ", clauses):
            own, number, about, name = re.fullmatch(RATE, clause).groups()
            verb = own or verb
            named.append(name)
            assert near(number or 1, slopes[name] if verb == "grows" else -slopes[name])
            assert not about or abs(slopes[name]) != 1
        assert all(sizes[name] < 1e-6 for name in listed(zeros) + listed(unused))
        assert named == sorted(named) and {*named, *listed(zeros), *listed(unused)} == {*sizes}, (
            "in the order of inputs"
        )
    if total:
        name, count, terms, same, whole = total
        numbers = [float(term.replace(" ", "")) for term in re.findall(r"(?:^|[+-] |^-)[\d.e-]+|^-[\d.e]+", terms)]
        assert near(whole, slopes[name])
        assert "…" in terms or len(numbers) == int(count)
        assert "…" in terms or abs(sum(numbers) - float(whole)) <= off(terms) * sum(map(abs, numbers)) + off(
            whole
        ) * abs(float(whole))
        assert "…" in terms or same == "≈" or abs(sum(numbers) - float(whole)) <= off(whole) * abs(float(whole))
    if form == "way":
        verb, number, name, arrives, goes_on = found
        assert near(number, slopes[name])
        if arrives:
            assert verb == "fades" and abs(float(goes_on)) < 0.6 * abs(float(arrives))
        assert (sizes[name] >= 999) if verb == "grows" else (sizes[name] <= 0.001001)
    return form


@settings(deadline=None)
@given(st.data(), st.integers(1, 3))
def test_of_random_programs_every_claim_holds(data, count):
    f = data.draw(programs(inputs=count, most=10))
    numbers = st.floats(-3, 3, width=32).map(lambda x: round(x, 2))
    inputs = {name: np.array(data.draw(numbers)) for name in "abc"[:count]}
    given = told(f, "y", None, inputs)
    point = point_of(*given)
    slopes = dict(zip(inputs, map(float, numeric_gradient(f, *inputs.values()))))
    check(point.words, slopes, float(f(*map(mg.constant, inputs.values()))))


def test_a_box_with_the_users_name_is_called_by_it_alone():
    x = mg.constant(1e-5)
    cube = mg.sin(mg.tanh(x)) ** 3
    y = mg.relu(cube)
    assert "; most at cube, where 1 arrives and 3e-10 goes on." in str(viz.backward(y))


MOST = re.compile(rf"; most at ([\w#]+)(?: \S+)?, where {NUMBER} arrives and {NUMBER} goes on")


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-3.5, 0.3), st.booleans()), min_size=3, max_size=7), st.floats(-2, 2))
def test_the_box_at_which_a_gradient_fades_gets_and_sends_these_numbers(factors, start):
    def f(a):
        for power, twice in factors:
            scaled = a * 10**power
            a = mg.sin(scaled * scaled + scaled) if twice else mg.tanh(scaled)
        return a

    inputs = {"a": np.array(start)}
    found = told(f, "y", None, inputs)
    if not (named := MOST.search(point_of(*found).words)):
        return
    _, arrives, goes_on = named.groups()
    trace = viz.backward(f, a=start).trace
    gradient = {step.node: step.g for step in trace.steps}
    sends = [(step.node, step.g, send.to, send.value) for step in trace.steps for send in step.sends]
    assert any(
        math.isclose(float(arrives), g, rel_tol=off(arrives)) and math.isclose(float(goes_on), m, rel_tol=off(goes_on))
        for _, g, _, m in sends
    )
    node, ratios = next(node.id for node in trace.nodes if node.name == "a"), []
    while any(to == node for _, _, to, _ in sends):  # on the way back from `a`, by the largest message
        source, g, _, m = max((send for send in sends if send[2] == node), key=lambda send: abs(send[3]))
        others = [send for send in sends if send[2] == node and send[0] != source]
        ratios.append(abs((m if others else gradient[node]) / g))
        node = source
    assert math.isclose(abs(float(goes_on) / float(arrives)), min(ratios), rel_tol=0.12), "no box sends a smaller part"


def test_of_a_chain_that_forks_the_box_is_named_at_which_it_fades():
    def deep(h):
        for layer in range(30):
            h = mg.sigmoid(9 * h + 5) if layer == 17 else mg.sin(h) + 0.1 * h if layer % 2 else 1.2 * h
        return h

    words = viz.backward(deep, 0.4).point
    assert (found := MOST.search(words)) and found[1] == "sigmoid"


def test_where_messages_cancel_no_op_is_named():
    def f(x):
        return mg.exp(mg.sin(x * 1e4 - x * (1e4 - 1e-4)) * 0.5)

    words = viz.backward(f, mg.constant(np.array(0.5))).point
    assert "fades" in words and "most at" not in words


CHAIN = re.compile(
    rf"The gradient (fades|grows|stops) on its way back: {NUMBER} at block (\d+), {NUMBER} at block (\d+)"
    r"(?: and before)?(?:; below a ten-millionth at block (\d+) and before)?(?:[,;] 0 at block (\d+) and before)?"
    rf"(?:; in block (\d+) most at multiply \S+, where {NUMBER} arrives and {NUMBER} goes on)?\."
)


@settings(deadline=None)
@given(st.lists(st.sampled_from([1.0, 0.5, -0.1, 1e-3, 1e-9, 0.0, 10.0, 40.0]), min_size=8, max_size=14))
def test_of_random_chains_every_turn_that_is_named_is_the_right_one(factors):
    def chain(x):
        for i, factor in enumerate(factors):
            with mg.scope(f"block {i}"):
                x = (x * np.array(factor) + 1.0) - 1.0
        return x

    given = told(chain, "y", None, {"x": np.array(1.5)})
    point = point_of(*given)
    slopes = np.cumprod([1.0, *factors[:0:-1]])[::-1]  # of block i: the product of the factors behind it
    sizes = np.abs(slopes)
    last = len(factors) - 1
    dead = max((i for i in range(last + 1) if not sizes[: i + 1].any()), default=-1)
    match = CHAIN.fullmatch(point.words)
    if 1.001e-3 < sizes[0] < 999:
        assert match is None
    elif match:
        verb, top, at_top, low, at_low, below, zero, inside, arrives, goes_on = match.groups()
        assert (int(at_top), float(top)) == (last, 1.0)
        assert math.isclose(float(low), slopes[int(at_low)], rel_tol=0.06)  # two digits where there is an exponent
        assert (verb == "grows") == (sizes[0] > 1)
        if verb == "stops":
            assert int(at_low) == dead and (sizes[dead + 1 :] > 1e-3 * 0.999).all()
        else:
            assert int(at_low) == 0
        assert zero is None or int(zero) == dead
        if inside is not None:
            assert inside == (below or "0") and math.isclose(float(arrives), slopes[int(inside)], rel_tol=0.06)
            assert math.isclose(float(goes_on), slopes[int(inside)] * factors[int(inside)], rel_tol=0.06)
        if below is not None:
            assert (sizes[: int(below) + 1] < 1e-7).all() and sizes[int(below) + 1] > 0.999e-7
    else:
        assert 0.999e-3 <= sizes[0] <= 1001


def test_weights_of_one_name_are_told_apart_by_their_scopes():
    view = program("layers")
    adjoints = [node.adjoint for node in view.trace.nodes if node.detail == "Variable"]
    sizes = [max(abs(g.min), abs(g.max)) for g in adjoints]
    rate = r"([\d.]+) times as fast as (?:an entry|one) of (h|W\w of layer 0/attention)"
    match = re.search(rf"it changes up to {rate}, {rate} and {rate}; (\d+) more inputs have gradients\.", view.point)
    *told, more = match.groups()
    assert told[1::2] == ["h", "Wq of layer 0/attention", "Wk of layer 0/attention"]
    assert [float(number) for number in told[2::2]] == pytest.approx(sizes[:2], rel=6e-3)
    assert int(more) == sum(size > 0 for size in sizes) - 2


def point(f, **inputs):
    return viz.backward(f, **inputs).point


def test_a_nan_of_the_forward_pass_is_born_where_its_report_says():
    for f, x, op in (
        (lambda x: mg.square(mg.sqrt(x) - 3.0), -1.0, "sqrt"),
        (lambda x: mg.tanh(mg.log(x)), -1.0, "log"),
        (lambda x: mg.cos(mg.sin(mg.exp(x))), 100.0, "sin"),
        (lambda x: mg.tanh(mg.exp(x) - mg.exp(x)), 100.0, "subtract"),
    ):
        view = viz.backward(f, x=x)
        assert view.report.op == op
        assert re.match(rf"A nan first appears in the forward pass, at {op}[:.]", view.point)
        assert "outside the domain of square" not in view.to_text()


def test_every_input_with_nan_or_inf_is_named():
    forward = point(lambda x, w: mg.exp(x) * w, x=100.0, w=0.0)
    assert (
        forward == "A nan first appears in the forward pass, at multiply. The gradients of x and w have nan or inf too."
    )
    assert point(lambda x, w: mg.sqrt(x) + mg.sqrt(w) * 0.0 + mg.exp(w * 100.0), x=0.0, w=1.0).endswith(
        "nan or inf too."
    )
    assert point(lambda x, w: mg.sqrt(x) * w, x=-1.0, w=2.0).endswith("The gradients of x and w have nan or inf too.")


def test_slopes_are_claimed_of_gradients_only_and_differences_are_told():
    assert point(lambda x: -x if x <= 0 else x, x=0.0) == "By its gradient, the result falls as fast as x grows."
    assert "the gradients of x and y are 0" in point(lambda x, y, w: x**y + w, x=0.0, y=0.0, w=1.0)
    tiny = point(lambda x, w: x * 1e-310 + w * 1e-312, x=np.float64(1), w=np.float64(1))
    assert "grows 1e-310 times as fast as x and 1e-312 times as fast as w" in tiny


def test_two_boxes_of_one_op_are_told_apart_by_the_number_in_the_picture():
    def f(x):
        with mg.scope("a"):
            x = mg.sqrt(x) + 1.0
        with mg.scope("b"):
            return mg.sqrt(x - 1.0) + x

    view = viz.backward(f, x=0.0)
    (born,) = re.findall(r"appears at (sqrt#\d+)", view.point)
    assert born[4:] in view.to_svg()


def test_an_array_without_elements_has_no_gradient_of_0():
    nothing = mg.constant(np.zeros((0, 3)))
    sentence = lambda f, **xs: viz.backward(f, **xs).to_text().splitlines()[0]
    f = lambda x, w: mg.sum(mg.exp(x)) * w
    assert sentence(lambda x: mg.sum(mg.exp(x)), x=nothing) == "The result is 0. x has no elements."
    assert sentence(f, x=nothing, w=2.0) == "The result is 0. The gradient of w is 0; x has no elements."
    moved = sentence(lambda x, w: mg.sum(x) + 2 * w, x=nothing, w=1.0)
    assert moved == "The result is 2. By its gradient, it grows 2 times as fast as w; x has no elements."
    assert (
        sentence(lambda x, z: mg.sum(x) + mg.sum(z), x=nothing, z=np.zeros(0))
        == "The result is 0. x and z have no elements."
    )
