"""The roster of a class: the students, and how they are found by the names in folders and exports."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core.support.error_words import visible
from .submitted_notebook import decode

#: Headings of the column that names a student, the most telling first; without one it is the first column.
_KEYS = ("student", "student id", "id", "username", "user name", "login", "sis login id", "sid", "email", "name")


class RosterError(ValueError):
    """A roster cannot be used; the message has the line and what was expected."""


@dataclass(frozen=True)
class Roster:
    """The students of a class in the order of the file. rows : by student, the other columns by their heading.

    skipped : a sentence for each row that names no student.
    """

    rows: dict[str, dict[str, str]]
    skipped: tuple[str, ...] = ()
    _meant: dict[str, tuple[str, ...]] = field(repr=False, default_factory=dict)

    def find(self, names: Iterable[str]) -> str | None:
        """The student of the first name that fits exactly one row of the roster; None if no name does.

        >>> roster = read_roster_text("id,name\\nal1,Ada Lovelace\\nbb2,Bob Byte")
        >>> roster.find(["lovelaceada"]), roster.find(["AL1"]), roster.find(["eve"])
        ('al1', 'al1', None)
        """
        for name in names:
            meant = self._meant.get(_plain(name), ())
            if len(meant) == 1:
                return meant[0]
        return None


def read_roster(path: Path | str) -> Roster:
    """Read the roster in a CSV file with a line of headings. Raises RosterError, OSError."""
    return read_roster_text(decode(Path(path).read_bytes())[0])


def read_roster_text(text: str) -> Roster:
    """The roster in the text of a CSV file; its columns are separated by commas, semicolons or tabs."""
    first = text.lstrip().partition("\n")[0]
    divider = max(",;\t", key=first.count)
    table = csv.reader(io.StringIO(text), delimiter=divider)
    lines = [[visible(unicodedata.normalize("NFC", cell.strip())) for cell in line] for line in table]
    lines = [line for line in lines if any(line)]
    if not lines:
        raise RosterError("the roster is empty: write a line of headings, as in student,name, and a line per student")
    headings = [heading.casefold() for heading in lines[0]]
    key = next((headings.index(name) for name in _KEYS if name in headings), 0)
    rows: dict[str, dict[str, str]] = {}
    meant: dict[str, tuple[str, ...]] = {}
    skipped: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        student = line[key] if key < len(line) else ""
        if not student:
            others = ", ".join(filter(None, line))[:80]
            skipped.append(
                f"row {number} of the roster ({others}) has nothing in the column {lines[0][key]!r}: left out"
            )
            continue
        if student in rows:
            raise RosterError(f"row {number} of the roster names {student!r} a second time")
        rows[student] = dict(zip(headings, line))
        for name in {*line, *_full_names(rows[student])}:
            for spelled in {_plain(name), _plain(name.partition("@")[0]), *map(_plain, _swapped(name))} - {""}:
                meant[spelled] = tuple(dict.fromkeys((*meant.get(spelled, ()), student)))
    for student in rows:  # so the name under which marks are kept is unique
        meant[_plain(student)] = (student,)
    return Roster(rows, tuple(skipped), meant)


def full_name(row: Mapping[str, str]) -> str:
    """The name of a student in a row of the roster; empty if it has none.

    >>> full_name({"student": "al1", "first name": "Ada", "surname": "Lovelace"}), full_name({"student": "al1"})
    ('Ada Lovelace', '')
    """
    whole = next((row[heading] for heading in ("name", "full name", "student name") if row.get(heading)), "")
    return whole or " ".join(filter(None, _first_and_last(row)))


def _first_and_last(row: Mapping[str, str]) -> tuple[str, str]:
    first = next((row[h] for h in ("first name", "firstname", "given name", "first") if h in row), "")
    last = next((row[h] for h in ("last name", "lastname", "surname", "family name", "last") if h in row), "")
    return first, last


def _full_names(row: Mapping[str, str]) -> list[str]:
    first, last = _first_and_last(row)
    return [f"{first} {last}", f"{last} {first}"] if first and last else []


def _swapped(name: str) -> list[str]:
    """Lovelace, Ada for Ada Lovelace, and the other way round."""
    words = name.replace(",", " ").split()
    return [" ".join([*words[n:], *words[:n]]) for n in range(1, len(words))] if len(words) < 6 else []


def _plain(name: str) -> str:
    """A name without case, spaces and marks, as Canvas writes it into the names of files."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name).casefold())
