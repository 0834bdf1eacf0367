"""The roster of a class: its students, found again by the names of folders and the rows of exports."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core.support.error_words import visible
from .submitted_notebook import decode

#: Headings of the column that identifies a student, the most specific first; without any of them, the first column is
#: used.
_KEYS = (
    *("student", "student id", "id", "username", "user name", "login", "sis login id", "sid", "identifier"),
    *("orgdefinedid", "id number", "email", "email address", "name"),
)


class RosterError(ValueError):
    """Raised if a roster cannot be used; the message names the line and describes the expected content."""


@dataclass(frozen=True)
class Roster:
    """The students of a class in the order of the file.

    rows : student -> the other columns, by their headings.
    skipped : a sentence for each row without a student.
    """

    rows: dict[str, dict[str, str]]
    skipped: tuple[str, ...] = ()
    _meant: tuple[dict[str, tuple[str, ...]], ...] = field(repr=False, default=())

    def fits(self, name: str) -> tuple[str, ...]:
        """Return the students whom a name fits best: as written, else ignoring case, signs, leading zeros or accents.

        >>> roster = read_roster_text("id,name\\nal1,Ada Lovelace\\nbb2,Bob Byte\\n12-3,Ben\\n123,ben")
        >>> roster.fits("lovelaceada"), roster.fits("AL1"), roster.fits("123"), roster.fits("BEN"), roster.fits("eve")
        (('al1',), ('al1',), ('123',), ('12-3', '123'), ())
        """
        tables = zip(_SPELLINGS, self._meant)
        return next(filter(None, (meant.get(spelling(name), ()) for spelling, meant in tables)), ())

    def of_platform(self, headings: tuple[str, ...], number: str) -> tuple[str, ...]:
        """Return the students whose cell under the first heading is `number`.

        Return () if the roster lacks one of the headings: it is then not the platform's own.
        """
        return tuple(
            student for student, row in self.rows.items()
            if headings and number and row.keys() >= {*headings} and row[headings[0]] == number
        )  # fmt: skip

    def is_exact(self, name: str, student: str) -> bool:
        """Return whether the roster has a student's name exactly as written."""
        return bool(self._meant) and student in self._meant[0].get(_written(name), ())


def read_roster(path: Path | str) -> Roster:
    """Read the roster in a CSV file with a line of headings. Raises RosterError or OSError."""
    return read_roster_text(decode(Path(path).read_bytes())[0])


def read_roster_text(text: str) -> Roster:
    """Read the roster in the text of a CSV file; its columns are separated by commas, semicolons or tabs."""
    text = text.lstrip("\ufeff")
    first = text.lstrip().partition("\n")[0]
    divider = max(",;\t", key=first.count)
    if named := re.match(r"\s*\"?sep=(.)\"?\s*\n", text, re.IGNORECASE):  # this line gives the separator to Excel
        divider, text = named[1], text[named.end() :]
    table = csv.reader(io.StringIO(text), delimiter=divider)
    lines = [[visible(unicodedata.normalize("NFC", cell.strip())) for cell in line] for line in table]
    lines = [line for line in lines if any(line) and not line[0].casefold().startswith("points possible")]  # Canvas
    if not lines:
        raise RosterError("the roster is empty: write a line of headings, as in student,name, and a line per student")
    headings = [heading.casefold() for heading in lines[0]]
    key = _key(headings, lines[1:])
    rows: dict[str, dict[str, str]] = {}
    skipped: list[str] = []
    bare = lambda cell: cell.removeprefix("#") if "orgdefinedid" in headings else cell  # Brightspace writes #s05
    for number, line in enumerate(lines[1:], start=2):
        student = bare(line[key]) if key < len(line) else ""
        if not student:
            others = ", ".join(filter(None, line))[:80]
            skipped.append(
                f"row {number} of the roster ({others}) has nothing in the column {lines[0][key]!r}: left out"
            )
            continue
        if "sis login id" in headings and line[0] == "Student, Test":
            skipped.append(f"row {number} of the roster ({line[0]}) is the test student of Canvas: left out")
            continue
        if student in rows:
            raise RosterError(f"row {number} of the roster names {student!r} a second time")
        rows[student] = dict(zip(headings, line))
    return roster_of(rows, skipped)


def roster_of(rows: dict[str, dict[str, str]], skipped: Iterable[str] = ()) -> Roster:
    """Return the roster with these rows, such as the rows that a gradebook has stored.

    >>> roster_of({"al1": {"student": "al1", "name": "Ada Lovelace"}}).fits("Ada Lovelace")
    ('al1',)
    """
    names = {student: _names(row) for student, row in rows.items()}
    return Roster(rows, tuple(skipped), tuple(_meant(spelling, names) for spelling in _SPELLINGS))


def _names(row: Mapping[str, str]) -> set[str]:
    """Return what may name a student in a path: cells, a Brightspace id without its #, full names and logins."""
    cells = {*row.values(), *_full_names(row), *_participant(next(iter(row.values()), ""))}
    if "orgdefinedid" in row:
        cells |= {cell.removeprefix("#") for cell in cells}
    return {*cells, *(cell.partition("@")[0] for cell in cells)} - {""}


def _key(headings: list[str], lines: list[list[str]]) -> int:
    """Return the index of the column that identifies students; a column of names is not used if names repeat.

    headings, lines : the headings, and the cells of each other line.
    """
    there = [headings.index(name) for name in _KEYS if name in headings]
    column = lambda at: [line[at] if at < len(line) else "" for line in lines]
    # In a file from Canvas, the columns "student" and "id" both identify the student, and "id" is unique.
    if {"student", "id", "section"} <= {*headings} and all(column(headings.index("id"))):
        return headings.index("id")
    there = [at for at in there if headings[at] != "id number" or all(column(at))] or [0]  # Moodle may leave it empty
    first = [*filter(None, column(there[0]))]
    is_name = headings[there[0]] in ("student", "name")
    return there[1] if is_name and len(there) > 1 and len(set(first)) < len(first) else there[0]


def _participant(cell: str) -> list[str]:
    """Translate a cell of Moodle's grading worksheet, such as "Teilnehmer/in 12", to English, or [] for other cells."""
    numbered = re.fullmatch(r"[^\W\d][^\d]* (\d+)", cell)
    return [f"Participant {numbered[1]}"] if numbered else []


def _meant(spelling: Callable[[str], str], names: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Map each name, respelled by `spelling`, to the students whom it fits.

    If a name equals the key that a student's marks are stored under, it fits only that student.

    In the spellings that keep spaces, a name as written takes precedence over the same words in another order: Wei Li
    is not Li Wei.
    """
    by_name: dict[str, set[str]] = {}
    for swaps in (True, False):
        in_order: dict[str, set[str]] = {}
        for student, cells in names.items():
            for name in [name for cell in cells for name in (_swapped(cell) if swaps else [cell])]:
                in_order.setdefault(spelling(name), set()).add(student)
        as_it_stands = not swaps and spelling in (_written, _any_case)
        by_name |= in_order if as_it_stands else {n: by_name.get(n, set()) | fits for n, fits in in_order.items()}
    by_key: dict[str, set[str]] = {}
    for student in names:
        by_key.setdefault(spelling(student), set()).add(student)
    return {name: tuple(sorted(fits)) for name, fits in {**by_name, **by_key}.items() if name}


def full_name(row: Mapping[str, str]) -> str:
    """Return the name of a student in a row of the roster, or "" if the row has no name.

    >>> full_name({"student": "al1", "first name": "Ada", "surname": "Lovelace"}), full_name({"student": "al1"})
    ('Ada Lovelace', '')
    >>> full_name({"student": "Lovelace, Ada", "id": "1040"})
    'Ada Lovelace'
    """
    whole = next((row[heading] for heading in ("name", "full name", "student name") if row.get(heading)), "")
    last, comma, first = row.get("student", "").partition(", ")  # Canvas
    return whole or " ".join(filter(None, _first_and_last(row))) or (f"{first} {last}" if comma else "")


def _first_and_last(row: Mapping[str, str]) -> tuple[str, str]:
    first = next((row[h] for h in ("first name", "firstname", "given name", "first") if h in row), "")
    last = next((row[h] for h in ("last name", "lastname", "surname", "family name", "last") if h in row), "")
    return first, last


def _full_names(row: Mapping[str, str]) -> list[str]:
    first, last = _first_and_last(row)
    return [f"{first} {last}", f"{last} {first}"] if first and last else []


def _swapped(name: str) -> list[str]:
    """Return a name with its words rotated, without commas, as in ["Ada Lovelace"] for "Lovelace, Ada".

    Names of more than five words are not rotated.
    """
    words = name.replace(",", " ").split()
    return [" ".join([*words[n:], *words[:n]]) for n in range(1, len(words))] if len(words) < 6 else []


def _written(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip())


def _any_case(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip().casefold())


def _plain(name: str) -> str:
    """Return a name in lower case, without spaces or punctuation, as in Canvas's file names; accents are kept."""
    kept = unicodedata.normalize("NFKC", name).casefold()
    return "".join(sign for sign in kept if unicodedata.category(sign)[0] in "LNM")


def _number(name: str) -> str:
    """Return a number without leading zeros, which a spreadsheet removes, or "" for anything else."""
    return name.strip().lstrip("0") if name.strip().isdecimal() else ""


def _bare(name: str) -> str:
    """Return a name without accents, as some platforms write it, or "" if letters other than a to z remain."""
    kept = "".join(sign for sign in unicodedata.normalize("NFKD", _plain(name)) if not unicodedata.combining(sign))
    return kept if kept.isascii() else ""


#: The ways to spell a name, the strictest first; the first spelling in which a name fits anybody is used.
_SPELLINGS = (_written, _any_case, _plain, _number, _bare)
