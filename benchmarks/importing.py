"""The time of `import` for each library, in a fresh interpreter, compared with NumPy."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from typing import Any

MODULES = ("numpy", "minigrad", "autograd", "torch", "jax", "tensorflow")


def import_times(count: int, tick: Callable[[], Any] = lambda: None) -> dict[str, float]:
    """Milliseconds of CPU for each installed library: the median of `count` interleaved starts, minus Python's own.

    `tick` is called after each round. The first round fills the caches and is not counted.
    """
    present = [m for m in MODULES if importlib.util.find_spec(m)]
    found: dict[str, list[float]] = {m: [] for m in present}
    for turn in range(count + 1):
        for m in present:
            seconds = _seconds(m)
            if turn:
                found[m].append(seconds)
        tick()
    return {m: 1000 * median(seconds) for m, seconds in found.items()}


def _seconds(module: str) -> float:
    code = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
    caching = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}  # as an installed library does
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=caching)
    return float(done.stdout)
