"""Files that are written atomically, a lock on a file, and a temporary folder that is always removed."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically, and create its folder if needed: `path` never has a file that is only partly written.

    If an error occurs, an existing file is unchanged. If several processes write the file at once, the last one wins.

    Raises OSError, for instance on a full disk.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a", "b.txt"), b"text")
    ...     Path(folder, "a", "b.txt").read_text()
    'text'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Hold the lock at `path`, an empty file; if another process or thread holds it, wait up to a minute for it.

    The lock is SQLite's: it works on every system, and is released no matter how its process ends. If the file system
    has no locks or the file cannot be created, nothing is locked.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, one_at_a_time(Path(folder, "lock")):
    ...     os.path.getsize(Path(folder, "lock"))
    0
    """
    import sqlite3  # imported here, because it may be missing in a browser

    with contextlib.ExitStack() as stack:
        with contextlib.suppress(sqlite3.OperationalError):
            lock = stack.enter_context(contextlib.closing(sqlite3.connect(path, timeout=60, isolation_level=None)))
            lock.execute("BEGIN EXCLUSIVE")
        yield


#: The code of a process that creates the folder, and removes it when its standard input is closed: on request, or
#: because the user's process has ended.
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
def temporary_folder() -> Iterator[Path]:
    """Create a temporary folder, which is removed when the block ends, or by another process if this one is killed.

    Raises OSError if the folder cannot be created.

    >>> with temporary_folder() as folder:
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
