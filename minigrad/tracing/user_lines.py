"""The user's line that created a node, the calls around that line, and the sizes of Variables at each assignment.

Recording them takes time, so recording starts with the first picture.
"""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ..core.support.error_words import file_and_line, visible
from ..core.support.observers import created, observe, unobserve
from ..core.support.user_frames import OWN, Location, line_number, user_frame
from ..core.tensor import Tensor


@dataclass(frozen=True)
class SourceLine:
    """A source line: the `file` as it is shown to users, the number of the line, and its text."""

    file: str
    no: int
    text: str

    def __post_init__(self) -> None:
        for name in ("file", "text"):
            object.__setattr__(self, name, visible(getattr(self, name)))

    @property
    def where(self) -> str:
        """`file.py:12`, or `cell line 12` in a notebook."""
        return f"{self.file} line {self.no}" if self.file == "cell" else f"{self.file}:{self.no}"


def remember_lines(on: bool = True) -> None:
    """Switch recording on or off.

    While recording is on, every new Tensor remembers the line that created it and the calls around that line. Every
    Variable remembers its size at each assignment.

    >>> from minigrad import constant
    >>> remember_lines()
    >>> y = constant(1.0) + 1
    >>> remember_lines(False)
    >>> isinstance(line_of(y), SourceLine)
    True
    """
    while _locate in created:
        unobserve(created=_locate, assigned=_note_size)
    if on:
        observe(created=_locate, assigned=_note_size)


def _locate(node: Tensor) -> None:
    """Store the user's line that is creating `node`, and the function call around the line, on the node."""
    frame = user_frame(4)  # the nearest callers are frames of the engine, which calls this observer
    node.location = frame.f_code, frame.f_lasti
    node.call = call_in(frame)


def line_of(node: Tensor) -> SourceLine | None:
    """Return the line that created `node`, or None if it was not remembered."""
    location = getattr(node, "location", None)
    return None if location is None else line_at(location)


def line_at(location: Location) -> SourceLine:
    """Return the source line of a location, which is a code object and the offset of an instruction in it."""
    # Code objects from two files may compare equal, so the file name is passed to the cache in `_line`.
    filename, number = location[0].co_filename, line_number(location)
    linecache.checkcache(filename)  # the file may have been edited
    return _line(filename, number, linecache.getline(filename, number).strip())


@lru_cache(maxsize=1024)
def _line(filename: str, number: int, text: str) -> SourceLine:
    return SourceLine(file_and_line(filename, number).rpartition(":")[0] or "cell", number, text)


# The calls around a line.


class FunctionCall:
    """One function call: its code, and the call around it (None at the top level)."""

    __slots__ = ("code", "outer")

    def __init__(self, code: CodeType, outer: FunctionCall | None) -> None:
        self.code, self.outer = code, outer

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Do nothing: a debugger that starts while the function runs calls the object in `f_trace`."""

    @property
    def name(self) -> str:
        """The name of the function, including the class if it is a method (except on Python 3.10)."""
        name = getattr(self.code, "co_qualname", self.code.co_name)
        return name.rpartition("<locals>.")[2].removesuffix(".__call__")


def call_in(frame: FrameType | None, library_folders: tuple[str, ...] = OWN) -> FunctionCall | None:
    """Return the call that runs in `frame`, or None outside functions and while a debugger is tracing.

    library_folders : the folders whose code is not the user's.

    Later calls may reuse a frame object, so the call is stored in the frame's `f_trace`, which only debuggers use.
    Lambdas and comprehensions count as part of the enclosing function.
    """
    if sys.gettrace() is not None:
        return None
    call, fresh = None, []
    while frame is not None and frame.f_code.co_name != "<module>":
        noted = frame.f_trace
        if noted is not None:
            if type(noted) is not FunctionCall:
                return None
            call = noted
            break
        if not frame.f_code.co_filename.startswith(library_folders):
            fresh.append(frame)
        frame = frame.f_back
    for inner in reversed(fresh):
        if inner.f_code.co_name[0] != "<":
            call = FunctionCall(inner.f_code, call)
        inner.f_trace = call
    return call


def calls_of(node: object) -> list[FunctionCall]:
    """Return the calls around the creation of a node, outermost first."""
    call, calls = getattr(node, "call", None), list[FunctionCall]()
    while call is not None:
        calls.append(call)
        call = call.outer
    return calls[::-1]


# The sizes of Variables, which show where weights grew.


class Growth:
    """The sizes of a Variable before its first assignment and after each one, and its first two values.

    The size is the largest absolute value of an element.
    """

    def __init__(self, before: Any) -> None:
        self.sizes = [_size(before)]
        self.first = [before]

    def add(self, value: Any) -> None:
        self.sizes.append(_size(value))
        if len(self.first) < 2:
            self.first.append(value)


def _size(value: Any) -> float:
    return float(np.max(np.abs(value), initial=0))


def _note_size(variable: Any, value: Any) -> None:
    """Note the size of a Variable at an assignment."""
    if variable.growth is None:
        variable.growth = Growth(variable.value)
    variable.growth.add(value)
