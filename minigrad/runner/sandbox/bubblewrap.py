"""Layer 3: the fork server inside of bubblewrap, in a file system that holds what it may read and nothing else."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence

CODE = "/runner"  # where the code of the server is inside, with nothing of minigrad around it


def bubble(readable: Sequence[str], code: str) -> list[str]:
    """The words of a command, before those of the server. code : the folder of the server's code."""
    python = [os.path.dirname(os.path.realpath(sys.executable)), os.path.dirname(sys.executable), sys.prefix]
    words = [shutil.which("bwrap") or "bwrap", "--unshare-user-try"]
    words += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for path in dict.fromkeys([*readable, *python, "/usr/bin"]):
        if os.path.exists(path) and not path.startswith("/dev"):
            words += ["--ro-bind", path, path]
    return [*words, "--ro-bind", code, CODE, "--chdir", "/", "--"]
