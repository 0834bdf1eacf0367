"""Indexing: taking elements out, and its transpose, adding elements in."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import defop
from ..tensor import Tensor


def _key(key: Any) -> Any:
    """An index with its Tensors replaced by their values: positions have no gradient."""
    if isinstance(key, tuple):
        return tuple(map(_key, key))
    return key.read_value().value if isinstance(key, Tensor) else key


def _repeats(key: Any) -> bool:
    """Whether an index may name one element twice, which only arrays of integers can."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(k, (list, np.ndarray)) and np.asarray(k).dtype.kind != "b" for k in parts)


def _index_add(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `value` added at `x[key]`; an element that `key` names twice is added to twice."""
    x = np.array(x)
    if _repeats(key):
        np.add.at(x, key, value)
    else:
        x[key] += value
    return x[()]


def _index_set(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `x[key]` replaced by `value`: what `x[key] = value` would do to an array."""
    x = np.array(x)
    x[key] = value
    return x[()]


_getitem = defop(
    "getitem", lambda x, key: x[key],
    vjp=lambda g, y, x, key: _add_at(np.zeros(x.shape, g.dtype), key, g),
    latex="x[k]", local="1 where taken, else 0",
)
_add_at = defop(
    "index_add", _index_add,
    vjp=(lambda g, y, x, key, value: g, None, lambda g, y, x, key, value: _getitem(g, key)),
    local=("1", "", "1"),
)
_set_at = defop(
    "index_set", _index_set,
    vjp=(
        lambda g, y, x, key, value: _set_at(g, key, 0),
        None,
        lambda g, y, x, key, value: _getitem(g, key),
    ),
    local=("0 where replaced, else 1", "", "1"),
    domain="where `key` names an element twice the last value counts, and which gets the gradient is not defined",
)


def getitem(x: Any, key: Any) -> Any:
    """`x[key]` with every kind of NumPy index: ints, slices, None, ..., masks, arrays of integers.

    >>> from minigrad import constant
    >>> getitem(constant([1.0, 2.0, 3.0]), [0, 0]).value
    array([1., 1.], dtype=float32)
    """
    return _getitem(x, _key(key))


def index_add(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `value` added at `x[key]`; an element that `key` names twice is added to twice.

    >>> from minigrad import constant
    >>> index_add(constant([0.0, 0.0]), [1, 1], 1.0).value
    array([0., 2.], dtype=float32)
    """
    return _add_at(x, _key(key), value)


def index_set(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `x[key]` replaced by `value`: the functional form of `x[key] = value`.

    >>> from minigrad import constant
    >>> index_set(constant([1.0, 2.0]), 0, 5.0).value
    array([5., 2.], dtype=float32)
    """
    return _set_at(x, _key(key), value)


Tensor.__getitem__ = getitem  # type: ignore[method-assign]

__all__ = ["getitem", "index_add", "index_set"]
