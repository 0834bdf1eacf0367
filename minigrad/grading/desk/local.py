"""The desk on this computer: a server that no other computer reaches, for the browser with the printed address only."""

from __future__ import annotations

import contextlib
import hmac
import secrets
import webbrowser
from pathlib import Path
from typing import Any

from minigrad.lab.errors import CommandError, missing

from ..gradebook import Gradebook, user
from .desk import Desk
from .frame import HEADERS, Reply

ADDRESS = "127.0.0.1"
LARGEST = 100_000  #: bytes of a form


def serve(path: Path, who: str = "", port: int = 0, browser: bool = True) -> None:
    """Serve the gradebook in the file `path` until a key ends it. who : the teacher, as marks name them.

    Raises CommandError if the port is taken, and GradebookError if the file cannot be used.
    """
    try:
        from tornado.httpserver import HTTPServer
        from tornado.ioloop import IOLoop
        from tornado.netutil import bind_sockets
    except ImportError:
        raise CommandError(missing("tornado")) from None
    with Gradebook(path, make=False) as book:
        book.connection.execute("PRAGMA synchronous = FULL")  # a mark that was confirmed survives a power failure
        try:
            sockets = bind_sockets(port, ADDRESS)
        except OSError as problem:
            raise CommandError(f"the port {port} cannot be used ({problem.strerror}); leave --port out") from None
        port, token = sockets[0].getsockname()[1], secrets.token_urlsafe(24)
        server = HTTPServer(application(Desk(book), who or user(), port, token), max_body_size=LARGEST)
        server.add_sockets(sockets)
        address = f"http://{ADDRESS}:{port}/?token={token}"
        print(f"{address}\nOpen this address in the browser of this computer. Ctrl-C ends the desk.", flush=True)
        if browser:
            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            IOLoop.current().start()


def application(desk: Desk, who: str, port: int, token: str) -> Any:
    """The Tornado application. Cookies do not know ports, so that theirs is in the names."""
    from tornado import web

    hosts = {f"{name}:{port}" for name in (ADDRESS, "localhost")}

    class LocalHandler(web.RequestHandler):
        def prepare(self) -> None:
            host = self.request.headers.get("Host", "")
            if host not in hosts:
                raise web.HTTPError(421)
            if self.request.method == "POST" and self.request.headers.get("Origin") != f"http://{host}":
                raise web.HTTPError(403)
            given, known = self.get_query_argument("token", ""), self.get_cookie(f"desk-{port}", "") or ""
            if given and hmac.compare_digest(given.encode(), token.encode()):
                self.set_cookie(f"desk-{port}", token, httponly=True, samesite="Strict")
                self.redirect(self.request.path, status=303)
            elif not hmac.compare_digest(known.encode(), token.encode()):
                self.set_status(403)
                self.finish("Open the address that the command printed.")

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
    """The first value of each field of a request's query, or of its form."""
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
