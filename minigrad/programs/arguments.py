"""Arguments and results: numbers, arrays, Tensors, Variables and structures of them, and which one program serves."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.ignoring import ignoring
from ..core.tensor import Tensor
from ..core.values import defaults
from ..core.variable import Variable
from ..frameworks.registered_gradients import state as registered
from ..transforms.nesting import depth
from .listing import NotAProgram

_PLAIN = frozenset({bool, str, type(None)})  # a program is written for one value of these
_NUMBERS = frozenset({int, float, *np.sctypeDict.values()})


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


def leaves(x: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The (path, leaf) pairs of an argument or a result, in order."""
    inner = children(x)
    if inner is None:
        yield path, x
    for at, child in inner or ():
        yield from leaves(child, path + at)


def rebuild(like: Any, new: Iterator[Any]) -> Any:
    """A structure like `like` with other leaves, in the order of `leaves`."""
    inner = children(like)
    return next(new) if inner is None else rebuild_from(like, [rebuild(child, new) for _, child in inner])


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


def nested(like: Any, texts: Iterator[str], key: Callable[[Any], str], other: Callable[[Any, list[str]], str]) -> str:
    """A structure as Python writes it, with these texts for its leaves.

    key : writes a key of a dict. other : writes a structure that is neither a list, a tuple nor a dict.
    """
    inner = children(like)
    if inner is None:
        return next(texts)
    found = [nested(child, texts, key, other) for _, child in inner]
    if type(like) is list:
        return f"[{', '.join(found)}]"
    if type(like) is tuple:
        return f"({', '.join(found)}{',' * (len(found) == 1)})"
    if type(like) is dict:
        return "{" + ", ".join(f"{key(k)}: {text}" for k, text in zip(like, found)) + "}"
    return other(like, found)


def is_input(x: Any, path: str) -> bool:
    """Whether a leaf is read anew at each call, and not a Variable, or a value that a program is written for.

    path : the code that reaches it. Raises NotAProgram for an object that no program takes.
    """
    kind = type(x)
    if kind is Variable or kind in _PLAIN:
        return False
    array = kind in (np.ndarray, Tensor) or isinstance(x, np.generic)
    if kind in (int, float) or (array and x.dtype.kind in "fiub"):
        return True
    what = f"an object of type {kind.__name__}"
    if isinstance(x, np.ndarray):
        what = f"an array of dtype {x.dtype}" if kind is np.ndarray else f"an array of class {kind.__name__}"
    elif getattr(x, "__name__", ""):
        what = f"{x.__name__!r} of type {kind.__name__}"
    raise NotAProgram(
        f"{path} cannot be an argument of a program: it is {what}, neither a number, an array, a Tensor, "
        f"a Variable nor a list, tuple, dict or dataclass of these; pass its arrays, or close over it: what a "
        f"function closes over is fixed when its program is written"
    )


def sorted_out(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """The kind of a call, which is equal for the calls that one program serves, and the numbers and arrays in it.

    The kind is the structure, and of each leaf the type, shape, strides and dtype; with the settings that ops look at.
    """
    overrides = registered.overrides
    kind = [depth.count[0] > 0, ignoring(), defaults["float"], tuple(overrides.items()) if overrides else (), *kwargs]
    inputs: list[Any] = []
    _sort(args, kind, inputs)
    if kwargs:
        _sort(kwargs.values(), kind, inputs)
    return tuple(kind), inputs


def _sort(structure: Iterable[Any], kind: list[Any], inputs: list[Any]) -> None:
    for x in structure:
        t = type(x)
        kind.append(t)
        if t is Tensor:
            x = x.value
            t = type(x)
            kind.append(t)
        if t is np.ndarray:
            kind += (x.shape, x.strides, x.dtype)
            inputs.append(x)
        elif t in _NUMBERS:
            inputs.append(x)
        elif t in _PLAIN:
            kind.append(x)
        elif t is Variable:
            kind.append(id(x))
        elif t is list or t is tuple:
            kind.append(len(x))
            _sort(x, kind, inputs)
        elif t is dict:
            kind += (*x,), (*map(type, x),)
            _sort(x.values(), kind, inputs)
        else:
            inner = children(x) or ()
            kind += [(at, type(child)) for at, child in inner]
            _sort([child for _, child in inner], kind, inputs)
