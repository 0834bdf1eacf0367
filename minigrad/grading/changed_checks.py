"""The effect of changed checks on a class: which marks rise or fall, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .grades import Grade
from .report import Mark


@dataclass(frozen=True)
class Change:
    """A student's marks with the earlier and with the changed checks, after manual adjustments and the late rule.

    before, after : the marks; None if the work could not be graded.
    why : a sentence for each exercise that is judged differently.
    """

    student: str
    before: float | None
    after: float | None
    why: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.student}: {shown(self.before)} -> {shown(self.after)}; " + "; ".join(self.why)


def difference(before: Grade, after: Grade) -> Change | None:
    """Return the change between two grades of one submission, or None if all marks and the status are the same.

    >>> from minigrad.grading.report import Report
    >>> q1 = Mark("q1", "right", 2.0, 2.0), Mark("q1", "wrong", 0.0, 2.0, words="off at x = 0")
    >>> one, two = (
    ...     Grade("ada", "graded", m.marks, 2.0, report=Report("ada", "hw1", "00", "11", 0, "graded", [m])) for m in q1
    ... )
    >>> print(difference(one, two))
    ada: 2 -> 0; q1: right, 2 of 2, before; now wrong, 0 of 2: off at x = 0
    """
    old = {mark.exercise: mark for mark in before.report.results} if before.report else {}
    new = {mark.exercise: mark for mark in after.report.results} if after.report else {}
    why = []
    for name in {**old, **new}:
        changed = _why(name, old.get(name), new.get(name))
        kept = f" ({shown(after.by_exercise[name])} by hand, which stays)" if name in after.by_hand else ""
        why += [changed + kept] * bool(changed)
    why += [f"{before.status} before, now {after.status}"] * (before.status != after.status)
    return Change(after.student, before.marks, after.marks, tuple(why)) if why else None


def counted(changes: Sequence[Change], students: int) -> str:
    """Return a line that counts the students who gain, lose and keep marks; `students` is the number judged twice.

    >>> one, two = Change("ada", 2.0, 0.0, ()), Change("bob", None, 1.0, ())
    >>> counted([one, two], 9)
    'of 9 students: 0 gain, 1 loses, 7 keep their marks; 1 could be graded by only one of the two'
    """
    both = [(c.before, c.after) for c in changes if c.before is not None and c.after is not None]
    one = sum((c.before is None) != (c.after is None) for c in changes)
    gain, lose = sum(b < a for b, a in both), sum(b > a for b, a in both)
    said = f"{gain} gain{'s' * (gain == 1)}, {lose} lose{'s' * (lose == 1)}"
    rest = f"; {one} could be graded by only one of the two" * bool(one)
    keep = students - gain - lose - one
    return f"of {students} student{'s' * (students != 1)}: {said}, {keep} keep{'s' * (keep == 1)} their marks{rest}"


def _why(name: str, old: Mark | None, new: Mark | None) -> str:
    if old is None or new is None:
        return f"{name} is new" if old is None else f"{name} is gone"
    if (old.marks, old.out_of) == (new.marks, new.out_of):
        return ""
    # If a wrong answer has no sentence, the first failed check is the reason.
    failed = next((line.says for line in new.lines if line.right is False), "")
    reason = new.why or new.words or failed
    return f"{name}: {_verdict(old)}, before; now {_verdict(new)}" + (f": {reason}" if reason else "")


def _verdict(mark: Mark) -> str:
    return f"{mark.state}, {shown(mark.marks)} of {shown(mark.out_of)}"


def shown(marks: float | None) -> str:
    """Return marks as text, without needless digits.

    >>> shown(2.0), shown(2.5), shown(None)
    ('2', '2.5', 'not graded')
    """
    return "not graded" if marks is None else f"{marks:.6g}"
