"""What the user calls things: the names of the local variables that Tensors are put in while code runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..tensor import Tensor

_OURS = str(Path(__file__).parent.parent)


@contextmanager
def local_names() -> Iterator[dict[int, str]]:
    """While the block runs, the names of Tensors by birth: the first name that each is given, outermost function first.

    >>> def f(x):
    ...     z = x * x
    ...     return z
    >>> with local_names() as names:
    ...     z = f(Tensor(3.0))
    >>> names[z.birth]
    'z'
    """
    found: dict[int, tuple[int, str]] = {}
    names: dict[int, str] = {}

    def look(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename.startswith(_OURS) or frame.f_globals.get("__name__", "").startswith("numpy"):
            return None
        depth = _depth(frame)
        for name, value in frame.f_locals.items():
            if isinstance(value, Tensor) and not name.startswith("_") and found.get(value.birth, (1e9,))[0] > depth:
                found[value.birth] = (depth, name)
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield names
    finally:
        sys.settrace(before)
        names.update({birth: name for birth, (_, name) in found.items()})


def _depth(frame: Any) -> int:
    depth = 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth
