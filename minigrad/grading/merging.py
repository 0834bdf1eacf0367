"""Merge another assistant's gradebook into a gradebook: missing rows are added, and the later of two decisions counts.

If both have a manual mark for an exercise, the later mark counts. The assistant's mark is added in any case, and
withdrawn if it is the earlier one. `merge` returns a sentence for each pair of different marks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .class_list import STANDING
from .gradebook import Gradebook

Row = dict[str, Any]
#: Tables where only the newest row about a subject counts: table -> the columns that identify the subject.
_NEWEST = {
    "enrolments": ("student",),
    "rules": ("assignment",),
    "allowances": ("assignment", "student"),
    "groups": ("assignment", "name"),
    "owners": ("person",),
    "removals": ("student",),
    "left_out": ("assignment",),
}
_MARK = ("assignment", "student", "exercise")


def merge(book: Gradebook, other: Gradebook, who: str = "") -> list[str]:
    """Add the rows of `other`, either all of them or none.

    Returns a sentence for each manual mark that differs between the two gradebooks, and for each sum that both changed.
    """
    with book.transaction():
        for table, key in _NEWEST.items():
            ours = {_of(row, key): row for row in _rows(book, table)}
            for name, row in {_of(row, key): row for row in _rows(other, table)}.items():
                if name not in ours or (row["at"] > ours[name]["at"] and not _same(row, ours[name])):
                    book.add(table, _new(row))
        _add_work(book, other)
        return list(_add_marks(book, other, who))


def _add_work(book: Gradebook, other: Gradebook) -> None:
    """Add the submissions and reports of `other` that `book` lacks; an earlier row never replaces a later one."""
    there = _rows(book, "submissions")
    counted = {_of(row, _MARK[:2]): row["at"] for row in there if row["counts"]}
    for row in _rows(other, "submissions"):
        if not any(_same(row, one) for one in there):
            counts = bool(row["counts"]) and row["at"] > counted.get(_of(row, _MARK[:2]), 0.0)
            book.add("submissions", _new({**row, "counts": counts}))
    judged = {_of(row, ("assignment", "student", "digest")): row["at"] for row in _rows(book, "attempts")}
    for row in _rows(other, "attempts"):
        if row["at"] > judged.get(_of(row, ("assignment", "student", "digest")), 0.0):
            book.add("attempts", _new(row))


def _add_marks(book: Gradebook, other: Gradebook, who: str) -> Iterator[str]:
    there = _rows(book, "adjustments")
    standing = {_of(row, _MARK): row for row in _rows(book, "adjustments", STANDING) if row["exercise"] is not None}
    withdrawn = {row["adjustment"]: row for row in _rows(other, "withdrawals")}
    theirs = _rows(other, "adjustments")
    of_sums = [row for row in _rows(book, "adjustments", STANDING) if row["exercise"] is None]
    of_sums = [row for row in of_sums if not any(_same(row, one) and row["at"] == one["at"] for one in theirs)]
    for row in theirs:
        twins = [one for one in there if _same(row, one) and one["at"] == row["at"]]
        number = twins[0]["id"] if twins else book.add("adjustments", _new(row))
        if gone := withdrawn.get(row["id"]):
            if not book.rows("SELECT 1 FROM withdrawals WHERE adjustment = ?", number):
                book.add("withdrawals", {**_new(gone), "adjustment": number})
        elif not twins and row["exercise"] is None:
            for ours in (ours for ours in of_sums if _of(ours, _MARK) == _of(row, _MARK)):
                yield f"{row['student']}, the sum: {_in_words(ours)} | {_in_words(row)}; both count"
        elif not twins and (mine := standing.get(_of(row, _MARK))):
            if mine["marks"] != row["marks"]:
                yield f"{row['student']}, {row['exercise']}: {_in_words(mine)} | {_in_words(row)}; the later one counts"
            if mine["at"] > row["at"]:
                why = f"merged: {mine['who']} gave {mine['marks']:g} later"
                book.add("withdrawals", {"adjustment": number, "who": who or row["who"], "why": why})


def _in_words(row: Row) -> str:
    return f"{row['marks']:g} by {row['who']} ({row['why']})"


def _rows(book: Gradebook, table: str, where: str = "1") -> list[Row]:
    names = [name for _, name, *_ in book.rows(f"PRAGMA table_info({table})")]
    return [
        dict(zip(names, row)) for row in book.rows(f"SELECT {', '.join(names)} FROM {table} WHERE {where} ORDER BY id")
    ]


def _of(row: Row, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def _new(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "id"}


def _same(row: Row, other: Row) -> bool:
    return all(row[name] == other[name] for name in row if name not in ("id", "at"))
