"""A submission as it was read: its cells of code, and notes about the file."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """One cell of code. number : its number among all cells, from 1. exercise : the one it was handed out for."""

    source: str
    number: int
    exercise: str | None = None


@dataclass(frozen=True)
class Submission:
    """The work of one student for one assignment.

    student : the name under which marks are kept. file : the name or path of its file.
    digest : SHA-256 of the bytes, in hexadecimal. received : seconds since 1970, None if it is not known.
    notes : sentences about the file. unreadable : why nothing could be read, with the line; else empty.
    broken : whether a part of the file, perhaps with an answer, is lost.
    """

    student: str
    file: str
    digest: str
    cells: tuple[Cell, ...] = ()
    received: float | None = None
    notes: tuple[str, ...] = field(default=())
    unreadable: str = ""
    broken: bool = False
