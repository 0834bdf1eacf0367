"""nbgrader: write marks into its gradebook through its own Python interface, so that formgrader shows them."""

from __future__ import annotations

import contextlib
import datetime
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..grades import Grade


def write(database: Path, assignment: str, grades: Sequence[Grade]) -> int:
    """Write the marks of an assignment into nbgrader's `gradebook.db` and return how many students were written.

    Exercises that could not be graded are left for manual grading in nbgrader. Students who submitted nothing and have
    no manual marks are added without a submission. Raises ModuleNotFoundError if nbgrader is missing.
    """
    from nbgrader.api import Gradebook as Theirs

    exercises = _exercises(grades)
    written = 0
    with _own_programs(), Theirs(f"sqlite:///{database}") as book:
        book.update_or_create_assignment(assignment)
        book.update_or_create_notebook(assignment, assignment)
        for name, out_of in exercises.items():
            book.update_or_create_grade_cell(name, assignment, assignment, max_score=out_of, cell_type="code")
        for g in grades:
            first, _, last = g.name.rpartition(" ")
            book.update_or_create_student(g.student, **({"first_name": first, "last_name": last} if g.name else {}))
            if g.submission is None and g.marks is None:
                continue
            received = g.submission.received if g.submission else None
            when = datetime.datetime.fromtimestamp(received, datetime.timezone.utc) if received is not None else None
            timestamp = when.replace(tzinfo=None) if when else None
            book.update_or_create_submission(assignment, g.student, timestamp=timestamp)
            less = _less(g)
            for name in exercises:
                theirs = book.find_grade(name, assignment, assignment, g.student)
                theirs.auto_score = g.by_exercise.get(name, 0.0 if g.marks is not None else None)
                theirs.needs_manual_grade = theirs.auto_score is None
                theirs.extra_credit = None
            if exercises:
                theirs.extra_credit = max(0.0, -less)
            book.find_submission_notebook(assignment, assignment, g.student).late_submission_penalty = max(0.0, less)
            book.db.commit()
            written += 1
    return written


@contextlib.contextmanager
def _own_programs() -> Iterator[None]:
    """Add this Python's folder to the path, because nbgrader starts `alembic`, which is in that folder."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), before])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own tables cause warnings
            yield
    finally:
        os.environ["PATH"] = before


def _exercises(grades: Sequence[Grade]) -> Mapping[str, float]:
    """Return the exercises of an assignment, with their full marks."""
    return {mark.exercise: mark.out_of for g in grades if g.report for mark in g.report.results}


def _less(g: Grade) -> float:
    """Return the penalty of a grade: the sum of its exercises minus its marks. It is negative if marks were added.

    nbgrader has only one penalty, which it subtracts from the sum. To the sum, it adds the extra credit of each
    exercise.
    """
    return round(g.deduction - g.added, 6) if g.marks is not None else 0.0
