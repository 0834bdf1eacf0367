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
from collections.abc import Collection, Sequence
from threading import RLock
from typing import Any, NamedTuple
from weakref import ref

from .backward import Pass, Send, Sends, backward, pull_any
from .graph import ancestors
from .op import COPY, announce, hooks, unannounced
from .pullback import pullback
from .tensor import Tensor, next_serial, skip_serials

_lock = RLock()  # two threads may need one record at a time


class Unrecorded(Tensor):
    """A Tensor made by a pass on raw arrays. It becomes an ordinary one when its op or its arguments are first used.

    lazy : the LazyPass that made it. rules : what the user's rules returned in that pass. They are held in the slots of
        op and args, which are free until then.
    """

    __slots__ = ()
    lazy: Any = Tensor.op
    rules: Any = Tensor.args
    op: Any = property(lambda self: _recorded(self).op)
    args: Any = property(lambda self: _recorded(self).args)
    kwargs: Any = property(lambda self: _recorded(self).kwargs)


Unrecorded.__name__ = Unrecorded.__qualname__ = "Tensor"  # as it is called in messages


def _recorded(tensor: Any) -> Tensor:
    with _lock:
        if type(tensor) is Unrecorded:  # else another thread was faster
            tensor.lazy.record(tensor)
    return tensor


class _Made(NamedTuple):
    """An Unrecorded, its serial, and the serial of what was made before the nodes that it is recorded with."""

    tensor: ref[Any]
    serial: int
    before: int


class _Rules(dict[int, Sends]):
    """What the user's rules sent, by the serial of the node. Only results hold it: the upstream gradients, from which the
    rules computed, would close a circle."""

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
        self._made: dict[tuple[int, int], _Made] = {}  # by the serial of a node and the number of the output, or RESULT
        self._rules: Any = None

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

        def make(key: tuple[int, int], value: Any) -> Any:
            nonlocal left
            before = next_serial()
            skip_serials(left - len(begun.order))  # one for each node that was visited since
            left = len(begun.order)
            tensor: Any = object.__new__(Unrecorded)
            tensor.value, tensor.serial, tensor.lazy = value, next_serial(), self
            tensor.rules = rules if key[1] == RESULT else None
            self._made[key] = _Made(ref(tensor), tensor.serial, before)
            if hooks:
                announce(tensor)
            return tensor

        def reach(source: Tensor, g: Any) -> Any:
            results[source.serial] = make((source.serial, RESULT), g)
            return g

        def pull(node: Tensor, op: Any, g: Any, needed: Collection[int], recorded: bool, send: Send) -> None:
            if not op.by_user:
                return pull_any(node, op, g, needed, recorded, send)
            several = type(node.value) is tuple
            upstream = {i: make((node.serial, i), part) for i, part in (g if several else {0: g}).items()}
            sent = rules[node.serial] = []
            pull_any(node, op, upstream if several else upstream[0], needed, True, lambda *m: sent.append(m))
            for i, argument, contribution in sent:
                send(i, argument, contribution.value)

        backward(begun, reach=reach, pull_others=pull)
        return results

    def _record(self, begun: Pass, used: Tensor) -> dict[int, Any]:
        rules = self._rules() or {}
        start = next_serial()
        found: list[tuple[Any, Any]] = []  # a Tensor, and the recorded one in whose place it comes
        marks: list[tuple[int, _Made]] = []  # the serials at which they were found

        def take(key: tuple[int, int], g: Any) -> Any:
            made = self._made[key]
            marks.append((next_serial(), made))
            tensor = made.tensor()
            if tensor is None:
                return g
            found.append((tensor, g))
            return tensor

        def reach(source: Tensor, g: Any) -> Any:
            return take((source.serial, RESULT), g)

        def pull(node: Tensor, op: Any, g: Any, needed: Collection[int], recorded: bool, send: Send) -> None:
            if not op.by_user:
                return pull_any(node, op, g, needed, recorded, send)
            several = type(node.value) is tuple
            upstream = {i: take((node.serial, i), part) for i, part in (g if several else {0: g}).items()}
            if node.serial not in rules:  # all results are dropped, and an upstream gradient is used
                return pull_any(node, op, upstream if several else upstream[0], needed, True, send)
            for message in rules[node.serial]:
                send(*message)

        adjoints = backward(begun, reach=reach, pull_others=pull)
        new = ancestors([g for _, g in found], enter=lambda node: node.serial > start)
        self._number([node for node in new if node.serial > start], start, marks, used)
        known = {id(tensor) for tensor, _ in found}
        for tensor, g in found:
            own = g.serial > self._since and id(g) not in known
            _become(tensor, *((g.op, g.args, g.kwargs) if own else (COPY, (g,), None)))
        for made in self._made.values():
            if type(tensor := made.tensor()) is Unrecorded:  # not reached again: it depends on nothing
                _become(tensor, None, (), None)
        return adjoints

    def _number(self, new: list[Tensor], start: int, marks: list[tuple[int, _Made]], used: Tensor) -> None:
        """Give the nodes of the recorded pass serials in the gaps, in their order, and the line that asked for it."""
        serials = [start, *(serial for serial, _ in marks)]
        for node in new:
            k = bisect(serials, node.serial)
            made = marks[k - 1][1]
            part = (node.serial - serials[k - 1]) / (serials[k] - serials[k - 1])
            node.serial = made.before + part * (made.serial - made.before)  # type: ignore[assignment]
            for note in ("location", "call", "scope"):
                if hasattr(used, note):
                    setattr(node, note, getattr(used, note))


#: In place of the number of an output: the adjoint of a source.
RESULT = -1


def _become(tensor: Any, op: Any, args: Any, kwargs: Any) -> None:
    tensor.__class__ = Tensor
    tensor.op, tensor.args, tensor.kwargs = op, args, kwargs
