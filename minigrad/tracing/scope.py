"""`with scope("layer 1"):` names the part of a model that ops belong to, so that a picture can fold it into one box."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..core.op import hooks
from ..core.tensor import Tensor

_here = threading.local()
_lock = threading.Lock()
_open = 0  # scopes that are open in all threads; while there are none, recording costs nothing


@contextmanager
def scope(name: str) -> Iterator[None]:
    """Assign the ops that are called in the block to `name`; scopes may be nested, and entered again.

    Raises TypeError if the name is not a string, ValueError if it is empty.

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
            hooks.append(_note)
    try:
        yield
    finally:
        _here.path = outer
        with _lock:
            _open -= 1
            if not _open and _note in hooks:
                hooks.remove(_note)


def _note(node: Tensor) -> None:
    path = getattr(_here, "path", ())
    if path:
        node.scope = path


def scope_of(node: Tensor) -> tuple[str, ...]:
    """The scopes that `node` was computed in, the outermost first."""
    return getattr(node, "scope", ())
