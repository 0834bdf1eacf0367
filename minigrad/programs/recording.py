"""A run of a function on stand-ins: what it computes is written down, what no program can hold is refused."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.calling import writers
from ..core.custom_call import as_leaf
from ..core.op import record as recorded
from ..core.tensor import Tensor, next_serial
from ..core.variable import READ, Variable
from ..transforms.jacobians import row_makers
from . import arguments
from .lines import Line
from .listing import Listing, StandIn, here
from .notes import Notes
from .rows import rows_at_once
from .standins import whole

_VALUE, _READ, _ASSIGN = Tensor.__dict__["value"], Variable.__dict__["_read"], Variable.assign


class Recording:
    """One run of `f` on stand-ins for its arguments.

    inputs : for each leaf of the arguments that is read anew, its line; None for a number that decides, which is given
        as it is.
    variables : the Variables that were read, each with its line.
    result : what `f` returned, with stand-ins in it.
    """

    def __init__(
        self, f: Callable[..., Any], args: Any, kwargs: Any, names: Sequence[str], fixed: Any = (), named: bool = False
    ) -> None:
        self.since = next_serial()
        self.given: list[Tensor] = []  # the stand-ins for the Tensors among the arguments
        self.f, self.listing = f, Listing()
        self.notes = Notes(self.listing)
        self.inputs: list[Line | None] = []
        self.names: list[str] = []  # what the inputs are called
        self.variables: list[tuple[Variable, Line]] = []
        self._variables: dict[int, list[Any]] = {}  # by id: the stand-in, and the node that reads it
        self.fixed = frozenset(fixed)
        given = (tuple(args), dict(kwargs))
        parts = [leaf for name, x in zip(names, (*args, *kwargs.values())) for leaf in arguments.leaves(x, name)]
        leaves = [self._stand_in(x, name) if arguments.is_input(x, name) else x for name, x in parts]
        again, options = arguments.rebuild(given, iter(leaves))
        before = arguments.nesting((again, options), id)
        with writing(self.listing, self), self.notes.taking(named):
            self.result = f(*again, **options)
            if arguments.nesting((again, options), id) != before:
                self.listing.refuse("it changes a list or dict among its arguments", "return the new one")
        if self.listing.refusals:  # the function may have caught it
            raise self.listing.refusals[0]

    def _stand_in(self, x: Any, name: str) -> Any:
        i = len(self.inputs)
        if i in self.fixed:
            self.inputs.append(None)
            self.names.append(name)
            return x
        given = self.listing.given(x.value if isinstance(x, Tensor) else x)
        self.inputs.append(given.line)
        self.names.append(name)
        if not isinstance(x, Tensor):
            return given
        tensor = as_leaf(given)
        self.given.append(tensor)
        return tensor

    def decided(self) -> frozenset[int]:
        """The numbers of the leaves whose values decided something: the program holds for these values alone."""
        return frozenset(i for i, line in enumerate(self.inputs) if line is None or line in self.listing.decided)

    # Variables are read anew by the program, so while the function runs their values are stand-ins.

    def read(self, variable: Variable) -> list[Any]:
        if id(variable) not in self._variables:
            stand_in = self.listing.given(_VALUE.__get__(variable))
            self.variables.append((variable, stand_in.line))
            self._variables[id(variable)] = [stand_in, recorded(READ, stand_in, (variable,))]
        return self._variables[id(variable)]


@contextmanager
def writing(listing: Listing, recording: Recording | None = None) -> Iterator[None]:
    """While the block runs, this thread writes a program."""
    before = here.listing, here.recording
    with _watched:
        here.listing, here.recording = listing, recording
        try:
            yield
        finally:
            here.listing, here.recording = before


class _Watch:
    """While it is entered, in any thread, Tensors look for a recording of their thread when they are read or assigned.

    What is exchanged for that, and put back at the end, stands in `_WATCHED`: attributes of Tensor and Variable.
    """

    def __init__(self) -> None:
        self._lock, self._count = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            self._count += 1
            if self._count == 1:
                writers.append(whole)
                row_makers.append(rows_at_once)
                for kind, name, _, guarded in _WATCHED:
                    setattr(kind, name, guarded)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                writers.remove(whole)
                row_makers.remove(rows_at_once)
                for kind, name, original, _ in _WATCHED:
                    setattr(kind, name, original)


_watched = _Watch()


@contextmanager
def reading(variables: Sequence[Variable], nodes: Sequence[Tensor]) -> Iterator[None]:
    """While the block runs, one of the Variables that is read has the value of the node in its place."""
    before = here.nodes
    with _watched:
        here.nodes = {**before, **{id(v): node for v, node in zip(variables, nodes)}}
        try:
            yield
        finally:
            here.nodes = before


def _now() -> Any:
    return here.recording


def _value(self: Tensor) -> Any:
    recording = _now()
    if type(self) is Variable and id(self) in here.nodes:
        value = _VALUE.__get__(here.nodes[id(self)])
    elif type(self) is Variable and recording is not None:
        value = recording.read(self)[0]
    else:
        value = _VALUE.__get__(self)
    if recording is not None and issubclass(type(value), StandIn) and _read_by_user():
        value.leave()
    return value


def _read_by_user() -> bool:
    name = sys._getframe(2).f_globals.get("__name__", "")
    return not name.startswith("minigrad.") and name not in ("minigrad", "copy")


def _set(self: Tensor, value: Any) -> None:
    if type(self) is Variable and _now() is not None:
        known = getattr(self, "name", "")
        if known:
            _now().listing.refuse(f"it assigns the Variable {known}", "return the new value and assign it outside")
        _now().listing.refuse("it makes a Variable", "make it outside, once")
    _VALUE.__set__(self, value)


def _node(self: Variable) -> Any:
    if id(self) in here.nodes:
        return here.nodes[id(self)]
    return _READ.__get__(self) if _now() is None else _now().read(self)[1]


def _assign(self: Variable, value: Any) -> Variable:
    if _now() is not None:
        _set(self, value)
    return _ASSIGN(self, value)


def _made(name: str) -> Any:
    """How a Tensor was made: `op` or `args`, which differ for the Tensors that a program may be called with."""
    slot = Tensor.__dict__[name]

    def get(self: Tensor) -> Any:
        found = slot.__get__(self)
        if _now() is not None and any(self is t for t in _now().given) and self.dtype.kind == "f" and _read_by_user():
            _now().listing.refuse(f"it looks at how an argument was made (.{name})", "decide that outside")
        return found

    return Tensor, name, slot, property(get, slot.__set__)


_WATCHED = (
    (Tensor, "value", _VALUE, property(_value, _set)),
    (Variable, "_read", _READ, property(_node, _READ.__set__)),
    (Variable, "assign", _ASSIGN, _assign),
    _made("op"),
    _made("args"),
)
