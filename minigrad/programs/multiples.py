"""Signs and multiples, moved to the front: -a * 2b is -2 (a b), and (x + b) + b is x + 2b.

Derivatives of derivatives are sums in which the same product comes again and again with another number before it.
Once the number stands in front, the products are seen to be one, and the numbers are added while the program is
written. Signs of zeros, inf and nan stay what they are; a sum may be rounded otherwise in its last digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .calls import Line, constant

LARGEST = 64  # neither multiples beyond nor fractions below 1/64, so that nothing overflows that would not have anyway


def multiples(program: Any, function: Any, args: tuple[Any, ...]) -> Line | None:
    """A Line that gives the same as the call, with the number in front; None where there is nothing to move."""
    lines = [a for a in args if isinstance(a, Line)]
    if not lines or any(a.dtype is None or a.dtype.char not in "fd" or a.dtype != lines[0].dtype for a in lines):
        return None
    if function is np.negative:
        return _times(program, -1, args[0])
    if len(args) != 2 or function not in (np.multiply, np.add, np.subtract):
        return None
    if function is np.multiply:
        return _product(program, *args)
    if len(lines) == 2 and lines[0].shape == lines[1].shape:
        return _sum(program, lines[0], lines[1], 1 if function is np.add else -1)
    return None


def taken_apart(a: Any) -> tuple[float, Any]:
    """The number in front of a Line, and the rest: 1 and the Line itself, where there is none."""
    if isinstance(a, Line) and a.function is np.negative:
        return -1, a.args[0]
    if isinstance(a, Line) and a.function is np.multiply:
        for x, n in (a.args, a.args[::-1]):
            if _number(n) and isinstance(x, Line) and x.dtype == a.dtype and x.shape == a.shape:
                return _number(n), x
    return 1, a


def _number(n: Any) -> float:
    """A number that may be moved: a whole one, or one with a short binary fraction. 0 for anything else."""
    if isinstance(n, Line):
        n = n.value if n.function is constant and not n.shape else 0
    return float(n) if isinstance(n, (int, float, np.floating)) and _fits(float(n)) else 0


def _fits(n: float) -> bool:
    return abs(n) <= LARGEST and n * LARGEST == n * LARGEST // 1


def _times(program: Any, n: float, a: Line) -> Line | None:
    """n times `a`, where `a` is a multiple itself."""
    m, x = taken_apart(a)
    return _multiple(program, n * m, x) if m != 1 and _fits(n * m) else None


def _multiple(program: Any, n: float, x: Line) -> Line:
    if abs(n) == 1:
        return x if n == 1 else program.add(np.negative, (x,))
    return program.add(np.multiply, (x, n))


def _product(program: Any, a: Any, b: Any) -> Line | None:
    if _number(a) or _number(b):
        n, x = (_number(a), b) if _number(a) else (_number(b), a)
        return _times(program, n, x) if isinstance(x, Line) and n != 1 else None
    (n, x), (m, y) = taken_apart(a), taken_apart(b)
    shape = np.broadcast_shapes(np.shape(a), np.shape(b))
    n, x = (n, x) if np.shape(a) == shape else (1, a)  # what is repeated is better multiplied before
    m, y = (m, y) if np.shape(b) == shape else (1, b)
    moved = (n, m) != (1, 1) and _fits(n * m)
    return _multiple(program, n * m, program.add(np.multiply, (x, y))) if moved else None


def _sum(program: Any, a: Line, b: Line, sign: int) -> Line | None:
    """a + b, or a - b where the sign is -1."""
    (n, x), (m, y) = taken_apart(a), taken_apart(b)
    m *= sign
    if x is y:
        return _multiple(program, n + m, x) if n * m > 0 and _fits(n + m) else None
    common = min(abs(n), abs(m))
    if abs(n) != 1 != abs(m) and n % common == m % common == 0:
        first, second = _multiple(program, n / common, x), _multiple(program, abs(m) / common, y)
        return _multiple(program, common, program.add(np.add if m > 0 else np.subtract, (first, second)))
    if a.function in (np.add, np.subtract):
        return _collected(program, a, y, m)
    if sign < 0 and m > 0:
        return program.add(np.add, (a, _multiple(program, m, y)))
    if m == -1 and sign > 0:
        return program.add(np.subtract, (a, y))
    if n == -1 and m > 0:
        return program.add(np.subtract, (_multiple(program, m, y), x))
    return None


def _collected(program: Any, a: Line, y: Any, m: float) -> Line | None:
    """(p + q) + m y, where p or q is a multiple of y too, or q the same multiple of something else."""
    p, q = a.args
    if not all(isinstance(part, Line) and part.shape == a.shape for part in (p, q)):
        return None
    (n, x), (k, z) = taken_apart(p), taken_apart(q)
    k = k if a.function is np.add else -k
    if z is y and k * m > 0 and _fits(k + m):
        together = np.add if k > 0 else np.subtract
        return program.add(together, (p, _multiple(program, abs(k + m), y)))
    if x is y and n * m > 0 and _fits(n + m):
        return program.add(a.function, (_multiple(program, n + m, y), q))
    if k == -m and abs(m) != 1:
        inner = program.add(np.subtract, (z, y) if k > 0 else (y, z))
        return program.add(np.add, (p, _multiple(program, abs(m), inner)))
    return None
