"""Run a function on stand-ins: its calls are written down, and what cannot be part of a program is refused.

Notes for the names in the text are taken during the run; see `naming`.
"""

from __future__ import annotations

import operator
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.calling import writers
from ..core.custom_call import as_leaf
from ..core.op import record
from ..core.scattered import repeats
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from ..transforms.jacobians import row_makers
from . import arguments, lines
from .lines import Line
from .listing import STAND_INS, Listing, StandIn, here
from .naming import Notes
from .rows import rows_at_once
from .standins import Array, Number

STAND_INS |= {"array": Array, "number": Number}


class Recording:
    """One run of `f` on stand-ins for its arguments.

    inputs : the line of each leaf of the arguments that is read anew; None for a number whose index is in `decided`,
        which is passed as it is, because code branches on it. names : the names of these leaves.
    variables : the Variables that were read, each with its line. result : the result of `f`, with stand-ins in it.
    """

    def __init__(
        self, f: Callable[..., Any], args: Any, kwargs: Any, names: Sequence[str], decided: Any = (),
        named: bool = False,
    ) -> None:  # fmt: skip
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
        """The indices of the leaves on whose values code branched: the program is valid for these values only."""
        return frozenset(i for i, line in enumerate(self.inputs) if line is None or line in self.listing.decided)

    def read(self, variable: Variable) -> tuple[Any, Tensor]:
        """The stand-in for the value of a Variable, which each run reads anew, and the node that reads it."""
        if id(variable) not in self._reads:
            stand_in = self.listing.given(_VALUE.__get__(variable))
            self.variables.append((variable, stand_in.line))
            self._reads[id(variable)] = stand_in, record(READ, stand_in, (variable,))
        return self._reads[id(variable)]


def as_one_line(op: Any, values: Any, kwargs: Any) -> Any:
    """The result of an op that takes plain arrays only, whose function one line calls; None without stand-ins."""
    found = [v for v in (*values, *(kwargs or {}).values()) if issubclass(type(v), StandIn)]
    found += [k for v in values if isinstance(v, tuple) for k in v if issubclass(type(k), StandIn)]
    if not found:
        return None
    function = {"getitem": operator.getitem, "index_set": lines.index_set}.get(op.name, op.fn)
    if op.name == "index_add":
        function = lines.index_add_each if repeats(values[1]) else lines.index_add
    return found[0].listing.call(function, tuple(values), kwargs)


# While a program is written, reads and assignments of Tensors and Variables are recorded, by thread.

_VALUE, _READ, _ASSIGN = Tensor.__dict__["value"], Variable.__dict__["_read"], Variable.assign


@contextmanager
def watching(**state: Any) -> Iterator[None]:
    """Set the attributes of `here` in the block: with a recording, this thread writes a program."""
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
    """Count the threads that write a program. While there are any, the attributes in `_WATCHED` are replaced."""
    with _lock:
        _count[0] += step
        if _count[0] == (1 if step > 0 else 0):
            for kind, name, original, recorded in _WATCHED:
                setattr(kind, name, recorded if step > 0 else original)
            writers[:] = [as_one_line] if step > 0 else []
            row_makers[:] = [rows_at_once] if step > 0 else []


def _value(self: Tensor) -> Any:
    recording = here.recording
    read = recording is not None and type(self) is Variable
    value = recording.read(self)[0] if read else _VALUE.__get__(self)
    if recording is not None and issubclass(type(value), StandIn) and _read_by_user():
        value.detach()
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
