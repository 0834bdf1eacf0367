"""CPU time of several contestants in interleaved rounds."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

Thunk = Callable[[], Any]

SLOT = 0.02  # seconds for each contestant in a round
SLOW = 1.0  # seconds: what takes longer is run twice in all


def rounds(contestants: dict[str, Thunk], count: int, slot: float = SLOT) -> Iterator[dict[str, list[float]]]:
    """Run everybody `count` times, in turns; yields the seconds of one call measured so far, by contestant."""
    calls = {}
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for name, thunk in contestants.items():
        once = _clock(thunk, 1)
        for _ in range(4 if once < SLOW else 0):  # the first calls may compile
            once = min(once, _clock(thunk, 1))
        calls[name] = max(1, int(slot / max(once, 1e-7)))
    for turn in range(count):
        for name, thunk in contestants.items():
            if turn < 2 or times[name][0] < SLOW:
                times[name].append(_clock(thunk, calls[name]))
        yield times


def _clock(thunk: Thunk, calls: int) -> float:
    """Seconds of CPU for one call."""
    gc.collect()
    start = time.process_time()
    for _ in range(calls):
        thunk()
    return (time.process_time() - start) / calls


def ratios(times: dict[str, list[float]], reference: str) -> dict[str, float]:
    """The median, over rounds, of each contestant's time against the reference's in the same round."""
    return {
        name: median(t / r for t, r in zip(found, times[reference])) for name, found in times.items() if found
    }  # fmt: skip
