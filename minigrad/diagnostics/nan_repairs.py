"""What to write instead: well-known expressions that lose a value or a gradient, found in the graph by their shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..tracing.model import BackwardTrace, Node
from ..tracing.numbers import is_zero, nonfinite
from .nan_origins import NanOrigin, nan_origins

#: (expression, what to write instead). A letter stands for any expression, the same letter for the same expression.
KNOWN = (
    ("log(add(1, exp(x)))", "log(1 + exp({x})) is softplus({x}), which stays finite"),
    ("log1p(exp(x))", "log1p(exp({x})) is softplus({x}), which stays finite"),
    ("log(sum(exp(x)))", "log(sum(exp({x}))) is logsumexp({x}), which subtracts the largest element first"),
    ("log(add(exp(x), exp(z)))", "log(exp(a) + exp(b)) is logaddexp(a, b), which stays finite"),
    (
        "divide(exp(x), sum(exp(x)))",
        "exp({x}) / sum(exp({x})) is softmax({x}), which subtracts the largest element first",
    ),
    (
        "divide(subtract(exp(x), exp(negative(x))), add(exp(x), exp(negative(x))))",
        "this is tanh({x}), which stays finite",
    ),
    ("divide(1, add(1, exp(x)))", "1 / (1 + exp(-x)) is sigmoid(x), which stays finite"),
    ("reciprocal(add(1, exp(x)))", "1 / (1 + exp(-x)) is sigmoid(x), which stays finite"),
    ("divide(exp(x), add(1, exp(x)))", "exp({x}) / (1 + exp({x})) is sigmoid({x}), which stays finite"),
    ("log(sigmoid(x))", "log(sigmoid({x})) is -softplus(-{x}), which stays finite"),
    ("log(softmax(x))", "log(softmax({x})) is log_softmax({x}), which stays finite"),
    ("multiply(x, log(x))", "{x} * log({x}) is xlogy({x}, {x}), which is 0 at 0"),
    ("divide(sin(x), x)", "divide sin({x}) by where({x} == 0, 1.0, {x}), and give the limit 1 with a second where"),
    ("sqrt(mean(power(subtract(x, mean(x)), 2)))", "this is std({x}), whose slope is 0 where all elements agree"),
    ("sqrt(mean(square(subtract(x, mean(x)))))", "this is std({x}), whose slope is 0 where all elements agree"),
    ("sqrt(var(x))", "this is std({x}), whose slope is 0 where all elements agree"),
    ("divide(x, sqrt(sum(z)))", "keep the length from being 0: divide by sqrt(sum({x} * {x}) + 1e-12)"),
    ("sqrt(sum(multiply(x, x)))", "sqrt(sum({x} * {x})) is norm({x}), whose slope at 0 is 0"),
    ("sqrt(sum(square(x)))", "sqrt(sum({x} ** 2)) is norm({x}), whose slope at 0 is 0"),
    ("sqrt(sum(power(x, 2)))", "sqrt(sum({x} ** 2)) is norm({x}), whose slope at 0 is 0"),
    ("sqrt(multiply(x, x))", "sqrt({x} * {x}) is abs({x}), whose slope at 0 is 0"),
    ("sqrt(square(x))", "sqrt({x} ** 2) is abs({x}), whose slope at 0 is 0"),
    ("sqrt(power(x, 2))", "sqrt({x} ** 2) is abs({x}), whose slope at 0 is 0"),
)

#: Likewise, where no `where` has chosen another side already.
ROOTS = (
    ("sqrt(x)", "the slope of sqrt is infinite at 0: add a small number inside, sqrt({x} + 1e-12)"),
    ("power(x, n)", "this power has an infinite slope at 0: add a small number inside, ({x} + 1e-12) ** n"),
)

SCALE = "scale the input down, compute in float64, or work with logarithms and sums instead of products"


def suggest(trace: BackwardTrace, node: Node, kind: str, origin: NanOrigin | None = None) -> str:
    """The repair for what is born at `node`: `origin` in the backward pass, or its value in the forward pass."""
    if kind == "custom rule":
        return "the custom rule itself answers it: write the rule in a form that stays finite there"
    if kind == "input":
        return "look at where the input comes from; where(isfinite(x), x, 0.0) leaves out what is missing"
    culprits = list(_culprits(trace, node, origin))
    shapes = _Shapes(trace)
    near_a_root = kind != "masked branch" and nonfinite(node.value) != "nan"  # no small number helps below 0
    for table in (KNOWN, ROOTS) if near_a_root else (KNOWN,):
        for culprit in culprits:
            found = shapes.known(culprit, table)
            if found:
                return found
    if kind == "overflow":
        return SCALE
    if kind == "inf - inf" and origin is None:
        return "take out the larger part before the exponential is computed, so that neither side becomes inf"
    return _double_where(shapes, culprits)


def _culprits(trace: BackwardTrace, node: Node, origin: NanOrigin | None) -> Iterator[Node]:
    """The node of the origin, and before it the nodes that its inf came from, backward and forward."""
    yield node
    if origin is not None:
        yield from (trace.nodes[b.node] for b in nan_origins(trace) if b.word == "inf" and b.step <= origin.step)
    seen = _Shapes(trace)
    while True:
        worse = [n for n in seen.below(node) if nonfinite(n.value)]
        if not worse:
            return
        node = worse[0]
        yield node


class _Shapes:
    """Looks for expressions in the graph of a trace."""

    def __init__(self, trace: BackwardTrace) -> None:
        self.trace = trace
        edges = sorted((e for e in trace.edges if not e.ghost), key=lambda e: e.arg)
        self.arguments: dict[int, list[Node]] = {}
        self.users: dict[int, list[Node]] = {}
        for e in edges:
            self.arguments.setdefault(e.dst, []).append(trace.nodes[e.src])
            self.users.setdefault(e.src, []).append(trace.nodes[e.dst])

    def below(self, node: Node) -> list[Node]:
        return self.arguments.get(node.id, [])

    def known(self, node: Node, table: tuple[tuple[str, str], ...]) -> str:
        """The advice for the first expression of `table` that contains the node, "" if there is none."""
        around = self.above(node, reach=4)
        for expression, advice in table:
            pattern = ast.parse(expression, mode="eval").body
            for top in around:
                bound: dict[str, Node] = {}
                inside: set[int] = set()
                if self.matches(pattern, top, bound, inside) and node.id in inside:
                    return advice.format(x=self.called(bound["x"]))
        return ""

    def above(self, node: Node, reach: int) -> list[Node]:
        """The node and what was made from it, a few ops far."""
        found, wave = {node.id: node}, [node]
        for _ in range(reach):
            wave = [user for n in wave for user in self.users.get(n.id, []) if user.id not in found]
            found |= {n.id: n for n in wave}
        return list(found.values())

    def matches(self, pattern: ast.expr, node: Node, bound: dict[str, Node], inside: set[int]) -> bool:
        """Whether the node has the shape of the pattern; fills in the letters and the nodes inside the shape."""
        if isinstance(pattern, ast.Constant):
            return node.kind in ("const", "leaf") and node.value == pattern.value
        if isinstance(pattern, ast.Name):
            return self.same(bound.setdefault(pattern.id, node), node)
        assert isinstance(pattern, ast.Call) and isinstance(pattern.func, ast.Name)
        arguments = self.below(node)
        if node.op != pattern.func.id or len(arguments) != len(pattern.args):
            return False
        orders = [arguments, arguments[::-1]] if node.op in ("add", "multiply") else [arguments]
        for order in orders:
            trial, touched = dict(bound), {node.id}
            if all(self.matches(p, a, trial, touched) for p, a in zip(pattern.args, order)):
                bound.update(trial)
                inside |= touched
                return True
        return False

    def same(self, a: Node, b: Node) -> bool:
        """Whether two nodes are the same expression."""
        if a.id == b.id:
            return True
        mine, theirs = self.below(a), self.below(b)
        alike = a.op == b.op and len(mine) == len(theirs) and bool(mine)
        return (alike and all(map(self.same, mine, theirs))) or (a.kind == b.kind == "const" and a.value == b.value)

    def called(self, node: Node) -> str:
        return node.name or "x"


def _double_where(shapes: _Shapes, culprits: list[Node]) -> str:
    """The general cure: keep the function away from the point, and choose the value there with where."""
    who = next((n for n in reversed(culprits) if shapes.below(n)), culprits[0])
    below = shapes.below(who)
    if who.op == "divide" and len(below) > 1 and is_zero(below[1].value):
        return "where twice: divide by safe = where(b == 0, 1.0, b), and choose where(b == 0, 0.0, a / safe) outside"
    return (
        f"where twice: give {who.op} safe = where(good, x, 1.0), and choose where(good, {who.op}(safe), 0.0) outside, "
        f"so that {who.op} never sees the bad x"
    )
