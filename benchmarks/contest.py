"""The contests: every workload by every contestant, answers first, then the clock or the peak of memory."""

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

TIMEOUT = 120.0  # seconds for a first answer, compilation included


class Race(NamedTuple):
    """Times, the seconds by hand, and a sentence for each contestant that is missing through a fault."""

    table: Table
    by_hand: dict[str, float]
    faults: list[str]


@contextmanager
def started(names: Iterable[str]) -> Iterator[dict[str, Contestant]]:
    """Those of the contestants that are installed, by name, in the order of the table."""
    found = {name: Contestant(module) for name, module in PEERS.items() if name in set(names)}
    try:
        yield {name: peer for name, peer in found.items() if _present(peer)}
    finally:
        for peer in found.values():
            peer.close()


def _present(peer: Contestant) -> bool:
    """Whether its library can be imported. Whatever else is wrong with it is an error."""
    try:
        return bool(peer.ask("ready"))
    except Fault as fault:
        if "ImportError" in str(fault) or "ModuleNotFoundError" in str(fault):
            return False
        raise


def prepared(peers: dict[str, Contestant], name: str, timeout: float = TIMEOUT) -> tuple[list[str], list[str]]:
    """Who can do a workload and answers as the one by hand does, and a sentence for each who does not."""
    reference = peers["by hand"].ask("answer", name)
    right, faults = [], []
    for who, peer in peers.items():
        try:
            answer = peer.ask("answer", name, timeout=timeout)
            if answer is not None:
                check(answer, reference)
                right.append(who)
        except Fault as fault:
            faults.append(f"{name}: {who} {fault}")
    return right, faults


def check(answer: list[Any], reference: list[Any]) -> None:
    if not same(answer, reference):
        raise Fault("gives another answer than the one by hand")


def measure_times(
    names: list[str], peers: dict[str, Contestant], count: int, slot: float, tick: Callable[[str], Any], timeout: float
) -> Race:
    """Times as multiples of those by hand. `tick` is called with a workload's name, after each of `count` rounds."""
    table: Table = {}
    faults: list[str] = []
    by_hand = {}
    for name in names:
        right, wrong = prepared(peers, name, timeout)
        faults += wrong
        for times in rounds({who: partial(peers[who].ask, "clock") for who in right}, count, slot):
            table[name], by_hand[name] = ratios(times, "by hand"), median(times["by hand"])
            tick(name)
        for peer in peers.values():
            peer.ask("drop")
    return Race(table, by_hand, faults)


def measure_memory(
    names: list[str], who: Iterable[str], tick: Callable[[str], Any], timeout: float
) -> tuple[Peaks, list[str]]:
    """Peak bytes, each in a fresh process, of those whose answer is right. `tick` is called after each contestant."""
    peaks: Peaks = {name: {} for name in names}
    faults: list[str] = []
    for name in names:
        reference = None
        for column in ("by hand", *(column for column in who if column != "by hand")):
            with started([column]) as peers:
                for peer in peers.values():
                    try:
                        peak = peer.ask("peak", name, timeout=timeout)
                        answer = peer.ask("answer", name)
                        reference = reference or answer
                        if peak is not None:
                            check(answer, reference)
                            peaks[name][column] = peak
                    except Fault as fault:
                        faults.append(f"{name}: {column} {fault}")
            tick(name)
    return peaks, faults


TIMED = [name for name, work in WORKLOADS.items() if work.timed]
MEMORY_OF = [name for name, work in WORKLOADS.items() if work.tiny]
