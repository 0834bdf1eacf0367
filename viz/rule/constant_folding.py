"""Constant folding: compute arithmetic between the numbers of a rule while parsing it, with the same results as Python.

This file is translated to static/rule.js.
"""

from __future__ import annotations

from math import floor, log10

from .language import COMPARES

LARGEST = 1e300  #: the largest number that constant folding may produce
TOO_LARGE = "this number is too large"


def refused(sign: str, a: float, b: float) -> str:
    """Return the reason why `a sign b` has no result, such as a division by 0, or "" if it has one."""
    if sign in COMPARES:
        return "compare with a name of the function, not two numbers"
    if (sign == "/" and b == 0) or (sign == "**" and a == 0 and b < 0):
        return "this divides by 0"
    if sign == "**" and a < 0 and b != floor(b):
        return "a negative number has no such power"
    if sign == "**" and a != 0 and b * log10(abs(a)) > 300:
        return TOO_LARGE
    return ""


def combined(sign: str, a: float, b: float) -> float:
    """Return the number `a sign b`.

    >>> combined("**", 2.0, 3.0)
    8.0
    """
    if sign == "+":
        return a + b
    if sign == "-":
        return a - b
    if sign == "*":
        return a * b
    return a / b if sign == "/" else a**b
