"""CPU time of several contestants in interleaved rounds."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

SLOT = 0.02  # seconds for each contestant in a round
SLOW = 1.0  # seconds: what takes longer is timed three times in all
WARM = 4.0  # seconds: as long, at most, run calls that are not counted

Clock = Callable[[int], float]  # number of calls -> seconds of one


def clock(run: Callable[[], Any], calls: int) -> float:
    """Seconds of CPU for one of `calls` calls.

    An uncounted call goes first, as the caches hold data of other contestants. If it takes long, it is the one counted.
    """
    gc.collect()
    start = time.process_time()
    run()
    if time.process_time() - start > WARM:
        return time.process_time() - start
    start = time.process_time()
    for _ in range(calls):
        run()
    return (time.process_time() - start) / calls


def rounds(clocks: dict[str, Clock], count: int, slot: float = SLOT) -> Iterator[dict[str, list[float]]]:
    """Run all contestants alternately, `count` times; yield the seconds of one call so far, by contestant."""
    calls = {}
    times: dict[str, list[float]] = {name: [] for name in clocks}
    for name, seconds in clocks.items():
        warm = [seconds(1)]
        while len(warm) < 4 and sum(warm) < WARM:
            warm.append(seconds(1))
        once = min(warm)
        calls[name] = max(1, int(slot / max(once, 1e-7)))
    for turn in range(count):
        for name, seconds in clocks.items():
            if turn < 3 or times[name][0] < SLOW:
                times[name].append(seconds(calls[name]))
        yield times


def ratios(times: dict[str, list[float]], reference: str) -> dict[str, float]:
    """Return the median, over rounds, of each contestant's time against the reference's in the same round."""
    return {name: median(t / r for t, r in zip(found, times[reference])) for name, found in times.items() if found}
