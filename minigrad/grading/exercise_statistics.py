"""Statistics of the exercises: difficulty, discrimination, the common mistakes, and the predictions."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from minigrad.classroom.questions import letter

from .grades import Grade
from .report import Mark


@dataclass(frozen=True)
class ExerciseNumbers:
    """The statistics of an exercise in a class.

    states : the number of answers in each state.
    share : the mean mark as a fraction of the full mark, called difficulty in classical test theory.
    discrimination : the correlation of the marks for the exercise with the sums of each student's other marks; None if
        either does not vary.
    """

    exercise: str
    out_of: float
    states: dict[str, int]
    share: float | None
    discrimination: float | None


@dataclass(frozen=True)
class CommonMistake:
    """A named mistake, the number of students who made it, and one example of the failure."""

    exercise: str
    name: str
    says: str
    count: int
    example: Mark


@dataclass(frozen=True)
class Predicted:
    """An answer to a prediction: a letter or a name as typed, how many students typed it, and whether it is right."""

    answer: str
    count: int
    right: bool


def exercise_numbers(grades: Sequence[Grade]) -> list[ExerciseNumbers]:
    """Return the statistics of each exercise, in order; students without a graded answer do not count."""
    return [_numbers(name, grades) for name in _names(grades)]


def common_mistakes(grades: Sequence[Grade]) -> list[CommonMistake]:
    """Return the named mistakes, the most common first, and equally common mistakes in the order of the exercises."""
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
    """Count the wrong answers without a named mistake. Predictions are not counted: they have a sentence instead."""
    wrong = [mark for mark in _marks(grades) if mark.state == "wrong" and not mark.mistake]
    return sum(bool(mark.lines) or not mark.words for mark in wrong)


def predictions(grades: Sequence[Grade]) -> dict[str, list[Predicted]]:
    """Count the letters or names that students typed, for each prediction that asks for one, in alphabetical order.

    An answer that is not a string in its cell is not counted.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    right = set()
    for mark in _marks(grades):
        if mark.state in ("right", "wrong") and not mark.lines and (answer := _typed(mark)):
            counts[mark.exercise][answer] += 1
            right |= {(mark.exercise, answer)} if mark.state == "right" else set()
    return {
        name: [Predicted(answer, count, (name, answer) in right) for answer, count in sorted(counts[name].items())]
        for name in _names(grades)
        if name in counts
    }


def _typed(mark: Mark) -> str:
    """Return the string that the answer's cell assigns to the exercise, "a" for `q = "a"`, or "" if there is none."""
    try:
        statements = ast.parse(mark.code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    typed = [
        node.value.value
        for node in statements
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        if any(isinstance(target, ast.Name) and target.id == mark.exercise for target in node.targets)
    ]
    return letter(typed[-1])[:40] if typed else ""


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
