"""The inputs at which an exercise is tried: simple points first, then those that hypothesis finds in the same range."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Points in the order in which a person would try them: the first that fails is the one to show.
SIMPLE = (1.0, 0.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 10.0, -10.0, 100.0, -100.0, 1000.0, -1000.0)


@dataclass(frozen=True)
class Floats:
    """Numbers from `low` to `high`; `also` are points that are always tried, and first."""

    low: float
    high: float
    also: tuple[float, ...] = ()

    def grid(self) -> list[float]:
        """Simple points inside the range, then its ends and seven points between them."""
        ends = [self.low, self.high, *np.linspace(self.low, self.high, 9)[1:-1].tolist()]
        return list(dict.fromkeys(p for p in (*self.also, *SIMPLE, *ends) if self.low <= p <= self.high))

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        return st.floats(_narrow(self.low, 1), _narrow(self.high, -1), allow_nan=False, width=32)


@dataclass(frozen=True)
class Arrays:
    """Arrays of one of the given shapes, of small whole numbers other than zero, so that a failure reads easily."""

    shapes: tuple[tuple[int, ...], ...]

    def grid(self) -> list[np.ndarray]:
        return [_counting(shape, shift) for shift in (0, 2, 5) for shape in self.shapes]

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        number = st.sampled_from([1.0, 2.0, 3.0, -1.0, -2.0])
        one = lambda shape: st.lists(number, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))).map(
            lambda values: np.reshape(values, shape)
        )
        return st.sampled_from(self.shapes).flatmap(one)


def floats(low: float, high: float, also: Sequence[float] = ()) -> Floats:
    """Any number from `low` to `high`, in float32 steps.

    >>> floats(-1, 4, also=[3.5]).grid()[:5]
    [3.5, 1.0, 0.0, -1.0, 2.0]
    """
    return Floats(float(low), float(high), tuple(float(p) for p in also))


def arrays(*shapes: tuple[int, ...]) -> Arrays:
    """Any array of one of these shapes.

    >>> arrays((2,), (2, 2)).grid()[0]
    array([1., 2.])
    """
    return Arrays(shapes)


def grid(domains: Sequence[Any], most: int = 150) -> list[tuple[Any, ...]]:
    """The points of several domains combined, simple ones first.

    >>> grid([floats(0, 1), floats(2, 3)])[:3]
    [(1.0, 2.0), (1.0, 3.0), (0.0, 2.0)]
    """
    axes = [list(enumerate(domain.grid())) for domain in domains]
    combined = sorted(itertools.product(*axes), key=lambda point: sum(rank for rank, _ in point))
    return [tuple(value for _, value in point) for point in combined[:most]]


def show(value: Any, digits: int = 6) -> str:
    """A value in a few characters, for a table.

    >>> show(0.30000001), show(np.float32(100)), show((1, float("inf")))
    ('0.3', '100', '(1, inf)')
    """
    if isinstance(value, (bool, np.bool_, str)) or value is None:
        return repr(value)[:120]
    if isinstance(value, (int, np.integer)):
        whole = int(value)
        return str(whole) if abs(whole) < 10**40 else f"about {'-' if whole < 0 else ''}1e{math.log10(abs(whole)):.0f}"
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.{digits}g}"
    if isinstance(value, (tuple, list)):
        inside = ", ".join(show(item, digits) for item in value[:12]) + ", ..." * (len(value) > 12)
        if isinstance(value, tuple):
            return f"({inside}{',' * (len(value) == 1)})"
        return f"[{inside}]"
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=digits, separator=", ", threshold=20, floatmode="maxprec")
    if hasattr(value, "value") and hasattr(value, "op"):  # a Tensor
        return show(value.value, digits)
    try:
        return repr(value)[:120]
    except Exception as error:  # a class of the student's own
        return f"a {type(value).__name__} whose __repr__ raises {type(error).__name__}"


def _counting(shape: tuple[int, ...], shift: int) -> np.ndarray:
    values = (1.0, 2.0, -1.0, 3.0, -2.0)
    return np.reshape([values[(i + shift) % 5] for i in range(int(np.prod(shape)))], shape)


def _narrow(end: float, towards: int) -> float:
    """The end of a range as float32, never outside of it."""
    as32 = float(np.float32(end))
    beyond = (as32 < end) if towards > 0 else (as32 > end)
    return float(np.nextafter(np.float32(end), np.float32(towards * np.inf))) if beyond else as32
