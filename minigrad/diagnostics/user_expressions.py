"""Find the expression in the user's code that created a node, and check whether its names are reassigned later."""

from __future__ import annotations

import ast
import dis
import functools
import linecache
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Any, NamedTuple

from ..core.tensor import Tensor

#: The file, line, column, end line and end column of an expression; columns count UTF-8 bytes.
Span = tuple[str, int, int, int, int]


class ParsedFile(NamedTuple):
    """The expressions of a file by span, its simple statements, which have no body, and its syntax tree."""

    expressions: dict[Span, ast.expr]
    statements: list[ast.stmt]
    tree: ast.Module


def span_of(node: Tensor) -> Span | None:
    """Return the span of the expression that created a node, or None if it is unknown."""
    location = getattr(node, "location", None)
    return None if location is None else _spans(location[0], id(location[0])).get(location[1])


@functools.lru_cache(maxsize=16)
def _spans(code: CodeType, key: int) -> Mapping[int, Span]:
    """Return a map from the offset of each instruction to the span of its expression.

    key : the id of `code`, which makes the cache distinguish equal code objects of different files.
    """
    file, positions = code.co_filename, getattr(code, "co_positions", None)
    if positions is not None:
        return {2 * i: (file, a, c, b, d) for i, (a, b, c, d) in enumerate(positions()) if None not in (a, b, c, d)}
    # Python 3.10 records only the line of an instruction, so instructions are matched to expressions in order.
    made: dict[int, list[int]] = {}
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
    matched = [zip(made[n], written.get(n, ())) for n in made if len(made[n]) == len(written.get(n, ()))]
    return {offset: span_in(file, e) for pairs in matched for offset, e in pairs}


def _evaluated(e: ast.AST) -> Iterator[Any]:
    """Yield the calls, minus signs, indices and binary operations of a syntax tree in order of evaluation."""
    if isinstance(e, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return
    for child in ast.iter_child_nodes(e):
        yield from _evaluated(child)
    sign = isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub)
    index = isinstance(e, ast.Subscript) and isinstance(e.ctx, ast.Load)
    folded = not any(isinstance(n, (ast.Name, ast.Call)) for n in ast.walk(e))
    if (isinstance(e, (ast.BinOp, ast.Call)) or sign or index) and not folded:
        yield e


def source_of(file: str) -> ParsedFile:
    """Parse a file in its present state, and return its expressions, statements and syntax tree.

    All reports share the syntax tree, so it must not be changed.
    """
    linecache.checkcache(file)
    return _parsed(file, "".join(linecache.getlines(file)))


@functools.lru_cache(maxsize=16)
def _parsed(file: str, text: str) -> ParsedFile:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        tree = ast.Module([], [])
    nodes = list(ast.walk(tree))
    expressions = {span_in(file, n): n for n in nodes if isinstance(n, ast.expr)}
    return ParsedFile(expressions, [n for n in nodes if isinstance(n, ast.stmt) and not hasattr(n, "body")], tree)


def span_in(file: str, e: Any) -> Span:
    return file, e.lineno, e.col_offset, e.end_lineno, e.end_col_offset


def rebound(e: ast.expr, home: Span, moved: bool = True) -> bool:
    """Return whether a name in `e` is assigned between the statement that contains `e` and the one at `home`.

    Either statement may be the earlier one. moved : whether `e` is to be written at `home`, so that a name which is
        assigned there has no value yet; if False, `e` is only shown.
    """
    if not hasattr(e, "lineno"):
        return False
    statements = source_of(home[0]).statements

    def start(line: int, column: int) -> tuple[int, int]:
        begun = [(s.lineno, s.col_offset) for s in statements if (s.lineno, s.col_offset) <= (line, column)]
        return max(begun, default=(0, 0))

    here, there = start(e.lineno, e.col_offset), start(home[1], home[2])
    names = {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}
    stores = (n for s in statements for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    first, last = sorted((here, there))
    places = {start(n.lineno, n.col_offset) for n in stores if n.id in names} - ({there} if not moved else set())
    return here != there and any(first <= place < last for place in places)
