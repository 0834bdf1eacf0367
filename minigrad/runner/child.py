"""A process that runs minigrad's own code; it receives tasks, sends messages, and can be killed at any time."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any


class Child:
    """A new Python process that runs `main`, given as a function's dotted name.

    `messages` is a queue of the messages from the process, with None at the end. The notebook's stop button does not
    stop the process.

    dump : converts a task to bytes.
    load : reads a message from the process; any error that it raises counts as the end of the messages.
    paths : the `sys.path` of the process; by default this process's.
    environment : additional environment variables.
    """

    def __init__(
        self,
        main: str,
        dump: Callable[[Any], bytes],
        load: Callable[[IO[bytes]], Any],
        paths: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        module, _, name = main.rpartition(".")
        begin = f"import sys; sys.path[:] = {list(paths or sys.path)!r}; from {module} import {name}; {name}()"
        options: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
        self.process = subprocess.Popen(
            [sys.executable, "-c", begin],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("MINIGRAD_GRADING_ERRORS") else subprocess.DEVNULL,
            env={**os.environ, **(environment or {})},
            **options,
        )
        self.messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._dump, self._load = dump, load
        threading.Thread(target=self._read, daemon=True, name=f"messages of {module}").start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(Exception):
            while True:
                self.messages.put(self._load(self.process.stdout))
        self.messages.put(None)

    @property
    def ended(self) -> bool:
        """Return whether the process has ended."""
        return self.process.poll() is not None

    def send(self, task: Any) -> None:
        """Send a task; if the process has ended, do nothing, because `messages` then ends with None."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write(self._dump(task))
            self.process.stdin.flush()

    def close(self, seconds: float) -> None:
        """Close the task pipe, wait up to `seconds` for the process to end, and kill it if it does not."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        self.kill()

    def kill(self) -> None:
        """End the process and the processes that it started."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


def limit_memory(most: int) -> None:
    """Limit this process to `most` bytes, if the system allows that (Windows does not)."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
