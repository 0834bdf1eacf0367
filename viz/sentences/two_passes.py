"""Sentences that compare two passes: derived and custom, or the passes of two functions."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose, prod
from typing import Any

from minigrad.tracing.numbers import nonfinite, short
from minigrad.tracing.trace_schema import BackwardTrace, Num, Summary

from ..model.verdicts import WORST_FIRST, CompareRow
from ..scene.words import figure
from .compared import LISTED, compared
from .number_words import signed, size_of, told_apart

NEARLY = 1e-4  #: maximum relative difference of values that count as nearly the same


def both_of(passes: Sequence[BackwardTrace], table: Sequence[CompareRow], names: Sequence[str], equal: bool) -> str:
    """Compare the gradients of two passes in a sentence about the worst row of their table.

    names : ("derived", "custom") for a function and its rule, or the names of two functions. equal : whether the values
        of both are equal.
    """
    rule = tuple(names) == ("derived", "custom")
    value = values_of(passes, names, rule, equal)
    # Without arguments that have gradients, the function may use Tensors from outside.
    rows = [row for row in table if row.kind != "neither"] or beside_the_table(passes)
    return compared(value, rule, ("the derived pass", "the rule") if rule else names, [*map(_as_texts, rows)])


def _as_texts(row: CompareRow) -> dict[str, Any]:
    """Return a row as `compared` takes it."""
    first, second = row.first, row.second
    return {
        "argument": row.argument, "kind": row.kind, "verdict": row.verdict, "agree": row.agree,
        "rank": WORST_FIRST.index(row.kind) if row.kind in WORST_FIRST else int(first == second),
        "sent": both_sent(first, second), "same": signed(second),
        "bad": (nonfinite(first) or "", nonfinite(second) or ""),
        "repeats": repeats(row), "unlike": first != second,
    }  # fmt: skip


def repeats(row: CompareRow) -> bool:
    """Return whether a row's verdict adds nothing to its two gradients, because the right one equals the slope."""
    right = row.second if row.kind == "first wrong" else row.first
    slope = row.difference
    two = None not in (row.first, row.second) and not row.place
    return two and isinstance(right, float) and isinstance(slope, float) and isclose(right, slope, rel_tol=1e-3)


def beside_the_table(passes: Sequence[BackwardTrace]) -> list[CompareRow]:
    """Return rows for the gradients of inputs that the table lacks, such as a global Tensor that a function uses."""
    inputs = [[n for n in trace.nodes if n.kind == "leaf" and not n.ghost] for trace in passes]
    sent = [{n.name or "an input": n.adjoint for n in nodes if n.adjoint is not None} for nodes in inputs]
    rows = []
    for name in {**sent[0], **sent[1]}:
        first, second = sent[0].get(name), sent[1].get(name)
        # A summary holds a sample of a large array: equal samples do not prove that the arrays are equal.
        whole = not isinstance(first, Summary) or len(first.sample) == prod(first.shape)
        same = first == second and whole
        rows.append(CompareRow(name, first, second, None, "", "both right" if same else "", same))
    return rows


def both_sent(first: Num | None, second: Num | None) -> Sequence[str]:
    """Write two gradients with enough digits to distinguish them; for large arrays, the largest entry or range."""
    if not (first is None or second is None or isinstance(first, Summary) or isinstance(second, Summary)):
        return told_apart(float(first), float(second))
    words = ["nothing" if one is None else _upper(one) for one in (first, second)]
    return words if words[0] != words[1] else [short(one) for one in (first, second)]


def _upper(one: Num) -> str:
    """Write a number or a small array or, for a larger array of different finite numbers, "up to" its largest size."""
    large = isinstance(one, Summary) and prod(one.shape) > LISTED and not nonfinite(one) and one.min != one.max
    return f"up to {figure(size_of(one))}" if large else signed(one)


def values_of(passes: Sequence[BackwardTrace], names: Sequence[str], rule: bool, equal: bool) -> str:
    """Compare the values of two passes in a sentence; return "" if they look equal as text."""
    one, other = (next(node.value for node in trace.nodes if node.output) for trace in passes)
    if equal and rule:
        return "Same value"
    if isinstance(one, Summary) or isinstance(other, Summary) or nonfinite(one) or nonfinite(other):
        return ""
    first, second = told_apart(float(one), float(other))
    if equal or first == second:
        return f"Same value ({first})"
    if isclose(float(one), float(other), rel_tol=NEARLY):
        return "" if rule else f"Nearly the same value ({signed(one)})"
    return f"Two values, {names[0]} {first} and {names[1]} {second}"
