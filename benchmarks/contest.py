"""Every workload by every contestant: results are compared first, then time or peak memory is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from typing import Any, NamedTuple

from .contestant import Contestant, Fault
from .peak import Peak
from .peers import PEERS, same
from .timing import ratios, rounds
from .workloads import WORKLOADS

Table = dict[str, dict[str, float]]  # workload -> contestant -> multiple of the time by hand
Peaks = dict[str, dict[str, Peak]]  # workload -> contestant -> bytes

TIMEOUT = 120.0  # seconds for a first result, compilation included


class Race(NamedTuple):
    """Times, the seconds by hand, and a sentence for each contestant that failed."""

    table: Table
    by_hand: dict[str, float]
    faults: list[str]


@contextmanager
def started(names: Iterable[str]) -> Iterator[dict[str, Contestant]]:
    """The contestants of these names that are installed, in the order of the table."""
    found = {name: Contestant(module) for name, module in PEERS.items() if name in set(names)}
    try:
        yield {name: peer for name, peer in found.items() if _present(peer)}
    finally:
        for peer in found.values():
            peer.close()


def _present(peer: Contestant) -> bool:
    """Return whether the library can be imported; any other fault is raised."""
    try:
        return bool(peer.call("ready"))
    except Fault as fault:
        if "ImportError" in str(fault) or "ModuleNotFoundError" in str(fault):
            return False
        raise


def prepared(peers: dict[str, Contestant], name: str, timeout: float = TIMEOUT) -> tuple[list[str], list[str]]:
    """Return the contestants that agree with the hand-written result of a workload, and a sentence for each failure."""
    reference = peers["by hand"].call("compute", name)
    right, faults = [], []
    for who, peer in peers.items():
        try:
            result = peer.call("compute", name, timeout=timeout)
            if result is not None:
                check(result, reference)
                right.append(who)
        except Fault as fault:
            faults.append(f"{name}: {who} {fault}")
    return right, faults


def check(result: list[Any], reference: list[Any]) -> None:
    if not same(result, reference):
        raise Fault("gives another result than the one by hand")


def measure_times(
    names: list[str], peers: dict[str, Contestant], count: int, slot: float, tick: Callable[[str], Any], timeout: float
) -> Race:
    """Return times as multiples of the hand-written code's. `tick` is called with a workload's name, per round."""
    table: Table = {}
    faults: list[str] = []
    by_hand = {}
    for name in names:
        right, wrong = prepared(peers, name, timeout)
        faults += wrong
        for times in rounds({who: partial(peers[who].call, "clock") for who in right}, count, slot):
            table[name], by_hand[name] = ratios(times, "by hand"), median(times["by hand"])
            tick(name)
        for peer in peers.values():
            peer.call("drop")
    return Race(table, by_hand, faults)


def measure_memory(
    names: list[str], who: Iterable[str], tick: Callable[[str], Any], timeout: float
) -> tuple[Peaks, list[str]]:
    """Peak bytes, each in a fresh process, of those whose result is right. `tick` is called after each contestant."""
    peaks: Peaks = {name: {} for name in names}
    faults: list[str] = []
    for name in names:
        reference = None
        for column in ("by hand", *(column for column in who if column != "by hand")):
            with started([column]) as peers:
                for peer in peers.values():
                    try:
                        peak = peer.call("peak", name, timeout=timeout)
                        result = peer.call("compute", name)
                        reference = reference or result
                        if peak is not None:
                            check(result, reference)
                            peaks[name][column] = peak
                    except Fault as fault:
                        faults.append(f"{name}: {column} {fault}")
            tick(name)
    return peaks, faults


TIMED = [name for name, work in WORKLOADS.items() if work.timed]
MEMORY_OF = [name for name, work in WORKLOADS.items() if work.tiny]
