"""Write a rewrite of the graph as an edit of the user's line.

The location of a node is the instruction that created it, which identifies an expression in the line. The syntax tree
contains the operands as the user wrote them. There is no edit if the new line might not compute the rewritten graph,
because a name was rebound, a pattern spans two functions, or not all runs of the line are rewritten.
"""

from __future__ import annotations

import ast
import copy
import linecache
import operator
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..core.graph import ancestors
from ..core.op import COPY
from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input
from .domains import op_of
from .edit_spelling import MINIGRAD, Dialect
from .patterns import BINARY, Rewrite, number
from .user_expressions import Span, rebound, source_of, span_in


class Edit(NamedTuple):
    """The replacement of a span of `file` by `text`.

    The span runs from one line and column to another; columns count UTF-8 bytes.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def edited(text: str, edits: Sequence[Edit], first: int = 1) -> str:
    """Apply edits to source text and return the result; `first` is the number of its first line.

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
    """Return the file, the line number, the old text and the new text of each edited line or group of lines."""
    groups: dict[tuple[str, int, int], list[Edit]] = {}
    for edit in edits:
        groups.setdefault((edit.file, edit.line, edit.end_line), []).append(edit)
    rows = []
    for (file, line, end), group in groups.items():
        text = "".join(linecache.getlines(file)[line - 1 : end])
        rows.append((file, line, text.strip(), textwrap.dedent(edited(text, group, line)).strip()))
    return rows


Letters = Mapping[str, ast.expr]
#: Expressions whose parts may be computed later, several times, or not at all.
LATER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.BoolOp)


def line_edits(y: Tensor, rewrites: Sequence[Rewrite], dialect: Dialect = MINIGRAD) -> tuple[Edit, ...] | None:
    """Return the rewrites of the graph of `y` as edits of the user's lines.

    Return () if an edit cannot be written or if two edits overlap, and None if an edit would change the inside of a
    function that the line calls, such as `corrcoef`.
    """
    spans = [dialect.span_of(node) for node in graph_of(y) if not is_input(node)]
    speller = _Speller(dialect)
    new: dict[Span, ast.expr] = {}
    rewritten = Counter(dialect.span_of(rewrite.at) for rewrite in rewrites)
    for rewrite in rewrites:
        span, e = dialect.span_of(rewrite.at), speller.rewritten(rewrite)
        if span is not None and spans.count(span) > 1 and speller.written(rewrite.at) is None:
            return None
        if span is None or e is None or spans.count(span) > rewritten[span]:
            return ()
        if span in new and ast.dump(new[span]) != ast.dump(e):  # two iterations of a loop need different edits
            return ()
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(source_of(span[0]).expressions[span])):
            return ()  # a name that the expression binds may be used elsewhere
        for outer in new:
            if outer != span and _within(span, outer):
                new[outer] = Replaced(span, e).visit(new[outer])
        new[span] = e
    inner = {span for span in new for other in new if span != other and _within(span, other)}
    whole = [*new.values(), *(e for e, _ in speller.lines.values())]
    if any(hasattr(n, "lineno") and span_in(span[0], n) in inner for span in new for e in whole for n in ast.walk(e)):
        return ()
    edits = [Edit(*span, text=bracketed(span, e)) for span, e in new.items() if span not in inner]
    above: dict[tuple[str, int, int], str] = {}
    for name, (e, place) in speller.lines.items():
        above[place] = above.get(place, "") + f"{name} = {ast.unparse(e)}\n{' ' * place[2]}"
    edits += [Edit(*place, *place[1:], text=text) for place, text in above.items()]
    return tuple(sorted(edits))


def _within(inner: Span, outer: Span) -> bool:
    return inner[0] == outer[0] and outer[1:3] <= inner[1:3] and inner[3:] <= outer[3:]


class _Speller:
    """A lookup of the expression of each node: the user's own, or a new one for a node that a rewrite created."""

    def __init__(self, dialect: Dialect = MINIGRAD) -> None:
        self.dialect, self.made = dialect, dict(dialect.expressions)
        #: Name that is assigned on a new line -> its expression, and the file, line and column of the statement that
        #: follows the new line.
        self.lines: dict[str, tuple[ast.expr, tuple[str, int, int]]] = {}

    def written(self, node: Tensor) -> tuple[ast.expr, list[ast.expr]] | None:
        """Return the user's expression for a node, and the expressions of its operands.

        Return None if the code at the node's location does not call the node's op.
        """
        e = self.made.get(node.serial)
        if e is None:
            span = self.dialect.span_of(node)
            e = None if span is None else source_of(span[0]).expressions.get(span)
        if isinstance(e, ast.BinOp):
            op_name = BINARY.get(type(e.op), "matmul" if isinstance(e.op, ast.MatMult) else "")
            return (e, [e.left, e.right]) if op_name == node.op.name else None
        if isinstance(e, ast.UnaryOp):
            return (e, [e.operand]) if node.op.name == "negative" else None
        if isinstance(e, ast.Subscript):
            return (e, [e.value, e.slice]) if node.op.name == "getitem" else None
        if not isinstance(e, ast.Call) or any(isinstance(a, ast.Starred) for a in e.args):
            return None
        operands = self.dialect.operands(e, node)
        return None if operands is None else (e, operands)

    def rewritten(self, rewrite: Rewrite) -> ast.expr | None:
        """Return the new expression for a rewrite, or None if it cannot be written."""
        at, options = rewrite.at, {}
        letters: dict[str, ast.expr] = {}
        if not self.dialect.fits(rewrite):
            return None
        home = self.written(at)
        left, template = (ast.parse(text, mode="eval").body for text in (rewrite.was, rewrite.template))
        span = self.dialect.span_of(at)
        texts = (template, ast.parse(rewrite.safe or "f", mode="eval").body)
        used = {n.id for text in texts for n in ast.walk(text) if isinstance(n, ast.Name)}
        for letter, v in rewrite.bound.items():
            if isinstance(v, dict):
                if not all(_is_plain(o) for o in v.values()):
                    return None
                options[letter] = dict(self.dialect.options_in(rewrite, v))
            elif letter == "N":
                letters[letter] = ast.Constant(v)
            elif letter == "f":
                continue
            elif letter in used:
                whole = home[0] if home is not None and v is at else None  # the template contains the node itself
                e = whole or self.operand(v, at, at) or self.operand(v, rewrite.y, at)
                if e is None:
                    return None
                letters[letter] = e
                e.is_plain = isinstance(v, (int, float))  # type: ignore[attr-defined]
        modules = None if span is None or home is None else self.dialect.modules(span[0], template)
        if modules is None:
            return None
        before, after = (Counter(n.id for n in ast.walk(e) if isinstance(n, ast.Name)) for e in (left, template))
        again = {k for k, e in letters.items() if after[k] > max(1, before[k]) and has_call(e)}
        for letter, name in {**dict.fromkeys(again, "inner"), **rewrite.names}.items():
            if span is not None and not isinstance(letters[letter], (ast.Name, ast.Constant)):
                letters[letter] = self.named(name, letters[letter], span)
        if rewrite.safe and span is not None:
            x = letters["x"]
            if any(isinstance(n, (ast.Call, ast.BinOp)) for n in ast.walk(x)):
                letters["x"] = self.named("inner", x, span)
            e = self.moved(rewrite, x, letters, modules)
            if e is None:
                return None
            letters["f"] = e
        self.made[rewrite.made.serial] = made = Fill(letters, options, self.dialect, modules).visit(template)
        return made

    def named(self, name: str, e: ast.expr, span: Span) -> ast.expr:
        """Plan a new line `name = e` before the statement at `span`, and return the name.

        Return the expression itself if no line can be inserted there.
        """
        file, source = span[0], source_of(span[0])
        home = next((s for s in source.statements if _within(span, span_in(file, s))), None)
        if home is None or home.lineno != home.end_lineno:
            return e
        before = linecache.getlines(file)[home.lineno - 1].encode()[: home.col_offset].decode()
        later = (n for n in ast.walk(home) if isinstance(n, LATER) and _within(span, span_in(file, n)))
        if before.strip() or any(later):
            return e
        place = file, home.lineno, home.col_offset
        for used, (expression, at) in self.lines.items():
            if at == place and ast.dump(expression) == ast.dump(e):
                return ast.Name(used)
        taken = {n.id for n in ast.walk(source.tree) if isinstance(n, ast.Name)} | self.lines.keys()
        while name in taken:
            name += "_"
        self.lines[name] = e, place
        return ast.Name(name)

    def moved(self, rewrite: Rewrite, x: ast.expr, letters: Letters, modules: Any) -> ast.expr | None:
        """Return the rewritten node's expression with a safe value for x, or None if other code uses x too.

        x : the user's expression for the letter x. letters : the expressions of all letters of the template.

        If x occurs several times in the expression, the expression that replaces x is assigned to a name.
        """
        span, at = self.dialect.span_of(rewrite.at), rewrite.bound["x"]
        for node in ancestors([rewrite.at], enter=partial(operator.is_not, at)):
            if node is at:
                continue
            inner, call = self.dialect.span_of(node), None if is_input(node) else self.written(node)
            if inner is None or call is None or span is None or not _within(inner, span):
                return None
            uses = [e for a, e in zip(node.args, call[1]) if a is at]
            if len(uses) < sum(a is at for a in node.args) or any(ast.dump(e) != ast.dump(x) for e in uses):
                return None
        if span is None:
            return None
        e = source_of(span[0]).expressions[span]
        safe = Fill(letters, {}, self.dialect, modules).visit(ast.parse(rewrite.safe, mode="eval").body)
        if sum(ast.dump(n) == ast.dump(x) for n in ast.walk(e)) > 1:
            safe = self.named("safe", safe, span)
        return Replaced(ast.dump(x), safe).visit(e)

    def operand(self, v: Any, top: Tensor, at: Tensor, moved: bool = True) -> ast.expr | None:
        """Return the user's expression for the argument `v` of a node in the graph of `top`.

        Return None if the expression may have another value in the line of the node `at`. moved : whether it is to be
            written in that line.
        """
        wave, seen, home = [top], set(), self.dialect.span_of(at)
        while wave and home is not None:
            node = wave.pop(0)
            call = None if is_input(node) else self.written(node)
            if call and getattr(node, "location", at.location)[0] is not at.location[0]:
                call = None  # the call is in the code of a different function
            for i, a in enumerate(() if is_input(node) else node.args):
                # A constant matches only a constant: an input whose value happens to be 0 does not match 0.
                constants = not isinstance(v, Tensor) and not isinstance(a, Tensor)
                hit = a is v or (constants and number(v) is not None and number(a) == number(v))
                if call and hit and i < len(call[1]):
                    return None if rebound(call[1][i], home, moved) else call[1][i]
                if isinstance(a, Tensor) and a.serial not in seen:
                    seen.add(a.serial)
                    wave.append(a)
        n = None if isinstance(v, Tensor) else number(v)
        return None if n is None else ast.Constant(n)


def operands_of(node: Tensor) -> list[ast.expr] | None:
    """Return the operands of a node as the user wrote them, or None if they are unknown."""
    call = _Speller().written(node)
    return None if call is None else call[1]


def has_call(e: ast.expr) -> bool:
    """Return whether an expression contains a call; an edit should not repeat such an expression."""
    return any(isinstance(n, ast.Call) for n in ast.walk(e))


def _is_plain(v: Any) -> bool:
    return v is None or isinstance(v, (bool, int, float, str)) or (isinstance(v, tuple) and all(map(_is_plain, v)))


class _Copying(ast.NodeTransformer):
    """A transformer that copies expressions and never changes them, because all reports share the user's tree."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Return a copy of a node whose parts are the results of visiting its parts."""
        new = copy.copy(node)
        for name, part in ast.iter_fields(node):
            parts = [
                self.visit(p) if isinstance(p, ast.AST) else p for p in (part if isinstance(part, list) else [part])
            ]
            setattr(new, name, parts if isinstance(part, list) else parts[0])
        return new


class Replaced(_Copying):
    """A transformer that writes `new` for each part of an expression at the span `was`, or whose dump is `was`."""

    def __init__(self, was: Span | str, new: ast.expr) -> None:
        self.was, self.new = was, new

    def visit(self, e: ast.AST) -> Any:
        """Return the new expression for a matching part; visit the parts of any other expression."""
        at = span_in(self.was[0], e) if not isinstance(self.was, str) and hasattr(e, "lineno") else ast.dump(e)
        return self.new if at == self.was else self.generic_visit(e)


class Fill(_Copying):
    """A transformer that fills a template with the user's expressions and options, and writes its calls in a dialect.

    A dialect is the way a framework writes minigrad's ops.
    """

    def __init__(
        self, letters: Letters, options: Mapping[str, dict[str, Any]], dialect: Dialect, modules: Any = ""
    ) -> None:
        self.letters, self.options, self.dialect, self.modules = letters, options, dialect, modules

    def visit_Name(self, e: ast.Name) -> ast.expr:
        return self.letters.get(e.id, e)

    def visit_UnaryOp(self, e: ast.UnaryOp) -> ast.expr:
        """Cancel two minus signs: the negative of `-2 * x` is `2 * x`."""
        inner = self.visit(e.operand)
        product = isinstance(inner, ast.BinOp) and isinstance(inner.op, (ast.Mult, ast.Div))
        first = inner.left if product else inner
        if not (isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.USub)):
            return ast.UnaryOp(e.op, inner)
        return ast.BinOp(first.operand, inner.op, inner.right) if product else first.operand

    def visit_Call(self, e: ast.Call) -> ast.expr:
        assert isinstance(e.func, ast.Name)
        options: dict[str, Any] = {}
        for keyword in e.keywords:
            options |= self.options[keyword.value.id] if isinstance(keyword.value, ast.Name) else {}
        return self.dialect.call(e.func.id, [self.visit(a) for a in e.args], options, self.modules)


SIGNS: dict[str, Any] = {name: sign for sign, name in BINARY.items()} | {"matmul": ast.MatMult}


def texts_of(rewrite: Rewrite, called: Callable[[Tensor], str], dialect: Dialect = MINIGRAD) -> tuple[str, str]:
    """Return the rewritten expression and its replacement, with the user's names.

    In minigrad's spelling, options are omitted.
    """
    expression = partial(_expression, dialect=dialect)
    letters = {k: ast.Constant(v) if k == "N" else expression(v, called) for k, v in rewrite.bound.items()}
    if (letter := next((k for k, v in rewrite.bound.items() if v is rewrite.at), "")) and not called(rewrite.at):
        letters[letter] = _Speller(dialect).operand(rewrite.at, rewrite.y, rewrite.at, moved=False) or letters[letter]
    options = {k: v if dialect.has_options and all(map(_is_plain, v.values())) else {}
               for k, v in rewrite.bound.items() if isinstance(v, dict)}  # fmt: skip
    fill = Fill(letters, {"k": {}, "axis": {}, **options}, dialect)
    text = lambda template: ast.unparse(fill.visit(ast.parse(template, mode="eval").body))
    if not rewrite.safe:
        was, line = text(rewrite.was), ""
        for letter, name in rewrite.names.items():
            if not isinstance(letters[letter], ast.Name):
                line += f"{name} = {ast.unparse(letters[letter])}\n"
                letters[letter] = ast.Name(name)
        return was, line + text(rewrite.template)
    x, safe = rewrite.bound["x"], text(rewrite.safe)
    letters["f"] = expression(rewrite.at, lambda t: safe if t is x else called(t), 6)
    return ast.unparse(expression(rewrite.at, called, 6)), text(rewrite.template)


def _expression(v: Any, called: Callable[[Tensor], str], depth: int = 3, dialect: Dialect = MINIGRAD) -> ast.expr:
    """Return the expression of an argument, with the user's names; parts more than `depth` ops deep become `...`."""
    while isinstance(v, Tensor) and v.op is COPY and not called(v):
        v = v.args[0]  # skip the copy of an argument that the engine made for a rule
    n, name = number(v), called(v) if isinstance(v, Tensor) else ""
    if name or n is not None:
        return ast.Name(name or f"{n:g}")
    if not isinstance(v, Tensor) or is_input(v) or depth == 0:
        return ast.Name("...")
    args = [
        _expression(a, called, depth - 1, dialect)
        for a in v.args
        if dialect.has_options or isinstance(a, Tensor) or number(a) is not None
    ]
    if dialect.has_options and op_of(v):
        return dialect.expression(v, args) or ast.Name("...")
    if op_of(v) in SIGNS and len(args) == 2:
        return ast.BinOp(args[0], SIGNS[v.op.name](), args[1])
    if op_of(v) == "negative":
        return ast.UnaryOp(ast.USub(), args[0])
    name = {"absolute": "abs"}.get(v.op.name, v.op.name)
    return dialect.call(name, args, {}) if op_of(v) else ast.Call(ast.Name(name), args, [])


def bracketed(span: Span, e: ast.expr) -> str:
    """Return the text of an expression that will replace `span`, in parentheses if an operator may be next to it."""
    file, line, column, end_line, end_column = span
    lines = linecache.getlines(file)
    before = lines[line - 1].encode()[:column].decode().rstrip()
    after = lines[end_line - 1].encode()[end_column:].decode().lstrip()
    opens = not before or before[-1] in "([,=;" or before.endswith("return")
    free = opens and (not after or after[0] in ")],;#")
    text = ast.unparse(e)
    return text if free or not isinstance(e, (ast.BinOp, ast.UnaryOp, ast.Compare)) else f"({text})"
