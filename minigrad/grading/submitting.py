"""`minigrad submit hw1.ipynb`: warn about notebook-only code, and write the file to submit and a receipt."""

from __future__ import annotations

import ast
import datetime
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from minigrad import __version__
from minigrad.lab.errors import CommandError
from minigrad.lab.files import write_whole
from minigrad.runner.cell_statements import statements

from .answered_cells import tree_of
from .assignment import handed_out
from .foreseen import foreseen
from .handed_modules import imported_beside, with_modules
from .platforms import without_count
from .submitted_notebook import Cell, parse, regular_bytes

DAMAGED = "a part of the file is lost; open it in JupyterLab, look at every answer, save it, and run submit again"
LARGE = 5_000_000  #: number of bytes above which a sentence says how to make the file smaller


def submit(notebook: Path, assignment: str = "", now: datetime.datetime | None = None) -> list[str]:
    """Copy the notebook to `hw1-submission.ipynb`, and write `hw1-receipt.json` next to it; return the lines to print.

    Nothing is sent anywhere. Raises CommandError, and writes nothing, if the notebook cannot be read.

    The receipt has the SHA-256 of the copy and the time on this computer.
    """
    try:
        data, _ = regular_bytes(notebook)
    except (OSError, ValueError) as problem:
        raise CommandError(f"{notebook}: {getattr(problem, 'strerror', None) or problem}") from None
    submission = parse(data, "", notebook.name)
    if submission.unreadable:
        raise CommandError(f"{notebook} cannot be read for grading: {submission.unreadable}. Nothing was written.")
    received = handed_out(notebook, assignment)
    beside = imported_beside(submission, notebook.parent)
    whole = with_modules(submission, beside)
    lines = [*warnings(whole.cells), *(f"hand in {name} too: the notebook imports it" for name in beside)]
    if len(data) > LARGE:
        lines.append(f"the file has {len(data) / 1e6:.0f} MB; clearing the outputs before saving makes it smaller")
    stem = without_count(notebook.stem)
    copy = notebook.with_name(f"{stem}-submission.ipynb")
    receipt = notebook.with_name(f"{stem}-receipt.json")
    if copy.absolute() != notebook.absolute():
        _write(copy, data)
    seen = foreseen(whole, received)
    now = now or datetime.datetime.now(datetime.timezone.utc)
    fields = {
        "assignment": received.name,
        "file": copy.name,
        "sha256": submission.digest,
        "bytes": len(data),
        "time": now.astimezone(datetime.timezone.utc).isoformat(timespec="seconds"),
        "not answered": seen.open,
        "needs a look": [name for name in seen.exercises if name in seen.notes],
        "minigrad": __version__,
    }
    _write(receipt, (json.dumps(fields, indent=1, ensure_ascii=False) + "\n").encode())
    return [
        *(f"warning: {note}" for note in submission.notes if note not in seen.lines),
        *[f"warning: {DAMAGED}"] * submission.broken,
        seen.headline,
        *(f"note: {line}" for line in [*lines, *seen.lines]),
        f"written: {copy}, the file to hand in, and {receipt.name}",
        f"SHA-256 {submission.digest}, {fields['time']}",
    ]


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except OSError as problem:
        raise CommandError(f"{path} was not written: {problem.strerror or problem}") from None


def warnings(cells: Iterable[Cell]) -> Iterator[str]:
    """Yield a sentence for each construct that works in a notebook but not in grading.

    >>> list(warnings([Cell("!ls", 4)]))
    ["Cell 4: '!ls' was left out."]
    """
    for cell in cells:
        yield from statements(cell.source, cell.number)[1]
        called = [node.func for node in ast.walk(tree_of(cell)) if isinstance(node, ast.Call)]
        if any(isinstance(name, ast.Name) and name.id == "input" for name in called):
            yield f"Cell {cell.number} calls input(), which reads nothing there; write the value into the cell."
