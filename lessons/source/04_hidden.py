"""Lesson 4: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise

COLLECT = """\
def order_nodes(y):
    found, stack = {start}, [y]
    while stack:
        for parent in stack.pop().parents:
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return {result}"""


@exercise("from_the_left")
def from_the_left(c):
    c.tells("number on the left")
    c.choice(
        "b",
        because={
            "a": "Python tries 2.__mul__(x) first, and an int does not know what x is. Then it looks for x.__rmul__.",
            "b": "Yes: an int does not know what x is, and x has no __rmul__ to be tried instead.",
        },
    )


@exercise("deep_chain")
def deep_chain(c):
    c.choice(
        "b",
        because={
            "a": "10,000 messages are few. But each call waits for the next, and Python lets about 1000 calls wait.",
            "b": "Yes: each call waits for the next, and Python lets about 1000 calls wait.",
            "c": "No number is lost. But each call waits for the next, and Python lets about 1000 calls wait.",
        },
    )


@exercise("calls_of_send")
def calls_of_send(c):
    c.tells("2,097,151", "every path separately")
    c.choice(
        "d",
        because={
            "a": "21 is the number of nodes. This walk goes along every path by itself.",
            "b": "40 is the number of arrows. This walk goes along every path by itself.",
            "c": "That is the number of paths to the input. Those to the nodes in between are as many again.",
            "d": "Yes: 1 + 2 + 4 + ... + 2**20, which is 2,097,151.",
        },
    )


@exercise("stored_slope")
def stored_slope(c):
    c.number(
        3,
        because={
            3: "Yes: the second message of 3 replaces the first. It should be 6.",
            6: "Two messages of 3 arrive. To get 6, the walk would have to add them.",
            9: "9 is the value. Each of the two messages is 1 · 3.",
        },
        otherwise="Two messages arrive at x, each 1 times 3. The walk stores, it does not add.",
    )


@exercise("second_walk")
def second_walk(c):
    c.tells(r"7 \+ 7")
    c.number(
        20,
        because={
            20: "Yes: x * x still has its 1 and gets 1 more, so it sends 2 · 3 twice: 7 + 1 + 6 + 6.",
            14: "That would be 7 + 7. But the box in the middle kept its 1 as well: now it has 2, and sends 6 twice.",
            7: "That would need a fresh start. x still has its 7 from the first walk, and x * x still has its 1.",
        },
        otherwise="x starts with 7. The sum sends 1 to x and 1 to x * x, which still has 1 from before.",
    )


@exercise("right_order")
def right_order(c):
    c.tells("newer", "topological")
    c.choice(
        "d",
        because={
            "a": "In lesson 2 this order gave b + b * b the slope 2 instead of 26.",
            "b": "A box that sends once, at its first message, misses the later ones.",
            "c": "That works while values grow. With c = -2x at x = 3, c * c is 36 and c + c * c is 30, "
            "so c * c sends before anything has arrived.",
            "d": "Yes: a box is older than all that is made from it, so these have sent before its turn comes.",
        },
    )


@exercise("Number", points=3, function="Number(formula)")
def number(c):
    c.hint(
        "What must the result remember? Return a new Number that says what it was made from.",
        "Which slopes? The ones from lesson 2: let one argument grow by 1.",
        'Number(self.value * other.value, "multiply", (self, other), (___, self.value))',
    )
    c.solution("The new Number has both arguments and, for each, the slope of the result.")
    body = """\
from itertools import count
clock = count()
def number(x):
    return x if isinstance(x, Number) else Number(float(x))
class Number:
    def __init__(self, value, op="", parents=(), slopes=()):
        self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
        self.serial = next(clock)
    def __add__(self, other):
        {convert}
        return {add}
    def __mul__(self, other):
        {convert}
        return {multiply}
    __radd__, __rmul__ = __add__, {rmul}
"""
    plus_, times_ = "(1.0, 1.0)", "(other.value, self.value)"
    usual = {
        "convert": "other = number(other)",
        "add": f'Number(self.value + other.value, "add", (self, other), {plus_})',
        "multiply": f'Number(self.value * other.value, "multiply", (self, other), {times_})',
        "rmul": "__mul__",
    }
    for named, change in (
        (
            "each factor has its own value as slope",
            {"multiply": usual["multiply"].replace(times_, "(self.value, other.value)")},
        ),
        ("the slopes of add for multiply", {"multiply": usual["multiply"].replace(times_, plus_)}),
        ("the values as slopes", {"add": usual["add"].replace(plus_, "(self.value, other.value)")}),
        (
            "parents and slopes are not tuples",
            {"multiply": usual["multiply"].replace("(self, other)", "{self, other}")},
        ),
        (
            "only one argument is remembered",
            {"add": usual["add"].replace("(self, other), (1.0, 1.0)", "(self,), (1.0,)")},
        ),
        ("a plain number is not converted", {"convert": "pass"}),
        (None, {"rmul": "None"}),
        ("the result is not a Number", {"add": "self.value + other.value"}),
        ("the arguments are changed", {"add": "setattr(self, 'value', self.value + other.value) or self"}),
        (None, {"add": usual["add"].replace("+", "-")}),
        ("no op", {"add": usual["add"].replace('"add"', '""')}),
        ("another op", {"multiply": usual["multiply"].replace('"multiply"', '"add"')}),
        ("the slopes of a difference", {"add": usual["add"].replace(plus_, "(1.0, -1.0)")}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.accept("return f'Number({self.value:g})' -> return -f'Number({self.value:g})'", "__repr__ is given")
    c.accept("return f'Number({self.value:g})' -> return 2 * f'Number({self.value:g})'", "__repr__ is given")
    c.accept(
        "return f'Number({self.value:g})' -> return (f'Number({self.value:g})' * 1).astype('float32')",
        "__repr__ is given",
    )


@exercise("order_nodes", points=2, function="order_nodes(y)")
def order_nodes(c):
    c.hint(
        "How do you find all numbers behind y? Follow the parents, and keep a set of those you have.",
        "stack = [y]; while stack: for parent in stack.pop().parents: if it is new, add it to both.",
        "return sorted(found, key=lambda node: node.___, reverse=True)",
    )
    c.solution("A node is older than all that is made from it, so sorting by serial puts those that use it first.")
    right = "sorted(found, key=lambda node: node.serial, reverse=True)"
    c.wrong(COLLECT.format(start="{y}", result="sorted(found, key=lambda node: node.serial)"), "oldest first")
    c.wrong(
        COLLECT.format(start="{y}", result="sorted(found, key=lambda node: node.value, reverse=True)"),
        "sorted by value",
    )
    c.wrong(COLLECT.format(start="{y}", result=right + "[1:]"), "nodes are missing")
    c.wrong(COLLECT.format(start="set()", result=right), "nodes are missing")
    c.wrong(COLLECT.format(start="{y}", result="[node for node in " + right + " if node.parents]"), "nodes are missing")
    c.wrong(COLLECT.format(start="{y}", result="found"))
    c.wrong(
        "def order_nodes(y):\n    queue = [y]\n    for node in queue:\n"
        "        queue += [p for p in node.parents if p not in queue]\n    return queue"
    )
    c.wrong(
        "def order_nodes(y): return [y] + [node for parent in y.parents for node in order_nodes(parent)]",
        "nodes come more than once",
    )
    c.wrong(
        "def order_nodes(y):\n    found = []\n    def visit(node):\n        if node not in found:\n"
        "            found.append(node)\n            [visit(p) for p in node.parents]\n    visit(y)\n"
        "    return sorted(found, key=lambda node: node.serial, reverse=True)"
    )


@exercise("backward", points=3, function="backward(y)", seconds=4.0)
def backward(c):
    c.hint(
        "Which walk is it? The one of lesson 2, over order_nodes(y).",
        "Where does it start? All gradients are 0, and that of y is 1.",
        "gradient[parent] += gradient[node] * ___",
    )
    c.solution("Newest first, each node has all its messages before it sends, and a new dict keeps nothing.")
    body = """\
{order}
def backward(y, tell=None):
    gradient = {{node: {start} for node in {nodes}}}
    gradient[y] = {seed}
    for node in gradient:
        for parent, slope in {arrows}:
            gradient[parent] {adds} {message}
    return gradient"""
    usual = {
        "order": COLLECT.format(start="{y}", result="sorted(found, key=lambda node: node.serial, reverse=True)"),
        "start": "0.0",
        "nodes": "order_nodes(y)",
        "seed": "1.0",
        "arrows": "zip(node.parents, node.slopes)",
        "adds": "+=",
        "message": "gradient[node] * slope",
    }
    for named, change in (
        ("= instead of +=", {"adds": "="}),
        ("forgot the gradient", {"message": "slope"}),
        ("forgot the slope", {"message": "gradient[node]"}),
        ("added where it multiplies", {"message": "gradient[node] + slope"}),
        ("the result starts with 0", {"seed": "0.0"}),
        ("the result starts with its value", {"seed": "y.value"}),
        ("every node starts with 1", {"start": "1.0"}),
        ("each slope for each parent", {"arrows": "[(p, s) for p in node.parents for s in node.slopes]"}),
        ("each argument once", {"arrows": "set(zip(node.parents, node.slopes))"}),
        ("oldest first", {"nodes": "sorted(order_nodes(y), key=lambda n: n.serial)"}),
        ("in the order of the values", {"nodes": "sorted(order_nodes(y), key=lambda n: n.value, reverse=True)"}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.wrong(
        "def backward(y, tell=None):\n    gradient = {y: 0.0}\n    def send(node, message):\n"
        "        gradient[node] = gradient.get(node, 0.0) + message\n"
        "        for parent, slope in zip(node.parents, node.slopes): send(parent, message * slope)\n"
        "    send(y, 1.0)\n    return gradient"
    )


@exercise("exp", function="exp(formula, at)")
def exp(c):
    c.hint(
        "How many parents has exp? One, so both tuples have one entry: (x,).",
        "Which number is the slope of exp? Its own value, y.",
        'return Number(y, "exp", (x,), (___,))',
    )
    c.solution("When x grows a little, exp(x) grows by exp(x) times as much, and y is exp(x).")
    engine = """\
from itertools import count
clock = count()
def number(x):
    return x if isinstance(x, Number) else Number(float(x))
class Number:
    def __init__(self, value, op="", parents=(), slopes=()):
        self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
        self.serial = next(clock)
    def __add__(self, other):
        other = number(other)
        return Number(self.value + other.value, "add", (self, other), (1.0, 1.0))
    def __mul__(self, other):
        other = number(other)
        return Number(self.value * other.value, "multiply", (self, other), (other.value, self.value))
    __radd__, __rmul__ = __add__, __mul__
def exp(x):
    y = math.exp(x.value)
    return """
    for named, result in (
        ("1 for the slope of exp", 'Number(y, "exp", (x,), (1.0,))'),
        ("one divided by it", 'Number(y, "exp", (x,), (1 / y,))'),
        ("the input where the output belongs", 'Number(y, "exp", (x,), (x.value,))'),
        ("the power rule for exp", 'Number(y, "exp", (x,), (x.value * y,))'),
        ("the power rule", 'Number(y, "exp", (x,), (x.value * math.exp(x.value - 1),))'),
        ("no parent is remembered", 'Number(y, "exp")'),
        ("exp of the value", 'Number(y, "exp", (x,), (math.exp(y),))'),
        ("the sign is flipped", 'Number(y, "exp", (x,), (-y,))'),
        ("x is a parent twice", 'Number(y, "exp", (x, x), (y, y))'),
        ("parents and slopes are not tuples", 'Number(y, "exp", (x,), (y))'),
        ("a plain number among the parents", 'Number(y, "exp", (x.value,), (y,))'),
        ("the result is not a Number", "y"),
    ):
        c.wrong(engine + result, named)
