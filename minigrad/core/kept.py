"""Copies of plain arrays for the record, as an array may be changed before the backward pass.

>>> import minigrad as mg
>>> x, row, total = mg.constant([1.0, 1.0]), np.zeros(2, "float32"), 0.0
>>> for i in range(3):
...     row[:] = i
...     total = total + mg.sum(x * row)
>>> mg.gradients(total, x)[0].value
array([3., 3.], dtype=float32)
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np

from .values import is_stand_in

#: Below this many bytes another copy is cheaper than finding out whether there is one with the same content.
LARGE = 32_768

#: The last copies of large arrays, by the memory and the form of the array; each lives as long as a record holds it.
_copies: dict[Any, ref[Any]] = {}

#: Integers as wide as the elements of an array: they compare bit by bit, also where there is nan or -0.
_BITS = {np.dtype(kind).itemsize: np.dtype(kind) for kind in ("int8", "int16", "int32", "int64")}


def kept(array: Any) -> Any:
    """A copy of an array, for the record only. A large array that is used again with the same content is copied once.

    A read-only array is copied as well: it can be unlocked, or changed through another view or a writable map.
    """
    if array.nbytes < LARGE:
        return array.__copy__()  # which keeps the order of its memory
    owner = array if array.base is None else array.base
    key = id(owner), array.shape, array.strides, array.dtype
    held = _copies.get(key)
    copy = None if held is None else held()
    if copy is None or not _same_bits(copy, array):
        copy = array.__copy__()
        _copies[key] = ref(copy, lambda gone: _copies.pop(key, None) if _copies.get(key) is gone else None)
    return copy


#: Types of immutable values.
FIXED = frozenset({int, float, bool, str, type(None), type(...), np.float64, np.float32, np.int64, np.int32})


def keep(x: Any) -> Any:
    """`x` with `kept` arrays: an array, or a nested tuple or list such as an index; anything else as it is."""
    kind = type(x)
    if kind in FIXED:
        return x
    if kind is slice:  # a bound may be an array of one integer
        bounds = x.start, x.stop, x.step
        return x if FIXED.issuperset(map(type, bounds)) else slice(*map(keep, bounds))
    if kind is tuple:
        return x if FIXED.issuperset(map(type, x)) else tuple(map(keep, x))
    if issubclass(kind, np.ndarray):
        return kept(x)
    if kind is list:
        return list(map(keep, x))
    return x.kept() if is_stand_in(x) else x


def _same_bits(a: Any, b: Any) -> bool:
    bits = _BITS.get(a.itemsize)
    return bits is not None and bool((a.view(bits) == b.view(bits)).all())
