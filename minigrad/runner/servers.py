"""Start and end students' processes, by a fork server, or one by one on systems without fork, such as Windows."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Protocol

from .access import FOLDER, paths, readable, uid
from .channel import Channel
from .limits import Limits
from .sandbox.bubblewrap import CODE, bubble
from .server import BOOT

ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "LC_ALL": "C.UTF-8"}
START = [sys.executable, "-I", "-X", "utf8", "-c", BOOT]
STARTING = 60.0  # seconds for a server to import what it needs


class Server:
    """A fork server, with or without access to minigrad. It ends when `close` is called or this process ends."""

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
        """A new student's process; the previous one must have been ended. Raises OSError if the server has ended."""
        ours, theirs = socket.socketpair()
        socket.send_fds(self._control, [b'{"do": "spawn"}'], [theirs.fileno()])
        theirs.close()
        if not self._lines.readline():
            raise BrokenPipeError("the server has ended")
        return Channel(ours, self.limits.message)

    def end(self) -> int:
        """End the student's process and its children; return the number of these. Raises as `spawn`."""
        self._control.sendall(b'{"do": "kill"}')
        if not (line := self._lines.readline()):
            raise BrokenPipeError("the server has ended")
        return int(json.loads(line)["left"])

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


class Alone:
    """Starts students' processes one by one, each as a new Python, which is slower. Used as `Server` is."""

    def __init__(self, engine: bool, limits: Limits, layers: Sequence[str] = (), data: str = "") -> None:
        self.engine, self.limits, self.layers, self.data = engine, limits, layers, data
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def alive(self) -> bool:
        """Whether it can start processes."""
        return True

    def spawn(self) -> Channel:
        """A new student's process; the one before must have been ended."""
        ours, theirs = socket.socketpair()
        self.process = server_process(self, theirs, alone=True)
        assert self.process.stdin is not None
        if os.name == "nt":
            self.process.stdin.write(base64.b64encode(theirs.share(self.process.pid)) + b"\n")  # type: ignore[attr-defined,unused-ignore]
        self.process.stdin.close()
        theirs.close()
        return Channel(ours, self.limits.message)

    def end(self) -> int:
        """End the student's process. Returns 0, as the number of its children is unknown here."""
        if self.process is not None:
            with contextlib.suppress(OSError):
                self.process.kill()
            self.process.wait()
            self.process = None
        return 0

    def close(self) -> None:
        """End the student's process."""
        self.end()


class Starts(Protocol):
    """A starter of students' processes: `Server`, or `Alone` on systems without fork."""

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
    """Start the process of a server, or of one student alone, and return it with the judge's end of the connection."""
    use = of.limits
    limits = {name: getattr(use, name) for name in ("memory", "processes", "files", "written", "output")}
    reachable = [*readable(of.engine), *([of.data] if of.data else [])]
    given = {
        "engine": of.engine,
        "alone": alone,
        "paths": paths(of.engine),
        "folder": CODE if "bubblewrap" in of.layers else str(FOLDER),
        "fd": theirs.fileno(),
        "layers": list(of.layers),
        "limits": {**limits, "cpu": int(use.submission) + 2},
        "readable": reachable,
        "uid": uid(),
        "cwd": of.data or os.sep,
    }
    return subprocess.Popen(
        [*(bubble(reachable, str(FOLDER)) if "bubblewrap" in of.layers else []), *START, json.dumps(given)],
        env=ENVIRONMENT if os.name == "posix" else {**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE if alone else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("MINIGRAD_GRADING_ERRORS") else subprocess.DEVNULL,
        pass_fds=[theirs.fileno()] if os.name == "posix" else [],
        start_new_session=True,
    )
