"""The assignment that a judge holds: its exercises with hidden checks, and the solutions to try a check on."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any

from minigrad.classroom.check import examine
from minigrad.classroom.loading import load_to_grade
from minigrad.classroom.proof import cells_up_to, namespace
from minigrad.classroom.shipped import hidden_file, sealed_file


class Assignment:
    """The folder of an assignment, as `minigrad assign new` makes it, or the file of checks of a lesson.

    spec : SHA-256 of the checks, the hidden ones included. Raises AuthoringError when they cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path = Path(path).absolute()
        self.checks = path / "checks.py" if path.is_dir() else path
        self.name = path.name if path.is_dir() else path.stem.replace("_checks", "")
        files = [self.checks, hidden_file(self.checks), sealed_file(self.checks)]
        parts = [file.read_bytes() for file in files if file.is_file()]
        self.spec = hashlib.sha256(b"\0".join(parts)).hexdigest()
        self.exercises = load_to_grade(self.checks)
        self.data = self.checks.parent / "data"

    @cached_property
    def _cells(self) -> Any:
        """The notebook with the solutions, or None."""
        from minigrad.classroom.notebook import read

        pattern = f"{self.name}.py" if self.checks.name == "checks.py" else f"{self.name}_*.py"
        for source in sorted(self.checks.parent.glob(pattern)):
            if source not in (self.checks, hidden_file(self.checks)):
                return read(source)
        return None

    def solution_is_right(self, name: str) -> bool:
        """Whether the author's own solution of an exercise passes its checks; False where there is none."""
        if self._cells is None:
            return False
        exercise = self.exercises[name]
        space = namespace(cells_up_to(self._cells, name))
        also = {other: space[other] for other in exercise.also if other in space}
        try:
            return bool(examine(exercise, space.get(exercise.function or name), also, thorough=False))
        except Exception:
            return False
