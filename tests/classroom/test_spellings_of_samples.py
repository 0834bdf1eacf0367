"""Honest spellings of each solution of the sample assignments are right: some twenty, where there are so many."""

import itertools
import textwrap

import pytest

from minigrad.classroom.examination import examine
from minigrad.classroom.loading import load_to_grade
from minigrad.lab.handout import lessons_folder


def rule(signature, values, slopes):
    """A function with each value and each rule: `slopes` are what it returns."""
    grad = "    def grad(upstream):\n        return {slope}\n    return {value}, grad"
    head = f"@mg.custom_gradient\ndef {signature}:\n{grad}"
    return [head.format(value=value, slope=slope) for value, slope in itertools.product(values, slopes)]


#: The upstream gradient where the mask is true.
MASKED = [
    "mg.where({m}, upstream, 0.0)", "upstream * mg.where({m}, 1.0, 0.0)", "({m}) * upstream", "upstream * ({m})",
    "mg.where(mg.logical_not({m}), 0.0, upstream)", "mg.where({m}, upstream, mg.zeros_like(upstream))",
]  # fmt: skip
WITHIN = ["abs(x) <= 1", "(x >= -1) * (x <= 1)", "x * x <= 1", "mg.maximum(x, -x) <= 1.0"]
QUANTIZE = [
    "mg.clip(mg.round(2 * x) / 2, -1.0, 1.0)", "mg.round(2 * mg.clip(x, -1.0, 1.0)) / 2",
    "mg.maximum(-1.0, mg.minimum(1.0, mg.round(x * 2) * 0.5))", "mg.clip(mg.round(x + x), -2, 2) / 2",
]  # fmt: skip
CLIPPED = [
    "upstream * limit / mg.maximum(norm, limit), None", "upstream * mg.minimum(1.0, limit / safe), None",
    "mg.where(norm > limit, upstream * (limit / safe), upstream), None",
    "(limit / mg.maximum(norm, limit)) * upstream, None",
    "upstream / mg.maximum(norm / limit, 1.0), None",
]  # fmt: skip
NORMS = [
    "mg.sqrt(mg.sum(upstream * upstream))", "mg.sqrt(mg.sum(upstream ** 2))", "mg.sum(upstream * upstream) ** 0.5",
    "mg.norm(upstream)",
]  # fmt: skip
NEAREST = [
    "mg.sum(mg.one_hot(mg.argmin(abs(mg.expand_dims(x, -1) - codes), axis=-1), len(codes)) * codes, axis=-1)",
    "mg.gather(codes, mg.argmin(abs(mg.expand_dims(x, -1) - codes), axis=-1))",
    "mg.take(codes, mg.argmin((mg.expand_dims(x, -1) - codes) ** 2, axis=-1))",
    "codes[mg.argmin(abs(x[..., None] - codes), axis=-1)]",
    "mg.take(codes, mg.argmax(-abs(mg.expand_dims(x, -1) - codes), axis=-1))",
]
STRAIGHT = [
    "upstream, None", "[upstream, None]", "mg.identity(upstream), None", "1.0 * upstream, None", "upstream + 0, None"
]  # fmt: skip
QUADRATIC = """
def make_quadratic(weights):
    @mg.custom_gradient
    def quadratic(x):
        def grad(upstream, variables=None):
            u = upstream
            return {x}, {weights}

        return {value}, grad

    return quadratic
"""
OF_WEIGHTS = [
    "[mg.stack([mg.sum(u), mg.sum(u * x), mg.sum(u * x * x)])]",
    "[mg.stack([mg.sum(u * x ** n) for n in range(3)])]",
    "[mg.sum(mg.reshape(u * mg.stack([mg.ones_like(x), x, x * x]), (3, -1)), axis=1)]",
    "[mg.sum(mg.reshape(mg.stack([u, u * x, u * x ** 2]), (3, -1)), axis=-1)]",
    "(mg.stack([mg.sum(u), mg.sum(x * u), mg.sum(x * (x * u))]),)",
]
OF_X = [
    "u * (weights[1] + 2 * weights[2] * x)", "u * weights[1] + 2 * u * weights[2] * x",
    "(weights[1] + weights[2] * (x + x)) * u"
]  # fmt: skip
POLYNOMIAL = [
    "weights[0] + weights[1] * x + weights[2] * x * x", "weights[0] + x * (weights[1] + x * weights[2])",
    "(weights[2] * x + weights[1]) * x + weights[0]",
]  # fmt: skip
LINE = """
def make_line(w, b, factor):
    @mg.custom_gradient
    def line(x):
        def grad(upstream, variables=None):
            return {x}, {owed}

        return {value}, grad

    return line
"""
OWED = [
    "[factor * mg.sum(upstream * x) if v is w else mg.sum(upstream) for v in variables]",
    "[mg.sum(upstream * (factor * x if v is w else mg.ones_like(x))) for v in variables]",
    "[{id(w): factor * mg.sum(x * upstream), id(b): mg.sum(upstream)}[id(v)] for v in variables]",
    "[mg.sum(factor * upstream * x) if v is w else mg.sum(upstream) if v is b else None for v in variables]",
    "[mg.sum(upstream * x) * factor if v is not b else mg.sum(upstream) for v in variables]",
]
OF_TANH = ("1 - y * y", "1 - y ** 2", "(1 - y) * (1 + y)", "1.0 - math.pow(y, 2)")
TANHS = (
    "e = math.exp(-2 * abs(x.value))\ny = math.copysign((1 - e) / (1 + e), x.value)",
    "e = math.expm1(-2 * abs(x.value))\ny = math.copysign(-e / (e + 2), x.value)",
    "y = (2 / (1 + math.exp(-2 * abs(x.value))) - 1) * (1 if x.value > 0 else -1)",
)
TANH = [*(("y = math.tanh(x.value)", slope) for slope in OF_TANH), *((y, "1 - y * y") for y in TANHS)]
TANH_SLOPES = ["(1 - y) + (1 - y) * y", "1 - abs(y) ** 2", "-(y * y - 1)"]
RESULTS = [
    "return Value(y, (x,), (s,))",
    "return Value(y, parents=(x,), slopes=(s,))",
    "z = Value(y)\nz.parents, z.slopes = (x,), (s,)\nreturn z",
]
ORDERS = {
    "by counting uses": None,
    "a walk in depth, turned around": """
        done, order, stack = set(), [], [(y, iter(y.parents))]
        done.add(y)
        while stack:
            node, parents = stack[-1]
            for parent in parents:
                if parent not in done:
                    done.add(parent)
                    stack.append((parent, iter(parent.parents)))
                    break
            else:
                order.append(node)
                stack.pop()
        return order[::-1]
    """,
    "a stack with marks": """
        order, seen, stack = [], set(), [(y, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((parent, False) for parent in node.parents)
        order.reverse()
        return order
    """,
    "a list to insert at the front": """
        order, seen, stack = [], set(), [(y, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.insert(0, node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack += [(node, True), *((p, False) for p in node.parents)]
        return order
    """,
    "a recursion with room": """
        import sys
        sys.setrecursionlimit(10_000)
        order, seen = [], set()
        def visit(node):
            if node not in seen:
                seen.add(node)
                for parent in node.parents:
                    visit(parent)
                order.append(node)
        visit(y)
        return order[::-1]
    """,
    "the longest way from y": """
        from collections import defaultdict, deque
        users, nodes, queue = defaultdict(int), {y}, deque([y])
        while queue:
            for parent in queue.popleft().parents:
                users[parent] += 1
                if parent not in nodes:
                    nodes.add(parent)
                    queue.append(parent)
        order, ready = [], deque([y])
        while ready:
            node = ready.popleft()
            order.append(node)
            for parent in node.parents:
                users[parent] -= 1
                if not users[parent]:
                    ready.append(parent)
        return order
    """,
}
GRADIENTS = {
    "a dict": None,
    "a dict that grows": """
        sums = {y: 1.0}
        for node in order_nodes(y):
            for parent, slope in zip(node.parents, node.slopes):
                sums[parent] = sums.get(parent, 0.0) + slope * sums[node]
        return [sums.get(node, 0.0) for node in inputs]
    """,
    "by identity": """
        sums = {id(y): 1.0}
        for node in order_nodes(y):
            upstream = sums.get(id(node), 0.0)
            for i, parent in enumerate(node.parents):
                sums[id(parent)] = sums.get(id(parent), 0.0) + upstream * node.slopes[i]
        return [sums.get(id(node), 0.0) for node in inputs]
    """,
    "a defaultdict": """
        from collections import defaultdict
        sums = defaultdict(float)
        sums[y] += 1
        for node in order_nodes(y):
            for parent, slope in zip(node.parents, node.slopes):
                sums[parent] += sums[node] * slope
        return [sums[node] for node in inputs]
    """,
    "an attribute": """
        order = order_nodes(y)
        for node in [*order, *inputs]:
            node.gradient = 0.0
        y.gradient = 1.0
        for node in order:
            for parent, slope in zip(node.parents, node.slopes):
                parent.gradient += node.gradient * slope
        return [node.gradient for node in inputs]
    """,
    "what each node gets, summed": """
        gets = {}
        gets.setdefault(y, []).append(1.0)
        for node in order_nodes(y):
            for parent, slope in zip(node.parents, node.slopes):
                gets.setdefault(parent, []).append(sum(gets[node]) * slope)
        return [sum(gets.get(node, [0.0])) for node in inputs]
    """,
}


def function(head, body):
    return f"{head}\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}"


def with_norm(norm, slope):
    body = f"norm = {norm}\nsafe = mg.where(norm > 0, norm, 1.0)\nreturn {slope}"
    grad = function("def grad(upstream):", body)
    return "@mg.custom_gradient\n" + function("def clip_by_norm(x, limit):", f"{grad}\nreturn mg.identity(x), grad")


SPELLINGS = {
    "hw12 quantize": rule("quantize(x)", QUANTIZE, [m.format(m=w) for m, w in itertools.product(MASKED, WITHIN)]),
    "hw12 clip_by_norm": [with_norm(*pair) for pair in itertools.product(NORMS, CLIPPED)],
    "hw12 nearest": rule("nearest(x, codes)", NEAREST, STRAIGHT),
    "hw8 make_quadratic": [
        QUADRATIC.format(x=x, weights=w, value=v) for x, w, v in itertools.product(OF_X, OF_WEIGHTS, POLYNOMIAL)
    ],
    "hw8 make_line": [
        LINE.format(x=x, owed=owed, value=value)
        for x, owed, value in itertools.product(("upstream * w", "w * upstream"), OWED, ("w * x + b", "b + x * w"))
    ],
    "hw4 tanh": [
        function("def tanh(x):", f"{y}\ns = {slope}\n{result}")
        for (y, slope), result in itertools.product(
            [*TANH, *(("y = math.tanh(x.value)", s) for s in TANH_SLOPES)], RESULTS
        )
    ],
    "hw4 order_nodes": [function("def order_nodes(y):", body) for body in ORDERS.values() if body],
    "hw4 gradients": [function("def gradients(y, inputs):", body) for body in GRADIENTS.values() if body],
}  # fmt: skip


def solved(folder):
    """The names of a sample after its solutions, which the checks of hw4 use."""
    space = {}
    source = (lessons_folder() / "assignments" / folder / f"{folder}.py").read_text(encoding="utf-8")
    lines = [line for line in source.splitlines() if not line.startswith(("check", "from minigrad.classroom"))]
    exec("\n".join(lines), space)
    return {**space, "mg": __import__("minigrad")}


@pytest.mark.cases(8)
@pytest.mark.parametrize("kind", SPELLINGS)
def test_honest_spellings_are_right(kind):
    folder, name = kind.split()
    exercise = load_to_grade(lessons_folder() / "assignments" / folder / "checks.py")[name]
    space, refused = solved(folder), []
    for source in SPELLINGS[kind]:
        names = dict(space)
        exec(source, names)
        verdict = examine(exercise, names[name], {other: names[other] for other in exercise.also}, thorough=False)
        refused += [] if verdict else [(source, verdict.to_text())]
    assert refused == [] and len(SPELLINGS[kind]) >= (5 if folder == "hw4" else 20)
