"""Read a student's notebook as a submission, even if the file is damaged.

`read(path)` never raises an exception because of a submitted file. Code cells are taken unchanged, each with the
exercise for which it was released. Outputs and other metadata have no effect. Anything unusual becomes a note. A file
without any readable cell becomes a submission with the reason.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Cell:
    """A code cell.

    number : the position of the cell among all cells of the notebook, from 1.
    exercise : the exercise whose released cell this is, or None.
    """

    source: str
    number: int
    exercise: str | None = None


@dataclass(frozen=True)
class Submission:
    """The work of a student for an assignment.

    student : the name that marks are stored under. file : the name or path of the file. digest : SHA-256 of the bytes,
        in hexadecimal. received : the time of submission in seconds since 1970, or None if unknown.
    cells, texts : the code cells and the text cells. notes : sentences about the file. asides : sentences only for the
        teacher, because they name other students. unreadable : the reason why nothing could be read, or "".
    broken : whether a part of the file is lost, perhaps with an answer.
    """

    student: str
    file: str
    digest: str
    cells: tuple[Cell, ...] = ()
    received: float | None = None
    notes: tuple[str, ...] = field(default=())
    unreadable: str = ""
    broken: bool = False
    asides: tuple[str, ...] = ()
    texts: tuple[Cell, ...] = ()


LARGEST = 64_000_000  #: maximum number of bytes of a notebook, including images
LETTERS = 4  #: a longer list of strings of one character each is text split into characters, not into lines
CODE, CELLS = 2_000_000, 10_000  #: maximum number of characters of code, and maximum number of code cells
BROKEN = "the JSON of the file is broken"
_KNOWN = [
    (b"PK\x03\x04", "a ZIP archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"%PDF", "a PDF"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a picture"),
    (b"<!doctype html", "a web page"),
    (b"<html", "a web page"),
]


def read(path: Path | str, student: str = "", received: float | None = None) -> Submission:
    """Read the notebook at `path` as a submission of `student` (default: the name of the file).

    The file's content never raises an exception; `unreadable` says why it cannot be read. Links are not followed.
    """
    path = Path(path)
    student = student or printable(path.stem)
    try:
        data, written = regular_bytes(path)
    except (OSError, ValueError) as problem:
        return unread(student, path.name, reason(problem), received=received)
    return parse(data, student, path.name, written if received is None else received)


def parse(data: bytes, student: str, file: str, received: float | None = None) -> Submission:
    """Return the submission in the bytes of a notebook.

    >>> parse(b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["x = 1"]}]}', "ada", "hw1.ipynb").cells
    (Cell(source='x = 1', number=1, exercise=None),)
    >>> parse(b"", "ada", "hw1.ipynb").unreadable
    'the file is empty: 0 bytes'
    """
    digest = hashlib.sha256(data).hexdigest()
    if len(data) > LARGEST:
        return unread(student, file, _too_large(len(data)), digest, received)
    text, notes = decode(data)
    try:
        cells, said = _cells(text, data)
    except _Unreadable as problem:
        return unread(student, file, str(problem), digest, received, notes)
    code, texts, skipped = _split(cells)
    if len(code) > CELLS or sum(len(cell.source) for cell in code) > CODE:
        why = f"it holds more than {CODE:,} characters, or {CELLS:,} cells, of code"
        return unread(student, file, why, digest, received, notes)
    broken = any(note.startswith(BROKEN) for note in said)
    noted = (*notes, *said, *skipped)
    return Submission(student, printable(file), digest, code, received, noted, broken=broken, texts=texts)


def unread(
    student: str,
    file: str,
    why: str,
    digest: str = "",
    received: float | None = None,
    notes: Iterable[str] = (),
) -> Submission:
    """Return a submission for a file that could not be read at all.

    why : the reason, a sentence without its full stop.
    """
    return Submission(student, printable(file), digest, (), received, tuple(notes), printable(why))


def regular_bytes(path: Path) -> tuple[bytes, float]:
    """Return the content of a file, and its modification time in seconds.

    Raises ValueError for a link, a device or a file that is too large.
    """
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise ValueError("it is a link to another file, which is not followed")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is not an ordinary file")
    if status.st_size > LARGEST:
        raise ValueError(_too_large(status.st_size))
    flags = [] if sys.platform == "emscripten" else ["O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"]
    # In a browser, a file opened with these flags would be written back on closing, and JupyterLite warns about that.
    with open(os.open(path, os.O_RDONLY | sum(getattr(os, name, 0) for name in flags)), "rb") as file:
        return file.read(LARGEST + 1), status.st_mtime


class _Unreadable(Exception):
    """Raised if text is not a notebook; the message is the reason."""


def _cells(text: str, data: bytes) -> tuple[list[Any], list[str]]:
    """Parse the text of a notebook; return its cells, of any kind, and notes about unusual things.

    data : the bytes of the file, whose kind is named in the error. Raises _Unreadable.
    """
    if not text.strip():
        raise _Unreadable(f"the file is empty: {len(data)} bytes" + (" of white space" if data else ""))
    try:
        return _of_notebook(_load(text))
    except RecursionError:
        raise _Unreadable("it is nested too deeply for a notebook") from None
    except ValueError as problem:
        where = f"line {problem.lineno}" if isinstance(problem, json.JSONDecodeError) else "its JSON"
    if marks := merge_marks(text):
        return _merged(text, marks)
    if not text.lstrip().startswith("{"):
        kind = kind_of(data)
        raise _Unreadable(f"it is {kind}, not a notebook" if kind else f"it is not a notebook: {where} is not JSON")
    cells = whole_cells(text)
    if not any(cell.get("cell_type") == "code" for cell in cells):
        raise _Unreadable(f"its JSON is broken at {where}, and no code cell is complete")
    return cells, [f"{BROKEN} at {where}; cells that are whole and were read: {len(cells)}"]


def kind_of(data: bytes) -> str:
    """Return the kind of a file according to its first bytes, such as "a PDF", or "" if it is unknown."""
    return next((name for start, name in _KNOWN if data.lstrip()[:20].lower().startswith(start.lower())), "")


def is_notebook(data: bytes) -> bool:
    """Return whether a file begins like a notebook, whatever its name is.

    >>> is_notebook(b'{"cells": []}'), is_notebook(b'{"url": "https://example.org"}')
    (True, False)
    """
    text = decode(data)[0].lstrip()
    return text.startswith("{") and bool(re.search(r'"(?:cells|worksheets)"\s*:', text))


def _load(text: str) -> Any:
    return json.loads(text, strict=False, parse_int=float)  # an int of 5,000 digits would raise an error


def _merged(text: str, marks: list[int]) -> tuple[list[Any], list[str]]:
    """Return the cells, and notes, of a notebook with conflict markers of a merge, if both versions have the same code.

    marks : the line numbers of the markers. Raises _Unreadable if the versions differ in code.
    """
    lines = ", ".join(map(str, marks[:6])) + (", ..." if len(marks) > 6 else "")
    try:
        (first, notes), (second, _) = (_of_notebook(_load(version)) for version in versions(text))
        same = [c.source for c in _split(first)[0]] == [c.source for c in _split(second)[0]]
    except (ValueError, RecursionError, _Unreadable):
        same = False
    if not same:
        raise _Unreadable(f"a merge left its conflict marks in lines {lines}, and the two versions differ in code")
    return first, [
        *notes,
        f"a merge left its conflict marks in lines {lines}; the code of both versions is the same",
    ]


def _of_notebook(notebook: Any) -> tuple[list[Any], list[str]]:
    """Return the cells of a notebook that was parsed from JSON, and notes about its format and language.

    Raises _Unreadable if it has no list of cells.
    """
    if not isinstance(notebook, dict):
        raise _Unreadable("it is JSON, but not a notebook")
    sheets = notebook.get("worksheets")
    cells = notebook.get("cells")
    if not isinstance(cells, list) and isinstance(sheets, list):
        inner = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        cells = [cell for group in inner if isinstance(group, list) for cell in group]
    if not isinstance(cells, list):
        raise _Unreadable("it is JSON, but not a notebook: it has no list of cells")
    return cells, list(_about(notebook))


def _about(notebook: dict[str, Any]) -> Iterable[str]:
    version = notebook.get("nbformat")
    if version not in (3, 4, 5):
        shown = f"{version:g}" if isinstance(version, float) else "no version"
        yield f"the notebook says nbformat {shown}; its cells were read as those of nbformat 4"
    elif version != 4:
        yield f"the notebook is written in nbformat {version:g}"
    metadata = notebook.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language", "python") if isinstance(kernel, dict) else "python"
    if not str(language).lower().startswith("python"):
        yield f"the notebook names the language {printable(str(language))[:40]}; its code was read as Python"


def _split(cells: list[Any]) -> tuple[tuple[Cell, ...], tuple[Cell, ...], list[str]]:
    """Return the code cells, the text cells, and notes on other cells and on text that was released as code."""
    code: list[Cell] = []
    texts: list[Cell] = []
    notes: list[str] = []
    for number, cell in enumerate(cells, start=1):
        if not isinstance(cell, dict) or "cell_type" not in cell:
            notes.append(f"cell {number} has no type and was left out")
            continue
        source, name, is_code = _source(cell), _exercise(cell), cell["cell_type"] == "code"
        if source is not None:
            (code if is_code else texts).append(Cell(printable(source), number, name))
        elif is_code:
            notes.append(f"cell {number} holds no text and was left out")
        if name and not is_code:
            notes.append(f"cell {number}, for {name}, is a text cell ({cell['cell_type']}), and none of it is run")
    return tuple(code), tuple(texts)[:CELLS], notes[:20]


def _source(cell: dict[str, Any]) -> str | None:
    source = next((cell[key] for key in ("source", "input", "code") if key in cell), "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        split = len(source) > 1 and not any("\n" in line for line in source)  # some editors write lines without "\n"
        letters = split and len(source) > LETTERS and max(map(len, source)) == 1  # some write a list of characters
        source = "".join(line or "\n" for line in source) if letters else ("\n" if split else "").join(source)
    return source if isinstance(source, str) else None


def _exercise(cell: dict[str, Any]) -> str | None:
    metadata = cell.get("metadata")
    name = metadata.get("exercise") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) and name.isidentifier() else None


def _too_large(size: int) -> str:
    return f"it has {size / 1e6:.0f} MB; at most {LARGEST / 1e6:.0f} MB are read"


def reason(problem: Exception) -> str:
    """Return the reason why a file could not be read, as text; for an OSError, without its number and path."""
    return problem.strerror or str(problem) if isinstance(problem, OSError) else str(problem)


_MARKS = [
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
]


def decode(data: bytes) -> tuple[str, list[str]]:
    """Return the text of a file, and notes about anything unusual in its bytes. Any bytes can be decoded.

    >>> decode("x = 'é'".encode("latin-1"))
    ("x = 'é'", ['the file is not UTF-8; it was read as Latin-1'])
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None) or _without_mark(data)
    notes = [f"the file is {encoding.upper()}, not UTF-8"] if encoding.startswith(("utf-16", "utf-32")) else []
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("latin-1")
        notes = ["the file is not UTF-8; it was read as Latin-1"]
    if "\0" in text:
        notes.append(f"the file holds {text.count(chr(0))} NUL characters, which were left out")
        text = text.replace("\0", "")
    return text, notes


def _without_mark(data: bytes) -> str:
    """Return the encoding of a file without a byte-order mark: UTF-16 if every other byte is zero, else UTF-8."""
    start = data[:64]
    if len(start) >= 4 and len(start) % 2 == 0 and start.isascii():
        if not any(start[1::2]) and all(start[::2]):
            return "utf-16-le"
        if not any(start[::2]) and all(start[1::2]):
            return "utf-16-be"
    return "utf-8"


def printable(text: str) -> str:
    """Replace each lone surrogate in `text`, which UTF-8 cannot encode, with its number.

    >>> print(printable("a" + chr(0xD800)))
    a\\ud800
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


_BEGIN = re.compile(r'"(?:cells)"\s*:\s*\[')
_CELL = re.compile(r'\{\s*"(?:cell_type|attachments)"')
_MARK = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$", re.MULTILINE)
_DECODER = json.JSONDecoder(strict=False, parse_int=float)
ATTEMPTS = 200  #: after this many broken cells, the rest of a file is skipped


def whole_cells(text: str) -> list[dict[str, Any]]:
    """Return the cells that can be read separately, in order; broken cells are left out.

    >>> [cell["source"] for cell in whole_cells('{"cells": [{"cell_type": "code", "source": "x = 1"}, {"cell_ty')]
    ['x = 1']
    """
    return list(_whole(text))


def _whole(text: str) -> Iterator[dict[str, Any]]:
    begin = _BEGIN.search(text)
    at, broken = (begin.end() if begin else 0), 0
    while broken < ATTEMPTS:
        at += len(text[at : at + 1000]) - len(text[at : at + 1000].lstrip(" \t\r\n,"))
        try:
            cell, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            broken += 1
            following = _CELL.search(text, at + 1)
            if following is None:
                return
            at = following.start()
        else:
            if not isinstance(cell, dict):
                return
            yield cell


def merge_marks(text: str) -> list[int]:
    """Return the line numbers of the conflict markers of an unresolved merge, or [] if they are incomplete.

    >>> merge_marks("a\\n<<<<<<< HEAD\\nb\\n=======\\nc\\n>>>>>>> theirs\\n")
    [2, 4, 6]
    """
    marks = list(_MARK.finditer(text))
    kinds = {mark.group()[0] for mark in marks}
    return [text.count("\n", 0, mark.start()) + 1 for mark in marks] if {"<", "=", ">"} <= kinds else []


def versions(text: str) -> tuple[str, str]:
    """Return the two versions of a text that contains the conflict markers of a merge.

    >>> versions("a\\n<<<<<<< HEAD\\nb\\n=======\\nc\\n>>>>>>> theirs\\n")
    ('a\\nb\\n', 'a\\nc\\n')
    """
    first: list[str] = []
    second: list[str] = []
    into = [first, second]
    for line in text.splitlines(keepends=True):
        mark = line[0] if _MARK.match(line.rstrip("\n")) else ""
        if mark:
            into = {"<": [first], "|": [], "=": [second], ">": [first, second]}[mark]
        else:
            for side in into:
                side.append(line)
    return "".join(first), "".join(second)
