"""When a question comes back: after a day, three, a week, three weeks, two months; at once after a wrong answer.

Recalling a fact on several days keeps it longer than reading it again: Latimier, Peyre and Ramus, Educational
Psychology Review 33 (2021). The boxes are those of Leitner, So lernt man lernen (1972).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from .student_progress import append, entries

#: Days until a question comes back, after the first right answer, the second one, and so on. A wrong one begins anew.
DAYS = (1, 3, 7, 21, 60)
A_DAY, OF_ONE_LESSON = 3, 2


class Key(NamedTuple):
    """A question: the number of its lesson, and its own from 1."""

    part: str
    number: int


class Answer(NamedTuple):
    """One answer as it is kept: the question, whether it was right, and the day."""

    key: Key
    right: bool
    day: date


def answers() -> list[Answer]:
    """The answers in the file of the student's progress. Broken lines are passed over."""
    found = []
    for entry in entries():
        with contextlib.suppress(ValueError, KeyError, TypeError):
            key = Key(str(entry["part"]), int(entry["question"]))
            found.append(Answer(key, entry["right"] is True, date.fromisoformat(entry["day"])))
    return found


def keep(answer: Answer) -> None:
    """Write an answer to the file, unless its question was answered on that day already."""
    key, right, day = answer
    if not any(other.key == key and other.day >= day for other in answers()):
        append({"part": key.part, "question": key.number, "right": right, "day": day.isoformat()})


def next_days(given: Iterable[Answer]) -> dict[Key, date]:
    """When each question that was answered comes back; one that was right five times in a row does not.

    The first answer of a day counts. A day before the last one, of a clock that was set back, counts as the last one.

    >>> key, monday = Key("07", 1), date(2026, 1, 5)
    >>> next_days([Answer(key, True, monday), Answer(key, True, monday + timedelta(1))])
    {Key(part='07', number=1): datetime.date(2026, 1, 9)}
    """
    boxes: dict[Key, int] = {}
    days: dict[Key, date] = {}
    last = date.min
    for key, right, day in given:
        last = max(last, day)
        if days.get(key) != last:
            boxes[key] = boxes.get(key, 0) + 1 if right else 0
            days[key] = last
    return {k: day + timedelta(DAYS[max(boxes[k] - 1, 0)]) for k, day in days.items() if boxes[k] < len(DAYS)}


def due(given: Sequence[Answer], today: date) -> list[Key]:
    """The questions for a day: those that are due, the longest waiting first, at most two of one lesson.

    Answers of the day itself change nothing, so the questions of a day stay the same.
    """
    waiting = next_days(answer for answer in given if answer.day < today)
    chosen: list[Key] = []
    for key in sorted((key for key, day in waiting.items() if day <= today), key=lambda key: (waiting[key], key)):
        if len(chosen) < A_DAY and sum(key.part == other.part for other in chosen) < OF_ONE_LESSON:
            chosen.append(key)
    return chosen
