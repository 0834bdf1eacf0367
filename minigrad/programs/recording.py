"""A run of a function on stand-ins: what it computes is written down, what no program can hold is refused.

Notes are taken on the way for the reader: what the user calls the lines, and where gradients pass.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from ..core.backward import backward
from ..core.calling import writers
from ..core.custom_call import CustomCall, as_leaf
from ..core.op import hooks, record
from ..core.pullback import passes
from ..core.scattered import Scattered
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from ..tracing.names import looking
from ..transforms.jacobians import row_makers
from . import arguments
from .lines import Line, seed
from .listing import Listing, StandIn, here
from .rows import rows_at_once
from .standins import whole


class NotedSend(NamedTuple):
    """A message to argument `number` of a node, which the node with serial `to` gets. line : None if fixed."""

    number: int
    to: int
    line: Line | None


class NotedStep(NamedTuple):
    """A step of a backward pass: the node, what arrived there, what it sends, and which lines were written for it."""

    node: int
    op: str
    value: Line | None
    rule: str
    upstream: Line | None
    sends: list[NotedSend]
    begin: int
    end: int


class Notes:
    """What is noted while lines are written.

    names : what the user calls a line. nodes : (serial, line) for each Tensor that was made. steps : of all passes.
    """

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        listing.notes = self
        self.names: dict[Line, str] = {}
        self.nodes: list[tuple[int, Line]] = []
        self.steps: list[NotedStep] = []

    @contextmanager
    def taking(self, named: bool = False) -> Iterator[None]:
        """While the block runs, notes are taken; `named` : also of the names of local variables, which is slow."""
        hooks.append(self._node)
        passes.append(self.steps_of)
        found: dict[Any, str] = {}
        try:
            with looking(found, _key) if named else nullcontext():
                yield
        finally:
            passes.remove(self.steps_of)
            hooks.remove(self._node)
            by_serial = dict(self.nodes)
            for key, name in found.items():
                line = by_serial.get(key) if isinstance(key, int) else key
                if line is not None:
                    self.names[line] = name

    def _node(self, node: Tensor) -> None:
        line = line_of(node)
        if line is not None and here.listing is self.listing:
            self.nodes.append((node.serial, line))

    def steps_of(
        self, targets: Any, upstreams: Any, sources: Any, cut: Any = (), unreached: Any = None
    ) -> Iterator[Any]:
        """A backward pass; upstream gradients that are known are lines of their own, so that one sees them."""
        if here.listing is not self.listing:  # of another thread
            yield from backward(targets, upstreams, sources, cut, unreached)
            return
        lines = self.listing.lines
        begin = len(lines)
        steps = backward(targets, [self._seed(u) for u in upstreams], sources, cut, unreached)
        del targets, upstreams
        for node, upstream, sends in steps:
            found = [NotedSend(i, a.serial, line_of(c)) for i, a, c in sends if not isinstance(a.value, tuple)]
            arrived = None if isinstance(upstream, dict) else line_of(upstream)
            name, end = node.op.name if node.op else "", len(lines)
            self.steps.append(NotedStep(node.serial, name, line_of(node), _rule(node), arrived, found, begin, end))
            begin = len(lines)
            yield node, upstream, sends
            del node, upstream, sends

    def _seed(self, upstream: Any) -> Any:
        tensor = isinstance(upstream, Tensor)
        value = upstream.value if tensor else upstream
        if not isinstance(value, (np.ndarray, np.generic)) or line_of(value) or (tensor and upstream.op is not None):
            return upstream
        found = self.listing.call(seed, (value,))
        return as_leaf(found) if tensor else found


def line_of(x: Any) -> Line | None:
    """The line that gives the value of a Tensor, or what a stand-in stands for."""
    part = x.value if isinstance(x, Scattered) else x
    value = part.value if isinstance(part, Tensor) else part
    return value.line if issubclass(type(value), StandIn) else None


def _rule(node: Tensor) -> str:
    return f"{getattr(node.op.grad_fn, '__name__', 'rule')} of {node.op.name}" if type(node.op) is CustomCall else ""


def _key(x: Any) -> Any:
    return x.serial if isinstance(x, Tensor) else x.line if issubclass(type(x), StandIn) else None


class Recording:
    """One run of `f` on stand-ins for its arguments.

    inputs : for each leaf of the arguments that is read anew, its line; None for a number that decides, one of those
        numbered in `decided`, which is given as it is. names : what they are called.
    variables : the Variables that were read, each with its line. result : what `f` returned, with stand-ins in it.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        args: Any,
        kwargs: Any,
        names: Sequence[str],
        decided: Any = (),
        named: bool = False,
    ) -> None:
        self.listing = Listing()
        self.notes = Notes(self.listing)
        self.inputs: list[Line | None] = []
        self.names: list[str] = []
        self.variables: list[tuple[Variable, Line]] = []
        self._reads: dict[int, tuple[Any, Tensor]] = {}  # by the id of a Variable: the stand-in, and the node
        parts = [leaf for name, x in zip(names, (*args, *kwargs.values())) for leaf in arguments.leaves(x, name)]
        leaves = [self._stand_in(x, name, decided) if arguments.is_input(x, name) else x for name, x in parts]
        again, options = given = arguments.rebuild((tuple(args), dict(kwargs)), iter(leaves))
        before = [(path, id(x)) for path, x in arguments.leaves(given)]
        with watching(listing=self.listing, recording=self), self.notes.taking(named):
            self.result = f(*again, **options)
            if [(path, id(x)) for path, x in arguments.leaves(given)] != before:
                self.listing.refuse("it changes a list or dict among its arguments", "return the new one")
        if self.listing.refusals:  # the function may have caught it
            raise self.listing.refusals[0]

    def _stand_in(self, x: Any, name: str, decided: Any) -> Any:
        self.names.append(name)
        if len(self.inputs) in decided:
            self.inputs.append(None)
            return x
        given = self.listing.given(x.value if isinstance(x, Tensor) else x)
        self.inputs.append(given.line)
        return as_leaf(given) if isinstance(x, Tensor) else given

    def decided(self) -> frozenset[int]:
        """The numbers of the leaves whose values decided something: the program holds for these values alone."""
        return frozenset(i for i, line in enumerate(self.inputs) if line is None or line in self.listing.decided)

    def read(self, variable: Variable) -> tuple[Any, Tensor]:
        """What stands for the value of a Variable, which the program reads anew, and the node that reads it."""
        if id(variable) not in self._reads:
            stand_in = self.listing.given(_VALUE.__get__(variable))
            self.variables.append((variable, stand_in.line))
            self._reads[id(variable)] = stand_in, record(READ, stand_in, (variable,))
        return self._reads[id(variable)]


# While a program is written Tensors and Variables look, when they are read or assigned, at what their thread writes.

_VALUE, _READ, _ASSIGN = Tensor.__dict__["value"], Variable.__dict__["_read"], Variable.assign


@contextmanager
def watching(**state: Any) -> Iterator[None]:
    """While the block runs, this thread writes a program: see `here`."""
    before = {name: getattr(here, name) for name in state}
    _watch(1)
    here.__dict__.update(state)
    try:
        yield
    finally:
        here.__dict__.update(before)
        _watch(-1)


_lock, _count = threading.Lock(), [0]


def _watch(step: int) -> None:
    """Count the threads that write. While there is one, attributes are exchanged for those that look, by `_WATCHED`."""
    with _lock:
        _count[0] += step
        if _count[0] == (1 if step > 0 else 0):
            for kind, name, original, looking in _WATCHED:
                setattr(kind, name, looking if step > 0 else original)
            writers[:] = [whole] if step > 0 else []
            row_makers[:] = [rows_at_once] if step > 0 else []


def _value(self: Tensor) -> Any:
    recording = here.recording
    read = recording is not None and type(self) is Variable
    value = recording.read(self)[0] if read else _VALUE.__get__(self)
    if recording is not None and issubclass(type(value), StandIn) and _read_by_user():
        value.leave()
    return value


def _read_by_user() -> bool:
    name = sys._getframe(2).f_globals.get("__name__", "")
    return not name.startswith("minigrad.") and name not in ("minigrad", "copy")


def _set(self: Tensor, value: Any) -> None:
    if type(self) is Variable and here.recording is not None:
        if getattr(self, "name", ""):
            here.listing.refuse(f"it assigns the Variable {self.name}", "return the new value and assign it outside")
        here.listing.refuse("it makes a Variable", "make it outside, once")
    _VALUE.__set__(self, value)


def _node(self: Variable) -> Any:
    return _READ.__get__(self) if here.recording is None else here.recording.read(self)[1]


def _assign(self: Variable, value: Any) -> Variable:
    if here.recording is not None:
        _set(self, value)
    return _ASSIGN(self, value)


_WATCHED = (
    (Tensor, "value", _VALUE, property(_value, _set)),
    (Variable, "_read", _READ, property(_node, _READ.__set__)),
    (Variable, "assign", _ASSIGN, _assign),
)
