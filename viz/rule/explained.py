"""Explain a parsed rule: why it is not a gradient, which operation makes a nan, and how much rounding may change it.

This file is translated to static/rule.js.
"""

from __future__ import annotations

from math import inf, log10
from typing import Any

from minigrad.tracing.numbers import short

from .language import OPERATES, TAKES


def functions() -> str:
    """List the functions of the language as text."""
    return ", ".join(list(TAKES))


def misfit(rule: Any, name: str, shape: Any) -> str:
    """Return the reason why the value of a rule is not a gradient of an input, or "" if its shape fits."""
    got = "×".join([str(n) for n in rule.value["shape"]])
    want = "×".join([str(n) for n in shape])
    if got == want:
        return ""
    if got == "":
        return f"the rule gives one number, and {name} has {want}: add 0 * {name}"
    if want == "":
        return f"the rule gives {got} numbers, and {name} is one: its gradient is a sum, which is written in Python"
    return f"the rule gives {got} numbers, and {name} has {want}"


def reason(rule: Any, cells: Any, entry: int) -> str:
    """Describe the first operation of a rule that makes a nan from numbers that are not nan, or return "".

    cells : the numbers that each instruction computes. entry : the index of the element to look at in an array.
    """
    for k in range(len(rule.rows)):
        sign = rule.signs[k]
        if sign == "" or entry_of(cells[rule.start + k], entry) == entry_of(cells[rule.start + k], entry):
            continue
        row = rule.rows[k]
        numbers = [entry_of(cells[c], entry) for c in row[1 : len(row)]]
        if sign == "sigmoid" or len([v for v in numbers if v != v]) > 0:
            continue
        shown = [short(v) for v in numbers]
        if sign == "-" and len(shown) == 1:
            continue
        return (
            f"{shown[0]} {sign} {shown[1]} is nan"
            if OPERATES.get(sign) is not None or sign == "**"
            else f"{sign}({', '.join(shown)}) is nan"
        )
    return ""


def doubt(rule: Any, cells: Any, entry: int, eps: float) -> float:
    """Return how much rounding may change an element of a rule's value, to first order.

    cells, entry : as for `reason`. eps : the relative rounding error of each operation.
    """
    errors = [eps * abs(entry_of(cells[c], entry)) if c > 0 else 0.0 for c in range(rule.start)]
    for k in range(len(rule.rows)):
        row, name = rule.rows[k], rule.rows[k][0]
        v = entry_of(cells[rule.start + k], entry)
        error = 0.0
        if name == "as":
            error = errors[row[2]]
        elif name != "is":
            p = row[len(row) - 2] if len(row) > 2 else row[1]
            q = row[len(row) - 1]
            a, b = abs(entry_of(cells[p], entry)), abs(entry_of(cells[q], entry))
            both = errors[p] + errors[q]
            error = both if len(row) == 3 else errors[p]
            if name == "mul":
                error = a * errors[q] + b * errors[p]
            elif name == "div":
                error = (errors[p] + abs(v) * errors[q]) / b if b > 0 else inf
            elif name == "exp":
                error = abs(v) * errors[p]
            elif name == "log" or name == "sqrt":
                error = errors[p] / (a if name == "log" else 2 * abs(v)) if v != 0 and a > 0 else inf
            elif name == "pow" or name == "pows":
                error = abs(v) * (b * errors[p] / a + abs(log10(a)) * 2.31 * errors[q]) if a > 0 else inf
                if a == 0 and entry_of(cells[q], entry) >= 1:
                    error = errors[p]
            elif name == "where":
                error = errors[p] if entry_of(cells[row[1]], entry) != 0 else errors[q]
        errors.append(error + eps * abs(v))
    most = errors[rule.value["cell"]]
    return most if most == most else inf


def entry_of(cell: Any, entry: int) -> float:
    return float(cell[entry if entry < len(cell) else 0])  # a rule has only numbers and arrays of one shape
