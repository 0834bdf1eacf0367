"""The questions about one exercise and the answers to them: the same answers to the same questions, the same verdict.

A check computes with what the student's process answers, and with nothing else of it. Where every answer is that of an
answer which passed, it passes as well, and nothing is computed again. Graphs are recorded anew, at other decoys.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from minigrad.classroom.exercises import Exercise
from minigrad.classroom.guard import OutOfTime
from minigrad.core.tensor import Tensor

FIRST = 3  # questions of the first message, of one shape: most wrong answers are told apart by it


class AtDecoys(dict[str, Any]):
    """A question that records a graph at decoys. base : the Tensors from which the decoys were drawn."""

    base: Sequence[Tensor] = ()


class Transcript:
    """What was asked about one exercise of one submission. names : of the student's objects by their number."""

    def __init__(self) -> None:
        self.said: list[tuple[dict[str, Any], Any]] = []
        self.names: dict[int, str] = {}

    def add(self, questions: Sequence[dict[str, Any]], answers: Sequence[Any]) -> None:
        """Add questions and their answers."""
        self.said += zip(questions, answers)

    def questions(self) -> list[dict[str, Any]] | None:
        """The questions with names in place of numbers; None where they cannot be sent to another submission."""
        if any('"object"' in json.dumps(question.get("records")) for question, _ in self.said):
            return None  # an object of the judge's holds one of the student's
        try:
            return [_named(question, self.names) for question, _ in self.said]
        except KeyError:
            return None


class Transcripts:
    """The questions of each exercise, and digests of the answers that were right."""

    def __init__(self) -> None:
        self._questions: dict[str, list[dict[str, Any]]] = {}
        self._right: dict[str, set[bytes]] = {}

    def right(self, name: str, session: Any, decoys: Any) -> bool:
        """Whether a submission answers all questions of an exercise as a right one did. decoys : draws other numbers.

        Where it does not, the checks begin anew, and their questions are the only ones of its transcript.
        """
        numbers = {of: number for number, of in session.transcript.names.items()}
        try:
            asked = [_again(question, numbers, decoys) for question in self._questions.get(name, ())]
            found = session.replies_together(asked[:FIRST]) if asked else []
            if asked and _digest(found) in self._right[name]:
                found += session.replies_together(asked[FIRST:])
                return _digest(found) in self._right[name]
        except (OutOfTime, Exception):  # no such object, or an answer that did not come
            pass
        session.transcript.said.clear()
        return False

    def learn(self, exercise: Exercise, transcript: Transcript, known: bool) -> None:
        """Keep the answers of a submission that passed. known : whether its graphs were known to be right before.

        Only then was it asked at the same inputs as every other one, unless the checks are at fixed inputs.
        """
        fixed = all(check.what in ("property", "graph") and not check.vary for check in exercise.checks)
        derived = all(check.order is not None or check.dtypes for check in exercise.checks)
        questions = transcript.questions() if fixed or (known and derived) else None
        answers = [answer for _, answer in transcript.said]
        if not questions or not all(map(_plain, answers)):
            return
        if list(map(_asked, self._questions.setdefault(exercise.name, questions))) == list(map(_asked, questions)):
            right = self._right.setdefault(exercise.name, set())
            right |= {_digest(answers[:FIRST]), _digest(answers)}


def _own(answer: Any) -> Any:
    """An answer without the number of the message that it came in."""
    return {key: value for key, value in answer.items() if key != "id"} if isinstance(answer, dict) else answer


def _plain(answer: Any) -> bool:
    """Whether an answer is a value alone: no error, nothing printed, no argument changed."""
    own = _own(answer)
    return isinstance(own, dict) and own.keys() == {"ok", "printed"} and not own["printed"]


def _asked(question: dict[str, Any]) -> Any:
    """What makes two questions one: all of it, or at decoys all but the numbers."""
    return {**question, "params": len(question["params"])} if isinstance(question, AtDecoys) else question


def _again(question: dict[str, Any], numbers: Mapping[str, int], decoys: Any) -> dict[str, Any]:
    asked = _named(question, numbers)
    if isinstance(question, AtDecoys):
        asked["params"] = decoys(question.base)
    return asked


def _named(data: Any, names: Mapping[Any, Any]) -> Any:
    """A question with other numbers of the student's objects. Raises KeyError for an object without a name, and for a
    function of the judge's. Its other objects have the same numbers in each conversation."""
    if isinstance(data, dict):
        if data.keys() & {"callback", "named"}:
            raise KeyError("callback")
        found = {
            k: names[v] if k == "object" else _named(v, names) for k, v in data.items() if k not in ("id", "records")
        }
        if "records" in data:
            found["records"] = data["records"]
        if isinstance(data, AtDecoys):
            found = AtDecoys(found)
            found.base = data.base
        return found
    return [_named(item, names) for item in data] if isinstance(data, list) else data


def _digest(answers: Iterable[Any]) -> bytes:
    text = json.dumps([_alike(_own(answer)) for answer in answers], sort_keys=True)
    return hashlib.sha256(text.encode()).digest()


def _alike(data: Any) -> Any:
    """An answer in which the student's objects, which are others each time, are told apart by their kind alone."""
    if isinstance(data, dict):
        return {"object": data.get("kind")} if "object" in data else {k: _alike(v) for k, v in data.items()}
    return list(map(_alike, data)) if isinstance(data, list) else data
