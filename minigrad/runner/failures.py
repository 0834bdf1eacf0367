"""Describe an error in a student's code, with the line of theirs that raised it."""

from __future__ import annotations

import linecache
import os
import sysconfig
from dataclasses import dataclass
from types import TracebackType

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = (PACKAGE, *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))
LIBRARIES = ("<frozen ", *(folder + os.sep for folder in FOLDERS))  # an import that breaks off is not repaired
CHECKS = "minigrad_checks_"  # the names of the modules of files of checks


@dataclass(frozen=True)
class Failure:
    """An exception in a student's code: its message, and the line of their code that raised it."""

    kind: str
    words: str
    line: int | None = None
    code: str = ""


def failure(error: BaseException) -> Failure:
    """The error in words, with the innermost line that the student wrote; or `error.failure` if it exists."""
    if isinstance(known := getattr(error, "failure", None), Failure):
        return known
    kind = type(error).__name__
    try:
        message = str(error)
    except Exception as other:  # an error of the student's own
        message = f"its __str__ raises {type(other).__name__}"
    words = f"{kind}: {message[:600]}" if message else kind
    if kind in ("NotConnected", "Misused", "RuleError"):  # an error of minigrad, whose message is a sentence
        words = message
    if isinstance(error, RecursionError):
        words = "RecursionError: the function calls itself again and again"
    return Failure(kind, words, *_own_line(error.__traceback__))


def method_that_raised(error: BaseException) -> str:
    """The name of the student's function, such as `__repr__`, that raised; "" if the error began in other code."""
    name, traceback = "", error.__traceback__
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if _is_students(traceback):
            name = traceback.tb_frame.f_code.co_name
        elif filename.startswith(PACKAGE + os.sep):
            name = ""
        traceback = traceback.tb_next
    return name


def _is_students(traceback: TracebackType) -> bool:
    frame = traceback.tb_frame
    checks = str(frame.f_globals.get("__name__", "")).startswith(CHECKS)
    return not checks and not frame.f_code.co_filename.startswith(LIBRARIES)


def _own_line(traceback: TracebackType | None) -> tuple[int | None, str]:
    line, code = None, ""
    while traceback is not None:
        if _is_students(traceback):
            line, filename = traceback.tb_lineno, traceback.tb_frame.f_code.co_filename
            code = linecache.getline(filename, line).strip()
        traceback = traceback.tb_next
    return line, code
