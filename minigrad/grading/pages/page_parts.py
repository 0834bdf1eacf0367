"""The templates of the pages, which escape everything that is filled in, and the file names of the pages."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from minigrad.lab.pages import templates

from ..grades import Grade

SIGNS = {True: "✓", False: "✗", None: "–"}


def filled(template: str, **holes: Any) -> str:
    """Return a filled template of this folder. Raises CommandError if Jinja2 is missing."""
    return _templates().get_template(template).render(**holes)


@cache
def _templates() -> Any:
    return templates(Path(__file__).parent)


def marks(got: float | None, of: float) -> str:
    """Return marks as text.

    >>> marks(2.5, 3.0), marks(None, 3.0)
    ('2.5 of 3', 'not graded (of 3)')
    """
    return f"{got:g} of {of:g}" if got is not None else f"not graded (of {of:g})"


def total(grade: Grade) -> str:
    """Return the sum of a grade as text, or "" for a grade without a sum."""
    if grade.status == "to read":
        return f"{grade.so_far:g} of {grade.out_of:g} so far"
    return "" if grade.status in ("missing", "excused") and grade.marks is None else marks(grade.marks, grade.out_of)


def capital(sentence: str) -> str:
    """Return a sentence with a capital letter and a full stop, or "" for an empty sentence."""
    return f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""


RESERVED = {"con", "prn", "aux", "nul", "class", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}


def page_files(students: Iterable[str]) -> dict[str, str]:
    """Return a file name for each student. All names differ, even if a file system ignores case.

    >>> page_files(["ada", "../ada"])
    {'ada': 'ada.html', '../ada': '.._ada-600882.html'}
    """
    students = list(students)
    count = Counter(map(_folded, students))
    return {s: f"{s if count[_folded(s)] == 1 and _allowed(s) else _marked(s)}.html" for s in students}


def _folded(student: str) -> str:
    return unicodedata.normalize("NFC", student).casefold()


def _allowed(student: str) -> bool:
    """Return whether Windows, macOS and Linux allow a file of this name."""
    odd = re.search(r'[\x00-\x1f\x7f<>:"/\\|?*]', student) or student != student.strip() or student[-1:] in ("", ".")
    return not odd and student.partition(".")[0].lower() not in RESERVED and len(student.encode()) <= 100


def _marked(student: str) -> str:
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]', "_", student)[:25].strip() + f"-{digest}"
