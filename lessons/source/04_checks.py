"""Lesson 4, build your own engine: what its exercises compute. Answers and hints are in 04_hidden.py."""

import contextlib
import math
import sys
from itertools import product
from types import SimpleNamespace

import numpy as np

from minigrad.classroom import exercise, mistake
from minigrad.classroom.answer_graph import Misused


class Node:
    """A node of a graph that an answer is tried on."""

    latest = 0

    def __init__(self, value, op="", parents=(), slopes=(), name=""):
        self.value, self.op, self.parents, self.slopes, self.name = value, op, parents, slopes, name
        self.serial = Node.latest = Node.latest + 1

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
    return sorted(nodes.values(), key=lambda node: -node.serial)


def gradients(y):
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


#: Beyond what recursion allows. Where Python runs in a browser, freeing 10,000 nodes in a row would end it.
LENGTH = 1_500 if sys.platform == "emscripten" else 10_000


def chain(x, length=LENGTH):
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
    Formula("2 * x + 2 * x", lambda x: plus(scaled(2.0, x), scaled(2.0, x))),
    Formula("0 * x + 1", lambda x: plus(scaled(0.0, x), Node(1.0))),
    Formula("x alone", lambda x: x),
]
LONG = [Formula(f"a chain of {LENGTH:,} steps", chain), Formula("30 doublings", doublings)]

CALCULATIONS = [
    Formula("a + b", lambda a, b: a + b),
    Formula("a * b", lambda a, b: a * b),
    Formula("b * a", lambda a, b: b * a),
    Formula("a * a", lambda a, b: a * a),
    Formula("a + 1", lambda a, b: a + 1),
    Formula("2 * a", lambda a, b: 2 * a),
    Formula("0.125 + a", lambda a, b: 0.125 + a),
    Formula("0.125 * a", lambda a, b: 0.125 * a),
    Formula("-2 * a", lambda a, b: -2 * a),
    Formula("3 + a * b", lambda a, b: 3 + a * b),
    Formula("a * b + a", lambda a, b: a * b + a),
]


def named(words, tried, candidates):
    """The sentence, as the mistake whose numbers are those of the answer at everything that is tried; else alone.

    candidates : for each name, what it gives for one of the things that are tried; None if it says nothing.
    """

    def explains(other):
        told = [(got, want) for thing, got in tried if (want := other(thing)) is not None]
        return bool(told) and all(got == want for got, want in told)

    return next((mistake(name, words) for name, other in candidates.items() if explains(other)), words)


#: What the slopes of a + b and a * b are taken for, by their ops.
SLOPES = {
    "each factor has its own value as slope": lambda op: (3.0, 2.0) if op == "multiply" else None,
    "the slopes of add for multiply": lambda op: (1.0, 1.0) if op == "multiply" else None,
    "the values as slopes": lambda op: (3.0, 2.0) if op == "add" else None,
    "the slopes of a difference": lambda op: (1.0, -1.0) if op == "add" else None,
    "only one argument is remembered": lambda op: (1.0,) if op == "add" else None,
}


OPS = {"a + b": "add", "a * b": "multiply"}


def fault_of_op(formula, y):
    """What is wrong with the op of a sum or of a product; None if nothing is."""
    op, true = getattr(y, "op", ""), OPS.get(str(formula))
    if true and not op:
        return mistake("no op", f'{formula}: op is "", and that is for an input. Write "{true}".')
    if true and op in OPS.values() and op != true:
        return mistake("another op", f'{formula}: op is "{op}". Write "{true}".')
    return None


def is_number(x):
    return isinstance(x, (int, float, np.number)) and not isinstance(x, bool)


def written(x):
    return f"{x:g}" if is_number(x) else repr(x)


def fault(Number, y):
    """What is wrong with the parents and slopes of a Number and of all that it was made from; None if nothing is."""
    stack, found = [y], set()
    while stack:
        node = stack.pop()
        parents, slopes = node.parents, node.slopes
        in_order = isinstance(parents, (tuple, list)) and isinstance(slopes, (tuple, list, np.ndarray))
        if not in_order or len(parents) != len(slopes):
            words = f"parents and slopes are tuples, one entry for each argument, not {parents!r} and {slopes!r}."
            return "parents and slopes are not tuples", f"{words} A tuple of one entry is written (x,), with a comma."
        numbers = [isinstance(parent, Number) for parent in parents]
        if any(isinstance(slope, Number) for slope in slopes):
            if not any(numbers):
                return (
                    "parents and slopes are swapped",
                    "parents are the Numbers that went in. Pass them third.",
                )
            return "a slope is a Number", "a slope is a plain number: the value of a Number, not the Number."
        if not all(numbers):
            words = f"among the parents is {parents[numbers.index(False)]!r}. A parent is the Number itself."
            return "a plain number among the parents", f"{words} number(other) makes one of a plain number."
        if not all(map(is_number, slopes)):
            return "a slope is not a number", f"the slopes are {slopes!r}."
        if id(node) not in found:
            found.add(id(node))
            stack += parents
    return None


def number_remembers(Number, formula):
    """True, or what is wrong with the Number that comes out of the calculation."""
    if not isinstance(Number, type):
        return f"Number must be a class, and it is {Number!r}."
    a, b = Number(3.0), Number(2.0)
    where = f"{formula} with a = 3 and b = 2:"
    try:
        y = formula.build(a, b)
    except AttributeError as error:
        if "has no attribute 'value'" not in str(error) or f"'{Number.__name__}'" in str(error):
            raise
        words = f"{where} it stopped with AttributeError: {error}. A plain number has no value: other = number(other)."
        return mistake("a plain number is not converted", words)
    if not isinstance(y, Number):
        words = f"{where} the result is {y!r}, of type {type(y).__name__}. It must be a Number, which remembers."
        return mistake("the result is not a Number", words)
    if (a.value, b.value) != (3.0, 2.0):
        words = f"{where} afterwards a and b are {a!r} and {b!r}. Make a new Number; keep them as they are."
        return mistake("the arguments are changed", words)
    true = formula.build(3.0, 2.0)
    if not is_number(y.value) or y.value != true:
        return f"{where} the value is {written(y.value)}, and it should be {true:g}."
    if found := fault(Number, y):
        return mistake(found[0], f"{where} {found[1]}")
    if found := fault_of_op(formula, y):
        return found
    got = gradients(y).get(a, 0.0)
    slope = (formula.build(3.0 + 0.5, 2.0) - formula.build(3.0 - 0.5, 2.0)) / 1.0
    if got != slope:
        words = f"{where} going back along the parents with your slopes gives {got:g} for a. It should be {slope:g}."
        return named(words, [(y.op, tuple(y.slopes))] * (str(formula) in ("a + b", "a * b")), SLOPES)
    got, slope = gradients(y).get(b, 0.0), formula.build(3.0, 2.5) - formula.build(3.0, 1.5)
    words = f"{where} your parents and slopes give {got:g} for b. It should be {slope:g}."
    if got != slope:
        return named(words, [(y.op, tuple(y.slopes))] * (str(formula) in ("a + b", "a * b")), SLOPES)
    return len(y.parents) == 2 or f"{where} there are two arguments, and parents has {len(y.parents)}."


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
    if others := [item for item in got if not isinstance(item, Node)]:
        return f"{formula}: {others[0]!r} is in the list, and it is not a node."
    if len(got) != len(true):
        count = f"{len(got)} node{'s' * (len(got) != 1)}"
        words = f"{formula}: the list has {count}. {len(true)} went in, with y and the inputs, each once."
        return mistake("nodes are missing" if len(got) < len(true) else "nodes come more than once", words)
    place = {node: i for i, node in enumerate(got)}
    if place.keys() == set(true) and all(place[node] < place[p] for node in got for p in node.parents):
        return True
    if got == true[::-1]:
        return mistake("oldest first", f"{formula}: the oldest comes first. Sort with reverse=True.")
    values = [node.value for node in got]
    words = f"{formula}: at x = 3 the values come in the order {values}."
    words += f" Newest first it is {[n.value for n in true]}."
    by_value = values == sorted(values, reverse=True) and len(set(values)) == len(values)
    return mistake("sorted by value", words) if by_value else words


@exercise("order_nodes", points=2, function="order_nodes(y)")
def order_nodes(c):
    c.property("all nodes, each after those that use it", ordered, vary=(), points=[(g,) for g in GRAPHS])
    c.property("long graphs, and graphs with many paths", ordered, vary=(), points=[(g,) for g in LONG])


def walk(order=None, start=0.0, seed=1.0, add=True, message=lambda held, slope: held * slope, arrows=zip):
    """A backward pass with a change in it, as a function of a formula: the gradient of x at 3."""

    def of(formula):
        x = Node(3.0)
        y = formula.build(x)
        held = dict.fromkeys(made(y), start)
        held[y] = y.value if seed is None else seed
        for node in sorted(held, key=order) if order else held:
            for parent, slope in arrows(node.parents, node.slopes):
                held[parent] = message(held[node], slope) + held[parent] * add
        return held[x]

    return of


#: What a backward pass gives where one thing in it is another.
WALKS = {
    "= instead of +=": walk(add=False),
    "forgot the gradient": walk(message=lambda held, slope: slope),
    "forgot the slope": walk(message=lambda held, slope: held),
    "added where it multiplies": walk(message=lambda held, slope: held + slope),
    "the result starts with 0": walk(seed=0.0),
    "the result starts with its value": walk(seed=None),
    "every node starts with 1": walk(start=1.0),
    "each slope for each parent": walk(arrows=product),
    "each argument once": walk(arrows=lambda parents, slopes: set(zip(parents, slopes))),
    "oldest first": walk(order=lambda node: node.serial),
    "in the order of the values": walk(order=lambda node: -node.value),
}


def gradient_of_x(backward, formula):
    """What the student's pass gives; None if it raises an exception."""
    x = Node(3.0)
    try:
        return backward(formula.build(x))[x]
    except Exception:
        return None


def absent(formula, node):
    """The mistake of a walk that asks the dict for a node before it is there."""
    words = f"{formula}: {node.name or 'the node'} with the value {node.value:g} is not in the dict yet."
    return mistake("KeyError", f"{words} Give each node a 0 to add to, and take the newest node first.")


def keeper(y, first, second):
    """Where a walk has kept something, as far as it can be seen."""
    if first is second:
        return "Both walks returned the same dict. Make a new one inside of the function."
    if kept := sorted(vars(y).keys() - vars(Node(0.0)).keys()):
        return f"The nodes have kept {', '.join(kept)}. Keep the gradients in the dict alone."
    return "It was kept in the nodes, in a default argument, or outside of the function. Make a new dict in each call."


def walked(backward, formula):
    """True, or what is wrong with the gradients of the graph."""
    x = Node(3.0, name="x")
    y = formula.build(x)
    true = gradients(y)
    try:
        got = backward(y)
    except KeyError as error:
        node = error.args[0] if error.args else None
        if not isinstance(node, Node):
            raise
        raise Misused(absent(formula, node)).with_traceback(error.__traceback__) from None  # with the student's line
    if not isinstance(got, dict):
        return f"backward returns a dict of gradients, not {type(got).__name__}."
    missing = [node for node in true if node not in got]
    if missing:
        return f"{formula}: {len(missing)} of {len(true)} nodes have no gradient in the dict."
    tried = lambda: [(other, gradient_of_x(backward, other)) for other in GRAPHS]
    if no_number := [node for node in true if not is_number(got[node])]:
        return f"{formula}: for a node the dict has {got[no_number[0]]!r}. Its gradient is a number."
    once = got[x]
    if got[y] != true[y]:
        words = f"{formula}: the result has the gradient {got[y]:g}. It must be {true[y]:g}: start with that."
        return named(words, tried(), WALKS)
    if not math.isclose(got[x], true[x], rel_tol=1e-9):
        words = f"{formula} at x = 3: the gradient of x is {got[x]:g}. It should be {true[x]:g}."
        return named(words, tried(), WALKS)
    second = backward(y)
    again = second.get(x) if isinstance(second, dict) else second
    if not is_number(again) or not math.isclose(again, true[x], rel_tol=1e-9):
        words = f"{formula}: a second walk over the same graph gives {written(again)}, the first gave {once:g}."
        return mistake("something is kept from walk to walk", f"{words} {keeper(y, got, second)}")
    wrong = [node for node in true if not math.isclose(got[node], true[node], rel_tol=1e-9)]
    return (
        not wrong
        or f"{formula}: the gradient of {wrong[0].op or 'an input'} is {got[wrong[0]]:g}, not {true[wrong[0]]:g}."
    )


@exercise("backward", points=3, function="backward(y)")
def backward(c):
    c.property("the gradient of each node, walk after walk", walked, vary=(), points=[(g,) for g in GRAPHS])
    c.property("long graphs, and graphs with many paths", walked, vary=(), points=[(g,) for g in LONG])
    c.walk(lambda formula: formula.build(Node(3.0, name="x")))


PROBES = [
    Formula("exp(x)", lambda exp, x: exp(x)),
    Formula("exp(x) * exp(x)", lambda exp, x: exp(x) * exp(x)),
    Formula("exp(2 * x)", lambda exp, x: exp(2 * x)),
    Formula("exp(x * x) + 3 * x", lambda exp, x: exp(x * x) + 3 * x),
]


#: What the slope of exp at x is taken for.
OF_EXP = {
    "1 for the slope of exp": lambda x: (1.0,),
    "one divided by it": lambda x: (1 / math.exp(x),),
    "the input where the output belongs": lambda x: (x,),
    "the power rule for exp": lambda x: (x * math.exp(x),),
    "the power rule": lambda x: (x * math.exp(x - 1),),
    "exp of the value": lambda x: (math.exp(math.exp(x)),),
    "the sign is flipped": lambda x: (-math.exp(x),),
    "x is a parent twice": lambda x: (math.exp(x), math.exp(x)),
    "no parent is remembered": lambda x: (),
}


def is_exp(exp, formula, at):
    """True, or what is wrong with the student's exp, which must be made of the student's Number."""
    Number = getattr(exp, "__globals__", {}).get("Number")
    if not isinstance(Number, type):
        with contextlib.suppress(AttributeError, TypeError, ValueError):
            exp(SimpleNamespace(value=at))  # one that is not written yet says so
        return "exp(x) must return a Number that remembers x. Write it as a function of this notebook, with def."
    x = Number(at)
    y = formula.build(exp, x)
    where = f"{formula} at x = {at:g}:"
    if not isinstance(y, Number):
        words = f"{where} the result is {y!r}, of type {type(y).__name__}. It must be a Number."
        return mistake("the result is not a Number", words)
    true = formula.build(math.exp, at)
    if not is_number(y.value) or not math.isclose(y.value, true):
        return f"{where} the value is {written(y.value)}, and it should be {true:g}."
    if found := fault(Number, y):
        return mistake(found[0], f"{where} {found[1]}")
    h = 1e-6
    slope = (formula.build(math.exp, at + h) - formula.build(math.exp, at - h)) / (2 * h)
    got = gradients(y).get(x, 0.0)
    words = f"{where} its slope comes out as {got:g}. It should be {slope:.6g}."
    tried = lambda: [(x, tuple(exp(Number(x)).slopes)) for x in (0.0, 1.0, 0.5)]
    return math.isclose(got, slope, rel_tol=1e-6) or named(words, tried(), OF_EXP)


@exercise("exp", function="exp(formula, at)")
def exp(c):
    c.property(
        "value and slope of exp, alone and inside of other ops",
        is_exp,
        vary=(),
        points=[(formula, at) for at in (0.0, 1.0, 0.5, -1.0) for formula in PROBES],
    )
