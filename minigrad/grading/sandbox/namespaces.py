"""Layer 2: namespaces of Linux. The student's process sees no other process and no network, and takes all it started
with it when it ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys

USER, PID, NET, IPC, UTS, MOUNT = 0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x00020000


def prepare() -> int | None:
    """Leave the network for good, and the means by which `renew` works; None where that is not possible, or not root.

    It is for a process that forks one student's process after another.
    """
    if sys.platform != "linux" or os.getuid() != 0:
        return None
    try:
        own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    if ctypes.CDLL(None, use_errno=True).unshare(NET | UTS) == 0 and renew(own):
        return own
    os.close(own)
    return None


def renew(own: int) -> bool:
    """Let the next process that is forked be the first of new namespaces; it shares the network that `prepare` left.

    own : what `prepare` returned. Each call ends what the one before did.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.setns(own, PID) == 0 and libc.unshare(PID | IPC) == 0


def enter() -> bool:
    """Let the next process that this one forks be the first of new namespaces; whether that worked.

    Root needs no namespace of users; others get one in which they keep their own number.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    flags, uid, gid = PID | NET | IPC | UTS, os.getuid(), os.getgid()
    if libc.unshare(flags if uid == 0 else flags | USER) != 0:
        return False
    if uid:
        with contextlib.suppress(OSError):
            for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
    return True
