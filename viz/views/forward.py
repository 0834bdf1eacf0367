"""`viz.forward`: the graph behind a value, with the value of each node; a switch shows the gradients."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.tracing import introduced
from minigrad.tracing.recorder import backward_trace

from ..drag.replayed import CalledWith
from ..model.findings import Findings
from ..model.timeline import growth
from ..model.unused import with_unused
from .backward import in_mode, namespace_of, pass_of, tensor_of
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
    gradients: bool | None = None,
    **inputs: Any,
) -> View:
    """Draw the forward graph of `y`: a box for each value, and an arrow for each of its uses.

    Returns a ForwardView, which shows the whole graph. When it is played, or opened with `.start()`, the graph grows
    box by box in the order of computation. Parameters and errors are as in `viz.backward`; `y` may be a Tensor of any
    dtype, a function, or an object of your own engine.

    gradients : whether a notebook or page shows the picture of `viz.backward(y, mode="values")`, with a switch to the
        wiggle and the gradients, and with fields for the inputs. The default is True, except in lessons 0 and 1, which
        come before gradients. The backward pass runs when the picture is shown; no other form of the view has
        gradients. The switch is missing if the result does not contain floats, if no gradient arrives at an input, if a
        rule raises an error, if your own engine made `y`, or if the picture asks a question.

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
    y, names, call = tensor_of(y, inputs, names, "forward", frame)
    trace = backward_trace(y, xs=[], names=names)
    findings = Findings(with_unused(trace, names, inputs))
    view = picture(findings, flow, fold, growth, ForwardView, "Forward pass")
    wanted = introduced.gradients if gradients is None else gradients
    if wanted and y.dtype.kind == "f" and isinstance(view, ForwardView):
        view.backwards = cache(lambda: _with_gradients(y, names, inputs, call, flow, fold))
    return view


def _with_gradients(
    y: Tensor, names: Mapping[str, Any], inputs: Mapping[str, Any], call: CalledWith | None, flow: str, fold: str
) -> View | None:
    """Return the picture of the backward pass from `y`, opened at the values, or None if there is no pass to show."""
    try:
        view = pass_of(y, names, inputs, call, flow, fold, report=False, drag=True)
    except Exception:  # the user's rule may raise anything; the values can be shown anyway
        return None
    reached = any(node.kind == "leaf" and node.adjoint is not None for node in view.trace.nodes)
    return in_mode(view, "values") if reached else None
