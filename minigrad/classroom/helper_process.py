"""The helper process: it examines answers and reports each call of a student's function before it begins.

It reads tasks from its standard input and writes messages to its standard output, both pickled. `apart` starts it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import os
import pickle
import sys
import threading
from typing import Any

from ..runner import timeout
from ..runner.child import limit_memory
from ..runner.functions import unpack

LONGEST = 120  # seconds for one exercise, after which this process ends by itself if its parent is gone
MEMORY = 4 << 30


def main() -> None:
    """Examine one answer after another until the input ends."""
    tasks, messages = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.fdopen(os.open(os.devnull, os.O_RDWR), "r+")
    for number in (0, 1):  # the standard streams of the student's function
        os.dup2(nowhere.fileno(), number)
    limit_memory(MEMORY)
    from .check import examine
    from .loading import load

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
        folder, sys.path[:], path, name, data, known = task
        try:
            os.chdir(folder)
            exercise, answers = load(path)[name], unpack(data)
            timeout.observer = _Calls(send, known)
            verdict = examine(exercise, *answers)
            if verdict.picture is not None:
                verdict.picture.draw()
            send("done", verdict, threading.active_count() == 1 and not _changed(whole))
        except BaseException as problem:  # of the checks, of a value that cannot be read here, or of a broken builtin
            if _changed(whole):
                send("broken")
                return
            send("unable", repr(problem))
        timeout.observer = None
        faulthandler.cancel_dump_traceback_later()


def _changed(whole: list[tuple[Any, str, Any]], any: Any = any, vars: Any = vars) -> bool:
    """Whether one of the functions was replaced; with the builtins that this file began with."""
    return bool(any(vars(module).get(name) is not f for module, name, f in whole))


def _functions() -> list[tuple[Any, str, Any]]:
    """The functions and classes that an answer may have replaced: this process does not examine another one then."""
    rooms = [module for name, module in sys.modules.items() if name.split(".")[0] in ("builtins", "math", "minigrad")]
    return [(m, name, f) for m in (*rooms, sys.modules["numpy"]) for name, f in vars(m).items() if callable(f)]


class _Calls:
    """Numbers the calls and reports each; `known` holds outcomes of calls that ended an earlier process."""

    def __init__(self, send: Any, known: dict[int, timeout.Outcome]) -> None:
        self.send, self.known, self.count = send, known, 0

    def begins(self, seconds: float) -> timeout.Outcome | None:
        self.count += 1
        self.send("call", self.count, seconds)
        return self.known.get(self.count)

    def ends(self) -> None:
        self.send("rest")
