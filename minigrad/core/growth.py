"""The sizes of Variables at each assignment, noted while lines are remembered, to find where weights grew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: Called with a Variable and the value that it is assigned, while not empty.
assign_hooks: list[Callable[[Any, Any], None]] = []


class Growth:
    """The largest element of a Variable before its first assignment and after each one, and its first two values."""

    def __init__(self, before: Any) -> None:
        self.sizes = [_size(before)]
        self.first = [before]

    def add(self, value: Any) -> None:
        self.sizes.append(_size(value))
        if len(self.first) < 2:
            self.first.append(value)


def _size(value: Any) -> float:
    return float(np.max(np.abs(value), initial=0))


def _note(variable: Any, value: Any) -> None:
    """Note that a Variable is assigned."""
    if variable.growth is None:
        variable.growth = Growth(variable.value)
    variable.growth.add(value)


def remember_growth(on: bool = True) -> None:
    """Switch on or off that every Variable notes its size when it is assigned."""
    while _note in assign_hooks:
        assign_hooks.remove(_note)
    if on:
        assign_hooks.append(_note)
