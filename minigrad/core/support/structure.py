"""Nested structures: lists, tuples, named tuples, dicts and dataclasses of leaves, flattened in one fixed order.

The order is the same as in TensorFlow's `tf.nest`: sequences and fields in order, and dicts sorted by key, regardless
of insertion order.

>>> flatten({"w": 1, "b": [2, 3]})
[2, 3, 1]
>>> rebuild({"w": 1, "b": [2, 3]}, "xyz")
{'w': 'z', 'b': ['x', 'y']}
"""

from __future__ import annotations

import copy
import dataclasses
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..tensor import Tensor
from .tensor_values import Function, Structure

#: The common types of leaves. They are looked up first, because `isinstance` is slow for the abstract class Mapping.
_LEAVES = frozenset({Tensor, np.ndarray, np.float16, np.float32, np.float64, bool, int, float, str, type(None)})


def is_structure(x: Structure) -> bool:
    """Return whether `x` is a list, a tuple, a mapping or a dataclass, rather than a leaf."""
    return type(x) not in _LEAVES and (isinstance(x, (list, tuple, Mapping)) or _is_dataclass(x))


def is_flat(x: Structure) -> bool:
    """Return whether `x` is a plain list or tuple of leaves of the common types."""
    return type(x) in (list, tuple) and _LEAVES.issuperset(map(type, x))


def _is_dataclass(x: Any) -> bool:
    return hasattr(type(x), "__dataclass_fields__")


def children(x: Structure) -> list[tuple[Any, Any]]:
    """Return the (key, child) pairs of a structure, not of structures in it; a dataclass field's key is its name."""
    if isinstance(x, (list, tuple)):
        return list(enumerate(x))
    if _is_dataclass(x):
        return [(field.name, getattr(x, field.name)) for field in dataclasses.fields(x)]
    try:
        # Sorted, so that dicts with the same keys flatten in the same order, regardless of insertion order.
        return [(key, x[key]) for key in sorted(x)]
    except TypeError:
        raise TypeError(f"the keys of a dict of tensors must be sortable, so all of one type; got {list(x)}") from None


def child_path(x: Structure, key: Any) -> str:
    """Return the code for a child of a structure: `.w` for a field, `['w']` for an entry of a dict."""
    if _is_dataclass(x):
        return f".{key}"
    return f".{x._fields[key]}" if isinstance(x, tuple) and hasattr(x, "_fields") else f"[{key!r}]"


def leaves(x: Structure, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, leaf) pairs; a path is the code for a leaf.

    >>> list(leaves({"b": [2, 3]}, "params"))
    [("params['b'][0]", 2), ("params['b'][1]", 3)]
    """
    if not is_structure(x):
        yield path, x
        return
    for key, child in children(x):
        yield from leaves(child, path + child_path(x, key))


def flatten(x: Structure) -> list[Any]:
    """Return the leaves of `x` in order; if `x` is a leaf, return a list with only `x`.

    >>> flatten({"w": [1, 2], "b": 3})  # the keys of a dict are sorted
    [3, 1, 2]
    """
    if not is_structure(x):
        return [x]
    if is_flat(x):
        return list(x)
    flat = []
    for _, child in children(x):
        flat += flatten(child) if is_structure(child) else [child]
    return flat


def rebuild(like: Structure, values: Iterable[Any]) -> Structure:
    """Return a structure nested like `like` (lists, tuples, namedtuples, dicts, dataclasses) with `values` as leaves.

    A dict keeps the order of `like`'s keys; a dataclass is copied with new field values.
    """
    return _rebuild(like, iter(values))


def _rebuild(like: Structure, values: Iterator[Any]) -> Structure:
    if not is_structure(like):
        return next(values)
    if is_flat(like):
        return type(like)(islice(values, len(like)))
    return with_children(like, [_rebuild(child, values) for _, child in children(like)])


def with_children(like: Structure, new: Sequence[Any]) -> Structure:
    """Return a copy of the structure `like`; `new` replaces its children, in the order of `children`."""
    if isinstance(like, (list, tuple)):
        if hasattr(like, "_fields"):
            return type(like)(*new)
        return tuple(new) if isinstance(like, tuple) else list(new)
    if _is_dataclass(like):
        duplicate = copy.copy(like)
        for field, child in zip(dataclasses.fields(like), new):
            object.__setattr__(duplicate, field.name, child)  # this works for a frozen dataclass too
        return duplicate
    by_key = dict(zip(sorted(like), new))
    kind = OrderedDict if type(like) is OrderedDict else dict
    return kind((key, by_key[key]) for key in like)


def map_structure(f: Function, *structures: Structure) -> Structure:
    """Apply `f` to the corresponding leaves of structures with the same nesting.

    >>> map_structure(lambda w, g: w - g, {"w": 3, "b": 1}, {"w": 1, "b": 1})
    {'w': 2, 'b': 0}
    """
    first, *others = structures
    for other in others:
        check_same(first, other)
    return rebuild(first, map(f, *map(flatten, structures)))


def check_same(a: Structure, b: Structure, path: str = "structure") -> None:
    """Raise ValueError with the first path where `a` and `b` are nested differently.

    >>> check_same({"w": [1, 2]}, {"w": [3]})
    Traceback (most recent call last):
    ValueError: structure['w'] has the entries [0, 1] in one structure and [0] in the other
    """
    if not is_structure(a) and not is_structure(b):
        return
    if type(a) is not type(b) and not (isinstance(a, Mapping) and isinstance(b, Mapping)):
        raise ValueError(f"{path} is of type {type(a).__name__} in one structure and {type(b).__name__} in the other")
    keys_a, keys_b = ([key for key, _ in children(s)] for s in (a, b))
    if keys_a != keys_b:
        raise ValueError(f"{path} has the entries {keys_a} in one structure and {keys_b} in the other")
    for (key, child), (_, other) in zip(children(a), children(b)):
        check_same(child, other, path + child_path(a, key))
