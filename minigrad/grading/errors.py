"""Errors that a student's code raised in its own process, raised again here with their words and their line."""

from __future__ import annotations

import builtins
from typing import Any

from minigrad.runner.failures import Failure

CRASH = "Crash"


def student_error(kind: str, words: str, line: Any = None, code: str = "") -> Exception:
    """An error of the student's process, which `guard.failure` shows as if it had been raised here."""
    known = getattr(builtins, kind, None)
    cls = known if isinstance(known, type) and issubclass(known, Exception) else Exception
    try:
        error = cls(words)
    except TypeError:  # such as UnicodeDecodeError, which takes five arguments
        error = Exception(words)
    full = words if kind in (CRASH, "BadMessage", "Ended") else f"{kind}: {words}" if words else kind
    error.failure = Failure(kind, full, line, code)  # type: ignore[attr-defined]
    return error


def described(data: Any) -> Exception:
    """The error that a student's process described."""
    if not isinstance(data, dict):
        return student_error(CRASH, "an error that cannot be read")
    line = data.get("line")
    text = lambda key, most: str(data.get(key, ""))[:most]
    return student_error(text("kind", 60), text("words", 600), line if type(line) is int else None, text("code", 200))
