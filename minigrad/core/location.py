"""Locations in the user's code: the innermost line outside of minigrad and NumPy, and the function calls around it."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType

import numpy as np

#: A code object and the position in it: cheap to take; `line_number` makes a line of it when it is needed.
Location = tuple[CodeType, int]

#: Code in these folders is not the user's.
FOLDERS = os.path.dirname(os.path.dirname(__file__)), os.path.dirname(np.__file__)
OWN = tuple(folder + os.sep for folder in (*FOLDERS, os.path.join(os.path.dirname(FOLDERS[0]), "viz")))


def user_location(depth: int = 1) -> Location:
    """The location in the user's code that led here, searched from `depth` callers up."""
    frame = user_frame(depth + 1)
    return frame.f_code, frame.f_lasti


def user_frame(depth: int = 1) -> FrameType:
    """The innermost frame of the user's code, searched from `depth` callers up."""
    frame = sys._getframe(depth)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OWN):
        frame = frame.f_back
    return frame


def line_number(location: Location) -> int:
    """The number of the line at a location."""
    code, position = location
    return next((n for start, end, n in code.co_lines() if n and start <= position < end), code.co_firstlineno)


class FunctionCall:
    """One call of a function: its code, and the call around it, None at the top level."""

    __slots__ = ("code", "outer")

    def __init__(self, code: CodeType, outer: FunctionCall | None) -> None:
        self.code, self.outer = code, outer

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Do nothing: a debugger that starts while the function runs calls the object in `f_trace`."""

    @property
    def name(self) -> str:
        """The name of the function, with the class of a method; on Python 3.10 without it."""
        name = getattr(self.code, "co_qualname", self.code.co_name)
        return name.rpartition("<locals>.")[2].removesuffix(".__call__")


def call_in(frame: FrameType | None) -> FunctionCall | None:
    """The call that runs in `frame`; None outside of functions, and while a debugger is tracing.

    Frame objects are reused by later calls. So each call is stored in its frame's `f_trace`, which only debuggers use.
    Lambdas and comprehensions belong to the function around them.
    """
    if sys.gettrace() is not None:
        return None
    call, fresh = None, []
    while frame is not None and frame.f_code.co_name != "<module>":
        known = frame.f_trace
        if known is not None:
            if type(known) is not FunctionCall:
                return None
            call = known
            break
        if not frame.f_code.co_filename.startswith(OWN):
            fresh.append(frame)
        frame = frame.f_back
    for inner in reversed(fresh):
        if inner.f_code.co_name[0] != "<":
            call = FunctionCall(inner.f_code, call)
        inner.f_trace = call
    return call


def calls_of(node: object) -> list[FunctionCall]:
    """The calls that a node was made in, the outermost first."""
    call, found = getattr(node, "call", None), list[FunctionCall]()
    while call is not None:
        found.append(call)
        call = call.outer
    return found[::-1]
