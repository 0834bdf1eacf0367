"""Indexing: the switch that records the Tensors in an index, and the gradient, stored only for the elements read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..op import OPS
from ..tensor import Tensor
from .tensor_values import is_placeholder

#: One entry for each open `recorded_indices` block; indices are recorded while it is not empty.
recorders: list[str] = []


@contextmanager
def recorded_indices() -> Iterator[None]:
    """Record the Tensors in an index as arguments during the block, for graphs that will be run again on other numbers.

    Outside the block only their values are recorded, which is faster, because an index has no gradient.
    """
    recorders.append("")
    try:
        yield
    finally:
        recorders.pop()


def repeats(key: Any) -> bool:
    """Return whether an index may select the same element twice, which is possible only with arrays of integers."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(k, np.ndarray) and k.dtype.kind != "b" for k in parts)


def add_each(total: Any, key: Any, value: Any) -> None:
    """Do what `np.add.at(total, key, value)` does, in half the time if `key` selects rows."""
    rows = type(key) is np.ndarray and type(value) is np.ndarray and value.size > 100
    if rows and total.ndim > 1 and value.shape == key.shape + total.shape[1:] and total.flags.c_contiguous:
        width = math.prod(total.shape[1:])
        elements = key.astype(np.intp).reshape(-1, 1) * width + np.arange(width)
        try:
            return np.add.at(total.reshape(-1), elements.reshape(-1), value.reshape(-1))
        except IndexError:
            pass  # the call below raises the error for the row
    np.add.at(total, key, value)


def add_at(total: Any, key: Any, value: Any, zeros: bool = False) -> Any:
    """Add `value` to `total[key]` in place and return `total`; if `key` repeats an element, add to it each time.

    zeros : whether `total` is all zeros.
    """
    for x in (value, total):
        if is_placeholder(x):
            return x.scattered(total, key, value)
    if not repeats(key):
        total[key] += value
        return total
    if zeros:
        add_each(total, key, value)
        return total
    before = total[key]
    total[key] = 0
    add_each(total, key, value)
    total[key] += before  # NumPy adds to each element only once, even if `key` repeats it
    return total


class Scattered:
    """An array of `shape` that is `value` at `key` and 0 elsewhere; if `key` repeats an element, values are summed.

    If the n rows of an array are read one by one, a pass sends back n `Scattered` objects. Adding them in place takes
    n row additions, not n additions of full arrays. In a recorded pass `value` is a Tensor: see `Collected`.

    >>> Scattered((4,), slice(1, 3), np.array([5.0, 6.0])).dense()
    array([0., 5., 6., 0.])
    """

    __slots__ = ("dtype", "key", "shape", "value")

    def __init__(self, shape: tuple[int, ...], key: Any, value: Any) -> None:
        self.shape, self.key, self.value, self.dtype = shape, key, value, value.dtype

    def add_to(self, total: Any) -> Any:
        """Add this array to `total` in place, and return `total`. Adding `dense()` could change the sign of zeros."""
        return add_at(total, self.key, self.value)

    def dense(self) -> Any:
        """Return the full array, with the zeros; it is a Tensor if `value` is a Tensor."""
        if isinstance(self.value, Tensor):
            return Collected(self, None).dense()
        return add_at(np.zeros(self.shape, self.dtype), self.key, self.value, zeros=True)


class Collected:
    """The `Scattered` contributions to one node in a recorded pass, to be summed.

    A recorded sum cannot be changed in place. The parts are therefore collected, and one op, `scatter_sum`, adds them
    up when the sum is needed.
    """

    __slots__ = ("dtype", "keys", "parts", "shape")

    def __init__(self, first: Scattered, before: Tensor | None) -> None:
        self.shape, self.dtype = first.shape, first.dtype
        self.keys, self.parts = ([], []) if before is None else ([Ellipsis], [before])
        self.append(first)

    def append(self, part: Scattered) -> None:
        """Add one more contribution."""
        self.keys.append(part.key)
        self.parts.append(part.value)

    def __add__(self, whole: Tensor) -> Tensor:
        return self.dense() + whole

    def dense(self) -> Tensor:
        """Return the sum as one Tensor."""
        return OPS["scatter_sum"].call(*self.parts, shape=self.shape, keys=tuple(self.keys))
