"""A warning about a recomputed function whose result depends on none of its inputs, although a gradient was asked for.

The rule of such a function notices it in the middle of a pass. Whether it matters is known at the end: when all
adjoints are 0. Of passes within passes, each warns about what was noticed in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import get_ident
from typing import Any

import numpy as np

from ..tensor import Tensor
from . import observers
from .frames import caller_frame, warn

#: By thread: what the pass that is running has noticed.
_noticed: dict[int, str] = {}


def notice(sentence: str) -> None:
    """Note, in a pass, that a function does not depend on its inputs."""
    _noticed.setdefault(get_ident(), sentence)


def set_aside() -> str | None:
    """What the pass around this one has noticed so far, which `report` puts back."""
    return _noticed.pop(get_ident(), None) if _noticed else None


def report(adjoints: Iterable[Any], unreached: Callable[[str], None] | None, outer: str | None) -> None:
    """Hand what was noticed to `unreached`, or warn, if all adjoints are 0."""
    sentence = set_aside()
    values = [] if sentence is None else [g.value if isinstance(g, Tensor) else g for g in adjoints]
    if sentence is not None and not observers.run and not any(map(np.any, values)):
        unreached(sentence) if unreached is not None else warn(sentence, caller_frame())
    if outer is not None:
        _noticed[get_ident()] = outer
