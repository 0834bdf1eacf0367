"""Find a written answer outside the exercise's variable: in a text cell, a comment, a string or a print."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Collection, Iterable, Iterator

from minigrad.classroom.exercises import Exercise
from minigrad.runner.cell_statements import parsed

from .submitted_notebook import Cell, Submission


def text_for(
    exercise: Exercise, submission: Submission, received: Collection[str] | None, below: bool = True
) -> tuple[str, str]:
    """Find a student's written answer to an exercise; return it and its location, or ("", "") if there is none.

    received : the sources of all released cells, which are not answers; None if unknown. If they are unknown, comments
        and text below the exercise are ignored, because the author may have written them. below : whether to use text
        below the exercise.

    >>> why = Cell("# Because 0 * inf is nan.\\nwhy = ...", 3, "why")
    >>> text_for(Exercise("why", 1, None, ()), Submission("ada", "x", "", (why,)), [])
    ('Because 0 * inf is nan.', 'in cell 3')
    """
    lines = None if received is None else {line.strip() for source in received for line in source.splitlines()}
    cells = [cell for cell in submission.cells if cell.exercise == exercise.name]
    written = [(cell.source, f"in cell {cell.number}, a text cell") for cell in _of(exercise, submission.texts)]
    written += [("\n".join(_in_code(cell, exercise.name, lines)), f"in cell {cell.number}") for cell in cells]
    if received is not None and below:
        sources = {source.strip() for source in received}
        texts = [text for cell in cells for text in _below(cell, submission) if text.source.strip() not in sources]
        written += [(text.source, f"in cell {text.number}, below the exercise") for text in texts]
    return next(((text, where) for text, where in written if text.strip()), ("", ""))


def around(name: str, submission: Submission, received: Collection[str] | None) -> str:
    """Return the text that a student wrote above and below the cell of an exercise, up to the next code cells.

    received : the sources of all released cells, which are left out; None if unknown.

    >>> cells, texts = (Cell("x = 1", 1), Cell("q1 = 2", 4, "q1")), (Cell("I think so.", 3), Cell("The task", 2))
    >>> around("q1", Submission("ada", "x", "", cells, texts=texts), ["The task", "q1 = ..."])
    'I think so.'
    """
    numbers = [cell.number for cell in submission.cells if cell.exercise == name]
    if received is None or not numbers:
        return ""
    sources = {source.strip() for source in received}
    above = max((c.number for c in submission.cells if c.number < numbers[0]), default=0)
    below = min((c.number for c in submission.cells if c.number > numbers[-1]), default=float("inf"))
    near = [text for text in submission.texts if above < text.number < below and not text.exercise]
    return "\n\n".join(text.source.strip() for text in near if text.source.strip() not in sources)


def _of(exercise: Exercise, texts: Iterable[Cell]) -> list[Cell]:
    return [cell for cell in texts if cell.exercise == exercise.name]


def _below(cell: Cell, submission: Submission) -> list[Cell]:
    """Return the text cells between a code cell and the next code cell."""
    after = min((c.number for c in submission.cells if c.number > cell.number), default=float("inf"))
    return [text for text in submission.texts if cell.number < text.number < after and not text.exercise]


def _in_code(cell: Cell, name: str, lines: Collection[str] | None) -> Iterator[str]:
    """Yield the text that a student wrote in a code cell: comments and strings, or all lines if it is not a program.

    name : the variable of the exercise. lines : the released lines, which are left out; None if unknown.
    """
    try:
        tree = parsed(cell.source, cell.number, [])
    except SyntaxError:
        yield "\n".join(line for line in cell.source.splitlines() if line.strip() not in (lines or ()))
        return
    magic, _, rest = cell.source.strip().partition("\n")
    if magic.startswith("%%") and all(isinstance(each, ast.Pass) for each in tree.body):  # a cell such as %%markdown
        yield rest
    tokens = tokenize.generate_tokens(io.StringIO(cell.source).readline)
    try:
        comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        comments = []
    yield from (comment.lstrip("# ") for comment in comments if lines is not None and comment.strip() not in lines)
    released = "\n".join(lines or ())
    for statement in tree.body:
        strings = [n.value for n in ast.walk(statement) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        if not _says(statement, name):  # other statements count only if a string has several words and is new
            strings = [
                text for text in strings if lines is not None and len(text.split()) > 1 and not _is_in(released, text)
            ]
        yield from strings


def _is_in(released: str, text: str) -> bool:
    return all(line.strip() in released for line in text.splitlines())


def _says(statement: ast.stmt, name: str) -> bool:
    """Return whether a statement is there for its text: a bare string, a print, or an assignment to `name`."""
    if isinstance(statement, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
    value = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in ("print", "display")
    return isinstance(value, (ast.Constant, ast.JoinedStr, ast.Tuple, ast.List))
