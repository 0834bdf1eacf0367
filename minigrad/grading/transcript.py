"""The questions about one exercise and the answers to them: the same answers to the same questions, the same verdict.

A check depends on the replies of the student's process alone. If every reply equals that of a solution that passed, the
solution passes as well, and nothing is computed again. Graphs are recorded anew, at other decoys.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from minigrad.classroom.exercises import Exercise
from minigrad.classroom.guard import OutOfTime
from minigrad.core.tensor import Tensor

FIRST = 3  # questions in the first message, of one shape: most wrong answers differ in them


class AtDecoys(dict[str, Any]):
    """A question that records a graph at decoys. base : the Tensors from which the decoys were drawn."""

    base: Sequence[Tensor] = ()


class Transcript:
    """The questions and answers of one exercise of one submission. held : the values of the names in use."""

    def __init__(self) -> None:
        self.held: dict[str, Any] = {}
        self.said: list[tuple[dict[str, Any], Any]] = []

    def add(self, questions: Sequence[dict[str, Any]], answers: Sequence[Any]) -> None:
        """Add questions and their answers."""
        self.said += zip(questions, answers)

    def questions(self) -> list[dict[str, Any]] | None:
        """The questions; None if they cannot be sent together, as one passes a function of the judge's."""
        asked = [question for question, _ in self.said]
        return None if '"callback"' in json.dumps(asked) else asked


class Transcripts:
    """The questions of each exercise, and digests of the answers that were right.

    The student's objects are numbered in the order of their first use, anew for each exercise. So equal questions and
    answers refer to the same objects.
    """

    def __init__(self) -> None:
        self._questions: dict[str, list[dict[str, Any]]] = {}
        self._right: dict[str, set[bytes]] = {}
        self._texts: dict[str, tuple[str, ...]] = {}

    def right(self, name: str, session: Any, decoys: Any) -> bool:
        """Whether all answers of a submission are those of an earlier right one. decoys : draws other numbers.

        If it does not, the checks begin anew, and the transcript has their questions only.
        """
        asked_before = self._questions.get(name, [])
        asked = [_again(question, decoys) for question in asked_before]
        if not asked:
            return False
        held = session.transcript.held
        parts = asked[:FIRST], asked[FIRST:]
        if name not in self._texts:
            fixed = not any(isinstance(question, AtDecoys) for question in asked_before)
            self._texts[name] = tuple(map(json.dumps, parts)) if fixed else ("", "")
        texts = self._texts[name]
        try:
            found = session.replies_together(parts[0], text=texts[0])
            if _digest(held, found) in self._right[name]:
                found += session.replies_together(parts[1], text=texts[1])
                if _digest(held, found) in self._right[name]:
                    return True
        except (OutOfTime, Exception):  # an answer that did not come
            pass
        session.renumber()
        return False

    def learn(self, exercise: Exercise, transcript: Transcript, known: bool) -> None:
        """Keep the answers of a submission that passed. known : whether its graphs were known to be right before.

        Only then were its inputs those of every other one, unless they are the same for all students.
        """
        derived = all(check.order is not None or check.dtypes for check in exercise.checks)
        questions = transcript.questions() if exercise.of_properties or (known and derived) else None
        answers = [answer for _, answer in transcript.said]
        if not questions or not all(map(_plain, answers)):
            return
        if list(map(_asked, self._questions.setdefault(exercise.name, questions))) == list(map(_asked, questions)):
            right = self._right.setdefault(exercise.name, set())
            right |= {_digest(transcript.held, answers[:FIRST]), _digest(transcript.held, answers)}


def _own(answer: Any) -> Any:
    """An answer without the number of its message."""
    numbered = isinstance(answer, dict) and "id" in answer
    return {key: value for key, value in answer.items() if key != "id"} if numbered else answer


def _plain(answer: Any) -> bool:
    """Whether an answer is a value only: no error, nothing printed, no argument changed."""
    own = _own(answer)
    return isinstance(own, dict) and "ok" in own and own.keys() <= {"ok", "printed"} and not own.get("printed")


def _asked(question: dict[str, Any]) -> Any:
    """The key by which two questions are equal: all of it, or at decoys all but the numbers."""
    return {**question, "params": len(question["params"])} if isinstance(question, AtDecoys) else question


def _again(question: dict[str, Any], decoys: Any) -> dict[str, Any]:
    return {**question, "params": decoys(question.base)} if isinstance(question, AtDecoys) else question


def _digest(held: dict[str, Any], answers: Iterable[Any]) -> bytes:
    return hashlib.sha256(json.dumps([held, *map(_own, answers)]).encode()).digest()
