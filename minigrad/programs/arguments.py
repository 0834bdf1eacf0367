"""Arguments: numbers, arrays, Tensors, Variables and structures of them, and which of them one program serves."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..core.variable import Variable
from .listing import NotAProgram

#: Values that are no numbers to compute with: a program is written for each of them.
PLAIN = (bool, str, type(None))


def children(x: Any) -> list[tuple[str, Any]] | None:
    """The (path, child) pairs of a list, tuple, named tuple, dict or dataclass; None for everything else."""
    kind = type(x)
    if kind in (list, tuple):
        return [(f"[{i}]", child) for i, child in enumerate(x)]
    if kind in (dict, OrderedDict):
        return [(f"[{key!r}]", child) for key, child in x.items()]
    if isinstance(x, tuple) and hasattr(kind, "_fields") and not getattr(x, "__dict__", None):
        return [(f".{name}", child) for name, child in zip(kind._fields, x)]
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        names = [f.name for f in dataclasses.fields(x)]
        if set(getattr(x, "__dict__", ())) <= set(names):
            return [(f".{name}", getattr(x, name)) for name in names]
    return None


def kind_of(x: Any, leaves: list[Any], path: str = "") -> Any:
    """A hashable picture of an argument, equal where one program serves; what is read anew is added to `leaves`.

    path : the code that reaches it, for messages.

    Raises NotAProgram for an object that is neither a leaf nor a structure.

    >>> kind_of({"w": np.zeros(3), "n": 2.0}, leaves := []) == kind_of({"w": np.ones(3), "n": 3.0}, [])
    True
    >>> leaves
    [array([0., 0., 0.]), 2.0]
    """
    kind = type(x)
    if kind is Variable:
        return Variable, id(x)
    if kind in (np.ndarray, Tensor):
        value = x.value if kind is Tensor else x
        if value.dtype.kind in "fiub":
            leaves.append(x)
            order = None if not value.shape or value.flags.c_contiguous else value.strides
            return kind, type(value), value.shape, value.dtype, order
    elif kind in (int, float) or (isinstance(x, np.generic) and x.dtype.kind in "fiub"):
        leaves.append(x)
        return kind
    elif kind in PLAIN:
        return kind, x
    inner = children(x)
    if inner is None:
        raise NotAProgram(
            f"{path} cannot be an argument of a program: it is {_described(x)}, neither a number, an array, a Tensor, "
            f"a Variable nor a list, tuple, dict or dataclass of these; pass its arrays, or close over it: what a "
            f"function closes over is fixed when its program is written"
        )
    keys = tuple(map(_key, x)) if isinstance(x, dict) else ()
    return kind, keys, tuple([kind_of(child, leaves, path + at) for at, child in inner])


def _key(key: Any) -> Any:
    """A key of a dict; with its type where it equals keys of other types."""
    return key if type(key) is str else (type(key), key)


def _described(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"an array of dtype {x.dtype}" if type(x) is np.ndarray else f"an array of class {type(x).__name__}"
    name = getattr(x, "__name__", "")
    return f"{name!r} of type {type(x).__name__}" if name else f"an object of type {type(x).__name__}"


def paths(x: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The (path, leaf) pairs of an argument, in the order of `kind_of`, Variables and plain values included."""
    inner = children(x)
    if inner is None:
        yield path, x
    for at, child in inner or ():
        yield from paths(child, path + at)


def rebuild(like: Any, leaves: Iterator[Any]) -> Any:
    """A structure like `like` with other leaves, in the order of `paths`."""
    inner = children(like)
    if inner is None:
        return next(leaves)
    return rebuild_from(like, [rebuild(child, leaves) for _, child in inner])


def rebuild_from(like: Any, new: Sequence[Any]) -> Any:
    """A structure like `like` with other children."""
    kind = type(like)
    if kind in (list, tuple):
        return kind(new)
    if kind in (dict, OrderedDict):
        return kind(zip(like, new))
    if isinstance(like, tuple):
        return tuple.__new__(kind, new)
    made = object.__new__(kind)
    for field, value in zip(dataclasses.fields(like), new):
        object.__setattr__(made, field.name, value)
    return made


def is_input(x: Any) -> bool:
    """Whether a leaf is read anew at each call and has a place among the inputs of a program."""
    return not (type(x) is Variable or type(x) in PLAIN)


def nesting(x: Any) -> Any:
    """How an argument is nested, and what is in it by identity."""
    inner = children(x)
    keys = list(x) if isinstance(x, dict) else None
    return id(x) if inner is None else (type(x), keys, [nesting(child) for _, child in inner])


def types(x: Any) -> Any:
    """The types and keys of a structure."""
    inner = children(x)
    return None if inner is None else (type(x), list(x) if isinstance(x, dict) else (), [types(c) for _, c in inner])
