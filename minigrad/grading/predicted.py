"""The answer to a question as plain data, where it is an object in the student's process."""

from __future__ import annotations

from typing import Any

from minigrad.classroom.guard import OutOfTime

from .far import Far, FarClass
from .session import Session


class Stranger:
    """An answer that is no plain data, where a number or a letter is expected."""

    def __init__(self, name: str) -> None:
        self.name = str(name)[:60]

    def __repr__(self) -> str:
        return f"an object of type {self.name}"


def plain(session: Session, answer: Any, kind: str) -> Any:
    """The answer to a question of this kind without objects: a number as a float, as a Fraction has one.

    A picture that takes answers gives what a cell wrote into it, and None where no cell wrote any. Any other object
    becomes a Stranger.
    """
    if kind == "numbers" and type(answer) in (list, tuple):
        return [plain(session, item, "number") for item in answer]
    if not isinstance(answer, (Far, FarClass)):
        return answer
    found = _attempted(session, answer, kind) if isinstance(answer, Far) else None
    if found is None or isinstance(found, (Far, FarClass)):
        return Stranger(answer._data["name"] if isinstance(answer, Far) else answer.__name__)
    return None if found is ... else found


def _attempted(session: Session, answer: Far, kind: str) -> Any:
    """What the student's process has for an object: the attribute `edge` or `numbers`, or its value as a float.

    None where there is none; `...` for an attribute with nothing in it.
    """
    try:
        if kind == "number":
            return float(answer)
        if kind in ("edge", "numbers"):
            found = session.evaluate({"of": answer._described(), "attribute": kind})
            return ... if found is None or isinstance(found, (Far, FarClass)) else found
    except (OutOfTime, Exception):  # another object, or one whose attributes raise or never end
        pass
    return None
