"""Switch custom gradients off: a backward pass then goes through the ops inside the functions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _State(threading.local):
    """Whether custom rules are switched off in a thread."""

    ignoring = False


_state = _State()


@contextmanager
def ignore_custom_gradients() -> Iterator[None]:
    """In the block, backward passes go through the ops inside custom gradients instead of calling their rules.

    >>> import minigrad as mg
    >>> @mg.custom_gradient
    ... def triple(x):
    ...     return 3.0 * x, lambda dy: dy * 100.0
    >>> x = mg.constant(1.0)
    >>> y = triple(x)
    >>> with ignore_custom_gradients():
    ...     print(mg.gradients(y, x)[0].value)
    3.0
    >>> print(mg.gradients(y, x)[0].value)
    100.0
    """
    before = ignoring()
    _state.ignoring = True
    try:
        yield
    finally:
        _state.ignoring = before


def ignoring() -> bool:
    """Whether custom rules are switched off in this thread."""
    return _state.ignoring
