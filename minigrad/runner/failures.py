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
    words = f"{kind}: {str(error)[:600]}" if str(error) else kind
    if kind in ("NotConnected", "Misused", "RuleError"):  # an error of minigrad, whose message is a sentence
        words = str(error)
    if isinstance(error, RecursionError):
        words = "RecursionError: the function calls itself again and again"
    return Failure(kind, words, *_own_line(error.__traceback__))


def _own_line(traceback: TracebackType | None) -> tuple[int | None, str]:
    line, code = None, ""
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        checks = str(traceback.tb_frame.f_globals.get("__name__", "")).startswith(CHECKS)
        if not checks and not filename.startswith(LIBRARIES):
            line, code = traceback.tb_lineno, linecache.getline(filename, traceback.tb_lineno).strip()
        traceback = traceback.tb_next
    return line, code
