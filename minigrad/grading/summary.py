"""The grades of a class as lines of text: a table, the counts, and the students without marks."""

from __future__ import annotations

import statistics
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..core.support.error_words import visible
from .changed_checks import shown
from .grade_class import GradingRun
from .grades import Adjustment, Grade
from .report import Report

NAME = 45  #: maximum number of characters of a name in a table
NO_FAULT = ("missing", "not graded yet", "to read", "excused")  #: statuses without marks that need no attention
NOTES = 80  #: maximum number of characters of the notes in the table of a run


def summary(assignment: str, grades: Sequence[Grade], run: GradingRun | None = None, rule: str = "") -> list[str]:
    """Return the grades of a class as lines of text: the counts, a table of the students, and who is missing.

    run : the grading run that has just ended, or None. rule : the sentence about late submissions, or "".

    After a run, the table cuts off long notes; below it, the notes of each student without marks are shown in full.
    """
    exercises = list(dict.fromkeys(name for g in grades for name in g.by_exercise))
    rows = [("student", *exercises, "marks", "of", "notes")]
    width = max((_width(shortened(g.student)) for g in grades), default=0) + 2
    names = {g.student: f"{_padded(shortened(g.student), width)}{shortened(g.name)}".rstrip() for g in grades}
    for g in grades:
        each = [shown(g.by_exercise[name]) if name in g.by_exercise else "" for name in exercises]
        marks = shown(g.marks) if g.marks is not None else ""
        notes = "; ".join(dict.fromkeys([*([g.status] * (g.status != "graded")), *words_of(g)]))
        rows.append(
            (names[g.student], *(("?" if e == "not graded" else e) for e in each), marks, shown(g.out_of), notes)
        )
    if not any(row[-1] for row in rows[1:]):
        rows[0] = (*rows[0][:-1], "")
    lines = [f"{assignment}: {_counts(grades, run)}", *[rule] * bool(rule), *table(rows, NOTES if run else None)]
    unclear = [g for g in grades if g.marks is None and g.status not in NO_FAULT]
    if unclear and run:
        lines += ["", "These need a look; they have no marks, which is not a zero:"]
        for g in unclear:
            lines.append(f"  {g.who} ({g.submission.file if g.submission else ''}): {'; '.join(words_of(g))}")
    if reading := sum(len(g.to_read) for g in grades):
        lines += ["", f"{reading} to read: minigrad gradebook FILE open"]
    if missing := [g.who for g in grades if g.status == "missing"]:
        lines += ["", f"Missing: {', '.join(missing)}"]
    return list(map(visible, lines))


def shortened(name: str) -> str:
    """Return a name as shown in a table: only the two ends of a very long name.

    >>> shortened("a" * 100 + "b")
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...aaaaaab'
    """
    return name if len(name) <= NAME else f"{name[: NAME - 10]}...{name[-7:]}"


def words_of(g: Grade) -> list[str]:
    """Return all notes about a grade, without repetitions: on the grade itself, the file, and the judging."""
    notes = [*(g.submission.notes if g.submission else ()), *(g.report.notes if g.report else ())]
    return list(dict.fromkeys([*g.words, *notes]))


def _counts(grades: Iterable[Grade], run: GradingRun | None) -> str:
    grades = list(grades)
    counted = Counter(g.status for g in grades)
    said = ", ".join(f"{number} {status}" for status, number in sorted(counted.items()))
    marks = [g.marks for g in grades if g.marks is not None]
    if marks:
        said += f"; mean {statistics.fmean(marks):.3g}, median {statistics.median(marks):.3g}"
    if run is not None and run.kept:
        said += f"; {len(run.kept)} were graded before"
    return said


def table(rows: Sequence[Sequence[str]], most: int | None = None) -> list[str]:
    """Return rows as aligned lines of text: the first column is aligned to the left, the numbers to the right.

    The last column has the notes. most : maximum number of characters of a note; longer ones are cut off.

    >>> table([("student", "marks", "notes"), ("ada", "4", "late by a day")], 10)
    ['student  marks  notes', 'ada          4  late by...']
    """
    widths = [max(_width(row[n]) for row in rows) for n in range(len(rows[0]) - 1)]
    lines = []
    for first, *numbers, notes in rows:
        line = "  ".join([_padded(first, widths[0]), *(n.rjust(w) for n, w in zip(numbers, widths[1:]))])
        shown_notes = f"{notes[: most - 3]}..." if most is not None and len(notes) > most else notes
        lines.append(f"{line}  {shown_notes}".rstrip())
    return lines


def _width(text: str) -> int:
    """Return the width of text in a terminal: Chinese characters take two columns, combining accents none."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(unicodedata.combining(sign) > 0 for sign in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def lines_of_student(assignment: str, g: Grade, rule: str = "") -> list[str]:
    """Return the grade of a student as text, with every exercise, adjustment, deduction and note."""
    total = f"{shown(g.marks)} of {shown(g.out_of)}" if g.marks is not None else g.status
    lines = [f"{g.who}, {assignment}: {total}", *map(visible, _exercises(g.report, g.by_exercise) if g.report else ())]
    lines += [rule] * bool(rule)
    lines += [f"note: {visible(note)}" for note in words_of(g)]
    return [*lines, *(visible(f"manual mark {a.number}: {_of(a)} by {a.who}") for a in g.adjustments)]


def _of(a: Adjustment) -> str:
    return f"{a.exercise}, {shown(a.marks)}" if a.exercise else f"{a.marks:+g} to the total"


def _exercises(report: Report, marks: Mapping[str, float | None]) -> Iterator[str]:
    """Yield a line for each exercise of a report. marks : exercise -> its marks if they differ from the report."""
    for mark in report.results:
        got = shown(marks.get(mark.exercise, mark.marks))
        got = "no marks yet" if got == "not graded" and mark.state == "to read" else got
        failed = next((line.says for line in mark.lines if line.right is False), "")
        words = [
            mark.why or mark.words,
            f"failed: {failed}" * bool(failed),
            f"at {mark.inputs}" * bool(mark.inputs),
            ": ".join(mark.mistake or ()),
        ]
        said = "; ".join(filter(None, words))
        is_read = mark.state == "to read" and marks.get(mark.exercise) is not None
        state = "read" if is_read else "partly right" if mark.in_parts else mark.state
        yield f"  {mark.exercise}: {state}, {got} of {shown(mark.out_of)}" + f"; {said}" * bool(said)


def lines_of(report: Report) -> list[str]:
    """Return a report as text.

    >>> lines_of(Report("ada", "hw1", "00", "11", 0, "unreadable", notes=["the file is empty: 0 bytes"]))
    ['ada, hw1: unreadable', 'note: the file is empty: 0 bytes']
    """
    total = f"{shown(report.marks)} of {shown(report.out_of)}" if report.marks is not None else report.status
    lines = [f"{report.student}, {report.assignment}: {total}"]
    return [visible(line) for line in [*lines, *_exercises(report, {}), *(f"note: {note}" for note in report.notes)]]
