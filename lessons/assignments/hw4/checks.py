"""The checks of hw4: students receive this file next to their notebook. It holds no answer; see hidden.py."""

import math

import numpy as np

from minigrad.classroom import exercise, floats, mistake


class Node:
    """A node of a graph that an answer is tried on."""

    made = []

    def __init__(self, value, parents=(), slopes=()):
        self.value, self.parents, self.slopes = value, parents, slopes
        Node.made.append(self)

    def __repr__(self):
        return f"Node({self.value:g})"


def plus(a, b):
    return Node(a.value + b.value, (a, b), (1.0, 1.0))


def times(a, b):
    return Node(a.value * b.value, (a, b), (b.value, a.value))


def scaled(factor, a):
    return Node(factor * a.value, (a,), (factor,))


class Formula:
    """A graph, or a calculation with the student's class, as source text. slope : the graph's slope at x = 3."""

    def __init__(self, text, build, slope=0.0):
        self.text, self.build, self.slope = text, build, slope

    def __repr__(self):
        return self.text

    def graph(self):
        """The input 3, the result, and all nodes that were made for it."""
        Node.made.clear()
        x = Node(3.0)
        y = self.build(x)
        return x, y, list(Node.made)


def at(formulas):
    """Where a property is tried: at each of the formulas."""
    return {"vary": (), "points": [(formula,) for formula in formulas]}


def of_multiple(factor, build):
    return lambda x: build(scaled(factor, x))


def chain(x):
    for _ in range(1_200):
        x = scaled(1.0, x)
    return x


def doublings(x):
    for _ in range(40):
        x = plus(x, x)
    return x


def named(words, looks_like):
    """The sentence, with the first mistake that is recognised in the answer, if any."""
    return next((mistake(name, words) for name, seen in looks_like.items() if seen), words)


CALCULATIONS = [
    Formula(text, eval(f"lambda a, b: {text}"))
    for text in ("a + b", "a * b", "a / b", "a + 1", "1 + a", "2 * a", "a / 4")
]
A, B = 3.0, 2.0
SLOPES = {"a + b": (1.0, 1.0), "a * b": (B, A), "a / b": (1 / B, -A / B**2)}


def is_value(Value, y, where, arguments):
    """None, or what is wrong with a result of the student's class, whatever was computed from so many arguments."""
    if not isinstance(y, Value):
        words = f"{where} the result is {y!r}. It must be a Value, which remembers."
        return mistake("the result is not a Value", words)
    parents, slopes = y.parents, y.slopes
    if not isinstance(parents, (tuple, list)) or not isinstance(slopes, (tuple, list)):
        return mistake("parents and slopes are not tuples", f"{where} parents and slopes must be tuples, as in (x,).")
    if not all(isinstance(parent, Value) for parent in parents):
        return mistake("a plain number among the parents", f"{where} each parent is a Value: value_of makes one.")
    if any(isinstance(slope, Value) for slope in slopes):
        return mistake("a slope is a Value", f"{where} a slope is a plain number, as in other.value.")
    if len(parents) != arguments or len(slopes) != arguments:
        words = f"{where} it has {len(parents)} parents and {len(slopes)} slopes. It needs {arguments} of each."
        return mistake("not one parent and one slope for each argument", words)
    return None


def along_ways(y, to):
    """The slope of `y` for a node: the slopes along each way to it multiplied, and the ways added."""
    return (y is to) + sum(slope * along_ways(parent, to) for parent, slope in zip(y.parents, y.slopes))


def value_remembers(Value, formula):
    """True, or what is wrong with the Value that comes out of the calculation."""
    a, b = Value(A), Value(B)
    y = formula.build(a, b)
    where = f"{formula} with a = 3 and b = 2:"
    if (a.value, b.value) != (A, B):
        return mistake("the arguments are changed", f"{where} afterwards a is {a.value:g} and b is {b.value:g}.")
    plain = str(formula) not in SLOPES  # a plain number is a parent, or it is none
    wrong = is_value(Value, y, where, 2)
    if wrong and not (plain and is_value(Value, y, where, 1) is None):
        return wrong
    if y.value != formula.build(A, B):
        return f"{where} the value is {y.value:g}. It should be {formula.build(A, B):g}."
    if plain:
        return True
    if [p.value for p in y.parents] != [A, B]:
        got = along_ways(y, a), along_ways(y, b)  # a * (1 / b), for example, with a node for 1 / b
        words = f"{where} the parents are {[p.value for p in y.parents]}. They should be a and b, in this order."
        return all(map(math.isclose, got, SLOPES[str(formula)])) or words
    got, true = tuple(y.slopes), SLOPES[str(formula)]
    words = f"{where} the slopes are {got}. Change a, then b, a little: how much does the result change?"
    divided = str(formula) == "a / b"
    return all(map(math.isclose, got, true)) or named(
        words,
        {
            "each argument has the slope of the other": got == true[::-1],
            "the slopes of add for another op": got == (1.0, 1.0),
            "the slopes of multiply for another op": got == (B, A),
            "the slope of the divisor has the wrong sign": divided and got == (1 / B, A / B**2),
            "the divisor is not squared": divided and got == (1 / B, -A / B),
            "the dividend is missing": divided and got == (1 / B, -1 / B**2),
            "the values as slopes": got == (A, B),
        },
    )


@exercise("Value", points=3, function="Value(formula)")
def value(c):
    c.property("a result is a Value with its parents and their slopes", value_remembers, **at(CALCULATIONS))


GRAPHS = [
    Formula("x * x", lambda x: times(x, x), 6.0),
    Formula("b + b * b with b = 2 * x", of_multiple(2.0, lambda b: plus(b, times(b, b))), 26.0),
    Formula("b * b + b with b = 2 * x", of_multiple(2.0, lambda b: plus(times(b, b), b)), 26.0),
    Formula("(b + b) * b with b = 2 * x", of_multiple(2.0, lambda b: times(plus(b, b), b)), 48.0),
    Formula("c * (c + c * c) with c = -x", of_multiple(-1.0, lambda c: times(c, plus(c, times(c, c)))), -21.0),
    Formula("x alone", lambda x: x, 1.0),
]
LONG = [Formula("40 doublings", doublings, 2.0**40), Formula("a chain of 1,200 steps", chain, 1.0)]


def ordered(order_nodes, formula):
    """True, or what is wrong with the order of the nodes."""
    _, y, made = formula.graph()
    got = order_nodes(y)
    if not isinstance(got, list):
        return f"order_nodes returns a list, not {type(got).__name__}."
    words = f"{formula}: the list has {len(got)} nodes. The graph has {len(made)}, each of which belongs into it once."
    if len(got) != len(made):
        return mistake("nodes are missing" if len(got) < len(made) else "nodes come more than once", words)
    place = {node: i for i, node in enumerate(got)}
    if set(place) != set(made):
        return mistake("nodes come more than once", words)
    late = next((n for n in got for parent in n.parents if place[parent] < place[n]), None)
    if late is None:
        return True
    words = f"{formula} at x = 3: the order is {got[:9]}. {late} comes after one of its parents."
    backwards = all(place[parent] > place[n] for n in got[::-1] for parent in n.parents) or got[-1] is y
    return mistake("parents come first" if backwards else "a node before one that uses it", words)


@exercise("order_nodes", points=3, function="order_nodes(y)", seconds=4.0)
def order_nodes(c):
    c.property("all nodes, each before its parents", ordered, **at(GRAPHS))
    c.property("deep graphs, and graphs with many ways", ordered, **at(LONG))


#: What the gradients for x of the first five graphs are with a mistake in the walk.
WALKS = {
    "= instead of +=": (3.0, 12.0, 12.0, 12.0, -9.0),
    "forgot the upstream gradient": (6.0, 2.0, 2.0, 2.0, -1.0),
    "forgot the slope": (2.0, 3.0, 3.0, 3.0, 4.0),
    "the result starts with 0": (0.0, 0.0, 0.0, 0.0, 0.0),
    "the result starts with its value": (54.0, 1092.0, 1092.0, 3456.0, 378.0),
    "every node starts with 1": (7.0, 53.0, 53.0, 55.0, -10.0),
    "each argument once": (3.0, 14.0, 14.0, 36.0, -12.0),
}


def of_x(gradients, formula):
    """The student's gradient for x; None if there is none."""
    x, y, _ = formula.graph()
    try:
        return gradients(y, [x])[0]
    except Exception:
        return None


def have_gradients(gradients, formula):
    """True, or what is wrong with the gradients of the graph."""
    x, y, _ = formula.graph()
    got = gradients(y, [x])
    if not isinstance(got, (list, tuple, np.ndarray)) or len(got) != 1:
        return f"gradients(y, [x]) returns {got!r:.80}. It must be a list with one number."
    if not math.isclose(got[0], formula.slope):
        words = f"{formula} at x = 3: the gradient of x is {got[0]:g}. It should be {formula.slope:g}."
        all_of_them = tuple(of_x(gradients, other) for other in GRAPHS[:5])
        return named(words, {name: numbers == all_of_them for name, numbers in WALKS.items()})
    again = gradients(y, [x])[0]
    if not math.isclose(again, formula.slope):
        words = f"{formula}: a second call gives {again:g}, the first gave {got[0]:g}. Keep nothing."
        return mistake("something is kept from call to call", words)
    return True


@exercise("gradients", points=3, function="gradients(y, inputs)", seconds=4.0)
def gradients(c):
    c.property("the gradient for x, call after call", have_gradients, **at(GRAPHS))
    c.property("deep graphs, and graphs with many ways", have_gradients, **at(LONG))


def is_tanh(tanh, at):
    """True, or what is wrong with the student's tanh of a Value."""
    Value = tanh.__globals__.get("Value")
    if not isinstance(Value, type):
        return f"tanh(x) is {tanh(Node(at))!r}. It must be a Value that remembers x."
    x = Value(at)
    y, where, true = tanh(x), f"tanh(x) at x = {at:g}:", math.tanh(at)
    wrong = is_value(Value, y, where, 1)
    if wrong:
        return wrong
    if not math.isclose(y.value, true, rel_tol=0, abs_tol=1e-12):
        return f"{where} the value is {y.value:g}. It should be {true:g}."
    if y.parents[0] is not x:
        return f"{where} the parent is another Value. It should be x itself."
    slope, h = y.slopes[0], 1e-6
    words = f"{where} the slope is {slope:g}. It should be {(math.tanh(at + h) - math.tanh(at - h)) / (2 * h):.6g}."
    return math.isclose(slope, 1 - true**2, rel_tol=0, abs_tol=2e-15) or named(
        words,
        {
            "used the input where the output belongs": slope == 1 - at * at,
            "the slope of sigmoid": math.isclose(slope, true * (1 - true)),
            "the result is not squared": math.isclose(slope, 1 - true),
            "the sign is flipped": math.isclose(slope, true**2 - 1),
            "the value as the slope": slope == y.value,
            "1 for the slope": slope == 1.0,
        },
    )


@exercise("tanh", points=2, function="tanh(at)")
def tanh(c):
    c.property("value and slope of tanh", is_tanh, vary=(floats(-3, 3, also=(0.5, -2.0, 0.0)),))
