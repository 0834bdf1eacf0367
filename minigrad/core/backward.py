"""The backward pass of reverse-mode differentiation: the chain rule, node by node from the targets to the sources.

Nodes are visited newest first, so the adjoint of a node is complete, summed over all its uses, when the node is
visited. Each step calls the rules of the node's op with that adjoint, fits what they return to the shapes of the
arguments, and adds it to the adjoints of the arguments. `fast_pass` holds the same loop written out for speed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from .adjoints import Adjoints
from .broadcasting import fit
from .graph import between
from .op import PICK, pick
from .tensor import Tensor

#: What a node sends to its arguments: messages `(argument number, argument, contribution)`.
Sends = list[tuple[int, Tensor, Any]]


def backward(
    targets: Sequence[Tensor],
    upstreams: Sequence[Any],
    sources: Collection[Tensor],
    cut: Collection[int] = (),
    unreached: Callable[[Tensor], None] | None = None,
) -> Iterator[tuple[Tensor, Any, Sends]]:
    """Yield `(node, upstream, sends)` for each node between the targets and the sources, newest first.

    upstreams : the upstream gradient of each target. With raw arrays the whole pass runs on raw arrays, which is fast;
        with Tensors every step is itself recorded, and its results can be differentiated again.
    cut : serials of nodes that are treated as constants.
    unreached : called with the first target if no target depends on a source.
    sends : the messages `(argument number, argument, contribution)` from the node. The contribution of an index is a
        `Scattered`: the elements that were read, without the zeros around them.
    """
    order, needed, adjoints = start(targets, upstreams, sources, cut, unreached)
    del targets, upstreams  # so that each node can be freed after its step
    while order:
        node = order.pop()
        upstream = adjoints.pop(node)
        if upstream is None:  # every rule on the way here returned None
            continue
        sends = []
        for i, argument, contribution in contributions(node, upstream, needed, cut, adjoints.recorded):
            contribution = fit(contribution, argument, node, i)
            adjoints.add(argument, contribution, node)
            sends.append((i, argument, contribution))
        yield node, upstream, sends


def start(
    targets: Sequence[Tensor],
    upstreams: Sequence[Any],
    sources: Collection[Tensor],
    cut: Collection[int],
    unreached: Callable[[Tensor], None] | None,
) -> tuple[list[Tensor], Collection[int], Adjoints]:
    """Return the nodes between targets and sources, oldest first, their serials, and the adjoints of the targets."""
    order, needed = between(targets, sources, cut)
    if unreached is not None and not any([target.serial in needed for target in targets]):
        unreached(targets[0])
    return order, needed, Adjoints(targets, upstreams)


def contributions(node: Tensor, upstream: Any, needed: Collection[int], cut: Collection[int], recorded: bool) -> Sends:
    """Call the rules of `node` for its arguments in `needed`, and return the messages, without those of None.

    recorded : whether the rules are called on Tensors rather than on their values.
    """
    op, args, kwargs = node.op, node.args, node.kwargs or {}
    if op is None or not op.differentiable or node.serial in cut:
        return []
    if op is PICK:
        return [(0, args[0], upstream)]
    positions = [i for i, a in enumerate(args) if isinstance(a, Tensor) and a.serial in needed]
    y: Any = node if recorded else node.value
    values = args if recorded else [a.value if isinstance(a, Tensor) else a for a in args]
    if op.vjps is not None:
        found = {i: op.vjps[i](upstream, y, *values, **kwargs) for i in positions}
    elif positions:
        if type(node.value) is tuple:  # one upstream for each output; zeros for an output that was not used
            unused = (lambda v: None) if op.partial else np.zeros_like
            upstream = [upstream[i] if i in upstream else unused(v) for i, v in enumerate(node.value)]
            y = tuple(pick(node, i) for i in range(len(node.value))) if recorded else y
        found = op.vjp_all(upstream, y, *values, **kwargs)
    return [(i, args[i], found[i]) for i in positions if found[i] is not None]
