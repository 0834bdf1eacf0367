"""The progress of a student, in a small file of their own: `progress()` shows it for all lessons.

Each answer appends one line to the file, so several notebooks can write at once, and a line that was broken off or
changed by hand is passed over. A file that cannot be read or written changes no verdict.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from minigrad.lab.handout import lessons_folder

from .course import Part, map_of, meter, ways
from .loading import load
from .verdict import After, Displayed

BAR = 12  # characters


def progress() -> Progress:
    """How many exercises of each lesson are right, of the lessons here and the assignments that were begun.

    It is kept in the file that the environment variable MINIGRAD_PROGRESS names, else in `progress_file()`.

    >>> progress()
    Lessons: ... of ... right...
    """
    known = _read()
    lessons = _lessons()
    parts = [_part(name, lessons[name], known) for name in lessons]
    return Progress([*parts, *(_part(name, None, known) for name in known if name not in lessons)])


def progress_file() -> Path:
    """The file in which the progress is kept, in the folder that this computer has for such data."""
    named = os.environ.get("MINIGRAD_PROGRESS")
    if named:
        return Path(named)
    usual = {"win32": "~/AppData/Local", "darwin": "~/Library/Application Support"}.get(sys.platform, "~/.local/share")
    return Path(os.environ.get("XDG_DATA_HOME") or usual).expanduser() / "minigrad" / "progress.jsonl"


def record(name: str, exercise: str, right: bool, exercises: list[str]) -> None:
    """Record whether an answer was right, unless it was right before: then it stays so.

    name : of the lesson or assignment. exercises : the names of all its exercises.
    """
    if _read().get(name, {}).get(exercise) in (True, right):
        return
    append({"part": name, "exercise": exercise, "right": right, "of": exercises})


def append(entry: dict[str, Any]) -> None:
    """Add one line to the file of the progress."""
    line = json.dumps(entry)
    with contextlib.suppress(OSError):
        path = progress_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as lines:
            lines.write(f"\n{line}\n".encode())  # one write; the first \n ends a line that was broken off


def after(name: str) -> After | None:
    """The first later lesson that is not all right, once the lesson `name` is."""
    lessons = [part for part in progress().parts if part.notebook]
    here = next((n for n, part in enumerate(lessons) if part.name == name), None)
    if here is None or lessons[here].right < lessons[here].of:
        return None
    done = f"Lesson {name}"
    return next((After(done, part.title, part.notebook) for part in lessons[here + 1 :] if part.right < part.of), None)


@dataclass(frozen=True, repr=False)
class Progress(Displayed):
    """What `progress()` returns: a bar for each part and one for all as text, the map of the course in a notebook."""

    parts: list[Part]

    @property
    def head(self) -> str:
        right, of = self._all
        return f"Lessons: {right} of {of} right"

    @property
    def _all(self) -> tuple[int, int]:
        return sum(part.right for part in self.parts), sum(part.of for part in self.parts)

    def to_text(self) -> str:
        width = max((len(part.title) for part in self.parts), default=0)
        rows = [f"  {_bar(p.right, p.of)}  {p.title:{width}}  {p.right} of {p.of}" for p in self.parts]
        return "\n".join([f"{self.head}  {_bar(*self._all)}", *rows, *(f"  {way}" for way in ways(self.parts))])

    def to_html(self) -> str:
        """The map of the course, under a bar for all of it."""
        return f"<p><b>{escape(self.head)}</b> {meter(*self._all)}</p>{map_of(self.parts)}"


def _bar(right: int, of: int) -> str:
    full = BAR * right // max(of, 1)
    return "█" * full + "░" * (BAR - full)


def _lessons() -> dict[str, tuple[str, str, list[str]]]:
    """Of each lesson by its number: title, notebook and the names of its exercises."""
    found = {}
    for checks in sorted((lessons_folder() / "source").glob("*_checks.py")):
        number = checks.name.removesuffix("_checks.py")
        for notebook in lessons_folder().glob(f"{number}_*.ipynb"):
            heading = re.search(r'"# ([^"\\]+)', notebook.read_text(encoding="utf-8"))
            found[number] = (heading[1] if heading else notebook.stem, notebook.name, list(load(checks)))
    return found


def _part(name: str, lesson: tuple[str, str, list[str]] | None, known: dict[str, dict[str, bool]]) -> Part:
    title, notebook, exercises = lesson or (name, "", list(known[name]))
    solved = known.get(name, {})
    return Part(name, title, notebook, sum(solved.get(e, False) for e in exercises), len(exercises))


def _read() -> dict[str, dict[str, bool]]:
    """By lesson or assignment, for each exercise whether it was ever right. Broken lines are passed over."""
    known: dict[str, dict[str, bool]] = {}
    try:
        lines = progress_file().read_bytes().splitlines()
    except OSError:
        return known
    for line in lines:
        try:
            entry = json.loads(line)
            name, exercise, right, of = str(entry["part"]), str(entry["exercise"]), entry["right"] is True, entry["of"]
            solved = known.setdefault(name, {})
            solved.update({str(e): solved.get(str(e), False) for e in of})
            solved[exercise] = right or solved.get(exercise, False)
        except (ValueError, KeyError, TypeError):
            continue
    return known
