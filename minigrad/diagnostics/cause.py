"""The cause of a nan or inf: the oldest op outside its domain and the reason, or nonfinite data or weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.op import PICK
from ..core.tensor import Tensor
from ..core.variable import READ
from ..tracing.replay import NotReplayable, graph_of, is_input, replay
from ..tracing.user_lines import line_of
from .convention_fits import hides
from .domains import bounds_of, finite, gradients_of, maker_of, numbers_in, op_of, outside, suspects, value_of
from .first_overflow import overflow_of
from .growth import growth_of, step_length
from .origins import POLES
from .other_points import Bench, close, sources_of
from .repair_report import NONE_KNOWN, NOTHING, OF_A_RULE, USED, Repair

#: The kinds of nan that result from combining two numbers.
MEETINGS = {"0 * inf", "inf - inf", "inf / inf", "0 / 0"}


def cause_of(
    y: Tensor,
    cause: Repair,
    called: Callable[[Tensor], str],
    bench: Bench,
    origin: Tensor | None = None,
    sender: Tensor | None = None,
) -> tuple[Tensor | None, Repair]:
    """Return the oldest node to blame, and `cause` with the reason filled in.

    If the cause lies in the data, the weights or a user's rule, or if all numbers are finite, a search for a repair
    would be pointless. The node is then usually None, and the report already contains its message (`words`).

    cause : a report with the origin's op and kind, and the original numbers.
    called : returns the user's name for a Tensor.
    origin : the node where the nan or inf first appears in the forward pass, which may be an input.
    sender : the node that first sends a nan or inf in the backward pass.
    """
    blown_up = next((s for s in bench.inputs if s.op is READ and not finite(s.value)), None)
    if blown_up is not None:
        return None, replace(cause, op="input", reason="weights", words=_weights(y, blown_up.args[0]))
    if cause.before is not None and finite(cause.before.value, *cause.before.gradients):
        return (
            (bench.blamed[0], cause)
            if bench.blamed
            else (None, replace(cause, words=USED if _is_used(y, bench) else NOTHING))
        )
    if cause.reason == "custom rule":
        return None, replace(cause, words=OF_A_RULE)
    words = _lost(y, cause, called, bench, origin)
    if words:
        return None, replace(cause, op="input", reason="input", words=words)
    spoilt = _spoilt(y, cause, bench)
    bad = [node for node in suspects(y, bench.inputs) if node.serial in spoilt or not finite(node.value)]
    related = _related(y, sender)
    bad = [node for node in bad if maker_of(node).serial in related] or bad
    inside = [node for node in bad if node.serial in spoilt and outside(node)]
    if not finite(y.value):  # an infinite slope does not make the value nan, so prefer nonfinite nodes
        inside = [node for node in inside if not finite(node.value)] or inside
    first = next(
        iter(inside), next((node for node in bad if outside(node) or not finite(node.value)), bad[0] if bad else None)
    )
    if first is not None:
        blamed = _behind(origin, first)
        line, appears = line_of(blamed), origin if sender is None else sender
        elsewhere = line is not None and appears is not None and line != line_of(appears)
        cause = replace(cause, op=maker_of(blamed).op.name, reason=_reason(blamed, cause), at=_argument(blamed),
                        line=line if elsewhere else None)  # fmt: skip
    grown = next(filter(None, (growth_of(s.args[0]) for s in bench.inputs if s.op is READ)), "")
    if grown and cause.reason == "overflow":
        cause = replace(cause, reason="weights", words="; ".join(filter(None, [grown, step_length(y)])))
    return first, cause


def _related(y: Tensor, sender: Tensor | None) -> set[int]:
    """Return the serials of the ancestors and descendants of `sender`, or of all nodes if `sender` is None."""
    graph = graph_of(y)
    if sender is None:
        return {node.serial for node in graph}
    after = {sender.serial}
    for node in graph:
        if any(isinstance(a, Tensor) and a.serial in after for a in node.args):
            after.add(node.serial)
    return after | {node.serial for node in graph_of(sender)}


def _behind(origin: Tensor | None, first: Tensor) -> Tensor:
    """Return the node to blame: `first` if the origin was computed from it or is only an input, else the origin."""
    if origin is None or is_input(origin) or maker_of(first).serial in {n.serial for n in graph_of(origin)}:
        return first
    return origin


def _lost(y: Tensor, cause: Repair, called: Callable[[Tensor], str], bench: Bench, origin: Tensor | None) -> str:
    """Return a sentence about the nonfinite data or the nonfinite constant that is the cause, or "" if none is.

    An infinity may be intended: a running minimum starts with inf as a number larger than all others. Each infinity is
    therefore replaced by a finite number larger than all others, and blamed only if the program is then finite.
    """
    # A -inf is not blamed, because it may be the mask of a score.
    lost = [s for s in sources_of(y) if np.isnan(s.value).any() or (s.value == np.inf).any()]
    sources = [s for s in lost if origin is None or not is_input(origin) or s is origin]
    behind = y if origin is None or is_input(origin) else origin  # search only the part of the graph before the nan
    nodes = [n for n in graph_of(behind) if not is_input(n) and not finite(*map(_constant, n.args))]
    if origin is not None and op_of(origin) == "multiply" and hides(*map(value_of, origin.args[:2])):
        return ""
    if cause.reason != "input" and (sources or nodes):
        largest = 2 * _largest(y)
        number = lambda a: a if finite(a) else np.nan_to_num(a, nan=1, posinf=largest, neginf=-np.inf)
        try:
            now = replay(y, {s.serial: number(s.value) for s in sources}, number=number)
        except NotReplayable:
            return ""
        if not finite(now[y.serial].value, *gradients_of(now[y.serial], [now[x.serial] for x in bench.inputs])):
            return ""
    if sources:
        return lost_data(sources[0], called(sources[0]))
    words = "holds nan or inf already: it was computed outside of the graph"
    return f"a constant of {nodes[0].op.name} {words}" if nodes else ""


def _is_used(y: Tensor, bench: Bench) -> bool:
    """Return whether computed infinities matter: replacing them by large numbers changes the result or a gradient."""
    largest = 2 * _largest(y)
    infinite = lambda n: not isinstance(n.value, tuple) and n.dtype.kind == "f" and (n.value == np.inf).any()
    born = [n for n in graph_of(y) if infinite(n) and not is_input(n) and finite(*map(value_of, numbers_in(n.args)))]
    try:
        now = replay(y, {n.serial: np.where(n.value == np.inf, n.dtype.type(largest), n.value) for n in born})
    except NotReplayable:
        return False
    new = now.get(y.serial, y)
    before, after = (gradients_of(v, bench.inputs) for v in (y, new))
    return not all(close(v, w, 1e-3) for v, w in zip((y.value, *before), (new.value, *after)))


def _largest(y: Tensor) -> float:
    """Return the largest finite magnitude in a graph, but at least 10, and at most a quarter of the dtype's maximum."""
    values = [n.value for n in graph_of(y) if not isinstance(n.value, tuple) and n.dtype.kind == "f"]
    most = [np.max(np.abs(v), initial=10, where=np.isfinite(v)) for v in values]
    return float(np.clip(np.max(most), None, np.finfo(y.dtype).max / 4))


def _spoilt(y: Tensor, cause: Repair, bench: Bench) -> set[int]:
    """Return the serials of the inputs whose gradients are not finite, and of all nodes computed from them.

    If every gradient is finite, return the serials of all nodes.
    """
    gradients = () if cause.before is None else cause.before.gradients
    bad = {x.serial for x, g in zip(bench.shown, gradients) if not finite(g)} & {x.serial for x in bench.inputs}
    for node in graph_of(y) if bad else ():
        if any(isinstance(a, Tensor) and a.serial in bad for a in node.args):
            bad.add(node.serial)
    return bad or {node.serial for node in graph_of(y)}


def _argument(node: Tensor) -> str:
    """Describe the argument that lies outside a node's domain, as in " of 0"; return "" if there is none."""
    bounds = bounds_of(node)
    if bounds is None or not outside(node):
        return ""
    a = value_of(node.args[bounds.argument])
    number = (
        np.max(a) if bounds.high is not None and np.max(a) > bounds.high else np.min(np.abs(a) if bounds.hole else a)
    )
    return "" if np.isnan(number) else f"{' by' if node.op.name == 'divide' else ' of'} {with_digits(number)}"


def with_digits(v: Any) -> str:
    """Return a number with seven digits, or with all its digits if seven would show an integer, as with 1.00000001."""
    text = f"{v:.7g}"
    return text if float(text) == v or float(text) != round(float(text)) else str(v)


def _constant(a: Any) -> Any:
    """Return the array of a float constant, with 0 instead of each -inf (a mask), or None for other arguments."""
    if isinstance(a, Tensor) or not isinstance(a, (float, np.ndarray, np.generic)) or value_of(a).dtype.kind != "f":
        return None
    return np.where(value_of(a) == -np.inf, 0, a)


def _weights(y: Tensor, variable: Any) -> str:
    """Return a sentence about weights that were not finite before the computation began."""
    count = int((~np.isfinite(variable.value)).sum())
    words = lost_weights(variable.name, count)
    return "; ".join(filter(None, [words, growth_of(variable), step_length(y)]))


def lost_weights(name: str, count: int) -> str:
    """Return a sentence about weights that contain nonfinite numbers."""
    numbers = "1 number that is" if count == 1 else f"{count} numbers that are"
    return f"the weights {name} hold {numbers} not finite before this computation begins"


def lost_data(s: Tensor, name: str) -> str:
    """Return a sentence about nonfinite data, whose true numbers are unknown."""
    bad = np.isnan(s.value) | (s.value == np.inf)
    where = f" at {tuple(np.argwhere(bad)[0].tolist())}, {int(bad.sum())} of {s.size} elements" if s.ndim else ""
    what = "nan" if np.isnan(s.value).any() else "inf"
    return f"{name} is {what}{where}; leave it out, or fill it in, before the computation; {NONE_KNOWN}"


def _reason(node: Tensor, cause: Repair) -> str:
    """Classify why a node is not finite: "0 / 0", "domain", "slope", "overflow", or the reason already in `cause`."""
    if op_of(node) == "divide":
        a, b = map(value_of, node.args[:2])
        return "0 / 0" if ((a == 0) & (b == 0)).any() else "domain" if (b == 0).any() else "overflow"
    whole = not isinstance(node.value, tuple) and np.isinf(node.value).any()
    if outside(node) or node.op is PICK:  # the node is one of several outputs, such as slogdet's logarithm of 0
        if node.op.name in ("exp", "exp2", "expm1", "cosh", "sinh"):
            return "overflow"
        return "slope" if not isinstance(node.value, tuple) and finite(node.value) else "domain"
    if not whole or not finite(*map(value_of, numbers_in(node.args))):
        if isinstance(node.value, tuple) or cause.reason not in {*MEETINGS, "domain"}:
            return cause.reason
        nan = np.isnan(node.value).any()  # if it has none, the two numbers were combined at a different node
        return "slope" if finite(node.value) else cause.reason if nan else "domain"
    overflow, widest = overflow_of(node), node.dtype == np.float64 and node.op.kind != "foreign"
    too_large = overflow is not None and overflow.number is not None
    return "overflow" if too_large or (widest and op_of(node) not in {*POLES, "where"}) else "domain"
