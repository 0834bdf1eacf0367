"""An engine as learners build it, and five ways to walk its graph: the first is right but slow, four are wrong."""

from itertools import count

clock = count()


class Number:
    def __init__(self, value, op="", parents=(), slopes=()):
        self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
        self.birth = next(clock)

    def __repr__(self):
        return f"Number({self.value:g})"

    def __add__(self, other):
        other = number(other)
        return Number(self.value + other.value, "add", (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = number(other)
        return Number(self.value * other.value, "multiply", (self, other), (other.value, self.value))

    __radd__, __rmul__ = __add__, __mul__


def number(x):
    return x if isinstance(x, Number) else Number(float(x))


def order_nodes(y):
    found, stack = {y}, [y]
    while stack:
        for parent in stack.pop().parents:
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return sorted(found, key=lambda node: node.birth, reverse=True)


def backward(y, tell=lambda *message: None):
    """The right one: newest first, adding up."""
    adjoint = dict.fromkeys(order_nodes(y), 0.0)
    adjoint[y] = 1.0
    for node in adjoint:
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            message = adjoint[node] * slope
            adjoint[parent] += message
            tell(node, i, message, adjoint[parent])
    return adjoint


def by_recursion(y, tell):
    """Right, with one call for each path: every message is sent on as it comes."""
    adjoint = dict.fromkeys(order_nodes(y), 0.0)

    def send(node, message):
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            adjoint[parent] += message * slope
            tell(node, i, message * slope, adjoint[parent])
            send(parent, message * slope)

    send(y, 1.0)
    return adjoint


def double_counting(y, tell):
    """Wrong: sends what it holds, again and again, instead of what is new."""
    adjoint = dict.fromkeys(order_nodes(y), 0.0)
    adjoint[y] = 1.0

    def send(node):
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            message = adjoint[node] * slope
            adjoint[parent] += message
            tell(node, i, message, adjoint[parent])
            send(parent)

    send(y)
    return adjoint


def assigning(y, tell):
    """Wrong: the last message replaces those before."""
    adjoint = {y: 1.0}
    for node in order_nodes(y):
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            message = adjoint[node] * slope
            adjoint[parent] = message
            tell(node, i, message, adjoint[parent])
    return adjoint


def stale(y, tell=lambda *message: None):
    """Wrong from the second pass on: adjoints are kept in the nodes."""
    for node in order_nodes(y):
        if not hasattr(node, "adjoint"):
            node.adjoint = 0.0
    y.adjoint = 1.0
    for node in order_nodes(y):
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            message = node.adjoint * slope
            parent.adjoint += message
            tell(node, i, message, parent.adjoint)


def first_come(y, tell):
    """Wrong if a node sends before all its messages have arrived: each once, in the order of first sight."""
    adjoint, queue = {y: 1.0}, [y]
    for node in queue:
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            message = adjoint[node] * slope
            adjoint[parent] = adjoint.get(parent, 0.0) + message
            tell(node, i, message, adjoint[parent])
            if parent not in queue:
                queue.append(parent)
    return adjoint
