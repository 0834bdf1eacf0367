"""The page that a student gets back: the marks, and for each exercise the failure, its input, and the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.classroom.picture import Picture

from ..grades import Grade
from ..late import moment
from ..report import NOT_SHOWN, Criterion, Mark, Report, visible_part
from .page_parts import SIGNS, capital, filled, marks, total

WORDS = {
    "right": "right",
    "wrong": "not right",
    "unanswered": "not answered",
    "ungraded": "could not be graded",
    "to read": "a person reads this",
}


def student_page(
    grade: Grade,
    assignment: str,
    *,
    due_over: bool = False,
    play: Callable[[Mark], str] | None = None,
    rule: str = "",
) -> str:
    """Return the page as a single HTML file.

    due_over : whether to show checks that are revealed "after" the deadline. play : a function that makes a page from a
        mark; the page is shown in a frame and plays the backward pass. rule : the rule for late work, as a sentence.
    """
    report = grade.report
    results = report.results if report else []
    below = {f"{m.exercise}: {s}" for m in results for s in grade.by_hand.get(m.exercise, ())}
    received = grade.submission.received if grade.submission else None
    handed_in = f"Handed in {moment(received)}." if received is not None else ""
    return filled(
        "student.html",
        title=f"{assignment}: {grade.who}",
        assignment=assignment,
        grade=grade,
        report=report,
        marks=total(grade),
        words=[sentence for sentence in grade.words if sentence and sentence not in below],
        handed_in=" ".join(filter(None, [handed_in, capital(rule)])),
        exercises=[_exercise(mark, grade, due_over, play) for mark in results],
        foot=_foot(report) if report else "",
    )


def _foot(report: Report) -> str:
    parts = [
        f"graded with {', '.join(f'{name} {version}' for name, version in report.versions.items())}",
        f"protected by {', '.join(report.sandbox)}" if report.sandbox else "not in a sandbox",
        f"file {report.digest[:12]}, checks {report.spec[:12]}, seed {report.seed}",
    ]
    return "; ".join(parts)


def _exercise(mark: Mark, grade: Grade, due_over: bool, play: Callable[[Mark], str] | None) -> dict[str, Any]:
    """Return the data that the template shows for an exercise."""
    mark = visible_part(mark, due_over)
    failed = next((line for line in mark.lines if line.right is False), None)
    now = grade.by_exercise.get(mark.exercise, mark.marks)
    read = mark.state == "to read" and now is not None
    picture = mark.picture and mark.picture[0]
    if picture and not picture.startswith("data:"):
        picture = Picture.from_json(picture, mark.picture[1]).address if mark.picture else ""
    return {
        "mark": mark,
        "state": "partly right" if mark.in_parts else "read" if read else WORDS[mark.state],
        "marks": marks(now, mark.out_of) if now is not None or mark.state != "to read" else f"{mark.out_of:g} marks",
        "once": mark.group in ("", mark.exercise),
        "by_hand": grade.by_hand.get(mark.exercise, ()),
        "lines": _lines(mark.lines),
        "message": failed.message if failed else "",
        "picture": picture,
        "played": play(mark) if play and mark.state == "wrong" else "",
    }


def _lines(lines: list[Criterion]) -> list[tuple[str, str]]:
    """Return lines about the checks, each with a sign for its result; all hidden checks share one line."""
    part = lambda line: f" ({line.marks:g} of {line.out_of:g})" if line.out_of else ""
    shown = [(SIGNS[line.right], line.says + part(line)) for line in lines if line.says != NOT_SHOWN]
    hidden = [line.right for line in lines if line.says == NOT_SHOWN]
    if not hidden:
        return shown
    sign = True if all(hidden) else False if False in hidden else None
    return [*shown, (SIGNS[sign], NOT_SHOWN if len(hidden) == 1 else f"{len(hidden)} checks that are not shown")]
