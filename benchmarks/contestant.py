"""Each contestant in a separate process.

In one process they would disturb each other: the threads of one library slow down the calls of another, importing some
of them changes how the allocator treats large arrays, and the garbage collector walks through the objects of all. So
every library has a process, each prepared in the same way, and they are called alternately.
"""

from __future__ import annotations

import gc
import importlib
import multiprocessing
from collections.abc import Callable
from typing import Any

import numpy as np

from .peak import Peak, beyond, trim
from .peers import plain
from .timing import clock
from .workloads import WORKLOADS

SPAWN = multiprocessing.get_context("spawn")  # a fresh interpreter


class Fault(Exception):
    """A contestant failed; the message is the end of a sentence that begins with its name."""


class Contestant:
    """A library in a separate process: `call` runs a method of `Worker` there.

    >>> Contestant("benchmarks.peers.hand").call("clock", 1)  # doctest: +SKIP
    """

    def __init__(self, module: str) -> None:
        self.module = module
        self.open()

    def open(self) -> None:
        self.line, far = SPAWN.Pipe()
        self.process = SPAWN.Process(target=serve, args=(self.module, far), daemon=True)
        self.process.start()
        far.close()

    def close(self, wait: float = 5.0) -> None:
        """Close the connection, which ends the process; kill it if it is busy for longer than `wait` seconds."""
        self.line.close()
        self.process.join(wait)
        self.process.kill()
        self.process.join()

    def call(self, method: str, *args: Any, timeout: float | None = None) -> Any:
        """Return the result of a method. Raises Fault if it fails; a process that is late is replaced."""
        try:
            self.line.send((method, args))
            if not self.line.poll(timeout):
                self.close(wait=0)
                self.open()
                raise Fault(f"is not ready after {timeout:.0f} seconds")
            good, result = self.line.recv()
        except (EOFError, ConnectionError):
            raise Fault("is gone: its process ended") from None
        if not good:
            raise Fault(result)
        return result


def serve(module: str, line: Any) -> None:
    """The other process: run the methods that are called until the connection is closed."""
    prime()
    worker = None
    while True:
        try:
            method, args = line.recv()
        except EOFError:
            return
        try:
            worker = worker or Worker(module)
            line.send((True, getattr(worker, method)(*args)))
        except Exception as error:  # whatever a version of a library may raise
            line.send((False, f"raises {type(error).__name__}: {str(error)[:200]}"))


def prime() -> None:
    """Free an array of 32 MB: from then on glibc keeps freed arrays up to that size for the next ones.

    This makes arrays from 0.1 to 30 MB about twice as fast, and importing PyTorch or JAX has the same effect.
    """
    np.zeros(4_000_000)


class Worker:
    """The methods that a contestant's process runs."""

    def __init__(self, module: str) -> None:
        self.peer = importlib.import_module(module).Peer()
        self.run: Callable[[], Any] | None = None
        gc.collect()
        gc.freeze()  # the objects of the library are not searched for garbage

    def ready(self) -> bool:
        return True

    def compute(self, name: str) -> list[Any] | None:
        """Prepare a workload and compute it once; None if the library cannot do it."""
        work = WORKLOADS[name]
        run = self.run = self.peer.prepare(work, work.arrays())
        return plain(run()) if run else None

    def clock(self, calls: int) -> float:
        """Seconds of CPU for one call of the prepared workload, all threads together."""
        assert self.run
        return clock(self.run, calls)

    def peak(self, name: str) -> Peak | None:
        """Bytes that the first calls and a later one need at their peak, beyond the arguments and the library.

        A call on tiny arrays goes first, since libraries import much of themselves only then.
        """
        work = WORKLOADS[name]
        tiny = self.peer.prepare(work, work.tiny())
        if tiny is None:
            return None
        tiny()
        return beyond(self.peer.prepare(work, work.arrays()))

    def drop(self) -> None:
        """Release the workload."""
        self.run = None
        trim()
