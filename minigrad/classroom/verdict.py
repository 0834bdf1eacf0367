"""Verdicts on answers, as HTML, and as plain text with the same words."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from minigrad.lab.errors import CommandError
from minigrad.lab.pages import templates

from .mistakes import Mistake

if TYPE_CHECKING:
    from .picture import Picture

MIME = "application/vnd.minigrad.verdict+json"
MOST_PRINTED = 3  #: maximum number of lines of an answer's printed text
MARKS = {True: "✓", False: "✗", None: "–"}
HEADS = {"right": "right", "wrong": "not yet", "unanswered": "not answered yet", "to read": "a person reads this"}


def filled(template: str, **holes: Any) -> str:
    """Return a template of the folder `pages`, filled with escaped text."""
    page: str = _templates().get_template(template).render(**holes)
    return page


@cache
def _templates() -> Any:
    made = templates(Path(__file__).parent / "pages")
    made.globals["MARKS"] = MARKS
    made.filters["code"] = code
    return made


def code(text: str) -> str:
    """Return text as HTML, with the parts between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


class Displayed:
    """Base class of results that a notebook shows as HTML, and other hosts show as plain text with the same words."""

    page = ""  #: the name of the HTML template, where `it` is the result

    def to_text(self) -> str:
        raise NotImplementedError

    def to_html(self) -> str:
        """Return a fragment of HTML; everything that the student wrote is escaped."""
        return filled(self.page, it=self)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle = {"text/plain": self.to_text()}
        with contextlib.suppress(CommandError):  # without Jinja2 there is only text
            bundle["text/html"] = self.to_html()
        return bundle


class CheckLine(NamedTuple):
    """One check: its description, and whether it passed, or None if it was not tried."""

    says: str
    right: bool | None


class After(NamedTuple):
    """A sentence about a completed lesson, and the title and the notebook of the next one."""

    done: str
    title: str
    notebook: str

    def __str__(self) -> str:
        return f"{self.done} is complete. Next: {self.title}"


class Side(NamedTuple):
    """One of the two values that a verdict shows next to each other: the student's or the true one."""

    whose: str
    value: str


@dataclass(repr=False)
class Verdict(Displayed):
    """The result of `check(name)`; true in an `if` only if the answer is right.

    status : "right", "wrong" or "unanswered".
    """

    page = "verdict.html"

    name: str
    status: str
    points: float = 1
    lines: list[CheckLine] = field(default_factory=list)
    words: str = ""
    at: str = ""
    code: str = ""
    sides: tuple[Side, ...] = ()
    mistake: Mistake | None = None
    hint: str = ""
    printed: str = ""
    picture: Picture | None = None
    detailed: bool = False
    stopped: bool = False  # whether no further check was tried, because one raised an exception or did not end
    tried: tuple[Any, ...] = ()  # the numbers and arrays at which the answer's graph fails
    true: tuple[Any, ...] = ()  # for each input in `tried`, the true gradient, or None if the student's is right
    where: tuple[int, int] | None = None  # the indices of the failing check and of its point
    film: Any = None  # the pass of a wrong answer, as a view
    kept: str = ""  # a sentence about the file that stores a right answer for later lessons
    after: After | None = None

    def __bool__(self) -> bool:
        return self.status == "right"

    @property
    def head(self) -> str:
        count = f" ({sum(line.right is True for line in self.lines)} of {len(self.lines)} checks)"
        return HEADS[self.status] + (count if self.lines and self.status == "wrong" else "")

    @property
    def mark(self) -> str:
        return MARKS[_truth(self.status)]

    @property
    def parts(self) -> list[tuple[str, Any]]:
        """Return the contents below the headline, in order: (kind of part, content), for the HTML and the text form."""
        parts: list[tuple[str, Any]] = [("lines", self.lines)] if self.status != "unanswered" else []
        if self.at:
            parts.append(("at", self.at))
        parts += [("words", self.words), ("code", self.code), ("sides", self.sides)]
        if self.mistake is not None:
            parts.append(("mistake", self.mistake))
        if self.film is None:  # one picture is enough: the pass shows the cause, the curve only the result
            parts.append(("picture", self.picture))
        parts.append(("soft", self.hint))
        if self.printed:
            parts += [("soft", "It printed:"), ("code", _beginning(self.printed))]
        parts += [("film", self.film), ("words", self.kept), ("after", self.after)]
        return [(kind, part) for kind, part in parts if part]

    def to_text(self) -> str:
        """Return the whole verdict as plain text, for terminals, diffs and screen readers."""
        text = [f"{self.name}: {self.head}"]
        for kind, part in self.parts:
            if kind == "lines":
                text += [f"  {MARKS[line.right]} {line.says}" for line in part]
            elif kind == "sides":
                width = max(len(side.whose) for side in part)
                text += [f"  {side.whose:{width}}  {side.value}" for side in part]
            elif kind == "code":
                text += ["    " + line for line in part.splitlines()]
            elif kind == "at":
                text.append(f"It fails at {' '.join(part.split())}, the simplest input found.")
            elif kind == "mistake":
                text.append(f"It looks like: {part.name}. {part.says}")
            elif kind == "after":
                text.append(str(part))
            elif kind == "picture":
                text.append(f"[picture: {part.alt}]")
            elif kind == "film":
                first = part.wrong if isinstance(part.wrong, str) else part.wrong[0]
                text.append(f"The first wrong message: {first}")
            else:
                text.append(part)
        return "\n".join(text)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        mistake = self.mistake.name if self.mistake else None
        data = {"exercise": self.name, "status": self.status, "mistake": mistake}
        return {**super()._repr_mimebundle_(), MIME: data}


@dataclass(repr=False)
class LessonSummary(Displayed):
    """The result of `check()`: every exercise of the lesson with its verdict."""

    page = "lesson.html"

    lesson: str
    verdicts: list[Verdict]

    @property
    def status(self) -> str:
        return "right" if all(self.verdicts) else "unanswered"

    @property
    def head(self) -> str:
        done = sum(map(bool, self.verdicts))
        title = self.lesson.replace("lesson", "Lesson", 1) if self.lesson.startswith("lesson ") else self.lesson
        return f"{title}: {done} of {len(self.verdicts)} right"

    @property
    def widest(self) -> int:
        return max(len(v.name) for v in self.verdicts)

    def to_text(self) -> str:
        rows = [f"  {v.mark} {v.name:{self.widest}}  {v.head}" for v in self.verdicts]
        return "\n".join([self.head, *rows])


def _beginning(printed: str) -> str:
    """Return the first lines of a printed text, and how many lines are left out."""
    lines = printed.rstrip().splitlines()
    rest = len(lines) - MOST_PRINTED
    return "\n".join([*(line[:200] for line in lines[:MOST_PRINTED]), *([f"({rest} more lines)"] if rest > 0 else [])])


def _truth(status: str) -> bool | None:
    return {"right": True, "wrong": False}.get(status)
