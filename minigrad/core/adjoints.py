"""The adjoints of a backward pass: the sum of the contributions that have arrived at each node so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .op import PICK
from .scattered import Collected, Scattered
from .tensor import Tensor


class Adjoints:
    """The sum of the contributions to each node, by serial.

    sums : the sums; for a node with many outputs a dict, by the number of the output.
    recorded : whether the pass is recorded: then all values are Tensors.
    owned : serials whose sum is an array made here, which may be added to in place.
    from_zeros : serials whose sum started from zeros: it holds no -0, so adding zeros to it changes nothing.
    """

    __slots__ = ("from_zeros", "owned", "recorded", "sums")

    def __init__(self, targets: Sequence[Tensor], upstreams: Sequence[Any]) -> None:
        self.sums: dict[int, Any] = {}
        self.owned: set[int] = set()
        self.from_zeros: set[int] = set()
        self.recorded = False
        for target, upstream in zip(targets, upstreams):
            self.recorded = self.recorded or isinstance(upstream, Tensor)
            known = self.sums.get(target.serial)
            self.sums[target.serial] = upstream if known is None else known + upstream

    def add_part(self, argument: Tensor, contribution: Any, node: Tensor) -> None:
        """Add a contribution to a part of an argument: to one of its outputs, or to some of its elements."""
        if node.op is PICK:
            self._add_output(argument.serial, node.args[1], contribution)
        else:
            self._add_scattered(argument.serial, contribution)

    def _add_output(self, serial: int, index: int, contribution: Any) -> None:
        """Add to the adjoint of one output of many, which may be picked more than once."""
        picked = self.sums.setdefault(serial, {})
        picked[index] = picked[index] + contribution if index in picked else contribution

    def _add_scattered(self, serial: int, part: Scattered) -> None:
        """Add a few elements: in place to an array that starts as zeros, or to a `Collected` in a recorded pass."""
        before = self.sums.get(serial)
        if not self.recorded:
            if serial in self.from_zeros:
                self.sums[serial] = part.add_to(before)
            else:
                self.owned.add(serial)
                self.from_zeros.add(serial)
                zeros = np.zeros(part.shape, part.dtype)
                self.sums[serial] = part.dense() if before is None else part.add_to(zeros + before)
        elif type(before) is Collected:
            before.append(part)
        else:
            self.sums[serial] = Collected(part, before)
