"""A student's function as its recorded graph: written as data, read back, and run in this engine.

The graph is recorded at the first few inputs of each shape, and must be the same each time. Then it is run at inputs
with which the function itself was never called. An answer that is right here is also right for a judge that gets only
the graph.

The functions at the end test properties of the graph: each returns True, or the mistake.
"""

from __future__ import annotations

import json
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core.gradients import gradients
from ..core.support.tensor_values import default_dtype, set_default_dtype
from ..core.tensor import Tensor, constant
from ..core.variable import Variable
from ..graphs import Graph, function_of, recorded_indices, write
from .mistakes import Mistake, mistake, ready_made

NUMBERS, ARRAYS = 8, 3  # how often the graph is recorded: for inputs that are numbers, and for each array shape
#: Ops that a function may contain and still count as returning its argument unchanged.
PLAIN: dict[str, Callable[..., Any]] = {
    "identity": operator.pos,
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
}


class NotConnected(TypeError):
    """Raised if the student's result does not depend on the input through recorded ops."""


class Misused(TypeError):
    """Raised if the function or its rule shows a named mistake."""

    def __init__(self, named: Mistake) -> None:
        super().__init__(named.says)
        self.mistake = named


class Replayed:
    """A student's function `f` of Tensors that is recorded once, and then runs as the recorded graph.

    order : how many times the function will be differentiated.
    """

    recordings = NUMBERS, ARRAYS

    def __init__(self, f: Callable[..., Any], order: int = 2) -> None:
        self.f, self.order, self.seed = f, order, 0
        self.graphs: dict[Any, dict[str, Graph]] = {}
        self._recorded: Counter[Any] = Counter()
        self._functions: dict[Any, Callable[..., Any]] = {}
        self.given_value, self.branches = False, 1
        self._kinds: dict[Any, dict[str, Any]] = {}
        self._texts: dict[Any, str] = {}  # inputs -> the graph recorded at exactly these inputs

    def follow(self, checks: Sequence[Any]) -> None:
        """Set the limits that the checks of an exercise declare: `Check.given_value` and `Check.branches`."""
        self.given_value = any(check.given_value for check in checks)
        self.branches = max([1, *(check.branches for check in checks)])

    @property
    def at_each_input(self) -> bool:
        """Whether the graph is recorded and run at each input separately."""
        return self.given_value or self.branches > 1

    def run_at(self, xs: Sequence[Tensor], text: str) -> Any:
        """Run a graph that was recorded at these inputs.

        Raises Misused if the function has too many different graphs.
        """
        kind, graph = kind_of(xs), Graph(text)
        kinds = self._kinds.setdefault(kind, {})
        root = _without_given(graph.root) if self.given_value else graph.root
        kinds.setdefault(json.dumps(root), root)
        if len(kinds) > self.branches:
            raise Misused(difference(list(kinds.values())))
        self.graphs[kind] = {text: graph}
        return function_of(graph, xs[0].dtype if xs and xs[0].dtype.kind == "f" else None)(*xs)

    def __call__(self, *xs: Tensor) -> Any:
        if self.branches > 1:
            return self.run_at(xs, self.text_of(xs))
        kind = kind_of(xs)
        graphs = self.graphs.get(kind, {})
        if self.given_value:
            at = kind, *(x.value.tobytes() for x in xs)
            text = self._texts[at] = self._texts.get(at) or self.record(xs)
        elif len(graphs) != 1 or self._recorded[kind] < self.recordings[any(kind[0])]:
            text = self.record(xs)
        else:
            (text,) = graphs
        cast = xs[0].dtype if xs and xs[0].dtype.kind == "f" else None
        if (text, cast) not in self._functions:
            self._functions[text, cast] = function_of(self.graphs[kind][text], cast)
        return self._functions[text, cast](*xs)

    def record(self, xs: Sequence[Tensor]) -> str:
        """Record the graph of one call, store it, and return it as text."""
        return self.keep(xs, self.text_of(xs))

    def keep(self, xs: Sequence[Tensor], text: str) -> str:
        """Store a graph that was recorded for inputs of this kind, and return its text."""
        self._recorded[kind_of(xs)] += 1
        graphs = self.graphs.setdefault(kind_of(xs), {})
        if text not in graphs:
            graphs[text] = Graph(text)
        return text

    def text_of(self, xs: Sequence[Tensor]) -> str:
        """Record the graph of one call in this process, without storing it, and return it as text."""
        with _precision(np.float32 if kind_of(xs)[1] else np.float64), recorded_indices():
            params = [_in_float64(x) for x in xs]
            outputs = outputs_of(self.f(*params))
            return json.dumps(write(params, outputs, self.order, self.seed), allow_nan=False)

    def takes_out(self, xs: Sequence[Tensor]) -> bool:
        """Return whether a rule extracts a number from the upstream gradient, as `float(upstream)` does.

        If it does, the rule's graph is different for each upstream gradient.
        """
        self.seed = 1  # draws other upstream gradients for the recording of rules
        try:
            other = self.text_of(xs)
        finally:
            self.seed = 0
        return other != self.text_of(xs)

    def all_graphs(self) -> list[Graph]:
        return [graph for graphs in self.graphs.values() for graph in graphs.values()]

    def changes(self, xs: Sequence[Any]) -> Mistake | None:
        """Return the mistake if the graphs recorded for inputs of this kind differ, or None if they are the same."""
        roots = [graph.root for graph in self.graphs.get(kind_of(list(map(np.asarray, xs))), {}).values()]
        if self.given_value and len(roots) > 1:
            roots = [*{json.dumps(root): root for root in map(_without_given, roots)}.values()]
        return difference(roots) if len(roots) > 1 else None


def difference(fragments: Sequence[Any]) -> Mistake:
    """Return why two recorded graphs of one function differ: a Python `if`, or a number taken out of a Tensor."""
    return mistake.python_if if _steps(fragments[0]) != _steps(fragments[1]) else mistake.taken_out


def _without_given(fragment: Any, in_rule: bool = False) -> Any:
    """Return a graph without the numbers that may come from NumPy, so that two graphs can be compared.

    These are the constants outside rules, and the constants that a function with a rule returns as its value.
    """
    if not isinstance(fragment, dict) or "nodes" not in fragment:
        return fragment
    nodes = []
    for node in fragment["nodes"]:
        if node[1] == "custom":
            *head, body, rule = node
            values = set(body["out"])
            kept = [[*n[:2]] if n[1] == "constant" and n[0] in values else n for n in body["nodes"]]
            node = [*head, {**body, "nodes": kept}, _without_given(rule, in_rule=True)]
        elif node[1] == "constant" and not in_rule:
            node = node[:2]
        elif node[1] == "op" and not in_rule:
            node = [*node[:3], [a if isinstance(a, dict) and "node" in a else None for a in node[3]], *node[4:]]
        nodes.append(node)
    return {**fragment, "nodes": nodes}


def outputs_of(y: Any) -> list[Tensor]:
    """Return the Tensors that a function returned; raise Misused or NotConnected for anything else."""
    outputs = list(y) if isinstance(y, (tuple, list)) else [y]
    if len(outputs) == 2 and isinstance(outputs[0], Tensor) and callable(outputs[1]):
        raise Misused(mistake.no_decorator)
    for output in outputs:
        if not isinstance(output, Tensor):
            raise NotConnected(
                f"The function returned {_kind(output)}, not a Tensor, so no gradient can follow: "
                "compute with minigrad's functions (mg.exp, mg.log, mg.where, ...)."
            )
    return outputs


def _kind(x: Any) -> str:
    if isinstance(x, (float, int, np.generic)):
        return "a plain number"
    return "a NumPy array" if isinstance(x, np.ndarray) else "None" if x is None else type(x).__name__


def _steps(fragment: Any) -> Any:
    """Return the ops of a graph and their connections, without the numbers in it."""
    if not isinstance(fragment, dict) or "nodes" not in fragment:
        return None
    nodes = lambda item: item["node"] if isinstance(item, dict) and "node" in item else None
    steps: list[Any] = []
    for number, kind, *rest in fragment["nodes"]:
        if kind == "op":
            steps.append((number, rest[0], list(map(nodes, rest[1]))))
        elif kind == "custom":
            steps.append((number, rest[0], _steps(rest[3]), _steps(rest[4])))
        else:
            steps.append((number, kind))
    return steps, fragment["out"]


def kind_of(xs: Sequence[Any]) -> tuple[tuple[tuple[int, ...], ...], bool]:
    """Return the kind of some inputs: their shapes, and whether any is float32. A function has one graph per kind.

    In float32 it may compute a different function from the one in float64, for example because the smallest number
    differs.
    """
    return tuple([x.shape for x in xs]), any(x.dtype == np.float32 for x in xs)


@contextmanager
def _precision(dtype: Any) -> Iterator[None]:
    """Convert Python floats to `dtype` while a graph is recorded; in float64, constants are exactly as written."""
    before = default_dtype()
    set_default_dtype(dtype)
    try:
        yield
    finally:
        set_default_dtype(before)


def _in_float64(x: Tensor) -> Tensor:
    """Return the Tensor in float64, unless its dtype is float32."""
    if x.dtype == np.float32:
        return x
    if isinstance(x, Variable):
        return Variable(x.value.astype(np.float64), x.trainable, x.name)
    return constant(x.value.astype(np.float64) if x.dtype.kind == "f" else x.value)


def uses_rule(f: Replayed, *xs: Any) -> bool | Mistake:
    """Return whether the function uses `custom_gradient` for more than returning an argument."""
    _run(f, xs)
    return all(any(map(_has_rule, graph.root["nodes"])) for graph in f.all_graphs()) or mistake.no_rule


def uses_no_rule(f: Replayed, *xs: Any) -> bool | Mistake:
    """Return whether the function never uses `custom_gradient`."""
    _run(f, xs)
    custom = any(node[1] == "custom" for graph in f.all_graphs() for node in graph.root["nodes"])
    says = "The function is made with custom_gradient, but its derived gradient is required."
    return not custom or Mistake("a rule of your own", says)


def _has_rule(node: Any) -> bool:
    """Return whether a node is a custom gradient whose function or rule returns something other than its argument."""
    return node[1] == "custom" and not all(isinstance(part, dict) and _returns_as_given(part) for part in node[5:])


def _returns_as_given(fragment: Any) -> bool:
    """Return whether a function or a rule returns its argument unchanged, directly or after an op like `* 1.0`."""
    number = 0.7
    values = dict.fromkeys(fragment.get("params", ()), number)
    for node, kind, *rest in fragment.get("nodes", ()):
        if kind != "op" or rest[0] not in PLAIN:
            return False
        args = [values.get(a.get("node"), a) if isinstance(a, dict) else a for a in rest[1]]
        if not all(isinstance(a, (int, float)) for a in args):
            return False
        values[node] = PLAIN[rest[0]](*args)
    return all(values.get(out, number) == number for out in fragment.get("out", ()))


def uses_without(f: Replayed, names: Sequence[str], *xs: Any) -> bool | Mistake:
    """Return whether none of the ops in `names` is used."""
    _run(f, xs)
    used = {use.name for graph in f.all_graphs() for use in graph.ops}
    used_too = [name for name in names if name in used]
    return not used_too or ready_made(used_too[0])


def is_small(f: Replayed, nodes: int, constants: int, part: str, *xs: Any) -> bool | Mistake:
    """Return True if the graph has at most this many nodes and literal numbers, else the mistake.

    A lookup table has more. part : "rule" to count only the rules in the graph.
    """
    _run(f, xs)
    for graph in f.all_graphs():
        size, written = graph.of_rules if part == "rule" else (graph.size, graph.constants)
        if size > nodes or written > constants:
            subject = "The rule" if part == "rule" else "It"
            says = f"{subject} has {size} nodes and {written} constants; {nodes} and {constants} are enough."
            return Mistake("the graph is too large", says)
    return True


def is_linear(f: Replayed, order: int, *xs: Any) -> bool | Mistake:
    """Return whether the gradients are linear in the upstream gradient, tested with u, v, 2u - 3v and 0.

    order : 2 to test also that each gradient depends on the upstream gradient through the graph.
    """
    tensors, y = _run(f, xs)
    rng = np.random.default_rng(0)
    draw = lambda: np.asarray(100 * rng.normal(size=y.shape))
    u, v = draw(), draw()
    slopes = [gradients(y, tensors, constant(np.asarray(g, y.dtype))) for g in (2 * u - 3 * v, u, v, 0 * u)]
    for each in zip(*slopes):
        if any(d is None for d in each):
            continue
        two, one, other, none = [np.asarray(d.value) for d in each if d is not None]
        if not all(np.isfinite(d).all() for d in (two, one, other, none)):
            return mistake.not_finite
        size = 1e-9 * (np.max(abs(one), initial=0) + np.max(abs(other), initial=0)) + 1e-300
        if not np.all(abs(two - (2 * one - 3 * other)) <= size) or np.any(none != 0):
            return mistake.not_linear
    return (
        order == 1 or all(_leads_back(y, x, constant(np.asarray(u, y.dtype))) for x in tensors) or mistake.upstream_lost
    )


def bends_like(f: Replayed, forward: Callable[..., Any], *xs: Any) -> bool | Mistake:
    """Return whether the gradients of the gradients equal the ones of `forward`, a function of Tensors.

    They are weighted differently in each entry, because a sum of gradients may be constant.
    """
    tensors, y = _run(f, xs)
    rng = np.random.default_rng(0)
    weights = [constant(np.asarray(rng.normal(size=x.shape))) for x in [y, *tensors]]

    def bends(y: Tensor) -> list[Any]:
        slopes = gradients(y, tensors, weights[0])
        pairs = [(slope, weight) for slope, weight in zip(slopes, weights[1:]) if slope is not None]
        return list(gradients([slope for slope, _ in pairs], tensors, [weight for _, weight in pairs]))

    for got, true in zip(bends(y), bends(forward(*tensors))):
        size = 1e-4 * np.max(abs(true.value), initial=0)
        if got is None or not np.all(abs(got.value - true.value) <= size):
            return mistake.second_lost
    return True


def _leads_back(y: Tensor, x: Tensor, upstream: Tensor) -> bool:
    """Return whether a gradient is linear in the upstream gradient according to its recorded graph.

    Its derivative with respect to the upstream gradient, times the upstream gradient, must be the gradient itself.
    """
    (slope,) = gradients(y, x, upstream)
    if slope is None or not np.any(slope.value):
        return True
    (back,) = gradients(slope, upstream)
    total = np.sum(slope.value)
    size = 1e-9 * np.sum(abs(slope.value))
    return back is not None and abs(np.sum(back.value * upstream.value) - total) <= size


def _run(f: Replayed, xs: Sequence[Any]) -> tuple[list[Any], Any]:
    tensors = [x if isinstance(x, Variable) else constant(np.asarray(x, np.float64)) for x in xs]
    return tensors, f(*tensors)
