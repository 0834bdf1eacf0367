"""Locations in the user's code: the innermost line outside of minigrad and NumPy."""

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
