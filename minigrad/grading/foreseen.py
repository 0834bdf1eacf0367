"""What a grader will see of a notebook: the students' checks, run in the grader's own processes.

In a notebook, a check sees the answer at that moment. A grader runs all cells first: a later cell may have given the
name another value, or deleted what the answer uses.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from minigrad.lab.errors import CommandError

from .assignment import HandedOut
from .judge import Judge
from .report import Mark
from .submitted_notebook import Submission
from .submitting import unanswered, without_blank_copies
from .unseen_answers import reasons


def foreseen(submission: Submission, received: HandedOut) -> Iterator[str]:
    """The number of answers that the students' checks accept, and a sentence for each other answer.

    Empty if nothing is answered, or in a browser, where no process can be started. Raises CommandError if the process
    of the judge does not start.
    """
    submission, _ = without_blank_copies(submission, received.exercises)
    yield from reasons(submission, received.exercises, received.checks)
    answered = received.exercises.keys() - set(unanswered(submission.cells, received.exercises))
    if sys.platform == "emscripten" or not answered:
        return
    try:
        with Judge(received.checks, "none", consent=True) as judge:  # on the author's computer
            marks = [m for m in judge.judge(submission).results if m.exercise in answered]
            right = [mark for mark in marks if mark.state == "right"]
            yield f"right by the checks that you have, when all cells have run: {len(right)} of {len(marks)}"
            for mark in marks:
                if mark.state in ("wrong", "unanswered", "ungraded"):
                    yield f"{mark.exercise}: {_sentence(mark, judge, submission)}"
    except (OSError, RuntimeError) as problem:
        raise CommandError(f"what a grader will see is not known: {problem}") from None


def _sentence(mark: Mark, judge: Judge, submission: Submission) -> str:
    """The fault in an answer, and whether it was right before the cells below it ran."""
    words = mark.words or mark.why or next((f"not so: {line.says}" for line in mark.lines if line.right is False), "")
    number = max((cell.number for cell in submission.cells if cell.exercise == mark.exercise), default=0)
    until = tuple(cell for cell in submission.cells if cell.number <= number)
    if until and len(until) < len(submission.cells):
        (before,) = judge.judge(replace(submission, cells=until), only=[mark.exercise]).results
        if before.state == "right":
            lost = "and at the end of the notebook it is gone" if mark.state == "unanswered" else "and wrong at the end"
            return f"right in cell {number}, {lost}, by a cell below. {words}".rstrip()
    return words or mark.state
