"""Find the line of the user's code that led to a call: the innermost line outside minigrad and NumPy."""

from __future__ import annotations

import os
import sys
import warnings
from functools import cache
from types import CodeType, FrameType

import numpy as np

#: A code object and a position in it, which are cheap to record; `line_number` computes the line number when needed.
Location = tuple[CodeType, int]

#: Code in these folders is not the user's.
FOLDERS = os.path.dirname(os.path.dirname(os.path.dirname(__file__))), os.path.dirname(np.__file__)
OWN = tuple(folder + os.sep for folder in (*FOLDERS, os.path.join(os.path.dirname(FOLDERS[0]), "viz")))


def user_location(depth: int = 1) -> Location:
    """Return the location in the user's code that led to this call; the search starts `depth` callers up."""
    frame = user_frame(depth + 1)
    return frame.f_code, frame.f_lasti


def user_frame(depth: int = 1) -> FrameType:
    """Return the innermost frame in the user's code; the search starts `depth` callers up."""
    frame = sys._getframe(depth)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OWN):
        frame = frame.f_back
    return frame


def line_number(location: Location) -> int:
    """Return the number of the line at a location."""
    code, position = location
    for start, end, number in code.co_lines():
        if number and start <= position < end:
            return number
    return code.co_firstlineno


@cache
def _libraries() -> tuple[str, ...]:
    """Return the folders whose code is not the user's."""
    import sysconfig  # imported only here, because it takes as long to import as the whole core

    paths = sysconfig.get_paths()
    return (*OWN, paths["purelib"], paths["platlib"], paths["stdlib"])


#: Modules to which a value is passed only for display or comparison, not for a computation to differentiate.
_READERS = ("matplotlib.", "mpl_toolkits.", "numpy.testing.", "_pytest.")


def caller_frame() -> FrameType | None:
    """Return the innermost frame outside libraries, or None if a frame of one of the `_READERS` is nearer."""
    frame: FrameType | None = sys._getframe(1)
    outermost, libraries = frame, _libraries()
    while frame is not None and frame.f_code.co_filename.startswith(libraries):
        if f"{frame.f_globals.get('__name__', '')}.".startswith(_READERS):
            return None
        frame = frame.f_back
    return frame or outermost


def only_reads() -> bool:
    """Return whether minigrad was called by a library that only draws or compares values, such as matplotlib."""
    return caller_frame() is None


def warn(message: str, frame: FrameType | None) -> None:
    """Warn at the user's line, once per line under Python's default filters."""
    if frame is not None:
        registry = frame.f_globals.setdefault("__warningregistry__", {})
        warnings.warn_explicit(message, UserWarning, frame.f_code.co_filename, frame.f_lineno, registry=registry)
