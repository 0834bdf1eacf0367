"""The calls that programs are made of: NumPy's functions, and a few spelled as functions because NumPy has methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


class Line:
    """One call and what it gives.

    function : what is called; `given` and `constant` where nothing is.
    args, kwargs : its arguments, in which Lines stand for what earlier lines gave.
    value : what it gave when it was written down; None once the program is finished.
    view : whether the result lies in the memory of an argument.
    name : what the user calls it, if that is known.
    """

    __slots__ = ("args", "dtype", "function", "kwargs", "name", "shape", "value", "view")

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], value: Any) -> None:
        self.function, self.args, self.kwargs, self.value = function, args, kwargs, value
        self.shape: tuple[int, ...] = np.shape(value) if not isinstance(value, (tuple, list)) else ()
        self.dtype: Any = getattr(value, "dtype", None)
        self.view = isinstance(value, np.ndarray) and any(
            isinstance(x.value, np.ndarray) and np.may_share_memory(x.value, value) for x in lines_in(args)
        )
        self.name = ""

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=int))

    def __repr__(self) -> str:
        return f"<{getattr(self.function, '__name__', self.function)} {self.shape} {self.dtype}>"


def given(value: Any) -> Any:
    """What comes from outside when the program runs."""


def constant(value: Any) -> Any:
    """What is known when it is written."""


def draw(generator: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """Random numbers, drawn anew each time the program runs."""
    return getattr(generator, method)(*args, **kwargs)


def guard(x: Any, value: Any) -> Any:
    """Go on where `x` is `value`: what follows was written for that."""


def guard_shape(x: Any, shape: tuple[int, ...]) -> Any:
    """Go on where `x` has this shape, which depends on the numbers in it."""


def reshape(x: Any, shape: tuple[int, ...]) -> Any:
    return x.reshape(shape)


def transpose(x: Any, axes: tuple[int, ...]) -> Any:
    return x.transpose(axes)


def astype(x: Any, dtype: Any) -> Any:
    return x.astype(dtype)


def index_add(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `value` added at `key`."""
    x = np.array(x)
    x[key] += value
    return x


def index_add_each(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `value` added at `key`, twice where it names an element twice."""
    x = np.array(x)
    np.add.at(x, key, value)
    return x


def index_set(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` with `value` at `key`."""
    x = np.array(x)
    x[key] = value
    return x


def each(f: Callable[[Any], Any], x: Any) -> Any:
    """`x`, with everything in its tuples, lists, dicts and slices replaced by `f` of it."""
    if isinstance(x, (tuple, list)):
        return type(x)([each(f, item) for item in x])
    if isinstance(x, dict):
        return {key: each(f, item) for key, item in x.items()}
    if type(x) is slice:
        return slice(each(f, x.start), each(f, x.stop), each(f, x.step))
    return f(x)


def lines_in(x: Any) -> list[Line]:
    """The Lines among arguments, one entry for each use."""
    found: list[Line] = []
    each(lambda item: found.append(item) if isinstance(item, Line) else None, x)
    return found


def filled(x: Any, found: Iterable[Any]) -> Any:
    """Arguments with these values in the places of their Lines, in order."""
    found = iter(found)
    return each(lambda item: next(found) if isinstance(item, Line) else item, x)


def values(x: Any) -> Any:
    """Arguments with the values of their Lines."""
    return each(lambda item: item.value if isinstance(item, Line) else item, x)


def run(line: Line) -> Any:
    """What the line gives for the values of its arguments."""
    with np.errstate(all="ignore"):
        value = line.function(*values(line.args), **values(line.kwargs))
    return value[()] if isinstance(value, np.ndarray) and not value.shape else value


def is_ufunc(line: Line) -> bool:
    """Whether the line works element by element, with broadcasting."""
    return isinstance(line.function, np.ufunc) and line.function is not np.matmul and line.function.nout == 1


def frozen(x: Any) -> Any:
    """A hashable stand-in for arguments, different where NumPy could treat them differently."""
    if isinstance(x, (tuple, list)):
        return type(x), tuple(map(frozen, x))
    if isinstance(x, dict):
        return tuple((key, frozen(item)) for key, item in sorted(x.items()))
    if type(x) is slice:
        return slice, frozen(x.start), frozen(x.stop), frozen(x.step)
    if isinstance(x, (Line, np.dtype, str, type(None), type(...))):
        return x
    if isinstance(x, (bool, int, float)):
        return type(x), x.hex() if isinstance(x, float) else x
    return type(x), x if getattr(x, "__hash__", None) else id(x)
