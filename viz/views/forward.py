"""`viz.forward`: the graph behind a value, without a backward pass."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from minigrad.tracing.recorder import backward_trace

from ..model.findings import Findings
from ..model.forward_moments import growth
from ..model.unused import with_unused
from .backward import namespace_of, tensor_of
from .binding import check_flow
from .learner import ForwardView, is_learners, learner_view
from .view import View, picture


def forward(
    y: Any,
    /,
    *,
    flow: str = "auto",
    fold: str = "auto",
    names: Mapping[str, Any] | None = None,
    **inputs: Any,
) -> View:
    """The forward graph of `y`: a box for each value, and an arrow from it to each op that uses it. No gradients.

    Returns a ForwardView. It shows the whole graph; played, or opened with `.start()`, it grows box by box in the order
    in which the values were computed. Parameters and errors are those of the same name of `viz.backward`; `y` may be a
    Tensor of any dtype, a function, or an object of your own engine.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> s = x * x
    >>> print(forward(s + x))
    name  made by         value
    x     (input)         3
    s     multiply(x, x)  9
    add   add(s, x)       12
    """
    check_flow(flow, "forward", inputs, y)
    frame = sys._getframe(1)
    if is_learners(y):
        return learner_view(y, None, namespace_of(frame) if names is None else names, flow, fold, forward=True)
    y, names = tensor_of(y, inputs, names, "forward", frame)
    trace = backward_trace(y, xs=[], names=names)
    found = Findings(with_unused(trace, names, inputs))
    return picture(found, flow, fold, growth, ForwardView, "Forward pass")
