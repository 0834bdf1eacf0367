"""The fork server: a process that was started by itself, has never seen a check, and forks a student's process at once.

It is told over its control socket: `{"do": "spawn", ...}` with the student's end of a connection, and `{"do": "kill"}`.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
from typing import Any

from .sandbox import limits as limited
from .sandbox import namespaces
from .sandbox.layers import put_on
from .wire import Channel, Ended

#: Runs as `python -I -c BOOT CONFIGURATION`. The package minigrad itself may be out of reach there.
BOOT = """
import json, sys, types
given = json.loads(sys.argv[1])
sys.path[:] = given["paths"]
package = types.ModuleType("grading")
package.__path__ = [given["folder"]]
sys.modules["grading"] = package
from grading.server import main
main(given)
"""
ENGINE = ("minigrad", "minigrad.graphs", "minigrad.core.values")
BARE = ("numpy", "numpy.linalg", "numpy.random", "math", "cmath", "random", "collections", "itertools", "functools")
TYPICAL = ("dataclasses", "typing", "fractions", "decimal", "statistics", "string", "re", "time", "copy", "json", "ast")


def main(given: dict[str, Any]) -> None:
    """Serve until the control socket is closed. given : engine, folder, fd, output, and what the layers need."""
    engine = given["engine"]
    for name in (*BARE, *TYPICAL, *(ENGINE if engine else ())):
        importlib.import_module(name)
    from . import inert, student

    vars(builtins)["display"] = inert.Inert()
    if engine:
        inert.replace()
    else:
        vars(sys)["modules"]["minigrad"] = None
        sys.modules["viz"] = inert.Inert()  # type: ignore[assignment]
    limited.prctl(limited.SUBREAPER, 1)
    limited.prctl(limited.PDEATHSIG, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.chdir(given["cwd"])
    control = socket.socket(fileno=given["fd"])
    gc.collect()
    gc.freeze()
    child = 0
    control.sendall(b"ready\n")
    while True:
        text, fds, _, _ = socket.recv_fds(control, 65536, 1)
        if not text:
            _end(child)
            return
        asked = json.loads(text)
        if asked["do"] == "kill":
            left = max(0, _end(child) - ("namespaces" in given["layers"]))  # the first process inside
            control.sendall(json.dumps({"left": left}).encode() + b"\n")
            child = 0
            continue
        child = os.fork()
        if not child:
            _child(given, asked, fds[0], student)
        os.close(fds[0])
        control.sendall(json.dumps({"pid": child}).encode() + b"\n")


def _child(given: dict[str, Any], asked: dict[str, Any], fd: int, student: Any) -> None:
    """Become the student's process."""
    try:
        if "namespaces" in given["layers"] and namespaces.enter():
            inner = os.fork()
            if inner:  # it stays outside, and waits for the first process inside
                os.close(fd)
                os.waitpid(inner, 0)
                os._exit(0)
        keep = asked["limits"]["files"] - 1
        os.dup2(fd, keep)
        put_on({**given, **asked}, keep)
        channel = Channel(socket.socket(fileno=keep))
        sys.argv[:] = [""]
        with contextlib.suppress(Ended):
            student.Student(channel, given["engine"], asked["limits"]["output"]).serve()
    finally:
        os._exit(0)


def _end(child: int) -> int:
    """End the student's process and everything that it started; how many processes besides its own there were."""
    if child:
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
    left = 0
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        others = _children()
        left += len([pid for pid in others if pid != child])
        if not others:
            return left
        for pid in others:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(-1, 0)


def _children() -> list[int]:
    """The processes whose parent is this one: those whose own parent ended are given to it, on Linux."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return list(map(int, file.read().split()))
    except OSError:
        return []
