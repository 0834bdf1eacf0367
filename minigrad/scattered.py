"""What an index sends back to the array it was taken from: a few elements, and zeros that are not written out."""

from __future__ import annotations

from typing import Any

import numpy as np


def repeats(key: Any) -> bool:
    """Whether an index may name one element twice, which only arrays of integers can."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(k, np.ndarray) and k.dtype.kind != "b" for k in parts)


class Scattered:
    """An array of `shape` that is `value` at `key` and 0 elsewhere; where `key` names an element twice, their sum.

    Reading the n rows of an array one by one sends back n of these. Added in place, they cost n rows, and not n arrays.

    >>> Scattered((4,), slice(1, 3), np.array([5.0, 6.0])).dense()
    array([0., 5., 6., 0.])
    """

    __slots__ = ("dtype", "key", "shape", "value")

    def __init__(self, shape: tuple[int, ...], key: Any, value: Any) -> None:
        self.shape, self.key, self.value, self.dtype = shape, key, value, value.dtype

    def add_to(self, total: Any) -> Any:
        """Add this array to `total` in place, and return it: the bits of `total + self.dense()`, but for a 0's sign."""
        key = self.key
        if hasattr(type(self.value), "scatter"):  # a stand-in, while a program is written
            return self.value.scatter(total, key)
        if not repeats(key):
            total[key] += self.value
            return total
        before = total[key]
        total[key] = 0
        np.add.at(total, key, self.value)
        total[key] += before  # one addition for each element, also for one that is named twice
        return total

    def dense(self) -> Any:
        """The array with its zeros."""
        return self.add_to(np.zeros(self.shape, self.dtype))
