"""The parts of a program around the creation of a node: function calls and `scope` blocks, outermost first.

`with scope("layer 1"):` gives a name to a part of a model: the ops called in the block. A picture can fold such a part
into one box.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import reduce
from itertools import takewhile
from typing import Any

from ..core.support.observers import observe, unobserve
from ..core.tensor import Tensor
from .user_lines import FunctionCall, calls_of

_here = threading.local()
_lock = threading.Lock()
_open = 0  # the number of scopes open in all threads; scopes are recorded on nodes only while it is above 0


@contextmanager
def scope(name: str) -> Iterator[None]:
    """Name a part of a model: the ops called in the block. Scopes can be nested and reused.

    Raises TypeError if the name is not a string, and ValueError if it is empty.

    >>> from minigrad import constant
    >>> with scope("attention"), scope("softmax"):
    ...     y = constant(1.0) * 2.0
    >>> scope_of(y)
    ('attention', 'softmax')
    """
    global _open
    if not isinstance(name, str):
        raise TypeError(f'scope takes a name, as in scope("layer 1"), got {name!r:.60} of type {type(name).__name__}')
    if not name.strip():
        raise ValueError("scope takes a name that is not empty")
    outer = getattr(_here, "path", ())
    _here.path = (*outer, name)
    with _lock:
        _open += 1
        if _open == 1:
            observe(created=_note)
    try:
        yield
    finally:
        _here.path = outer
        with _lock:
            _open -= 1
            if not _open:
                unobserve(created=_note)


def _note(node: Tensor) -> None:
    path = getattr(_here, "path", ())
    if path:
        node.scope = path


def scope_of(node: Tensor) -> tuple[str, ...]:
    """Return the scopes that were open when `node` was computed, outermost first."""
    return getattr(node, "scope", ())


# Calls and scopes together.

Path = tuple[str, ...]
Chain = list[FunctionCall | str]


def parts_of(graph: Iterable[Tensor]) -> dict[int, Path]:
    """Return the names of the parts around each op of a graph, by the op's serial.

    A call is named after its function, with a number if the surrounding part calls that function several times, as in
    "layer, call 2 of 3". Calls around the whole graph are left out. Calls are recorded only while lines are remembered.

    >>> from minigrad import constant, remember_lines, tanh
    >>> def layer(x):
    ...     return tanh(x * 0.5)
    >>> remember_lines()
    >>> a = layer(constant(1.0))
    >>> b = layer(a)
    >>> remember_lines(False)
    >>> [parts_of([a, b])[y.serial] for y in (a, b)]
    [('layer, call 1 of 2',), ('layer, call 2 of 2',)]
    """
    ops = [node for node in graph if node.op is not None]
    calls = {node.serial: calls_of(node) for node in ops}
    noted = [calls[node.serial] for node in ops if hasattr(node, "call")]
    whole = len(reduce(_shared, noted)) if noted else 0
    calls = {serial: chain_of_calls[whole:] for serial, chain_of_calls in calls.items()}
    scopes = {node.serial: scope_of(node) for node in ops}
    outside: dict[FunctionCall, Path] = {}  # for each call, the scopes that all its nodes have in common
    for serial, scope in scopes.items():
        for call in calls[serial]:
            outside[call] = _shared(outside.get(call, scope), scope)
    chains: dict[int, Chain] = {}
    for serial, scope in scopes.items():
        chain, named = Chain(), 0
        for call in calls[serial]:
            chain += [*scope[named : len(outside[call])], call]
            named = len(outside[call])
        chains[serial] = [*chain, *scope[named:]]
    numbers = _numbers(chains.values())
    return {
        serial: tuple(numbers[part] if isinstance(part, FunctionCall) else part for part in chain)
        for serial, chain in chains.items()
    }


def _shared(a: Any, b: Any) -> Any:
    """Return the common beginning of two lists or tuples."""
    return a[: len([*takewhile(lambda pair: pair[0] == pair[1], zip(a, b))])]


def _numbers(chains: Iterable[Chain]) -> dict[FunctionCall, str]:
    """Return call -> its name, such as "layer, call 2 of 3" if the part around it calls the function several times.

    chains : for each node, the scopes and calls around it, outermost first.
    """
    calls_by_part: dict[tuple[object, str], dict[FunctionCall, None]] = {}
    for chain in chains:
        for i, part in enumerate(chain):
            if isinstance(part, FunctionCall):
                calls_by_part.setdefault((tuple(chain[:i]), part.name), {})[part] = None
    return {
        call: f"{name}, call {number} of {len(calls)}" if len(calls) > 1 else name
        for (_, name), calls in calls_by_part.items()
        for number, call in enumerate(calls, 1)
    }


def plain(part: str) -> str:
    """Return the name of a part without the call number: "layer" for "layer, call 2 of 3"."""
    return part.partition(", call ")[0]
