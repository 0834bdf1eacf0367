"""Pages: a table of the class to sort, filter and search; a student; similar answers; an answer's backward pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.classroom.picture import Picture

from ..exercise_statistics import common_mistakes, exercise_numbers, predictions, unnamed_mistakes
from ..grades import Grade
from ..pages import student_page
from ..pages.backward_page import backward_page
from ..report import Mark
from ..similar_code import similar_pairs
from .frame import DeskFrame, Reply, Request, Unknown, scale_of
from .wrong import decisions, wrong_marks

STATUSES = ("to read", "graded", "not graded", "unreadable", "not graded yet", "missing", "excused")
#: The Content-Security-Policy of the page that plays a pass: it runs scripts, but cannot access the desk.
PLAYED = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
)
#: The Content-Security-Policy of a student's feedback page, which runs no scripts.
SHOWN = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
MISTAKES = 8  # the number of rows for the most common mistakes


def whole_class(desk: DeskFrame, asked: Request) -> Reply:
    """Show the class: marks, the most common mistakes, statistics of the exercises, and the answers still to read."""
    there = desk.book.assignments()
    if not there:
        raise Unknown("any assignment: grade one with minigrad grade, then reload this page")
    of = asked.query.get("of") or there[0]
    grades = list(desk.grades(of).values())
    names = list(dict.fromkeys(name for g in grades for name in g.by_exercise))
    got = sorted(g.marks for g in grades if g.marks is not None)
    top = max([g.out_of for g in grades] + [1.0])
    steps = histogram(got, top)
    exercise, mistake = asked.query.get("exercise", ""), asked.query.get("mistake", "")
    matching = [g for g, mark in wrong_marks(desk, of, exercise) if mark.mistake and mark.mistake[0] == mistake]
    return desk.page(
        "class.html",
        asked,
        of=of,
        there=there,
        query=asked.query,
        names=names,
        rows=sorted_rows([g for g in grades if fits(g, asked.query)], asked.query.get("sort", ""), names),
        total=len(grades),
        statuses=[s for s in STATUSES if any(g.status == s for g in grades)],
        rule=desk.book.rule(of).sentence,
        got=got,
        median=float(np.median(got)) if got else None,
        steps=steps,
        most=max((count for _, count in steps), default=1),
        numbers=exercise_numbers(grades),
        mistakes=common_mistakes(grades)[:MISTAKES],
        unnamed=unnamed_mistakes(grades),
        predicted=predictions(grades),
        reading=progress(grades),
        marks={(g.student, m.exercise): m for g in grades if g.report for m in g.report.results},
        worth=next((m.out_of for g in grades if (m := _of(g, exercise))), 0.0),
        undecided=sum(exercise not in g.by_hand for g in matching),
        decisions=decisions(matching, exercise),
    )


def fits(g: Grade, query: Mapping[str, str]) -> bool:
    """Return whether a student's row passes the page's filters: name, status, mistake, and state of an exercise."""
    if query.get("search", "").casefold() not in f"{g.student} {g.name}".casefold():
        return False
    if query.get("status", g.status) not in ("", g.status):
        return False
    exercise, mistake, state = (query.get(name, "") for name in ("exercise", "mistake", "state"))
    results = [m for m in (g.report.results if g.report else []) if exercise in ("", m.exercise)]
    if mistake and not any(m.state == "wrong" and m.mistake and m.mistake[0] == mistake for m in results):
        return False
    return not state or any(m.state == state and not (m.mistake and state == "wrong") for m in results)


def sorted_rows(rows: Sequence[Grade], sort: str, names: Sequence[str]) -> list[Grade]:
    """Return the rows sorted by a column, descending with a "-" before its name; rows without a value come last."""
    values: dict[str, Callable[[Grade], Any]] = {
        "student": lambda g: (g.name or g.student).casefold(),
        "marks": lambda g: g.marks,
        "status": lambda g: g.status,
        "handed in": lambda g: g.submission.received if g.submission else None,
    }
    column = sort.lstrip("-")
    value = (lambda g: g.by_exercise.get(column)) if column in names else values.get(column, values["student"])
    with_value = [g for g in rows if value(g) is not None]
    return [*sorted(with_value, key=value, reverse=sort.startswith("-")), *(g for g in rows if value(g) is None)]


def progress(grades: Sequence[Grade]) -> dict[str, tuple[int, int]]:
    """Map each exercise that a person reads to two counts: the answers read so far, and all answers."""
    counts: dict[str, tuple[int, int]] = {}
    for g in grades:
        for mark in g.report.results if g.report else ():
            if mark.state == "to read":
                read, total = counts.get(mark.exercise, (0, 0))
                counts[mark.exercise] = read + (g.by_exercise[mark.exercise] is not None), total + 1
    return counts


def histogram(got: Sequence[float], top: float) -> list[tuple[int, int]]:
    """Return the distribution of marks in at most thirteen steps, as (lowest mark, count).

    >>> histogram([0.5, 3, 4], 4)
    [(0, 1), (1, 0), (2, 0), (3, 1), (4, 1)]
    """
    step = max(1, round(max(top, *got, 1) / 12))
    counts = [0] * (int(max(top, *got, 1) // step) + 1)
    for marks in got:
        counts[max(0, int(marks // step))] += 1
    return [(i * step, count) for i, count in enumerate(counts)]


def _of(g: Grade, exercise: str) -> Mark | None:
    return next((m for m in (g.report.results if g.report else ()) if m.exercise == exercise), None)


def one_student(desk: DeskFrame, asked: Request) -> Reply:
    """Show every exercise of a student, with the answer, its verdict and all checks, and every manual mark."""
    of, student = asked.query.get("of", ""), asked.query.get("student", "")
    g, order = desk.grade(of, student), list(desk.grades(of))
    at = order.index(student)
    results = g.report.results if g.report else []
    newest = {m.exercise: desk.book.last_adjustment(student, of, m.exercise) for m in results}
    return desk.page(
        "student.html",
        asked,
        of=of,
        g=g,
        results=results,
        below={f"{name}: {sentence}" for name, sentences in g.by_hand.items() for sentence in sentences},
        history=desk.book.history(student, of),
        answers={m.exercise: m.answer for m in results},
        newest={name: a.number if a else 0 for name, a in newest.items()},
        scales={m.exercise: scale_of(m) for m in results},
        picture=_picture,
        before=order[at - 1] if at else "",
        next=order[at + 1] if at + 1 < len(order) else "",
    )


def _picture(mark: Mark) -> str:
    """Return the address of the picture of a mark, or "" if there is none."""
    if not mark.picture:
        return ""
    return mark.picture[0] if mark.picture[0].startswith("data:") else Picture.from_json(*mark.picture).address


def as_the_student_sees_it(desk: DeskFrame, asked: Request) -> Reply:
    """Show the feedback page of a student."""
    of = asked.query.get("of", "")
    g = desk.grade(of, asked.query.get("student", ""))
    page = student_page(g, of, due_over="after" in asked.query, rule=desk.book.rule(of).sentence)
    return Reply(page, headers={"Content-Security-Policy": SHOWN})


def played_pass(desk: DeskFrame, asked: Request) -> Reply:
    """Show a page that plays the backward pass of a wrong answer."""
    of, student, exercise = (asked.query.get(name, "") for name in ("of", "student", "exercise"))
    mark, report = desk.mark(of, student, exercise), desk.grade(of, student).report
    assert report is not None
    key = report.digest, report.started, exercise
    if key not in desk.played:
        desk.played[key] = backward_page(mark)
    return Reply(desk.played[key] or "The graph cannot be drawn.", headers={"Content-Security-Policy": PLAYED})


def alike(desk: DeskFrame, asked: Request) -> Reply:
    """Show the pairs of students whose code shares rare passages, except students who submit together."""
    of = asked.query.get("of", "")
    grades = desk.grades(of)
    codes = {s: "\n".join(mark.code for mark in g.report.results) for s, g in grades.items() if g.report}
    all_pairs = desk.computed(of, lambda: similar_pairs(codes))
    pairs = [p for p in all_pairs or [] if p.students[1] not in grades[p.students[0]].group]
    reply = desk.page("alike.html", asked, of=of, pairs=pairs, grades=grades, waits=all_pairs is None)
    if all_pairs is None:
        reply.headers["Refresh"] = "1"  # the browser loads the page again after a second
    return reply
