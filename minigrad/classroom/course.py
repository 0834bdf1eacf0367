"""The map of the course: its lessons in the order of its parts, each with its progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Stage(NamedTuple):
    """Lessons with one purpose, by their numbers."""

    title: str
    lessons: tuple[str, ...]


STAGES = (
    Stage("See", ("00", "01", "02")),
    Stage("Build", ("03", "04", "05")),
    Stage("Break and replace", ("06", "07", "08", "09")),
    Stage("Go further", ("10", "11", "12", "13", "14")),
    Stage("Use", ("15", "16")),
)
#: Ways through the cores of the course that leave lessons out: how each is marked, and the lessons on it.
WAYS = {
    "a workshop": ("●", ("01", "02", "06", "07")),
    "a class with graded work": ("■", ("04", "07", "08")),
}


@dataclass(frozen=True)
class Part:
    """A lesson or an assignment: its name, title and notebook (if known), and how many of its exercises are right.

    more_right, more_of : of those beyond the core. minutes : that the core takes, and what is beyond; 0 if not known.
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
        """The progress in words: "3 of 8 right", or "complete"."""
        return "complete" if 0 < self.of <= self.right else f"{self.right} of {self.of} right"

    @property
    def beyond(self) -> str:
        """The progress beyond the core; "" where there is nothing, as in most lessons."""
        return f", more: {self.more_right} of {self.more_of}" if self.more_of else ""

    @property
    def time(self) -> str:
        """Such as "30 min" or "30 + 10 min"; "" if not known."""
        core, more = self.minutes
        return f"{core} + {more} min" if more else f"{core} min" if core else ""

    @property
    def facts(self) -> list[str]:
        """What its card says below the title, with the signs of the ways that it is on."""
        signs = [sign for sign, names in WAYS.values() if self.name in names]
        return [fact for fact in (self.count + self.beyond, self.time, *signs) if fact]


def stages(parts: Sequence[Part]) -> list[tuple[str, list[Part]]]:
    """The lessons of each stage, and the assignments, without the stages that have none."""
    known = {part.name: part for part in parts}
    found = [(stage.title, [known[name] for name in stage.lessons if name in known]) for stage in STAGES]
    placed = {name for stage in STAGES for name in stage.lessons}
    found.append(("Yours", [part for part in parts if part.name not in placed]))
    return [(title, inside) for title, inside in found if inside]


def ways(parts: Sequence[Part]) -> list[str]:
    """A sentence for each way through the course, for the lessons that are there, with the time of their cores.

    >>> ways([Part(f"0{n}", "", "", 0, 1, minutes=(35, 0)) for n in range(8)])
    ['● a workshop (2 h 20 min): 1, 2, 6, 7']
    """
    known = {part.name: part for part in parts}
    return [
        f"{sign} {way}{_hours(sum(known[name].minutes[0] for name in names))}: {', '.join(str(int(n)) for n in names)}"
        for way, (sign, names) in WAYS.items()
        if known.keys() >= set(names)
    ]


def _hours(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    said = " ".join([*[f"{hours} h"] * bool(hours), *[f"{rest} min"] * bool(rest)])
    return f" ({said})" if said else ""
