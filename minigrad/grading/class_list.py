"""The class list: decisions about files that grading could not place, and about wrong or removed names.

No row is changed or deleted: each decision is a new row, and the newest decision counts.
"""

from __future__ import annotations

import getpass
import json
from collections.abc import Mapping
from typing import Any

from .database import Database, GradebookError
from .owners import ABSENT

STANDING = "id NOT IN (SELECT adjustment FROM withdrawals)"
#: Table -> the columns that, with the student, identify a row.
_OF_STUDENT = {
    "submissions": "assignment",
    "attempts": "assignment, digest, spec, seed",
    "adjustments": "assignment, exercise",
    "allowances": "assignment",
}


class ClassList(Database):
    """The part of a gradebook that records who is in the class."""

    def decide(self, person: str, student: str, who: str = "") -> None:
        """Record which student owns a person's files (`student` is "" for nobody). The newest decision counts."""
        self.add("owners", {"person": person, "student": student, "who": who or user()})

    def decided(self) -> dict[str, str]:
        """Map each person, as named in file paths, to the student whom the teacher chose, or to "" for nobody."""
        return dict(self.rows("SELECT person, student FROM owners ORDER BY id"))

    def removed(self) -> set[str]:
        """Return the students who were removed from the class or renamed; their rows are kept."""
        rows = dict(self.rows("SELECT student, removed FROM removals ORDER BY id"))
        return {student for student, removed in rows.items() if removed}

    def remove(self, student: str, why: str, who: str = "") -> None:
        """Remove a student or a mistaken name from all tables and exports, and skip the files under that name."""
        with self.transaction():
            self.add("removals", {"student": student, "removed": True, "who": who or user(), "why": why})
            if not self.decided().get(student):  # keep a decision that these files are another student's
                self.decide(student, "", who)

    def settle(self, person: str, student: str, label: str, who: str = "") -> None:
        """Record which student owns a person's files, and rename the rows stored under `label` to that student.

        If `student` is "" for nobody, the rows are removed instead.
        """
        with self.transaction():
            kept = self.rows("SELECT 1 FROM submissions WHERE student = ? LIMIT 1", label)
            if kept and student:
                self.rename(label, student, who)
            elif kept:
                self.remove(label, "nobody's", who)
            self.decide(person, student, who)

    def note_left_out(self, assignment: str, files: Mapping[str, str]) -> None:
        """Record the files and people that the newest run could not place or read, with the reasons."""
        if files != self.left_out(assignment):
            self.add("left_out", {"assignment": assignment, "files": as_json(dict(files))})

    def left_out(self, assignment: str) -> dict[str, str]:
        """Map each file or person that the newest run could not place or read to the reason."""
        rows = self.rows("SELECT files FROM left_out WHERE assignment = ? ORDER BY id DESC LIMIT 1", assignment)
        return json.loads(rows[0][0]) if rows else {}

    def rename(self, old: str, new: str, who: str = "") -> None:
        """Copy the rows of the student `old`, including manual marks, to `new`; skip rows that `new` already has.

        Later files under the old name also belong to the student. The rows under the old name are not changed.

        Raises GradebookError if these are two students of the roster with work for the same assignment.
        """
        with self.transaction():
            self._check_one_person(old, new)
            enrolled = self.rows("SELECT 1 FROM enrolments WHERE student = ? LIMIT 1", new)
            for table, same in _OF_STUDENT.items():
                columns = [name for _, name, *_ in self.rows(f"PRAGMA table_info({table})") if name != "id"]
                has = {tuple(row) for row in self.rows(f"SELECT {same} FROM {table} WHERE student = ?", new)}
                standing = f" AND {STANDING}" if table == "adjustments" else ""
                rows = self.rows(
                    f"SELECT {same}, {', '.join(columns)} FROM {table} WHERE student = ?{standing} ORDER BY id", old
                )
                count = same.count(",") + 1
                for row in (row for row in rows if tuple(row[:count]) not in has):
                    copy = {**dict(zip(columns, row[count:])), "student": new}
                    if table == "submissions" and enrolled:
                        copy["notes"] = as_json([note for note in json.loads(copy["notes"]) if note != ABSENT])
                    if table == "attempts":
                        copy["report"] = as_json({**json.loads(copy["report"]), "student": new})
                    self.add(table, copy)
            newest = "SELECT max(id) FROM groups GROUP BY assignment, name"
            groups = self.rows(f"SELECT assignment, name, students FROM groups WHERE id IN ({newest})")
            for assignment, name, text in groups:
                if old in (members := json.loads(text)):
                    students = as_json(sorted({new if each == old else each for each in members}))
                    row = {"assignment": assignment, "name": name, "students": students}
                    self.add("groups", {**row, "who": who or user()})
            for student, removed in ((old, True), (new, False)):
                why = f"renamed: {new}" if removed else f"renamed from {old}"
                self.add("removals", {"student": student, "removed": removed, "who": who or user(), "why": why})
            self.decide(old, new, who)

    def _check_one_person(self, old: str, new: str) -> None:
        both = self.rows(
            "SELECT assignment FROM submissions WHERE counts AND student = ? AND student IN (SELECT student FROM"
            " enrolments) INTERSECT SELECT assignment FROM submissions WHERE counts AND student = ? AND student IN"
            " (SELECT student FROM enrolments)",
            old,
            new,
        )
        if both:
            raise GradebookError(f"{old} and {new} are both in the roster, and both handed in {both[0][0]}")


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def user() -> str:
    """Return the name of this computer's user."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
