"""Observers: functions that the engine calls at certain events.

They record the lines and scopes of new Tensors, replace rules by name, measure memory, draw passes and write programs.
Each observer handles one of the events below; an event without observers costs nothing.

created(node) : a Tensor was created by an op.
assigned(variable, value) : a Variable is about to get a new value.
follow(started) : a pass starts; the returned function `observe(node, g, sends)` is called after each step.
run(targets, upstreams, sources, cut) : runs a pass instead of `backward`, and returns its adjoints.
compute(op, values, kwargs) : NumPy rejected a call; the observer returns a value for the call, or None.
For `follow` and `run`, only the newest observer is used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# The observers of each event, for all threads, oldest first.
created: list[Callable[[Any], None]] = []
assigned: list[Callable[[Any, Any], None]] = []
follow: list[Callable[[Any], Any]] = []
run: list[Callable[..., dict[int, Any]]] = []
compute: list[Callable[..., Any]] = []

_EVENTS: dict[str, list[Any]] = {
    "created": created, "assigned": assigned, "follow": follow, "run": run, "compute": compute,
}  # fmt: skip


def observe(**observers: Callable[..., Any]) -> None:
    """Add observers; the keywords name the events."""
    for event, observer in observers.items():
        _EVENTS[event].append(observer)


def unobserve(**observers: Callable[..., Any]) -> None:
    """Remove observers that `observe` added: for each keyword, the newest one equal to the function, if any."""
    for event, observer in observers.items():
        here = _EVENTS[event]
        for i in reversed(range(len(here))):
            if here[i] == observer:
                del here[i]
                break


@contextmanager
def observing(**observers: Callable[..., Any]) -> Iterator[None]:
    """Observe events during the block.

    >>> from minigrad import constant
    >>> names = []
    >>> with observing(created=lambda node: names.append(node.op.name)):
    ...     y = constant(2.0) * 3.0 + 1.0
    >>> names
    ['multiply', 'add']
    """
    observe(**observers)
    try:
        yield
    finally:
        unobserve(**observers)


class _Here(threading.local):
    silent = False


_here = _Here()


def announce(node: Any) -> None:
    """Tell the observers of `created` that an op created this node."""
    if not _here.silent:
        for observer in created:
            observer(node)


@contextmanager
def unannounced() -> Iterator[None]:
    """Run the block without calling observers for the nodes that this thread creates."""
    before, _here.silent = _here.silent, True
    try:
        yield
    finally:
        _here.silent = before
