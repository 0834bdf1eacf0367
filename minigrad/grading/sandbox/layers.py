"""The layers by name, and how a process puts on those that were chosen for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import filters, landlock, limits, users

#: Each layer and what it does, the weakest first.
LAYERS = {
    "limits": "a process of its own with limits of time, memory, files and processes; it writes no file",
    "landlock": "reads nothing but Python and its libraries, writes nothing, no TCP (Landlock)",
    "filters": "starts no process and no program, no socket, no signal to another process (seccomp)",
    "namespaces": "sees no other process and no network; what it started ends with it",
    "bubblewrap": "has a file system of its own with nothing in it but Python and its libraries",
    "user": "runs as another user than the judge",
}


def put_on(wanted: Mapping[str, Any], keep: int) -> None:
    """Put all chosen layers on this process; one that does not hold is found by the canary, before any submission.

    wanted : layers, limits, readable paths and uid. keep : the descriptor that stays open.
    """
    layers = wanted["layers"]
    if "limits" not in layers:
        return
    limits.apply(wanted["limits"], keep)
    if "user" in layers:
        users.become(wanted["uid"])
    elif hasattr(os, "getuid") and os.getuid() == 0:
        users.drop_capabilities()
    limits.prctl(limits.NO_NEW_PRIVS, 1)
    limits.prctl(limits.DUMPABLE, 0)
    limits.prctl(limits.PDEATHSIG, 9)  # setuid has cleared it
    if "landlock" in layers:
        landlock.apply(wanted["readable"])
    if "filters" in layers:
        filters.apply()
