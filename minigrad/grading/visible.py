"""The part of a mark that a student sees, as far as each check reveals it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .report import Criterion, Mark

NOT_SHOWN = "a check that is not shown"
#: How `why` begins where the text of an error follows, which may have a hidden input in it.
ERRORS = ("The check could not be run", "A check raised")


def visible_part(mark: Mark, after: bool = False) -> Mark:
    """The mark without the parts that its checks hide. after : whether the deadline is over.

    The words and the simplest failure belong to the first check that failed. If that check reveals its message only, or
    nothing, they are left out, and so is the printed text: it may have the input in it.

    >>> hidden = Criterion("0 at 800", False, reveal="never")
    >>> mark = Mark("q1", "wrong", 0.0, 2.0, [hidden], "overflow", inputs="x = 800", true="0")
    >>> found = visible_part(mark)
    >>> found.words, found.inputs, found.true, found.lines[0].says
    ('Right in what is shown; a check that is not shown failed.', '', '', 'a check that is not shown')
    """
    lines = [_line(line, after) for line in mark.lines]
    if any(_reveals(line, after) in ("message", "never") for line in mark.lines):
        mark = replace(mark, why=next((f"{begin}." for begin in ERRORS if mark.why.startswith(begin)), mark.why))
    failed = next((line for line in mark.lines if line.right is False), None)
    if failed is None or _reveals(failed, after) in ("always", "counterexample"):
        return replace(mark, lines=lines)
    words = "" if _reveals(failed, after) == "message" else HIDDEN
    nothing: dict[str, Any] = dict.fromkeys(("inputs", "yours", "true", "printed", "graph"), "")
    return replace(mark, lines=lines, words=words, mistake=None, picture=None, **nothing)


HIDDEN = f"Right in what is shown; {NOT_SHOWN} failed."


def _line(line: Criterion, after: bool) -> Criterion:
    return replace(line, says=NOT_SHOWN, message="") if _reveals(line, after) == "never" else line


def _reveals(line: Criterion, after: bool) -> str:
    if line.reveal == "after":
        return "always" if after else "never"
    return line.reveal
