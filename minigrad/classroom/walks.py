"""Graphs as the rows of lesson 2, so that a walk over rows can be run and drawn.

A row is a list of pairs, one for each arrow that enters the box: the number of an earlier row, and the slope on the
arrow. `viz.backward(boxes_of(y), by=over_rows(walk))` draws a walk message by message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.tracing.recorder import backward_trace

Rows = list[list[tuple[int, float]]]


def rows_of(y: Tensor) -> Rows:
    """The graph of a number as rows, oldest first; the last row is `y`.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> rows_of(x * x + x)
    [[], [(0, 3.0), (0, 3.0)], [(1, 1.0), (0, 1.0)]]
    """
    trace = backward_trace(y)
    rows: Rows = [[] for _ in trace.nodes]
    for edge in trace.edges:
        if edge.local_value is not None:
            rows[edge.dst].append((edge.src, _number(edge.local_value)))
    return rows


def _number(recorded: Any) -> float:
    return float(recorded)


@dataclass(eq=False)
class Box:
    """A box of a graph, as `viz` draws it: its value, and for each arrow that enters it a parent and a slope.

    row : its number in the rows of the graph.
    """

    row: int
    value: float
    op: str
    name: str | None
    parents: tuple[Box, ...]
    slopes: tuple[float, ...]


def boxes_of(y: Tensor, **names: Any) -> Box:
    """The box of a number, with all that it was made from. names : of the numbers in it, which the picture shows."""
    boxes: list[Box] = []
    for node, row in zip(backward_trace(y, names=names).nodes, rows_of(y)):
        op = "" if node.kind in ("leaf", "const") else node.op
        parents, slopes = tuple(boxes[i] for i, _ in row), tuple(slope for _, slope in row)
        boxes.append(Box(len(boxes), _number(node.value), op, node.name, parents, slopes))
    return boxes[-1]


def over_rows(walk: Callable[..., Any]) -> Callable[[Box, Callable[..., Any]], Any]:
    """A walk over rows as a walk over boxes, which `viz` can draw.

    walk : `walk(rows, tell)`, which calls `tell(row, i, message, held)` after each message.
    """

    def over_boxes(y: Box, tell: Callable[..., Any]) -> Any:
        found, stack = {y.row: y}, [y]
        while stack:
            for parent in stack.pop().parents:
                if parent.row not in found:
                    found[parent.row] = parent
                    stack.append(parent)
        rows: Rows = [[] for _ in range(y.row + 1)]
        for box in found.values():
            rows[box.row] = [(parent.row, slope) for parent, slope in zip(box.parents, box.slopes)]
        return walk(rows, lambda row, *message: tell(found[row], *message))

    return over_boxes
