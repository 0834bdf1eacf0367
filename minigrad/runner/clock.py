"""Time limits that also hold on a computer that is busy with other programs."""

from __future__ import annotations

import time
from collections.abc import Callable


def own_time(process: int | str = "self") -> float:
    """The seconds of a clock that stops while a process waits because others run instead.

    Linux counts these times; on other systems it is the clock of the computer.

    >>> own_time() > 0
    True
    """
    return time.monotonic() - waited(process)


def waited(process: int | str = "self") -> float:
    """The seconds in which a process waited because others ran; 0 if the system does not count them."""
    try:
        with open(f"/proc/{process}/schedstat", "rb") as numbers:
            return int(numbers.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def work_limit(seconds: float) -> Callable[[], bool]:
    """A function that returns whether the time is up: `seconds` of CPU time, or ten times that by the clock.

    CPU time is used so that a verdict is the same on a computer that is busy with other programs.

    >>> work_limit(5.0)()
    False
    """
    worked, began = time.process_time(), time.monotonic()
    return lambda: time.process_time() - worked > seconds or time.monotonic() - began > 10 * seconds
