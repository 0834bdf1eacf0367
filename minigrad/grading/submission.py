"""A submission as it was read: its cells of code, whoever wrote them, and what was odd about the file."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """One cell of code. number : its place among all cells, from 1. exercise : the exercise it was handed out for."""

    source: str
    number: int
    exercise: str | None = None


@dataclass(frozen=True)
class Submission:
    """What one student handed in for one assignment.

    student : the name under which marks are kept. file : where it came from, as people would say it.
    digest : SHA-256 of the bytes, in hexadecimal. received : seconds since 1970, None where it is not known.
    notes : sentences about the file. unreadable : why nothing could be read, with the line; empty when it was.
    broken : whether a part of the file is lost, in which an answer may have stood.
    """

    student: str
    file: str
    digest: str
    cells: tuple[Cell, ...] = ()
    received: float | None = None
    notes: tuple[str, ...] = field(default=())
    unreadable: str = ""
    broken: bool = False
