"""The fork server: a process that forks the students' processes, and has no checks in its memory.

It receives commands from its control socket: `{"do": "spawn", ...}`, with the student's end of a connection, and
`{"do": "kill"}`.
"""

from __future__ import annotations

import base64
import builtins
import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from typing import Any

from .channel import Channel, Ended
from .sandbox import layers, linux_kernel

#: The code that `python -I -c BOOT CONFIGURATION` runs. The package minigrad may be inaccessible in this process.
BOOT = """
import json, sys, types
given = json.loads(sys.argv[1])
sys.path[:] = given["paths"]
package = types.ModuleType("runner")
package.__path__ = [given["folder"]]
sys.modules["runner"] = package
from runner.server import main
main(given)
"""
ENGINE = ("minigrad", "minigrad.graphs", "minigrad.core.support.tensor_values")
BARE = (
    "numpy",
    "numpy.linalg",
    "numpy.ma",
    "numpy.random",
    "math",
    "cmath",
    "random",
    "collections",
    "itertools",
    "functools",
)
TYPICAL = ("dataclasses", "typing", "fractions", "decimal", "statistics", "string", "re", "time", "copy", "json", "ast")


def main(settings: dict[str, Any]) -> None:
    """Serve until the control socket is closed.

    settings : the configuration that `server_process` writes.
    """
    engine = settings["engine"]
    # The server imports these modules once, so each forked process starts immediately.
    for name in (*BARE, *TYPICAL, *(ENGINE if engine else ())):
        importlib.import_module(name)
    from . import silence

    vars(builtins)["display"] = silence.Stub()
    silence.replace_modules(("viz", "minigrad.classroom") if engine else ("viz", "minigrad", "minigrad.classroom"))
    if engine:
        vars(sys.modules["minigrad.classroom"])["mine"] = silence.MinigradsEngine()
    finder = without(settings["closed"])
    sys.meta_path[:] = [finder if each is PathFinder else each for each in sys.meta_path]
    layers.prctl(layers.SUBREAPER, 1)
    layers.prctl(layers.PDEATHSIG, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.chdir(settings["cwd"])
    if settings["single"]:
        _become(settings, _handed_over(settings))
    control = socket.socket(fileno=settings["fd"])
    gc.collect()
    # The garbage collectors of forks do not scan frozen objects, so these objects stay in shared memory.
    gc.freeze()
    child = 0
    namespace = linux_kernel.prepare() if "namespaces" in settings["layers"] else None
    control.sendall(b"ready\n")
    while True:
        text, fds, _, _ = socket.recv_fds(control, 65536, 1)
        if not text:
            _end(child)
            return
        request = json.loads(text)
        if request["do"] == "kill":
            remaining = max(
                0, _end(child) - (namespace is None and "namespaces" in settings["layers"])
            )  # one of them is the first process in the new namespaces, which `_child` has started
            control.sendall(json.dumps({"left": remaining}).encode() + b"\n")
            child = 0
            continue
        renewed = namespace is not None and linux_kernel.renew(namespace)
        child = os.fork()
        if not child:
            _child(settings, fds[0], renewed)
        os.close(fds[0])
        control.sendall(json.dumps({"pid": child}).encode() + b"\n")


def without(closed: Sequence[str]) -> type[PathFinder]:
    """Return a module finder that finds none of the closed packages, as if they were not installed.

    SciPy asks sys.modules which array libraries are imported, so sys.modules must not map one to None.
    """

    class Installed(PathFinder):
        @classmethod
        def find_spec(cls, fullname: str, *args: Any, **kwargs: Any) -> Any:
            return None if fullname.partition(".")[0] in closed else super().find_spec(fullname, *args, **kwargs)

    return Installed


def _child(settings: dict[str, Any], fd: int, renewed: bool) -> None:
    """Turn a forked process into the student's process, in new namespaces if requested; never return.

    fd : the student's end of the connection. renewed : whether the process is already in new namespaces.
    """
    if "namespaces" in settings["layers"] and not renewed and linux_kernel.enter():
        inner = os.fork()
        if inner:  # this process stays outside, and waits for the first process inside
            layers.prctl(layers.PDEATHSIG, signal.SIGKILL)  # a fork does not inherit this setting
            os.close(fd)
            os.waitpid(inner, 0)
            os._exit(0)
    _become(settings, socket.socket(fileno=fd))


def _become(settings: dict[str, Any], connection: socket.socket) -> None:
    """Apply the sandbox's layers to this process, serve the judge's requests, and end the process."""
    from .student import Student

    try:
        if os.name == "posix":
            keep = settings["limits"]["files"] - 1
            os.dup2(connection.detach(), keep)
            layers.put_on(settings, keep)
            connection = socket.socket(fileno=keep)
        sys.argv[:] = [""]
        with contextlib.suppress(Ended):
            Student(Channel(connection), settings["engine"], settings["limits"]["output"]).serve()
    finally:
        os._exit(0)


def _handed_over(settings: dict[str, Any]) -> socket.socket:
    """Return the connection to the judge in a process that runs a single student, without a fork server."""
    if os.name == "posix":
        return socket.socket(fileno=settings["fd"])
    share = base64.b64decode(sys.stdin.readline())
    return socket.fromshare(share)  # type: ignore[attr-defined,unused-ignore]


def _end(child: int) -> int:
    """Kill the process `child` (0 for none) and all processes that it started; return how many of these there were."""
    if child:
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
    ended: set[int] = set()  # a process that is still ending may be seen more than once
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        others = _children()
        ended |= {pid for pid in others if pid != child}
        if not others:
            return len(ended)
        for pid in others:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(-1, 0)


def _children() -> list[int]:
    """Return this process's children, including processes whose parent has ended, or [] on systems without /proc."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return list(map(int, file.read().split()))
    except OSError:
        return []
