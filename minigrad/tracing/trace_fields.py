"""Compute the fields of a trace: numbers, events and local derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.custom import CustomCall
from ..core.op import PICK, Op, no_gradient
from ..core.tensor import Tensor
from .trace_json import SAMPLE
from .trace_schema import Num, Summary


def number(x: Any) -> Num:
    """Return a value in the form that a trace stores.

    >>> number(np.float32(0.5)), number(np.array([1.0, np.inf])).inf
    (0.5, 1)
    """
    if not isinstance(x, np.generic):
        x = np.asarray(x)
    if not x.shape:
        item = x.item()
        return item if math.isfinite(item) else str(item)
    finite = x[np.isfinite(x)]
    low = high = middle = math.nan
    if finite.size:
        low, high = finite.min(), finite.max()
        with np.errstate(over="ignore", invalid="ignore"):
            middle = finite.mean(dtype=np.float64)
        if not math.isfinite(middle):  # the sum exceeds the largest float64, although the mean does not
            middle = (finite / finite.size).sum()
        middle = x.dtype.type(middle) if x.dtype.kind == "f" else middle
    return Summary(
        x.shape, str(x.dtype), _word(float(low)), _word(float(high)), _word(float(middle)), int((x == 0).sum()),
        int(np.isnan(x).sum()), int(np.isinf(x).sum()), tuple(_word(v) for v in x.ravel()[:SAMPLE].tolist()),
    )  # fmt: skip


def _word(x: float) -> float | str:
    return x if math.isfinite(x) else str(x)


def flat(g: dict[int, Any]) -> Any:
    """Join the upstream gradients of a node with several outputs (output number -> array) into one row."""
    return np.concatenate([np.ravel(g[i]) for i in sorted(g)])


def whole(node: Tensor, g: dict[int, Any]) -> dict[int, Any]:
    """Return output number -> upstream gradient for all outputs of a node. g : the same, without unused outputs."""
    return {i: g[i] if i in g else np.zeros_like(value) for i, value in enumerate(node.value)}


def at_output(sender: Tensor, argument: Tensor, contribution: Any) -> Any:
    """Return a message to one output of a node as one flat array for all outputs of this node: 0 for the others.

    sender : the node that picks the output. argument : the node with several outputs. contribution : the message.
    """
    return flat(whole(argument, {sender.args[1]: contribution}))


def event(g: Any, contribution: Any, before: Any, after: Any) -> str:
    """Return the event of a message, such as "carries"; `Send` lists the events.

    g : the sender's upstream gradient. contribution : the message. before, after : the receiver's gradient, with None
        before its first message.
    """
    if isinstance(contribution, np.generic) and contribution and math.isfinite(contribution) and math.isfinite(after):
        return "first" if before is None else "accumulate"  # the most common case
    begins = np.isnan(contribution).any() and not np.isnan(g).any()
    met = before is not None and np.isnan(after).any() and not (np.isnan(contribution).any() or np.isnan(before).any())
    if begins or met:
        return "nan-born"
    if np.isinf(contribution).any() and np.isfinite(g).all():
        return "inf-born"
    if not np.isfinite(contribution).all():
        return "carries"
    if not np.any(contribution):
        return "stops"
    return "first" if before is None else "accumulate"


def is_operand(op: Op | None, i: int, a: Any) -> bool:
    """Return whether an argument other than a Tensor is a number to compute with, not an axis, a shape or a key."""
    if (
        op is None
        or isinstance(op, CustomCall)
        or op is PICK
        or not isinstance(a, (int, float, np.ndarray, np.generic))
    ):
        return False
    return op.vjp_all is not None or op.vjps is None or (i < len(op.vjps) and op.vjps[i] is not no_gradient)


def constant_name(a: Any) -> str:
    return f"{a}" if not np.shape(a) else "const"


def local_derivative(node: Tensor, i: int, argument: Any) -> tuple[str | None, Any]:
    """Return (text, value) of a node's derivative with respect to its argument number `i`; None if not known.

    The value is computed only for an elementwise op.
    """
    op = node.op
    if op is None or not op.vjps or i >= len(op.vjps) or op.vjps[i] is no_gradient or not isinstance(argument, Tensor):
        return None, None
    text = op.facts.slope[i] if i < len(op.facts.slope) else None
    if not op.elementwise or argument.dtype.kind != "f":
        return text, None
    values = [a.value if isinstance(a, Tensor) else a for a in node.args]
    with np.errstate(all="ignore"):
        return text, op.vjps[i](np.ones_like(node.value), node.value, *values, **(node.kwargs or {}))
