"""A rewrite of the graph as an edit of the line that the user wrote.

A node remembers the instruction that made it. Python 3.11 and later know which expression of the line that is, and its
syntax tree has the operands as they were written. Where the line does not say what the graph holds (it ran more than
once, a name was bound anew, a pattern spans two functions), there is no edit.
"""

from __future__ import annotations

import ast
import copy
import linecache
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input
from .nan_patterns import BINARY, NAMES, Rewrite, number
from .nan_source import Edit, Span, module_for, rebound, source_of, span_in, span_of

Letters = Mapping[str, ast.expr]


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


class _Speller:
    """The expressions of nodes as the user wrote them, or would write them for nodes that rewrites made."""

    def __init__(self) -> None:
        self.made: dict[int, ast.expr] = {}

    def written(self, node: Tensor) -> tuple[ast.expr, list[ast.expr]] | None:
        """The expression of a node and its operands; None where the line shows something else."""
        e = self.made.get(node.serial)
        if e is None:
            span = span_of(node)
            e = None if span is None else source_of(span[0]).expressions.get(span)
        if isinstance(e, ast.BinOp):
            known = BINARY.get(type(e.op), "matmul" if isinstance(e.op, ast.MatMult) else "")
            return (e, [e.left, e.right]) if known == node.op.name else None
        if isinstance(e, ast.UnaryOp):
            return (e, [e.operand]) if node.op.name == "negative" else None
        if isinstance(e, ast.Subscript):
            return (e, [e.value, e.slice]) if node.op.name == "getitem" else None
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
        module = module_for(span[0], template)
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
                    module = module_for(span[0], template)
                    if module is None:
                        return []
                    found.append((span_in(span[0], e), _Fill({"x": e}, {}, module).visit(template)))
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
                    return None if rebound(found[1][i], home) else found[1][i]
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
        span = span_in(self.file, e) if isinstance(e, ast.expr) and hasattr(e, "lineno") else None
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
