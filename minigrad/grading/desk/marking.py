"""All that the desk writes: a mark by hand, the same mark for all who made a mistake, and its withdrawal."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from ..gradebook import Newer
from ..grades import Adjustment
from ..late import moment
from .frame import DeskFrame, Reply, Request, Unknown
from .reading import read
from .tables import one_student

MISSED = "Not saved: a mark from 0 to {most:g}, and a reason."


def mark(desk: DeskFrame, asked: Request) -> Reply:
    """Set the marks of an exercise, or add to the sum. If a newer mark stands, say so, and show the form again."""
    form = asked.form
    of, student, exercise = form.get("of", ""), form.get("student", ""), form.get("exercise", "")
    again: Callable[[DeskFrame, Request], Reply] = read if form.get("back") == "read" else one_student
    shown = dataclasses.replace(asked, query={"of": of, "student": student, "exercise": exercise})
    desk.grade(of, student)
    most = desk.mark(of, student, exercise).out_of if exercise else math.inf
    marks = _number(form.get("marks", ""))
    if (
        not (0 if exercise else -math.inf) <= marks <= most
        or not math.isfinite(marks)
        or not form.get("why", "").strip()
    ):
        said = MISSED.format(most=most) if exercise else "Not saved: marks to add, and a reason."
        return again(desk, dataclasses.replace(shown, said=said))
    after = _whole(form.get("after", "")) if exercise else None
    if exercise and form.get("answer") != desk.mark(of, student, exercise).answer:
        said = "Not saved: another answer was handed in meanwhile, which is shown here."
        return again(desk, dataclasses.replace(shown, said=said))
    try:
        number = desk.book.adjust(student, of, marks, form["why"], exercise or None, asked.who, after=after)
    except Newer as newer:
        return again(desk, dataclasses.replace(shown, said=f"Not saved, because meanwhile {_told(newer.now)}"))
    desk.open.pop((of, student, exercise), None)
    if again is read:
        return _to(desk, asked, "read", of=of, exercise=exercise, undo=number)
    return _to(desk, asked, "student", of=of, student=student)


def _told(now: Adjustment | None) -> str:
    said = f"{now.who} gave {now.marks:g} at {moment(now.at)[11:16]}: {now.why.rstrip('.')}" if now else ""
    return f"{said or 'the mark that you saw was withdrawn'}. Save again to replace it, or go on without saving."


def _to(desk: DeskFrame, asked: Request, page: str, **query: object) -> Reply:
    """The next page; for the script its address as text, since a Hub takes a fetch that is sent on for a stranger's."""
    if asked.form.get("reply") == "address":
        return Reply(desk.link(page, **query), kind="text/plain; charset=utf-8")
    return desk.elsewhere(page, **query)


def mark_all(desk: DeskFrame, asked: Request) -> Reply:
    """The same marks and reason for everybody with a named mistake and without a mark by hand: all of them or none."""
    form = asked.form
    of, exercise, mistake = form.get("of", ""), form.get("exercise", ""), form.get("mistake", "")
    found = {
        g.student: mark.out_of
        for g in desk.grades(of).values()
        for mark in (g.report.results if g.report else ())
        if mark.exercise == exercise and mark.state == "wrong" and mark.mistake and mark.mistake[0] == mistake
        if exercise not in g.by_hand
    }
    marks = _number(form.get("marks", ""))
    if not found:
        raise Unknown(f"a student with {mistake!r} in {exercise!r} and no mark by hand")
    if not 0 <= marks <= min(found.values()) or not form.get("why", "").strip():
        raise Unknown(f"marks from 0 to {min(found.values()):g}, and a reason")
    with desk.book.transaction():
        for student in found:
            desk.book.adjust(student, of, marks, form["why"], exercise, asked.who, alone=True)
    return desk.elsewhere("class", of=of, exercise=exercise, mistake=mistake)


def undo(desk: DeskFrame, asked: Request) -> Reply:
    """Withdraw one mark by hand, and go back to what it was for."""
    number = _whole(asked.form.get("number", ""))
    desk.book.withdraw(number, who=asked.who)
    of, student, exercise = desk.book.whose(number)
    if asked.form.get("back") == "read":
        return desk.elsewhere("read", of=of, exercise=exercise, student=student)
    return desk.elsewhere("student", of=of, student=student)


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() else 0


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return math.nan
