"""The gradebook of a course: one SQLite file, in which rows are added and never changed.

A grade is computed when it is read: from the newest submission, its newest report, the adjustments with their
reasons, and the late rule. The order of the rows counts, not their times.
"""

from __future__ import annotations

import getpass
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from .database import Database, GradebookError
from .grades import Adjustment, Grade, grade
from .late import LateRule
from .reading import Submission
from .report import Report
from .roster import full_name


class Gradebook(Database):
    """The gradebook in the file `path`, made if it is missing; a context manager.

    Raises GradebookError if the file is something else, or of a newer version.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Gradebook(Path(folder.name, "course.db")) as book:
    ...     book.receive("hw1", Submission("ada", "ada.ipynb", "00"))
    ...     [(g.student, g.status, g.marks) for g in book.grades("hw1")]
    [('ada', 'not graded yet', None)]
    >>> folder.cleanup()
    """

    def enroll(self, students: Mapping[str, Mapping[str, str]]) -> None:
        """Add the students of the class, with the columns of the roster, unless they are there already."""
        known = self.students()
        new = {student: row for student, row in students.items() if known.get(student) != row}
        self.add("enrolments", *({"student": student, "details": _json(dict(row))} for student, row in new.items()))

    def students(self) -> dict[str, dict[str, str]]:
        """The columns of the roster by student, in the order in which they were noted."""
        rows = self.rows("SELECT student, details FROM enrolments ORDER BY id")
        return {student: json.loads(details) for student, details in rows}

    def set_rule(self, assignment: str, rule: LateRule) -> None:
        """Set the late rule of an assignment, which holds from now on for all its submissions."""
        if rule != self.rule(assignment):
            self.add("rules", {"assignment": assignment, "rule": _json(asdict(rule))})

    def rule(self, assignment: str) -> LateRule:
        """The late rule of an assignment; one without a deadline if none was set."""
        rows = self.rows("SELECT rule FROM rules WHERE assignment = ? ORDER BY id DESC LIMIT 1", assignment)
        return LateRule(**json.loads(rows[0][0])) if rows else LateRule()

    def receive(self, assignment: str, submission: Submission, counts: bool = True) -> None:
        """Add a submission, unless it is the newest one already. counts : whether it replaces earlier ones."""
        names = ("digest", "file", "received", "counts", "notes", "unreadable")
        s = submission
        row = (s.digest, s.file, s.received, counts, _json(list(s.notes)), s.unreadable)
        noted = self.rows(
            f"SELECT {', '.join(names)} FROM submissions"
            " WHERE assignment = ? AND student = ? AND counts = ? ORDER BY id DESC" + " LIMIT 1" * counts,
            assignment,
            s.student,
            counts,
        )
        if row not in noted:
            self.add("submissions", {"student": s.student, "assignment": assignment, **dict(zip(names, row))})

    def record(self, assignment: str, report: Report) -> None:
        """Add a report, whole or not at all."""
        names = ("student", "digest", "spec", "seed", "status", "marks", "out_of")
        row = {name: getattr(report, name) for name in names}
        self.add("attempts", {**row, "assignment": assignment, "report": report.to_json()})

    def done(self, assignment: str, submission: Submission, spec: str, seed: int) -> tuple[Report | None, bool]:
        """The newest report on these bytes by these checks and seed, if one exists, and whether it counts already."""
        rows = self.rows(
            "SELECT report, spec = ? AND seed = ? FROM attempts"
            " WHERE assignment = ? AND student = ? AND digest = ? AND status <> 'failed' ORDER BY id DESC",
            spec,
            seed,
            assignment,
            submission.student,
            submission.digest,
        )
        fits = next((report for report, same in rows if same), None)
        return (Report.from_json(fits) if fits is not None else None), bool(rows and rows[0][1])

    def adjust(
        self, student: str, assignment: str, marks: float, why: str, exercise: str | None = None, who: str = ""
    ) -> None:
        """Set the marks of an exercise, or without one add `marks` to the sum, with who and why.

        Raises GradebookError if the student or the exercise is not known, or the reason is empty.
        """
        known = {grade.student: grade for grade in self.grades(assignment)}
        if student not in known:
            raise GradebookError(f"{assignment} has no student {student!r}; there are {', '.join(known) or 'none'}")
        most = {mark.exercise: mark.out_of for g in known.values() if g.report for mark in g.report.results}
        if exercise is not None and exercise not in most:
            there = ", ".join(sorted(most)) or "none yet"
            raise GradebookError(f"{assignment} has no exercise {exercise!r}; there are {there}")
        if exercise is not None and math.isfinite(marks) and not 0 <= marks <= most[exercise]:
            raise GradebookError(
                f"{exercise} has {most[exercise]:g} marks, and {marks:g} are none of them; "
                "marks beyond that are added to the sum, without --exercise"
            )
        if not why.strip():
            raise GradebookError("an adjustment needs a reason: write why, as in --why 'the sentence was unclear'")
        if not math.isfinite(marks):
            raise GradebookError(f"marks are a number, not {marks}")
        whose = {"student": student, "assignment": assignment, "exercise": exercise}
        self.add("adjustments", {**whose, "marks": float(marks), "who": who or _user(), "why": why.strip()})

    def assignments(self) -> list[str]:
        return [name for (name,) in self.rows("SELECT DISTINCT assignment FROM submissions ORDER BY assignment")]

    def grades(self, assignment: str, instead: Mapping[str, Report] = MappingProxyType({})) -> list[Grade]:
        """The grade of every student who is in the class or handed something in, by name.

        instead : by student, a report that is taken in place of the one that counts; nothing is written.
        """
        rule = self.rule(assignment)
        latest = self.rows("SELECT student, report FROM latest WHERE assignment = ?", assignment)
        reports = {**{student: Report.from_json(report) for student, report in latest}, **instead}
        adjusted: dict[str, list[Adjustment]] = {}
        columns = "exercise, marks, who, why, at"
        for student, *row in self.rows(
            f"SELECT student, {columns} FROM adjustments WHERE assignment = ? ORDER BY id", assignment
        ):
            adjusted.setdefault(student, []).append(Adjustment(*row))
        columns = "digest, file, received, notes, unreadable, at"
        handed_in = {
            student: (Submission(student, file, digest, (), received, tuple(json.loads(notes)), unreadable), at)
            for student, digest, file, received, notes, unreadable, at in self.rows(
                f"SELECT student, {columns} FROM counted WHERE assignment = ?", assignment
            )
        }
        out_of = max((report.out_of for report in reports.values()), default=0.0)
        roster = self.students()
        found = []
        for student in sorted({*handed_in, *roster}, key=lambda student: (student.casefold(), student)):
            submission, noted = handed_in.get(student, (None, 0.0))
            by_hand = adjusted.get(student, [])
            found.append(grade(student, submission, noted, reports.get(student), by_hand, rule, out_of))
            found[-1].name = full_name(roster.get(student, {}))
        return found

    def times(self, assignment: str) -> list[float]:
        """When each submission was handed in, or else when it was added; in seconds since 1970."""
        rows = self.rows("SELECT coalesce(received, at) FROM submissions WHERE assignment = ? ORDER BY id", assignment)
        return [at for (at,) in rows]

    def attempts(self, assignment: str) -> Iterator[tuple[Report, float]]:
        """Every report that was added for an assignment, in order, with the time of this computer then."""
        for report, at in self.rows("SELECT report, at FROM attempts WHERE assignment = ? ORDER BY id", assignment):
            yield Report.from_json(report), at


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
