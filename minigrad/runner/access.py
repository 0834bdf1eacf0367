"""The access of a student's process: its module paths, the files it may read, and the user it runs as."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import numpy as np

from .sandbox.layers import FIRST

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
PACKAGES = ("site-packages", "dist-packages")
SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/dev/null", "/dev/urandom", "/dev/zero")


def paths(engine: bool) -> list[str]:
    """The module paths of a student's process: installed modules, and minigrad if it may be used.

    The folder of the grading script and those in PYTHONPATH are not among them.
    """
    library = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    found = [p for p in sys.path if p.startswith(tuple(library)) or Path(p).name in PACKAGES]
    return list(dict.fromkeys([*([str(ROOT)] if engine else []), *found, str(Path(np.__file__).parent.parent)]))


def readable(engine: bool) -> list[str]:
    """The paths that a student's process may read: Python, its libraries, and minigrad if it may be used."""
    found = [f"{sys.base_prefix}/lib", *SYSTEM]
    for path in map(Path, paths(engine)):
        if not (path / "minigrad").is_dir():
            found.append(str(path))
        elif path.name in PACKAGES:
            found += [str(p) for p in path.iterdir() if engine or not p.name.startswith(("minigrad", "viz"))]
        elif engine:
            found.append(str(path / "minigrad"))
    return list(dict.fromkeys(found))


def uid() -> int:
    """The user that students' processes of this judge run as: one per judge, to count processes apart."""
    return FIRST + os.getpid()
