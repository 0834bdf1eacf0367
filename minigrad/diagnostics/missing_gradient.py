"""`explain_none`: explain why a gradient is None, with the op and the line where the connection ends."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core.backward import Sends, backward, start
from ..core.custom import CustomCall
from ..core.graph import ancestors, inputs
from ..core.support.detached import detached
from ..core.support.error_words import LACKS_RETURN, location_of, returns_nothing, visible
from ..core.tensor import Tensor
from ..core.variable import Variable
from ..tracing.names import captured_by, name_in
from ..tracing.user_lines import SourceLine, line_at, line_of
from ..transforms.lost import has_gradient
from ..transforms.tape import GradientTape


@dataclass(frozen=True)
class Explanation:
    """The reason why `gradients(y, x)` is None, printed as a sentence.

    It is false if the gradient is not None.

    reason : "connected", "integer dtype", "cut", "rule returned None", "captured", "only in the rule", "untrainable",
        "not recorded", "left the graph", "made later", "copy" or "no path"; for a tape also "unwatched constant".
        The reasons in an Explanation from `explain_zero` are listed in that function's docstring; the Explanation is
        false if the reason is "not zero".
    op : the op where the connection ends, or "" if there is none.
    line : the user's line of this op, if known.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> found = mg.explain_none(mg.constant(1.0), x)
    >>> bool(found), found.reason
    (True, 'no path')
    """

    reason: str
    sentence: str
    op: str = ""
    line: SourceLine | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "sentence", visible(self.sentence))

    def __bool__(self) -> bool:
        return self.reason not in ("connected", "not zero")

    def __str__(self) -> str:
        return self.sentence


def explain_none(y: Tensor, x: Tensor, tape: GradientTape | None = None) -> Explanation:
    """Explain why the gradient of `y` with respect to `x` is None.

    tape : the tape whose `gradient(y, x)` is None; without a tape, the result of `gradients(y, x)` is explained.

    The sentence uses the names of y and x in the calling code.

    Raises TypeError if y or x is not a Tensor.

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
    frame = sys._getframe(1)
    return explanation(y, x, name_in(frame, y) or "y", name_in(frame, x) or "x", tape)


def explanation(y: Tensor, x: Tensor, y_name: str, x_name: str, tape: GradientTape | None = None) -> Explanation:
    """Return the reason why the gradient of `y` with respect to `x` is None, with a sentence that uses these names."""
    code = x.name if isinstance(x, Variable) and x_name == "x" else x_name
    name = f"the variable {x.name}" if isinstance(x, Variable) else x_name
    y = y.read_value()
    if x.dtype.kind != "f":
        sentence = f"{name} has dtype {x.dtype}; only floats have gradients, so write astype({code}, 'float32')"
        return Explanation("integer dtype", sentence, *at_node(x))
    named = _Names(y_name, name, code)
    reason = tape and _reason_of_tape(tape, y, x, named)
    return reason or _without_tape(y, x, named)


class _Names(NamedTuple):
    """The names of y and x as sentences write them, and the name of x as code writes it."""

    y: str
    x: str
    code: str


def reason_for_none(y: Tensor, sources: Sequence[Tensor], names: Sequence[str]) -> str:
    """Return a sentence about why a result depends on none of a function's inputs, preferably one that names an op."""
    reasons = [_without_tape(y, x, _Names("the result", name, name)) for x, name in zip(sources, names)]
    located = [why for why in reasons if why.reason not in ("no path", "copy", "made later")]
    inputs = names[0] if len(names) == 1 else "its inputs"
    return located[0].sentence if located else f"the result does not depend on {inputs}"


def _without_tape(y: Tensor, x: Tensor, named: _Names) -> Explanation:
    """Return an Explanation of why `gradients(y, x)` is None, without regard to tapes."""
    graph = ancestors([y])
    downstream = downstream_of(graph, x)
    if y.serial not in downstream:
        return _unreachable(y, x, named, graph)
    blocked = _first_block(y, x, downstream)
    if blocked is None:
        return Explanation("connected", f"the gradient is not None: {named.y} depends on {named.x}")
    node, returned = blocked

    def whole(node: Tensor) -> Tensor | None:
        """Return an argument of the node that was computed from x and is not a float, or None."""
        return next((a for a in inputs(node) if a.serial in downstream and a.op and a.dtype.kind != "f"), None)

    while not returned and (before := whole(node)) is not None:
        node = before  # if several such ops follow each other, report the first, whose arguments are floats
    if returned:
        what, rule = f"what leads to {named.x}", f"the rule of {node.op.name}"
        if isinstance(node.op, CustomCall):
            rule = f"the rule {location_of(node.op.grad_fn)} of {node.op.name}"
            leads = {path for path, a in zip(node.op.input_names(), node.args) if getattr(a, "serial", 0) in downstream}
            what = ", ".join(sorted(leads)) or what
            what += f", which leads to {named.x}" * (leads > set() and leads != {named.x})
        hint = LACKS_RETURN * (isinstance(node.op, CustomCall) and returns_nothing(node.op.grad_fn))
        sentence = f"{rule} returned None for {what}{where_of(node)}{hint}"
        return Explanation("rule returned None", sentence, *at_node(node))
    if node.op.name == "stop_gradient":
        why = "cuts the graph on purpose"
    else:
        why = "has no gradient" if not node.op.differentiable else f"returns {node.dtype}: only floats have gradients"
    return Explanation("cut", f"the connection ends at {node.op.name}, which {why}{where_of(node)}", *at_node(node))


def _reason_of_tape(tape: GradientTape, y: Tensor, x: Tensor, named: _Names) -> Explanation | None:
    """Return an Explanation if the gradient is None because the tape did not watch or record, else None."""
    if isinstance(x, Variable) and not x.trainable and not tape.watches(x):
        sentence = f"{named.x} is not trainable, so the tape does not watch it; write tape.watch({named.code})"
        return Explanation("untrainable", sentence)
    if not tape.includes(x):
        call = f"tape.watch({named.code}) before it is used"
        sentence = f"the tape does not watch {named.x}; write {call} (gradients({named.y}, {named.code}) needs no tape)"
        return Explanation("unwatched constant", sentence)
    if y.serial != x.serial and not tape.includes(y):
        sentence = f"{named.y} was computed while the tape was not recording, or from {named.x} before it was watched"
        reached = _without_tape(y, x, named)
        return Explanation("not recorded", sentence, *at_node(y)) if reached.reason == "connected" else reached
    return None


def downstream_of(graph: Sequence[Tensor], x: Tensor) -> set[int]:
    """Return the serials of the nodes of `graph` that were computed from `x`, with or without a gradient."""
    downstream = {x.serial}
    for node in graph:
        if any(a.serial in downstream for a in inputs(node)):
            downstream.add(node.serial)
    return downstream


def _first_block(y: Tensor, x: Tensor, downstream: set[int]) -> tuple[Tensor, bool] | None:
    """Return the newest node between y and x that sends no message towards x, and whether its rule was called.

    Return None if a message reaches x. downstream : the serials of the nodes computed from x.
    """
    reached = {y.serial}
    steps = {}

    def observe(node: Tensor, _: Any, sends: Sends) -> None:
        reached.add(node.serial)
        steps[node.serial] = {argument.serial for _, argument, _ in sends}

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the pass whose result is explained has warned already
        backward(start([y], [np.ones_like(y.value)], [x]), observe)
    if x.serial in steps:
        return None
    for node in reversed(ancestors([y])):
        if node.serial not in downstream or node.serial == x.serial:
            continue
        if node.op is not None and not has_gradient(node):
            return node, False
        if node.serial in steps and not steps[node.serial] & downstream:
            return node, True
    return y, True


def _unreachable(y: Tensor, x: Tensor, named: _Names, graph: Sequence[Tensor]) -> Explanation:
    """Return the reason why no recorded op leads from x to y."""
    name = named.x
    for node in graph:
        if not isinstance(node.op, CustomCall):
            continue
        f = location_of(node.op.f)
        if x.serial in {t.serial for t in ancestors(node.op.body_outputs)}:
            reason, why = "captured", "only arguments and trainable Variables get gradients from a custom rule, so "
            if isinstance(x, Variable):
                reason, why = "untrainable", "it is not trainable: make it so, or "
            sentence = f"{name} is captured by {f}: {why}pass it as an argument"
            return Explanation(reason, sentence, *at_node(node))
        if any(used is x for used in _captured_by(node.op.grad_fn)):
            rule = location_of(node.op.grad_fn)
            sentence = f"{name} is used only by the rule {rule}: the value of {f} does not depend on it"
            return Explanation("only in the rule", sentence, *at_node(node))
    if x.serial > y.serial and not isinstance(x, Variable):
        return Explanation("made later", f"{name} was made after {named.y}, which therefore cannot depend on it")
    for node in graph:
        if node.serial > x.serial and hasattr(node, "unrecorded"):
            sentence = (
                f"{named.y} was made from the result of a transform (grad, vjp, ...), which is recorded only inside "
                "another transform or a tape; write grad(grad(f)), or compute the first gradient with gradients(...)"
            )
            return Explanation("not recorded", sentence)
    plain = _newest_number(graph)
    for serial in sorted(detached.keys()):
        left = detached.get(serial)
        if left is not None and left.detached_serial < plain and serial in downstream_of(ancestors([left]), x):
            line = line_at(left.detached_at)
            what = name if serial in (x.serial, x.read_value().serial) else f"the result of {left.op.name}"
            sentence = f"{what} left the graph as a plain number at {line.where}: {line.text}"
            return Explanation("left the graph", sentence, left.op.name if left.op else "", line)
    for node in graph:
        if (
            node.op is None
            and node.shape == x.shape
            and node.serial != x.serial
            and np.array_equal(node.value, x.value)
        ):
            sentence = f"{named.y} was made from another Tensor with the same value as {name}, not from {name} itself"
            return Explanation("copy", sentence)
    return Explanation("no path", f"{named.y} was not made from {name}: no recorded op leads from one to the other")


def _newest_number(graph: Sequence[Tensor]) -> int:
    """Return the serial of the newest node that is a leaf or has a plain argument, which may have left the graph."""
    made = [node.serial for node in graph if not node.args or not all(isinstance(a, Tensor) for a in node.args)]
    return max(made, default=0)


def _captured_by(f: Any) -> list[Any]:
    """Return the values that a function uses from its enclosing functions and from its module."""
    code = getattr(f, "__code__", None)
    if code is None:
        return []
    return [*captured_by(f).values(), *(f.__globals__[name] for name in code.co_names if name in f.__globals__)]


def at_node(node: Tensor) -> tuple[str, SourceLine | None]:
    return (node.op.name if node.op is not None else ""), line_of(node)


def where_of(node: Tensor) -> str:
    line = line_of(node)
    return "" if line is None else f" ({line.where}: {line.text})"
