"""Compile the statements of a notebook's cell one by one, with its magics translated or left out."""

from __future__ import annotations

import ast
import re
import types

#: Cell magics whose body is Python, and line magics that run the rest of their line.
RUNS_BODY = ("time", "timeit", "capture", "prun", "python", "python3", "px")
RUNS_LINE = ("time", "timeit", "prun")


def statements(source: str, number: int) -> tuple[list[types.CodeType], list[str]]:
    """The compiled statements of a cell, and notes on lines that were left out or cannot be compiled.

    >>> found, notes = statements("%%time\\nx = 1\\n!ls\\ny = 2", 4)
    >>> len(found), notes
    (2, ["Cell 4: '!ls' was left out."])
    """
    notes: list[str] = []
    try:
        tree = parsed(source, number, notes)
    except SyntaxError as error:
        return [], [*notes, f"Cell {number}, line {error.lineno}: SyntaxError: {error.msg}"]
    found = []
    for statement in tree.body:
        try:
            found.append(compile(ast.Module([statement], []), f"<cell {number}>", "exec", dont_inherit=True))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            notes.append(f"Cell {number}, line {statement.lineno}: {type(error).__name__}: {error}"[:300])
    return found, notes


def parsed(source: str, number: int, notes: list[str]) -> ast.Module:
    """The syntax tree of a cell without its magics, which are added to `notes`. Raises SyntaxError."""
    try:
        return _parsed(source)
    except SyntaxError:
        return _parsed(plain(source, number, notes))


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (ValueError, RecursionError, MemoryError) as error:  # NUL, or nested too deeply
        raise SyntaxError(str(error)[:200]) from None


def plain(source: str, number: int, notes: list[str]) -> str:
    """The cell without magics and shell lines; lines keep their numbers."""
    lines = source.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    magic = re.match(r"\s*%%(\w+)", lines[first]) if lines else None
    if magic:
        if magic[1] not in RUNS_BODY:
            notes.append(f"Cell {number}: the cell of %%{magic[1]} was left out.")
            return ""
        lines[first] = ""
    return "\n".join(_line(line, number, notes) for line in lines)


def _line(line: str, number: int, notes: list[str]) -> str:
    bare = line.strip()
    indent = line[: len(line) - len(line.lstrip())]
    timed = re.match(r"%(\w+)\s+(?:-\S+\s+(?:\d+\s+)?)*(.+)", bare)
    if timed and timed[1] in RUNS_LINE:
        return indent + timed[2]
    if not re.match(r"[%!?]|[\w.]+\s*\?{1,2}$|\w+\s*=\s*[!%]", bare):
        return line
    notes.append(f"Cell {number}: {bare[:60]!r} was left out.")
    return indent + "pass" if indent else ""
