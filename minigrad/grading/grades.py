"""The grade of one student: the newest report, adjusted by hand, less a deduction for late work, with reasons."""

from __future__ import annotations

from dataclasses import dataclass, field

from .late import LateRule
from .reading import Submission
from .report import Report


@dataclass(frozen=True)
class Adjustment:
    """A change by hand. exercise : the one whose marks are set to `marks`; None if these are added to the sum."""

    exercise: str | None
    marks: float
    who: str
    why: str
    at: float


@dataclass
class Grade:
    """The grade of one student for one assignment. marks : None if it could not be graded, which is not a zero.

    status : "graded", "not graded" with the reason in `words`, "unreadable", "not graded yet" or "missing".
    by_exercise : marks after adjustments. words : a sentence for each adjustment, deduction and absent mark, including
    those of `by_hand`. by_hand : by exercise, a sentence for each of its adjustments. name : in the roster.
    added : marks added to the sum by hand. deduction : from the sum, for late work.
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

    @property
    def who(self) -> str:
        """The student, with the name in the roster if it differs.

        >>> Grade("al1", "missing", None, 3.0, name="Ada Lovelace").who
        'Ada Lovelace (al1)'
        """
        return f"{self.name} ({self.student})" if self.name and self.name != self.student else self.student


def grade(
    student: str,
    submission: Submission | None,
    noted: float,
    report: Report | None,
    adjustments: list[Adjustment],
    rule: LateRule,
    out_of: float = 0.0,
) -> Grade:
    """Compute the grade. noted : when the submission was entered. out_of : the default if there is no report.

    >>> from minigrad.grading.report import Mark
    >>> report = Report("ada", "hw1", "00", "11", 0, "graded", [Mark("q1", "wrong", 0.0, 2.0)])
    >>> by_hand = [Adjustment("q1", 1.0, "prof", "a slip", 0.0)]
    >>> handed_in = Submission("ada", "ada.ipynb", "00", received=86_400.0)
    >>> found = grade("ada", handed_in, 1e9, report, by_hand, LateRule(0.0, 50))
    >>> found.marks, found.out_of, found.deduction, found.words[0]
    (0.5, 2.0, 0.5, 'q1: 1 in place of 0, by prof: a slip')
    >>> found.words[1]
    '1 day late, 1 day begun at 50 %: deduction 50 %, 0.5 in place of 1'
    """
    words: list[str] = []
    marks: dict[str, float | None] = {mark.exercise: mark.marks for mark in report.results} if report else {}
    added = 0.0
    by_hand: dict[str, list[str]] = {}
    for change in adjustments:
        if change.exercise is None:
            added += change.marks
            words.append(f"{change.marks:+g}, by {change.who}: {change.why}")
        else:
            before = marks.get(change.exercise)
            was = f" in place of {before:g}" if before is not None else ""
            marks[change.exercise] = change.marks
            by_hand.setdefault(change.exercise, []).append(f"{change.marks:g}{was}, by {change.who}: {change.why}")
            words.append(f"{change.exercise}: {by_hand[change.exercise][-1]}")
    status = _status(submission, report, marks)
    found = Grade(student, status, None, _out_of(report, out_of), marks, words, submission, report, by_hand)
    if status == "graded" or (status in ("missing", "unreadable") and adjustments):
        found.added = added
        earned = sum(m for m in marks.values() if m is not None) + added
        found.marks, late = _after_deadline(earned, submission, noted, rule)
        found.deduction = round(earned - found.marks, 6)
        words += late
    elif submission is not None and submission.unreadable:
        words.append(submission.unreadable)
    elif report is not None:
        words += [f"{m.exercise} could not be graded: {m.why}" for m in report.results if marks[m.exercise] is None]
        words += report.notes if report.status == "failed" else []
    return found


def _status(submission: Submission | None, report: Report | None, marks: dict[str, float | None]) -> str:
    if submission is None:
        return "missing"
    if submission.unreadable or (report is not None and report.status == "unreadable"):
        return "unreadable"
    if report is None:
        return "not graded yet"
    return "not graded" if report.status == "failed" or None in marks.values() else "graded"


def _out_of(report: Report | None, others: float) -> float:
    return report.out_of if report is not None and report.results else others


def _after_deadline(
    marks: float, submission: Submission | None, noted: float, rule: LateRule
) -> tuple[float, list[str]]:
    """The marks less the deduction. A file dated later than its entry counts as handed in at its entry."""
    if submission is None:
        return marks, []
    received = submission.received
    said = []
    if rule.due is not None and received is not None and received > noted + 60:
        said.append("the date of the file is in the future; the time at which it was entered counts in its place")
        received = noted
    marks, late = rule.apply(marks, received)
    return marks, [*said, *filter(None, [late])]
