"""Start a student's process, send it requests, and end it when no reply comes in time: the judge's side."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .allowance import Limits, busy
from .reach import FOLDER, paths, readable, uid
from .sandbox.bubblewrap import bubble
from .server import BOOT
from .submission import Cell
from .wire import BadMessage, Channel, Ended, Late

ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "LC_ALL": "C.UTF-8"}
START = [sys.executable, "-I", "-X", "utf8", "-c", BOOT]
NOBODY_ASKED = "the process sent messages without a request"
STARTING = 60.0  # seconds for a server to import what it needs


class Stopped(Exception):
    """The student's process sent no reply. how : "late", "ended", "refused" or "spent"; the text says more."""

    def __init__(self, how: str, words: str) -> None:
        super().__init__(words)
        self.how = how


class Server:
    """A fork server, with or without minigrad in reach. It ends when `close` is called or this process ends."""

    def __init__(self, engine: bool, limits: Limits, layers: Sequence[str] = (), data: str = "") -> None:
        self.engine, self.limits = engine, limits
        self.layers, self.data = layers, data
        ours, theirs = socket.socketpair()
        self.process = server_process(self, theirs)
        theirs.close()
        self._control = ours
        ours.settimeout(STARTING)
        self._lines = ours.makefile("rb")
        if self._lines.readline() != b"ready\n":
            self.close()
            raise RuntimeError("the process that starts students' processes did not start")

    @property
    def alive(self) -> bool:
        """Whether it can start processes."""
        return self.process.poll() is None

    def spawn(self) -> Channel:
        """A new student's process; the one before must have been ended."""
        ours, theirs = socket.socketpair()
        socket.send_fds(self._control, [b'{"do": "spawn"}'], [theirs.fileno()])
        theirs.close()
        self._lines.readline()
        return Channel(ours, self.limits.message)

    def end(self) -> int:
        """End the student's process and what it started; how many processes besides its own there were."""
        self._control.sendall(b'{"do": "kill"}')
        return int(json.loads(self._lines.readline() or b'{"left": 0}')["left"])

    def close(self) -> None:
        """End the server, and with it the student's process."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._lines.close()
            self._control.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Starts(Protocol):
    """What starts students' processes: `Server`, or `Alone` where nothing can be forked."""

    engine: bool
    limits: Limits
    layers: Sequence[str]
    data: str

    def __init__(self, engine: bool, limits: Limits, layers: Sequence[str] = (), data: str = "") -> None: ...
    @property
    def alive(self) -> bool: ...
    def spawn(self) -> Channel: ...
    def end(self) -> int: ...
    def close(self) -> None: ...


def server_process(of: Any, theirs: socket.socket, alone: bool = False) -> subprocess.Popen[bytes]:
    """The process of a server, or of one student's process alone, with its end of a connection."""
    use = of.limits
    limits = {name: getattr(use, name) for name in ("memory", "processes", "files", "written", "output")}
    reachable = [*readable(of.engine), *([of.data] if of.data else [])]
    given = {
        "engine": of.engine,
        "alone": alone,
        "paths": paths(of.engine),
        "folder": str(FOLDER),
        "fd": theirs.fileno(),
        "layers": list(of.layers),
        "limits": {**limits, "cpu": int(use.submission) + 2},
        "readable": reachable,
        "uid": uid(),
        "cwd": of.data or os.sep,
    }
    return subprocess.Popen(
        [*(bubble(reachable) if "bubblewrap" in of.layers else []), *START, json.dumps(given)],
        env=ENVIRONMENT if os.name == "posix" else {**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE if alone else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("MINIGRAD_GRADING_ERRORS") else subprocess.DEVNULL,
        pass_fds=[theirs.fileno()] if os.name == "posix" else [],
        start_new_session=True,
    )


class Process:
    """One submission in a process of its own, started again when it ends. notes : what was odd, as sentences."""

    def __init__(self, server: Starts, cells: Sequence[Cell]) -> None:
        self.server, self.cells, self.limits = server, cells, server.limits
        self.notes: list[str] = []
        self.lost: list[tuple[int, int]] = []  # statements that are left out: they never end, or end the process
        self.left = server.limits.submission
        self.generation = 0
        self._channel: Channel | None = None
        self._number = 0
        self._forged = False
        self._at: tuple[int, int] | None = None

    def begin(self) -> None:
        """Run the cells; a statement that does not end is left out the next time. Raises Stopped when all fails."""
        if self._forged:
            raise Stopped("refused", NOBODY_ASKED)
        while True:
            self.end()
            self._channel = self.server.spawn()
            self.generation += 1
            cells = [[cell.number, cell.source] for cell in self.cells]
            self._at = None
            try:
                question = {"do": "run", "cells": cells, "skip": self.lost}
                answer = self._ask(question, self.limits.statement, self._begins)
                if not isinstance(answer.get("notes"), list):
                    self._forged = True
                    self._note(f"The process was ended: {NOBODY_ASKED}.")
                    self.end()
                    raise Stopped("refused", NOBODY_ASKED)
                for note in answer["notes"][:50]:
                    self._note(str(note)[:300])
                return
            except Stopped as stopped:
                if stopped.how in ("refused", "spent") or self._at is None or len(self.lost) >= self.limits.restarts:
                    raise
                number, index = self._at
                if self._at in self.lost:
                    raise
                self.lost.append((number, index))
                what = "did not end" if stopped.how == "late" else "ended the process"
                self.notes.append(f"Statement {index + 1} of cell {number} {what} and was left out.")

    def _begins(self, message: dict[str, Any]) -> None:
        self._at = (int(message["at"][0]), int(message["at"][1]))

    def ask(self, question: dict[str, Any], seconds: float, call_back: Callable[..., Any]) -> dict[str, Any]:
        """The reply to one request. Raises Stopped; the process has then ended, and starts again at the next one."""
        if self._channel is None:
            self.begin()
        return self._ask(question, seconds, call_back)

    def end(self) -> None:
        """End the process."""
        if self._channel is not None:
            self._channel.connection.close()
            self._channel = None
            try:
                left = self.server.end()
            except (OSError, ValueError):  # the server has ended as well; the next one is started anew
                self.server.close()
                left = 0
            if left:
                self._note("Processes that it had started were ended.")

    def _ask(self, question: dict[str, Any], seconds: float, told: Callable[[Any], Any]) -> dict[str, Any]:
        channel = self._channel
        assert channel is not None
        self._number += 1
        slower = busy()
        seconds *= slower
        try:
            if channel.pending():
                raise BadMessage(NOBODY_ASKED)
            channel.send({**question, "id": self._number})
            while True:
                began = time.monotonic()
                if self.left <= 0:
                    raise self._spent()
                try:
                    message = channel.receive(min(seconds, self.left * slower))
                finally:
                    self.left -= (time.monotonic() - began) / slower
                if not isinstance(message, dict) or message.get("id") != self._number:
                    raise BadMessage(NOBODY_ASKED)
                if "at" not in message and "callback" not in message:
                    return message
                reply = told(message)
                if "callback" in message:
                    channel.send(reply)
        except Late:
            self.end()
            if self.left <= 0:  # it was given less
                raise self._spent() from None
            raise Stopped("late", f"it did not end within {seconds:g} seconds") from None
        except Ended:
            self.end()
            raise Stopped("ended", "a crash: it ended the process in which it was tried") from None
        except (BadMessage, KeyError, TypeError, IndexError, ValueError) as why:
            self.end()
            self._forged = True
            self._note(f"The process was ended: {why}.")
            raise Stopped("refused", str(why)) from None
        except Stopped:
            self.end()
            raise

    def _spent(self) -> Stopped:
        return Stopped("spent", f"the submission used up its {self.limits.submission:g} seconds")

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)
