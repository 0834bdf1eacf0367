"""Reply to each request: with a page, with the effect of a form, or with an error for an unknown address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from ..gradebook import GradebookError
from .blind_reading import read
from .frame import FOLDER, DeskFrame, Reply, Request, Unknown
from .marking import mark, mark_all, undo
from .tables import alike, as_the_student_sees_it, one_student, played_pass, whole_class
from .wrong import wrong

PAGES: dict[str, Callable[[DeskFrame, Request], Reply]] = {
    "": whole_class,
    "class": whole_class,
    "student": one_student,
    "read": read,
    "alike": alike,
    "page": as_the_student_sees_it,
    "play": played_pass,
    "wrong": wrong,
}
ACTIONS: dict[str, Callable[[DeskFrame, Request], Reply]] = {"mark": mark, "all": mark_all, "undo": undo}
KINDS = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
STATIC = {file.name for file in (FOLDER / "static").iterdir() if file.suffix in KINDS}
Fields = Mapping[str, str]
NONE: Fields = MappingProxyType({})


class Desk(DeskFrame):
    """The pages of a gradebook. GET requests do not write to the gradebook."""

    def answer(
        self, method: str, page: str, query: Fields = NONE, form: Fields = NONE, who: str = "", secret: str = ""
    ) -> Reply:
        """Return the reply to a request.

        who : the teacher. secret : the token that every form must return; the server checks it.
        """
        asked = Request(query, form, who, secret)
        make = ACTIONS.get(page) if method == "POST" else PAGES.get(page)
        try:
            if make is not None:
                return make(self, asked)
            if method == "GET" and page in STATIC:
                return Reply((FOLDER / "static" / page).read_bytes(), kind=KINDS[Path(page).suffix])
            raise Unknown(f"the page {page!r}")
        except Unknown as problem:
            text = f"The gradebook does not have {problem.args[0][:500]}."
            return self.page("said.html", asked, 404, title="Not found", text=text)
        except GradebookError as problem:
            return self.page("said.html", asked, 500, title="The gradebook", text=f"{problem}.")
