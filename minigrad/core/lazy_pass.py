"""Gradients that can be differentiated again, at the price of a pass on raw arrays: they are recorded when needed.

Few gradients are differentiated again, and a recorded pass takes up to twice the time and three times the memory. So
`gradients` runs a pass on raw arrays, and returns Tensors that are not recorded yet: the first use of their `op` or
`args` runs the same pass again, recorded. The user's own rules are called in the first pass only, with upstream gradients
that are not recorded yet either; the second pass takes what these calls returned.

>>> from minigrad import constant, gradients
>>> x = constant(3.0)
>>> (dy,) = gradients(x * x, x)
>>> type(dy) is Unrecorded, dy.op.name, type(dy) is Unrecorded
(True, 'add', False)
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Sequence
from typing import Any
from weakref import ref

from .backward import Pass, Send, Sends, backward, pull_any
from .graph import inputs
from .op import COPY, announce, hooks, unannounced
from .pullback import pullback
from .tensor import Tensor, Unrecorded, next_serial, skip_serials

#: In place of the number of an output: the adjoint of a source.
RESULT = -1


class _Rules(dict[int, Sends]):
    """What the user's rules sent, by the serial of the node. Only results keep it: the upstream gradients, from which it was
    computed, would close a circle."""

    __slots__ = ("__weakref__",)


class LazyPass:
    """A pass from targets to sources that runs on raw arrays, and again, recorded, when one of its results is used.

    since : a serial from before its upstream gradients. The other arguments are those of `pullback`.
    """

    def __init__(
        self, targets: Sequence[Tensor], upstreams: Sequence[Tensor], sources: Sequence[Tensor], cut: Collection[int],
        since: int,
    ) -> None:  # fmt: skip
        self._given, self._since = (targets, upstreams, sources, cut), since
        # What the pass made, by the serial of a node and the number of its output, or RESULT: an Unrecorded, its serial,
        # and an older one. Between the two serials are those of the nodes that it is recorded with.
        self._made: dict[tuple[int, int], tuple[ref[Any], int, int]] = {}

    def run(self) -> list[Tensor | None]:
        """Run the pass on raw arrays: the gradient of each source, None if no target depends on it."""
        targets, upstreams, sources, cut = self._given
        return pullback(targets, [u.value for u in upstreams], sources, cut, run=self._run)

    def record(self, used: Tensor) -> None:
        """Run the pass recorded: then all Tensors that it made have a record, also the one that was used."""
        with unannounced():
            pullback(*self._given, unreached=lambda y: None, run=lambda begun: self._record(begun, used))

    def _run(self, begun: Pass) -> dict[int, Any]:
        rules, results, left = _Rules(), dict[int, Tensor](), len(begun.order)
        self._rules = ref(rules)

        def make(serial: int, output: int, value: Any) -> Any:
            nonlocal left
            before = next_serial()
            skip_serials(left - len(begun.order))  # one for each node that was visited since
            left = len(begun.order)
            tensor: Any = object.__new__(Unrecorded)
            tensor.value, tensor.serial, tensor.record = value, next_serial(), self.record
            tensor.rules = rules if output == RESULT else None
            self._made[serial, output] = ref(tensor), tensor.serial, before
            if hooks:
                announce(tensor)
            return tensor

        def reach(source: Tensor, g: Any) -> Any:
            results[source.serial] = make(source.serial, RESULT, g)
            return g

        def pull(node: Tensor, op: Any, g: Any, needed: Collection[int], recorded: bool, send: Send) -> None:
            if not op.by_user:
                return pull_any(node, op, g, needed, recorded, send)
            sent = rules[node.serial] = []
            pull_any(node, op, _each(make, node, g), needed, True, lambda *message: sent.append(message))
            for i, argument, contribution in sent:
                send(i, argument, contribution.value)

        backward(begun, reach=reach, pull_others=pull)
        return results

    def _record(self, begun: Pass, used: Tensor) -> dict[int, Any]:
        rules, start = self._rules() or {}, next_serial()
        found: list[tuple[Any, Any]] = []  # an Unrecorded, and the Tensor in whose place it comes
        marks = [(start, 0, 0)]  # the serial at which it was found, and the two between which its nodes are

        def take(serial: int, output: int, g: Any) -> Any:
            tensor, newest, oldest = self._made[serial, output]
            marks.append((next_serial(), oldest, newest))
            if (held := tensor()) is None:
                return g
            found.append((held, g))
            return held

        def reach(source: Tensor, g: Any) -> Any:
            return take(source.serial, RESULT, g)

        def pull(node: Tensor, op: Any, g: Any, needed: Collection[int], recorded: bool, send: Send) -> None:
            if not op.by_user:
                return pull_any(node, op, g, needed, recorded, send)
            upstream = _each(take, node, g)
            if node.serial not in rules:  # all results are dropped, and an upstream gradient is used
                return pull_any(node, op, upstream, needed, True, send)
            for message in rules[node.serial]:
                send(*message)

        adjoints = backward(begun, reach=reach, pull_others=pull)
        taken = {id(tensor) for tensor, _ in found}
        for tensor, g in found:
            own = g.serial > self._since and id(g) not in taken
            tensor.become(*((g.op, g.args, g.kwargs) if own else (COPY, (g,), None)))
        for tensor in [held() for held, _, _ in self._made.values()]:
            if type(tensor) is Unrecorded:  # not reached again: it depends on nothing
                tensor.become(None, (), None)
        _number([tensor for tensor, _ in found], marks, used)
        return adjoints


def _each(f: Callable[[int, int, Any], Any], node: Tensor, g: Any) -> Any:
    """`f` of the adjoint of a node, or of each of its outputs."""
    if type(node.value) is tuple:
        return {i: f(node.serial, i, part) for i, part in g.items()}
    return f(node.serial, 0, g)


def _number(recorded: list[Tensor], marks: list[tuple[int, int, int]], used: Tensor) -> None:
    """Give the nodes of a recorded pass serials in the gaps that the first pass left, and the line of the user's."""
    notes = {name: getattr(used, name) for name in ("location", "call", "scope") if hasattr(used, name)}
    start = marks[0][0]
    stack = [a for tensor in recorded for a in inputs(tensor)]
    while stack:
        node: Any = stack.pop()
        if node.serial > start:  # else older, or numbered already
            k = bisect(marks, (node.serial,))
            (first, _, _), (last, oldest, newest) = marks[k - 1 : k + 1]
            node.serial = oldest + (newest - oldest) * (node.serial - first) / (last - first)
            for name, note in notes.items():
                setattr(node, name, note)
            stack += inputs(node)
