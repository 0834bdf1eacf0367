"""The page for the teacher: marks, the commonest mistakes, which exercises were hard, when students handed in."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import quote

import numpy as np

from ..grades import Grade
from ..likeness import Likeness
from ..statistics import CommonMistake, ExerciseNumbers, common_mistakes, exercise_numbers, unnamed_mistakes
from ..summary import words_of
from .files import page_files
from .page import bar, capital, marks, page, paragraph, table

MISTAKES = 12  # rows at most
SHOWN = 3  # of them with an example
ALIKE = (
    "A passage is a run of a few words and signs of code; it is rare when hardly anybody else has it and it was not "
    "handed out. Code is compared as it is written, and with all names taken as one, which finds a copy whose names "
    "were changed. This is a reason to look at both, and no verdict: they may have worked together, or from one book."
)


def class_page(
    grades: Sequence[Grade],
    assignment: str,
    *,
    attempts: Sequence[float] = (),
    likeness: Sequence[Likeness] = (),
    rule: str = "",
) -> str:
    """The page as HTML, in one file.

    attempts : the times of all submissions, in seconds since 1970. likeness : pairs of students to look at. rule : for
    late work, in words.
    """
    sections = [
        ("Commonest mistakes", _mistakes(common_mistakes(grades), len(grades), unnamed_mistakes(grades))),
        ("Exercises", _exercises(exercise_numbers(grades))),
        ("Marks", _marks(grades)),
        ("Submissions by day", _days(attempts)),
        ("Alike", _alike(likeness, {grade.student: grade.who for grade in grades})),
        ("Students", _students(grades)),
    ]
    body = "".join(f"<h2>{title}</h2>{part}" for title, part in sections if part)
    return page(
        f"{assignment}: the class",
        f"<h1>{escape(assignment)}</h1>{_head(grades)}{paragraph(capital(rule), 'soft')}{body}",
    )


def _head(grades: Sequence[Grade]) -> str:
    got = [grade.marks for grade in grades if grade.marks is not None]
    count = Counter(grade.status for grade in grades)
    words = [f"{n} {status}" for status, n in count.items()]
    middle = f"; median {np.median(got):g} of {max(g.out_of for g in grades):g}" if got else ""
    return paragraph(f"{len(grades)} students: {', '.join(words)}{middle}.", "big") if grades else ""


def _mistakes(found: Sequence[CommonMistake], students: int, unnamed: int) -> str:
    rows = [
        [bar(m.count / max(students, 1), str(m.count)), f"<b>{escape(m.name)}</b>", escape(m.exercise), escape(m.says)]
        for m in found[:MISTAKES]
    ]
    if not rows:
        return paragraph("No answer shows a mistake that has a name.")
    examples = "".join(map(_example, found[:SHOWN]))
    rest = f"Wrong answers without a mistake that has a name: {unnamed}." if unnamed else ""
    return table(["students", "mistake", "exercise", "what it is"], rows) + paragraph(rest, "soft") + examples


def _example(m: CommonMistake) -> str:
    e = m.example
    where = f"<p>It fails at <code>{escape(e.inputs)}</code>.</p>" if e.inputs else ""
    if e.inputs and e.yours:
        where = f"<p>At <code>{escape(e.inputs)}</code> it gives <code>{escape(e.yours)}</code>, "
        where += f"and <code>{escape(e.true)}</code> is expected.</p>"
    code = f"<pre>{escape(e.code)}</pre>" if e.code else ""
    title = f"An example of: {escape(m.name)} ({escape(m.exercise)})"
    return f"<details open><summary>{title}</summary>{where}{code}</details>"


def _exercises(numbers: Sequence[ExerciseNumbers]) -> str:
    rows = []
    for n in numbers:
        count = lambda state, n=n: str(n.states.get(state, 0))
        share = bar(n.share, f"{n.share:.0%}") if n.share is not None else "–"
        apart = f"{n.discrimination:+.2f}" if n.discrimination is not None else "–"
        rows.append([escape(n.exercise), share, *map(count, ("right", "wrong", "unanswered", "ungraded")), apart])
    heads = ["exercise", "mean of the marks", "right", "wrong", "not answered", "not graded", "discrimination"]
    says = (
        "Discrimination is the correlation of an exercise's marks with the rest of a student's marks: near 0 or below, "
        "the exercise measures something else, or its checks are wrong."
    )
    return table(heads, rows, frozenset(range(2, 7))) + paragraph(says, "soft") if rows else ""


def _marks(grades: Sequence[Grade]) -> str:
    got = [grade.marks for grade in grades if grade.marks is not None]
    if not got:
        return ""
    top = max(max(grade.out_of for grade in grades), max(got), 1.0)
    step = max(1, round(top / 12))
    counts = Counter(int(marks // step) for marks in got)
    most = max(counts.values())
    each = [(n * step, counts[n]) for n in range(min(0, *counts), int(top // step) + 1)]
    rows = [[f"{a} to under {a + step}", bar(count / most, str(count))] for a, count in each]
    return table(["marks", "students"], rows)


def _days(times: Sequence[float]) -> str:
    if not times:
        return ""
    days = Counter(time.strftime("%Y-%m-%d", time.localtime(t)) for t in times)
    most = max(days.values())
    return table(["day", "submissions"], [[day, bar(n / most, str(n))] for day, n in sorted(days.items())])


def _alike(pairs: Sequence[Likeness], who: Mapping[str, str]) -> str:
    if not pairs:
        return ""
    rows = [
        [
            *(escape(who.get(student, student)) for student in p.students),
            bar(p.shared / p.of, f"{p.shared} of {p.of}"),
            p.reading,
        ]
        for p in pairs
    ]
    return paragraph(ALIKE) + table(["student", "student", "rare passages shared", "compared"], rows)


def _students(grades: Sequence[Grade]) -> str:
    files = page_files([grade.student for grade in grades])
    named = any(grade.name for grade in grades)
    rows = [
        [
            f"<a href='{quote(files[grade.student])}'>{escape(grade.student)}</a>",
            *[escape(grade.name)] * named,
            "–" if grade.status == "missing" and grade.marks is None else escape(marks(grade.marks, grade.out_of)),
            escape(grade.status),
            escape("; ".join(words_of(grade))),
        ]
        for grade in grades
    ]
    return table(["student", *["name"] * named, "marks", "status", "notes"], rows)
