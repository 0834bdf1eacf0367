"""Find the first number on the way to a nan that exceeded the range of its dtype, and recompute it in float64."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.graph import ancestors
from ..core.op import OPS, PICK
from ..core.support.calling import compute
from ..core.tensor import Tensor
from ..tracing.replay import NotReplayable, is_call, is_input
from .domains import finite, numbers_in, value_of


class Overflow(NamedTuple):
    """A node whose value is infinite although its arguments are finite.

    number : the largest overflowing element, in float64; None if it is infinite in float64 too or cannot be recomputed.
    most : the largest finite number of the node's dtype.
    """

    node: Tensor
    number: float | None
    most: float

    def __str__(self) -> str:
        name, number = self.node.op.name, self.number
        if number is None:
            return f"{name} returns inf"
        texts = lambda digits: [f"{v:,.{digits}g}" for v in (self.most, abs(number))]
        limit, size = next((t for t in map(texts, range(6, 17)) if t[0] != t[1]), texts(17))
        sign, beyond = ("-", "below") if number < 0 else ("", "above")
        end = "lowest" if number < 0 else "largest"
        return f"{name} computes {sign}{size}, which is {beyond} {sign}{limit}, the {end} {self.node.dtype}"


def first_overflow(nan: Tensor) -> Overflow | None:
    """Return the oldest node on the way to `nan` that exceeded the range of its dtype.

    Only paths through nodes with infinite values are searched. Return None if no such node overflowed, or if the first
    one that overflowed cannot be recomputed.
    """
    infinite = lambda node: not isinstance(node.value, tuple) and bool(np.isinf(node.value).any())
    way = ancestors([nan], enter=lambda node: node is nan or infinite(node))
    for node in way:  # oldest first
        if node is nan or is_input(node) or not infinite(node) or not finite(*map(value_of, numbers_in(node.args))):
            continue
        return overflow_of(node)
    return None


def overflow_of(node: Tensor) -> Overflow | None:
    """Recompute a node in float64, and return its Overflow if the numbers that overflowed are finite there.

    Otherwise, return an Overflow without a number for a foreign op that returned inf, and None for any other op.
    """
    op, foreign = node.op, node.op.kind == "foreign"
    most = float(np.finfo(node.dtype).max)
    unknown = Overflow(node, None, most) if foreign and bool((node.value == np.inf).any()) else None
    if not foreign and (is_call(node) or op is PICK or op not in OPS.values()):
        return None
    wide = lambda a: value_of(a).astype(np.float64) if any(a is n for n in numbers_in([a])) else getattr(a, "value", a)
    try:
        with np.errstate(all="ignore"):
            args = [wide(a) for a in node.args]
            same = op is OPS["astype"]  # a conversion computes nothing
            computed: Any = args[0] if same else op.fn(*args) if foreign else compute(op, args, node.kwargs)
            value = np.ravel(computed)
    except (NotReplayable, TypeError, ValueError):
        return unknown
    numbers = value[np.isinf(np.ravel(node.value))] if value.shape == np.ravel(node.value).shape else value[:0]
    if not numbers.size or not finite(numbers) or np.abs(numbers).min() <= most:
        return unknown
    return Overflow(node, float(numbers[np.argmax(np.abs(numbers))]), most)
