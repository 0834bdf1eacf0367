"""Properties of a function that are read off its recorded graph, or tried on it: True, or the mistake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.core.pullback import gradients
from minigrad.core.tensor import constant
from minigrad.core.variable import Variable

from .mistakes import Mistake, mistake
from .replayed import Replayed


def uses_rule(f: Replayed, *xs: Any) -> bool | Mistake:
    """Whether the function is made with `custom_gradient`."""
    _run(f, xs)
    return all(any(use.part == "function" for use in g.customs) for g in f.all_graphs()) or mistake.no_rule


def uses_without(f: Replayed, names: Sequence[str], *xs: Any) -> bool | Mistake:
    """Whether none of the ops in `names` is used."""
    _run(f, xs)
    used = {use.name for graph in f.all_graphs() for use in graph.ops}
    found = [name for name in names if name in used]
    return not found or Mistake(mistake.library_answer.name, f"mg.{found[0]}: {mistake.library_answer.says}")


def is_small(f: Replayed, nodes: int, constants: int, *xs: Any) -> bool | Mistake:
    """Whether the graph has no more nodes and written numbers than these, as a table of constants has."""
    _run(f, xs)
    for graph in f.all_graphs():
        if graph.size > nodes or graph.constants > constants:
            says = f"It has {graph.size} nodes and {graph.constants} constants; {nodes} and {constants} are enough."
            return Mistake("the graph is too large", says)
    return True


def is_linear(f: Replayed, *xs: Any) -> bool | Mistake:
    """Whether the gradients for 2u - 3v are twice those for u minus three times those for v, and 0 for 0."""
    tensors, y = _run(f, xs)
    rng = np.random.default_rng(0)
    draw = lambda: np.asarray(100 * rng.normal(size=y.shape))
    u, v = draw(), draw()
    found = [gradients(y, tensors, constant(np.asarray(g, y.dtype))) for g in (2 * u - 3 * v, u, v, 0 * u)]
    for each in zip(*found):
        if any(d is None for d in each):
            continue
        two, one, other, none = [np.asarray(d.value) for d in each if d is not None]
        size = 1e-9 * (np.max(abs(one), initial=0) + np.max(abs(other), initial=0)) + 1e-300
        if not np.all(abs(two - (2 * one - 3 * other)) <= size) or np.any(none != 0):
            return mistake.not_linear
    return True


def _run(f: Replayed, xs: Sequence[Any]) -> tuple[list[Any], Any]:
    tensors = [x if isinstance(x, Variable) else constant(np.asarray(x, np.float64)) for x in xs]
    return tensors, f(*tensors)
