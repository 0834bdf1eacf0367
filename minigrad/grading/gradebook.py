"""The gradebook of a course: an SQLite file whose rows are only added, never changed.

A grade is computed whenever it is read, from the newest submission, its newest report, the adjustments with their
reasons, and the late rule. The order of the rows counts, not their times.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType

from .class_list import STANDING, ClassList, as_json, user
from .database import GradebookError
from .grades import Adjustment, Allowance, Grade, grade
from .late import LateRule
from .report import Report
from .roster import full_name
from .submitted_notebook import Submission

_ADJUSTMENT = "exercise, marks, who, why, at, id, answer, decision"


class Newer(GradebookError):
    """Raised if somebody else has meanwhile marked the exercise or withdrawn the mark; `now` is the current mark."""

    def __init__(self, now: Adjustment | None) -> None:
        said = f"{now.who} gave {now.marks:g}: {now.why}" if now else "the mark that was there has been withdrawn"
        super().__init__(f"not saved, because meanwhile {said}")
        self.now = now


class Gradebook(ClassList):
    """The gradebook in the file `path`, as a context manager; a missing file is created.

    Raises GradebookError if the file is not a gradebook, or has a newer version.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Gradebook(Path(folder.name, "course.db")) as book:
    ...     book.receive("hw1", Submission("ada", "ada.ipynb", "00"))
    ...     [(g.student, g.status, g.marks) for g in book.grades("hw1")]
    [('ada', 'not graded yet', None)]
    >>> folder.cleanup()
    """

    def __init__(self, path: Path | str, make: bool = True, write: bool = True) -> None:
        super().__init__(path, make, write)
        self._parsed: dict[int, Report] = {}

    def enroll(self, students: Mapping[str, Mapping[str, str]]) -> None:
        """Add the students of the class, with the columns of the roster, unless they are already there."""
        enrolled = self._enrolled()
        new = {student: row for student, row in students.items() if enrolled.get(student) != row}
        self.add("enrolments", *({"student": student, "details": as_json(dict(row))} for student, row in new.items()))

    def students(self) -> dict[str, dict[str, str]]:
        """Return the columns of the roster by student, in the order of entry, without removed students."""
        gone = self.removed()
        return {student: row for student, row in self._enrolled().items() if student not in gone}

    def _enrolled(self) -> dict[str, dict[str, str]]:
        rows = self.rows("SELECT student, details FROM enrolments ORDER BY id")
        return {student: json.loads(details) for student, details in rows}

    def set_rule(self, assignment: str, rule: LateRule) -> None:
        """Set the late rule of an assignment, which then applies to all submissions, including earlier ones."""
        if rule != self.rule(assignment):
            self.add("rules", {"assignment": assignment, "rule": as_json(asdict(rule))})

    def rule(self, assignment: str) -> LateRule:
        """Return the late rule of an assignment, or a rule without a deadline if none was set."""
        rows = self.rows("SELECT rule FROM rules WHERE assignment = ? ORDER BY id DESC LIMIT 1", assignment)
        return LateRule(**json.loads(rows[0][0])) if rows else LateRule()

    def receive(self, assignment: str, submission: Submission, counts: bool = True) -> None:
        """Add a submission, unless it is already the newest.

        counts : whether it replaces earlier submissions.
        """
        names = ("digest", "file", "received", "counts", "notes", "unreadable")
        s = submission
        row = (s.digest, s.file, s.received, counts, as_json([*s.notes, *s.asides]), s.unreadable)
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
        """Add a row with a report on a submission of an assignment."""
        names = ("student", "digest", "spec", "seed", "status", "marks", "out_of")
        row = {name: getattr(report, name) for name in names}
        self.add("attempts", {**row, "assignment": assignment, "report": report.to_json()})

    def done(self, assignment: str, submission: Submission, spec: str, seed: int) -> tuple[Report | None, bool]:
        """Return the newest report on this file with these checks and this seed, or None, and whether it counts."""
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
        self,
        student: str,
        assignment: str,
        marks: float,
        why: str,
        exercise: str | None = None,
        who: str = "",
        *,
        after: int | None = None,
        alone: bool = False,
        decision: str | None = None,
    ) -> int:
        """Set the marks of an exercise or, without an exercise, add `marks` to the sum; return the number of the row.

        The marks of an exercise belong to the current answer. Either all students who submitted as a group get these
        marks, or none of them does. who, why : the author and the reason. after : the number of the newest manual mark
        that the teacher has seen; 0 if there was none. alone : whether the marks are only for this student, not for the
        group. decision : a word shared by marks that are given together and can be withdrawn together.

        Raises GradebookError if the student or the exercise is unknown, or the reason is empty, and Newer if the newest
        manual mark is no longer number `after`.
        """
        if not math.isfinite(marks):
            raise GradebookError(f"marks must be a number, got {marks}")
        if not why.strip():
            raise GradebookError("an adjustment needs a reason: write why, as in --why 'the sentence was unclear'")
        self._check_student(student, assignment)
        most = self._exercises(assignment)
        if exercise is not None and exercise not in most:
            there = ", ".join(sorted(most)) or "none yet"
            raise GradebookError(f"{assignment} has no exercise {exercise!r}; there are {there}")
        if exercise is not None and not 0 <= marks <= most[exercise]:
            raise GradebookError(
                f"{exercise} takes 0 to {most[exercise]:g} marks, got {marks:g}; "
                "to add marks to the total instead, leave out --exercise"
            )
        with self.transaction():  # nobody else can add a mark in between
            newest = self.last_adjustment(student, assignment, exercise)
            if after is not None and after != (newest.number if newest else 0):
                raise Newer(newest)
            report = self.report_of(student, assignment)
            answers = {mark.exercise: mark.answer for mark in report.results} if report else {}
            row = {"assignment": assignment, "exercise": exercise, "marks": float(marks), "why": why.strip()}
            row |= {"who": who or user(), "answer": answers.get(exercise or ""), "decision": decision}
            others = [] if alone else [s for s in self.group_of(student, assignment) if s != student]
            return self.add("adjustments", *({**row, "student": other} for other in [*others, student]))

    def withdraw(self, number: int, why: str = "undone", who: str = "") -> Adjustment:
        """Withdraw a manual mark, as if it had never been given, and return it; a second call changes nothing.

        Raises GradebookError if there is no such number.
        """
        with self.transaction():
            rows = self.rows(f"SELECT {_ADJUSTMENT} FROM adjustments WHERE id = ?", number)
            if not rows:
                raise GradebookError(f"there is no manual mark number {number}")
            adjustment = Adjustment(*rows[0])
            row = {"who": who or user(), "why": why}
            self.add("withdrawals", *({**row, "adjustment": each} for each in self._given_together(adjustment)))
        return adjustment

    def withdraw_decision(self, decision: str, why: str = "undone", who: str = "") -> int:
        """Withdraw all current manual marks of a decision, and return how many there were."""
        with self.transaction():
            rows = self.rows(f"SELECT id FROM adjustments WHERE decision = ? AND {STANDING}", decision)
            row = {"who": who or user(), "why": why}
            self.add("withdrawals", *({**row, "adjustment": number} for (number,) in rows))
        return len(rows)

    def _given_together(self, mark: Adjustment) -> list[int]:
        """Return the row numbers of a manual mark and of the same mark for the rest of the group, if not withdrawn."""
        assignment, student, _ = self.whose(mark.number)
        rows = self.rows(
            "SELECT id, student FROM adjustments WHERE assignment = ? AND exercise IS ? AND marks = ? AND who = ?"
            f" AND why = ? AND abs(at - ?) < 1 AND {STANDING}",
            *(assignment, mark.exercise, mark.marks, mark.who, mark.why, mark.at),
        )
        group = self.group_of(student, assignment)
        return [number for number, other in rows if other in group and (other != student or number == mark.number)]

    def adjustment(self, number: int) -> Adjustment | None:
        """Return the manual mark with this number, or None if it was withdrawn."""
        rows = self.rows(f"SELECT {_ADJUSTMENT} FROM adjustments WHERE id = ? AND {STANDING}", number)
        return Adjustment(*rows[0]) if rows else None

    def whose(self, number: int) -> tuple[str, str, str]:
        """Return the assignment, the student and the exercise of a manual mark."""
        ((assignment, student, exercise),) = self.rows(
            "SELECT assignment, student, exercise FROM adjustments WHERE id = ?", number
        )
        return assignment, student, exercise or ""

    def history(self, student: str, assignment: str) -> list[tuple[Adjustment, str]]:
        """Return every manual mark of a student, newest first, with the name of the person who withdrew it, if any."""
        rows = self.rows(
            f"SELECT {_ADJUSTMENT}, coalesce((SELECT who FROM withdrawals WHERE adjustment = adjustments.id), '')"
            " FROM adjustments WHERE student = ? AND assignment = ? ORDER BY id DESC",
            student,
            assignment,
        )
        return [(Adjustment(*row), gone) for *row, gone in rows]

    def reasons(self, assignment: str, exercise: str) -> list[str]:
        """Return the reasons of the current manual marks of an exercise, the most common first."""
        rows = self.rows(
            f"SELECT why FROM adjustments WHERE assignment = ? AND exercise = ? AND {STANDING}"
            " GROUP BY why ORDER BY count(*) DESC, max(id) DESC",
            assignment,
            exercise,
        )
        return [why for (why,) in rows]

    def last_adjustment(self, student: str, assignment: str, exercise: str | None) -> Adjustment | None:
        """Return the newest manual mark of an exercise that was not withdrawn."""
        rows = self.rows(
            f"SELECT {_ADJUSTMENT} FROM adjustments WHERE assignment = ? AND student = ? AND exercise IS ?"
            f" AND {STANDING} ORDER BY id DESC LIMIT 1",
            assignment,
            student,
            exercise,
        )
        return Adjustment(*rows[0]) if rows else None

    def allow(
        self, student: str, assignment: str, seconds: float, why: str, who: str = "", excused: bool = False
    ) -> None:
        """Give a student `seconds` more time (0 for none), or excuse the student. The newest decision counts."""
        if not why.strip() or not math.isfinite(seconds) or seconds < 0:
            raise GradebookError("extra time needs a positive number and a reason, as in 48h --why ill")
        self._check_student(student, assignment)
        row = {"student": student, "assignment": assignment, "seconds": seconds, "excused": excused}
        self.add("allowances", {**row, "who": who or user(), "why": why.strip()})

    def set_group(self, assignment: str, name: str, students: Sequence[str], who: str = "") -> None:
        """Let students submit together: the newest work of any of them counts for all. An empty list ends the group."""
        for student in students:
            self._check_student(student, assignment)
        row = {"assignment": assignment, "name": name, "students": as_json(sorted(students))}
        self.add("groups", {**row, "who": who or user()})

    def groups(self, assignment: str) -> dict[str, tuple[str, ...]]:
        """Return the group of each student, from `set_group` or else from the column "group" of the roster."""
        groups: dict[str, tuple[str, ...]] = {}
        roster: dict[str, list[str]] = {}
        for student, row in self.students().items():
            if row.get("group"):
                roster.setdefault(row["group"], []).append(student)
        for members in roster.values():
            groups |= dict.fromkeys(members, tuple(members))
        # If there are several entries for a group's name, the newest counts.
        named = dict(self.rows("SELECT name, students FROM groups WHERE assignment = ? ORDER BY id", assignment))
        for text in named.values():
            members = json.loads(text)
            for student in members:
                # The students who remain in the roster's group still form a group.
                left = tuple(s for s in groups.get(student, ()) if s not in members)
                groups |= dict.fromkeys(left, left)
            groups |= dict.fromkeys(members, tuple(members))
        return {student: members for student, members in groups.items() if len(members) > 1}

    def group_of(self, student: str, assignment: str) -> tuple[str, ...]:
        """Return the students who submit together with `student`, including `student`."""
        return self.groups(assignment).get(student, (student,))

    def _class(self, assignment: str) -> list[str]:
        """Return the students who submitted something or are in the roster."""
        rows = self.rows("SELECT DISTINCT student FROM submissions WHERE assignment = ? AND counts", assignment)
        return sorted({*(student for (student,) in rows), *self.students()} - self.removed())

    def _check_student(self, student: str, assignment: str) -> None:
        students = self._class(assignment)
        if student not in students:
            raise GradebookError(f"{assignment} has no student {student!r}; there are {', '.join(students) or 'none'}")

    def _exercises(self, assignment: str) -> dict[str, float]:
        """Return the exercises of an assignment with their full marks, according to the newest reports."""
        reports = self.latest_reports(assignment).values()
        return {mark.exercise: mark.out_of for report in reports for mark in report.results}

    def assignments(self) -> list[str]:
        return [name for (name,) in self.rows("SELECT DISTINCT assignment FROM submissions ORDER BY assignment")]

    def latest_reports(self, assignment: str) -> dict[str, Report]:
        """Return the report that counts for each student. Rows never change, so each row is parsed only once."""
        reports = {}
        for student, number in self.rows("SELECT student, id FROM latest WHERE assignment = ?", assignment):
            if number not in self._parsed:
                ((text,),) = self.rows("SELECT report FROM attempts WHERE id = ?", number)
                self._parsed[number] = Report.from_json(text)
            reports[student] = self._parsed[number]
        return reports

    def report_of(self, student: str, assignment: str) -> Report | None:
        """Return the report that counts for a student, who may have submitted with others."""
        reports = self.latest_reports(assignment)
        source = self._source(student, self.groups(assignment), self._handed_in(assignment))
        return reports.get(source)

    def _handed_in(self, assignment: str) -> dict[str, tuple[Submission, float]]:
        columns = "student, digest, file, received, notes, unreadable, at"
        return {
            student: (Submission(student, file, digest, (), received, tuple(json.loads(notes)), unreadable), at)
            for student, digest, file, received, notes, unreadable, at in self.rows(
                f"SELECT {columns} FROM counted WHERE assignment = ? ORDER BY id", assignment
            )
        }

    def _source(
        self, student: str, groups: Mapping[str, Sequence[str]], handed_in: Mapping[str, tuple[Submission, float]]
    ) -> str:
        """Return the student whose work counts for `student`: in a group, the member who submitted last."""
        members = [s for s in groups.get(student, (student,)) if s in handed_in]
        received = {s: handed_in[s][0].received for s in members}
        when = lambda s: (handed_in[s][1] if received[s] is None else received[s], s == student)
        return max(members, key=when, default=student)

    def grades(self, assignment: str, instead: Mapping[str, Report] = MappingProxyType({})) -> list[Grade]:
        """Return the grade of every student who is in the class or submitted something, sorted by name.

        instead : student -> a report to use instead of the current report; nothing is written.
        """
        rule = self.rule(assignment)
        reports = {**self.latest_reports(assignment), **instead}
        adjusted: dict[str, list[Adjustment]] = {}
        for student, *row in self.rows(
            f"SELECT student, {_ADJUSTMENT} FROM adjustments WHERE assignment = ? AND {STANDING} ORDER BY id",
            assignment,
        ):
            adjusted.setdefault(student, []).append(Adjustment(*row))
        allowed = {
            student: Allowance(seconds, bool(excused), who, why)
            for student, seconds, excused, who, why in self.rows(
                "SELECT student, seconds, excused, who, why FROM allowances WHERE assignment = ? ORDER BY id",
                assignment,
            )
        }
        handed_in, groups, gone = self._handed_in(assignment), self.groups(assignment), self.removed()
        used = self._free_days_before(assignment) if rule.free else {}
        out_of = max((report.out_of for report in reports.values()), default=0.0)
        roster = self.students()
        grades = []
        for student in sorted({*handed_in, *roster} - gone, key=lambda student: (student.casefold(), student)):
            source = self._source(student, groups, handed_in)
            submission, noted = handed_in.get(source, (None, 0.0))
            by_hand, more = adjusted.get(student, []), allowed.get(student)
            report = reports.get(source)
            g = grade(student, submission, noted, report, by_hand, rule, out_of, more, used.get(student, 0.0))
            g.name, g.group = full_name(roster.get(student, {})), tuple(groups.get(student, ()))
            if source != student:
                g.words.insert(0, f"handed in by {source}, with {', '.join(s for s in g.group if s != source)}")
            grades.append(g)
        return grades

    def _free_days_before(self, assignment: str) -> dict[str, float]:
        """Return the number of free days that each student used for assignments with an earlier deadline."""
        rules = {name: self.rule(name) for name in self.assignments()}
        due = {name: rule.due for name, rule in rules.items() if rule.due is not None}
        earlier = [(at, name) for name, at in due.items() if at < due.get(assignment, at)]
        used: dict[str, float] = {}
        for _, name in sorted(earlier):
            allowed = dict(self.rows("SELECT student, seconds FROM allowances WHERE assignment = ? ORDER BY id", name))
            handed_in, groups = self._handed_in(name), self.groups(name)
            for student in {*handed_in, *groups}:
                submission, noted = handed_in.get(self._source(student, groups, handed_in), (None, 0.0))
                if submission is None or submission.received is None:
                    continue
                # If a submission time is later than the time its row was added, a clock was wrong.
                received = noted if submission.received > noted + 60 else submission.received
                days = rules[name].free_days(received - allowed.get(student, 0.0), used.get(student, 0.0))
                used[student] = used.get(student, 0.0) + days
        return used

    def times(self, assignment: str) -> list[float | None]:
        """Return the time of each submission, in seconds since 1970, or None if it is not known."""
        rows = self.rows("SELECT received FROM submissions WHERE assignment = ? ORDER BY id", assignment)
        return [at for (at,) in rows]

    def attempts(self, assignment: str) -> Iterator[tuple[Report, float]]:
        """Return every report that was added for an assignment, in order, with the time of its entry."""
        for report, at in self.rows("SELECT report, at FROM attempts WHERE assignment = ? ORDER BY id", assignment):
            yield Report.from_json(report), at
