"""Find the exercises that a notebook answers by reading its cells, without running them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from minigrad.classroom.exercises import Exercise
from minigrad.classroom.notebook import STUB
from minigrad.runner.cell_statements import parsed

from .submitted_notebook import Cell, Submission

#: A note: the name of an exercise, or "" for all exercises, and a sentence about the answer.
Noted = tuple[str, str]
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def unanswered(cells: Iterable[Cell], exercises: Mapping[str, Exercise]) -> list[str]:
    """Return the exercises without an answer: nothing defines the name, or the cell still has the stub.

    >>> question = {"q1": Exercise("q1", 1, None, ()), "q2": Exercise("q2", 1, "f", ("x",))}
    >>> unanswered([Cell("q1 = ...", 1), Cell("def f(x): return x", 2)], question)
    ['q1']
    """
    defined = {name: answers for cell in cells for name, answers in defined_in(cell).items()}
    return [name for name, e in exercises.items() if not defined.get(e.function or name, False)]


def without_blank_copies(submission: Submission, exercises: Mapping[str, Exercise]) -> tuple[Submission, list[Noted]]:
    """Remove blank cells below an answer to the same exercise; return the submission and notes about the cells.

    If there are two different answers, the lower one counts, and a sentence says so.

    >>> cells = (Cell("q1 = 2", 3, "q1"), Cell("q1 = ...", 4, "q1"))
    >>> ada = Submission("ada", "x", "", cells)
    >>> without, noted = without_blank_copies(ada, {"q1": Exercise("q1", 1, None, ())})
    >>> len(without.cells), noted
    (1, [('q1', 'q1 is in cells 3 and 4; the blank one, 4, does not replace the answer')])
    """
    answered: dict[str, int] = {}
    sources: dict[str, str] = {}
    cells, noted = [], []
    for cell in submission.cells:
        exercise = exercises.get(cell.exercise or "")
        answers = defined_in(cell).get(exercise.function or exercise.name) if exercise else None
        if exercise and answers:
            if sources.get(exercise.name, cell.source).strip() != cell.source.strip():
                both = f"{answered[exercise.name]} and {cell.number}"
                noted.append((exercise.name, f"{exercise.name} is written in cells {both}; the lower one counts"))
            answered[exercise.name], sources[exercise.name] = cell.number, cell.source
        if exercise and answers is False and exercise.name in answered:
            both = f"{answered[exercise.name]} and {cell.number}"
            blank = f"the blank one, {cell.number}, does not replace the answer"
            noted.append((exercise.name, f"{exercise.name} is in cells {both}; {blank}"))
        else:
            cells.append(cell)
    return replace(submission, cells=tuple(cells)), noted


def answers_any(exercises: Mapping[str, Exercise]) -> Callable[[Submission], bool]:
    """Return a function that checks whether a submission answers any of the exercises."""
    return lambda submission: len(unanswered(submission.cells, exercises)) < len(exercises)


def defined_in(cell: Cell) -> dict[str, bool]:
    """Return the names that a cell defines, and whether each is an answer rather than a stub.

    >>> defined_in(Cell("q1 = ...\\ndef f(x): return x", 1))
    {'q1': False, 'f': True}
    """
    statements = [inner for statement in tree_of(cell).body for inner in _in_blocks(statement)]
    return {name: not _is_stub(statement) for statement in statements for name in _names(statement)}


def bound_in(cell: Cell) -> set[str]:
    """Return the names that a cell binds or deletes outside functions and classes.

    >>> sorted(bound_in(Cell("import math as a\\ntry: del b\\nexcept NameError as c: [d := 1]", 1)))
    ['a', 'b', 'c', 'd']
    """
    statements = [inner for statement in tree_of(cell).body for inner in _in_blocks(statement)]
    names = {name for statement in statements for name in _names(statement)}
    for node in (node for statement in tree_of(cell).body for node in _outside_functions(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            names.add(node.id)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
    return names


def tree_of(cell: Cell) -> ast.Module:
    try:
        return parsed(cell.source, cell.number, [])
    except SyntaxError:
        return ast.Module([], [])


def _in_blocks(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield a statement and, recursively, the statements in its blocks (`if`, `try`, loops, `with`)."""
    yield statement
    if not isinstance(statement, DEFINITIONS):
        for block in ("body", "handlers", "orelse", "finalbody"):
            for inner in getattr(statement, block, ()):
                yield from _in_blocks(inner)


def _names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, DEFINITIONS):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
    else:
        for node in _outside_functions(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif (
                isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
            ):
                yield node.value.id  # the answer to a picture, as in edge.answer = "exp", "x"


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement outside functions and classes, because these have their own scope."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, (*DEFINITIONS, ast.Lambda)):
            yield from _outside_functions(inner)


def _is_stub(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Constant) and value.value is ...:
        return True
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "picture":
        return True  # such a cell shows the question, but does not answer it
    body = statement.body if isinstance(statement, ast.FunctionDef) else []
    says_nothing = lambda s: isinstance(s, ast.Pass) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
    if body and all(map(says_nothing, body)):
        return True  # the cell is only "..."
    text = ast.unparse(ast.parse(STUB).body[0])
    return any(isinstance(node, ast.Raise) and ast.unparse(node) == text for node in ast.walk(statement))
