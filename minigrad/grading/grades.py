"""The grade of a student: the newest report with manual adjustments, less a deduction for late work, with reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .late import LateRule, duration, moment
from .report import Mark, Report
from .submitted_notebook import Submission


@dataclass(frozen=True)
class Adjustment:
    """A manual change of marks.

    exercise : the exercise whose marks are set to `marks`, or None if `marks` are added to the sum.
    number : the number of the row. answer : `Mark.answer` of the answer that was read; None for any answer. decision :
        a word shared by marks that were given together.
    """

    exercise: str | None
    marks: float
    who: str
    why: str
    at: float
    number: int = 0
    answer: str | None = None
    decision: str | None = None

    def fits(self, mark: Mark | None) -> bool:
        """Return whether the adjustment applies to an answer's mark: it does not if another answer was read."""
        return self.answer is None or (mark is not None and mark.answer == self.answer)


@dataclass(frozen=True)
class Allowance:
    """More time for a student, `seconds` after the deadline, or an excuse from the assignment."""

    seconds: float
    excused: bool
    who: str
    why: str


@dataclass
class Grade:
    """The grade of a student for an assignment.

    marks : the sum; None if the work could not be graded, which is not a zero.
    status : "graded", "to read" by a person, "not graded" with the reason in `words`, "unreadable", "not graded yet",
        "missing", or "excused".
    by_exercise : the marks after adjustments. words : a sentence for each adjustment, deduction and missing mark,
        including those in `by_hand`. by_hand : exercise -> a sentence for each of its adjustments. name : the name in
        the roster. added : marks added to the sum manually. deduction : the deduction from the sum for late work.
        group : the students who submitted together. adjustments : the adjustments that were not withdrawn.
    """

    student: str
    status: str
    marks: float | None
    out_of: float
    by_exercise: dict[str, float | None] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    submission: Submission | None = None
    report: Report | None = None
    by_hand: dict[str, list[str]] = field(default_factory=dict)
    name: str = ""
    added: float = 0.0
    deduction: float = 0.0
    group: tuple[str, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()

    @property
    def who(self) -> str:
        """The student, with the name in the roster if it differs.

        >>> Grade("al1", "missing", None, 3.0, name="Ada Lovelace").who
        'Ada Lovelace (al1)'
        """
        return f"{self.name} ({self.student})" if self.name and self.name != self.student else self.student

    @property
    def so_far(self) -> float:
        """The sum of the marks that exist so far."""
        return sum(marks for marks in self.by_exercise.values() if marks is not None)

    @property
    def to_read(self) -> list[str]:
        """The exercises that a person has not read yet."""
        results = self.report.results if self.report else []
        return [m.exercise for m in results if m.state == "to read" and self.by_exercise[m.exercise] is None]


def grade(
    student: str,
    submission: Submission | None,
    noted: float,
    report: Report | None,
    adjustments: Sequence[Adjustment],
    rule: LateRule,
    out_of: float = 0.0,
    allowance: Allowance | None = None,
    used: float = 0.0,
) -> Grade:
    """Compute the grade of a student.

    noted : when the submission was entered.
    out_of : the full marks if there is no report.
    used : free late days used for earlier deadlines.

    >>> from minigrad.grading.report import Mark
    >>> report = Report("ada", "hw1", "00", "11", 0, "graded", [Mark("q1", "wrong", 0.0, 2.0)])
    >>> by_hand = [Adjustment("q1", 1.0, "prof", "a slip", 0.0)]
    >>> handed_in = Submission("ada", "ada.ipynb", "00", received=86_400.0)
    >>> graded = grade("ada", handed_in, 1e9, report, by_hand, LateRule(0.0, 50))
    >>> graded.marks, graded.out_of, graded.deduction, graded.words[0]
    (0.5, 2.0, 0.5, 'q1: 1 instead of 0, by prof: a slip')
    >>> graded.words[1]
    '1 day late, counted as 1 day at 50 %: deduction 50 %, 0.5 instead of 1'
    """
    words: list[str] = []
    results = {mark.exercise: mark for mark in report.results} if report else {}
    marks: dict[str, float | None] = {name: mark.marks for name, mark in results.items()}
    added, summed = 0.0, any(change.exercise is None for change in adjustments)
    by_hand: dict[str, list[str]] = {}
    for change in adjustments:
        if change.exercise is None:
            added += change.marks
            words.append(f"{change.marks:+g}, by {change.who}: {change.why}")
        elif not change.fits(results.get(change.exercise)):
            words.append(f"{change.exercise}: {change.marks:g} by {change.who}, for an earlier answer: {change.why}")
        else:
            before = marks.get(change.exercise)
            was = f" instead of {before:g}" if before is not None else ""
            marks[change.exercise] = change.marks
            by_hand.setdefault(change.exercise, []).append(f"{change.marks:g}{was}, by {change.who}: {change.why}")
            words.append(f"{change.exercise}: {by_hand[change.exercise][-1]}")
    status = _status(submission, report, marks)  # `marks` includes the manual marks, which count as graded
    grade = Grade(student, status, None, _out_of(report, out_of), marks, words, submission, report, by_hand)
    grade.adjustments = tuple(adjustments)
    if allowance is not None and allowance.excused:
        grade.status = "excused"
        words.append(f"excused, by {allowance.who}: {allowance.why}")
    elif status == "graded" or (status in ("missing", "unreadable") and (summed or by_hand)):
        grade.added = added
        earned = grade.so_far + added
        grade.marks, late = _after_deadline(earned, submission, noted, rule, allowance, used)
        grade.deduction = round(earned - grade.marks, 6)  # removes rounding errors
        words += late
    elif status == "to read":
        words += [f"{name}: a person reads this" for name in grade.to_read]
    elif submission is not None and submission.unreadable:
        words.append(submission.unreadable)
    elif report is not None:
        words += [f"{m.exercise} could not be graded: {m.why}" for m in report.results if _lacks(m, marks)]
        words += report.notes if report.status == "failed" else []
    return grade


def _lacks(mark: Mark, marks: dict[str, float | None]) -> bool:
    """Return whether an exercise has no marks, although it is not waiting for a person to read it."""
    return marks[mark.exercise] is None and mark.state != "to read"


def _status(submission: Submission | None, report: Report | None, marks: dict[str, float | None]) -> str:
    if submission is None:
        return "missing"
    if submission.unreadable or (report is not None and report.status == "unreadable"):
        return "unreadable"
    if report is None:
        return "not graded yet"
    if report.status == "failed" or any(_lacks(mark, marks) for mark in report.results):
        return "not graded"
    return "to read" if None in marks.values() else "graded"


def _out_of(report: Report | None, others: float) -> float:
    return report.out_of if report is not None and report.results else others


def _after_deadline(
    marks: float,
    submission: Submission | None,
    noted: float,
    rule: LateRule,
    allowance: Allowance | None,
    used: float,
) -> tuple[float, list[str]]:
    """Return the marks less the deduction for late work, and sentences about it.

    noted : when the submission was entered in the gradebook; it cannot count as submitted later.
    """
    if submission is None:
        return marks, []
    received = submission.received
    said = []
    if rule.due is not None and received is not None and received > noted + 60:
        said.append("the file's date is in the future; the time at which it was entered counts instead")
        received = noted
    if rule.due is not None and allowance is not None and allowance.seconds:
        rule = replace(rule, due=rule.due + allowance.seconds)
        more = f"{duration(allowance.seconds)} after the deadline of the others, by {allowance.who}: {allowance.why}"
        said.append(f"due {moment(rule.due or 0.0)}, {more}")
    marks, late = rule.apply(marks, received, used)
    return marks, [*said, *filter(None, [late])]
