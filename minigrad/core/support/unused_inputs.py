"""A warning about a recomputed function that ignores all its inputs, although a gradient was requested.

The function's rule notices this in the middle of a pass, but the warning is given only if all adjoints are 0, which is
known only at the end. In nested passes, each pass warns about its own functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import get_ident
from typing import Any

import numpy as np

from ..tensor import Tensor
from . import observers
from .user_frames import caller_frame, warn

#: The warning that the running pass has noted, for each thread.
_noticed: dict[int, str] = {}


def notice(sentence: str) -> None:
    """Store the warning that a function ignores its inputs, until the running pass ends and may report it."""
    _noticed.setdefault(get_ident(), sentence)


def set_aside() -> str | None:
    """Remove and return the warning stored by the surrounding pass, when an inner pass begins; `report` restores it."""
    return _noticed.pop(get_ident(), None) if _noticed else None


def report(adjoints: Iterable[Any], unreached: Callable[[str], None] | None, outer: str | None) -> None:
    """Report the stored warning if all adjoints are 0, and restore `outer`, the warning of the surrounding pass.

    unreached : called with the warning; if it is None, the warning is given by `warnings.warn`.
    """
    sentence = set_aside()
    values = [] if sentence is None else [g.value if isinstance(g, Tensor) else g for g in adjoints]
    if sentence is not None and not observers.run and not any(map(np.any, values)):
        unreached(sentence) if unreached is not None else warn(sentence, caller_frame())
    if outer is not None:
        _noticed[get_ident()] = outer
