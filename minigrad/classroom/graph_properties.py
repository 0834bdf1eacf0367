"""Properties of a function, read from its recorded graph or tried on it: each returns True, or the mistake."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.core.gradients import gradients
from minigrad.core.tensor import Tensor, constant
from minigrad.core.variable import Variable

from .answer_graph import Replayed
from .mistakes import Mistake, mistake

#: Ops with which a fragment may return a number as it is.
PLAIN: dict[str, Callable[..., Any]] = {
    "identity": operator.pos,
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
}


def uses_rule(f: Replayed, *xs: Any) -> bool | Mistake:
    """Whether the function is made with `custom_gradient`, of more than a function that returns its argument."""
    _run(f, xs)
    return all(any(map(_has_rule, graph.root["nodes"])) for graph in f.all_graphs()) or mistake.no_rule


def uses_no_rule(f: Replayed, *xs: Any) -> bool | Mistake:
    """Whether no part of the function is made with `custom_gradient`."""
    _run(f, xs)
    custom = any(node[1] == "custom" for graph in f.all_graphs() for node in graph.root["nodes"])
    says = "It is made with custom_gradient, and its derived gradient is asked for."
    return not custom or Mistake("a rule of your own", says)


def _has_rule(node: Any) -> bool:
    """Whether a node is a custom gradient whose function, or whose rule, returns something else than it is given."""
    return node[1] == "custom" and not all(isinstance(part, dict) and _returns_as_given(part) for part in node[5:])


def _returns_as_given(fragment: Any) -> bool:
    """Whether a function or a rule returns the number that it is called with, by no op or by such as `* 1.0`."""
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
    """Whether none of the ops in `names` is used."""
    _run(f, xs)
    used = {use.name for graph in f.all_graphs() for use in graph.ops}
    found = [name for name in names if name in used]
    return not found or Mistake(mistake.library_answer.name, f"mg.{found[0]}: {mistake.library_answer.says}")


def is_small(f: Replayed, nodes: int, constants: int, part: str, *xs: Any) -> bool | Mistake:
    """Whether the graph, or its rules, have no more nodes and written numbers than these, as a table has."""
    _run(f, xs)
    for graph in f.all_graphs():
        size, written = graph.of_rules if part == "rule" else (graph.size, graph.constants)
        if size > nodes or written > constants:
            subject = "The rule" if part == "rule" else "It"
            says = f"{subject} has {size} nodes and {written} constants; {nodes} and {constants} are enough."
            return Mistake("the graph is too large", says)
    return True


def is_linear(f: Replayed, order: int, *xs: Any) -> bool | Mistake:
    """Whether the gradients for 2u - 3v are twice those for u minus three times those for v, and 0 for 0.

    order : 2 to follow the gradient back to the upstream gradient, too.
    """
    tensors, y = _run(f, xs)
    rng = np.random.default_rng(0)
    draw = lambda: np.asarray(100 * rng.normal(size=y.shape))
    u, v = draw(), draw()
    found = [gradients(y, tensors, constant(np.asarray(g, y.dtype))) for g in (2 * u - 3 * v, u, v, 0 * u)]
    for each in zip(*found):
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


def _leads_back(y: Tensor, x: Tensor, upstream: Tensor) -> bool:
    """Whether the gradient of x follows the upstream gradient: a linear function is its slope times its argument."""
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
