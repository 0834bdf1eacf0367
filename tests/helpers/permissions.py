"""Folders that cannot be written, for tests that may run as root, who can write everywhere."""

import subprocess
import sys
from pathlib import Path

import pytest

# Gives up CAP_DAC_OVERRIDE, with which root ignores permission bits, and becomes the command.
HUMBLE = """
import ctypes, os, sys
if os.geteuid() == 0:
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def humble(*command) -> list[str]:
    """The command, run without root's power to write into folders that are read-only."""
    return [sys.executable, "-c", HUMBLE, *map(str, command)]


def read_only(folder: Path) -> None:
    """Let nobody write into `folder`; the test is skipped where this has no effect on a humble command."""
    folder.chmod(0o555)
    written = subprocess.run(
        humble(sys.executable, "-c", "import sys; open(sys.argv[1], 'w')", folder / "probe"), capture_output=True
    )
    if written.returncode == 0:
        (folder / "probe").unlink()
        pytest.skip("this system does not keep the user from writing into a read-only folder")
