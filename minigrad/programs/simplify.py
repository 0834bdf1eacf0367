"""Calls that need not be made, because their result is known to be one that is there already, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ops.compare import BITS, keep
from .calls import Line, astype, constant, each, frozen, index_add, is_reduction, needed, reshape, seed, transpose


def simplified(
    lines: Sequence[Line], outputs: Sequence[Line], seeds: bool = False, also: Sequence[Line] = (), outer: bool = False
) -> tuple[list[Line], dict[Line, Line]]:
    """The lines that the outputs need, fewer where that changes no bit, and what stands for each of the old ones.

    seeds : whether the upstream gradients that backward passes begin with count as the constants that they are.
    outer : whether the product of a column and a row is written as an outer product, which reads better.
    also : lines that are wanted in the mapping though the outputs may not need them.
    """
    work = _Simpler(seeds, outer)
    for line in needed([*outputs, *also], list(lines)):
        work.take(line)
    return needed([work.now[out] for out in outputs], work.lines), work.now


class _Simpler:
    """The new lines, and for each old one what stands for it."""

    def __init__(self, seeds: bool, outer: bool) -> None:
        self.seeds, self.outer = seeds, outer
        self.lines: list[Line] = []
        self.now: dict[Line, Line] = {}
        self._known: dict[Any, Line] = {}

    def take(self, line: Line) -> None:
        if not line.args or line.function is constant:
            self.lines.append(line)
            self.now[line] = line
            return
        args, kwargs = line.args, line.kwargs
        if any(self.now[a] is not a for a in line.uses):
            args = each(lambda a: self.now[a] if type(a) is Line else a, args)
            kwargs = each(lambda a: self.now[a] if type(a) is Line else a, kwargs)
        found = self._simpler(line, args, kwargs) or self.add(line, line.function, args, kwargs)
        self.now[line] = self._folded(found) if self.seeds else found

    def _folded(self, line: Line) -> Line:
        """What a line gives, as a constant, where a few known numbers are all that goes in."""
        fixed = all(a.function is constant and a.nbytes <= 64 for a in line.uses)
        if not (fixed and line.uses and line.nbytes <= 64 and isinstance(line.function, np.ufunc)) or line.kwargs:
            return line
        with np.errstate(all="ignore"):
            value = line.function(*each(lambda a: a.value if type(a) is Line else a, line.args))
        self.lines.append(Line(constant, (), {}, value))
        return self.lines[-1]

    def add(self, like: Line, function: Any, args: tuple[Any, ...], kwargs: Any = None) -> Line:
        """The line of a call whose result is like that of another line."""
        kwargs = kwargs or {}
        key = function, frozen(args), frozen(kwargs)
        if key not in self._known:
            made = like if args is like.args else Line(function, args, kwargs, like)
            made.name = like.name
            self.lines.append(made)
            self._known[key] = made
        elif like.name and not self._known[key].name:
            self._known[key].name = like.name
        return self._known[key]

    def _simpler(self, line: Line, args: tuple[Any, ...], kwargs: Any) -> Line | None:
        """What gives the same; None where the call itself is needed."""
        function, x = line.function, args[0] if isinstance(args[0], Line) else None
        if function is seed and self.seeds:
            return x
        if x is None and function is not np.where and not isinstance(function, np.ufunc):
            return None
        if function is reshape and x is not None:
            return self._reshaped(line, x, args[1])
        if function is transpose and x is not None:
            return x if args[1] == tuple(range(len(x.shape))) else None
        if function is astype and x is not None:
            return x if args[1] == x.dtype else None
        if function is np.broadcast_to and x is not None:
            return x if args[1] == x.shape else None
        if function is np.where and len(args) == 3 and not kwargs:
            return self._choice(line, *args)
        if isinstance(function, np.ufunc) and function is not np.matmul and function.nout == 1 and not kwargs:
            return self._elementwise(line, function, args)
        return None

    def _reshaped(self, line: Line, x: Line, shape: tuple[int, ...]) -> Line | None:
        if shape == x.shape:
            return x
        if x.function is reshape:
            return self.add(line, reshape, (x.args[0], shape))
        if is_reduction(x) and x.kwargs.get("keepdims") is True and x.kwargs.get("axis") is not None:
            axes = x.kwargs["axis"] if isinstance(x.kwargs["axis"], tuple) else (x.kwargs["axis"],)
            left = tuple(n for i, n in enumerate(x.shape) if i not in [a % len(x.shape) for a in axes])
            if left == shape:  # the reduction can drop the axes itself
                return self.add(line, x.function, x.args, {k: v for k, v in x.kwargs.items() if k != "keepdims"})
        return None

    def _choice(self, line: Line, condition: Any, x: Any, other: Any) -> Line | None:
        """np.where(condition, x, 0), which for conditions that change from element to element is slow."""
        lines = isinstance(x, Line) and isinstance(condition, Line) and bool(line.shape)
        if not (lines and type(other) is int and other == 0 and condition.dtype == bool and x.dtype.char in BITS):
            return None
        if (x.dtype, x.strides) == (line.dtype, line.strides) and x.shape == condition.shape == line.shape:
            return self.add(line, keep, (x, condition))
        return None

    def _elementwise(self, line: Line, function: Any, args: tuple[Any, ...]) -> Line | None:
        """Multiplication by one, and operands that were repeated only to be broadcast again."""
        slim = tuple([self._unspread(a) for a in args])
        if function in (np.multiply, np.divide):
            for a, b in zip(args, slim[::-1]) if function is np.multiply else [(args[0], slim[1])]:
                alike = isinstance(a, Line) and (a.shape, a.dtype, a.strides) == (line.shape, line.dtype, line.strides)
                if alike and is_one(b):
                    return a
        if self.outer and function is np.multiply and all(type(a) is Line and _is_vector(a) for a in args):
            for row, column in (args, args[::-1]):
                if row.shape[0] == column.shape[1] == 1:
                    return self.add(line, np.outer, (column.args[0], row.args[0]))
        if function is np.add and all(type(a) is Line for a in args):
            (a, b), like = args, (line.shape, line.dtype, line.strides)
            if (
                _is_filled(a)
                and b.function is index_add
                and _is_zeros(b.args[0])
                and (a.shape, a.dtype, a.strides) == like
            ):
                return self.add(line, index_add, (a, *b.args[1:]))
        if all(a is b for a, b in zip(slim, args)):
            return None
        each_ = [(*args[:i], a, *args[i + 1 :]) for i, a in enumerate(slim)]
        for fewer in (slim, *each_):  # all of them at once, or one
            if fewer != args and _together(fewer) == line.shape and line.contiguous:
                return self.add(line, function, fewer)
        return None

    def _unspread(self, a: Any) -> Any:
        """What `a` repeats: the argument of broadcast_to, or the one number that a constant array consists of."""
        if isinstance(a, Line) and a.function is np.broadcast_to:
            return a.args[0]
        if isinstance(a, Line) and a.function is constant and a.shape and a.size > 1 and not any(a.value.strides):
            number = a.value[(0,) * a.value.ndim]
            key = constant, number.dtype, number.tobytes()
            if key not in self._known:
                self._known[key] = Line(constant, (), {}, number)
                self.lines.append(self._known[key])
            return self._known[key]
        return a


def _is_vector(a: Line) -> bool:
    """Whether a line makes a row or a column of a vector."""
    return a.function is reshape and len(a.args[0].shape) == 1 and len(a.shape) == 2 and 1 in a.shape


def _is_zeros(a: Any) -> bool:
    """Whether `a` is known to be 0 everywhere, and nowhere -0.0."""
    if not isinstance(a, Line) or a.function is not constant or a.dtype.kind != "f" or not a.shape:
        return False
    value = a.value if any(a.value.strides) else a.value[(0,) * a.value.ndim] if a.size else a.value
    return not np.any(value) and not np.any(np.signbit(value))


def _is_filled(a: Line) -> bool:
    """Whether a line adds to zeros in some places. Nothing in it is -0.0: to add 0.0 elsewhere changes no bit."""
    return a.function is index_add and (_is_zeros(a.args[0]) or _is_filled(a.args[0]))


def _together(args: tuple[Any, ...]) -> tuple[int, ...]:
    """The shape that the arguments are broadcast to."""
    return np.broadcast_shapes(*(getattr(a, "shape", ()) for a in args))


def is_one(a: Any) -> bool:
    """Whether `a` is known to be 1 everywhere."""
    if isinstance(a, Line):
        if a.function is not constant or not a.size:
            return False
        if a.shape and not any(a.value.strides):
            return bool(a.value[(0,) * a.value.ndim] == 1)
        return a.size <= 64 and bool(np.all(a.value == 1))
    return type(a) in (int, float) and a == 1
