"""Everything that the desk writes: manual marks, the same mark for all who made a mistake, and withdrawals."""

from __future__ import annotations

import dataclasses
import math
import secrets
from collections.abc import Callable

from ..gradebook import Newer
from ..grades import Adjustment
from ..late import moment
from .blind_reading import read
from .frame import DeskFrame, Reply, Request, Unknown, whole
from .tables import one_student
from .wrong import behaviour_of, wrong_marks

MISSED = "Not saved: write a mark from 0 to {most:g}, and a reason."


def mark(desk: DeskFrame, asked: Request) -> Reply:
    """Set the marks of an exercise, or add marks to the sum. If a mark is newer, show the form again with a note."""
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
        said = MISSED.format(most=most) if exercise else "Not saved: write the marks to add, and a reason."
        return again(desk, dataclasses.replace(shown, said=said))
    # Only the marks of an exercise can be outdated by newer ones; marks that are added to the sum replace nothing.
    after = whole(form.get("after", "")) if exercise else None
    if exercise and form.get("answer") != desk.mark(of, student, exercise).answer:
        said = "Not saved: a new answer was submitted in the meantime; it is shown here."
        return again(desk, dataclasses.replace(shown, said=said))
    try:
        number = desk.book.adjust(student, of, marks, form["why"], exercise or None, asked.who, after=after)
    except Newer as newer:
        return again(desk, dataclasses.replace(shown, said=f"Not saved, because meanwhile {_told(newer.now)}"))
    desk.open.pop((of, student, exercise), None)  # other teachers may open it now
    if again is read:
        return _to(desk, asked, "read", of=of, exercise=exercise, undo=number)
    return _to(desk, asked, "student", of=of, student=student)


def _told(now: Adjustment | None) -> str:
    said = f"{now.who} gave {now.marks:g} at {moment(now.at)[11:16]}: {now.why.rstrip('.')}" if now else ""
    return f"{said or 'the mark that you saw has been withdrawn'}. Save again to replace it, or go on without saving."


def _to(desk: DeskFrame, asked: Request, page: str, **query: object) -> Reply:
    """Return a redirect to a page. If a script asks, return the address as text: a Hub rejects a redirected fetch."""
    if asked.form.get("reply") == "address":
        return Reply(desk.link(page, **query), kind="text/plain; charset=utf-8")
    return desk.elsewhere(page, **query)


def mark_all(desk: DeskFrame, asked: Request) -> Reply:
    """Give the same marks and reason to everyone whose answer behaves the same or shows the same mistake.

    Students with a manual mark keep it. Either all other students get the marks, or none of them does.
    """
    form = asked.form
    of, exercise = form.get("of", ""), form.get("exercise", "")
    mistake, behaviour = form.get("mistake", ""), form.get("behaviour", "")
    if not exercise or not (mistake or behaviour):
        raise Unknown("a decision without an exercise and a mistake")
    out_of = {
        g.student: mark.out_of
        for g, mark in wrong_marks(desk, of, exercise)
        if (behaviour_of(mark) == behaviour if behaviour else mark.mistake and mark.mistake[0] == mistake)
        if exercise not in g.by_hand
    }
    marks = _number(form.get("marks", ""))
    if not out_of:
        raise Unknown(f"a student with this wrong answer in {exercise!r} and no manual mark")
    if not 0 <= marks <= min(out_of.values()) or not form.get("why", "").strip():
        raise Unknown(f"marks from 0 to {min(out_of.values()):g}, and a reason")
    decision = secrets.token_hex(8)
    with desk.book.transaction():
        for student in out_of:
            desk.book.adjust(student, of, marks, form["why"], exercise, asked.who, alone=True, decision=decision)
    if form.get("back") == "wrong":
        return desk.elsewhere("wrong", of=of, exercise=form.get("within", ""))
    return desk.elsewhere("class", of=of, exercise=exercise, mistake=mistake)


def undo(desk: DeskFrame, asked: Request) -> Reply:
    """Withdraw a manual mark, or all marks of a decision, and return to the page of the mark."""
    form = asked.form
    if decision := form.get("decision"):
        if not desk.book.withdraw_decision(decision, who=asked.who):
            raise Unknown("a mark of this decision that is not withdrawn")
        return desk.elsewhere("wrong", of=form.get("of", ""), exercise=form.get("within", ""))
    number = whole(form.get("number", ""))
    if not desk.book.rows("SELECT 1 FROM adjustments WHERE id = ?", number):
        raise Unknown(f"a manual mark with the number {form.get('number', '')[:20]!r}")
    desk.book.withdraw(number, who=asked.who)
    of, student, exercise = desk.book.whose(number)
    if form.get("back") == "read":
        return desk.elsewhere("read", of=of, exercise=exercise, student=student)
    return desk.elsewhere("student", of=of, student=student)


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))  # 1,5 is 1.5 in much of Europe
    except ValueError:
        return math.nan
