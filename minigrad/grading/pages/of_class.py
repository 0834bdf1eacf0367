"""The page for the teacher: marks, common mistakes, difficult exercises, and the times of submission."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from urllib.parse import quote

import numpy as np

from ..exercise_statistics import common_mistakes, exercise_numbers, predictions, unnamed_mistakes
from ..grades import Grade
from ..similar_code import Likeness
from ..summary import words_of
from .page_parts import capital, filled, page_files, total

MISTAKES = 12  # maximum number of rows for mistakes
SHOWN = 3  # maximum number of mistakes that are shown with an example

Row = tuple[str, float, str]  #: label, fraction of the longest bar, and the count as text


def class_page(
    grades: Sequence[Grade],
    assignment: str,
    *,
    attempts: Sequence[float | None] = (),
    likeness: Sequence[Likeness] = (),
    rule: str = "",
    left_out: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the page as a single HTML file.

    left_out : file or person -> the reason why the file was not read, or the person was not placed.

    attempts : the times of all submissions, in seconds since 1970, None if unknown. likeness : pairs of students with
        similar answers. rule : the rule for late work, as a sentence.
    """
    files = page_files([grade.student for grade in grades])
    return filled(
        "class.html",
        title=f"{assignment}: the class",
        assignment=assignment,
        head=_head(grades),
        rule=capital(rule),
        grades=grades,
        mistakes=common_mistakes(grades)[:MISTAKES],
        examples=SHOWN,
        unnamed=unnamed_mistakes(grades),
        exercises=exercise_numbers(grades),
        predicted=predictions(grades),
        counted=[
            ("Marks", ["marks", "students"], _marks(grades)),
            ("Submissions by day", ["day", "submissions"], _days(attempts)),
        ],
        alike=likeness,
        left_out=left_out,
        who={grade.student: grade.who for grade in grades},
        named=any(grade.name for grade in grades),
        students=[
            {
                "grade": grade,
                "file": f"students/{quote(files[grade.student])}",
                "marks": total(grade) or "–",
                "notes": "; ".join(words_of(grade)),
            }
            for grade in grades
        ],
    )


def _head(grades: Sequence[Grade]) -> str:
    got = [grade.marks for grade in grades if grade.marks is not None]
    count = Counter(grade.status for grade in grades)
    words = [f"{n} {status}" for status, n in count.items()]
    middle = f"; median {np.median(got):g} of {max(g.out_of for g in grades):g}" if got else ""
    return f"{len(grades)} students: {', '.join(words)}{middle}." if grades else ""


def _marks(grades: Sequence[Grade]) -> list[Row]:
    got = [grade.marks for grade in grades if grade.marks is not None]
    if not got:
        return []
    top = max(max(grade.out_of for grade in grades), max(got), 1.0)
    step = max(1, round(top / 12))
    counts = Counter(int(marks // step) for marks in got)
    most = max(counts.values())
    each = [(n * step, counts[n]) for n in range(min(0, *counts), int(top // step) + 1)]
    return [(f"{a} to under {a + step}", count / most, str(count)) for a, count in each]


def _days(times: Sequence[float | None]) -> list[Row]:
    days = Counter("not known" if t is None else time.strftime("%Y-%m-%d", time.localtime(t)) for t in times)
    most = max(days.values(), default=1)
    return [(day, n / most, str(n)) for day, n in sorted(days.items())]
