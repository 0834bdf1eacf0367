"""Find the first element of a result that is nan or inf, and the numbers it was computed from, in the whole arrays.

A trace contains only some elements of a large array; the recorded graph contains all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.support.calling import compute
from ..core.tensor import Tensor
from ..tracing.replay import NotReplayable, is_call, is_input
from ..tracing.trace_schema import Node
from .domains import numbers_in, value_of
from .forward_words import SCORES, SUMS, array_words, fits, why_nan
from .op_names import PRODUCTS, is_elementwise
from .origins import EITHER, infinity


def exact_words(node: Tensor, shown: Node, arguments: Sequence[Node], word: str) -> tuple[str, str] | None:
    """Return the kind of a node's first nan or inf, and a sentence with the numbers that were combined.

    shown, arguments : the node and its arguments in the trace. word : "nan" or "inf".

    Return None if the node is an input, a user's function, or one of several outputs.
    """
    numbers = numbers_in(node.args)
    if is_input(node) or is_call(node) or isinstance(node.value, tuple) or not numbers:
        return None
    bad = np.isnan(node.value) if word == "nan" else np.isinf(node.value)
    place = np.unravel_index(int(np.argmax(bad)), np.shape(bad)) if np.ndim(bad) else ()
    if not bad.any():
        return None
    one = replace(shown, value=_number(node.value[place] if place else node.value))
    operands = node.args if len(node.args) == len(arguments) else numbers
    alike = [np.shape(value_of(a)) for a in operands] == [a.shape for a in arguments]
    if is_elementwise(shown.op) and not (alike and all(fits(a.shape, np.shape(bad)) for a in arguments)):
        return None
    if is_elementwise(shown.op):
        pairs = zip(arguments, (np.broadcast_to(value_of(a), np.shape(bad))[place] for a in operands))
        scalars = [replace(a, value=_number(v), shape=()) for a, v in pairs]
        return why_nan(replace(one, shape=()), scalars) if word == "nan" else infinity(replace(one, shape=()), scalars)
    if word == "inf":
        return infinity(one, arguments)
    infinite = [np.isinf(value_of(a)) for a in numbers]
    holds = [w for w in ("inf", "-inf") if any((value_of(a)[i] == float(w)).any() for a, i in zip(numbers, infinite))]
    kind, reason = ("inf - inf", ": it subtracts the largest score, and inf - inf is nan") if holds else ("domain", "")
    if shown.op in SUMS | PRODUCTS:
        kind, reason = _in_a_sum(node, shown.op, place)
    elif shown.op not in SCORES:
        kind, reason = "domain", ""
    return kind, f"{array_words(shown.op, [value_of(a).shape for a in numbers], holds)} is nan{reason}"


def _number(v: Any) -> float | str:
    return float(v) if np.isfinite(v) else str(float(v))


def _in_a_sum(node: Tensor, op: str, place: tuple[Any, ...]) -> tuple[str, str]:
    """Return the kind of a nan in a sum, or in a sum of products, and a phrase with its reason, or "".

    The op itself counts the terms: it is run on arrays that are 1 where an operand passes a test, and 0 elsewhere.
    """
    at = [i for i, a in enumerate(node.args) if any(a is n for n in numbers_in([a]))]
    values = [np.asarray(value_of(node.args[i]), np.float64) for i in at]
    added = values[2:] if op not in ("bilinear", "einsum") else []  # a bias
    terms = len(values) - len(added)
    if terms != (1 if op in SUMS else 2) or len(added) > 1:
        return EITHER, ""

    def summed(*arrays: Any) -> float:
        arguments = [getattr(a, "value", a) for a in node.args]
        for i, value, array in zip(at, values, (*arrays, *[None] * len(values))):
            arguments[i] = np.zeros_like(value) if array is None else np.asarray(array, np.float64)
        foreign = node.op.kind == "foreign"
        total = np.asarray(node.op.fn(*arguments) if foreign else compute(node.op, arguments, node.kwargs))
        return float(total[place])

    count = lambda *tests: summed(*tests) > 0
    try:
        with np.errstate(all="ignore"):
            signs = {w: [v == float(w) for v in values] for w in ("inf", "-inf")}
            above, below, zero = ([t & np.isfinite(v) for v, t in zip(values, tests)] for tests in (
                [v > 0 for v in values], [v < 0 for v in values], [v == 0 for v in values]))  # fmt: skip
            plus, minus = (_infinite(signs, above, below, count, terms, len(added), sign) for sign in (1, -1))
            if terms == 2:
                for w in signs:
                    met = [f"0 · {w}"] * count(zero[0], signs[w][1]) or [f"{w} · 0"] * count(signs[w][0], zero[1])
                    if met:
                        return "0 * inf", f": {_where(node, op, place)}{met[0]} is nan"
            if plus and minus:
                return "inf - inf", f": {_where(node, op, place)}it adds inf and -inf"
            largest = summed(*map(np.abs, values)) * (values[0].size / np.size(node.value) if op == "mean" else 1)
            finite = not (plus or minus) and largest > float(np.finfo(node.dtype).max)
    except (NotReplayable, TypeError, ValueError):
        return EITHER, ""
    if finite:
        return "overflow", f": {_where(node, op, place)}a part of the sum is too large for {node.dtype}"
    return (EITHER if plus or minus else "domain"), ""  # the mean of no elements has no infinity


def _infinite(signs: Any, above: Any, below: Any, count: Any, terms: int, added: int, sign: int) -> bool:
    """Return whether a sum has a term that is inf (`sign` 1) or -inf (`sign` -1)."""
    same, other = ("inf", "-inf") if sign > 0 else ("-inf", "inf")
    if added and count(None, None, signs[same][2]):
        return True
    if terms == 1:
        return bool(count(signs[same][0]))
    up, down = ([a | b for a, b in zip(finite, signs[w])] for finite, w in ((above, "inf"), (below, "-inf")))
    return bool(
        count(signs[same][0], up[1]) or count(signs[other][0], down[1])
        or count(up[0], signs[same][1]) or count(down[0], signs[other][1])
    )  # fmt: skip


def _where(node: Tensor, op: str, place: tuple[Any, ...]) -> str:
    """Return a phrase for the place of an element, such as "in row 0, column 1, "."""
    if op == "matmul" and len(place) in (1, 2):
        line = "column" if value_of(node.args[0]).ndim == 1 else "row"
        return f"in {line} {place[0]}, " if len(place) == 1 else f"in row {place[0]}, column {place[1]}, "
    index = ", ".join(map(str, place))
    return f"in element {index if len(place) == 1 else f'({index})'}, " if place else ""
