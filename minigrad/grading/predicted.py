"""Turn the answer to a question, an object in the student's process, into plain data."""

from __future__ import annotations

from typing import Any

from minigrad.runner.guard import OutOfTime

from .far import Far, FarClass
from .session import Session


class ObjectAnswer:
    """An answer that is an object instead of a number or a letter."""

    def __init__(self, name: str) -> None:
        self.name = str(name)[:60]

    def __repr__(self) -> str:
        return f"an object of type {self.name}"


def plain(session: Session, answer: Any, kind: str) -> Any:
    """The answer to a question of this kind as plain data; a number such as a Fraction as a float.

    For a picture that takes answers, the answer that a cell wrote into it, or None. Any other object becomes a
    ObjectAnswer.
    """
    if kind == "numbers" and type(answer) in (list, tuple):
        return [plain(session, item, "number") for item in answer]
    if not isinstance(answer, (Far, FarClass)):
        return answer
    found = _attempted(session, answer, kind) if isinstance(answer, Far) else None
    if found is None or isinstance(found, (Far, FarClass)):
        return ObjectAnswer(answer._data["name"] if isinstance(answer, Far) else answer.__name__)
    return None if found is ... else found


def _attempted(session: Session, answer: Far, kind: str) -> Any:
    """The attribute `edge` or `numbers` of an object in the student's process, or its value as a float.

    None if there is none; `...` for an attribute that is empty.
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
