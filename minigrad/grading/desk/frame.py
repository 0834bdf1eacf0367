"""The common parts of the desk's pages: requests, replies, the gradebook, templates and addresses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from minigrad.lab.pages import templates

from ..gradebook import Gradebook
from ..grades import Grade
from ..late import moment
from ..pages.page_parts import capital
from ..report import Mark

FOLDER = Path(__file__).parent
#: The pages allow only their own scripts, styles and frames, and no inline code; no other page may frame them.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; frame-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
AT_ONCE = 0.1  #: seconds for which a page waits for the result of a thread
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store"}


@dataclass
class Reply:
    """A server's reply; `headers` are sent in addition to HEADERS."""

    body: str | bytes = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Request:
    """A request to the desk.

    query, form : the value of each field.
    who : the teacher.
    secret : the token that every form must return.
    said : a sentence about a change that could not be made; the form is shown again with this sentence.
    """

    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    who: str = ""
    secret: str = ""
    said: str = ""


class Unknown(LookupError):
    """Raised if an address names something that is not in the gradebook; the message names it."""


class DeskFrame:
    """A gradebook and its pages.

    root : the path that begins every address.
    always : query fields for every address.
    """

    def __init__(self, book: Gradebook, root: str = "", always: Mapping[str, str] = MappingProxyType({})) -> None:
        self.book, self.root, self.always = book, root, always
        self.open: dict[tuple[str, str, str], tuple[str, float]] = {}  # answer -> who has it open, and since when
        self.played: dict[tuple[str, float, str], str] = {}
        self._known: dict[str, tuple[Any, dict[str, Grade]]] = {}
        self._longer: dict[str, tuple[Any, Future[Any]]] = {}

    @cached_property
    def _thread(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, "desk")

    def computed(self, of: str, work: Callable[[], Any]) -> Any:
        """Return the result of `work()` for the assignment `of`, or None if it is not ready yet.

        It is computed in a worker thread, and again only after the gradebook has changed.
        Only the server's thread may use the gradebook, so `work` must not.
        """
        state = self.book.state()
        if self._longer.get(of, (None,))[0] != state:
            self._longer[of] = state, self._thread.submit(work)
        try:
            return self._longer[of][1].result(AT_ONCE)
        except NotYet:
            return None

    @cached_property
    def _templates(self) -> Any:
        made = templates(FOLDER / "templates")
        made.globals |= {"link": self.link, "moment": moment, "capital": capital}
        made.filters["n"] = lambda x: "–" if x is None else f"{x:.6g}"
        return made

    def link(self, page: str, **query: Any) -> str:
        """Return the address of a page. Names are in the query, because a student called ".." would change a path."""
        asked = {name: value for name, value in {**self.always, **query}.items() if value not in (None, "")}
        return f"{self.root}/{page}" + (f"?{urlencode(asked)}" if asked else "")

    def page(self, template: str, asked: Request, status: int = 200, **holes: Any) -> Reply:
        """Return a reply with the page that a template gives if its placeholders are filled with `holes`."""
        filled = self._templates.get_template(template).render(
            who=asked.who, secret=asked.secret, said=asked.said, draft=asked.form, **holes
        )
        return Reply(filled, 409 if asked.said else status, {"Content-Security-Policy": POLICY})

    def elsewhere(self, page: str, **query: Any) -> Reply:
        """Return a reply that redirects the browser to another page."""
        return Reply(status=303, headers={"Location": self.link(page, **query)})

    def grades(self, of: str) -> dict[str, Grade]:
        """Return the grades of an assignment by student; they are recomputed when the gradebook has a new row."""
        state = self.book.state()
        if self._known.get(of, (None,))[0] != state:
            if of not in self.book.assignments():
                raise Unknown(f"the assignment {of!r}; there are {', '.join(self.book.assignments()) or 'none'}")
            self._known[of] = state, {g.student: g for g in self.book.grades(of)}
        return self._known[of][1]

    def grade(self, of: str, student: str) -> Grade:
        """Return the grade of a student."""
        if student not in self.grades(of):
            raise Unknown(f"the student {student!r}")
        return self.grades(of)[student]

    def mark(self, of: str, student: str, exercise: str) -> Mark:
        """Return the mark of an exercise."""
        report = self.grade(of, student).report
        marks = [m for m in report.results if m.exercise == exercise] if report else []
        if not marks:
            raise Unknown(f"the exercise {exercise!r}")
        return marks[0]


def whole(text: str) -> int:
    """Parse a row number from a URL or a form; return 0, which no row has, for any other text.

    >>> whole("12"), whole("x"), whole("9" * 5000)
    (12, 0, 0)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0


def scale_of(mark: Mark) -> list[tuple[str, float, str]]:
    """Return the lines of a rubric with their keys: the marks if all are single digits, otherwise line numbers.

    >>> scale_of(Mark("q", "to read", None, 2.0, scale=[(2, "all"), (0.5, "a part")]))
    [('1', 2, 'all'), ('2', 0.5, 'a part')]
    """
    digits = all(marks in range(10) for marks, _ in mark.scale)
    lines = mark.scale[:9] if not digits else mark.scale
    return [(f"{marks:g}" if digits else str(i), marks, says) for i, (marks, says) in enumerate(lines, 1)]
