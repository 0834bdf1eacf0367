"""Numbers and names as written in a sentence: three digits, and lists of at most four."""

from __future__ import annotations

from collections.abc import Sequence

from ..scene.ink import is_bad, size_of
from ..scene.words import figure

CLOSE = 2e-3  #: relative difference of numbers that agree, as in the table of `viz.compare`
LISTED = 4  #: maximum number of names in a list, which then says how many more there are
FIRST = ("the", "that", "no", "each", "both", "not")  #: first words that get a capital letter; a name keeps its letters


def capital(text: str) -> str:
    return text[0].upper() + text[1:] if text.split(" ")[0] in FIRST else text


def names_in_a_row(names: Sequence[str]) -> str:
    """Names as in "x, y, z and 3 more"."""
    if len(names) > LISTED:
        return ", ".join(names[: LISTED - 1]) + f" and {len(names) - LISTED + 1} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def signed(text: str) -> str:
    """A number in words, in three digits; nan, inf and other words are unchanged."""
    try:
        return text if is_bad(size_of(text)) else figure(float(text))
    except ValueError:
        return text  # an array


def in_short(text: str, scalar: bool) -> str:
    """A number in three digits; for an array, the size of its largest entry."""
    return signed(text) if scalar else figure(size_of(text))


def is_close(a: float, b: float, scale: float) -> bool:
    return abs(a - b) <= CLOSE * scale


def total(texts: Sequence[str]) -> float:
    return sum(map(float, texts))


def total_size(texts: Sequence[str]) -> float:
    return sum(map(size_of, texts))
