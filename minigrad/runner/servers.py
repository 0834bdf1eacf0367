"""Start and end students' processes by a fork server, or one by one on systems without fork, such as Windows."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .budgets import Limits
from .channel import Channel
from .sandbox.layers import CODE, FIRST, bubble
from .server import BOOT

ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "LC_ALL": "C.UTF-8"}
START = [sys.executable, "-I", "-X", "utf8", "-c", BOOT]
STARTING = 60.0  # the seconds that a server has to import its modules


class Server:
    """A fork server, with or without access to minigrad. It ends when `close` is called or this process ends.

    used : the packages that an assignment imports. Students cannot import any other package that can differentiate.
    """

    def __init__(
        self, engine: bool, limits: Limits, layers: Sequence[str] = (), data: str = "", used: Sequence[str] = ()
    ) -> None:
        self.engine, self.limits, self.layers, self.data = engine, limits, layers, data
        self.closed = sorted(ENGINES - set(used))
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
        """Whether the server can start processes."""
        return self.process.poll() is None

    def spawn(self) -> Channel:
        """Start a student's process; the previous one must have been ended. Raises OSError if the server has ended."""
        ours, theirs = socket.socketpair()
        socket.send_fds(self._control, [b'{"do": "spawn"}'], [theirs.fileno()])
        theirs.close()
        if not self._lines.readline():
            raise BrokenPipeError("the server has ended")
        return Channel(ours, self.limits.message)

    def end(self) -> int:
        """End the student's process and its children; return the number of children. Raises the errors of `spawn`."""
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


class OneByOne:
    """A substitute for `Server` that starts each student's process in a new Python, which is slower."""

    def __init__(
        self, engine: bool, limits: Limits, layers: Sequence[str] = (), data: str = "", used: Sequence[str] = ()
    ) -> None:
        self.engine, self.limits, self.layers, self.data = engine, limits, layers, data
        self.closed = sorted(ENGINES - set(used))
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def alive(self) -> bool:
        """Whether this object can start processes, which is always true."""
        return True

    def spawn(self) -> Channel:
        """Start a student's process and return the channel to it; the previous one must have been ended."""
        ours, theirs = socket.socketpair()
        self.process = server_process(self, theirs, single=True)
        assert self.process.stdin is not None
        if os.name == "nt":
            self.process.stdin.write(base64.b64encode(theirs.share(self.process.pid)) + b"\n")  # type: ignore[attr-defined,unused-ignore]
        self.process.stdin.close()
        theirs.close()
        return Channel(ours, self.limits.message)

    def end(self) -> int:
        """End the student's process; return 0, because the number of its children is not known."""
        if self.process is not None:
            with contextlib.suppress(OSError):
                self.process.kill()
            self.process.wait()
            self.process = None
        return 0

    def close(self) -> None:
        """End the student's process."""
        self.end()


class Starter(Protocol):
    """The interface of `Server` and `OneByOne`, which start students' processes."""

    engine: bool
    limits: Limits
    layers: Sequence[str]
    data: str

    def __init__(self, engine: bool, limits: Limits, layers: Sequence[str], data: str, used: Sequence[str]) -> None: ...
    @property
    def alive(self) -> bool: ...
    def spawn(self) -> Channel: ...
    def end(self) -> int: ...
    def close(self) -> None: ...


def server_process(of: Any, theirs: socket.socket, single: bool = False) -> subprocess.Popen[bytes]:
    """Start and return the process of a fork server or, if `single`, of one student.

    of : the `Server` or `OneByOne` with the settings. theirs : the new process's end of the connection.
    """
    use = of.limits
    limits = {name: getattr(use, name) for name in ("memory", "processes", "files", "written", "output")}
    readable_paths, listed = readable(of.engine, of.closed)
    reachable = [*readable_paths, *([of.data] if of.data else [])]
    request = {
        "engine": of.engine,
        "single": single,
        "paths": paths(of.engine),
        "closed": of.closed,
        "folder": CODE if "bubblewrap" in of.layers else str(FOLDER),
        "fd": theirs.fileno(),
        "layers": list(of.layers),
        "limits": {**limits, "cpu": int(use.submission) + 2},
        "readable": reachable,
        "listed": listed,
        "uid": uid(),
        "cwd": of.data or os.sep,
    }
    return subprocess.Popen(
        [*(bubble(reachable, str(FOLDER)) if "bubblewrap" in of.layers else []), *START, json.dumps(request)],
        env=ENVIRONMENT if os.name == "posix" else {**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE if single else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("MINIGRAD_GRADING_ERRORS") else subprocess.DEVNULL,
        pass_fds=[theirs.fileno()] if os.name == "posix" else [],
        start_new_session=True,
    )


FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
#: Packages that can differentiate; a call to one of them is not accepted as an answer to an exercise.
ENGINES = {
    *("autograd", "jax", "jaxlib", "torch", "functorch", "tensorflow", "keras", "tinygrad", "micrograd", "mygrad"),
    *("sympy", "casadi", "aesara", "pytensor", "theano", "chainer", "mxnet", "paddle", "mindspore", "dezero", "needle"),
    *("numdifftools", "algopy", "pyadolc", "tangent", "mlx", "flax", "haiku", "optax", "tensorly", "minitorch"),
    *("mpmath", "symengine", "uncertainties", "gvar", "ad", "findiff", "equinox", "drjit", "taichi", "warp", "thinc"),
}
PACKAGES = ("site-packages", "dist-packages")
SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/dev/null", "/dev/urandom", "/dev/zero")


def paths(engine: bool) -> list[str]:
    """Return the `sys.path` of a student's process: installed modules, and minigrad if it may be used.

    The grading script's folder and the paths in PYTHONPATH are left out.
    """
    library = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    entries = [p for p in sys.path if p.startswith(tuple(library)) or Path(p).name in PACKAGES]
    return list(dict.fromkeys([*([str(ROOT)] if engine else []), *entries, str(Path(np.__file__).parent.parent)]))


def readable(engine: bool, closed: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Return the paths that a student's process may read: Python, its libraries, and minigrad if it may be used.

    Also return the folders that the process may list but not read, because some of their content is hidden.

    closed : the packages that the process may not read.
    """
    hidden = (*map(re.escape, closed), *(() if engine else ("minigrad.*", "viz.*")))
    is_hidden = re.compile(rf"(?:{'|'.join(hidden) or '-'})(?:$|[-.].*)").fullmatch
    library, modules = Path(sys.base_prefix, "lib"), [Path(p) for p in paths(engine)]
    packages = {p.resolve() for p in [*modules, *map(Path, sys.path)] if p.name in PACKAGES}
    packages |= {p.resolve() for top in (library, Path("/usr/lib")) for p in top.glob("python*/*-packages")}
    folders: list[str] = []
    listed: list[str] = []

    def add(top: Path) -> None:
        """Add `top`, or the parts of it that are outside the folders of installed packages."""
        real = top.resolve()
        if not any(real in package.parents for package in packages):
            folders.extend([] if real in packages else [str(top)])
        else:
            listed.append(str(top))
            for child in top.iterdir():
                add(child)

    for path in (library, *map(Path, SYSTEM), *modules):
        if path.resolve() in packages and path.is_dir():
            listed.append(str(path))
            folders += [str(p) for p in path.iterdir() if not is_hidden(p.name)]
        elif not (path / "minigrad").is_dir():
            add(path)
        elif engine:
            folders.append(str(path / "minigrad"))
    return list(dict.fromkeys(folders)), list(dict.fromkeys(listed))


def uid() -> int:
    """Return a user id for this judge's students; each judge has its own, so its processes are counted separately."""
    return FIRST + os.getpid()
