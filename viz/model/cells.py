"""The elements of small arrays as cells: the shade of each cell, and the numbers that produced a nan or inf."""

from __future__ import annotations

import math

import numpy as np

from minigrad.tracing.numbers import short
from minigrad.tracing.trace_schema import Edge, Node, Num, Summary

from .findings import Findings

MOST = 64  #: maximum number of elements of an array that a trace keeps and a picture draws as cells


def array_of(value: Num | None) -> np.ndarray | None:
    """Return a value's elements as an array, or None for a single number or an array of more than `MOST` elements."""
    if not isinstance(value, Summary) or not 1 < math.prod(value.shape) <= MOST:
        return None
    return np.array([float(item) for item in value.sample]).reshape(value.shape)


def shades(value: Num | None) -> str:
    """Return one character per element, in C order: a to d if negative, 1 to 4 if positive, 0, or x for nan or inf.

    >>> from minigrad.tracing.trace_fields import number
    >>> shades(number(np.array([-4.0, 0.0, 1.0, 4.0, np.nan])))
    'd014x'
    >>> shades(number(np.array([1e308, -1e-320])))
    '4a'
    """
    array = array_of(value)
    return "" if array is None else _shades(array)


def _shades(array: np.ndarray) -> str:
    largest = np.abs(array[np.isfinite(array)]).max(initial=0.0) or 1.0
    words = []
    for x in array.ravel():
        level = max(1, math.ceil(abs(x) / largest * 4)) if math.isfinite(x) else 0
        words.append("x" if not math.isfinite(x) else "0" if x == 0 else ("abcd" if x < 0 else "1234")[level - 1])
    return "".join(words)


def fold_of(node: Node, to: Node, g: Num, slope: Num | None, sent: Num) -> list[str | int]:
    """Describe how a message is summed over the rows or columns of a matrix that broadcasting copied.

    Returns the shades of upstream gradient times slope, the number of columns, whether the sum is over rows, and the
    shades of the sum. Returns [] for any other message.
    """
    upstream, factor = array_of(g), array_of(slope) if isinstance(slope, Summary) else slope
    if upstream is None or upstream.ndim != 2 or isinstance(factor, str) or factor is None:
        return []
    padded = (1,) * (2 - len(to.shape)) + to.shape
    gone = [i for i in range(2) if padded[i] != node.shape[i]]
    if len(gone) != 1 or np.shape(factor) not in ((), node.shape) or not shades(sent):
        return []
    with np.errstate(all="ignore"):
        product = upstream * factor
    return [_shades(product), node.shape[1], int(gone == [0]), shades(sent)]


def bad_cells(findings: Findings, node: int) -> list[str]:
    """Return a sentence for each of the first elements that are nan or inf, in the value and the gradient of a node.

    For a product of matrices, the sentence spells out the row and the column that produced the element; for a gradient,
    it spells out the two factors of the message. For any other element, it gives only the index and the value.
    """
    sentences = []
    arguments = findings.arguments.get(node, {})
    value, adjoint = findings.nodes[node].value, findings.nodes[node].adjoint
    for what, array in (("value", array_of(value)), ("ḡ", array_of(adjoint))):
        if array is None:
            continue
        for index in np.argwhere(~np.isfinite(array))[:4]:
            place = tuple(int(i) for i in index)
            if what == "value":
                made = _product(findings, node, arguments, place)
            else:
                made = _message(findings, node, place)
            sentences.append(f"{what}[{', '.join(map(str, place))}]: {made}{short(float(array[place]))}")
    return sentences


def _product(findings: Findings, node: int, arguments: dict[int, int], place: tuple[int, ...]) -> str:
    """Write the row and the column that produced an element of a matrix product; return "" for any other op.

    arguments : index of an argument -> its node. place : the index of the element.
    """
    if findings.nodes[node].op != "matmul" or len(place) != 2:
        return ""
    a, b = (array_of(findings.nodes[arguments[i]].value) for i in (0, 1))
    names = [findings.names[arguments[i]] for i in (0, 1)]
    return "" if a is None or b is None else _row_by_column(names[0], a, names[1], b, place)


def _message(findings: Findings, node: int, place: tuple[int, ...]) -> str:
    """Write the two factors of the first message that is nan or inf in an element of the node's gradient, or "".

    place : the index of the element.
    """
    for step in findings.trace.steps:
        for send in step.sends:
            sent, g = array_of(send.value), array_of(step.g)
            if send.to != node or sent is None or g is None or np.isfinite(sent[place]):
                continue
            edge = findings.edges[send.edge]
            slope = array_of(edge.local_value)
            if edge.local in ("g @ b.T", "a.T @ g") and g.ndim == sent.ndim == 2:
                return _of_matmul(findings, edge, g, place)
            if slope is not None and slope.shape == sent.shape == g.shape:
                return f"ḡ · slope = {short(float(g[place]))} · {short(float(slope[place]))} = "
    return ""


def _of_matmul(findings: Findings, edge: Edge, g: np.ndarray, place: tuple[int, ...]) -> str:
    other = findings.arguments[edge.dst][1 - edge.arg]
    factor = array_of(findings.nodes[other].value)
    if factor is None or factor.ndim != 2:
        return ""
    upstream, name = f"ḡ of {findings.names[edge.dst]}", f"{findings.names[other]}.T"
    if edge.arg == 0:
        return _row_by_column(upstream, g, name, factor.T, place)
    return _row_by_column(name, factor.T, upstream, g, place)


def _row_by_column(a: str, left: np.ndarray, b: str, right: np.ndarray, place: tuple[int, ...]) -> str:
    i, j = place
    row, column = (" ".join(short(float(x)) for x in part) for part in (left[i], right[:, j]))
    return f"row {i} of {a} [{row}] by column {j} of {b} [{column}] = "
