"""Statistics of the exercises: difficulty, discrimination, and the common mistakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .grades import Grade
from .report import Mark


@dataclass(frozen=True)
class ExerciseNumbers:
    """One exercise over the class. states : the number of answers in each state.

    share : the mean mark as a share of the full mark: the difficulty in classical test theory.
    discrimination : the correlation of the exercise's marks with the sums of each student's other marks; None if either
        does not vary.
    """

    exercise: str
    out_of: float
    states: dict[str, int]
    share: float | None
    discrimination: float | None


@dataclass(frozen=True)
class CommonMistake:
    """A named mistake, the number of students who made it, and the failure of one of them."""

    exercise: str
    name: str
    says: str
    count: int
    example: Mark


def exercise_numbers(grades: Sequence[Grade]) -> list[ExerciseNumbers]:
    """The numbers of each exercise, in the order of the exercises; students without a graded answer do not count."""
    return [_numbers(name, grades) for name in _names(grades)]


def common_mistakes(grades: Sequence[Grade]) -> list[CommonMistake]:
    """The named mistakes, the commonest first; equally common ones in the order of the exercises."""
    counts: Counter[tuple[str, str]] = Counter()
    example: dict[tuple[str, str], Mark] = {}
    for mark in _marks(grades):
        if mark.state == "wrong" and mark.mistake:
            key = mark.exercise, mark.mistake[0]
            counts[key] += 1
            if key not in example or (mark.code and len(mark.code) < len(example[key].code or mark.code + " ")):
                example[key] = mark
    order = {name: i for i, name in enumerate(_names(grades))}
    keys = sorted(counts, key=lambda key: (-counts[key], order[key[0]], key[1]))
    return [CommonMistake(*key, (example[key].mistake or ("", ""))[1], counts[key], example[key]) for key in keys]


def unnamed_mistakes(grades: Sequence[Grade]) -> int:
    """The number of wrong answers that show no named mistake."""
    return sum(mark.state == "wrong" and not mark.mistake for mark in _marks(grades))


def _marks(grades: Sequence[Grade]) -> list[Mark]:
    return [mark for grade in grades if grade.report for mark in grade.report.results]


def _names(grades: Sequence[Grade]) -> list[str]:
    return list(dict.fromkeys(mark.exercise for mark in _marks(grades)))


def _numbers(name: str, grades: Sequence[Grade]) -> ExerciseNumbers:
    marks = [mark for mark in _marks(grades) if mark.exercise == name]
    states = Counter(mark.state for mark in marks)
    out_of = max(mark.out_of for mark in marks)
    whole = [g.by_exercise for g in grades if g.by_exercise and None not in g.by_exercise.values()]
    pairs = [
        (own, sum(m for other, m in by.items() if other != name and m is not None))
        for by in whole
        if (own := by.get(name)) is not None
    ]
    marks_given = [own for g in grades if (own := g.by_exercise.get(name)) is not None]
    share = float(np.mean(marks_given)) / out_of if marks_given and out_of else None
    return ExerciseNumbers(name, out_of, dict(states), share, _correlation(pairs))


def _correlation(pairs: list[tuple[float, float]]) -> float | None:
    if len(pairs) < 3:
        return None
    own, rest = np.array(pairs, dtype=float).T
    if own.std() == 0 or rest.std() == 0:
        return None
    return float(np.corrcoef(own, rest)[0, 1])
