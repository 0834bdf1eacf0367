"""Programs: a computation written down as the calls of NumPy it makes, one after the other.

An op is a function of arrays. Called with stand-ins for arrays it still runs, and each call of NumPy it makes becomes
a line of a program. That is how every op is known as NumPy without being said twice.

>>> program = Program()
>>> x = program.given(np.array([1.0, 2.0]), "x")
>>> y = program.lower(lambda x: np.exp(-np.abs(x)), (x,))
>>> [line.function.__name__ for line in program.lines]
['given', 'absolute', 'negative', 'exp']
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .calls import Line, constant, each, frozen, given, lines_in, run, values
from .faster import as_floats, faster
from .simplify import simpler
from .symbol import Symbol, Unknowable


class Program:
    """Lines in an order in which they can be run. A call that was made before is not made again."""

    def __init__(self, fold: int = 12, fast: bool = False) -> None:
        self.lines: list[Line] = []
        self.fold = fold  # how many different numbers may be computed when the program is written
        self.fast = fast  # whether calls may be replaced by faster ones that differ in the last digit
        self._known: dict[Any, Line] = {}

    def given(self, value: Any, name: str = "") -> Line:
        """A line for something that comes from outside when the program runs."""
        line = Line(given, (), {}, value)
        line.name = name
        self.lines.append(line)
        return line

    def constant(self, value: Any) -> Line:
        """A line for an array that is known now."""
        if value.shape and value.size and any(value.strides):
            first = np.broadcast_to(value[(0,) * value.ndim], value.shape)
            value = first if value.tobytes() == first.tobytes() else value
        content = value.tobytes() if value.size <= 64 else id(value)
        key = (constant, value.shape, value.dtype, type(value), content)
        if key not in self._known:
            self._known[key] = Line(constant, (), {}, value)
            self.lines.append(self._known[key])
        return self._known[key]

    def add(self, function: Any, args: Any, kwargs: dict[str, Any] | None = None, again: bool = False) -> Line:
        """The line for one call: simplified, found if it was made before, and done at once if everything is known.

        again : whether the call must be made each time it is written, like a draw of random numbers.
        """
        kwargs = {k: self._constants(v) for k, v in (kwargs or {}).items() if v is not None and v is not np._NoValue}
        args = self._constants(tuple(args))
        args = as_floats(function, args) if self.fast else args
        if not again:
            known = simpler(self, function, args, kwargs)
            if known is None and self.fast:
                known = faster(self, function, args, kwargs)
            if known is not None:
                return known
            key = self._key(function, args, kwargs)
            if key in self._known:
                return self._known[key]
        line = Line(function, args, kwargs, None)
        line = Line(function, args, kwargs, run(line))
        if not again:
            if all(x.function is constant for x in lines_in((args, kwargs))) and self._short(line.value):
                line = self._known[key] = self.constant(line.value)
                return line
            self._known[key] = line
        self.lines.append(line)
        return line

    def found(self, function: Any, args: Any) -> Line | None:
        """The line of a call, if it was made."""
        return self._known.get(self._key(function, args, {}))

    def _key(self, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        order = frozenset if self.fast and function in (np.add, np.multiply) else tuple
        return function, order(map(frozen, args)), frozen(kwargs)

    def _short(self, value: Any) -> bool:
        if not isinstance(value, (np.ndarray, np.generic)):
            return False
        return value.size <= self.fold or not any(value.strides) or self.constant(value).value is not value

    def _constants(self, x: Any) -> Any:
        return each(lambda a: self.constant(a) if isinstance(a, (np.ndarray, np.generic)) else a, x)

    def lower(self, function: Callable[..., Any], args: Any, kwargs: Any = None, expected: Any = None) -> Any:
        """The line, or the tuple of lines, for a function of arrays: the calls of NumPy it makes, or itself as one.

        A function that looks at values, or fills an array in place, is called as it is.
        expected : what it gave before, if it was run: the lines must give the same, bit for bit.
        """
        kwargs, args = kwargs or {}, self._constants(tuple(args))
        lines, known = len(self.lines), len(self._known)
        if expected is None:
            expected = run(Line(function, args, kwargs, None))
        many = isinstance(expected, (tuple, list))
        try:
            result = function(*each(self._symbol, args), **each(self._symbol, kwargs))
            found = tuple(self._line(part) for part in (result if many else [result]))
            check = close if self.fast else same
            if len(found) == (len(expected) if many else 1) and all(
                map(check, found, expected if many else [expected])
            ):
                return found if many else found[0]
        except (Unknowable, TypeError, ValueError, AttributeError, IndexError):
            pass
        del self.lines[lines:]
        while len(self._known) > known:
            self._known.popitem()
        whole = self.add(function, args, kwargs)
        return tuple(self.add(operator.getitem, (whole, i)) for i in range(len(expected))) if many else whole

    def _symbol(self, x: Any) -> Any:
        return Symbol(self, x) if isinstance(x, Line) and isinstance(x.value, (np.ndarray, np.generic)) else values(x)

    def _line(self, x: Any) -> Line:
        if isinstance(x, Symbol):
            return x.line
        if isinstance(x, (np.ndarray, np.generic)):
            return self.constant(x)
        raise Unknowable


def same(line: Line, value: Any) -> bool:
    """Whether the line gave this value, bit for bit, NaN included."""
    if line.shape != np.shape(value) or line.dtype != getattr(value, "dtype", None):
        return False
    return line.value is value or np.asarray(line.value).tobytes() == np.asarray(value).tobytes()


def close(line: Line, value: Any) -> bool:
    """Whether the line gave this value, but for rounding, relative to the largest number in it."""
    if line.shape != np.shape(value) or line.dtype != getattr(value, "dtype", None):
        return False
    a, b = np.asarray(line.value), np.asarray(value)
    if a.dtype.kind != "f":
        return a.tobytes() == b.tobytes()
    if np.array_equal(a, b):
        return True
    with np.errstate(all="ignore"):
        largest = np.max(np.abs(b), initial=0, where=np.isfinite(b))
        return bool(np.allclose(a, b, 0, np.finfo(a.dtype).resolution * 1e3 * largest, equal_nan=True))


def needed(outputs: Iterable[Line], lines: list[Line]) -> list[Line]:
    """The lines that the outputs are made from, in order."""
    wanted = set(outputs)
    for line in reversed(lines):
        if line in wanted:
            wanted.update(lines_in((line.args, line.kwargs)))
    return [line for line in lines if line in wanted]
