"""The progress of a student, in a small file: `progress()` shows it on the map of the course.

Each answer appends one line to the file, so several notebooks can write at once. Lines that were cut off or changed by
hand are skipped. A file that cannot be read or written affects no verdict.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

from minigrad.lab.handout import lessons_folder

from .loading import load
from .verdict import After, Displayed

BAR = 12  # width of a progress bar, in characters
#: The line under the title of a lesson: the minutes and the number of functions, for the core and for the rest.
MINUTES = re.compile(r"\*(\d+) minutes, \d+ functions?(?: · more: (\d+) minutes(?:, \d+ functions?)?)?\*")


def progress(reset: bool = False) -> Progress:
    """Show how many exercises are right in each lesson here, and in each assignment that was started.

    The progress is stored in the file that the environment variable MINIGRAD_PROGRESS names, or else in
    `progress_file()`.

    reset : whether to start over. The file with the progress so far is renamed, not deleted.

    Raises OSError if that file cannot be renamed.

    >>> progress()
    Lessons: ... of ... right...
    """
    kept = _put_aside() if reset else None
    solved = _read()
    lessons = _lessons()
    parts = [_part(name, lessons[name], solved) for name in lessons]
    return Progress([*parts, *(_part(name, None, solved) for name in solved if name not in lessons)], _where(kept))


def _put_aside() -> Path | None:
    """Rename the progress file and return its new path, or None if there was no file."""
    path = progress_file()
    if not path.is_file():
        return None
    names = (f"{path.stem}-{date.today()}{number}{path.suffix}" for number in chain([""], map("-{}".format, count(2))))
    return path.rename(next(p for p in map(path.with_name, names) if not p.exists()))


def _where(kept: Path | None) -> str:
    """Return a sentence that names the file with the progress, or "" if nothing is stored yet."""
    if kept is not None:
        return f"Your progress starts over. Your earlier progress is in {_short(kept)}."
    path = progress_file()
    return f"Kept in {_short(path)}. To start over: progress(reset=True)." if path.is_file() else ""


def _short(path: Path) -> str:
    """Return a path with ~ for the home folder."""
    with contextlib.suppress(ValueError, RuntimeError):
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    return str(path)


def progress_file() -> Path:
    """Return the file that stores the progress, by default in this system's usual folder for such data."""
    named = os.environ.get("MINIGRAD_PROGRESS")
    if named:
        return Path(named)
    usual = {"win32": "~/AppData/Local", "darwin": "~/Library/Application Support"}.get(sys.platform, "~/.local/share")
    return Path(os.environ.get("XDG_DATA_HOME") or usual).expanduser() / "minigrad" / "progress.jsonl"


def record(name: str, exercise: str, right: bool, exercises: list[str]) -> bool:
    """Store whether an answer was right; if an earlier answer was, store nothing. Return whether it was stored.

    name : name of the lesson or assignment.
    exercises : the names of all its exercises.
    """
    if _read().get(name, {}).get(exercise) in (True, right):
        return False
    append({"part": name, "exercise": exercise, "right": right, "of": exercises})
    return True


def entries() -> list[Any]:
    """Return the content of the progress file line by line, without broken lines, or nothing if there is no file."""
    read: list[Any] = []
    with contextlib.suppress(OSError):
        for line in progress_file().read_bytes().splitlines():
            with contextlib.suppress(ValueError):
                read.append(json.loads(line))
    return read


def append(entry: dict[str, Any]) -> None:
    """Add one line to the progress file."""
    line = json.dumps(entry)
    with contextlib.suppress(OSError):
        path = progress_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as lines:
            lines.write(f"\n{line}\n".encode())  # a single write; the first \n ends a line that was cut off


def after(name: str) -> After | None:
    """Return the first later lesson whose core is incomplete, once the core of the lesson `name` is complete."""
    lessons = [part for part in progress().parts if part.notebook]
    here = next((n for n, part in enumerate(lessons) if part.name == name), None)
    if here is None or lessons[here].right < lessons[here].of:
        return None
    done = f"The core of lesson {int(name)}" if lessons[here].more_of else f"Lesson {int(name)}"
    return next((After(done, part.title, part.notebook) for part in lessons[here + 1 :] if part.right < part.of), None)


@dataclass(frozen=True, repr=False)
class Progress(Displayed):
    """The result of `progress()`.

    As text, it has a bar for each part and one for the whole; in a notebook, it is the map of the course.
    """

    page = "progress.html"  # the map of the course, below a bar for the whole and above the path of the file

    parts: list[Part]
    where: str = ""  #: the sentence that names the file with the progress

    @property
    def head(self) -> str:
        right, of = self.all
        return f"Lessons: {right} of {of} right"

    @property
    def all(self) -> tuple[int, int]:
        return sum(part.right for part in self.parts), sum(part.of for part in self.parts)

    @property
    def stages(self) -> list[tuple[str, list[Part]]]:
        return stages(self.parts)

    @property
    def ways(self) -> list[str]:
        return ways(self.parts)

    def to_text(self) -> str:
        width = max((len(part.title) for part in self.parts), default=0)
        rows = [f"  {_bar(p.right, p.of)}  {p.title:{width}}  {p.right} of {p.of}{p.beyond}" for p in self.parts]
        lines = [f"{self.head}  {_bar(*self.all)}", *rows, *(f"  {way}" for way in self.ways)]
        return "\n".join([*lines, *[self.where] * bool(self.where)])


def _bar(right: int, of: int) -> str:
    full = BAR * right // max(of, 1)
    return "█" * full + "░" * (BAR - full)


class Outline(NamedTuple):
    """A lesson: its title, notebook, the names of the exercises in its core and beyond, and the minutes for both."""

    title: str
    notebook: str
    core: list[str]
    more: list[str]
    minutes: tuple[int, int]


def _lessons() -> dict[str, Outline]:
    """Return each lesson by its number."""
    outlines = {}
    for checks in sorted((lessons_folder() / "source").glob("*_checks.py")):
        number = checks.name.removesuffix("_checks.py")
        for notebook in lessons_folder().glob(f"{number}_*.ipynb"):
            text = notebook.read_text(encoding="utf-8")
            heading, minutes = re.search(r'"# ([^"\\]+)', text), MINUTES.search(text)
            core, more = ([e.name for e in load(checks).values() if e.more is beyond] for beyond in (False, True))
            time = (int(minutes[1]), int(minutes[2] or 0)) if minutes else (0, 0)
            outlines[number] = Outline(heading[1] if heading else notebook.stem, notebook.name, core, more, time)
    return outlines


def _part(name: str, lesson: Outline | None, by_part: dict[str, dict[str, bool]]) -> Part:
    solved = by_part.get(name, {})
    lesson = lesson or Outline(name, "", list(solved), [], (0, 0))
    right, more = (sum(solved.get(e, False) for e in exercises) for exercises in (lesson.core, lesson.more))
    return Part(name, lesson.title, lesson.notebook, right, len(lesson.core), more, len(lesson.more), lesson.minutes)


def _read() -> dict[str, dict[str, bool]]:
    """Map each lesson or assignment to its attempted exercises, and each exercise to whether it was ever right."""
    by_part: dict[str, dict[str, bool]] = {}
    for entry in entries():
        with contextlib.suppress(KeyError, TypeError):  # the line may be an answer, or may have been changed by hand
            name, exercise, right, of = str(entry["part"]), str(entry["exercise"]), entry["right"] is True, entry["of"]
            solved = by_part.setdefault(name, {})
            solved.update({str(e): solved.get(str(e), False) for e in of})
            solved[exercise] = right or solved.get(exercise, False)
    return by_part


class Stage(NamedTuple):
    """A stage of the course: lessons with the same purpose, listed by their numbers."""

    title: str
    lessons: tuple[str, ...]


STAGES = (
    Stage("See", ("00", "01", "02")),
    Stage("Build", ("03", "04", "05")),
    Stage("Break and replace", ("06", "07", "08", "09")),
    Stage("Go further", ("10", "11", "12", "13", "14")),
    Stage("Use", ("15", "16", "17", "18")),
)
#: Paths through the course that leave out some lessons: the sign of each path, and its lessons.
WAYS = {
    "to the first network that learns": ("▲", ("00", "01", "02", "04", "05")),
    "a workshop": ("●", ("01", "02", "06", "07")),
    "a class with graded work": ("■", ("04", "07", "08")),
}


@dataclass(frozen=True)
class Part:
    """A lesson or an assignment: its name, title and notebook (if known), and how many of its exercises are right.

    more_right, more_of : the same two numbers for the exercises beyond the core.
    minutes : minutes for the core, and for the rest; 0 if unknown.
    """

    name: str
    title: str
    notebook: str
    right: int
    of: int
    more_right: int = 0
    more_of: int = 0
    minutes: tuple[int, int] = (0, 0)

    @property
    def count(self) -> str:
        """Return the progress in words: "3 of 8 right", or "complete"."""
        return "complete" if 0 < self.of <= self.right else f"{self.right} of {self.of} right"

    @property
    def beyond(self) -> str:
        """Return the progress beyond the core, or "" if there are no exercises beyond it, as in most lessons."""
        return f", more: {self.more_right} of {self.more_of}" if self.more_of else ""

    @property
    def time(self) -> str:
        """Return the time, as in "30 min" or "30 + 10 min", or "" if it is unknown."""
        core, more = self.minutes
        return f"{core} + {more} min" if more else f"{core} min" if core else ""

    @property
    def facts(self) -> list[str]:
        """Return the text below the title on the lesson's card, with the signs of its paths."""
        signs = [sign for sign, names in WAYS.values() if self.name in names]
        return [fact for fact in (self.count + self.beyond, self.time, *signs) if fact]


def stages(parts: Sequence[Part]) -> list[tuple[str, list[Part]]]:
    """Return the lessons of each stage, and the assignments, without empty stages."""
    by_name = {part.name: part for part in parts}
    groups = [(stage.title, [by_name[name] for name in stage.lessons if name in by_name]) for stage in STAGES]
    placed = {name for stage in STAGES for name in stage.lessons}
    groups.append(("Yours", [part for part in parts if part.name not in placed]))
    return [(title, inside) for title, inside in groups if inside]


def ways(parts: Sequence[Part]) -> list[str]:
    """Return a sentence for each path through the course, with the lessons present here and their time.

    >>> ways([Part(f"0{n}", "", "", 0, 1, minutes=(35, 0)) for n in range(8)])
    ['▲ to the first network that learns (2 h 55 min): 0, 1, 2, 4, 5', '● a workshop (2 h 20 min): 1, 2, 6, 7']
    """
    by_name = {part.name: part for part in parts}
    present = {way: path for way, path in WAYS.items() if by_name.keys() >= set(path[1])}
    hours = {way: _hours(sum(by_name[name].minutes[0] for name in names)) for way, (_, names) in present.items()}
    return [
        f"{sign} {way}{hours[way]}: {', '.join(str(int(n)) for n in names)}" for way, (sign, names) in present.items()
    ]


def _hours(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    said = " ".join([*[f"{hours} h"] * bool(hours), *[f"{rest} min"] * bool(rest)])
    return f" ({said})" if said else ""
