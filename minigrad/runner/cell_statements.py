"""Compile the statements in a notebook cell one by one, after translating its magics or leaving them out."""

from __future__ import annotations

import ast
import re
import types
from typing import Any

#: Cell magics whose body is Python, and line magics that run the rest of their line.
RUNS_BODY = ("time", "timeit", "capture", "prun", "python", "python3", "px")
RUNS_LINE = ("time", "timeit", "prun")
#: Patterns for syntax that only IPython understands, and for the prompts that IPython removes.
MARKS = re.compile(r"[%!?]|^[ \t]*[,;/]", re.MULTILINE)
PROMPT = re.compile(r"\s*(?:>>> |In \[\d*\]: )")
OPTIONS = re.compile(r"^(?:-\S+\s+(?:\d+\s+)?)*")
LONGEST = 200_000  #: characters: if a cell is longer, its magics are not translated


def statements(source: str, number: int) -> tuple[list[types.CodeType], list[str]]:
    """Return a cell's compiled statements, and notes about lines that became `pass` or cannot be compiled.

    >>> found, notes = statements("%%time\\nx = 1\\n!ls\\ny = 2", 4)
    >>> len(found), notes
    (3, ["Cell 4: '!ls' was left out."])
    """
    notes: list[str] = []
    try:
        tree = parsed(source, number, notes)
    except SyntaxError as error:
        return [], [*notes, f"Cell {number}, line {error.lineno}: SyntaxError: {error.msg}"]
    parts = []
    for statement in tree.body:
        try:
            parts.append(compile(ast.Module([statement], []), f"<cell {number}>", "exec", dont_inherit=True))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            notes.append(f"Cell {number}, line {statement.lineno}: {type(error).__name__}: {error}"[:300])
    return parts, notes


def parsed(source: str, number: int, notes: list[str]) -> ast.Module:
    """Return the syntax tree of a cell after replacing its magics. Raises SyntaxError.

    number : the cell's number. notes : a list that gets a sentence for each magic that is left out.
    """
    try:
        tree = _parsed(_translated(source) if PROMPT.match(source) and len(source) <= LONGEST else source)
        if "get_ipython" not in source:
            return tree
    except SyntaxError:
        if not MARKS.search(source) or len(source) > LONGEST:
            raise
        tree = _parsed(_translated(source))
    return ast.fix_missing_locations(_WithoutMagics(number, notes).visit(tree))


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (ValueError, RecursionError, MemoryError) as error:  # the cell has a NUL character, or is nested too deeply
        raise SyntaxError(str(error)[:200]) from None


def _translated(source: str) -> str:
    """Translate the magics of a cell to calls, as IPython does; a `%` in a string or in brackets is unchanged."""
    from IPython.core.inputtransformer2 import TransformerManager

    first = next((i for i, line in enumerate(source.split("\n")) if line.strip()), 0)
    bare = "\n".join(source.split("\n")[first:])
    try:
        return "\n" * first + str(TransformerManager().transform_cell(bare))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)[:200]) from None


class _WithoutMagics(ast.NodeTransformer):
    """A transformer that replaces each magic with the code that it runs, or with `pass` and a note."""

    def __init__(self, number: int, notes: list[str]) -> None:
        self.number, self.notes = number, notes

    def visit_Expr(self, node: ast.Expr) -> Any:
        return self._without(node, "")

    def visit_Assign(self, node: ast.Assign) -> Any:
        return self._without(node, f"{ast.unparse(node.targets[0])} = ")

    def _without(self, node: ast.Expr | ast.Assign, before: str) -> Any:
        if (magic := _magic(node.value)) is None:
            return self.generic_visit(node)
        kind, name, text = magic
        if kind == "run_cell_magic" and name in RUNS_BODY:
            return _moved(parsed(text, self.number, self.notes).body, node.lineno)
        line = OPTIONS.sub("", text)
        if kind == "run_line_magic" and name in RUNS_LINE and not before and line:
            return _moved(_parsed(line).body, node.lineno - 1)
        if kind == "run_cell_magic":
            self.notes.append(f"Cell {self.number}: the cell of %%{name} was left out.")
        else:
            written = f"{before}{_written(kind, name, text)}"
            self.notes.append(f"Cell {self.number}: {written[:60]!r} was left out.")
        return ast.copy_location(ast.Pass(), node)


def _magic(call: ast.expr) -> tuple[str, str, str] | None:
    """Return (IPython's method, name of the magic, its text) if a call is a translated magic, else None."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython")), attr=str(kind)), args=args):
            texts = [str(a.value) for a in args if isinstance(a, ast.Constant)]
            if kind in ("run_line_magic", "run_cell_magic") and texts:
                return kind, texts[0], texts[-1] if len(texts) > 1 else ""
            return (kind, "", texts[0]) if kind in ("system", "getoutput") and texts else None
    return None


def _written(kind: str, name: str, text: str) -> str:
    """Return a magic as it is written in a cell."""
    if name in ("pinfo", "pinfo2"):
        return f"{text}{'?' * (1 + (name == 'pinfo2'))}"
    return f"%{name} {text}".strip() if kind == "run_line_magic" else f"!{text}"


def _moved(body: list[ast.stmt], lines: int) -> list[ast.stmt]:
    """Add `lines` to the line numbers of statements from the body of a magic; they then refer to the whole cell."""
    return [ast.increment_lineno(statement, lines) for statement in body]
