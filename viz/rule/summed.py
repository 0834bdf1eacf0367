"""Wrap a function with several results as one that returns the sum of their elements, to draw one backward pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Any

from minigrad.core.graph import ancestors
from minigrad.core.support.error_words import name_of
from minigrad.core.support.structure import flatten, is_structure, leaves
from minigrad.core.tensor import Tensor
from minigrad.ops import sum as reduce_sum
from minigrad.tracing.trace_schema import BackwardTrace


class Summed:
    """A function whose value is the sum of the results of `plain`; for a single result, the value is that result.

    body : the user's function, which supplies the names in the picture.
    """

    def __init__(self, plain: Callable[..., Any]) -> None:
        self.plain, self.results = plain, dict[str, Any]()
        self.__name__ = name_of(plain)
        self.body = getattr(plain, "body", plain)

    def __call__(self, **inputs: Any) -> Any:
        y = self.plain(**inputs)
        self.results = dict(leaves(y, "y"))
        several = is_structure(y) and all(isinstance(one, Tensor) for one in self.results.values())
        return total(flatten(y)) if several and self.results else y

    def several(self) -> dict[str, Tensor]:
        """The results of the latest call, by the code that selects each from "y", or {} for a single Tensor."""
        return {} if [*self.results] == ["y"] else dict(self.results)


def total(results: Collection[Tensor]) -> Tensor:
    """Return the sum of all elements of several Tensors."""
    first, *others = (reduce_sum(one) if one.shape else one for one in results)
    for other in others:
        first = first + other
    return first


def edges_of(trace: BackwardTrace, results: Collection[Tensor], y: Tensor) -> list[int]:
    """For each result, return the edge along which the sum `y` sends its upstream gradient, or -1 if not drawn."""
    box_of, own = trace.node_of, {result.serial for result in results}
    inner = [t for t in ancestors([y], enter=lambda t: t.serial not in own) if t.serial not in own]
    summing, to = {box_of[t.serial] for t in inner}, defaultdict[int, list[int]](list)
    for edge in sorted(trace.edges, key=lambda edge: (edge.dst, edge.arg)):
        if edge.dst in summing and not edge.ghost:
            to[edge.src].append(edge.id)
    drawn = [to[box_of.get(result.serial, -1)] for result in results]
    return [edges.pop(0) if edges else -1 for edges in drawn]
