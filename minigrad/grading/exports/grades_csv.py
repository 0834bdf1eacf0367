"""Grades as CSV for spreadsheets, Moodle, Canvas, Brightspace and Blackboard.

An empty cell means not graded; 0 means a zero.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ..grades import Grade
from ..summary import words_of

Rows = Mapping[str, Mapping[str, str]]
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def defused(text: str) -> str:
    """Put an apostrophe before text that begins like a formula, so that a spreadsheet does not evaluate it.

    >>> defused("=cmd()"), defused("ada")
    ("'=cmd()", 'ada')
    """
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def spreadsheet(grades: Sequence[Grade], roster: Rows, left_out: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a row per student: the exercises, the manual adjustment, the deduction for late work, and their sum.

    roster : further columns by student. left_out : file or person -> the reason why it has no marks; these rows come
        last.
    """
    exercises = list(dict.fromkeys(name for g in grades for name in g.by_exercise))
    extra = list(dict.fromkeys(heading for row in roster.values() for heading in row if heading != "student"))
    ours = ["status", *exercises, *_SUM, "notes"]
    theirs = [f"roster: {heading}" if heading in ours else heading for heading in extra]
    rows: list[list[str | float | None]] = [["student", *theirs, *ours]]
    for g in grades:
        roster_cells = [roster.get(g.student, {}).get(heading, "") for heading in extra]
        each = [g.by_exercise.get(name) for name in exercises]
        rows.append([g.student, *roster_cells, g.status, *each, *_sum(g), "; ".join(words_of(g))])
    nothing = [""] * (len(exercises) + len(_SUM))
    rows += [[name, *[""] * len(extra), "left out", *nothing, why] for name, why in left_out.items()]
    return csv_text(rows)


_SUM = ("added by hand", "deduction", "marks", "out of")


def _sum(g: Grade) -> list[float | None]:
    marked = g.marks is not None
    return [g.added if marked else None, g.deduction if marked else None, g.marks, g.out_of]


def moodle(assignment: str, grades: Sequence[Grade], roster: Rows, column: str = "") -> str:
    """Return the CSV for Moodle's import of grades: columns that identify a user, the marks, and the feedback.

    column : the heading of the marks (default: the assignment). Without a roster, the student is in the column
    Username.
    """
    names = {"Username": ("username", "user name", "login"), "ID number": ("id number", "id", "sid", "student id")}
    names["Email address"] = ("email address", "email", "mail")
    identifying = [heading for heading, also in names.items() if any(_cell(row, also) for row in roster.values())]
    rows: list[list[str | float | None]] = [[*(identifying or ["Username"]), column or assignment, "Feedback comments"]]
    for g in grades:
        row = roster.get(g.student, {})
        who = [_cell(row, names[heading]) for heading in identifying] or [g.student]
        rows.append([*who, g.marks, "; ".join(g.words)])
    return csv_text(rows)


def canvas(assignment: str, grades: Sequence[Grade], roster: Rows, column: str = "") -> str:
    """Return the CSV for Canvas's import of a gradebook, with its row of points possible.

    column : the heading of the marks as a Canvas export writes it, with the number of the assignment: "hw1 (1234)".
    Without a roster, the student is in the column SIS Login ID.
    """
    rows: list[list[str | float | None]] = [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column or assignment],
        ["Points Possible", "", "", "", "", max((g.out_of for g in grades), default=0.0)],
    ]
    for g in grades:
        row = roster.get(g.student, {})
        name = _cell(row, ("name", "full name", "student"))
        number, sis = _cell(row, ("id", "canvas id")), _cell(row, ("sis user id", "sid"))
        login = _cell(row, ("sis login id", "login", "username", "email"))
        login = login or ("" if number or sis else g.student)
        got = "EX" if g.status == "excused" else g.marks  # "EX" is Canvas's word for excused
        rows.append([name or g.student, number, sis, login, _cell(row, ("section",)), got])
    return csv_text(rows)


_LOGIN = ("username", "user name", "login", "sis login id")
_NUMBER = ("orgdefinedid", "student id", "id number", "sid")


def brightspace(assignment: str, grades: Sequence[Grade], roster: Rows, column: str = "") -> str:
    """Return the CSV for Brightspace's import of grades, with the required end-of-line indicator.

    column : the heading of the marks (default: the assignment, as points). Without a roster, the student is in the
        column Username.
    """
    numbers = any(_cell(row, _NUMBER) for row in roster.values())
    who = "OrgDefinedId" if numbers else "Username"
    rows: list[list[str | float | None]] = [[who, column or f"{assignment} Points Grade", "End-of-Line Indicator"]]
    for g in grades:
        rows.append([_cell(roster.get(g.student, {}), _NUMBER if numbers else _LOGIN) or g.student, g.marks, "#"])
    return csv_text(rows)


def blackboard(assignment: str, grades: Sequence[Grade], roster: Rows, column: str = "") -> str:
    """Return the CSV for Blackboard's upload of grades.

    column : the heading of the marks as Blackboard's download has it, with the number of the column:
    "hw1 [Total Pts: 10 Score] |1234" (default: the assignment).
    """
    rows: list[list[str | float | None]] = [["Username", column or assignment]]
    rows += [[_cell(roster.get(g.student, {}), _LOGIN) or g.student, g.marks] for g in grades]
    return csv_text(rows)


def _cell(row: Mapping[str, str], headings: Iterable[str]) -> str:
    return next((row[heading] for heading in headings if row.get(heading)), "")


def csv_text(rows: Iterable[Iterable[str | float | None]]) -> str:
    """Return rows as CSV, without formulas, and with an empty cell for None."""
    paper = io.StringIO()
    writer = csv.writer(paper, lineterminator="\r\n")
    for row in rows:
        writer.writerow(
            [defused(cell) if isinstance(cell, str) else "" if cell is None else f"{cell:.6g}" for cell in row]
        )
    return paper.getvalue()
