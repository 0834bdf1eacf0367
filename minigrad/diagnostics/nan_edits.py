"""A rewrite of the graph as an edit of the line that the user wrote.

A node remembers the instruction that made it. Python 3.11 and later know which expression of the line that is, and its
syntax tree has the operands as they were written. Where the line does not say what the graph holds (it ran more than
once, a name was bound anew, a pattern spans two functions), there is no edit.
"""

from __future__ import annotations

import ast
import copy
import functools
import linecache
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input
from .nan_patterns import BINARY, NAMES, Rewrite, number


class Edit(NamedTuple):
    """`text` in the place of what stands in `file` from a line and a column to another; columns count UTF-8 bytes."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


Span = tuple[str, int, int, int, int]
Letters = Mapping[str, ast.expr]


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


def _source(file: str) -> _Source:
    return _parsed(file, "".join(linecache.getlines(file)))


@functools.lru_cache(maxsize=16)
def _parsed(file: str, text: str) -> _Source:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        tree = ast.Module([], [])
    nodes = list(ast.walk(tree))
    expressions = {_span(file, n): n for n in nodes if isinstance(n, ast.expr)}
    return _Source(expressions, [n for n in nodes if isinstance(n, ast.stmt) and not hasattr(n, "body")], tree)


def _span(file: str, e: Any) -> Span:
    return file, e.lineno, e.col_offset, e.end_lineno, e.end_col_offset


def line_edits(y: Tensor, rewrites: Sequence[Rewrite]) -> tuple[Edit, ...]:
    """The rewrites of the graph of `y` as edits of its lines, which do not overlap; () where one cannot be written."""
    spans = [span_of(node) for node in graph_of(y) if not is_input(node)]
    speller = _Speller()
    new: dict[Span, ast.expr] = {}
    for rewrite in rewrites:
        found = speller.leaf(rewrite) if is_input(rewrite.at) else speller.rewritten(rewrite)
        if not found or any(spans.count(span) > 1 for span, _ in found):
            return ()
        new.update(found)
        speller.follow(rewrite)
    edits = []
    for span, e in new.items():
        others = {k: v for k, v in new.items() if k != span}
        if not any(_within(span, other) for other in others):
            edits.append(Edit(*span, text=_bracketed(span, _Replace(span[0], others).visit(copy.deepcopy(e)))))
    return tuple(sorted(edits))


def _within(inner: Span, outer: Span) -> bool:
    return inner[0] == outer[0] and outer[1:3] <= inner[1:3] and inner[3:] <= outer[3:]


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


class _Speller:
    """The expressions of nodes as the user wrote them, or would write them for nodes that rewrites made."""

    def __init__(self) -> None:
        self.made: dict[int, ast.expr] = {}

    def written(self, node: Tensor) -> tuple[ast.expr, list[ast.expr]] | None:
        """The expression of a node and its operands; None where the line shows something else."""
        e = self.made.get(node.serial)
        if e is None:
            span = span_of(node)
            e = None if span is None else _source(span[0]).expressions.get(span)
        if isinstance(e, ast.BinOp):
            known = BINARY.get(type(e.op), "matmul" if isinstance(e.op, ast.MatMult) else "")
            return (e, [e.left, e.right]) if known == node.op.name else None
        if isinstance(e, ast.UnaryOp):
            return (e, [e.operand]) if node.op.name == "negative" else None
        if not isinstance(e, ast.Call) or any(isinstance(a, ast.Starred) for a in e.args):
            return None
        name = e.func.attr if isinstance(e.func, ast.Attribute) else getattr(e.func, "id", "")
        if NAMES.get(name, name) not in (node.op.name, getattr(node.op.call, "__name__", "")):
            return None
        if isinstance(e.func, ast.Attribute) and len(e.args) == len(node.args) - 1 - len(_by_keyword(e, node)):
            return e, [e.func.value, *e.args]  # a method
        return e, e.args

    def rewritten(self, rewrite: Rewrite) -> list[tuple[Span, ast.expr]]:
        """The expression that takes the place of the rewritten one; [] where it cannot be written."""
        at, options = rewrite.at, {}
        letters: dict[str, ast.expr] = {}
        home = self.written(at)
        for letter, v in rewrite.bound.items():
            if isinstance(v, dict):
                if not all(_is_plain(o) for o in v.values()):
                    return []
                options[letter] = v
            elif letter == "N":
                letters[letter] = ast.Constant(v)
            elif letter in _names(rewrite.template):
                e = self.operand(v, at, at) or self.operand(v, rewrite.y, at)
                if e is None:
                    return []
                letters[letter] = e
        span = span_of(at)
        if span is None or home is None:
            return []
        template = ast.parse(rewrite.template, mode="eval").body
        module = _module(span[0], template)
        if module is None:
            return []
        made = _Fill(letters, options, module).visit(template)
        self.made[rewrite.made.serial] = made
        return [(span, made)]

    def leaf(self, rewrite: Rewrite) -> list[tuple[Span, ast.expr]]:
        """The expression in the place of an input, wherever it is used."""
        found: list[tuple[Span, ast.expr]] = []
        for node in graph_of(rewrite.y):
            for i, a in enumerate(node.args):
                if a is rewrite.at:
                    written, span = self.written(node), span_of(node)
                    if written is None or i >= len(written[1]) or span is None:
                        return []
                    e, template = written[1][i], ast.parse(rewrite.template, mode="eval").body
                    module = _module(span[0], template)
                    if module is None:
                        return []
                    found.append((_span(span[0], e), _Fill({"x": e}, {}, module).visit(template)))
        return found

    def operand(self, v: Any, top: Tensor, at: Tensor) -> ast.expr | None:
        """How the user wrote an argument of a node behind `top`, if that still means the same where `at` is made."""
        wave, seen, home = [top], set(), span_of(at)
        while wave and home is not None:
            node = wave.pop(0)
            found = None if is_input(node) else self.written(node)
            if found and node.serial not in self.made and node.location[0] is not at.location[0]:
                found = None  # another function
            for i, a in enumerate(() if is_input(node) else node.args):
                hit = a is v or (not isinstance(v, Tensor) and number(v) is not None and number(a) == number(v))
                if found and hit and i < len(found[1]):
                    return None if _rebound(found[1][i], home) else found[1][i]
                if isinstance(a, Tensor) and a.serial not in seen:
                    seen.add(a.serial)
                    wave.append(a)
        n = None if isinstance(v, Tensor) else number(v)
        return None if n is None else ast.Constant(n)

    def follow(self, rewrite: Rewrite) -> None:
        """Know the expressions of nodes by their copies in the rewritten graph."""
        self.made |= {new.serial: self.made[old] for old, new in rewrite.now.items() if old in self.made}


def _by_keyword(e: ast.Call, node: Tensor) -> list[str]:
    """The keywords of a call that became arguments of the node by position."""
    return [w.arg for w in e.keywords if w.arg and w.arg not in (node.kwargs or {})]


def _names(template: str) -> set[str]:
    return {n.id for n in ast.walk(ast.parse(template, mode="eval")) if isinstance(n, ast.Name)}


def _is_plain(v: Any) -> bool:
    return v is None or isinstance(v, (bool, int, float, str)) or (isinstance(v, tuple) and all(map(_is_plain, v)))


def _rebound(e: ast.expr, home: Span) -> bool:
    """Whether a name in an expression is bound between its statement and the statement at `home`."""
    if not hasattr(e, "lineno"):
        return False
    statements = _source(home[0]).statements

    def start(line: int, column: int) -> tuple[int, int]:
        begun = [(s.lineno, s.col_offset) for s in statements if (s.lineno, s.col_offset) <= (line, column)]
        return max(begun, default=(0, 0))

    here, there = start(e.lineno, e.col_offset), start(home[1], home[2])
    names = {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}
    stores = (n for s in statements for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return here != there and any(here <= start(n.lineno, n.col_offset) < there for n in stores if n.id in names)


def _module(file: str, template: ast.expr) -> str | None:
    """What the functions of a template are called by in a file: "mg", or "" for bare names; None where they are not."""
    needed = {n.func.id for n in ast.walk(template) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    modules, bare = [], set()
    for node in ast.walk(_source(file).tree):
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


class _Fill(ast.NodeTransformer):
    """A template with the user's expressions for its letters, its options, and the user's name of the module."""

    def __init__(self, letters: Letters, options: Mapping[str, dict[str, Any]], module: str) -> None:
        self.letters, self.options, self.module = letters, options, module

    def visit_Name(self, e: ast.Name) -> ast.expr:
        return self.letters.get(e.id, e)

    def visit_Call(self, e: ast.Call) -> ast.expr:
        assert isinstance(e.func, ast.Name)
        name = ast.Name(e.func.id)
        given = [pair for w in e.keywords if isinstance(w.value, ast.Name) for pair in self.options[w.value.id].items()]
        keywords = [ast.keyword(k, ast.Constant(v)) for k, v in given]
        args = [self.visit(a) for a in e.args]
        return ast.Call(ast.Attribute(ast.Name(self.module), name.id) if self.module else name, args, keywords)


class _Replace(ast.NodeTransformer):
    """An expression of the user with others in the place of those at some spans."""

    def __init__(self, file: str, new: Mapping[Span, ast.expr]) -> None:
        self.file, self.new = file, new

    def visit(self, e: ast.AST) -> Any:
        span = _span(self.file, e) if isinstance(e, ast.expr) and hasattr(e, "lineno") else None
        return self.new[span] if span is not None and span in self.new else self.generic_visit(e)


def _bracketed(span: Span, e: ast.expr) -> str:
    """The text of an expression, in brackets where what stands around it in the line may bind tighter."""
    file, line, column, end_line, end_column = span
    lines = linecache.getlines(file)
    before = lines[line - 1].encode()[:column].decode().rstrip()
    after = lines[end_line - 1].encode()[end_column:].decode().lstrip()
    opens = not before or before[-1] in "([,=;" or before.endswith("return")
    free = opens and (not after or after[0] in ")],;#")
    text = ast.unparse(ast.fix_missing_locations(e))
    return text if free or not isinstance(e, (ast.BinOp, ast.UnaryOp, ast.Compare)) else f"({text})"
