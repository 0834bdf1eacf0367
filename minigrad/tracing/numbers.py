"""Numbers as text for pictures and tables: short and unambiguous, with nan and inf as words."""

from __future__ import annotations

import math

from .trace_schema import Num, Summary


def short(value: Num | None, digits: int = 4) -> str:
    """Return `value` as text of at most about 14 characters.

    >>> short(0.1 + 0.2), short(2.6881171e43), short("nan"), short(-0.0), short(None)
    ('0.3', '2.688e43', 'nan', '-0', 'none')
    """
    if value is None:
        return "none"
    if isinstance(value, Summary):
        return _short_array(value)
    if isinstance(value, bool):
        return str(value)
    text = value if isinstance(value, str) else f"{value:.{digits}g}"
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else text


def full(value: Num | None) -> str:
    """Return `value` as text with nine digits; an array is described by its first elements and its range.

    >>> full(0.5), full("-inf")
    ('0.5', '-inf')
    """
    if not isinstance(value, Summary):
        return value if isinstance(value, str) else "none" if value is None else short(value, 9)
    some = ", ".join(short(item) for item in value.sample[:8])
    dots = ", …" if _size(value) > min(len(value.sample), 8) else ""
    counts = "".join(f", {n} {word}" for word in ("nan", "inf") if (n := getattr(value, word)))
    extent = f"min {short(value.min)}, max {short(value.max)}, mean {short(value.mean)}"
    return f"{value.dtype} array of shape {_tuple(value.shape)}: [{some}{dots}]; {extent}{counts}"


def shape_text(shape: tuple[int, ...]) -> str:
    """Return a shape as a label.

    >>> shape_text((3, 4)), shape_text(())
    ('3×4', '')
    """
    return "×".join(str(n) for n in shape)


def nonfinite(value: Num | None) -> str | None:
    """Return "nan" if `value` contains nan, else "inf" if it contains an infinity, else None.

    >>> nonfinite("-inf"), nonfinite(1.0), nonfinite(None)
    ('inf', None, None)
    """
    if isinstance(value, Summary):
        return "nan" if value.nan else "inf" if value.inf else None
    if value is None or math.isfinite(number := float(value)):
        return None
    return "nan" if math.isnan(number) else "inf"


def number_of(value: Num | None) -> float | None:
    """Return `value` as a float, or None if it is an array or None.

    >>> number_of("-inf"), number_of(2.0), number_of(None)
    (-inf, 2.0, None)
    """
    return None if value is None or isinstance(value, Summary) else float(value)


def is_zero(value: Num | None) -> bool:
    """Return True for 0.0 and for an array that contains a zero."""
    return value.zeros > 0 if isinstance(value, Summary) else value == 0


def all_zero(value: Num | None) -> bool:
    """Return True for 0.0 and for an array of zeros."""
    return value.zeros == _size(value) if isinstance(value, Summary) else value == 0


def clip(text: str, chars: int) -> str:
    """Return `text`, shortened to at most `chars` characters by leaving out its middle.

    >>> clip("attention_weights", 9)
    'atte…ghts'
    """
    text = " ".join(text.split())
    if len(text) <= chars:
        return text
    head = chars // 2
    return text[:head] + "…" + text[len(text) - (chars - head - 1) :]


def _short_array(value: Summary) -> str:
    if _size(value) <= 4:
        text = "[" + " ".join(short(item, 3) for item in value.sample) + "]"
        if len(text) <= 28:
            return text
    for word in ("nan", "inf"):
        if n := getattr(value, word):
            return f"{n} {word} of {_size(value)}"
    if value.min == value.max:
        return f"all {short(value.min, 3)}"
    return f"{short(value.min, 3)}…{short(value.max, 3)}"


def _size(value: Summary) -> int:
    return math.prod(value.shape)


def _tuple(shape: tuple[int, ...]) -> str:
    return "(" + ", ".join(str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"
