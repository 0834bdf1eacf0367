"""A submission's limits (seconds, bytes, files), and the measurement of time on a busy computer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of a submission; each can be set.

    call : seconds for one call to a student's function; None for the exercise's limit.
    statement : seconds for one statement in a cell. Each statement that reaches this limit halves it, down to 0.3, for
        all statements except those that finished in an earlier run of the cells.
    submission : seconds for one process; each exercise has its own process.
    memory : bytes of the process's address space.
    processes, files : how many processes and open files the submission may have.
    written : bytes that it may write to one file.
    output : characters that its cells may print.
    message : bytes in one answer.
    restarts : how many times an ended process is started again.
    judging : seconds for the judge's own work on one exercise.
    judge_memory : bytes for the judge's own work.
    """

    call: float | None = None
    statement: float = 5.0
    submission: float = 20.0
    memory: int = 2 << 30
    processes: int = 64
    files: int = 64
    written: int = 0
    output: int = 65_536
    message: int = 4_000_000
    restarts: int = 12
    judging: float = 30.0
    judge_memory: int = 4 << 30

    @property
    def exercise(self) -> float:
        """The maximum number of seconds for an exercise, whose hidden checks run in a second process."""
        return self.judging + 2 * self.submission


CORES = os.cpu_count() or 1
#: The largest factor by which time limits are extended.
BUSIEST = 8.0


def busy() -> float:
    """Return the factor that extends time limits on a busy computer, from 1 to 8."""
    load = os.getloadavg()[0] / CORES if hasattr(os, "getloadavg") else 1.0
    return min(BUSIEST, max(1.0, float(round(load))))


def own_time(process: int | str = "self") -> float:
    """Return the seconds on a clock that stops while a process waits for a CPU that other processes use.

    Only Linux measures this waiting time; on other systems, the clock never stops.

    >>> own_time() > 0
    True
    """
    return time.monotonic() - waited(process)


def waited(process: int | str = "self") -> float:
    """Return how many seconds a process has waited while others ran, or 0 if the system does not count them."""
    try:
        with open(f"/proc/{process}/schedstat", "rb") as numbers:
            return int(numbers.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def work_limit(seconds: float) -> Callable[[], bool]:
    """Return a function that checks whether `seconds` of CPU time, or 10 * `seconds` of wall-clock time, have passed.

    CPU time is used so that a verdict does not change if the computer is busy with other programs.

    >>> work_limit(5.0)()
    False
    """
    worked, began = time.process_time(), time.monotonic()
    return lambda: time.process_time() - worked > seconds or time.monotonic() - began > 10 * seconds
