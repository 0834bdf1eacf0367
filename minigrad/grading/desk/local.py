"""The desk on this computer: a server that no other computer can reach, for the teacher's browser.

An address with a token opens the desk once; after that, a cookie identifies the browser. The browser is started with a
file that only this user can read: a token on the command line would be visible to every user of the computer.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minigrad.lab.errors import CommandError, missing

from ..gradebook import Gradebook, user
from .desk import Desk
from .frame import HEADERS, POLICY, Reply

ADDRESS = "127.0.0.1"
LARGEST = 100_000  #: maximum number of bytes of a form
CLOSED = "Open the address that the command printed. Each opens the desk once; only the newest works."


def serve(path: Path, who: str = "", port: int = 0, browser: bool = True) -> None:
    """Serve the gradebook in the file `path` until Ctrl-C is pressed.

    who : the teacher's name on the marks.

    Raises CommandError if the port is taken, and GradebookError if the file cannot be used.
    """
    try:
        from tornado.httpserver import HTTPServer
        from tornado.ioloop import IOLoop
        from tornado.netutil import bind_sockets
    except ImportError:
        raise CommandError(missing("tornado")) from None
    with Gradebook(path, make=False) as book:
        book.connection.execute("PRAGMA synchronous = FULL")  # so that confirmed marks survive a power failure
        try:
            sockets = bind_sockets(port, ADDRESS)
        except OSError as problem:
            raise CommandError(f"the port {port} cannot be used ({problem.strerror}); leave --port out") from None
        port = sockets[0].getsockname()[1]
        keys = Keys(f"http://{ADDRESS}:{port}/")
        server = HTTPServer(application(Desk(book), who or user(), port, keys), max_body_size=LARGEST)
        server.add_sockets(sockets)
        keys.print("Open this address in a browser on this computer; it works once. Ctrl-C stops the desk.")
        try:
            if browser:
                webbrowser.open(keys.file(path.absolute().parent).as_uri())
            with contextlib.suppress(KeyboardInterrupt):
                IOLoop.current().start()
        finally:
            keys.remove_files()


class Keys:
    """The tokens that open the desk at the address `root`, each once, and the `cookie` that identifies the browser."""

    def __init__(self, root: str) -> None:
        self.root, self.cookie = root, secrets.token_urlsafe(24)
        self._unused: dict[str, Callable[[], None]] = {}
        self._files: list[Path] = []

    def address(self, used: Callable[[], None]) -> str:
        """Return a new address. `used` is called after somebody opens it."""
        token = secrets.token_urlsafe(24)
        self._unused[token] = used
        return f"{self.root}?token={token}"

    def print(self, says: str) -> None:
        """Print an address, and each time it is used, a new address for another browser."""
        used = "The previous address was used. This new one works once, in another browser."
        print(self.address(lambda: self.print(used)), says, sep="\n", flush=True)

    def file(self, folder: Path) -> Path:
        """Write a file that opens the desk in a browser and that nobody else can read; it is removed after use.

        folder : the preferred folder. A browser in a container can often read only the user's folders.
        """
        try:
            number, name = tempfile.mkstemp(".html", "desk-", folder)
        except OSError:
            number, name = tempfile.mkstemp(".html", "desk-")
        self._files.append(Path(name))
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(LEADS.format(self.address(self.remove_files)))
        return Path(name)

    def remove_files(self) -> None:
        """Remove the files that open the desk."""
        for path in self._files:
            path.unlink(missing_ok=True)
        self._files.clear()

    def open(self, token: str) -> bool:
        """Return whether a token opens the desk; each token does so only once."""
        fits = [one for one in self._unused if hmac.compare_digest(one.encode(), token.encode())]
        for one in fits:
            self._unused.pop(one)()
        return bool(fits)


#: A page that opens the desk. A redirect would not work: if it begins in a file, the browser does not send the cookie.
LEADS = """<!doctype html><meta charset="utf-8"><title>The desk</title><link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0;url={0}"><p><a href="{0}">To the desk</a></p>"""


def application(desk: Desk, who: str, port: int, keys: Keys) -> Any:
    """Return the Tornado application. Cookies ignore ports, so their names include the port."""
    from tornado import web

    hosts = {f"{name}:{port}" for name in (ADDRESS, "localhost")}

    class LocalHandler(web.RequestHandler):
        def prepare(self) -> None:
            host = self.request.headers.get("Host", "")
            if host not in hosts:
                raise web.HTTPError(421)
            if self.request.method == "POST" and self.request.headers.get("Origin") != f"http://{host}":
                raise web.HTTPError(403)
            token, cookie = self.get_query_argument("token", ""), self.get_cookie(f"desk-{port}", "") or ""
            is_known = hmac.compare_digest(cookie.encode(), keys.cookie.encode())
            if token and (is_known or keys.open(token)):
                self.set_cookie(f"desk-{port}", keys.cookie, httponly=True, samesite="Strict")
                send(self, Reply(LEADS.format("/"), headers={"Content-Security-Policy": POLICY}))
            elif not is_known:
                send(self, Reply(CLOSED, 403, kind="text/plain; charset=utf-8"))

        def get(self, page: str) -> None:
            send(self, desk.answer("GET", page, fields(self), who=who, secret=self.xsrf_token.decode()))

        def post(self, page: str) -> None:
            secret = self.xsrf_token.decode()
            send(self, desk.answer("POST", page, fields(self), fields(self, True), who, secret))

    return web.Application(
        [("/(.*)", LocalHandler)],
        xsrf_cookies=True,
        xsrf_cookie_name=f"desk-xsrf-{port}",
        xsrf_cookie_kwargs={"httponly": True, "samesite": "Strict"},
        log_function=lambda handler: None,
    )


def fields(handler: Any, body: bool = False) -> dict[str, str]:
    """Return the last value of each field in a request's query or, with `body`, in its form."""
    if body:
        return {name: handler.get_body_argument(name, strip=False) for name in handler.request.body_arguments}
    return {name: handler.get_query_argument(name) for name in handler.request.query_arguments}


def send(handler: Any, reply: Reply) -> None:
    """Send a reply through a Tornado handler."""
    handler.set_status(reply.status)
    handler.set_header("Content-Type", reply.kind)
    for name, value in {**HEADERS, **reply.headers}.items():
        handler.set_header(name, value)
    handler.finish(reply.body)
