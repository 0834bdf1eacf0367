"""The names of the pages: a student's name where a file can have it everywhere, otherwise a part and a mark of it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

RESERVED = {"con", "prn", "aux", "nul", "class", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}


def page_files(students: Iterable[str]) -> dict[str, str]:
    """The file of each student's page. No two are the same where a file system does not tell capitals apart.

    >>> page_files(["ada", "../ada"])
    {'ada': 'ada.html', '../ada': '.._ada-600882.html'}
    """
    students = list(students)
    count = Counter(map(_folded, students))
    return {s: f"{s if count[_folded(s)] == 1 and _allowed(s) else _marked(s)}.html" for s in students}


def _folded(student: str) -> str:
    return unicodedata.normalize("NFC", student).casefold()


def _allowed(student: str) -> bool:
    """Whether Windows, macOS and Linux can have a file of this name."""
    odd = re.search(r'[\x00-\x1f\x7f<>:"/\\|?*]', student) or student != student.strip() or student[-1:] in ("", ".")
    return not odd and student.partition(".")[0].lower() not in RESERVED and len(student.encode()) <= 100


def _marked(student: str) -> str:
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]', "_", student)[:25].strip() + f"-{digest}"
