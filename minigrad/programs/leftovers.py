"""Find stand-ins that the user's code kept in a list, an attribute or a cache, and replace them with their numbers.

While a function is written as a program, it runs on stand-ins. Stored stand-ins outlive the run, so the garbage
collector is used to find each object that refers to one. Stand-ins that cannot be replaced raise an error when used.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections import deque
from collections.abc import Callable
from types import CellType, FrameType
from typing import Any

from ..core.support.user_frames import OWN
from ..core.tensor import Tensor
from ..tracing.overlay import hold_value
from .listing import Listing, StandIn

Plain = Callable[[Any], Any]


def settle(listing: Listing) -> None:
    """Close a listing: replace each stored stand-in with its number, and make all other stand-ins unusable."""
    listing.closed = True
    if not _alive(listing):
        return
    gc.collect(1)  # free cycles from the run, such as frames of a caught error; this is fast for young objects
    alive = _alive(listing)
    if not alive:
        return
    plain = lambda x: x.real_value if issubclass(type(x), StandIn) and x.listing is listing else x
    for holder in gc.get_referrers(*alive):
        if holder is not alive and not isinstance(holder, FrameType):
            with contextlib.suppress(AttributeError, TypeError):  # the object may be read-only
                _replace(holder, plain)
    holder = None
    alive.clear()
    # Use a list, because in Python 3.10 a generator's frame would itself refer to the stand-in. The garbage collector
    # does not see the entries of an lru_cache, so such caches are cleared.
    if any([not _in_frames(x) for x in _alive(listing)]):
        for cache in gc.get_objects():
            if type(cache) is functools._lru_cache_wrapper and _is_of_user(cache):
                cache.cache_clear()


def _alive(listing: Listing) -> list[Any]:
    return [x for reference in listing.stand_ins_made if (x := reference()) is not None]


def _in_frames(x: Any) -> bool:
    return any(isinstance(holder, FrameType) for holder in gc.get_referrers(x))


def _is_of_user(cache: Any) -> bool:
    code = getattr(getattr(cache, "__wrapped__", None), "__code__", None)
    return code is not None and not code.co_filename.startswith(OWN)


def _replace(holder: Any, plain: Plain) -> None:
    """Replace each element or attribute x of `holder` with `plain(x)`; a tuple is replaced wherever it is stored."""
    if type(holder) is tuple or (isinstance(holder, tuple) and hasattr(holder, "_fields")):
        new = tuple(map(plain, holder))
        new = type(holder)(*new) if hasattr(holder, "_fields") else new
        was = id(holder)  # the lambda keeps only the id: if it kept the tuple, it would be one of the holders
        for outer in gc.get_referrers(holder):
            if not isinstance(outer, FrameType):
                with contextlib.suppress(AttributeError, TypeError):
                    _replace(outer, lambda x: new if id(x) == was else x)
    elif isinstance(holder, (list, deque)):
        for i, x in enumerate(holder):
            if (y := plain(x)) is not x:
                holder[i] = y
    elif isinstance(holder, dict):
        kinds = [kind for kind in gc.get_referrers(holder) if isinstance(kind, type)]
        for key, x in [*holder.items()]:
            if (y := plain(x)) is not x:
                if kinds:  # the dict has the attributes of a class; setattr also updates the class's cache
                    setattr(kinds[0], key, y)
                else:
                    holder[key] = y
    elif isinstance(holder, CellType):
        holder.cell_contents = plain(holder.cell_contents)
    elif not issubclass(type(holder), StandIn):
        _replace_attributes(holder, plain)


def _replace_attributes(holder: Any, plain: Plain) -> None:
    if isinstance(holder, Tensor):
        hold_value(holder, plain(holder.value))
    slots = [name for kind in type(holder).__mro__ for name in _slots_of(kind)]
    for name in {*slots, *getattr(holder, "__dict__", ())}:
        x = getattr(holder, name, None)
        if (y := plain(x)) is not x:
            object.__setattr__(holder, name, y)


def _slots_of(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
