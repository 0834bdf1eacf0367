"""A temporary folder that is removed even if the process that uses it is killed."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

#: A process that makes the folder, and removes it when its input ends, as it does when the user's process ends.
KEEPER = """
import os, shutil, sys, tempfile, time
folder = tempfile.mkdtemp(prefix="minigrad-")
try:
    print(folder, flush=True)
    sys.stdin.read()
finally:
    for _ in range(100):  # what still writes into it ends soon
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            break
        time.sleep(0.05)
"""


@contextlib.contextmanager
def vanishing_folder() -> Iterator[Path]:
    """A temporary folder, which is removed at the end, or by another process if this one is killed.

    Raises OSError if it cannot be made.

    >>> with vanishing_folder() as folder:
    ...     written = folder.joinpath("a.txt").write_text("a")
    >>> folder.exists()
    False
    """
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-X", "utf8", "-c", KEEPER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        start_new_session=True,
    ) as keeper:
        assert keeper.stdout is not None
        folder = keeper.stdout.readline().rstrip("\n")
        if not folder:
            raise OSError("no temporary folder can be made")
        yield Path(folder)
