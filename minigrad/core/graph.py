"""Searches of the recorded graph: the ancestors of a result, and the nodes between targets and sources.

Each argument is older than the result, so sorting by serial gives a topological order, and no recursion is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from .tensor import Tensor


def inputs(node: Tensor) -> list[Tensor]:
    """Return the Tensors among the arguments of `node`, one entry per edge: `x * x` has two."""
    return [a for a in node.args if isinstance(a, Tensor)]


def ancestors(
    targets: Iterable[Tensor],
    enter: Callable[[Tensor], bool] = lambda node: True,
    parents: Callable[[Tensor], Sequence[Tensor]] = inputs,
) -> list[Tensor]:
    """Return the targets and all nodes that they were computed from, oldest first.

    enter : a function that returns whether to visit a node's parents. parents : a function that returns the Tensors
        that a node was computed from.

    >>> from minigrad import constant
    >>> x = constant(3.0)
    >>> [node.op.name for node in ancestors([x * x + 1])[1:]]
    ['multiply', 'add']
    """
    visited: dict[int, Tensor] = {}
    stack = list(targets)
    while stack:
        node = stack.pop()
        if node.serial in visited:
            continue
        visited[node.serial] = node
        if enter(node):
            stack.extend(parents(node))
    return [visited[serial] for serial in sorted(visited)]


def between(
    targets: Iterable[Tensor], sources: Collection[Tensor], cut: Collection[int] = ()
) -> tuple[list[Tensor], Collection[int]]:
    """Return the nodes on the paths from sources to targets, inclusive and oldest first, and the nodes' serials.

    A source is included even if it is connected only through an op without gradients and therefore gets no message.

    cut : serials of nodes that are treated as constants.
    """
    source_serials = {source.serial for source in sources}
    oldest = min(source_serials, default=0)
    visited: dict[int, Tensor] = {}
    stack = list(targets) if source_serials else []
    while stack:
        node = stack.pop()
        # A node older than every source cannot depend on one.
        if node.serial in visited or node.serial < oldest:
            continue
        visited[node.serial] = node
        if node.serial not in cut:
            for a in node.args:
                if isinstance(a, Tensor):
                    stack.append(a)
    order, connected = [], set()  # `connected` holds serials, not nodes, so that the caller can free nodes one by one
    # Oldest first: whether a node is connected depends on its arguments, which are older.
    for serial in sorted(visited):
        node = visited.pop(serial)
        if serial not in source_serials:
            if serial in cut or not node.op or not node.op.differentiable:
                continue
            for a in node.args:
                if isinstance(a, Tensor) and a.serial in connected:
                    break
            else:
                continue
        order.append(node)
        connected.add(serial)
    return order, connected
