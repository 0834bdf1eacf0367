"""Read one answer after another, without names, with the rubric and earlier reasons; open answers are skipped."""

from __future__ import annotations

import random
import time

from ..grades import Grade
from .frame import DeskFrame, Reply, Request, Unknown, scale_of, whole

HELD = 300.0  # seconds for which an answer that somebody has opened is not offered to others
REASONS = 6  # number of reasons that are offered, one for each of the keys q w e r t y


def read(desk: DeskFrame, asked: Request) -> Reply:
    """Show a student's answer to an exercise that a person reads, or the next unread answer if no student is named."""
    of, exercise = asked.query.get("of", ""), asked.query.get("exercise", "")
    order = reading_order(desk, of, exercise)
    if not order:
        raise Unknown(f"an answer to read in {exercise!r}")
    student = asked.query.get("student", "")
    if not student:
        return _next(desk, asked, of, exercise, order)
    if student not in order:
        raise Unknown(f"an answer of {student!r} to read in {exercise!r}")
    key, now = (of, student, exercise), time.monotonic()
    other = _holder(desk, key, asked.who, now)
    if not other:
        desk.open[key] = asked.who, now
    g, mark, at = desk.grade(of, student), desk.mark(of, student, exercise), order.index(student)
    scale = scale_of(mark) or [(str(n), n, "") for n in range(int(min(mark.out_of, 9)) + 1)]
    return desk.page(
        "read.html",
        asked,
        of=of,
        exercise=exercise,
        g=g,
        mark=mark,
        scale=scale,
        other=other,
        newest=desk.book.last_adjustment(student, of, exercise),
        reasons=[why for why in desk.book.reasons(of, exercise) if why not in dict(mark.scale).values()][:REASONS],
        same=same_text(desk, of, exercise, student),
        done=sum(not _unread(desk.grade(of, s), exercise) for s in order),
        total=len(order),
        at=at + 1,
        undo=desk.book.adjustment(whole(asked.query.get("undo", ""))),
        before=order[at - 1] if at else "",
        next=order[at + 1] if at + 1 < len(order) else "",
    )


def reading_order(desk: DeskFrame, of: str, exercise: str) -> list[str]:
    """Return the students in an order that reveals nothing about them, and is the same for all teachers."""
    students = [
        g.student
        for g in desk.grades(of).values()
        if g.report and any(m.exercise == exercise and m.state == "to read" for m in g.report.results)
    ]
    random.Random(f"{of}/{exercise}").shuffle(students)
    return students


def _next(desk: DeskFrame, asked: Request, of: str, exercise: str, order: list[str]) -> Reply:
    """Redirect to the next unread answer that nobody else has open, or show that there is none.

    order : the students in reading order; each teacher starts at a different position in it.
    """
    start = random.Random(f"{asked.who}/{of}").randrange(len(order))
    unread = [s for s in [*order[start:], *order[:start]] if _unread(desk.grade(of, s), exercise)]
    now = time.monotonic()
    for student in unread:
        if not _holder(desk, (of, student, exercise), asked.who, now):
            return desk.elsewhere("read", of=of, exercise=exercise, student=student, undo=asked.query.get("undo"))
    last = desk.book.adjustment(whole(asked.query.get("undo", "")))
    return desk.page("done.html", asked, of=of, exercise=exercise, total=len(order), left=len(unread), undo=last)


def _unread(g: Grade, exercise: str) -> bool:
    return g.by_exercise[exercise] is None


def _holder(desk: DeskFrame, key: tuple[str, str, str], who: str, now: float) -> str:
    """Return the name of another teacher who has an answer open, or "" if there is none.

    key : the assignment, the student and the exercise. who : the teacher who asks. now : the current time.
    """
    holder, since = desk.open.get(key, ("", 0.0))
    return holder if holder != who and now - since < HELD else ""


def same_text(desk: DeskFrame, of: str, exercise: str, student: str) -> list[Grade]:
    """Return the grades of other students, not of the same group, whose text has the same words."""
    words = desk.mark(of, student, exercise).code.casefold().split()
    authors = {student, *desk.grade(of, student).group}
    if not words:  # empty answers are all alike, and nobody copied them
        return []

    def has_the_words(g: Grade) -> bool:
        marks = g.report.results if g.report else ()
        return any(m.exercise == exercise and m.code.casefold().split() == words for m in marks)

    return [g for g in desk.grades(of).values() if g.student not in authors and has_the_words(g)]
