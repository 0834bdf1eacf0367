"""The name under which pickle finds a decorated function."""

from __future__ import annotations

import sys
from typing import Any


def named_in_module(f: Any) -> Any:
    """Return the name that lets pickle find a decorated function in its module or class, for use in `__reduce__`.

    Return None for a function defined in a notebook or a script, because `__main__` differs between processes.

    >>> named_in_module(named_in_module)
    'named_in_module'
    """
    place: Any = sys.modules.get(f.__module__)
    if place is None or f.__module__ == "__main__":
        return None
    for name in f.__qualname__.split("."):
        place = getattr(place, name, None)
    if place is f:
        return f.__qualname__
    instance = getattr(getattr(f, "f", None), "__self__", None)
    return (getattr, (instance, f.__name__)) if instance is not None and type(place) is type(f) else None
