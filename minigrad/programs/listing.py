"""Record the NumPy calls of a run as a listing: each call is made, and becomes a line.

An op is a function of arrays. It also runs on stand-ins, and each NumPy call that it makes becomes a line. A program
therefore consists of the engine's own calls, and no op is described twice.

>>> listing = Listing()
>>> x = listing.add_input(np.array([1.0, 2.0]))
>>> y = np.exp(-np.abs(x))
>>> [line.function.__name__ for line in listing.lines], y.real_value
(['passed_in', 'absolute', 'negative', 'exp'], array([0.36787944, 0.13533528]))
"""

from __future__ import annotations

import operator
import threading
import weakref
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.support.error_words import file_and_line
from ..core.support.tensor_values import Placeholder
from ..tracing.names import path_in, same_bytes
from .instructions import Line, constant, each, passed_in, seed
from .refusals import LENGTH, LENGTH_BY_ARGUMENT, UNKNOWN_LENGTH, NotAProgram, user_frame, using_frame


class _Here(threading.local):
    """The listing that a thread is writing, if any."""

    listing: Any = None


here = _Here()


@contextmanager
def writing(listing: Any) -> Iterator[None]:
    """Write this thread's calls into a listing, inside a `with` block."""
    outer, here.listing = here.listing, listing
    try:
        yield
    finally:
        here.listing = outer


class Undecided(BaseException):
    """Raised if a stand-in for a Python number would become a key of a dict, a set or a cache.

    The function is run again with the number itself. This is not an Exception, because user code may catch Exceptions.
    """


class Fixed(NamedTuple):
    """A value that a program keeps: its name in the user's code (or ""), the value, and the user's line."""

    name: str
    value: Any
    line: int


class StandIn(Placeholder):
    """A substitute for an array or a number while a program is written.

    line : the line that computes the array or number. real_value : its value.
    """

    __slots__ = ("__weakref__", "line", "listing", "real_value")

    def __init__(self, listing: Listing, line: Line, value: Any) -> None:
        self.listing, self.line, self.real_value = listing, line, value
        listing.stand_ins_made.append(weakref.ref(self))

    def _do(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        return self.listing.call(function, args, kwargs)


#: "array" or "number" -> the class of stand-ins for an array or for a Python number.
STAND_INS: dict[str, type[StandIn]] = {}

#: Functions whose results depend only on shapes and dtypes.
_SHAPES = {np.shape, np.ndim, np.size, np.result_type, np.iscomplexobj, np.isrealobj, np.can_cast}


class Listing:
    """The NumPy calls that a function makes, recorded while it runs on stand-ins.

    lines : the calls, in the order of execution.
    refusals : the errors about code that a program cannot contain; the function may have caught them.
    decided : the lines of those Python numbers among the arguments whose values decided a branch.
    fixed : the constants that the program uses: arrays, and numbers that have a name.
    names : id of a constant -> its name.
    places : line -> its place in the user's code, if places are recorded.
    stand_ins_made : weak references to all stand-ins.
    closed : whether the stand-ins can no longer be used.
    """

    stand_ins: ClassVar = STAND_INS
    acts: ClassVar = {"raise", "call", "print", "log"}  # np.errstate settings that rule out a program

    def __init__(self, located: bool = False) -> None:
        self.lines: list[Line] = []
        self.fixed: list[Fixed] = []
        self.names: dict[int, str] = {}
        self.places: dict[Line, str] = {}
        self._located = located
        self.refusals: list[NotAProgram] = []
        self.decided: set[Line] = set()
        self.stand_ins_made: list[weakref.ref[StandIn]] = []
        self.closed = False
        self.notes: Any = None
        self.stand_ins_by_line: dict[Line, Any] | None = None  # line -> its stand-in; None while this is not needed
        self._constants: dict[Any, list[tuple[Any, Line]]] = {}

    def _new(self, line: Line) -> Line:
        self.lines.append(line)
        return line

    def add_input(self, value: Any) -> Any:
        """Return a stand-in for a value that is passed in when the program runs."""
        return self.stand_in(self._new(Line(passed_in, (), {}, value)), value)

    def stand_in(self, line: Line, value: Any) -> Any:
        return self.stand_ins["number" if type(value) in (int, float) else "array"](self, line, value)

    def constant(self, value: Any) -> Line:
        """Return a line for a fixed array or NumPy number; arrays are copied, so later changes have no effect."""
        # Equal constants share a line, so an array used in a loop is stored once; large ones are found by checksum.
        small = value.nbytes <= 512
        content = value.tobytes() if small else crc_of(value)
        same_hash = self._constants.setdefault((value.shape, value.strides, value.dtype, type(value), content), [])
        for copy, line in same_hash:
            if small or same_bytes(copy, value):
                return line
        line = self._new(Line(constant, (), {}, value))
        line.value = value if isinstance(value, np.generic) else _compact(value)
        same_hash.append((line.value, line))
        self._fix(value, line, line.value)
        return line

    def _fix(self, x: Any, key: Any, value: Any) -> None:
        """Record a constant that enters the program.

        key : the constant's line, or the number itself if it has no line.
        """
        frame = user_frame()
        name = self.names[id(key)] = path_in(frame, x)
        if name or np.ndim(x):
            self.fixed.append(Fixed(name, value, frame.f_lineno))

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """Make and record a call; return a stand-in for its result, or a tuple or list of stand-ins."""
        self.check_open()
        if not self.acts.isdisjoint(np.geterr().values()):
            error = NotAProgram("np.errstate or np.seterr reacts to floating-point errors, which depend on the numbers")
            self.refusals.append(error)
            raise error
        arguments = args, {k: v for k, v in (kwargs or {}).items() if v is not vars(np)["_NoValue"]}
        self._check(function, args)
        stand_ins = self.stand_ins_by_line
        if stand_ins is not None:
            each(lambda a: stand_ins.setdefault(a.line, a) if issubclass(type(a), StandIn) else None, arguments)
        real_args, options = each(real, arguments)
        value = function(*real_args, **options)
        if function in _SHAPES:
            return value
        if type(value) is np.ndarray and not value.shape:
            value = value[()]
        taken = each(self._line, arguments)
        line = self._new(Line(function, taken[0], taken[1], value))
        for x in args:
            if type(x) in (int, float) and function is not seed and id(x) not in self.names:
                self._fix(x, x, x)
        if self._located:
            frame = user_frame()
            self.places[line] = file_and_line(frame.f_code.co_filename, frame.f_lineno)
        if isinstance(value, (tuple, list)):
            parts = [
                self.stand_in(self._new(Line(operator.getitem, (line, i), {}, part)), part)
                for i, part in enumerate(value)
            ]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if not (isinstance(value, (np.ndarray, np.generic)) or type(value) in (int, float)):
            name = getattr(function, "__name__", "a function")
            what = f"{name} gives {value!r:.40}, a plain value that depends on the numbers"
            self.refuse(what, "write mg.where(condition, a, b), or decide outside")
        return self.stand_in(line, value)

    def _line(self, x: Any) -> Any:
        if issubclass(type(x), StandIn):
            return x.line
        return self.constant(x) if isinstance(x, (np.ndarray, np.generic)) else x

    def _check(self, function: Any, args: Any) -> None:
        if any(isinstance(a, FunctionType) for a in args):
            self.refuse(f"np.{function.__name__} calls a Python function", "write it with minigrad's ops")
        if function in LENGTH_BY_ARGUMENT:
            _fix(args[1:])
        by_array = function in LENGTH_BY_ARGUMENT and any(issubclass(type(a), STAND_INS["array"]) for a in args[1:])
        if by_array or function in UNKNOWN_LENGTH or (function is np.where and len(args) == 1):
            self.refuse(f"np.{function.__name__} returns a result whose length depends on the numbers", LENGTH)
        if function is operator.getitem:
            for key in args[1] if isinstance(args[1], tuple) else (args[1],):
                if issubclass(type(key), StandIn) and getattr(key.real_value, "dtype", np.dtype(int)).kind == "b":
                    self.refuse("an index picks elements by a condition, so its length depends on numbers", LENGTH)
                if type(key) is slice:  # Python numbers as bounds are fixed; computed bounds are checked in each run
                    _fix(key)

    def check_open(self) -> None:
        """Raise NotAProgram if the run has ended: the user's code has stored a stand-in and used it later."""
        if self.closed:
            raise NotAProgram(
                "this number stood for an argument while a function was written as a program, and the function stored "
                "it somewhere; return it from the function, and store it outside"
            )

    def refuse(self, what: str, instead: str) -> Any:
        """Raise NotAProgram, and name the line that is running in the user's code."""
        self.check_open()
        frame, inner = user_frame(), using_frame()
        where = f"{frame.f_code.co_name} ({file_and_line(frame.f_code.co_filename, frame.f_lineno)})"
        error = NotAProgram(f"{where} cannot be written as a program: {what}; {instead}")
        if not inner.f_globals.get("__name__", "").startswith("minigrad.ops"):  # an op becomes one line instead
            self.refusals.append(error)
        raise error


def _fix(x: Any) -> None:
    """Record that the program is valid only for the present values of the stand-ins for Python numbers in `x`."""
    each(lambda a: a.decide() if issubclass(type(a), STAND_INS["number"]) else None, x)


def real(x: Any) -> Any:
    """Return the array or number behind a stand-in; return everything else unchanged."""
    return x.real_value if issubclass(type(x), StandIn) else x


def crc_of(array: Any) -> int:
    """Return a checksum of an array's bytes."""
    return zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def _compact(value: Any) -> Any:
    """Return a copy of an array; if all elements of a longer array are equal, copy one and broadcast it."""
    if value.size > 64:
        first = np.broadcast_to(value[(0,) * value.ndim], value.shape)
        if same_bytes(value[..., :8], first[..., :8]) and same_bytes(value, first):
            return np.broadcast_to(np.array(first[(0,) * value.ndim]), value.shape)
    return value.copy(order="K")
