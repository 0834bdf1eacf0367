"""Numbers and names as written in a sentence: numbers with three digits, and lists of at most four names.

All decisions about a sentence use the exact numbers of a trace. The functions here round numbers only to write them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan, prod

from minigrad.tracing.numbers import short
from minigrad.tracing.trace_schema import Num, Summary

from ..scene.words import figure
from .compared import LISTED

CLOSE = 2e-3  #: maximum relative difference of numbers that agree, as in the table of `viz.compare`


def size_of(value: Num | None) -> float:
    """Return the largest magnitude of a number or array (nan before inf), 0 for an empty array, or -1 for None."""
    if isinstance(value, Summary):
        if value.nan or value.inf:
            return nan if value.nan else inf
        return max(abs(float(value.min)), abs(float(value.max))) if prod(value.shape) else 0.0
    return -1.0 if value is None else abs(float(value))


def is_empty(value: Num | None) -> bool:
    return isinstance(value, Summary) and prod(value.shape) == 0


def uniform(value: Num | None) -> float | None:
    """Return the number that all elements of an array equal, or None if they differ or one of them is nan or inf."""
    if not isinstance(value, Summary) or value.nan or value.inf or is_empty(value):
        return None
    return float(value.min) if value.min == value.max else None


def has(value: Num | None, word: str) -> bool:
    """Return whether a number is `word` ("nan" or "inf"), or an array contains one."""
    if isinstance(value, Summary):
        return bool(getattr(value, word))
    return value is not None and word in str(value)


def signed(value: Num | None) -> str:
    """Write a number with three digits, an array of up to four numbers as a list, or a larger array as a range."""
    if isinstance(value, Summary):
        if 0 < prod(value.shape) <= LISTED:
            return f"[{' '.join(map(signed, value.sample))}]"
        if value.nan or value.inf or is_empty(value):
            return short(value)
        low, high = figure(float(value.min)), figure(float(value.max))
        return f"all {low}" if value.min == value.max else f"{low}…{high}"
    return short(value) if value is None or isinstance(value, bool) else figure(float(value))


def in_short(value: Num | None, scalar: bool) -> str:
    """Write a number with three digits or, if `scalar` is false, the largest absolute value in an array."""
    return signed(value) if scalar else figure(size_of(value))


def told_apart(a: float, b: float) -> tuple[str, str]:
    """Write two numbers with three digits, or with as many as are needed to distinguish them."""
    pairs = [(figure(a), figure(b)), *((short(a, digits), short(b, digits)) for digits in (4, 6, 9, 17))]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])


def is_close(a: float, b: float, scale: float) -> bool:
    return abs(a - b) <= CLOSE * scale


def total(values: Sequence[Num]) -> float:
    return sum(map(float, values))  # type: ignore[arg-type]


def total_size(values: Sequence[Num]) -> float:
    return sum(map(size_of, values))
