"""The names and scopes of Variables, and the state of each thread."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Container, Iterator
from contextlib import contextmanager
from typing import Any

from .conversions import followers


class VariableScope:
    """A prefix for the names of Variables created in a block, and whether `get_variable` may reuse existing ones.

    reuse : False to only create Variables, True to only return existing ones, AUTO_REUSE for both.
    """

    def __init__(self, name: str, reuse: Any, use_resource: bool) -> None:
        self.name, self.reuse, self.use_resource = name, reuse, use_resource


AUTO_REUSE = "auto_reuse"


class _State(threading.local):
    """The state that each thread has separately: scopes, tapes, and the reads of Variables."""

    def __init__(self) -> None:
        #: The serial number at which a Variable was last read.
        self.last_read = 0
        #: Maps the id of each open tape to the Variables read while it was recording, a dict keyed by Variable id.
        self.readers: dict[int, dict[int, Any]] = {}
        #: The Variables passed to a tape's `watch`, by the id of the tape.
        self.watched: dict[int, list[Any]] = {}
        #: One dict for each open block that restores Variables: their values before the block, by the Variable's id.
        self.restored: list[dict[int, tuple[Any, Any]]] = []
        #: All scopes opened so far, and how many times a suffix was added to each name to make it unique.
        self.opened: set[str] = set()
        self.repeats: Counter[str] = Counter()
        self.scopes = [VariableScope("", False, True)]
        #: The Variables that `get_variable` created, by name.
        self.store: dict[str, Any] = {}


state = _State()


def uses_resource() -> bool:
    """Return whether Variables created in the current scope are resource variables, which custom gradients need."""
    return state.scopes[-1].use_resource


def scoped(name: str) -> str:
    return "/".join(part for part in (state.scopes[-1].name, name) if part)


def unique(name: str, taken: Container[str]) -> str:
    """Return `name` if it is free; otherwise add a number to it, as in name_1, name_2, ..."""
    if name not in taken:
        return name
    state.repeats[name] += 1
    return unique(f"{name}_{state.repeats[name]}", taken)


@contextmanager
def variable_scope(
    name: str | VariableScope | None, default_name: str | None = None, reuse: Any = None, use_resource: bool = True
) -> Iterator[VariableScope]:
    """Prefix the names of the Variables created in the block with `name/`.

    name : a name, or an earlier scope, which is opened again. If None, `default_name` is used, with a number added if
        it is taken: blk, blk_1, ...
    reuse : whether `get_variable` returns existing Variables in the block; AUTO_REUSE also creates missing ones.
    use_resource : whether Variables here are resource variables: each use reads the current value. The flag exists for
        TensorFlow code; a custom gradient raises for False, as in TensorFlow's documentation.

    >>> from minigrad import get_variable
    >>> with variable_scope("layer"):
    ...     w = get_variable("w", shape=(2,))
    >>> w.name
    'layer/w'
    """
    if name is None and default_name is None:
        raise ValueError("variable_scope needs a name, or default_name= for a name that is made unique")
    outer = state.scopes[-1]
    if isinstance(name, VariableScope):
        full = name.name
    else:
        full = scoped(name) if name is not None else unique(scoped(str(default_name)), state.opened)
        state.opened.add(full)
    inner = VariableScope(full, outer.reuse if reuse is None else reuse, use_resource and outer.use_resource)
    state.scopes.append(inner)
    try:
        yield inner
    finally:
        state.scopes.pop()


@contextmanager
def tapes_closed() -> Iterator[None]:
    """Close, at the end of the block, the tapes opened in it, because an interruption can skip the end of a `with`."""
    before = set(state.readers)
    try:
        yield
    finally:
        for tape in [tape for tape in followers if id(tape) in state.readers.keys() - before]:
            tape.close()
