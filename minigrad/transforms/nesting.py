"""The nesting depth of transforms and tapes in each thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..core.backward import running_rule
from ..core.support.fast import gc_paused


class Depth(threading.local):
    """The number of transforms and tapes that are active in a thread."""

    def __init__(self) -> None:
        # The count is in a list, so that a thread can close a tape that another thread opened.
        self.count = [0]


depth = Depth()


def nest(step: int, count: list[int] | None = None) -> int:
    """Add `step` (1 on entry, -1 on exit) to a thread's count, by default this thread's. Return the previous count."""
    count = count or depth.count
    before = count[0]
    count[0] = before + step
    return before


def thread_count() -> list[int]:
    """Return this thread's count, which another thread can pass to `nest`."""
    return depth.count


class differentiating(gc_paused):
    """Count one more active transform during the block; `as` yields whether its backward pass must be recorded.

    This is true inside another transform, and inside a rule that is running.
    """

    __slots__ = ("count",)

    def __enter__(self) -> bool:
        gc_paused.__enter__(self)
        self.count = count = depth.count
        count[0] += 1
        # A rule may itself be differentiated, so the derivatives that it computes are recorded too.
        return count[0] > 1 or bool(running_rule.upstreams)

    def __exit__(self, *error: object) -> None:
        self.count[0] -= 1
        gc_paused.__exit__(self)


def call_recorded(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call `f` as if inside a transform, so that results of `grad` and other transforms in it are recorded."""
    with differentiating():
        return f(*args, **kwargs)
