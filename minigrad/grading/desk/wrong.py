"""Wrong answers, grouped by behaviour: a teacher decides once for each group, and can withdraw the decision."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from ..grades import Adjustment, Grade
from ..report import Mark
from .frame import DeskFrame, Reply, Request, Unknown


@dataclass(frozen=True)
class Alike:
    """A group of wrong answers to an exercise with the same behaviour; `example` is the shortest of them.

    decisions : each manual mark given to several of these students at once, with the number of these students.
    undecided : the grades of students without a manual mark for the exercise.
    """

    exercise: str
    behaviour: str
    grades: list[Grade]
    example: Mark
    decisions: list[tuple[Adjustment, int]]

    @property
    def undecided(self) -> list[Grade]:
        return [g for g in self.grades if self.exercise not in g.by_hand]


def behaviour_of(mark: Mark) -> str:
    """Return the behaviour of a wrong answer, or a digest of its verdict if an earlier version made the report."""
    seen = [mark.inputs, mark.yours, mark.true, mark.words, mark.mistake, [line.right for line in mark.lines]]
    return mark.behaviour or hashlib.sha256(repr(seen).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def wrong_marks(desk: DeskFrame, of: str, exercise: str = "") -> list[tuple[Grade, Mark]]:
    """Return the wrong answers to an exercise, or to all exercises."""
    return [
        (g, mark)
        for g in desk.grades(of).values()
        for mark in (g.report.results if g.report else ())
        if mark.state == "wrong" and exercise in ("", mark.exercise)
    ]


def decisions(grades: Iterable[Grade], exercise: str) -> list[tuple[Adjustment, int]]:
    """Return each current manual mark that was given to several students at once, with the number of students."""
    decided: dict[str, tuple[Adjustment, int]] = {}
    for g in grades:
        marks = [a for a in g.adjustments if a.exercise == exercise]
        if marks and marks[-1].decision:
            decided[marks[-1].decision] = marks[-1], decided.get(marks[-1].decision, (None, 0))[1] + 1
    return list(decided.values())


def wrong(desk: DeskFrame, asked: Request) -> Reply:
    """Show the wrong answers to an exercise, or to all exercises, the largest group first."""
    of, exercise = asked.query.get("of", ""), asked.query.get("exercise", "")
    groups: dict[tuple[str, str], list[tuple[Grade, Mark]]] = {}
    for g, mark in wrong_marks(desk, of, exercise):
        groups.setdefault((mark.exercise, behaviour_of(mark)), []).append((g, mark))
    if exercise and exercise not in {name for g in desk.grades(of).values() for name in g.by_exercise}:
        raise Unknown(f"the exercise {exercise!r}")
    alike = []
    for key, members in groups.items():
        grades, marks = [g for g, _ in members], [mark for _, mark in members]
        shortest = min(marks, key=lambda mark: (not mark.code, len(mark.code)))  # the easiest one to read
        alike.append(Alike(*key, grades, shortest, decisions(grades, key[0])))
    alike.sort(key=lambda group: -len(group.grades))
    return desk.page("wrong.html", asked, of=of, exercise=exercise, groups=alike)
