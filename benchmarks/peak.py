"""Peak memory of a call as the operating system counts it, the same for every library."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

STATUS = Path("/proc/self/status")


class Peak(NamedTuple):
    """Bytes at the peak of the first calls, when some libraries compile, and of a later one."""

    first: int
    later: int


def counted() -> bool:
    """Return whether this system reports peak memory, as Linux does."""
    return STATUS.exists()


def beyond(run: Callable[[], Any], warm: int = 3) -> Peak:
    """Return the bytes that are resident beyond those before the first call, including what is kept between calls."""
    trim()
    before = _status("VmRSS")
    peaks = []
    for calls in (warm, 1):
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")  # the peak is from now on
        for _ in range(calls):
            run()
        peaks.append(max(_status("VmHWM") - before, 0))
        trim()
    return Peak(*peaks)


def trim() -> None:
    """Return freed memory to the system."""
    gc.collect()
    with suppress(OSError, AttributeError):  # glibc only
        ctypes.CDLL(None).malloc_trim(0)


def _status(field: str) -> int:
    (line,) = [line for line in STATUS.read_text().splitlines() if line.startswith(field + ":")]
    return 1024 * int(line.split()[1])
