"""The exercises of a notebook as the student received them, with their original cells."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from minigrad.classroom.exercises import Exercise
from minigrad.classroom.loading import load
from minigrad.classroom.shipped import sealed_file
from minigrad.lab.errors import CommandError
from minigrad.lab.handout import lessons_folder

from .names import without_count
from .reading import read


@dataclass(frozen=True)
class HandedOut:
    """The exercises of an assignment or a lesson, and the handed-out cell of each, if it is known."""

    name: str
    exercises: dict[str, Exercise]
    cells: dict[str, str]


def handed_out(notebook: Path, assignment: str = "") -> HandedOut:
    """Find the exercises that belong to `notebook`. Raises CommandError if nothing is known of it.

    An assignment's files, `hw1_checks.py` and `hw1_sealed.json`, lie beside the notebook; a lesson is in the package.
    """
    stem = assignment or without_count(notebook.stem)
    checks = notebook.absolute().parent / f"{stem}_checks.py"
    lesson = lessons_folder() / f"{stem}.ipynb"
    if checks.is_file():
        sealed = sealed_file(checks)
        data = json.loads(sealed.read_text(encoding="utf-8")) if sealed.is_file() else {}
        return HandedOut(stem, load(checks), {name: e["cell"] for name, e in data.items() if "cell" in e})
    if lesson.is_file():
        cells = {c.exercise: c.source for c in read(lesson).cells if c.exercise}
        number = stem.partition("_")[0]
        return HandedOut(stem, load(lessons_folder() / "source" / f"{number}_checks.py"), cells)
    raise CommandError(
        f"{checks.name} is missing beside {notebook.name}: put the files that you received into one folder, "
        "or name the assignment, as in --assignment hw1"
    )
