"""How long `import` takes, each in a fresh interpreter, beside NumPy."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

MODULES = ("numpy", "minigrad", "autograd", "torch", "jax", "tensorflow")


def import_times(count: int) -> dict[str, float]:
    """Milliseconds for each installed library: the least of `count` interleaved starts, without those of Python."""
    present = [m for m in MODULES if importlib.util.find_spec(m)]
    found: dict[str, list[float]] = {m: [] for m in present}
    for _ in range(max(2, count)):
        for m in present:
            found[m].append(_seconds(m))
    return {m: 1000 * min(seconds) for m, seconds in found.items()}


def _seconds(module: str) -> float:
    code = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)
