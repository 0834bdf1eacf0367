"""Warn about a notebook before it is handed in, from its code, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from minigrad.classroom.exercises import Exercise
from minigrad.classroom.notebook import STUB
from minigrad.runner.cells import parsed, statements

from .submission import Cell


def unanswered(cells: Iterable[Cell], exercises: Mapping[str, Exercise]) -> list[str]:
    """The exercises to which the notebook holds no answer: nothing defines the name, or the stub is still there.

    >>> question = {"q1": Exercise("q1", 1, None, ()), "q2": Exercise("q2", 1, "f", ("x",))}
    >>> unanswered([Cell("q1 = ...", 1), Cell("def f(x): return x", 2)], question)
    ['q1']
    """
    defined: dict[str, bool] = {}
    for cell in cells:
        for statement in _tree(cell).body:
            for name in _names(statement):
                defined[name] = not _is_stub(statement)
    return [name for name, e in exercises.items() if not defined.get(e.function or name, False)]


def warnings(cells: Iterable[Cell]) -> Iterator[str]:
    """A sentence for each thing that works in a notebook but not in grading.

    >>> list(warnings([Cell("!ls", 4)]))
    ["Cell 4: '!ls' was left out."]
    """
    for cell in cells:
        yield from statements(cell.source, cell.number)[1]
        called = [node.func for node in ast.walk(_tree(cell)) if isinstance(node, ast.Call)]
        if any(isinstance(name, ast.Name) and name.id == "input" for name in called):
            yield f"Cell {cell.number} calls input(), which reads nothing there; write the value into the cell."


def _tree(cell: Cell) -> ast.Module:
    try:
        return parsed(cell.source, cell.number, [])
    except SyntaxError:
        return ast.Module([], [])


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
