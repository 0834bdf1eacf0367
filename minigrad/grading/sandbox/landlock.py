"""Layer 1a: Landlock, by which a process of Linux gives up files, the network and signals, without privileges.

What stays: reading the interpreter, its libraries and the folder of data. Nothing can be written and no TCP used.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Iterable

CREATE, ADD, RESTRICT = 444, 445, 446  # system calls, the same on every architecture
EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3
#: Rights over files by version of the interface, rights over TCP, and what is cut off besides.
FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
TCP, SCOPES = 0b11, 0b11


def version() -> int:
    """The version of the interface that this kernel has; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, ctypes.CDLL(None, use_errno=True).syscall(CREATE, None, 0, 1))


def apply(readable: Iterable[str]) -> bool:
    """Leave this process nothing but reading below the given paths; whether that holds now.

    It needs PR_SET_NO_NEW_PRIVS, and cannot be undone.
    """
    found = version()
    if not found:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    files = FILES[max(n for n in FILES if n <= found)]
    rights = [files, *([TCP] if found >= 4 else []), *([SCOPES] if found >= 6 else [])]
    attributes = struct.pack(f"={len(rights)}Q", *rights)
    ruleset = libc.syscall(CREATE, attributes, len(attributes), 0)
    if ruleset < 0:
        return False
    for path in readable:
        with contextlib.suppress(OSError):
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            allowed = READ_FILE | READ_DIR if os.path.isdir(path) else READ_FILE
            libc.syscall(ADD, ruleset, 1, struct.pack("=Qi", allowed, fd), 0)
            os.close(fd)
    done = libc.syscall(RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return done
