"""Ink: the size of a gradient as the width and tint of a line, on one logarithmic scale for the whole picture."""

from __future__ import annotations

from math import floor, inf, log10, nan

DECADES = 12  #: maximum number of decades on the scale; with more, tiny numbers would take up most of it
THIN, THICK = 1.0, 6.5  #: widths of the thinnest and the thickest line, in pixels
TINTS = 4  #: the highest index of a tint; the lowest is 0


def size_of(text: str) -> float:
    """Return the largest magnitude in the text of a number or array: 0.3 for "-0.3…0.2", or -1 if there is no number.

    The result is nan for nan and for numbers marked as wrong with ≠.
    """
    if text == "" or text == "none":
        return -1.0
    if "nan" in text or "≠" in text:
        return nan
    if "inf" in text:
        return inf
    largest = -1.0
    for part in text.replace("…", " ").replace("[", " ").replace("]", " ").replace(",", " ").split(" "):
        if part != "" and part[0] in "-.0123456789":
            largest = max(largest, abs(float(part)))
    return largest


def wrong_of(text: str) -> str:
    """Return "nan", "inf" or "≠", whichever the text of a number or array contains, or ""."""
    return "nan" if "nan" in text else "inf" if "inf" in text else "≠" if "≠" in text else ""


def is_bad(size: float) -> bool:
    """Return whether a size is nan or inf."""
    return not (size < inf)


def scale_of(sizes: list[float]) -> list[float]:
    """Return the scale for some sizes: the exponents of 10 at its thin end and at its thick end."""
    low = 0.0
    high = 0.0
    for size in sizes:
        if size > 0 and not is_bad(size):
            low = min(low, log10(size))
            high = max(high, log10(size))
    top = -floor(0.01 - high)
    return [max(top - DECADES, min(floor(low), top - 3)), top]


def share_of(size: float, scale: list[float]) -> float:
    """Return the position of a size on the scale, from 0 to 1."""
    if not (size > 0):
        return 0.0
    return max(0.0, min(1.0, (log10(size) - scale[0]) / (scale[1] - scale[0])))


def width_of(size: float, scale: list[float]) -> float:
    """Return the width of the line for a message of this size."""
    if is_bad(size):
        return 3.0
    return THIN if size <= 0 else THIN + (THICK - THIN) * share_of(size, scale)


def look_of(size: float, scale: list[float]) -> str:
    """Return the CSS class of the line for a message of this size.

    It is "no" if nothing was sent, "zero", "bad", or a tint from "b0" to "b4".
    """
    if is_bad(size):
        return "bad"
    if size < 0:
        return "no"
    return "zero" if size == 0 else "b" + str(int(share_of(size, scale) * TINTS + 0.5))
