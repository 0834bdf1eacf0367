"""The names by which pickle finds a decorated function again."""

from __future__ import annotations

import sys
from typing import Any


def named_in_module(f: Any) -> Any:
    """What pickle needs to find a decorated function of a module, or a method of a class there, by its name.

    None for what a notebook or a script defines: another process has another `__main__`.

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
