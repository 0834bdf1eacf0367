"""Lesson 4, build your own engine: what its exercises compute. Answers and hints are in 04_hidden.py."""

import math

from minigrad.classroom import exercise


class Node:
    """A node of a graph that an answer is tried on."""

    born = 0

    def __init__(self, value, op="", parents=(), slopes=()):
        self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
        self.birth = Node.born = Node.born + 1

    def __repr__(self):
        return f"Node({self.value:g})"


def plus(a, b):
    return Node(a.value + b.value, "add", (a, b), (1.0, 1.0))


def times(a, b):
    return Node(a.value * b.value, "multiply", (a, b), (b.value, a.value))


def scaled(factor, a):
    return Node(factor * a.value, "scale", (a,), (factor,))


def made(y):
    """`y` and all that it was made from, newest first."""
    nodes = {id(y): y}
    latest = [y]
    while latest:
        latest = list(
            {id(parent): parent for node in latest for parent in node.parents if id(parent) not in nodes}.values()
        )
        nodes.update((id(node), node) for node in latest)
    return sorted(nodes.values(), key=lambda node: -node.birth)


def adjoints(y):
    held = dict.fromkeys(made(y), 0.0)
    held[y] = 1.0
    for node in held:
        for parent, slope in zip(node.parents, node.slopes, strict=True):
            held[parent] += held[node] * slope
    return held


class Formula:
    """A graph, or a calculation with the student's class, that is shown to students as it is written."""

    def __init__(self, text, build):
        self.text, self.build = text, build

    def __repr__(self):
        return self.text


def chain(x, length=10_000):
    for _ in range(length):
        x = scaled(0.9999, x)
    return x


def doublings(x, count=30):
    for _ in range(count):
        x = plus(x, x)
    return x


def with_b(build):
    return lambda x: build(scaled(2.0, x))


GRAPHS = [
    Formula("x * x", lambda x: times(x, x)),
    Formula("2 * x + 1", lambda x: plus(scaled(2.0, x), Node(1.0))),
    Formula("b + b * b with b = 2 * x", with_b(lambda b: plus(b, times(b, b)))),
    Formula("b * b + b with b = 2 * x", with_b(lambda b: plus(times(b, b), b))),
    Formula("(b + 1) * (b * b) with b = 2 * x", with_b(lambda b: times(plus(b, Node(1.0)), times(b, b)))),
    Formula("c + c * c with c = -2 * x", lambda x: (lambda c: plus(c, times(c, c)))(scaled(-2.0, x))),
    Formula("x alone", lambda x: x),
]
LONG = [Formula("a chain of 10,000 steps", chain), Formula("30 doublings", doublings)]

CALCULATIONS = [
    Formula("a + b", lambda a, b: a + b),
    Formula("a * b", lambda a, b: a * b),
    Formula("a * a", lambda a, b: a * a),
    Formula("a + 1", lambda a, b: a + 1),
    Formula("2 * a", lambda a, b: 2 * a),
    Formula("3 + a * b", lambda a, b: 3 + a * b),
    Formula("a * b + a", lambda a, b: a * b + a),
]


def number_remembers(Number, formula):
    """True, or what is wrong with the Number that comes out of the calculation."""
    a, b = Number(3.0), Number(2.0)
    y = formula.build(a, b)
    where = f"{formula} with a = 3 and b = 2:"
    if not isinstance(y, Number):
        return f"{where} the result is {y!r}, of type {type(y).__name__}. It must be a Number, which remembers."
    if (a.value, b.value) != (3.0, 2.0):
        return (
            f"{where} afterwards a and b are {a.value:g} and {b.value:g}. Make a new Number; keep a and b as they are."
        )
    true = formula.build(3.0, 2.0)
    if y.value != true:
        return f"{where} the value is {y.value:g}, and it should be {true:g}."
    if not isinstance(y.parents, tuple) or not isinstance(y.slopes, tuple) or len(y.parents) != len(y.slopes):
        return (
            f"{where} parents and slopes are tuples, one entry for each argument, not {y.parents!r} and {y.slopes!r}."
        )
    if any(isinstance(slope, Number) for slope in y.slopes):
        return f"{where} a slope is a plain number: write other.value and self.value."
    if not all(isinstance(parent, Number) for node in made(y) for parent in node.parents):
        return f"{where} among the parents is a plain number. number(other) makes a Number of it."
    got = adjoints(y).get(a, 0.0)
    slope = (formula.build(3.0 + 0.5, 2.0) - formula.build(3.0 - 0.5, 2.0)) / 1.0
    if got != slope:
        return f"{where} going back along the parents with your slopes gives {got:g} for a. It should be {slope:g}."
    got, slope = adjoints(y).get(b, 0.0), formula.build(3.0, 2.5) - formula.build(3.0, 1.5)
    return got == slope or f"{where} your parents and slopes give {got:g} for b. It should be {slope:g}."


@exercise("Number", points=3, function="Number(formula)")
def number(c):
    c.property(
        "a result is a Number with its parents and their slopes",
        number_remembers,
        vary=(),
        points=[(formula,) for formula in CALCULATIONS],
    )


def ordered(order_nodes, formula):
    """True, or what is wrong with the order of the nodes."""
    x = Node(3.0)
    y = formula.build(x)
    true, got = made(y), order_nodes(y)
    if not isinstance(got, list):
        return f"order_nodes returns a list, not {type(got).__name__}."
    if len(got) != len(true):
        return f"{formula}: the list has {len(got)} nodes. {len(true)} went in, with y and the inputs, each once."
    if got == true[::-1] and len(true) > 1:
        return f"{formula}: the oldest comes first. Sort with reverse=True."
    if got != true:
        values = [node.value for node in got]
        return (
            f"{formula}: at x = 3 the values come in the order {values}. Newest first it is {[n.value for n in true]}."
        )
    return True


@exercise("order_nodes", points=2, function="order_nodes(y)")
def order_nodes(c):
    c.property("all nodes, newest first", ordered, vary=(), points=[(g,) for g in GRAPHS])
    c.property("long graphs, and graphs with many ways", ordered, vary=(), points=[(g,) for g in LONG])


def walked(backward, formula):
    """True, or what is wrong with the adjoints of the graph."""
    x = Node(3.0)
    y = formula.build(x)
    true, got = adjoints(y), backward(y)
    if not isinstance(got, dict):
        return f"backward returns a dict of adjoints, not {type(got).__name__}."
    missing = [node for node in true if node not in got]
    if missing:
        return f"{formula}: {len(missing)} of {len(true)} nodes have no adjoint in the dict."
    if got[y] != true[y]:
        return f"{formula}: the result has the adjoint {got[y]:g}. It must be {true[y]:g}."
    if not math.isclose(got[x], true[x], rel_tol=1e-9):
        return f"{formula} at x = 3: the adjoint of x is {got[x]:g}. It should be {true[x]:g}."
    again = backward(y)[x]
    if not math.isclose(again, true[x], rel_tol=1e-9):
        return f"{formula}: a second walk over the same graph gives {again:g}, the first gave {got[x]:g}. Keep nothing."
    wrong = [node for node in true if not math.isclose(got[node], true[node], rel_tol=1e-9)]
    return (
        not wrong
        or f"{formula}: the adjoint of {wrong[0].op or 'an input'} is {got[wrong[0]]:g}, not {true[wrong[0]]:g}."
    )


@exercise("backward", points=3, function="backward(y)", seconds=4.0)
def backward(c):
    c.property("the adjoint of each node, walk after walk", walked, vary=(), points=[(g,) for g in GRAPHS])
    c.property("long graphs, and graphs with many ways", walked, vary=(), points=[(g,) for g in LONG])


PROBES = [
    Formula("exp(x) at x = 0", lambda exp, x: exp(x)),
    Formula("exp(x) * exp(x)", lambda exp, x: exp(x) * exp(x)),
    Formula("exp(2 * x)", lambda exp, x: exp(2 * x)),
    Formula("exp(x * x) + 3 * x", lambda exp, x: exp(x * x) + 3 * x),
]


def is_exp(exp, formula, at):
    """True, or what is wrong with the student's exp, which must be made of the student's Number."""
    Number = exp.__globals__.get("Number")
    if not isinstance(Number, type):
        return f"exp(x) is {exp(Node(at))!r}. It must be a Number that remembers x."
    x = Number(at)
    y = formula.build(exp, x)
    where = f"{formula} at x = {at:g}:"
    if not isinstance(y, Number):
        return f"{where} the result is {y!r}, of type {type(y).__name__}. It must be a Number."
    true = formula.build(math.exp, at)
    if not math.isclose(y.value, true):
        return f"{where} the value is {y.value:g}, and it should be {true:g}."
    made_by_exp = exp(x)
    if not isinstance(made_by_exp.parents, tuple) or not isinstance(made_by_exp.slopes, tuple):
        return f"{where} parents and slopes are tuples. A tuple with one entry is written (x,), with a comma."
    if not all(isinstance(parent, Number) for parent in made_by_exp.parents):
        return f"{where} a parent is the Number itself, not its value."
    h = 1e-6
    slope = (formula.build(math.exp, at + h) - formula.build(math.exp, at - h)) / (2 * h)
    got = adjoints(y).get(x, 0.0)
    return (
        math.isclose(got, slope, rel_tol=1e-6) or f"{where} its slope comes out as {got:g}. It should be {slope:.6g}."
    )


@exercise("exp", function="exp(formula, at)")
def exp(c):
    c.property(
        "value and slope of exp, alone and inside of other ops",
        is_exp,
        vary=(),
        points=[(formula, at) for at in (0.0, 1.0, 0.5) for formula in PROBES],
    )
