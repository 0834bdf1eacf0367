"""What a changed check does to a class: who gains, who loses, and why."""

from __future__ import annotations

from dataclasses import dataclass

from .report import Mark, Report


@dataclass(frozen=True)
class Change:
    """One student's marks by two sets of checks; None for what could not be graded. why : a sentence per exercise."""

    student: str
    before: float | None
    after: float | None
    why: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.student}: {shown(self.before)} -> {shown(self.after)}; " + "; ".join(self.why)


def difference(before: Report, after: Report) -> Change | None:
    """What changed from one report to another on the same submission; None when every mark is the same.

    >>> q1 = Mark("q1", "right", 2.0, 2.0), Mark("q1", "wrong", 0.0, 2.0, words="off at x = 0")
    >>> one, two = (Report("ada", "hw1", "00", "11", 0, "graded", [mark]) for mark in q1)
    >>> print(difference(one, two))
    ada: 2 -> 0; q1: right, 2 of 2, before; now wrong, 0 of 2: off at x = 0
    """
    old = {mark.exercise: mark for mark in before.results}
    new = {mark.exercise: mark for mark in after.results}
    why = [_why(name, old.get(name), new.get(name)) for name in {**old, **new}]
    why += [f"{before.status} before, now {after.status}"] * (before.status != after.status)
    changed = tuple(filter(None, why))
    return Change(after.student, before.marks, after.marks, changed) if changed else None


def _why(name: str, old: Mark | None, new: Mark | None) -> str:
    if old is None or new is None:
        return f"{name} is new" if old is None else f"{name} is gone"
    if (old.marks, old.out_of) == (new.marks, new.out_of):
        return ""
    failed = next((line.says for line in new.lines if line.right is False), "")
    reason = new.why or new.words or failed
    return f"{name}: {_verdict(old)}, before; now {_verdict(new)}" + (f": {reason}" if reason else "")


def _verdict(mark: Mark) -> str:
    return f"{mark.state}, {shown(mark.marks)} of {shown(mark.out_of)}"


def shown(marks: float | None) -> str:
    """Marks as people write them.

    >>> shown(2.0), shown(2.5), shown(None)
    ('2', '2.5', 'not graded')
    """
    return "not graded" if marks is None else f"{marks:.6g}"
