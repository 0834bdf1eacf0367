"""Layer 0: a session of its own, no open files, no privileges to gain, and limits of time, memory, files and processes.

It keeps mistakes from doing harm. It hides no file and closes no network: that is for the layers above it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

NO_NEW_PRIVS, DUMPABLE, PDEATHSIG, SUBREAPER = 38, 4, 1, 36


def apply(limits: Mapping[str, Any], keep: int) -> None:
    """Limit this process. limits : cpu, memory, processes, files and written; keep : the only descriptor left open."""
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
    """Set one attribute of this process, on Linux; whether that worked."""
    return sys.platform == "linux" and ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0
