"""`explain_zero`: explain why a gradient is 0, with the op and the line where each path to the input ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..core.backward import Sends, backward, messages_of, start
from ..core.custom import CustomCall
from ..core.graph import ancestors, inputs
from ..core.support.error_words import location_of
from ..core.tensor import Tensor
from ..tracing.names import name_in
from ..tracing.numbers import short
from ..tracing.replay import NotReplayable, replay
from ..tracing.user_lines import SourceLine
from .domains import gradients_of, op_of
from .missing_gradient import Explanation, at_node, downstream_of, explanation, where_of
from .other_points import sources_of

#: Elementwise ops whose exact slope is never 0; if it is 0, it was rounded to 0.
NOWHERE_0 = {"exp", "exp2", "expm1", "sigmoid", "tanh", "erf", "erfc", "softplus", "log_sigmoid", "arctan", "logaddexp"}
#: Elementwise ops that are flat on whole intervals; a slope of 0 in any other op may be the result of rounding.
FLAT = {"absolute", "clip", "maximum", "minimum", "mod", "relu", "sign"}
#: The maximum number of path ends that are reported.
MOST = 3


class End(NamedTuple):
    """The end of a path from y to x: the reason, the op and its line, and a sentence."""

    reason: str
    op: str
    line: SourceLine | None
    text: str


def explain_zero(y: Tensor, x: Tensor) -> Explanation:
    """Explain why the gradient of `y` with respect to `x` is 0.

    The result is false if the gradient is not 0. If the gradient is None, return the result of `explain_none`.

    >>> import minigrad as mg
    >>> x = mg.constant(0.0)
    >>> print(explain_zero(x * x, x).reason)
    factor 0
    """
    for name, t in (("y", y), ("x", x)):
        if not isinstance(t, Tensor):
            raise TypeError(f"{name} must be a Tensor, got {t!r:.60} of type {type(t).__name__}; a float has no graph")
    frame = sys._getframe(1)
    y_name, x_name = name_in(frame, y) or "y", name_in(frame, x) or "x"
    missing = explanation(y, x, y_name, x_name)
    return missing if missing else zero_explanation(y, x, x_name)


def zero_explanation(y: Tensor, x: Tensor, name: str) -> Explanation:
    """Return the reason why a gradient is 0; `name` is the name of x."""
    walk = _Walk(y.read_value(), x)
    if x.serial not in walk.adjoints:
        cut = explanation(y, x, "the result", name).sentence
        return Explanation("cut", f"the gradient of {name} is 0: {cut}")
    gradient = walk.adjoints[x.serial]
    if not gradient.size:
        return Explanation("not zero", f"{name} has no elements, and so has its gradient")
    if gradient.any() or not np.isfinite(gradient).all():
        count = int(np.count_nonzero(gradient))
        return Explanation("not zero", f"the gradient of {name} is not 0: {count} of {gradient.size} elements are not")
    ends = list(dict.fromkeys(walk.ends(name)))
    if not ends:
        return Explanation("unknown", f"the gradient of {name} is 0")
    texts = list(dict.fromkeys(end.text for end in ends))
    more = f"; and {len(texts) - MOST} more" if len(texts) > MOST else ""
    head = f"the gradient of {name} is 0: " + ("each way to it ends: " if len(texts) > 1 else "")
    sentence = head + "; ".join(texts[:MOST]) + more + _in_float64(walk.y, walk.x)
    return Explanation(ends[0].reason, sentence, ends[0].op, ends[0].line)


def _in_float64(y: Tensor, x: Tensor) -> str:
    """Describe the gradient in float64, or return "" if it is 0 in float64 too, or cannot be computed."""
    if y.dtype == np.float64 or not any(x is s for s in sources_of(y)):
        return ""
    try:
        now = replay(y, number=lambda a: np.asarray(a, np.float64)[()])
        (gradient,) = gradients_of(now[y.serial], [now[x.serial]])
    except (NotReplayable, ArithmeticError, TypeError, ValueError):
        return ""
    size = np.abs(gradient)
    if not np.isfinite(gradient).all() or not size.any():
        return ""
    return f"; in float64 it is {short(float(gradient.ravel()[np.argmax(size)]))}"


class _Walk:
    """A backward pass from y to x that stores, for each node, the adjoint and the messages that the node sent."""

    def __init__(self, y: Tensor, x: Tensor) -> None:
        self.y, self.x = y, x
        graph = ancestors([y])
        self.downstream = downstream_of(graph, x)
        self.nodes = [node for node in reversed(graph) if node.serial in self.downstream]
        self.adjoints: dict[int, Any] = {}
        self.sent: dict[int, list[tuple[int, Tensor, Any]]] = {}

        def observe(node: Tensor, g: Any, sends: Sends) -> None:
            self.adjoints[node.serial] = _array(g)
            self.sent[node.serial] = [(i, a, _array(m)) for i, a, m in sends]

        with np.errstate(all="ignore"):
            backward(start([y], [np.ones_like(y.value)], [x]), observe)

    def ends(self, name: str) -> Iterator[End]:
        """Yield the end of each path from y to x, starting with the ends closest to y."""
        arrived: dict[int, int] = {}
        for node in self.nodes:
            g = self.adjoints.get(node.serial)
            if g is None:
                continue
            if arrived.get(node.serial, 0) > 1 and not g.any():
                what = name if node is self.x else f"the result of {node.op.name}"
                many = f"the {arrived[node.serial]} messages other than 0 that reach {what}" + where_of(node)
                yield End("cancels", op_of(node), at_node(node)[1], f"{many} add up to 0")
            if not g.any():
                continue
            sent = {i: m for i, _, m in self.sent[node.serial]}
            for i, a in enumerate(node.args):
                if not isinstance(a, Tensor) or a.serial not in self.downstream:
                    continue
                if i not in sent:
                    yield from self.cuts(a)
                elif sent[i].any():
                    arrived[a.serial] = arrived.get(a.serial, 0) + 1
                else:
                    reason, text = self.reason(node, i, a, g)
                    yield End(reason, node.op.name, at_node(node)[1], text + where_of(node))

    def cuts(self, a: Tensor) -> Iterator[End]:
        """Yield an end for each `stop_gradient` on the paths from x to a node."""
        for node in reversed(ancestors([a])):
            if node.serial in self.downstream and op_of(node) == "stop_gradient":
                yield End("cut", "stop_gradient", at_node(node)[1], f"stop_gradient sends nothing{where_of(node)}")

    def reason(self, node: Tensor, i: int, a: Tensor, g: Any) -> tuple[str, str]:
        """Return why a node whose upstream gradient is not 0 sends 0 to an argument."""
        op, name = node.op, node.op.name
        fact = f"{name} sends 0, although its upstream gradient is not 0"
        if isinstance(node.value, tuple):
            return "rule", fact
        if isinstance(op, CustomCall):
            return "rule", f"the rule {location_of(op.grad_fn)} of {name} returned 0"
        whole = self.message(node, i, a, g)
        if whole is None:
            return "rule", fact
        if whole.any():  # the message is not 0 until it is summed over broadcast axes
            return "cancels", f"what {name} sends is added up over the axes that were broadcast, to 0"
        others = [v for k, v in enumerate(node.args) if k != i and _array(v).dtype.kind in "fiub"]
        if op.elementwise and g.shape == node.shape:
            return self.elementwise(node, i, a, g, others) or ("rule", fact)
        if name in ("matmul", "einsum", "dot") and others and not any(_array(v).any() for v in others):
            return "factor 0", f"the other factor of {name} is 0"
        if name == "softmax" and np.ptp(g) == 0:
            return "cancels", "the upstream gradient of softmax is the same for all elements, whose sum is always 1"
        probabilities = np.exp(node.value) if name == "log_softmax" else node.value
        if name in ("softmax", "log_softmax") and np.isin(probabilities, (0, 1)).all() and np.isfinite(a.value).all():
            return (
                "saturated",
                f"the probabilities of {name} are rounded to 0 and 1 in {node.dtype}, and its slopes to 0",
            )
        if g.size == 1 and not _any(self.message(node, i, a, np.ones_like(g))):
            return "slope 0", f"the gradient of {name} is 0 at this point"
        if _any(self.message(node, i, a, np.abs(g))):  # the terms cancel for g, but not for abs(g)
            return "cancels", f"{name} adds up what it sends, and for this upstream gradient the terms cancel to 0"
        return "rule", fact

    def elementwise(self, node: Tensor, i: int, a: Tensor, g: Any, others: list[Any]) -> tuple[str, str] | None:
        name, slope = node.op.name, self.message(node, i, a, np.ones_like(g))
        if slope is None or slope.shape != g.shape:
            return None
        counts = g != 0
        if slope[counts].any():
            lost = counts & (slope != 0)
            k = np.flatnonzero(lost)[0]
            if abs(float(g.ravel()[k]) * float(slope.ravel()[k])) >= np.finfo(g.dtype).smallest_subnormal:
                return None
            product = f"{short(float(g.ravel()[k]))} · {short(float(slope.ravel()[k]))}"
            return "rounding", f"{product} at {name} is below the smallest {node.dtype}"
        if name == "where":
            return "masked", "where selects the other side, wherever its upstream gradient is not 0"
        value = np.broadcast_to(a.value, g.shape)[counts]
        if np.isnan(value).any():
            return None
        low, high = short(float(value.min())), short(float(value.max()))
        at = low if low == high else f"{value.size} numbers from {low} to {high}"
        if name == "multiply" and len(others) == 1:
            kind = "factor 0" if getattr(others[0], "serial", 0) in self.downstream else "masked"
            return kind, "the other factor of multiply is 0" + ("" if counts.all() else ", where it counts")
        if name in NOWHERE_0 and np.isfinite(value).all():
            return "saturated", f"the slope of {name} is 0 nowhere, and at {at} it is rounded to 0 in {node.dtype}"
        if name == "divide" and i == 0:
            return "factor 0", f"the denominator of divide is so large that the slope is 0 in {node.dtype}"
        if name in FLAT or not value.any() or (name == "power" and i == 0 and not np.any(_array(node.args[1]))):
            return "slope 0", f"the slope of {name} at {at} is 0"
        wide = self.slope_in_float64(node, i)
        size = 0.0 if wide is None else float(np.max(np.abs(np.broadcast_to(wide, g.shape)[counts])))
        if size and node.dtype != np.float64:
            most = "" if low == high else "up to "
            return "rounding", f"the slope of {name} at {at}, {most}{short(size)}, is rounded to 0 in {node.dtype}"
        return "slope 0", f"the slope of {name} at {at} is 0 in {node.dtype}"

    def slope_in_float64(self, node: Tensor, i: int) -> Any:
        """Compute the slopes of an elementwise op in float64 at the same numbers; return None if that fails."""
        widen = lambda value: np.asarray(value, np.float64)[()]
        put = {a.serial: widen(a.value) if a.dtype.kind == "f" else a.value for a in inputs(node)}
        try:
            wide = replay(node, put, number=widen)[node.serial]
        except (NotReplayable, ArithmeticError, TypeError, ValueError):
            return None
        return self.message(wide, i, wide.args[i], np.ones(wide.shape))

    def message(self, node: Tensor, i: int, a: Tensor, g: Any) -> Any:
        """Call a node's rule with the upstream `g`, and return its message to argument `a` before any summing."""
        with np.errstate(all="ignore"):
            sent = messages_of(node, node.op, np.asarray(g, node.dtype)[()], {a.serial}, False)
        return next((_array(m) for k, _, m in sent if k == i), None)


def _any(g: Any) -> bool:
    return g is None or bool(np.any(g))


def _array(g: Any) -> Any:
    if isinstance(g, dict):
        return np.concatenate([np.ravel(_array(part)) for part in g.values()])
    g = g.dense() if hasattr(g, "dense") else g
    return np.asarray(getattr(g, "value", g))
