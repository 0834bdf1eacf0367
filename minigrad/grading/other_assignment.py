"""Recognize submissions of another assignment: each of them would get 0."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from minigrad.lab.handout import lessons_folder

from .platforms import without_count
from .submitted_notebook import Submission


def other_assignment(submissions: Iterable[Submission], name: str, exercises: Collection[str], checks: Path) -> str:
    """Return a sentence if the notebooks have exercises, but none of them belongs to this assignment; otherwise "".

    name, exercises, checks : of the assignment that is graded.
    """
    marked = [(s, names) for s in submissions if (names := {c.exercise for c in s.cells if c.exercise})]
    theirs = {exercise for _, names in marked for exercise in names}
    if not theirs or not theirs.isdisjoint(exercises):
        return ""
    shared = {other: names & theirs for other, names in _assignments(checks) if names & theirs}
    if shared:
        other = max(shared, key=lambda other: len(shared[other]))
        is_other = f"the notebooks are {other}, not {name}"
    else:
        files = Counter(without_count(Path(s.file).stem) for s, _ in marked)
        is_other = f"the notebooks, such as {files.most_common(1)[0][0]}, are not {name}"
    return f"{is_other}: their exercises are {_some(theirs)}, and {name} has {_some(exercises)}"


def _assignments(checks: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield the name and the exercises of each assignment next to this one, and of minigrad's own and its lessons."""
    shipped = lessons_folder()
    for folder in dict.fromkeys((checks.parent.parent, shipped / "assignments")):
        for path in sorted(folder.glob("*/sealed.json")):
            yield path.parent.name, _names(path)
    for path in sorted((shipped / "source").glob("*_sealed.json")):
        yield f"lesson {path.name.partition('_')[0]}", _names(path)


def _names(sealed: Path) -> set[str]:
    try:
        return {*json.loads(sealed.read_text(encoding="utf-8"))}
    except (OSError, ValueError):
        return set()


def _some(names: Collection[str]) -> str:
    few = sorted(names)[:3]
    return ", ".join([*few, "…"] if len(names) > len(few) else few)
