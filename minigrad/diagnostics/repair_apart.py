"""Repair one of several origins of nan in the part of the program that the others do not reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.tensor import Tensor
from ..tracing.replay import NotReplayable, graph_of, replay
from ..tracing.user_lines import line_of
from .domains import finite, gradients_of
from .repair_proof import Offer


def part_with(node: Tensor | None, y: Tensor, others: Sequence[Tensor]) -> Tensor | None:
    """Return the last node that is computed from an origin's node, and from no node of `others`.

    A loss that adds up several terms is nan if one of them is, but another term may be repaired all the same.
    Return None if the program has no such part, or if it is the whole program.
    """
    if node is None:
        return None
    with_node, with_other, part = {node.serial}, {other.serial for other in others}, None
    for one in graph_of(y):
        arguments = {a.serial for a in one.args if isinstance(a, Tensor)}
        for reached in (with_node, with_other):
            if reached & arguments:
                reached.add(one.serial)
        if one.serial in with_node and one.serial not in with_other and _is_float(one):
            part = one
    return None if part is y else part


def _is_float(node: Tensor) -> bool:
    return not isinstance(node.value, tuple) and np.asarray(node.value).dtype.kind == "f"


def _rewritten(offer: Offer, part: Tensor, y: Tensor) -> Tensor:
    return replay(y, instead={part.serial: lambda _: offer.new})[y.serial]


def helps(offer: Offer, part: Tensor, y: Tensor, inputs: Sequence[Tensor]) -> bool:
    """Return whether the gradient of an input becomes finite in the whole program by an offer for a part of it.

    Return False if the whole program cannot be run again.
    """
    with np.errstate(all="ignore"):
        try:
            pairs = zip(gradients_of(y, inputs), gradients_of(_rewritten(offer, part, y), inputs))
        except NotReplayable:
            return False
        return any(finite(after) and not finite(before) for before, after in pairs)


def within_its_program(offer: Offer, part: Tensor, y: Tensor) -> Offer:
    """Turn an offer for a part of the program `y` into one for `y`; its checks name the part."""
    line = line_of(part)
    where = f"in the part of the program up to {line.where}" if line else "in this part of the program"
    return offer._replace(new=_rewritten(offer, part, y), checks=(f"{where}, {offer.checks[0]}", *offer.checks[1:]))
