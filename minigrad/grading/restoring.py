"""`minigrad restore hw1.ipynb --exercise q2`: restore the released cell, and keep a copy of the student's file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from minigrad.lab.errors import CommandError
from minigrad.lab.files import write_whole

from .assignment import HandedOut, handed_out
from .submitted_notebook import read, regular_bytes


def restore(notebook: Path, exercise: str, release: Path | None = None, assignment: str = "") -> list[str]:
    """Restore the released cell of one exercise and return the lines to print.

    A copy of the student's file is written first; if the cell is unchanged, nothing is written.

    release : the released notebook, if it cannot be found otherwise.

    Raises CommandError, and leaves the file unchanged, if the cell cannot be restored.
    """
    try:
        data, _ = regular_bytes(notebook)
    except (OSError, ValueError) as problem:
        raise CommandError(f"{notebook}: {getattr(problem, 'strerror', None) or problem}") from None
    source = _handed_out_cell(notebook, exercise, release, assignment)
    try:
        student = json.loads(data.decode("utf-8-sig"))
        cells = student["cells"]
        indices = [n for n, cell in enumerate(cells) if cell.get("metadata", {}).get("exercise") == exercise]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        why = read(notebook).unreadable or "its JSON is not as Jupyter writes it"
        raise CommandError(f"{notebook} cannot be changed: {why}. Nothing was written.") from None
    if indices:
        done = f"{exercise}: cell {indices[0] + 1} is as it was released"
        cell = cells[indices[0]]
        if cell.get("cell_type") == "code" and "".join(cell.get("source", "")) == source:
            return [f"{done}; nothing was written"]
        cell.update(cell_type="code", source=source.splitlines(keepends=True), outputs=[], execution_count=None)
        cell.pop("attachments", None)  # a code cell has these if it was a text cell before
        if indices[1:]:
            done += f"; also for it, and left as is: cell {', '.join(str(n + 1) for n in indices[1:])}"
    else:
        index = _index_for(cells, exercise, handed_out(notebook, assignment) if release is None else None)
        cells.insert(index, _cell(exercise, source, student))
        done = f"{exercise}: its cell is back, as cell {index + 1}"
    backup = _backup(notebook, data)
    _write(notebook, (json.dumps(student, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
    return [
        done,
        f"a copy of your file as it was: {backup}",
        "in JupyterLab: File, Reload Notebook from Disk",
    ]


def _handed_out_cell(notebook: Path, exercise: str, release: Path | None, assignment: str) -> str:
    if release is not None:
        notebook_read = read(release)
        if notebook_read.unreadable:
            raise CommandError(f"{release}: {notebook_read.unreadable}")
        cells = {c.exercise: c.source for c in notebook_read.cells if c.exercise}
    else:
        cells = dict(handed_out(notebook, assignment).cells)
        if not cells:
            raise CommandError("the released cells are not here; give the notebook as you received it with --from")
    if exercise not in cells:
        raise CommandError(f"there is no exercise {exercise!r}; there are {', '.join(map(str, cells))}")
    return cells[exercise]


def _index_for(cells: list[Any], exercise: str, received: HandedOut | None) -> int:
    """Return the index for putting back a deleted cell: after the exercises before it, or at the end."""
    order = list(received.exercises) if received else []
    before = order[: order.index(exercise)] if exercise in order else []
    indices = [n for n, cell in enumerate(cells) if cell.get("metadata", {}).get("exercise") in before]
    return indices[-1] + 1 if indices else len(cells)


def _cell(exercise: str, source: str, notebook: dict[str, Any]) -> dict[str, Any]:
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"exercise": exercise},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }
    if (notebook.get("nbformat"), notebook.get("nbformat_minor", 0)) >= (4, 5):
        taken = {other.get("id") for other in notebook["cells"]}
        base = re.sub(r"[^a-zA-Z0-9-]+", "-", exercise)[:60]
        cell["id"] = next(name for n in range(len(taken) + 1) if (name := f"{base}-{n}" if n else base) not in taken)
    return cell


def _backup(notebook: Path, data: bytes) -> Path:
    """Copy the notebook to a new file next to it."""
    number = 1
    while (path := notebook.with_name(f"{notebook.stem}-before-restore-{number}.ipynb")).exists():
        number += 1
    _write(path, data)
    return path


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except OSError as problem:
        raise CommandError(f"{path} was not written: {problem.strerror or problem}. Your file is as it was.") from None
