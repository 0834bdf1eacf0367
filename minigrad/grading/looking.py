"""What a student should know of a notebook before it is handed in, found by reading its code and running nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from minigrad.classroom.exercises import Exercise
from minigrad.classroom.notebook import STUB

from .submission import Cell

_SHELL = re.compile(r"^\s*(?:[\w, ]+=\s*)?[!%]")
_BODY = re.compile(r"^\s*%%(?:time|timeit|capture)\b.*$", re.MULTILINE)


def unanswered(cells: Iterable[Cell], exercises: Mapping[str, Exercise]) -> list[str]:
    """The exercises to which the notebook holds no answer: nothing defines the name, or the stub is still there.

    >>> question = {"q1": Exercise("q1", 1, None, ()), "q2": Exercise("q2", 1, "f", ("x",))}
    >>> unanswered([Cell("q1 = ...", 1), Cell("def f(x): return x", 2)], question)
    ['q1']
    """
    defined: dict[str, bool] = {}
    for cell in cells:
        for statement in _statements(cell.source):
            for name in _names(statement):
                defined[name] = not _is_stub(statement)
    return [name for name, e in exercises.items() if not defined.get(e.function or name, False)]


def warnings(cells: Iterable[Cell]) -> Iterator[str]:
    """A sentence for each thing that works in a notebook and not where it is graded."""
    for cell in cells:
        where = f"cell {cell.number}"
        if shell := [line.strip() for line in cell.source.splitlines() if _SHELL.match(line)]:
            body = " and runs what stands below it" if _BODY.match(cell.source) else ""
            yield f"{where}: grading passes over the line {shell[0][:50]!r}{body}"
        try:
            tree = ast.parse(_python(cell.source))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            line = f", line {problem.lineno}" if isinstance(problem, SyntaxError) else ""
            yield f"{where}{line}: it cannot be run, {getattr(problem, 'msg', None) or problem}"
            continue
        called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        if any(isinstance(name, ast.Name) and name.id == "input" for name in called):
            yield f"{where}: it calls input(), and nobody types while it is graded; write the value into the cell"


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(_python(source)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _python(source: str) -> str:
    """The code without the lines that are IPython's."""
    if source.lstrip().startswith("%%") and not _BODY.match(source):
        return ""
    lines = source.splitlines()
    return "\n".join(re.sub(r"\S.*", "pass", line) if _SHELL.match(line) else line for line in lines)


def _names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
    else:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _is_stub(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Constant) and value.value is ...:
        return True
    text = ast.unparse(ast.parse(STUB).body[0])
    return any(isinstance(node, ast.Raise) and ast.unparse(node) == text for node in ast.walk(statement))
