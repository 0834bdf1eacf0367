"""Explain in words why a value is nan although no operand is nan, and name the numbers that were combined."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ..tracing.numbers import is_zero, nonfinite, short
from ..tracing.trace_schema import Node, Num, Summary
from .op_names import PRIMITIVES, PRODUCTS, is_elementwise
from .origins import EITHER, at_element, first_bad, whole

#: Ops that subtract the largest element first, and ops that add elements.
SCORES, SUMS = {"softmax", "log_softmax", "logsumexp"}, {"sum", "mean", "cumsum", "trace"}


def why_nan(node: Node, arguments: Sequence[Node]) -> tuple[str, str]:
    """Return the kind of nan that a node computed from arguments without nan, and a sentence about it."""
    alike = all(fits(a.shape, node.shape) for a in arguments)  # if not, a user's function has the op's name
    if (is_elementwise(node.op) and alike) or not any(a.shape for a in arguments):
        return _of_numbers(node, arguments)
    holds = [word for word in ("inf", "-inf") if any(_holds(a.value, word) for a in arguments)]
    kind, reason = _of_products(node, arguments) if len(arguments) == 2 else _of_array(node.op, holds)
    return kind, f"{array_words(node.op, [a.shape for a in arguments], holds)} is nan{reason}"


def array_words(op: str, shapes: Sequence[Sequence[int]], holds: Sequence[str]) -> str:
    """Describe a call by the shapes of its arguments and the infinities in them."""
    listed = " and ".join(f"shape {np.shape(np.empty(shape))}" for shape in shapes)
    holding = f", which hold{'s' * (len(shapes) == 1)} {' and '.join(holds)}," if holds else ""
    return f"{op} of {'arrays' if len(shapes) > 1 else 'an array'} of {listed}{holding}"


def _of_numbers(node: Node, arguments: Sequence[Node]) -> tuple[str, str]:
    """Return the kind of the first nan in an elementwise op's result, and a sentence that names its operands."""
    element = first_bad(node.value, "nan")
    values = [_element(a, node, element) for a in arguments]
    numbers = [_digits(v, a.dtype) for v, a in zip(values, arguments)]
    infinite = [nonfinite(v) == "inf" for v in values]
    kind, op = "domain", PRIMITIVES.get(node.op, node.op)
    if any(infinite) and op in ("subtract", "add"):
        kind = "inf - inf"
    elif any(infinite) and op == "multiply":
        kind = "0 * inf"
    elif op == "divide":  # of arrays, the trace may not contain the element that is nan
        kind = "0 / 0 or inf / inf" if all(map(is_zero, values)) else "inf / inf"
        kind = kind if all(infinite) else "0 / 0"
    alone = kind == "domain" and len(numbers) == 1 and op not in ("add", "subtract", "multiply", "divide")
    outside = f": {numbers[0]} is outside the domain of {node.op}" if alone else ""
    return kind, f"{node.op}({', '.join(numbers)}) is nan{outside}"


def _of_array(op: str, holds: Sequence[str]) -> tuple[str, str]:
    if holds and op in SCORES:
        return "inf - inf", ": it subtracts the largest score, and inf - inf is nan"
    if len(holds) == 2 and op in SUMS:
        return "inf - inf", ": it adds inf and -inf"
    return "domain", ""


def _of_products(node: Node, arguments: Sequence[Node]) -> tuple[str, str]:
    """Return the kind of a nan in a sum of products, such as a matrix product, and a phrase with its reason, or ""."""
    a, b = (whole(x.value) for x in arguments)
    if node.op == "matmul" and a is not None and b is not None and a.ndim < 3 and b.ndim < 3:
        with np.errstate(all="ignore"):
            rows, columns = np.atleast_2d(a), b if b.ndim == 2 else b[:, None]
            products = rows[:, :, None] * columns[None]
            spoilt = np.argwhere(np.isnan(products.sum(1)))
        if not len(spoilt):  # in float64
            return "overflow", f": a part of a sum is too large for {node.dtype}"
        i, j = spoilt[0]
        place = f"in row {i}" if columns.shape[1] == 1 else f"in row {i}, column {j}"
        lost = np.flatnonzero(np.isnan(products[i, :, j]))
        if lost.size:
            return "0 * inf", f": {place}, {rows[i, lost[0]]:g} · {columns[lost[0], j]:g} is nan"
        return "inf - inf", f": {place}, it adds inf and -inf"
    return (EITHER, "") if node.op in PRODUCTS else ("domain", "")


def fits(shape: Sequence[int], whole: Sequence[int]) -> bool:
    """Return whether an array of one shape broadcasts to another shape."""
    return len(shape) <= len(whole) and all(n in (1, m) for n, m in zip(reversed(shape), reversed(whole)))


def _holds(value: Num, word: str) -> bool:
    return word in value.sample if isinstance(value, Summary) else value == word


def _element(a: Node, node: Node, element: int | None) -> Num:
    """Return the number in argument `a` that an elementwise op used for one element of its result.

    element : the index of that element; with None, the whole argument is returned.
    """
    entries = whole(a.value)
    if element is None or a.shape == node.shape or entries is None or not a.shape or prod(node.shape) > 100_000:
        return at_element(a.value, element)
    v = float(np.ravel(np.broadcast_to(entries, node.shape))[element])
    return v if np.isfinite(v) else str(v)


def _digits(v: Num, dtype: str) -> str:
    """Return a number as text with few digits, or with all its digits if few would show it as 1 or -1."""
    text = short(v)
    return str(np.dtype(dtype).type(v)) if text in ("1", "-1") and isinstance(v, float) and abs(v) != 1 else text
