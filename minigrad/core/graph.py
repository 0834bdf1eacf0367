"""The recorded graph: which nodes a result was made from, and which of them lie between it and given sources.

There is no recursion here: the order of serials is an order of computation, so a sort stands in for a traversal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from .tensor import Tensor


def inputs(node: Tensor) -> list[Tensor]:
    """The Tensors among the arguments of `node`, one entry per edge: `x * x` has two."""
    return [a for a in node.args if isinstance(a, Tensor)]


def ancestors(
    targets: Iterable[Tensor],
    enter: Callable[[Tensor], bool] = lambda node: True,
    behind: Callable[[Tensor], Sequence[Tensor]] = inputs,
) -> list[Tensor]:
    """All nodes that the targets were made from, the targets included, oldest first.

    Nodes for which `enter` is false are listed, but not looked behind. behind : what a node was made from.

    >>> from minigrad import constant
    >>> x = constant(3.0)
    >>> [node.op.name for node in ancestors([x * x + 1])[1:]]
    ['multiply', 'add']
    """
    found: dict[int, Tensor] = {}
    stack = list(targets)
    while stack:
        node = stack.pop()
        if node.serial in found:
            continue
        found[node.serial] = node
        before = behind(node)
        if before and enter(node):
            stack.extend(before)
    return [found[serial] for serial in sorted(found)]


def between(
    targets: Iterable[Tensor], sources: Collection[Tensor], cut: Collection[int] = ()
) -> tuple[list[Tensor], Collection[int]]:
    """The nodes through which the targets depend on the sources, the sources included, oldest first; their serials.

    cut : serials of nodes that are treated as constants.
    """
    ends = {source.serial for source in sources}
    oldest = min(ends, default=0)
    found: dict[int, Any] = {}
    stack = list(targets) if ends else []
    while stack:
        node = stack.pop()
        serial = node.serial
        if serial in found or serial < oldest:  # older than every source: cannot depend on one
            continue
        found[serial] = node
        if serial not in cut:
            for a in node.args:
                if isinstance(a, Tensor):
                    stack.append(a)
    order = []
    for serial in sorted(found):
        node = found[serial]
        leads = serial in ends
        if not leads and serial not in cut:
            for a in node.args:
                if isinstance(a, Tensor) and a.serial in found:
                    leads = node.op.differentiable
                    break
        if leads:
            order.append(node)
            found[serial] = None  # what is left of it here is its serial: the caller decides how long nodes live
        else:
            del found[serial]
    return order, found
