"""`minigrad submit hw1.ipynb`: warn about anything that works only in a notebook, write the file to submit, and a
receipt."""

from __future__ import annotations

import ast
import datetime
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from minigrad import __version__
from minigrad.classroom.exercises import Exercise
from minigrad.classroom.notebook import STUB
from minigrad.lab.errors import CommandError
from minigrad.lab.files import write_whole
from minigrad.runner.cell_statements import parsed, statements

from .assignment import HandedOut, handed_out
from .handed_modules import imported_beside, with_modules
from .platforms import without_count
from .submitted_notebook import Cell, Submission, parse, read, regular_bytes
from .written_text import text_for

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
DAMAGED = "a part of the file is lost; open it in JupyterLab, look at every answer, save it, and run submit again"
LARGE = 5_000_000  #: bytes: for larger files a sentence says how to make them smaller


def submit(notebook: Path, assignment: str = "", now: datetime.datetime | None = None) -> list[str]:
    """Write `hw1-submission.ipynb`, a copy, and `hw1-receipt.json` next to the notebook; return the lines to print.

    Nothing is sent anywhere. Raises CommandError, and writes nothing, if the notebook cannot be read.

    The receipt holds the SHA-256 of the copy and the time of this computer.
    """
    try:
        data, _ = regular_bytes(notebook)
    except (OSError, ValueError) as problem:
        raise CommandError(f"{notebook}: {getattr(problem, 'strerror', None) or problem}") from None
    submission = parse(data, "", notebook.name)
    if submission.unreadable:
        raise CommandError(f"{notebook} cannot be read for grading: {submission.unreadable}. Nothing was written.")
    received = handed_out(notebook, assignment)
    submission, blank = without_blank_copies(submission, received.exercises)
    texts = dict(_written(submission, received))
    beside = imported_beside(submission, notebook.parent)
    cells = with_modules(submission, beside).cells
    open_ = [name for name in unanswered(cells, received.exercises) if name not in texts]
    lines = [
        *blank,
        *warnings(cells),
        *(f"hand in {name} too: the notebook imports it" for name in beside),
        *(f"{name}: a person reads the text {where}" for name, where in texts.items()),
    ]
    if len(data) > LARGE:
        lines.append(f"the file has {len(data) / 1e6:.0f} MB; clearing the outputs before saving makes it smaller")
    stem = without_count(notebook.stem)
    copy = notebook.with_name(f"{stem}-submission.ipynb")
    receipt = notebook.with_name(f"{stem}-receipt.json")
    now = now or datetime.datetime.now(datetime.timezone.utc)
    said = {
        "assignment": received.name,
        "file": copy.name,
        "sha256": submission.digest,
        "bytes": len(data),
        "time": now.astimezone(datetime.timezone.utc).isoformat(timespec="seconds"),
        "not answered": open_,
        "minigrad": __version__,
    }
    if copy.absolute() != notebook.absolute():
        _write(copy, data)
    _write(receipt, (json.dumps(said, indent=1, ensure_ascii=False) + "\n").encode())
    count = len(received.exercises)
    return [
        *(f"warning: {note}" for note in submission.notes),
        *[f"warning: {DAMAGED}"] * submission.broken,
        f"{count - len(open_)} of {count} exercises are answered" + (f"; not yet: {', '.join(open_)}" * bool(open_)),
        *(f"note: {line}" for line in lines),
        f"written: {copy}, which is what you hand in, and {receipt.name}",
        f"SHA-256 {submission.digest}, {said['time']}",
    ]


def as_handed_in(notebook: Path) -> Submission:
    """The notebook with the modules that it imports from its folder, as a grader reads it if they are submitted too."""
    submission = read(notebook)
    return with_modules(submission, imported_beside(submission, notebook.parent))


def _written(submission: Submission, received: HandedOut) -> Iterator[tuple[str, str]]:
    """The exercises for a person to read whose text is not in a variable, and where it is."""
    for name in unanswered(submission.cells, received.exercises):
        if received.exercises[name].by_hand is not None:
            cells = [received.cells[name]] if name in received.cells else None
            _, where = text_for(received.exercises[name], submission, cells, below=False)
            if where:
                yield name, where


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except OSError as problem:
        raise CommandError(f"{path} was not written: {problem.strerror or problem}") from None


def unanswered(cells: Iterable[Cell], exercises: Mapping[str, Exercise]) -> list[str]:
    """The exercises without an answer in the notebook: nothing defines the name, or the stub is still there.

    >>> question = {"q1": Exercise("q1", 1, None, ()), "q2": Exercise("q2", 1, "f", ("x",))}
    >>> unanswered([Cell("q1 = ...", 1), Cell("def f(x): return x", 2)], question)
    ['q1']
    """
    defined = {name: answers for cell in cells for name, answers in defined_in(cell).items()}
    return [name for name, e in exercises.items() if not defined.get(e.function or name, False)]


def without_blank_copies(submission: Submission, exercises: Mapping[str, Exercise]) -> tuple[Submission, list[str]]:
    """The submission without the blank cells below an answer to the same exercise, and a sentence for each.

    If there are two different answers, the lower one counts, and a sentence says so.

    >>> cells = (Cell("q1 = 2", 3, "q1"), Cell("q1 = ...", 4, "q1"))
    >>> ada = Submission("ada", "x", "", cells)
    >>> without, sentences = without_blank_copies(ada, {"q1": Exercise("q1", 1, None, ())})
    >>> len(without.cells), sentences
    (1, ['q1 is in cells 3 and 4; the blank one, 4, does not replace the answer'])
    """
    answered: dict[str, int] = {}
    sources: dict[str, str] = {}
    cells, sentences = [], []
    for cell in submission.cells:
        exercise = exercises.get(cell.exercise or "")
        answers = defined_in(cell).get(exercise.function or exercise.name) if exercise else None
        if exercise and answers:
            if sources.get(exercise.name, cell.source).strip() != cell.source.strip():
                both = f"{answered[exercise.name]} and {cell.number}"
                sentences.append(f"{exercise.name} is written in cells {both}; the lower one counts")
            answered[exercise.name], sources[exercise.name] = cell.number, cell.source
        if exercise and answers is False and exercise.name in answered:
            both = f"{answered[exercise.name]} and {cell.number}"
            blank = f"the blank one, {cell.number}, does not replace the answer"
            sentences.append(f"{exercise.name} is in cells {both}; {blank}")
        else:
            cells.append(cell)
    return replace(submission, cells=tuple(cells)), sentences


def answers_any(exercises: Mapping[str, Exercise]) -> Callable[[Submission], bool]:
    """A function that tells whether a submission answers any of the exercises."""
    return lambda submission: len(unanswered(submission.cells, exercises)) < len(exercises)


def defined_in(cell: Cell) -> dict[str, bool]:
    """The names that a cell defines, and whether each is an answer rather than a stub.

    >>> defined_in(Cell("q1 = ...\\ndef f(x): return x", 1))
    {'q1': False, 'f': True}
    """
    statements = [inner for statement in _tree(cell).body for inner in _in_blocks(statement)]
    return {name: not _is_stub(statement) for statement in statements for name in _names(statement)}


def bound_in(cell: Cell) -> set[str]:
    """The names that a cell binds or deletes outside of functions and classes.

    >>> sorted(bound_in(Cell("import math as a\\ntry: del b\\nexcept NameError as c: [d := 1]", 1)))
    ['a', 'b', 'c', 'd']
    """
    statements = [inner for statement in _tree(cell).body for inner in _in_blocks(statement)]
    names = {name for statement in statements for name in _names(statement)}
    for node in (node for statement in _tree(cell).body for node in _outside_functions(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            names.add(node.id)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
    return names


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


def _in_blocks(statement: ast.stmt) -> Iterator[ast.stmt]:
    """A statement, and the statements in the blocks of an `if`, a `try`, a loop or a `with`, which also define names
    here."""
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
                yield node.value.id  # the answer to a picture: edge.answer = "exp", "x"


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that are not in a function or a class, because those have their own names."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, (*DEFINITIONS, ast.Lambda)):
            yield from _outside_functions(inner)


def _is_stub(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Constant) and value.value is ...:
        return True
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "picture":
        return True  # it shows the question
    body = statement.body if isinstance(statement, ast.FunctionDef) else []
    says_nothing = lambda s: isinstance(s, ast.Pass) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
    if body and all(map(says_nothing, body)):
        return True  # as of "..." alone
    text = ast.unparse(ast.parse(STUB).body[0])
    return any(isinstance(node, ast.Raise) and ast.unparse(node) == text for node in ast.walk(statement))
