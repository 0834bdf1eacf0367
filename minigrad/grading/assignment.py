"""An assignment: the judge's version, with hidden checks and solutions, and the student's version."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from minigrad.classroom.examination import examine
from minigrad.classroom.exercises import Exercise
from minigrad.classroom.loading import load, load_to_grade
from minigrad.classroom.proof import cells_up_to, namespace
from minigrad.classroom.sealed_answers import hidden_file, sealed_file
from minigrad.lab.errors import CommandError
from minigrad.lab.handout import lessons_folder

from .platforms import without_count
from .submitted_notebook import Cell, read


class Assignment:
    """An assignment's folder, as created by `minigrad assign new`, or a lesson's file of checks.

    spec : SHA-256 of the checks, including the hidden checks. Raises AuthoringError if the checks cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path = Path(path).absolute()
        self.checks = path / "checks.py" if path.is_dir() else path
        self.name = path.name if path.is_dir() else path.stem.replace("_checks", "")
        files = [self.checks, hidden_file(self.checks), sealed_file(self.checks)]
        parts = [file.read_bytes() for file in files if file.is_file()]
        self.spec = hashlib.sha256(b"\0".join(parts)).hexdigest()  # a report names the checks it used by this digest
        self.exercises = load_to_grade(self.checks)
        self.data = self.checks.parent / "data"

    @cached_property
    def _cells(self) -> Any:
        """The notebook with the solutions, or None."""
        from minigrad.classroom import notebook

        pattern = f"{self.name}.py" if self.checks.name == "checks.py" else f"{self.name}_*.py"
        for source in sorted(self.checks.parent.glob(pattern)):
            if source not in (self.checks, hidden_file(self.checks)):
                return notebook.read(source)
        return None

    @property
    def solved_cells(self) -> list[Cell]:
        """The code cells of the notebook with the solutions."""
        code = [cell for cell in self._cells.cells if cell.cell_type == "code"] if self._cells else []
        return [Cell(cell.source, n, cell.metadata.get("exercise")) for n, cell in enumerate(code, 1)]

    @cached_property
    def received(self) -> list[str] | None:
        """The sources of all cells as students receive them, or None if there is no notebook."""
        from minigrad.classroom import notebook

        return None if self._cells is None else [cell.source for cell in notebook.blank(self._cells).cells]

    @cached_property
    def imports(self) -> list[str]:
        """The packages that the notebook with the solutions and the checks import."""
        sources = [cell.source for cell in self._cells.cells if cell.cell_type == "code"] if self._cells else []
        files = [self.checks.read_text(encoding="utf-8")]
        text = "\n".join([*sources, *files])
        return sorted(set(re.findall(r"^\s*(?:import|from)\s+(\w+)", text, re.MULTILINE)))

    def solution_is_right(self, name: str) -> bool:
        """Return whether an exercise has an author's solution that passes its checks."""
        if self._cells is None:
            return False
        exercise = self.exercises[name]
        space = namespace(cells_up_to(self._cells, name))
        also = {other: space[other] for other in exercise.also if other in space}
        try:  # a faulty check may raise any exception
            return bool(examine(exercise, space.get(exercise.function or name), also, thorough=False))
        except Exception:
            return False


@dataclass(frozen=True)
class HandedOut:
    """The exercises of an assignment or a lesson, their released cells, if known, and the file of checks.

    below : for each exercise that a person reads, the released text below it, if known.
    """

    name: str
    exercises: dict[str, Exercise]
    cells: dict[str, str]
    checks: Path
    below: dict[str, list[str]] = field(default_factory=dict)


def handed_out(notebook: Path, assignment: str = "") -> HandedOut:
    """Find the exercises that belong to `notebook`. Raises CommandError if the assignment is unknown.

    An assignment's files, `hw1_checks.py` and `hw1_sealed.json`, are next to the notebook; the checks of a lesson are
    in the package.
    """
    stem = assignment or without_count(notebook.stem)
    checks = notebook.absolute().parent / f"{stem}_checks.py"
    lesson = lessons_folder() / f"{stem}.ipynb"
    if checks.is_file():
        sealed = sealed_file(checks)
        data = json.loads(sealed.read_text(encoding="utf-8")) if sealed.is_file() else {}
        cells, below = ({name: e[key] for name, e in data.items() if key in e} for key in ("cell", "below"))
        return HandedOut(stem, load(checks), cells, checks, below)
    if lesson.is_file():
        cells = {c.exercise: c.source for c in read(lesson).cells if c.exercise}
        number = stem.partition("_")[0]
        checks = lessons_folder() / "source" / f"{number}_checks.py"
        return HandedOut(stem, load(checks), cells, checks)
    raise CommandError(
        f"{checks.name} is missing next to {notebook.name}: put the files that you received into one folder, "
        "or name the assignment, as in --assignment hw1"
    )
