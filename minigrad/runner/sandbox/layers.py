"""The layers by name, how a process applies the chosen layers, and the layers that every Unix supports.

Limits of time, memory, files and processes keep mistakes from doing harm; they do not hide files or block the network.
Running as a different user is possible if the judge is root; that user must be able to read the interpreter.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from . import linux_kernel

#: Name of a layer -> its effect on a student's process; the weakest layer comes first.
LAYERS = {
    "limits": "a separate process with limits on time, memory, files and processes; it cannot write files",
    "landlock": "reads nothing but Python and its libraries, writes nothing, no TCP (Landlock)",
    "filters": "cannot start processes or programs, open sockets, signal others or change file permissions (seccomp)",
    "namespaces": "sees no other process and no network; its child processes end with it",
    "bubblewrap": "has its own file system, which holds only Python and its libraries",
    "user": "runs as a user other than the judge",
}


def put_on(settings: Mapping[str, Any], keep: int) -> None:
    """Apply all chosen layers to this process. `sandbox_canary` has already checked that these layers work.

    settings : the layers, the limits, the readable and listed paths, and the uid.
    keep : the only file descriptor that stays open.
    """
    layers = settings["layers"]
    if "limits" not in layers:
        return
    limit(settings["limits"], keep)
    if "user" in layers:
        become(settings["uid"])
    elif hasattr(os, "getuid") and os.getuid() == 0:
        drop_capabilities()
    prctl(NO_NEW_PRIVS, 1)
    prctl(DUMPABLE, 0)
    prctl(PDEATHSIG, 9)  # set this again, because setuid clears it
    if "landlock" in layers:
        linux_kernel.restrict_files(settings["readable"], settings["listed"])
    if "filters" in layers:
        linux_kernel.filter_calls()


NO_NEW_PRIVS, DUMPABLE, PDEATHSIG, SUBREAPER = 38, 4, 1, 36


def limit(limits: Mapping[str, Any], keep: int) -> None:
    """Limit this process.

    limits : a mapping with the keys cpu, memory, processes, files and written.
    keep : the only file descriptor that stays open.
    """
    import resource

    with contextlib.suppress(OSError):
        os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.closerange(3, keep)
    os.closerange(keep + 1, 4096)
    for name, most in (
        ("RLIMIT_CORE", 0),
        ("RLIMIT_FSIZE", limits["written"]),
        ("RLIMIT_NOFILE", limits["files"]),
        ("RLIMIT_NPROC", limits["processes"]),
        ("RLIMIT_CPU", limits["cpu"]),
        ("RLIMIT_AS", limits["memory"]),
    ):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            resource.setrlimit(getattr(resource, name), (most, most))
    with contextlib.suppress(AttributeError, ValueError):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write that is too long raises OSError


def prctl(option: int, value: int) -> bool:
    """Set one attribute of this process, on Linux; return whether that worked."""
    return sys.platform == "linux" and ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0


FIRST = 1_000_000  # user ids from this number upwards are assumed to be unused
VERSION = 0x20080522  # the version of the capabilities interface


def become(uid: int) -> bool:
    """Change this process's user id to `uid` permanently; return whether that worked."""
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError:
        return False
    return os.getuid() == uid


def drop_capabilities() -> bool:
    """Drop all capabilities of root, but keep its user id; return whether that worked."""
    if sys.platform != "linux":
        return False
    header = (ctypes.c_uint32 * 2)(VERSION, 0)
    return ctypes.CDLL(None, use_errno=True).capset(header, (ctypes.c_uint32 * 6)()) == 0


CODE = "/runner"  # the folder inside the sandbox that contains the server's code, without the rest of minigrad


def bubble(readable: Sequence[str], code: str) -> list[str]:
    """Return the command that runs another command in bubblewrap; append the server's command to it.

    readable : the paths that the server may read. code : the folder of the server's code.
    """
    python = [os.path.dirname(os.path.realpath(sys.executable)), os.path.dirname(sys.executable), sys.prefix]
    words = [shutil.which("bwrap") or "bwrap", "--unshare-user-try"]
    words += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for path in dict.fromkeys([*readable, *python, "/usr/bin"]):
        if os.path.exists(path) and not path.startswith("/dev"):
            words += ["--ro-bind", path, path]
    return [*words, "--ro-bind", code, CODE, "--chdir", "/", "--"]
