"""The desk within a Jupyter Server, for example on a JupyterHub, where each mark is stored with its teacher's name.

Enable it with `jupyter server extension enable minigrad.grading.desk.extension`. It shows a gradebook from the server's
folder at /minigrad-desk/?book=course.db, and never upgrades a file to a newer version.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..database import VERSION
from ..gradebook import Gradebook, GradebookError
from .desk import Desk
from .frame import Reply
from .local import fields, send

PAGE = "minigrad-desk"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(app: Any) -> None:
    root = f"{app.web_app.settings['base_url'].rstrip('/')}/{PAGE}"
    books = Books(Path(app.root_dir), root)
    app.web_app.add_handlers(".*$", [(f"{re.escape(root)}/?(.*)", handler(books))])


class Books:
    """The desks of the gradebooks below a folder, created on request; all addresses begin with `root`."""

    def __init__(self, folder: Path, root: str) -> None:
        self.folder, self.root = folder.resolve(), root
        self._desks: dict[Path, Desk] = {}

    def desk(self, name: str) -> Desk:
        """Return the desk of the gradebook at a path below the folder. Raises GradebookError if there is none."""
        path = (self.folder / name).resolve()
        if self.folder not in path.parents or not path.is_file():
            raise GradebookError(
                "add ?book= and the path of a gradebook below this server's folder, as in ?book=course.db"
            )
        if path not in self._desks:
            with Gradebook(path, make=False, write=False) as book:
                version = book.version
            if version < VERSION:
                raise GradebookError(
                    f"{name} is of version {version}: minigrad gradebook {name} open brings it up to date"
                )
            book = Gradebook(path, make=False)
            book.connection.execute("PRAGMA synchronous = FULL")
            self._desks[path] = Desk(book, self.root, {"book": path.relative_to(self.folder).as_posix()})
        return self._desks[path]


def handler(books: Books) -> type:
    """Return the handler class for a Jupyter Server; a handler checks the user, and the token of each form."""
    from jupyter_server.base.handlers import JupyterHandler
    from tornado import web

    class HubHandler(JupyterHandler):
        @property
        def content_security_policy(self) -> str:
            return ""  # the desk adds its own policy to each reply

        def _reply(self, method: str, page: str) -> None:
            form = fields(self, True) if method == "POST" else {}
            query = fields(self)
            try:
                desk = books.desk(query.get("book") or form.get("book", ""))
            except GradebookError as problem:
                return send(self, Reply(str(problem), 404, kind="text/plain; charset=utf-8"))
            secret = self.xsrf_token.decode()
            return send(self, desk.answer(method, page.strip("/"), query, form, name_of(self.current_user), secret))

        @web.authenticated
        def get(self, page: str) -> None:
            self._reply("GET", page)

        @web.authenticated
        def post(self, page: str) -> None:
            self._reply("POST", page)

    return HubHandler


def name_of(who: Any) -> str:
    """Return a person's name in the Hub, or else this computer's user, because a stand-alone server invents names.

    >>> from types import SimpleNamespace
    >>> name_of(SimpleNamespace(username="ann"))
    'ann'
    """
    from ..gradebook import user

    name = str(getattr(who, "username", ""))
    return user() if re.fullmatch("[0-9a-f]{32}|", name) else name
