"""A backward pass that was recorded: its steps, and how what arrived at each node was added up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..backward import backward
from ..call import CustomCall
from ..graph import ancestors
from ..tensor import Tensor, next_birth
from .lowering import behind


class Passed:
    """The backward pass from `y` to the sources, run on Tensors.

    steps : (node, upstream, sends) as the loop yields them. born : for each step, the number of the next Tensor.
    upstreams : what arrived at each node, by birth.
    count : how many messages arrived at each node, by birth.
    """

    def __init__(self, y: Tensor, sources: list[Tensor]) -> None:
        self.steps: list[tuple[Tensor, Any, Any]] = []
        self.born = [next_birth()]
        with np.errstate(all="ignore"):
            for step in backward([y], [Tensor(np.ones_like(y.value))], sources):
                self.steps.append(step)
                self.born.append(next_birth())
        self.upstreams = {node.birth: upstream for node, upstream, _ in self.steps}
        self.count: dict[int, int] = {}
        self._sums: dict[int, list[Tensor]] = {}
        for _, _, sends in self.steps:
            for _, argument, _ in sends:
                self.count[argument.birth] = self.count.get(argument.birth, 0) + 1

    def sums(self, argument: Tensor) -> list[Tensor]:
        """The Tensors that hold the first two, three, ... of the messages to `argument` added up."""
        if argument.birth not in self._sums:
            total, found = self.upstreams[argument.birth], []
            for _ in range(self.count[argument.birth] - 1):
                found.append(total)
                total = total.args[0]
            self._sums[argument.birth] = found[::-1]
        return self._sums[argument.birth]

    def inside(self, step: int) -> list[Tensor]:
        """What the rule of a step computed on the way to its messages."""
        low, high = self.born[step], self.born[step + 1]
        found = made_from([c for _, _, c in self.steps[step][2]], stop=lambda t: t.birth < low)
        return [t for t in found if low < t.birth < high and t.op is not None]


def made_from(targets: Iterable[Tensor], stop: Any = lambda t: False) -> list[Tensor]:
    """All Tensors whose values the targets were made from, oldest first, looking into the calls of custom rules."""
    return ancestors(targets, lambda t: not stop(t), behind)


def is_call(node: Tensor) -> bool:
    """Whether the node is a call of a function with a custom rule."""
    return isinstance(node.op, CustomCall)
