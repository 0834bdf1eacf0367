"""The backward pass of reverse-mode differentiation: the chain rule, node by node from the targets to the sources.

Nodes are visited newest first. Every use of a node is newer than the node, so when a node is visited, its adjoint is
complete: the sum over all uses. Each step calls the rules of the node's op with that adjoint and sends the results to
the arguments, and `adjoint_sums` adds up the results for each argument. All gradients come from the loop in `backward`,
unless an observer runs the pass.

>>> from minigrad import constant
>>> x = constant(3.0)
>>> y = x * x + x
>>> pullback([y], [np.float32(1.0)], [x])
[np.float32(7.0)]
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .adjoint_sums import Adjoints, Send
from .graph import between
from .op import COPY, OPS, PICK, NeedsRecord, as_leaf, needing_record, pick
from .support import observers, unused_inputs
from .support.conversions import followers
from .support.observers import unannounced
from .support.scattered import Collected
from .support.tensor_values import Upstream
from .tensor import Tensor

#: The messages that a node sent to its arguments, as `(argument number, argument, contribution)`. If the node is an
#: indexing operation, the contribution is a `Scattered`: only the elements that were read, without the zeros around
#: them.
Sends: TypeAlias = list[tuple[int, Tensor, Any]]


#: A function that is called with each node of a pass, the node's adjoint, and the messages that the node sent.
Observe: TypeAlias = Callable[[Tensor, Any, Sends], None]


class Pass(NamedTuple):
    """The data of one pass.

    order : the nodes between targets and sources, oldest first. needed : the serials of these nodes.
    adjoints : the running sums; at the start they hold the upstream gradients of the targets.
    source_serials : the serials of the sources. cut : serials of nodes that are treated as constants.
    unreached : called with the first target if no target depends on a source, or with the last node visited if the
        pass reached no source.
    """

    order: list[Tensor]
    needed: Collection[int]
    adjoints: Adjoints
    source_serials: Collection[int]
    cut: Collection[int]
    unreached: Callable[[Tensor | str], None] | None


def start(
    targets: Sequence[Tensor],
    upstreams: Sequence[Upstream],
    sources: Collection[Tensor],
    cut: Collection[int] = (),
    unreached: Callable[[Tensor | str], None] | None = None,
) -> Pass:
    """Prepare a pass: find its nodes, and set the upstream gradients.

    upstreams : the upstream gradient of each target. If these are arrays, as in calls from `grad` and tapes, the rules
        of ops run on arrays, which is fast, and custom rules get the arrays as Tensors. If the upstreams are Tensors,
        as in calls from `gradients`, every step is itself recorded, and the results can be differentiated again.
    """
    order, needed = between(targets, sources, cut)
    if unreached is not None and not any([target.serial in needed for target in targets]):
        unreached(targets[0])
    source_serials = {source.serial for source in sources}
    return Pass(order, needed, Adjoints(targets, upstreams), source_serials, cut, unreached)


def backward(
    started: Pass,
    observe: Observe | None = None,
) -> dict[int, Any]:
    """Run a pass and return the adjoints of the sources, keyed by serial; a source without an adjoint is left out.

    observe : called after the messages of each node have arrived.
    """
    order, needed, adjoints, source_serials, cut, unreached = started
    sums, recorded, add = adjoints.sums, adjoints.recorded, adjoints.adder()
    if observe is None and observers.follow:
        observe = observers.follow[-1](started)
    results: dict[int, Any] = {}
    sends: Sends = []
    last: Tensor | None = None

    def add_noted(node: Tensor, i: int, argument: Tensor, g: Any) -> None:
        sends.append((i, argument, add(node, i, argument, g)))

    send = add if observe is None else add_noted
    while order:
        node = order.pop()
        op, serial = node.op, node.serial
        g = sums.pop(serial, None)  # a dict keyed by output index if the node has several outputs
        if g is None:  # no message arrived, because every path to a target has an op or argument without a gradient
            continue
        if recorded and type(g) is Collected:
            g = g.dense()
        last = node
        if serial in source_serials:
            results[serial] = g
        if op is not None and serial not in cut:
            count = len(node.args) if op.vjps and node.kwargs is None else 0
            if count == 1:
                pull_one(node, op, g, needed, recorded, send)
            elif count == 2:
                pull_two(node, op, g, needed, recorded, send)
            else:
                sent = messages_of(node, op, g, needed, recorded)
                while sent:  # pop each message, so that its array can be freed
                    send(node, *sent.pop(0))
        if observe is not None:
            observe(node, g, sends.copy())
            sends.clear()
        del g  # free the array now, not at the end of the next step
    if unreached is not None and last is not None and not results:
        unreached(last)
    return results


# The rules of one node. needed : the serials of the pass's nodes. recorded : whether rules are called on Tensors
# rather than on their values.


class RunningRule(threading.local):
    """The user's rule that is running in this thread, in a recorded pass.

    upstreams : the serials of the rule's upstream gradients. These were computed from the inputs too, so a pass that
        the rule starts must treat them as constants. A later pass, started outside the rule, does go through them, so
        this part of the second derivative is counted exactly once.
    """

    upstreams: frozenset[int] = frozenset()

    @contextmanager
    def on(self, upstreams: Iterable[Tensor]) -> Iterator[None]:
        """Run the block as a rule with these upstream gradients."""
        outer = self.upstreams
        self.upstreams = outer.union([upstream.serial for upstream in upstreams])
        try:
            yield
        finally:
            self.upstreams = outer


running_rule = RunningRule()


def messages_of(node: Tensor, op: Any, g: Any, needed: Collection[int], recorded: bool) -> Sends:
    """Call the rules of a node with the upstream gradient `g`, and return the messages to its arguments.

    This works for any op; `pull_one` and `pull_two` are faster for the common ops.
    """
    if recorded and op.by_user:
        # If the rule starts a pass, that pass stops at these upstream gradients: see RunningRule.
        several = type(g) is dict
        parts = g if several else {0: g}
        upstreams = {i: _as_upstream(part, node) for i, part in parts.items()}
        with running_rule.on(upstreams.values()):
            return _call_rules(node, op, upstreams if several else upstreams[0], needed, recorded)
    return _call_rules(node, op, g, needed, recorded)


def _as_upstream(g: Tensor, node: Tensor) -> Tensor:
    """Return the upstream gradient for a user's rule, copied if it is older than the node.

    An upstream gradient older than the node is a Tensor that the user passed in, and the rule may differentiate with
    respect to that Tensor. The copy is a different node, so the rule's pass can stop at it.
    """
    return COPY.call(g) if g.serial < node.serial else g


def _call_rules(node: Tensor, op: Any, g: Any, needed: Collection[int], recorded: bool) -> Sends:
    args, kwargs = node.args, node.kwargs or {}
    positions = [i for i, a in enumerate(args) if isinstance(a, Tensor) and a.serial in needed]
    y: Any = node if recorded else node.value
    gradients: Any  # gradients[i] is the contribution to argument i
    if op is PICK:
        gradients = [g]
    elif not op.differentiable or not positions:
        return []
    elif len(args) == 1 and hasattr(op, "gradient_of_one") and type(node.value) is not tuple:
        gradients = [op.gradient_of_one(g)]  # a custom gradient with one input and one output
    else:
        values = args if recorded else [a.value if isinstance(a, Tensor) else a for a in args]
        if op.vjps is not None:
            gradients = {i: op.vjps[i](g, y, *values, **kwargs) for i in positions}
        else:
            if type(node.value) is tuple:
                g = _upstreams_of_all(g, node.value, op.partial)
                if recorded:
                    y = tuple(pick(node, i) for i in range(len(node.value)))
            gradients = op.vjp_all(g, y, *values, **kwargs)
    return [(i, args[i], gradients[i]) for i in positions if gradients[i] is not None]


def _upstreams_of_all(g: dict[int, Any], outputs: Sequence[Any], partial: bool) -> list[Any]:
    """Return the upstream of each output; for an unused output it is zeros, or None for a rule that takes None."""
    if partial:
        return [g.get(i) for i in range(len(outputs))]
    return [g[i] if i in g else np.zeros_like(value) for i, value in enumerate(outputs)]


# Two faster versions of `messages_of`, which send the messages at once: a chain of ops on small arrays runs 1.4 times
# as fast with them.


def pull_one(node: Tensor, op: Any, g: Any, needed: Collection[int], recorded: bool, send: Send) -> None:
    """Call the rule of an op with one argument, and send its gradient."""
    (a,) = node.args
    if a.serial in needed:
        rule = op.vjps[0]
        g = rule(g, node, a) if recorded else rule(g, node.value, a.value)
        if g is not None:
            send(node, 0, a, g)


def pull_two(node: Tensor, op: Any, g: Any, needed: Collection[int], recorded: bool, send: Send) -> None:
    """Call both rules of an op with two arguments, and then send both gradients.

    Sending after both calls records the nodes in the same order as `messages_of` does.
    """
    u, v = a, b = node.args
    y: Any = node
    left, right = isinstance(a, Tensor), isinstance(b, Tensor)
    if not recorded:
        y, u, v = node.value, a.value if left else a, b.value if right else b
    first = op.vjps[0](g, y, u, v) if left and a.serial in needed else None
    if a is b and not recorded and op is OPS["multiply"]:
        second = first  # both rules of `a * a` are `g * a`
    else:
        second = op.vjps[1](g, y, u, v) if right and b.serial in needed else None
    if first is not None:
        send(node, 0, a, first)
    if second is not None:
        send(node, 1, b, second)


# A whole pass from targets to sources, which is a vector-Jacobian product (VJP).


def pullback(
    targets: Sequence[Tensor],
    upstreams: Sequence[Upstream],
    sources: Sequence[Tensor],
    cut: Collection[int] = (),
    unreached: Callable[[Tensor | str], None] | None = None,
    part: bool = False,
) -> list[Any]:
    """Return each source's adjoint (raw or a Tensor, like the upstreams), or None if no target depends on the source.

    This is `backward(start(targets, upstreams, sources))`, plus the work for tapes, observers and warnings.

    unreached : a function that is called if the pass fails. If all adjoints are None, it is called with the Tensor
        where the connection ends, or with a target. If all adjoints are 0 because a recomputed function ignores its
        inputs, it is called with a sentence that explains this.
    part : whether this pass is a step of a larger pass. If so, the larger pass gives the warnings.
    """
    for follower in followers:  # notify tapes and transforms that a pass begins
        follower.begin(upstreams)
    outer = None if part else unused_inputs.set_aside()
    cut = running_rule.upstreams.union(cut)
    # Give no warning while a program is being written: running the function itself gives the same warning.
    unreached = None if observers.run else unreached
    with np.errstate(all="ignore"):
        if observers.run:
            adjoints = observers.run[-1](targets, upstreams, sources, cut)
        else:
            started = start(targets, upstreams, sources, cut, unreached)
            may_need_record = needing_record and any([n.op in needing_record for n in started.order])
            retry = targets if may_need_record else ()
            del targets  # so that each node can be freed after its step
            try:
                adjoints = backward(started)
            except NeedsRecord:
                if not retry or started.adjoints.recorded:
                    raise
                adjoints = _rerun_recorded(retry, upstreams, sources, cut)
    if not part:
        unused_inputs.report(adjoints.values(), unreached, outer)
    return [adjoints.get(source.serial) for source in sources]


def _rerun_recorded(
    targets: Sequence[Tensor], upstreams: Sequence[Upstream], sources: Sequence[Tensor], cut: Collection[int]
) -> dict[int, Any]:
    """Run a pass as a recorded one, without announcing its nodes, and return the adjoints as arrays, by serial."""
    with unannounced():
        adjoints = backward(start(targets, [as_leaf(g) for g in upstreams], sources, cut))
    return {serial: g.value if isinstance(g, Tensor) else g for serial, g in adjoints.items()}
