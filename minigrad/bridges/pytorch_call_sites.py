"""PyTorch: find the place in the user's code where a call was made."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from types import CodeType, FrameType
from typing import Any, NamedTuple

import torch

from ..core.support.user_frames import OWN, Location
from ..tracing.user_lines import call_in, line_at

FOLDER = os.path.dirname(torch.__file__) + os.sep
#: Code in these folders is not the user's.
NOT_USERS = (FOLDER, *OWN)
#: The methods through which a module is called.
CALLS = {"_wrapped_call_impl", "_call_impl", "__call__"}


class CallSite(NamedTuple):
    """The place in the user's code where a call was made.

    location, names : the calling instruction, and the names in its scope.
    called : the code of the called function, if that is one of PyTorch's own Python functions.
    call : the calls around this one.
    caller : the user's line that led to the call, if the call itself is in an installed package.
    """

    location: Location
    names: Mapping[str, Any]
    called: CodeType | None
    call: Any = None
    caller: str = ""

    @property
    def module(self) -> bool:
        """Whether a module was called at this site."""
        return self.called is not None and self.called.co_name in CALLS and FOLDER in self.called.co_filename


def here() -> tuple[FrameType, CodeType | None]:
    """Return the innermost frame outside PyTorch and minigrad, and the code that this frame called.

    The code is None if the frame called a module that calls other modules inside PyTorch, such as a Sequential.
    """
    frame, called, modules = sys._getframe(2), None, 0
    while frame.f_back is not None:
        code = frame.f_code
        library = LIBRARY.get(code.co_filename)  # looked up by name, because hashing a code object is slow
        if library is None:
            library = LIBRARY[code.co_filename] = code.co_filename.startswith(NOT_USERS)
        if not library:
            break
        modules += code.co_name == "_call_impl"
        frame, called = frame.f_back, code
    return frame, called if modules < 2 else None


def called_from() -> str:
    """Return the user's line that called into an installed package, as in ", called from train.py:41", or ""."""
    location, inner = users_line(sys._getframe(2)), here()[0]
    outside = location is not None and location[0] is not inner.f_code
    return f", called from {line_at(location).where}" if location is not None and outside else ""


def users_line(frame: FrameType) -> Location | None:
    """Return the location of the innermost call outside installed packages, or None if there is none."""
    while frame.f_back is not None and is_installed(frame.f_code.co_filename):
        frame = frame.f_back
    return None if is_installed(frame.f_code.co_filename) else (frame.f_code, frame.f_lasti)


def is_installed(file: str) -> bool:
    """Return whether code belongs to an installed package, to minigrad or to Python."""
    return any(f"{os.sep}{kind}-packages{os.sep}" in file for kind in ("site", "dist")) or file.startswith(
        (*NOT_USERS, *STANDARD, "<frozen")
    )


#: The folder of Python's standard library.
STANDARD = (os.path.dirname(os.__file__) + os.sep,)
#: A cache for library files: file name -> whether its code is not the user's.
LIBRARY: dict[str, bool] = {}


def place_of(frame: FrameType, called: CodeType | None) -> CallSite:
    return CallSite((frame.f_code, frame.f_lasti), frame.f_globals, called, call_in(frame, NOT_USERS))
