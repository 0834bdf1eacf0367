"""Verdicts on answers, as HTML and in the same words as plain text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from .mistakes import Mistake

if TYPE_CHECKING:
    from .picture import Picture

MIME = "application/vnd.minigrad.verdict+json"
MOST_LINES = 12  #: of the film of a wrong answer, as text
MARKS = {True: "✓", False: "✗", None: "–"}
HEADS = {"right": "right", "wrong": "not yet", "unanswered": "not answered yet", "to read": "a person reads this"}

STYLE = """<style>
.mg-check{border-left:4px solid #808080;padding:.35em .9em;margin:.2em 0;max-width:46em;line-height:1.45;
font-family:var(--jp-content-font-family,system-ui,sans-serif);font-size:var(--jp-content-font-size1,14px);
color:var(--jp-content-font-color1,inherit)}
.mg-check.mg-right{border-color:#2e9e5b}.mg-check.mg-wrong{border-color:#d97706}
.mg-check p{margin:.3em 0}.mg-check ul{list-style:none;margin:.3em 0;padding:0}
.mg-check b{font-weight:600}.mg-check .mg-mark{display:inline-block;width:1.4em;font-weight:600}
.mg-check .mg-soft{opacity:.75}
.mg-check table{border-collapse:collapse;margin:.4em 0!important;font-size:inherit}
.mg-check th,.mg-check td{text-align:left!important;padding:.15em 1.2em .15em 0!important;background:none!important;
color:inherit!important;vertical-align:top;border:0!important}
.mg-check tr{background:none!important}.mg-check th{font-weight:400;opacity:.75}
.mg-check td,.mg-check code,.mg-check pre{font-family:var(--jp-code-font-family,ui-monospace,monospace);
background:none!important;color:inherit!important;font-size:.95em;white-space:pre-wrap;overflow-wrap:anywhere}
.mg-check pre{margin:.3em 0;padding:0 0 0 .8em;border-left:1px solid #808080}
.mg-check img{display:block;max-width:100%;height:auto;margin:.4em 0}
</style>"""


class Displayed:
    """A result that a notebook shows as HTML, and everything else in the same words as plain text."""

    def to_text(self) -> str:
        raise NotImplementedError

    def to_html(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/html": self.to_html(), "text/plain": self.to_text()}


class CheckLine(NamedTuple):
    """One check: its words, and whether it holds; None when it was not tried."""

    says: str
    right: bool | None


class After(NamedTuple):
    """A lesson that was completed, and the title and the notebook of the next one."""

    done: str
    title: str
    notebook: str

    def __str__(self) -> str:
        return f"{self.done} is complete. Next: {self.title}"

    def to_html(self) -> str:
        return (
            f"<p>{escape(self.done)} is complete. Next: <a href='{escape(self.notebook)}'>{escape(self.title)}</a></p>"
        )


class Side(NamedTuple):
    """One of the two values that are shown beside each other."""

    whose: str
    value: str


@dataclass(repr=False)
class Verdict(Displayed):
    """The result of `check(name)`. `status` is "right", "wrong" or "unanswered"; true in an `if` when right."""

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
    stopped: bool = False  # whether a check raised or did not end, so that no further one was tried
    tried: tuple[Any, ...] = ()  # the numbers and arrays at which its graph fails
    true: tuple[Any, ...] = ()  # the true gradient for each of them; None where yours is right
    where: tuple[int, int] | None = None  # the numbers of the check and of its point at which the answer fails
    film: Any = None  # the pass of a wrong answer, as a view
    kept: str = ""  # about the file in which a right answer is kept for later lessons
    after: After | None = None

    def __bool__(self) -> bool:
        return self.status == "right"

    @property
    def head(self) -> str:
        count = f" ({sum(line.right is True for line in self.lines)} of {len(self.lines)} checks)"
        return HEADS[self.status] + (count if self.lines and self.status == "wrong" else "")

    def _parts(self) -> list[tuple[str, Any]]:
        """The parts below the head in order, for both HTML and text."""
        parts: list[tuple[str, Any]] = [("lines", self.lines)] if self.status != "unanswered" else []
        if self.at:
            parts.append(("at", ("It fails at ", self.at, ", the simplest input found.")))
        parts += [("words", self.words), ("code", self.code), ("sides", self.sides)]
        if self.mistake is not None:
            parts.append(("mistake", self.mistake))
        parts.append(("picture", self.picture))
        parts.append(("soft", self.hint))
        if self.printed:
            parts += [("soft", "It printed:"), ("code", self.printed.rstrip()[:600])]
        parts += [("film", self.film), ("words", self.kept), ("after", self.after)]
        return [(kind, part) for kind, part in parts if part]

    def to_text(self) -> str:
        """The whole verdict in plain text, for terminals, diffs and screen readers."""
        text = [f"{self.name}: {self.head}"]
        for kind, part in self._parts():
            if kind == "lines":
                text += [f"  {MARKS[line.right]} {line.says}" for line in part]
            elif kind == "sides":
                width = max(len(side.whose) for side in part)
                text += [f"  {side.whose:{width}}  {side.value}" for side in part]
            elif kind == "code":
                text += ["    " + line for line in part.splitlines()]
            elif kind == "mistake":
                text.append(f"It looks like: {part.name}. {part.says}")
            elif kind == "after":
                text.append(str(part))
            elif kind == "picture":
                text.append(f"[picture: {part.alt}]")
            elif kind == "film":
                text += ["", part.to_text(MOST_LINES), ""]
            else:
                text.append("".join(part))
        return "\n".join(text)

    def to_html(self) -> str:
        """The verdict as a fragment of HTML. Whatever the student wrote is escaped."""
        html = [
            f"<p><span class='mg-mark'>{MARKS[_truth(self.status)]}</span> "
            f"<b>{escape(self.name)}</b>: {escape(self.head)}</p>"
        ]
        html += [_PAGE[kind](part) for kind, part in self._parts()]
        return f"{STYLE}<div class='mg-check mg-{self.status}'>{''.join(html)}</div>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        mistake = self.mistake.name if self.mistake else None
        data = {"exercise": self.name, "status": self.status, "mistake": mistake}
        return {**super()._repr_mimebundle_(), MIME: data}


@dataclass(repr=False)
class LessonSummary(Displayed):
    """The result of `check()`: every exercise of the lesson with its verdict."""

    lesson: str
    verdicts: list[Verdict]

    @property
    def head(self) -> str:
        done = sum(map(bool, self.verdicts))
        title = self.lesson.replace("lesson", "Lesson", 1) if self.lesson.startswith("lesson ") else self.lesson
        return f"{title}: {done} of {len(self.verdicts)} right"

    def to_text(self) -> str:
        width = max(len(v.name) for v in self.verdicts)
        rows = [f"  {MARKS[_truth(v.status)]} {v.name:{width}}  {v.head}" for v in self.verdicts]
        return "\n".join([self.head, *rows])

    def to_html(self) -> str:
        rows = "".join(
            f"<tr><td>{MARKS[_truth(v.status)]}</td><td>{escape(v.name)}</td><td>{escape(v.head)}</td></tr>"
            for v in self.verdicts
        )
        status = "right" if all(self.verdicts) else "unanswered"
        return f"{STYLE}<div class='mg-check mg-{status}'><p><b>{escape(self.head)}</b></p><table>{rows}</table></div>"


def _lines(lines: list[CheckLine]) -> str:
    items = (f"<li><span class='mg-mark'>{MARKS[line.right]}</span> {escape(line.says)}</li>" for line in lines)
    return f"<ul>{''.join(items)}</ul>"


def _sides(sides: tuple[Side, ...]) -> str:
    heads = "".join(f"<th scope='col'>{escape(side.whose)}</th>" for side in sides)
    cells = "".join(f"<td>{escape(side.value)}</td>" for side in sides)
    return f"<table><thead><tr>{heads}</tr></thead><tbody><tr>{cells}</tr></tbody></table>"


_PAGE: dict[str, Any] = {
    "lines": _lines,
    "at": lambda part: f"<p>{escape(part[0])}<code>{escape(part[1])}</code>{escape(part[2])}</p>",
    "words": lambda part: f"<p>{escape(part)}</p>",
    "soft": lambda part: f"<p class='mg-soft'>{escape(part)}</p>",
    "code": lambda part: f"<pre>{escape(part)}</pre>",
    "sides": _sides,
    "mistake": lambda part: f"<p>It looks like: <b>{escape(part.name)}</b>. {escape(part.says)}</p>",
    "after": lambda part: part.to_html(),
    "film": lambda part: part._repr_mimebundle_()["text/html"],
    "picture": lambda part: seen(part.address, part.alt),
}


def seen(address: str, alt: str) -> str:
    """A picture in a page, or its description where it could not be drawn."""
    return f"<img src='{escape(address)}' alt='{escape(alt)}' width='520'>" if address else f"<p>{escape(alt)}</p>"


def _truth(status: str) -> bool | None:
    return {"right": True, "wrong": False}.get(status)
