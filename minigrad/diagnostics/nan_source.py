"""The user's source: the expression that made a node, the names in it, and edits of the text."""

from __future__ import annotations

import ast
import dis
import functools
import linecache
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from ..core.tensor import Tensor

#: File, line, column, end line, end column; columns count UTF-8 bytes.
Span = tuple[str, int, int, int, int]


class Edit(NamedTuple):
    """Replace a span of `file`, from one line and column to another, by `text`; columns count UTF-8 bytes."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class _Source(NamedTuple):
    """The expressions of a file by their span, its statements without a body, and its syntax tree."""

    expressions: dict[Span, ast.expr]
    statements: list[ast.stmt]
    tree: ast.Module


def span_of(node: Tensor) -> Span | None:
    """The span of the expression that made a node; None if it is unknown."""
    location = getattr(node, "location", None)
    return None if location is None else _spans(location[0], id(location[0])).get(location[1])


@functools.lru_cache(maxsize=16)
def _spans(code: CodeType, key: int) -> Mapping[int, Span]:
    """The span of each instruction's expression, by offset. key : the id, as code of another file may compare equal."""
    file, positions = code.co_filename, getattr(code, "co_positions", None)
    if positions is not None:
        return {2 * i: (file, a, c, b, d) for i, (a, b, c, d) in enumerate(positions()) if None not in (a, b, c, d)}
    made: dict[int, list[int]] = {}  # Python 3.10 has lines only; expressions are evaluated in order
    line = 0
    for instruction in dis.get_instructions(code):
        line = instruction.starts_line or line
        if instruction.opname.startswith(("BINARY_", "CALL_", "UNARY_NEG")):
            made.setdefault(line, []).append(instruction.offset)
    tops: list[ast.AST] = [source_of(file).tree]
    if code.co_name == "<lambda>":
        every = (n for n in ast.walk(tops[0]) if isinstance(n, ast.Lambda))
        tops = [n.body for n in every if n.lineno == code.co_firstlineno]
    written: dict[int, list[Any]] = {}
    for e in _evaluated(tops[0]) if len(tops) == 1 else ():
        called = isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and not e.keywords
        written.setdefault((e.func.end_lineno if called else e.lineno), []).append(e)
    known = [zip(made[n], written.get(n, ())) for n in made if len(made[n]) == len(written.get(n, ()))]
    return {offset: span_in(file, e) for pairs in known for offset, e in pairs}


def _evaluated(e: ast.AST) -> Iterator[Any]:
    """The calls, signs, indices and products of a syntax tree in the order in which they are evaluated."""
    if isinstance(e, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return
    for child in ast.iter_child_nodes(e):
        yield from _evaluated(child)
    sign = isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub)
    index = isinstance(e, ast.Subscript) and isinstance(e.ctx, ast.Load)
    folded = not any(isinstance(n, (ast.Name, ast.Call)) for n in ast.walk(e))
    if (isinstance(e, (ast.BinOp, ast.Call)) or sign or index) and not folded:
        yield e


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
    """The prefix of a template's functions in a file: "mg", or "" for bare names; None if there is none."""
    needed = {n.func.id for n in ast.walk(template) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    modules, bare, bound = [], set(), set()
    for node in ast.walk(source_of(file).tree):
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
            bound.add(node.arg if isinstance(node, ast.arg) else node.id)
        if isinstance(node, ast.Import):
            modules += [(a.asname or a.name, a.name) for a in node.names if a.name.partition(".")[0] == "minigrad"]
        elif isinstance(node, ast.ImportFrom) and node.module == "minigrad":
            modules += [(a.asname or a.name, f"minigrad.{a.name}") for a in node.names]
            bare |= {a.name for a in node.names if a.asname is None}
    for alias, name in sorted(modules, key=lambda pair: pair[1]):
        if (module := sys.modules.get(name)) is not None and all(hasattr(module, f) for f in needed):
            return None if alias in bound else alias
    if needed <= bare or "*" in bare:
        return None if needed & bound else ""
    imported_elsewhere = not modules and "mg" not in bound  # in another cell of the notebook
    return "mg" if imported_elsewhere else None
