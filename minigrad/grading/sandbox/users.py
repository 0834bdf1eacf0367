"""Layer 4: where the judge runs as root, students' processes run as another user, and without root's capabilities.

The user must be able to read the interpreter and its libraries: a Python in the home folder of root is out of reach.
"""

from __future__ import annotations

import ctypes
import os
import sys

FIRST = 1_000_000  # numbers from here on belong to nobody
VERSION = 0x20080522  # of the interface to capabilities


def become(uid: int) -> bool:
    """Become the user with this number, for good; whether that worked."""
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError:
        return False
    return os.getuid() == uid


def drop_capabilities() -> bool:
    """Give up what root may do beyond other users, staying root by name; whether that worked."""
    if sys.platform != "linux":
        return False
    header = (ctypes.c_uint32 * 2)(VERSION, 0)
    return ctypes.CDLL(None, use_errno=True).capset(header, (ctypes.c_uint32 * 6)()) == 0
