"""The line of the user that made a node, and the calls around it: off until something is drawn, as it costs time."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from functools import lru_cache

from .growth import remember_growth
from .location import Location, call_in, line_number, user_frame
from .messages import file_and_line, visible
from .op import hooks
from .tensor import Tensor


@dataclass(frozen=True)
class SourceLine:
    """A line of source: `file` as it is shown, its number and its text."""

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
    """Switch on or off that every new Tensor remembers the line that made it and the calls around it, and every
    Variable its size at each assignment.

    >>> from minigrad import constant
    >>> remember_lines()
    >>> y = constant(1.0) + 1
    >>> remember_lines(False)
    >>> isinstance(line_of(y), SourceLine)
    True
    """
    while _locate in hooks:
        hooks.remove(_locate)
    if on:
        hooks.append(_locate)
    remember_growth(on)


def _locate(node: Tensor) -> None:
    """Note the line that is being executed, and the call of a function that it belongs to."""
    frame = user_frame(4)  # called by a hook of an op of the user's line
    node.location = frame.f_code, frame.f_lasti
    node.call = call_in(frame)


def line_of(node: Tensor) -> SourceLine | None:
    """The line that made `node`, if it was remembered."""
    location = getattr(node, "location", None)
    return None if location is None else line_at(location)


def line_at(location: Location) -> SourceLine:
    """The line of a file or of a notebook cell."""
    return _line(location[0].co_filename, line_number(location))  # code objects of two files may be equal


@lru_cache(maxsize=1024)
def _line(filename: str, number: int) -> SourceLine:
    file = file_and_line(filename, number).rpartition(":")[0] or "cell"
    return SourceLine(file, number, linecache.getline(filename, number).strip())
