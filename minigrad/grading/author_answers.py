"""Verify a release by sending the author's own answers through the real judge, with its processes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from minigrad.classroom.exercises import Exercise
from minigrad.runner.budgets import Limits

from .judge import Judge
from .report import Mark
from .submitted_notebook import Cell, Submission

FOLLOWED = "lessons/AUTHORING.md lists the calls that can be followed, and what to write instead."
Progress = Callable[[list[Any]], Iterable[Any]]


def disagreements(path: Path, progress: Progress = iter, limits: Limits | None = None) -> list[str]:
    """Return a sentence for each answer that the judge marks differently from the notebook.

    The judge gets the solutions, which are right in the notebook, and then each known wrong answer instead of a
    solution.

    path : the folder of an assignment, or the file of checks of a lesson; `prove` must have passed.
    """
    with Judge(path, limits=limits, consent=True) as judge:
        cells = judge.assignment.solved_cells
        exercises = judge.assignment.exercises
        tried: list[tuple[str, str | None, str | None]] = [("", None, None)]
        for e in exercises.values():
            tried += [(e.name, source, named) for source, named in e.wrongs if e.checks]
        messages: list[str] = []
        for name, source, named in progress(tried):
            if source is None:
                report = judge.judge(_submitted(cells))
                messages += [words for m in report.results if (words := _of_solution(m))]
                continue
            answers = _with(cells, exercises[name], source)
            (mark,) = judge.judge(_submitted(answers), only=[name]).results
            messages += _of_wrong(mark, exercises[name], source, named)
    return [*messages, FOLLOWED] if messages else []


def _of_solution(mark: Mark) -> str:
    if mark.state in ("right", "to read"):
        return ""
    why = " ".join(filter(None, [mark.why, mark.words, *(mark.mistake or ())[1:]]))
    failed = next((f"{line.says!r}: " for line in mark.lines if line.right is False), "")
    at = f" (at {mark.inputs})" * bool(mark.inputs)
    return f"{mark.exercise} is right in the notebook, but {mark.state} when it is graded: {failed}{why}{at}"


def _of_wrong(mark: Mark, exercise: Exercise, source: str, named: str | None) -> Iterator[str]:
    """Yield a sentence if the judge's mark for a wrong answer is not the expected one.

    source : the wrong answer. named : the mistake that it must be recognised as, or None.
    """
    seen = mark.mistake[0] if mark.mistake else "no mistake with a name"
    if mark.state != "wrong":
        yield f"a wrong answer to {exercise.name} is {mark.state} when it is graded:\n{source}"
    elif named is not None and seen != named:
        words = f"is taken for {seen!r}, not for {named!r}, when it is graded"
        yield f"a wrong answer to {exercise.name} {words}:\n{source}"
    elif mark.marks != exercise.wrong_marks.get(source, mark.marks):
        marks = f"{mark.marks or 0:g} of {mark.out_of:g} marks"
        yield f"a wrong answer to {exercise.name} gets {marks} when it is graded:\n{source}"


def _with(cells: list[Cell], exercise: Exercise, source: str) -> list[Cell]:
    """Return the cells with `source` as the answer to an exercise, below imports that a wrong answer may rely on."""
    own = exercise.of or exercise.name
    text = f"import math\nimport numpy as np\nimport minigrad as mg\n{source}"
    bare = f"import math\nimport numpy as np\n{source}"
    return [
        Cell(bare if not exercise.engine else text, cell.number, cell.exercise) if cell.exercise == own else cell
        for cell in cells
    ]


def _submitted(cells: list[Cell]) -> Submission:
    digest = hashlib.sha256(repr(cells).encode()).hexdigest()
    return Submission("the author", "solution.ipynb", digest, tuple(cells))
