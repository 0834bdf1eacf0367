"""The verdict of a comparison: both gradients of each argument beside the central difference, and a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor, constant
from minigrad.tracing.model import BackwardTrace, Num
from minigrad.tracing.numbers import full, nonfinite, number_of, short
from minigrad.tracing.summary import number

MANY = 256  #: elements beyond which an array is not differenced one by one
CLOSE = 2e-3  #: relative difference that float32 arithmetic may leave


@dataclass(frozen=True)
class CompareRow:
    """One argument: the two gradients and the finite difference as a trace holds numbers, None where there is none."""

    argument: str
    first: Num | None
    second: Num | None
    difference: Num | None
    verdict: str


def rows(
    f: Callable[..., Any], inputs: dict[str, Tensor], traces: Sequence[BackwardTrace], labels: tuple[str, str]
) -> tuple[CompareRow, ...]:
    """A row for each input with a float dtype."""
    found = []
    for name, x in inputs.items():
        if x.dtype.kind != "f":
            continue
        first, second = (_adjoint(trace, name) for trace in traces)
        judge = central_difference(f, inputs, name)
        found.append(CompareRow(name, first, second, judge, _verdict(first, second, judge, labels)))
    return tuple(found)


def central_difference(f: Callable[..., Any], inputs: dict[str, Tensor], name: str) -> Num | None:
    """(f(x + h) - f(x - h)) / 2h in float64, element by element; None for more than 256 elements.

    >>> import minigrad as mg
    >>> round(central_difference(lambda x: x * x, {"x": mg.constant(3.0)}, "x"), 6)
    6.0
    """
    x = np.asarray(inputs[name].value, np.float64)
    if x.size > MANY:
        return None
    wide = {k: constant(np.asarray(v.value, np.float64)) if v.dtype.kind == "f" else v for k, v in inputs.items()}

    def value(point: np.ndarray) -> float:
        return float(np.sum(np.asarray(f(**{**wide, name: constant(point)}).value, np.float64)))

    slopes = np.empty_like(x)
    with np.errstate(all="ignore"):
        for i in np.ndindex(x.shape):
            h = 6e-6 * max(1.0, abs(float(x[i]))) if np.isfinite(x[i]) else 1.0
            up, down = x.copy(), x.copy()
            up[i] += h
            down[i] -= h
            slopes[i] = (value(up) - value(down)) / (up[i] - down[i])
    return number(slopes)


def _adjoint(trace: BackwardTrace, name: str) -> Num | None:
    return next((node.adjoint for node in trace.nodes if node.kind == "leaf" and node.name == name), None)


def _verdict(first: Num | None, second: Num | None, judge: Num | None, labels: tuple[str, str]) -> str:
    a, b = labels
    custom = labels == ("derived", "custom")
    rule = "the custom rule" if custom else b
    if first is None and second is None:
        return "neither depends on it"
    if judge is None:
        return f"not checked: more than {MANY} elements"
    if nonfinite(judge):
        agree = "they agree" if _same(first, second) else "they differ"
        return f"no judge: the function is not finite in float64 here; {agree}"
    right = _same(first, judge), _same(second, judge)
    if right == (True, True):
        return "both are right"
    if right == (False, True):
        return f"{rule} {'repairs' if custom else 'is right, not'} {_what(first, a)}"
    if right == (True, False):
        if nonfinite(second):
            return f"{rule} breaks it: {_what(second, b)} instead of {short(judge)}"
        if custom:
            return (
                f"the custom rule gives another slope than the function has: {short(second)} instead of {short(judge)}"
            )
        return f"{a} is right, not {_what(second, b)}"
    return "both differ from the finite difference"


def _what(value: Num | None, label: str) -> str:
    return (
        f"the missing gradient of {label}"
        if value is None
        else short(value)
        if nonfinite(value)
        else f"{label}'s {short(value)}"
    )


def _same(a: Num | None, b: Num | None) -> bool:
    if a is None or b is None:
        return False
    x, y = number_of(a), number_of(b)
    if x is None or y is None:
        pairs = list(zip(getattr(a, "sample", ()), getattr(b, "sample", ())))
        return bool(pairs) and nonfinite(a) == nonfinite(b) and all(_same(p, q) for p, q in pairs)
    if not (math.isfinite(x) and math.isfinite(y)):
        return x == y or (math.isnan(x) and math.isnan(y))
    return math.isclose(x, y, rel_tol=CLOSE, abs_tol=1e-6)


def _heads(labels: tuple[str, str]) -> tuple[str, ...]:
    return "argument", *labels, "finite difference", "verdict"


def _cells(row: CompareRow) -> tuple[str, ...]:
    numbers = ("not checked" if row.difference is None else short(row.difference),)
    return row.argument, *("none" if v is None else short(v) for v in (row.first, row.second)), *numbers, row.verdict


def table_text(rows: Sequence[CompareRow], labels: tuple[str, str]) -> str:
    """The table in columns of text."""
    table = [_heads(labels), *(_cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(5)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in table)


def table_html(rows: Sequence[CompareRow], labels: tuple[str, str]) -> str:
    """The table as HTML, with its headers marked for screen readers."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in _heads(labels))
    body = ""
    for row in rows:
        first, *rest = _cells(row)
        exact = [f' title="{escape(full(v))}"' * (v is not None) for v in (row.first, row.second, row.difference, None)]
        cells = "".join(f"<td{title}>{escape(text)}</td>" for text, title in zip(rest, exact))
        body += f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    caption = "Each gradient beside the central difference of the function in float64"
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
