"""Examine an answer in a helper process, which is killed when the answer hangs and replaced when it dies.

The function is copied there with everything it uses (see `runner.functions`), so it cannot affect the notebook. If a
call hangs, the answer is examined again in a new process, which takes the outcome of that call as given.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import queue
import sys
from pathlib import Path
from typing import Any

from ..runner.budgets import own_time
from ..runner.child import Child
from ..runner.functions import pack
from ..runner.timeout import Failure, Outcome

GRACE = 0.4  # seconds; in the helper, a loop of Python code is interrupted before this is over
BETWEEN = 30.0  # seconds for everything but calls of the student's function
SUSPICIOUS = 0.8  # seconds after which a spare helper is started, in case this one is killed
TRIES = 3
CRASH = Failure("Crash", "a crash: it ended the process in which it was tried")
BROKEN = Failure("Broken", "an error: it replaced a function that everything else uses, such as a builtin")


class Unable(Exception):
    """The answer cannot be examined in another process."""


class Hopeless(Exception):
    """An answer that ends each process in which it is examined."""


class Helper(Child):
    """A running helper process."""

    def __init__(self) -> None:
        super().__init__("minigrad.classroom.helper_process.main", pickle.dumps, pickle.load)

    def examine(self, task: Any) -> tuple[int, Any]:
        """Return the number of the last call, and a verdict, or the Outcome of that call if it hung or crashed."""
        self.send(task)
        now = lambda: own_time(self.process.pid)
        calls, end, calling = 0, now() + BETWEEN, False
        while True:
            try:
                message = self.messages.get(timeout=min(max(end - now(), 0.01), SUSPICIOUS))
            except queue.Empty:
                if now() < end:
                    if calling:
                        prepare()
                    continue
                self.kill()
                return calls, Outcome(late=True)
            match message:
                case ("call", calls, seconds):
                    end, calling = now() + seconds + GRACE, True
                case ("done", verdict, stays):
                    if not stays:
                        self.kill()
                    return calls, verdict
                case ("unable", reason):
                    raise Unable(reason)
                case ("broken",):
                    self.kill()
                    return calls, Outcome(failure=BROKEN)
                case None:
                    self.kill()
                    return calls, Outcome(failure=CRASH)
                case _:
                    end, calling = now() + BETWEEN, False


_ready: list[Helper] = []  # one at most


def prepare() -> None:
    """Start a helper if none is waiting, without waiting for it. Does nothing where processes cannot be started."""
    if not _ready and sys.executable and sys.platform != "emscripten":
        with contextlib.suppress(OSError):
            _ready.append(Helper())


def examine_apart(path: Path, name: str, *answers: Any) -> Any:
    """The verdict on an answer to the exercise `name` of the checks at `path`, as `examine` gives it.

    Raises Unable if the answer cannot be copied to another process, or none can be started; Hopeless if it ends every
    process.
    """
    try:
        data = pack(answers)
    except Exception as problem:  # any error that a value of the student's raises when it is pickled
        raise Unable(repr(problem)) from None
    known: dict[int, Outcome] = {}
    for _ in range(TRIES):
        prepare()
        if not _ready:
            raise Unable("no process can be started")
        helper = _ready.pop()
        try:
            calls, result = helper.examine((os.getcwd(), sys.path, path, name, data, known))
        except BaseException:  # Unable, or the notebook's stop button
            helper.kill()
            raise
        if not isinstance(result, Outcome):
            if helper.process.returncode is None:
                _end()
                _ready.append(helper)  # it has imported more than a new one
            return result
        if calls:  # otherwise it had ended while it was waiting
            known[calls] = result
    raise Hopeless


@atexit.register
def _end() -> None:
    """End the helpers that wait for work."""
    while _ready:
        _ready.pop().kill()
