"""Reasons in words: why a gradient is None, with the place where the connection ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .backward import backward
from .call import CustomCall
from .graph import ancestors, inputs
from .lines import Line, line_at, line_of
from .tape import GradientTape
from .tensor import Tensor, departed
from .variable import Variable
from .words import place_of


@dataclass(frozen=True)
class Explanation:
    """Why `gradients(y, x)` is None. It is false when the gradient is not None, and prints as a sentence.

    reason : "connected", "integer dtype", "cut", "rule returned None", "captured", "left the graph", "made later",
        "copy" or "no path"; of a tape also "unwatched constant", "untrainable" and "not recorded".
    op : the op at which the connection ends, "" where there is none. line : the user's line there, if known.
    """

    reason: str
    sentence: str
    op: str = ""
    line: Line | None = None

    def __bool__(self) -> bool:
        return self.reason != "connected"

    def __str__(self) -> str:
        return self.sentence


def explain_none(y: Tensor, x: Tensor, tape: GradientTape | None = None) -> Explanation:
    """Why the gradient of `y` with respect to `x` is None: the reason and the place.

    tape : the tape whose `gradient(y, x)` is None; without one, `gradients(y, x)` is meant.

    Raises TypeError when y or x is not a Tensor.

    >>> from minigrad import constant, stop_gradient
    >>> x = constant(2.0)
    >>> print(explain_none(x * stop_gradient(x * x), x))
    the gradient is not None: y depends on x
    >>> print(explain_none(stop_gradient(x * x), x).reason)
    cut
    """
    for name, t in (("y", y), ("x", x)):
        if not isinstance(t, Tensor):
            raise TypeError(f"{name} must be a Tensor, got {t!r:.60} of type {type(t).__name__}; a float has no graph")
    y = y.read_value()
    for name, t in (("x", x), ("y", y)):
        if t.dtype.kind != "f":
            sentence = f"{name} has dtype {t.dtype}; only floats have gradients, so write astype({name}, 'float32')"
            return Explanation("integer dtype", sentence, *_at(t))
    unseen = tape and _unseen(tape, y, x)
    if unseen:
        return unseen
    graph = ancestors([y])
    downstream = _downstream(graph, x)
    if y.birth not in downstream:
        return _unreachable(y, x, graph)
    blocked = _first_block(y, x, downstream)
    if blocked is None:
        return Explanation("connected", "the gradient is not None: y depends on x")
    node, answered = blocked
    if answered:
        rule = (
            f"the rule {place_of(node.op.grad_fn)} of {node.op.name}"
            if isinstance(node.op, CustomCall)
            else (f"the rule of {node.op.name}")
        )
        return Explanation("rule returned None", f"{rule} answered None for what leads to x{_where(node)}", *_at(node))
    why = "cuts the graph on purpose" if node.op.name == "stop_gradient" else "has no gradient"
    return Explanation("cut", f"the connection ends at {node.op.name}, which {why}{_where(node)}", *_at(node))


def _unseen(tape: GradientTape, y: Tensor, x: Tensor) -> Explanation | None:
    """Reasons that lie in the tape."""
    if isinstance(x, Variable) and not tape.watches(x):
        sentence = f"the variable {x.name} is not trainable, so the tape does not watch it; write tape.watch({x.name})"
        return Explanation("untrainable", sentence) if not x.trainable else _unwatched()
    if not isinstance(x, Variable) and not tape.sees(x):
        return _unwatched()
    if y.birth != x.birth and not tape.sees(y):
        sentence = "y was computed while the tape was not recording, or from x before it was watched"
        return Explanation("not recorded", sentence, *_at(y))
    return None


def _unwatched() -> Explanation:
    sentence = "the tape does not watch x; write tape.watch(x) before x is used (gradients(y, x) needs no tape)"
    return Explanation("unwatched constant", sentence)


def _downstream(graph: Sequence[Tensor], x: Tensor) -> set[int]:
    """Births of the nodes of `graph` that were made from `x`, whether or not a gradient passes."""
    found = {x.birth}
    for node in graph:
        if any(a.birth in found for a in inputs(node)):
            found.add(node.birth)
    return found


def _first_block(y: Tensor, x: Tensor, downstream: set[int]) -> tuple[Tensor, bool] | None:
    """The newest node on the way from y to x that sends nothing on, and whether its rule was asked.

    None if x is reached.
    """
    reached = {y.birth}
    steps = {}
    with np.errstate(all="ignore"):
        for node, _, sends in backward([y], [np.ones_like(y.value)], [x]):
            reached.add(node.birth)
            steps[node.birth] = {argument.birth for _, argument, _ in sends}
    if x.birth in steps:
        return None
    for node in reversed(ancestors([y])):
        if node.birth not in downstream or node.birth == x.birth:
            continue
        if node.op is not None and not node.op.differentiable:
            return node, False
        if node.birth in steps and not steps[node.birth] & downstream:
            return node, True
    return y, True


def _unreachable(y: Tensor, x: Tensor, graph: Sequence[Tensor]) -> Explanation:
    """Reasons when y was not made from x at all."""
    for node in graph:
        if isinstance(node.op, CustomCall) and x.birth in {t.birth for t in ancestors(node.op.body_outputs)}:
            sentence = (
                f"x is captured by {place_of(node.op.f)}: only arguments and trainable Variables get gradients from a "
                f"custom rule, so pass x as an argument"
            )
            return Explanation("captured", sentence, *_at(node))
    if x.birth > y.birth and not isinstance(x, Variable):
        return Explanation("made later", "x was made after y, so y cannot depend on it")
    for birth in sorted(departed.keys()):
        left = departed.get(birth)
        if left is not None and left.birth in _downstream(ancestors([left]), x):
            line = line_at(left.left)
            what = "x" if left.birth == x.birth else f"the result of {left.op.name}"
            sentence = f"{what} left the graph as a plain number at {line.where}: {line.text}"
            return Explanation("left the graph", sentence, left.op.name if left.op else "", line)
    for node in graph:
        if node.op is None and node.shape == x.shape and node.birth != x.birth and np.array_equal(node.value, x.value):
            return Explanation("copy", "y was made from another Tensor with the same value as x, not from x itself")
    return Explanation("no path", "y was not made from x: no recorded op leads from one to the other")


def _at(node: Tensor) -> tuple[str, Line | None]:
    return (node.op.name if node.op is not None else ""), line_of(node)


def _where(node: Tensor) -> str:
    line = line_of(node)
    return "" if line is None else f" ({line.where}: {line.text})"
