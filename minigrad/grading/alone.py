"""Students' processes on systems without fork, such as Windows: each one starts a new Python, which is slower."""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import subprocess
from collections.abc import Sequence

from .allowance import Limits
from .servers import server_process
from .wire import Channel


class Alone:
    """Starts students' processes one by one, as `Server` forks them."""

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
