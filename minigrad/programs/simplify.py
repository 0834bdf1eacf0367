"""Leave out each call whose result is known to equal an existing result bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .instructions import Line, astype, constant, each, is_ufunc, needed, repeated, reshape, seed, transpose


def simplified(
    lines: Sequence[Line], outputs: Sequence[Line], readable: bool, also: Sequence[Line] = ()
) -> tuple[list[Line], dict[Line, Line]]:
    """Return the lines that the outputs need, simplified without changing a bit, and a mapping from old to new lines.

    readable : whether to write the product of a column and a row as an outer product, and to keep the first upstream
        gradient of each backward pass as a line.
    also : lines that must be in the mapping even if the outputs do not need them.
    """
    simpler = _Simplification(readable)
    for line in needed([*outputs, *also], lines):
        simpler.add(line)
    return needed([simpler.now[out] for out in outputs], simpler.lines), simpler.now


class _Simplification:
    """Builds the simplified lines one by one.

    now : old line -> the simplified line with the same result.
    """

    def __init__(self, readable: bool) -> None:
        self.readable = readable
        self.lines: list[Line] = []
        self.now: dict[Line, Line] = {}
        self._known: dict[str, Line] = {}

    def add(self, line: Line) -> None:
        if not line.uses:
            self.lines.append(line)
            self.now[line] = line
            return
        args, kwargs = line.args, line.kwargs
        if any(self.now[a] is not a for a in line.uses):
            args, kwargs = each(lambda a: self.now[a] if type(a) is Line else a, (args, kwargs))
        self.now[line] = self._simplified(line, args, kwargs) or self._add(line, line.function, args, kwargs)

    def _new(self, line: Line) -> Line:
        self.lines.append(line)
        return line

    def _add(self, like: Line, function: Any, args: tuple[Any, ...], kwargs: Any = None) -> Line:
        """Add a call, unless the same call exists, and return its line.

        like : a line whose result has the same shape and dtype.
        """
        kwargs = kwargs or {}
        key = repr((function, args, kwargs))
        if key not in self._known:
            self._known[key] = self._new(like if args is like.args else Line(function, args, kwargs, like))
        return self._known[key]

    def _simplified(self, line: Line, args: tuple[Any, ...], kwargs: Any) -> Line | None:
        """Return a simpler line with the same result as `line`, or None if the call itself is needed.

        args, kwargs : the arguments of `line`, already simplified.
        """
        function, x = line.function, args[0] if args else None
        if is_ufunc(line) and not kwargs:
            return self._elementwise(line, function, args)
        if not isinstance(x, Line):
            return None
        if function is seed:
            return None if self.readable else x
        if function is reshape:
            if x.function is reshape and not x.args[0].contiguous and args[1] != x.shape:
                return None  # the inner call makes a copy, whose memory order affects the result
            shape = x.args[0].shape if x.function is reshape else x.shape
            if args[1] in (x.shape, shape):
                return x if args[1] == x.shape else x.args[0]
            return self._add(line, reshape, (x.args[0], args[1])) if x.function is reshape else None
        if function is repeated:
            return x if args[1] == x.shape and x.contiguous else None
        same = {transpose: tuple(range(len(x.shape))), astype: x.dtype, np.broadcast_to: x.shape}
        return x if function in same and args[1] == same[function] else None

    def _elementwise(self, line: Line, function: Any, args: tuple[Any, ...]) -> Line | None:
        """Return a simpler line than a ufunc call, or None.

        A product with 1, a division by 1 and an operand's explicit broadcast are left out. If `readable`, the product
        of a row and a column becomes an outer product.
        """
        slim = tuple([self._unrepeated(a) for a in args])
        lines = [a for a in args if type(a) is Line]
        fits = [(a.shape, a.dtype, a.strides) == (line.shape, line.dtype, line.strides) for a in lines]
        if function in (np.multiply, np.divide):
            for a, b in zip(args, slim[::-1]) if function is np.multiply else [(args[0], slim[1])]:
                if a in lines and fits[lines.index(a)] and is_one(b):
                    return a
        if self.readable and function is np.multiply and all(map(_is_vector, args)):
            for row, column in (args, args[::-1]):
                if row.shape[0] == column.shape[1] == 1:
                    return self._add(line, np.outer, (self._vector(column), self._vector(row)))
        # try to replace all operands at once, then each of them
        for fewer in (slim, *((*args[:i], a, *args[i + 1 :]) for i, a in enumerate(slim))):
            shapes = [getattr(a, "shape", ()) for a in fewer]
            in_order = all(a.contiguous for a in (line, *fewer) if type(a) is Line)
            if fewer != args and in_order and np.broadcast_shapes(*shapes) == line.shape:
                return self._add(line, function, fewer)
        return None

    def _vector(self, a: Line) -> Line:
        """Return the line of a vector with the elements of `a`, a one-row or one-column matrix."""
        return a.args[0] if a.function is reshape else self._new(Line(constant, (), {}, a.value.reshape(-1)))

    def _unrepeated(self, a: Any) -> Any:
        """Undo a broadcast: return the argument of broadcast_to, or the number that fills a constant array, or `a`."""
        if not isinstance(a, Line) or a.function is not constant:
            return a.args[0] if isinstance(a, Line) and a.function in (np.broadcast_to, repeated) else a
        if a.size < 2 or any(a.value.strides):
            return a
        number = a.value[(0,) * a.value.ndim]
        key = f"{number.dtype} {number.tobytes()!r}"
        if key not in self._known:
            self._known[key] = self._new(Line(constant, (), {}, number))
        return self._known[key]


def _is_vector(a: Any) -> bool:
    """Return whether a line is a vector written as a one-row or one-column matrix."""
    matrix = type(a) is Line and len(a.shape) == 2 and 1 in a.shape
    return matrix and (a.function is constant or (a.function is reshape and len(a.args[0].shape) == 1))


def is_one(a: Any) -> bool:
    """Return whether `a` is known to be 1 everywhere."""
    if type(a) is not Line:
        return type(a) in (int, float) and a == 1
    return a.function is constant and 0 < a.size <= 64 and bool(np.all(a.value == 1))
