"""Calls that do the same in less time: choices without branches, products of arrays as matrix products.

What they give may differ from the call that was written in the last digit, nowhere else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.compare import BITS, keep
from .calls import Line, constant, index_add, reshape
from .multiples import multiples


def keep_here(x: Any, condition: Any) -> Any:
    """What `keep` gives, in the memory of `x`."""
    bits = x.view(BITS[x.dtype.char])
    np.multiply(bits, condition, bits)
    return x


#: Functions to which a whole number may as well be given as a float, beside floats.
_ARITHMETIC = {
    np.add, np.subtract, np.multiply, np.true_divide, np.maximum, np.minimum, np.less, np.less_equal, np.greater,
    np.greater_equal, np.equal, np.not_equal,
}  # fmt: skip


def as_floats(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with whole numbers as floats, which NumPy takes in less time: `1.0 - x` for `1 - x`."""
    if function not in _ARITHMETIC or any(getattr(a.dtype, "kind", "") != "f" for a in args if isinstance(a, Line)):
        return args
    return tuple([float(a) if type(a) is int and abs(a) < 2**53 else a for a in args])


def faster(program: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Line | None:
    """A Line that gives the same as the call, or None where the call is as fast as any."""
    if function is np.where and len(args) == 3:
        return _choice(program, *args)
    if function is np.power and args[1] in (2, 3) and isinstance(args[0], Line) and isinstance(args[1], (int, float)):
        squared = program.add(np.square, args[:1])
        return squared if args[1] == 2 else program.add(np.multiply, (squared, args[0]))
    if function in (np.add, np.subtract, np.multiply, np.negative) and not kwargs:
        found = _added(program, *args) or _added(program, *args[::-1]) if function is np.add else None
        return found or multiples(program, function, args)
    if function is np.greater and _is_zero(args[1]) and (rest := program.found(np.maximum, args)):
        return program.add(np.greater, (rest, 0.0))  # then `x` is not needed beside max(x, 0)
    if function is reshape:
        return _column(program, *args)
    if function == np.add.reduce:
        return _products(program, args[0], kwargs)
    return None


def _choice(program: Any, condition: Any, a: Any, b: Any) -> Line | None:
    if not isinstance(condition, Line) or condition.dtype != bool:
        return None
    if _is_zero(b) and _covers(a, condition) and a.shape:
        return program.add(keep, (a, condition))
    if _is_zero(a) and _covers(b, condition) and b.shape:
        return program.add(keep, (b, program.add(np.logical_not, (condition,))))
    return None


def _added(program: Any, a: Any, b: Any) -> Line | None:
    """What was added to zeros at some places, added to `a` at these places."""
    if not all(isinstance(x, Line) for x in (a, b)) or b.function is not index_add:
        return None
    if not a.shape or a.shape != b.shape or a.dtype != b.dtype:
        return None
    start, key, value = b.args
    empty = start.function is constant and not np.any(start.value)
    return program.add(index_add, (a, key, value)) if empty and a.function is not constant else None


def _column(program: Any, x: Any, shape: tuple[int, ...]) -> Line | None:
    """A matrix times a vector that was made into a column for it."""
    if (
        not isinstance(x, Line)
        or x.function is not np.matmul
        or len(shape) != 1
        or len(x.shape) != 2
        or x.shape[1] != 1
    ):
        return None
    a, b = x.args
    if isinstance(b, Line) and b.function is reshape and len(b.args[0].shape) == 1 and len(a.shape) == 2:
        return program.add(np.matmul, (a, b.args[0]))
    return None


def _products(program: Any, x: Any, options: dict[str, Any]) -> Line | None:
    """The sum of all products of two arrays, which are not written down for it."""
    if not isinstance(x, Line) or x.function is not np.multiply or x.dtype != np.float64 or set(options) != {"axis"}:
        return None
    a, b = x.args
    if not all(isinstance(y, Line) and y.shape == x.shape and y.dtype == x.dtype for y in (a, b)):
        return None
    every = options["axis"] == tuple(range(len(x.shape))) or (len(x.shape) == 1 and options["axis"] == 0)
    return program.add(np.vdot, (a, b)) if every else None


def _is_zero(x: Any) -> bool:
    if isinstance(x, Line):
        return (
            x.function is constant
            and not x.shape
            and x.dtype.kind in "iuf"
            and x.value == 0
            and not np.signbit(x.value)
        )
    return isinstance(x, (int, float)) and x == 0 and not np.signbit(float(x))


def _covers(x: Any, condition: Line) -> bool:
    """Whether `x` alone has the shape and the dtype of the result."""
    if not isinstance(x, Line) or x.dtype.char not in BITS or x.function is constant:
        return False
    return np.broadcast_shapes(x.shape, condition.shape) == x.shape
