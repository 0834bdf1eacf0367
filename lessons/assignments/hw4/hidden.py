"""What students of hw4 do not receive: answers, hints, wrong answers that must fail, and further checks."""

import importlib.util
from pathlib import Path

from minigrad.classroom import exercise

_spec = importlib.util.spec_from_file_location("hw4_shown", Path(__file__).with_name("checks.py"))
shown = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(shown)


FAR = [
    shown.Formula("(a - b) * a", lambda a, b: (a - b) * a, lambda a, b: (2 * a - b, -a)),
    shown.Formula("1 / a", lambda a, b: 1 / a, lambda a, b: (-1 / a**2, 0.0)),
    shown.Formula("5 - a / b", lambda a, b: 5 - a / b, lambda a, b: (-1 / b, a / b**2)),
]
PLACES = [(3.0, 2.0), (0.7, -1.3), (-5.1, 0.3)]


def remembers_far(Value, formula):
    """True, or a sentence: the slopes for a and b, multiplied along each way and added."""
    for at in PLACES:
        a, b = map(Value, at)
        y = formula.build(a, b)
        wrong = shown.is_value(Value, y, f"{formula}:", 2)
        if wrong:
            return wrong
        got = shown.along_ways(y, a), shown.along_ways(y, b)
        if not all(shown.math.isclose(g, t, rel_tol=1e-14, abs_tol=1e-14) for g, t in zip(got, formula.slope(*at))):
            return f"{formula} with (a, b) = {at}: along the parents come {got[0]:g} for a and {got[1]:g} for b."
    return True


def _uneven(x):
    long = shown.scaled(2.0, x)
    for _ in range(6):
        long = shown.scaled(1.0, long)
    return shown.plus(shown.times(x, long), x)


UNEVEN = [shown.Formula("x * d + x, with d = 2 * x by seven steps", _uneven, 13.0)]


def of_any_inputs(gradients, formula):
    """True, or a sentence: gradients for the result itself, a node that is not used, the input and a node between."""
    x, y, _ = formula.graph()
    product, other = y.parents[0], shown.Node(1.0)
    wanted, true = [other, x, y, product, x], [0.0, formula.slope, 1.0, 1.0, formula.slope]
    got = gradients(y, wanted)
    words = f"{formula}: for a node that is not used, x, y, a node between and x again, it returns {got!r:.80}."
    return (len(got) == len(true) and all(map(shown.math.isclose, got, true))) or f"{words} It should be {true}."


@exercise("two_ways")
def two_ways(c):
    c.number(
        16,
        because={
            16: "Yes: 4 comes back by way of a, and 3 times 4 by way of b.",
            4: "That is what comes back by way of a. x is used in b, too.",
            12: "That is what comes back by way of b. x is used in a, too.",
            7: "x sends into a and b. Each of the two ways is multiplied by the other factor.",
        },
        otherwise="Multiply along each way from y to x, and add the ways.",
    )


@exercise("Value", points=3, function="Value(formula)")
def value(c):
    c.property("differences, and plain numbers on the left", remembers_far, **shown.at(FAR), reveal="message")
    c.hint(
        "Each method returns a new Value, with self and other as its parents.",
        "The slopes of a quotient a / b are 1 / b for a, and -a / (b * b) for b.",
        "return Value(self.value * other.value, (self, other), (___, self.value))",
    )
    c.solution("A Value holds both arguments and, for each, how much the result changes with it.")
    body = """
def value_of(x):
    return x if isinstance(x, Value) else Value(float(x))
class Value:
    def __init__(self, value, parents=(), slopes=()):
        self.value, self.parents, self.slopes = value, parents, slopes
    def __add__(self, other):
        {convert}
        return {add}
    def __mul__(self, other):
        {convert}
        return {multiply}
    def __truediv__(self, other):
        {convert}
        a, b = self.value, other.value
        return {divide}
    def __sub__(self, other): return self + (-1) * value_of(other)
    def __radd__(self, other): return value_of(other) + self
    def __rmul__(self, other): return value_of(other) * self
    def __rsub__(self, other): return value_of(other) - self
    def __rtruediv__(self, other): return value_of(other) / self
"""
    plus, times, values = "(1.0, 1.0)", "(other.value, self.value)", "(self.value, other.value)"
    usual = {
        "convert": "other = value_of(other)",
        "add": f"Value(self.value + other.value, (self, other), {plus})",
        "multiply": f"Value(self.value * other.value, (self, other), {times})",
        "divide": "Value(a / b, (self, other), (1 / b, -a / b ** 2))",
    }
    multiply, divide = usual["multiply"], usual["divide"]
    for name, change in (
        ("each argument has the slope of the other", {"multiply": multiply.replace(times, values)}),
        ("the slopes of add for another op", {"multiply": multiply.replace(times, plus)}),
        ("the slopes of multiply for another op", {"divide": divide.replace("(1 / b, -a / b ** 2)", "(b, a)")}),
        ("the slope of the divisor has the wrong sign", {"divide": divide.replace("-a", "a")}),
        ("the divisor is not squared", {"divide": divide.replace("-a / b ** 2", "-a / b")}),
        ("the dividend is missing", {"divide": divide.replace("-a", "-1")}),
        ("the values as slopes", {"add": usual["add"].replace(plus, values)}),
        ("the result is not a Value", {"divide": "a / b"}),
        ("a slope is a Value", {"multiply": multiply.replace(times, "(other, self)")}),
        ("a plain number among the parents", {"multiply": multiply.replace("(self, other)", values)}),
        ("parents and slopes are not tuples", {"add": usual["add"].replace("(self, other)", "{self, other}")}),
        ("not one parent and one slope for each argument", {"add": "Value(self.value + other.value, (self,), (1.0,))"}),
        ("the arguments are changed", {"add": "setattr(self, 'value', self.value + other.value) or self"}),
        (None, {"convert": "pass"}),
        (None, {"divide": divide.replace("a / b, ", "b / a, ")}),
        (None, {"divide": divide.replace("(self, other)", "(other, self)")}),
    ):
        c.wrong(body.format(**{**usual, **change}), name)


#: The nodes of a graph in `found`, each after its parents.
PARENTS_FIRST = """
def order_nodes(y):
    done, found, stack = set(), [], [(y, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            found.append(node)
        elif node not in done:
            done.add(node)
            stack.append((node, True))
            stack += [(p, False) for p in node.parents]
"""


@exercise("order_nodes", points=3, function="order_nodes(y)")
def order_nodes(c):
    c.property("a graph with a short and a long way", shown.ordered, **shown.at(UNEVEN), reveal="message")
    c.hint(
        "First count how often each node is used as a parent.",
        "A node is ready when all of its uses have been met; y is ready at the start.",
        "for parent in node.parents: uses[parent] -= 1; a node with 0 uses left is appended to ___",
    )
    c.solution("A node is appended after the last node that uses it, so each stands before its parents.")
    first_met = "found, stack = [y], [y]\n    while stack:\n        for p in stack.pop({at}).parents:\n"
    first_met += "            if p not in found:\n                found.append(p)\n                stack.append(p)\n"
    head = "def order_nodes(y):\n    "
    after = PARENTS_FIRST + "    return "
    for change in ("0 -> 1", "0 -> -1"):
        c.accept(change, "nothing uses y, and how often it is used is not read")
    c.wrong(head + first_met.format(at="0") + "    return found", "a node before one that uses it")
    c.wrong(head + first_met.format(at="-1") + "    return found", "a node before one that uses it")
    c.wrong(after + "found", "parents come first")
    c.wrong(after + "found[::-1][1:]", "nodes are missing")
    c.wrong(after + "[node for node in found[::-1] if node.parents]", "nodes are missing")
    c.wrong(after + "found[::-1] + found[:1]", "nodes come more than once")
    c.wrong(after + "set(found)")
    c.wrong(after + "sorted(found, key=lambda node: node.value, reverse=True)")
    c.wrong(head + "return [y] + [node for p in y.parents for node in order_nodes(p)]", "nodes come more than once")
    c.wrong(
        head + "found = []\n    def visit(node):\n        if node not in found:\n"
        "            for p in node.parents: visit(p)\n            found.append(node)\n    visit(y)\n"
        "    return found[::-1]"
    )


@exercise("gradients", points=3, function="gradients(y, inputs)")
def gradients(c):
    c.property("any inputs, in any order", of_any_inputs, **shown.at(UNEVEN), reveal="message")
    c.hint(
        "It is the walk of lesson 4, over order_nodes(y).",
        "All gradients start with 0, that of y with 1. At the end, look up those that were wanted.",
        "return [gradient.get(node, ___) for node in inputs]",
    )
    c.solution("Each node holds all its messages before it sends, and a fresh dict keeps nothing.")
    body = """    return found[::-1]
def gradients(y, inputs, kept={{}}):
    gradient = {{node: {start} for node in order_nodes(y)}}
    {before}
    gradient[y] = {seed}
    for node in list(gradient):
        for parent, slope in {arrows}:
            gradient[parent] {adds} {message}
    return {result}
"""
    usual = {
        "start": "0.0",
        "before": "",
        "seed": "1.0",
        "arrows": "zip(node.parents, node.slopes)",
        "adds": "+=",
        "message": "gradient[node] * slope",
        "result": "[gradient.get(node, 0.0) for node in inputs]",
    }
    for name, change in (
        ("= instead of +=", {"adds": "="}),
        ("forgot the upstream gradient", {"message": "slope"}),
        ("forgot the slope", {"message": "gradient[node]"}),
        ("the result starts with 0", {"seed": "0.0"}),
        ("the result starts with its value", {"seed": "y.value"}),
        ("every node starts with 1", {"start": "1.0"}),
        ("each argument once", {"arrows": "set(zip(node.parents, node.slopes))"}),
        (
            "something is kept from call to call",
            {"before": "gradient = kept = {**gradient, **kept}; gradients.__defaults__ = (gradient,)"},
        ),
        (None, {"result": "[gradient[node] for node in inputs]"}),
        (None, {"result": "[gradient.get(node) for node in inputs]"}),
        (None, {"result": "[g for node, g in gradient.items() if node in inputs]"}),
        (None, {"result": "gradient"}),
    ):
        c.wrong(PARENTS_FIRST + body.format(**{**usual, **change}), name)


@exercise("tanh", points=2, function="tanh(at)")
def tanh(c):
    c.property("where exp is too large", shown.is_tanh, vary=(), points=[(800.0,), (-800.0,)], reveal="message")
    c.hint("math.tanh computes the value.", "The slope of tanh is 1 - y * y.", "return Value(y, (x,), (1 - ___,))")
    c.solution("The slope needs the result only, and math.tanh does not overflow.")
    head = "def tanh(x):\n    y = math.tanh(x.value)\n    return "
    for name, result in (
        ("used the input where the output belongs", "Value(y, (x,), (1 - x.value * x.value,))"),
        ("the slope of sigmoid", "Value(y, (x,), (y * (1 - y),))"),
        ("the result is not squared", "Value(y, (x,), (1 - y,))"),
        ("the sign is flipped", "Value(y, (x,), (y * y - 1,))"),
        ("the value as the slope", "Value(y, (x,), (y,))"),
        ("1 for the slope", "Value(y, (x,), (1.0,))"),
        ("parents and slopes are not tuples", "Value(y, (x), (1 - y * y))"),
        ("a plain number among the parents", "Value(y, (x.value,), (1 - y * y,))"),
        ("not one parent and one slope for each argument", "Value(y)"),
        ("the result is not a Value", "y"),
        (None, "Value(y, (value_of(x.value),), (1 - y * y,))"),
    ):
        c.wrong(head + result, name)
    c.wrong(
        "def tanh(x):\n    up, down = math.exp(x.value), math.exp(-x.value)\n    y = (up - down) / (up + down)\n"
        "    return Value(y, (x,), (1 - y * y,))"
    )
