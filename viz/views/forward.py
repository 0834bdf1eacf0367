"""`viz.forward`: the graph that a value remembers, without a backward pass."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.tracing.recorder import backward_trace

from ..model.growth import box_table, growth
from ..render.svg import Lane
from .backward import tensor_of, view_of
from .view import View


class ForwardView(View):
    """A forward pass to look at, which grows box by box; its text twin is the list of what was computed."""

    unit = "box"

    def _table(self, lane: Lane, max_lines: int | None) -> str:
        return box_table(lane.found, max_lines)

    @cached_property
    def _summary(self) -> str:
        return f"{self.title}: {len(self.trace.nodes)} nodes and {len(self.trace.edges)} edges."


def forward(
    y: Tensor | Callable[..., Tensor],
    /,
    *,
    layout: str = "auto",
    rankdir: str = "LR",
    fold: str = "auto",
    names: Mapping[str, Any] | None = None,
    **inputs: Any,
) -> ForwardView:
    """The graph behind `y`: a box for each number that came up, an arrow where it was used. No adjoints.

    The view shows the whole graph; played, or opened with `.start()`, it grows box by box in the order of making.
    Parameters and errors are those of `viz.backward`.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> s = x * x
    >>> print(forward(s + x))
    name  made by         value
    x     (input)         3
    s     multiply(x, x)  9
    add   add(s, x)       12
    """
    y, names = tensor_of(y, inputs, names, "forward", sys._getframe(1))
    trace = backward_trace(y, xs=[], names=names)
    plain = view_of(trace, layout, rankdir, fold, tell=growth, what="Forward pass")
    return ForwardView(plain._lanes, plain.title)
