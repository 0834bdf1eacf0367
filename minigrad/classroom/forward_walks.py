"""Forward walks for lesson 17: its graphs, the true tangents, and the tangents that common mistakes give."""

import math
import sys

import numpy as np

from .answer_graph import Misused
from .mistakes import mistake


class ProbeNode:
    """A node of a small graph on which a student's walk is tested."""

    latest = 0

    def __init__(self, value, op="", parents=(), slopes=()):
        self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
        self.serial = ProbeNode.latest = ProbeNode.latest + 1

    def __repr__(self):
        return f"Node({self.value:g})"

    def __add__(self, other):
        return ProbeNode(self.value + other.value, "add", (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return ProbeNode(self.value * other.value, "multiply", (self, other), (other.value, self.value))

    def __rmul__(self, factor):
        return ProbeNode(factor * self.value, "scale", (self,), (factor,))


def is_number(x):
    return isinstance(x, (int, float, np.number)) and not isinstance(x, bool)


def written(x):
    return f"{x:g}" if is_number(x) else f"{x!r:.60}"


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def named(words, tried, candidates):
    """Return `words`, or the first mistake among `candidates` that gives the answer's numbers at every probe.

    tried : pairs of a probe and the answer's result, which is None if the answer raised an exception.
    candidates : name of a mistake -> a function of a probe, and the sentence to add.
    """
    for name, (other, reason) in candidates.items():
        if all(got is not None and np.allclose(got, other(probe), rtol=1e-9, atol=1e-12) for probe, got in tried):
            return mistake(name, f"{words} {reason}")
    return words


#: Number of nodes in a chain that is too long for recursion. In a browser the chain is shorter, because freeing a chain
#: of 10,000 nodes crashes Python there.
LENGTH = 1_500 if sys.platform == "emscripten" else 10_000


def chain(x, z):
    for _ in range(LENGTH):
        x = 0.9999 * x
    return x


def doublings(x, z):
    for _ in range(30):
        x = x + x
    return x


def three_parents(x, z):
    product = x * z
    value = x.value + 2 * z.value + 3 * product.value
    return ProbeNode(value, "weighted sum", (x, z, product), (1.0, 2.0, 3.0))


def with_b(build):
    return lambda x, z: build(2.0 * x)


class Walk:
    """A probe: a graph with the inputs x = 3 and z = 5, and the tangent of each; None if `seed` lacks it."""

    def __init__(self, text, build, x=1.0, z=None):
        self.text, self.build, self.tangents = text, build, (x, z)

    def __repr__(self):
        seeds = [f"{name}: {t:g}" for name, t in zip("xz", self.tangents) if t is not None]
        return f"{self.text} with seed {{{', '.join(seeds)}}}"

    def build_it(self):
        inputs = ProbeNode(3.0), ProbeNode(5.0)
        seed = {node: tangent for node, tangent in zip(inputs, self.tangents) if tangent is not None}
        return self.build(*inputs), seed


WALKS = [
    Walk("x * x", lambda x, z: x * x),
    Walk("b + b * b with b = 2 * x", with_b(lambda b: b + b * b)),
    Walk("b * b + b with b = 2 * x", with_b(lambda b: b * b + b), 0.5),
    Walk("x * x * z", lambda x, z: x * x * z, 1.0, 10.0),
    Walk("x * z", lambda x, z: x * z),
    Walk("z * x + x", lambda x, z: z * x + x, -2.0, 0.25),
    Walk("x + z", lambda x, z: x + z, 1.0, 0.0),
    Walk("x + 2 * z + 3 * (x * z), a node with three parents", three_parents, 1.0, 10.0),
    Walk("x alone", lambda x, z: x, 3.0),
]
LONG = [Walk(f"a chain of {LENGTH:,} steps", chain), Walk("30 doublings", doublings)]


def behind(y):
    """Return `y` and all nodes from which it was computed, oldest first."""
    nodes, stack = {y}, [y]
    while stack:
        new = [parent for parent in stack.pop().parents if parent not in nodes]
        nodes.update(new)
        stack += new
    return sorted(nodes, key=lambda node: node.serial)


def add_up(node, tangent, seed):
    arrows = zip(node.parents, node.slopes)
    return seed.get(node, 0.0) + sum(tangent[parent] * slope for parent, slope in arrows)


def walk(rule=add_up, order=behind):
    """Return a forward walk: a function of `y` and `seed` that returns a dict with the tangent of each node.

    rule, order : the computation at a node, and the order of the nodes; replace either for a wrong walk.
    """

    def of(y, seed):
        tangent: dict[ProbeNode, float] = {}
        for node in order(y):
            tangent[node] = rule(node, tangent, seed)
        return tangent

    return of


def arrows(node):
    return zip(node.parents, node.slopes)


def start(node, seed):
    return seed.get(node, 0.0)


def changed(rule, order=behind):
    """Return a function that takes a Walk and computes the tangent of its result with another rule or order."""
    return lambda probe: (lambda y, seed: walk(rule, order)(y, seed)[y])(*probe.build_it())


#: Forward walks with one mistake: name of the mistake -> the function that gives the result's tangent, and a sentence
#: about the mistake.
CHANGED = {
    "newest first": (
        changed(
            lambda n, t, s: start(n, s) + sum(t.get(p, 0.0) * k for p, k in arrows(n)), lambda y: reversed(behind(y))
        ),
        "A node is reached before its parents, so their tangents are not there yet. Begin with the oldest.",
    ),
    "= instead of +=": (
        changed(lambda n, t, s: ([t[p] * k for p, k in arrows(n)] or [start(n, s)])[-1]),
        "Only the last arrow into each node counts. Where arrows meet, add up.",
    ),
    "each argument once": (
        changed(lambda n, t, s: start(n, s) + sum(t[p] * k for p, k in dict(arrows(n)).items())),
        "A node with two arrows from one parent gets one of them. Go through the arrows, in order.",
    ),
    "the slopes without the tangents": (
        changed(lambda n, t, s: start(n, s) + sum(n.slopes)),
        "The slopes are added up as if each parent moved by 1.",
    ),
    "the tangents without the slopes": (
        changed(lambda n, t, s: start(n, s) + sum(t[p] for p in n.parents)),
        "Each tangent is passed on as it is. Multiply it by the slope of the arrow.",
    ),
    "multiplied where arrows meet": (
        changed(lambda n, t, s: math.prod(t[p] * k for p, k in arrows(n)) if n.parents else start(n, s)),
        "What arrives by several arrows is multiplied. Add it up.",
    ),
    "every input moves by 1": (
        changed(lambda n, t, s: sum(t[p] * k for p, k in arrows(n)) if n.parents else 1.0),
        "Each input begins with 1, whatever `seed` says.",
    ),
    "an input without a seed moves by 1": (
        changed(lambda n, t, s: add_up(n, t, s) if n.parents else s.get(n, 1.0)),
        "An input that is not in `seed` begins with 1. It does not move: 0.",
    ),
    "the values instead of the tangents": (
        changed(lambda n, t, s: start(n, s) + sum(p.value * k for p, k in arrows(n))),
        "The values of the parents are multiplied by the slopes. Use their tangents.",
    ),
    "added where it multiplies": (
        changed(lambda n, t, s: start(n, s) + sum(t[p] + k for p, k in arrows(n))),
        "Tangent and slope are added. Multiply them.",
    ),
    "the result begins with 1": (
        lambda probe: 1.0,
        "The result has the tangent 1 for every seed, as in a walk back. Begin at the inputs.",
    ),
}


def end_of(forward, probe):
    """Return the tangent that the student's walk gives the result, or None if the walk fails or gives no number."""
    y, seed = probe.build_it()
    try:
        got = forward(y, seed)[y]
    except Exception:
        return None
    return got if is_number(got) else None


def walked(forward, probe):
    """Test the student's walk on one graph; return True, or a sentence or named mistake about the first fault."""
    y, seed = probe.build_it()
    before = dict(seed)
    true = walk()(y, seed)
    try:
        got = forward(y, seed)
    except KeyError as error:
        node = error.args[0] if error.args else None
        if not isinstance(node, ProbeNode):
            raise
        says = "the tangent of a node is asked for before it is in the dict."
        if not node.parents and node not in before:
            says = "an input is not in seed. Its tangent is 0: seed.get(node, 0.0)."
        raise Misused(mistake("KeyError", f"{probe}: {says}")).with_traceback(error.__traceback__) from None
    if not isinstance(got, dict):
        return f"{probe}: forward must return a dict of tangents, not {type(got).__name__}."
    if dict(seed) != before:
        return mistake("seed is changed", f"{probe}: afterwards seed has different entries. Make a new dict.")
    missing = [node for node in true if node not in got]
    if missing:
        kind = "an input" if not missing[0].parents else f"the node of {missing[0].op}"
        return f"{probe}: the dict has no tangent for {kind}. {len(missing)} of {len(true)} are missing."
    if odd := [node for node in true if not is_number(got[node])]:
        return f"{probe}: for a node the dict has {written(got[odd[0]])}. A tangent is a number."
    if not close(got[y], true[y]):
        words = f"{probe}: the tangent of the result is {got[y]:g}. It should be {true[y]:g}."
        if probe.text in [walk.text for walk in LONG]:
            return words
        return named(words, [(probe, end_of(forward, probe)) for probe in WALKS], CHANGED)
    wrong = [node for node in true if not close(got[node], true[node])]
    if wrong:
        kind = f"the node of {wrong[0].op}" if wrong[0].op else f"the input with the value {wrong[0].value:g}"
        return f"{probe}: the tangent of {kind} is {got[wrong[0]]:g}. It should be {true[wrong[0]]:g}."
    again = forward(y, dict(before))
    if not isinstance(again, dict) or not is_number(again.get(y)) or not close(again[y], true[y]):
        words = f"{probe}: a second walk over the same graph gives another tangent of the result."
        return mistake("something is kept from walk to walk", words)
    return True
