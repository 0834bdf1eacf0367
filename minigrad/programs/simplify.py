"""What need not be computed: calls whose result is known to be one that is there already, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from .calls import Line, astype, constant, reshape, transpose


def simpler(program: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Line | None:
    """A Line that gives what the call would give, or None where the call itself is needed."""
    x = args[0] if args and isinstance(args[0], Line) else None
    if function is reshape and x is not None:
        return _reshaped(program, x, args[1])
    if function is transpose and x is not None:
        return x if args[1] == tuple(range(len(x.shape))) else None
    if function is astype and x is not None:
        return x if args[1] == x.dtype else None
    if function is np.broadcast_to and x is not None:
        return x if args[1] == x.shape else None
    if isinstance(function, np.ufunc) and function is not np.matmul and not kwargs:
        return _elementwise(program, function, args)
    return None


def _reshaped(program: Any, x: Line, shape: tuple[int, ...]) -> Line | None:
    if shape == x.shape:
        return x
    if x.function is reshape:
        return program.add(reshape, (x.args[0], shape))
    summed = getattr(x.function, "__name__", "") == "reduce" and x.kwargs.get("keepdims") is True
    if summed and tuple(n for n in x.shape if n != 1) == tuple(n for n in shape if n != 1):
        axes = x.kwargs.get("axis")
        left = tuple(n for i, n in enumerate(x.shape) if axes is not None and i not in _normal(axes, len(x.shape)))
        if left == shape:  # the reduction can drop the axes itself
            return program.add(x.function, x.args, {k: v for k, v in x.kwargs.items() if k != "keepdims"})
    return None


def _normal(axes: Any, ndim: int) -> tuple[int, ...]:
    return tuple(a % ndim for a in (axes if isinstance(axes, (tuple, list)) else (axes,)))


def _elementwise(program: Any, function: Any, args: tuple[Any, ...]) -> Line | None:
    """Multiplication by one, and operands that were repeated only to be broadcast again."""
    shape = _together(args)
    if function in (np.multiply, np.divide) and len(args) == 2:
        for a, b in (args, args[::-1]) if function is np.multiply else (args,):
            if isinstance(a, Line) and a.shape == shape and is_one(b) and _dtype(function, a, b) == a.dtype:
                return a
    slim = tuple(_unspread(program, a) for a in args)
    each = [(*args[:i], a, *args[i + 1 :]) for i, a in enumerate(slim)]
    for fewer in (slim, *each):  # all of them at once, or one
        if any(a is not b for a, b in zip(fewer, args)) and _together(fewer) == shape:
            return program.add(function, fewer)
    return None


def _together(args: tuple[Any, ...]) -> tuple[int, ...]:
    """The shape that the arguments are broadcast to."""
    return np.broadcast_shapes(*(getattr(a, "shape", ()) for a in args))


def _dtype(function: Any, a: Line, b: Any) -> Any:
    kind = b.dtype if isinstance(b, Line) else type(b)
    return function.resolve_dtypes((a.dtype, kind, None))[-1]


def _unspread(program: Any, a: Any) -> Any:
    """What `a` repeats: the argument of broadcast_to, or the one number that a constant array consists of."""
    if isinstance(a, Line) and a.function is np.broadcast_to:
        return a.args[0]
    if isinstance(a, Line) and a.function is constant and a.shape and a.size and not any(a.value.strides):
        return program.constant(a.value[(0,) * a.value.ndim])
    return a


def is_one(a: Any) -> bool:
    """Whether `a` is known to be 1 everywhere."""
    if isinstance(a, Line):
        if a.function is not constant or not a.size or (a.shape and any(a.value.strides) and a.size > 64):
            return False
        return bool(np.all(a.value.ravel()[:64] == 1)) if a.size <= 64 else a.value.flat[0] == 1
    return isinstance(a, (int, float)) and a == 1
