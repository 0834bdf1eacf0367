"""The user's source: the expression that made a node, what names mean there, and edits of the text."""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..core.tensor import Tensor

#: File, line, column, end line, end column; columns count UTF-8 bytes.
Span = tuple[str, int, int, int, int]


class Edit(NamedTuple):
    """`text` in the place of what stands in `file` from a line and a column to another; columns count UTF-8 bytes."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class _Source(NamedTuple):
    """The expressions of a file by their span, its statements, and what minigrad is called in it."""

    expressions: dict[Span, ast.expr]
    statements: list[ast.stmt]
    tree: ast.Module


def span_of(node: Tensor) -> Span | None:
    """Where the expression that made a node stands; None where that is not remembered."""
    location = getattr(node, "location", None)
    if location is None or not hasattr(location[0], "co_positions"):
        return None
    line, end_line, column, end_column = list(location[0].co_positions())[location[1] // 2]
    return None if None in (line, column) else (location[0].co_filename, line, column, end_line, end_column)


def source_of(file: str) -> _Source:
    return _parsed(file, "".join(linecache.getlines(file)))


@functools.lru_cache(maxsize=16)
def _parsed(file: str, text: str) -> _Source:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        tree = ast.Module([], [])
    nodes = list(ast.walk(tree))
    expressions = {span_in(file, n): n for n in nodes if isinstance(n, ast.expr)}
    return _Source(expressions, [n for n in nodes if isinstance(n, ast.stmt) and not hasattr(n, "body")], tree)


def span_in(file: str, e: Any) -> Span:
    return file, e.lineno, e.col_offset, e.end_lineno, e.end_col_offset


def edited(text: str, edits: Sequence[Edit], first: int = 1) -> str:
    """Source text with the edits made; `first` is the number of its first line.

    >>> edited("y = log(x)", [Edit("f.py", 1, 8, 1, 9, "x + 1")])
    'y = log(x + 1)'
    """
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    starts = [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]
    whole = b"".join(lines)
    for edit in sorted(edits, reverse=True):
        begin = starts[edit.line - first] + edit.column
        end = starts[edit.end_line - first] + edit.end_column
        whole = whole[:begin] + edit.text.encode() + whole[end:]
    return whole.decode()


def shown(edits: Sequence[Edit]) -> list[tuple[str, int, str, str]]:
    """For each edited line, or group of lines: the file, its number, and its text before and after."""
    groups: dict[tuple[str, int, int], list[Edit]] = {}
    for edit in edits:
        groups.setdefault((edit.file, edit.line, edit.end_line), []).append(edit)
    rows = []
    for (file, line, end), group in groups.items():
        text = "".join(linecache.getlines(file)[line - 1 : end])
        rows.append((file, line, text.strip(), edited(text, group, line).strip()))
    return rows


def rebound(e: ast.expr, home: Span) -> bool:
    """Whether a name in an expression is bound between its statement and the statement at `home`."""
    if not hasattr(e, "lineno"):
        return False
    statements = source_of(home[0]).statements

    def start(line: int, column: int) -> tuple[int, int]:
        begun = [(s.lineno, s.col_offset) for s in statements if (s.lineno, s.col_offset) <= (line, column)]
        return max(begun, default=(0, 0))

    here, there = start(e.lineno, e.col_offset), start(home[1], home[2])
    names = {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}
    stores = (n for s in statements for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return here != there and any(here <= start(n.lineno, n.col_offset) < there for n in stores if n.id in names)


def module_for(file: str, template: ast.expr) -> str | None:
    """What the functions of a template are called by in a file: "mg", or "" for bare names; None where they are not."""
    needed = {n.func.id for n in ast.walk(template) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    modules, bare = [], set()
    for node in ast.walk(source_of(file).tree):
        if isinstance(node, ast.Import):
            modules += [(a.asname or a.name, a.name) for a in node.names if a.name.partition(".")[0] == "minigrad"]
        elif isinstance(node, ast.ImportFrom) and node.module == "minigrad":
            modules += [(a.asname or a.name, f"minigrad.{a.name}") for a in node.names]
            bare |= {a.name for a in node.names if a.asname is None}
    for alias, name in sorted(modules, key=lambda pair: pair[1]):
        if (module := sys.modules.get(name)) is not None and all(hasattr(module, f) for f in needed):
            return alias
    if needed <= bare or "*" in bare:
        return ""
    return "mg" if not modules else None  # a cell of a notebook, whose imports stand in another one
