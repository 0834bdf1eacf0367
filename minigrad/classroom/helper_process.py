"""Examine an answer in a helper process, which is killed if the answer hangs and replaced if it dies.

The answer is copied to the helper with everything it uses (see `runner.packed_functions`), so it cannot affect the
notebook. If a call hangs or crashes, the answer is examined again in a new process, which is given the outcome of that
call.

The first part runs in the notebook: `examine_apart`. The second part runs in the helper: `main` reads tasks from its
standard input, and reports each call to a student's function on its standard output before the call begins. Tasks and
reports are pickled.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import importlib
import os
import pickle
import queue
import sys
import threading
from pathlib import Path
from typing import Any

from ..runner import timeout
from ..runner.budgets import own_time
from ..runner.child import Child, limit_memory
from ..runner.packed_functions import pack, unpack
from ..runner.timeout import Failure, Outcome
from ..tracing.user_lines import remember_lines
from .examination import examine
from .loading import load

GRACE = 0.4  # extra seconds before a helper is killed, so that it can first try to interrupt a Python loop itself
BETWEEN = 30.0  # seconds allowed for everything except calls to the student's function
SUSPICIOUS = 0.8  # seconds after which a spare helper is started, in case the running one will be killed
TRIES = 3
CRASH = Failure("Crash", "a crash: it ended the process")
BROKEN = Failure("Broken", "an error: it replaced a function that everything else uses, such as a builtin")
LONGEST = 120  # seconds allowed for one exercise; a helper that takes longer exits, in case the notebook is gone
MEMORY = 4 << 30


class Unable(Exception):
    """Raised if the answer cannot be examined in another process."""


class Hopeless(Exception):
    """Raised for an answer that ends every process that examines it."""


class Helper(Child):
    """A running helper process."""

    def __init__(self) -> None:
        super().__init__("minigrad.classroom.helper_process.main", pickle.dumps, pickle.load)

    def examine(self, task: Any) -> tuple[int, Any]:
        """Let the helper examine an answer; return the number of calls, and the verdict.

        If a call hangs or crashes, its Outcome is returned instead of the verdict.
        """
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


_ready: list[Helper] = []  # contains at most one helper


def prepare() -> None:
    """Start a helper if none is waiting, without waiting for it; do nothing if processes cannot be started."""
    if not _ready and sys.executable and sys.platform != "emscripten":
        with contextlib.suppress(OSError):
            _ready.append(Helper())


def examine_apart(path: Path, name: str, *answers: Any) -> Any:
    """Return the verdict on an answer to the exercise `name` of the checks at `path`, as `examine` returns it.

    Raises Unable if the answer cannot be copied to another process, or if no process can be started. Raises Hopeless if
    the answer ends every process.
    """
    try:
        data = pack(answers)
    except Exception as problem:  # a student's value may raise any error when it is pickled
        raise Unable(repr(problem)) from None
    fatal: dict[int, Outcome] = {}
    for _ in range(TRIES):
        prepare()
        if not _ready:
            raise Unable("no process can be started")
        helper = _ready.pop()
        try:
            calls, result = helper.examine((os.getcwd(), sys.path, path, name, data, fatal))
        except BaseException:  # raised as Unable, or by the notebook's stop button
            helper.kill()
            raise
        if not isinstance(result, Outcome):
            if helper.process.returncode is None:
                _end()
                _ready.append(helper)  # keep this one: it has imported more modules than a new helper
            return result
        if calls:  # otherwise the helper ended before it began, and another one is tried
            fatal[calls] = result
    raise Hopeless


@atexit.register
def _end() -> None:
    """Kill the helpers that wait for work."""
    while _ready:
        _ready.pop().kill()


def main() -> None:
    """Examine one answer after another until the input ends."""
    tasks, messages = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.fdopen(os.open(os.devnull, os.O_RDWR), "r+")
    for number in (0, 1):  # give the student's function empty standard streams
        os.dup2(nowhere.fileno(), number)
    limit_memory(MEMORY)
    with contextlib.suppress(ImportError):
        importlib.import_module("hypothesis")
        importlib.import_module("matplotlib.figure")
    send = lambda *message: messages.write(pickle.dumps(message))
    whole = _functions()
    send("ready")
    while True:
        try:
            task = pickle.load(tasks)
        except EOFError:
            return
        faulthandler.dump_traceback_later(LONGEST, exit=True, file=nowhere)
        folder, sys.path[:], path, name, data, fatal = task
        try:
            os.chdir(folder)
            exercise, answers = load(path)[name], unpack(data)
            remember_lines(False)  # importing viz turns recording on, but no verdict names the line of a Tensor
            timeout.observer = _Calls(send, fatal)
            verdict = examine(exercise, *answers)
            if verdict.picture is not None:
                verdict.picture.draw()
            send("done", verdict, threading.active_count() == 1 and not _changed(whole))
        except BaseException as problem:  # caused by the checks, an unreadable value, or a replaced builtin
            if _changed(whole):
                send("broken")
                return
            send("unable", repr(problem))
        timeout.observer = None
        faulthandler.cancel_dump_traceback_later()


def _changed(whole: list[tuple[Any, str, Any]], any: Any = any, vars: Any = vars) -> bool:
    """Return whether an answer replaced one of these functions; the defaults keep the original `any` and `vars`."""
    return bool(any(vars(module).get(name) is not f for module, name, f in whole))


def _functions() -> list[tuple[Any, str, Any]]:
    """Return the functions and classes that an answer could replace: for each, its module, its name and itself.

    If an answer replaces one, this process examines no further answers.
    """
    rooms = [module for name, module in sys.modules.items() if name.split(".")[0] in ("builtins", "math", "minigrad")]
    return [(m, name, f) for m in (*rooms, sys.modules["numpy"]) for name, f in vars(m).items() if callable(f)]


class _Calls:
    """An observer of the calls to the student's function, which numbers and reports each one.

    fatal : number of a call that ended an earlier process -> its outcome; it is not called again.
    """

    def __init__(self, send: Any, fatal: dict[int, timeout.Outcome]) -> None:
        self.send, self.fatal, self.count = send, fatal, 0

    def begins(self, seconds: float) -> timeout.Outcome | None:
        self.count += 1
        self.send("call", self.count, seconds)
        return self.fatal.get(self.count)

    def ends(self) -> None:
        self.send("rest")
