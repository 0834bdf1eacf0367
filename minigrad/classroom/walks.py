"""Graphs as rows, in the form of lesson 2, so that a walk over rows can be run and drawn.

A row is a list of pairs, one for each arrow that enters the box: the index of an earlier row, and the slope on the
arrow. `viz.backward(boxes_of(y), by=over_rows(walk))` draws a walk message by message.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import mul
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor
from minigrad.tracing.nodes import NumberSlope, WalkNode, behind, takes_tell
from minigrad.tracing.recorder import backward_trace

Rows = list[list[tuple[int, float]]]


def rows_of(y: Tensor) -> Rows:
    """Return the graph of a number as rows, oldest first; the last row is `y`.

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


def boxes_of(y: Tensor, **names: Any) -> WalkNode:
    """Return the node of a number as a box for `viz`, linked to all boxes behind it.

    names : Tensors in the graph, passed under the names to show in the picture.
    """
    boxes: list[WalkNode] = []
    for node, row in zip(backward_trace(y, names=names).nodes, rows_of(y)):
        op = "" if node.kind in ("leaf", "const") else node.op
        box = WalkNode(_number(node.value), op, tuple(boxes[i] for i, _ in row), node.name or "", len(boxes))
        box.slopes = tuple(NumberSlope(box, i, partial(mul, slope)) for i, (_, slope) in enumerate(row))
        boxes.append(box)
    return boxes[-1]


def over_rows(walk: Callable[..., Any]) -> Callable[..., Any]:
    """Turn a walk over rows into a walk over boxes, which `viz` can draw.

    walk : `walk(rows, tell)`, which calls `tell(row, i, message, held)` after each message; or `walk(rows)`. If it
        returns the gradient of each row, the walk over boxes returns the gradient of each box.
    """

    def over_boxes(y: WalkNode, tell: Callable[..., Any]) -> Any:
        boxes = behind(y)
        number = {box: n for n, box in enumerate(boxes)}
        rows = [[(number[parent], slope) for parent, slope in zip(box.parents, box.slopes)] for box in boxes]
        told = [lambda row, *message: tell(boxes[row], *message)] if takes_tell(walk) else []
        adjoints = walk(rows, *told)
        whole = isinstance(adjoints, (list, tuple, np.ndarray)) and len(adjoints) == len(boxes)
        return dict(zip(boxes, adjoints)) if whole else {}

    return over_boxes
