"""Help in steps: one hint at a time and, after an honest try, the solution with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .exercises import Exercise
from .verdict import Displayed


@dataclass(repr=False)
class Note(Displayed):
    """The result of `check.hint(name)` or `check.solution(name)`: a heading, sentences, and possibly code."""

    page = "note.html"

    name: str
    head: str
    words: str
    code: str = ""

    def to_text(self) -> str:
        """Return the note as plain text."""
        code = ["    " + line for line in self.code.splitlines()]
        return "\n".join([f"{self.name}: {self.head}", *code, *([self.words] if self.words else [])])


class Reading(Displayed):
    """A text that was locked behind a prediction: Markdown, which a notebook renders."""

    def __init__(self, words: str) -> None:
        self.words = words

    def to_text(self) -> str:
        """Return the text as written."""
        return self.words

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/markdown": self.words, "text/plain": self.words}


class Help:
    """The hints that a student has seen, and the exercises that the student has tried."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}
        self.tried: dict[str, str] = {}

    def note(self, name: str, status: str) -> None:
        """Record that the exercise `name` was checked, with the status of its verdict."""
        if status != "unanswered" and self.tried.get(name) != "right":
            self.tried[name] = status

    def finished(self, exercise: Exercise) -> bool:
        """Return whether an exercise is right, or was tried and every hint was seen."""
        tried = self.tried.get(exercise.name)
        return tried == "right" or (tried is not None and self.seen.get(exercise.name, 0) >= len(exercise.hints))

    def hint(self, exercise: Exercise) -> Note:
        """Return the next hint, or the last hint again if all were seen."""
        count = len(exercise.hints)
        if not count:
            return Note(exercise.name, "no hints", "The sentence about a wrong answer says what to look at.")
        number = min(self.seen.get(exercise.name, 0) + 1, count)
        self.seen[exercise.name] = number
        more = "" if number < count else f' After this: check.solution("{exercise.name}").'
        return Note(exercise.name, f"hint {number} of {count}", exercise.hint(number - 1) + more)

    def solution(self, exercise: Exercise) -> Note:
        """Return the solution, if the exercise is right, or was tried and every hint was seen."""
        name, count = exercise.name, len(exercise.hints)
        if exercise.solution is None:
            return Note(name, "no solution", "There is none to show here.")
        if not self.finished(exercise):
            if name not in self.tried:
                return Note(name, "try it first", f'Write an answer and run check("{name}").')
            left = count - self.seen.get(name, 0)
            hints = "one hint" if left == 1 else f"{left} hints"
            return Note(name, "hints first", f'There {"is" if left == 1 else "are"} {hints}: check.hint("{name}").')
        code, why = exercise.solution.open(name, exercise.hint(count - 1) if count else "")
        return Note(name, "the solution", why, code)
