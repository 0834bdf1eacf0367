"""Gradients that can be differentiated again, at the price of a pass on raw arrays: they are recorded when needed.

Few gradients are differentiated again, and a recorded pass takes up to twice the time and three times the memory. So
`gradients` runs a pass on raw arrays, and returns Tensors that are not recorded yet: the first use of their `op` or
`args` runs the same pass again, recorded. The user's own rules are called in the first pass only, with upstream
gradients that are not recorded yet either; the second pass takes what these calls returned. Where a rule uses the
record of its upstream gradient, the pass is recorded up to there, and goes on as a recorded one. Where only an upstream
gradient is left that a rule has kept, and no result, the rules on the way to it are called again.

>>> from minigrad import constant, gradients
>>> x = constant(3.0)
>>> (dy,) = gradients(x * x, x)
>>> type(dy) is Unrecorded, dy.op.name, type(dy) is Unrecorded
(True, 'add', False)
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple
from weakref import ref

from .backward import Pass, Sends, backward, messages_of, pullback, unshared
from .graph import inputs
from .op import COPY, announce, as_leaf, hooks, record, unannounced
from .scattered import Collected
from .tensor import Tensor, Unrecorded, next_serial, notes_of

_new: Any = object.__new__


class _Rules(dict[int, Sends]):
    """What the user's rules sent, by the serial of the node.

    Only results keep it: the upstream gradients, from which it was computed, would close a circle.
    """

    __slots__ = ("__weakref__",)


class _Begun(NamedTuple):
    """A recorded pass that has arrived at a node: the nodes that are left, and the adjoints of sources before it."""

    begun: Pass
    left: list[Tensor]
    found: dict[int, Any]

    def tensors(self) -> list[Tensor]:
        """The Tensors that have arrived at nodes."""
        arrived: list[Tensor] = []
        for total in self.begun.adjoints.sums.values():
            several = isinstance(total, dict) or type(total) is Collected
            arrived += [total] if not several else total.values() if isinstance(total, dict) else total.parts
        return arrived

    def go_on(self, node: Tensor, sent: Sends) -> dict[int, Any]:
        """Run the rest of the pass, from what the node sent on."""
        add = self.begun.adjoints.adder()
        for message in sent:
            add(node, *message)
        self.begun.order.extend(self.left)
        return self.found | backward(self.begun)


class LazyPass:
    """A pass from targets to sources that runs on raw arrays, and again, recorded, when one of its results is used.

    given : targets, upstream gradients, sources and serials to cut, as for `pullback`.
    since : a serial from before its upstream gradients.
    """

    _rules: Any
    _results: Sequence[ref[Any] | None] = ()  # one for each source
    _begun: _Begun | None = None  # where a rule has used the record of its upstream gradient

    def __init__(
        self, given: tuple[Sequence[Tensor], Sequence[Tensor], Sequence[Tensor], Collection[int]], since: int
    ) -> None:
        self._given, self._since = given, since
        self._lent = [upstream.value for upstream in given[1]]
        #: For each node with a rule of the user's the upstream gradients, by its serial and the numbers of the outputs.
        self._upstreams: dict[tuple[int, int], ref[Any]] = {}
        # Serials for the nodes that are recorded up to each call of a rule, and for those after: from each of these to
        # the next whole number, which is another Tensor's.
        self._gaps: list[int] = []

    def run(self) -> list[Tensor | None]:
        """Run the pass on raw arrays: the gradient of each source, None if no target depends on it."""
        rules, record, gaps, upstreams = _Rules(), self.record, self._gaps, self._upstreams
        self._rules = ref(rules)

        def make(value: Any, rules: _Rules | None) -> Any:
            tensor = _new(Unrecorded)
            tensor.value, tensor.serial, tensor.record, tensor.rules = value, next_serial(), record, rules
            if hooks:
                announce(tensor)
            return tensor

        def on_arrays(begun: Pass) -> dict[int, Any]:
            last: Any = None

            def messages(node: Tensor, op: Any, g: Any, needed: Collection[int], recorded: bool) -> Sends:
                if not op.by_user:
                    return messages_of(node, op, g, needed, recorded)
                gaps.append(next_serial())
                if type(node.value) is tuple:
                    upstream = {i: make(part, None) for i, part in g.items()}
                    upstreams.update(((node.serial, i), ref(tensor)) for i, tensor in upstream.items())
                else:
                    upstream = make(g, None)
                    upstreams[node.serial, 0] = ref(upstream)
                sent = rules[node.serial] = messages_of(node, op, upstream, needed, True)
                if self._begun is not None:
                    nonlocal last
                    last = node, sent
                    begun.order.clear()
                return [(i, argument, contribution.value) for i, argument, contribution in sent]

            found = backward(begun, messages=messages)
            return found if self._begun is None else self._begun.go_on(*last)

        targets, _, sources, cut = self._given
        values = unshared(pullback(targets, self._lent, sources, cut, run=on_arrays), self._lent)
        if self._begun is not None:
            return values
        gaps.append(next_serial())
        results = [None if value is None else make(value, rules) for value in values]
        self._results = [None if result is None else ref(result) for result in results]
        return results

    def record(self, used: Tensor) -> None:
        """Run the pass recorded: then all Tensors that it made have a record, also the one that was used."""
        rules, start = self._rules() or {}, next_serial()
        # Each Unrecorded takes the place of a node of this pass: both by the id of the node, and the node by its id.
        places: dict[int, tuple[Any, Tensor]] = {}
        nodes: dict[int, Tensor] = {}
        ends: list[int] = []  # for each gap, a serial after those of the nodes that belong there
        left: list[Tensor] = []
        waiting = {id(tensor) for known in self._upstreams.values() if type(tensor := known()) is Unrecorded}

        def place(tensor: Any, g: Any) -> None:
            """Let an Unrecorded take the place of `g`; of a copy, if `g` is older than the pass."""
            if type(tensor) is not Unrecorded:  # dropped
                return
            if g is None:
                g = as_leaf(tensor.value)
            elif g.serial <= self._since:
                g = record(COPY, g.value, (g,))
            elif g.serial < start or id(g) in places:  # it is in use: another node with its serial stands for the same
                alias = record(g.op, g.value, g.args, g.kwargs)
                alias.serial = g.serial
                for name, note in notes_of(g):
                    setattr(alias, name, note)
                g = alias
            nodes[id(tensor)] = g
            places[id(g)] = tensor, g

        def recorded(begun: Pass) -> dict[int, Any]:
            def messages(node: Tensor, op: Any, g: Any, needed: Collection[int], recorded: bool) -> Sends:
                if not op.by_user:
                    return messages_of(node, op, g, needed, recorded)
                for i, part in _outputs(node, g):
                    place(self._upstreams[node.serial, i](), part)
                ends.append(next_serial())
                if node.serial in rules:  # a rule may return its upstream gradient
                    return [(i, argument, nodes.get(id(sent), sent)) for i, argument, sent in rules[node.serial]]
                if waiting - nodes.keys():  # all results are dropped, but upstream gradients are used
                    return messages_of(node, op, g, needed, recorded)
                # The last of them; or the first pass is here, at a rule that uses its upstream gradient.
                left[:] = begun.order
                begun.order.clear()
                return []

            found = backward(begun, messages=messages)
            if not self._results:
                self._begun = _Begun(begun, left, found)
            return found

        with unannounced():
            found = unshared(pullback(*self._given, unreached=lambda y: None, run=recorded), self._lent)
            for held, g in zip(self._results, found):
                place(held and held(), g)
        ends.append(next_serial())
        new = [node for _, node in places.values()] + (self._begun.tensors() if self._begun is not None else [])
        self._number(new, places, start, ends, used)
        for tensor, node in places.values():
            tensor.become(node)

    def _number(self, new: list[Any], places: dict[int, Any], start: int, ends: list[int], used: Tensor) -> None:
        """Give new nodes, and those behind them, serials in the gaps, in their order, and the line that `used` has."""
        notes = notes_of(used)
        while new:
            node = new.pop()
            if node.serial < start:  # older, or numbered already
                continue
            args = node.args  # before the serial, which it may change
            k = bisect(ends, node.serial)
            begin = ends[k - 1] if k else start
            node.serial = self._gaps[k] + (node.serial - begin) / (ends[k] - begin)
            for name, note in notes:
                if not hasattr(node, name):
                    setattr(node, name, note)
            new += inputs(node)
            if not places.keys().isdisjoint(map(id, args)):
                node.args = tuple([places[id(a)][0] if id(a) in places else a for a in args])


def _outputs(node: Tensor, g: Any) -> Iterable[tuple[int, Any]]:
    """The adjoint of each output of a node."""
    return g.items() if type(node.value) is tuple else [(0, g)]
