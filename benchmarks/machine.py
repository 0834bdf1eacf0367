"""The versions of the libraries and the machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from contextlib import suppress
from pathlib import Path

LIBRARIES = ("numpy", "autograd", "torch", "jax", "tensorflow", "tensorflow-cpu", "micrograd")


def about() -> str:
    """Versions and the processor, in a line."""
    found = [f"Python {platform.python_version()}"]
    for name in LIBRARIES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return f"Measured with {', '.join(found)}, in float64 on one thread; {processor()}, {platform.system()}."


def processor() -> str:
    """Return the name of the processor and the number of cores, as far as known."""
    cores = f"{os.cpu_count()} cores"
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return f"{line.partition(':')[2].strip()}, {cores}"
    return f"{platform.processor() or platform.machine()}, {cores}"
