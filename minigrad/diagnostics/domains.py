"""The domains of ops, where value and slope are finite, and the nodes of a graph where a nan or inf begins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.backward import Sends, backward, pullback, start
from ..core.op import PICK
from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_call, is_input


class Bounds(NamedTuple):
    """The domain of a node's op, with its ends as numbers of the node's dtype."""

    argument: int
    low: float | None
    high: float | None
    inside: float
    hole: bool


def op_of(node: Any) -> str:
    """Return the name of a node's op, or "" if the node is not the result of a minigrad op.

    The name is also "" for a user's function that has the name of an op, such as `divide`.
    """
    has_op = isinstance(node, Tensor) and node.op is not None and not is_call(node) and node.op.kind != "foreign"
    return node.op.name if has_op else ""


def maker_of(node: Tensor) -> Tensor:
    """Return the node that computed a value; if it is one of several outputs, the node that computed all of them."""
    return node.args[0] if node.op is PICK else node


def finite(*values: Any) -> bool:
    """Return whether all elements of all values are finite; None counts as finite."""
    return all(np.isfinite(v).all() for v in values if v is not None)


def value_of(a: Any) -> Any:
    """Return the array of an argument, whether it is a Tensor or not."""
    return np.asarray(a.value if isinstance(a, Tensor) else a)


def numbers_in(args: Iterable[Any]) -> list[Any]:
    """Return the arguments that have a float dtype."""
    held = [
        a for a in args if isinstance(a, (Tensor, np.ndarray, float)) and not isinstance(getattr(a, "value", 0), tuple)
    ]
    return [a for a in held if value_of(a).dtype.kind == "f"]


def bounds_of(node: Tensor) -> Bounds | None:
    """Return the domain of a node, or None if all numbers are allowed.

    The ends are rounded to numbers that are easy to write, such as 1e-07.
    """
    domain = None if is_input(node) else node.op.facts.domain
    if domain is None or isinstance(node.value, tuple):
        return None
    dtype = np.finfo(node.dtype if node.dtype.kind == "f" else np.float32)
    low, high = (None if end is None else _written(float(end(dtype)), dtype) for end in (domain.low, domain.high))
    return Bounds(domain.argument, low, high, domain.inside, domain.hole)


def _written(end: float, dtype: Any) -> float:
    if abs(end) < 1e-2:
        return float(f"{end:.0e}")
    return float(f"{end:.3g}") if abs(end) > 2 else float(str(dtype.dtype.type(end)))


def outside(node: Tensor) -> bool:
    """Return whether a node has an argument at which the value or the slope of its op is not finite."""
    bounds = bounds_of(node)
    if bounds is None:
        return False
    a = value_of(node.args[bounds.argument])
    with np.errstate(invalid="ignore"):
        if node.op.name == "power":
            n = value_of(node.args[1])
            return bool((((a == 0) & (n < 1) & (n != 0)) | ((a < 0) & (n != np.round(n)))).any())
        if bounds.hole:
            return bool((a == 0).any()) or (not finite(node.value) and bool((abs(a) < bounds.low).any()))
        if bounds.low is not None and bounds.low < -1e3:
            lost = np.isnan(node.value) if a.shape == node.shape else ~np.isfinite(node.value)
            masked = bool((a == -np.inf).any()) and not np.isnan(a).any()  # -inf is a usual mask for scores
            return masked and bool(lost.any())
        small = bounds.low is not None and 0 < bounds.low < 1e-2  # the op itself allows all positive numbers
        below = a <= 0 if small else a < bounds.low if bounds.low is not None else np.False_
        return bool(np.any(below)) or (bounds.high is not None and bool((a > bounds.high).any()))


def underflows(node: Tensor) -> bool:
    """Return whether a product or a power is 0 although its arguments are not, such as the square of 1e-200."""
    if op_of(node) not in ("multiply", "power"):
        return False
    return bool(((value_of(node) == 0) & np.logical_and(*(np.abs(value_of(a)) > 0 for a in node.args[:2]))).any())


def users_of(y: Tensor) -> dict[int, list[Tensor]]:
    """Map the serial of each node to the nodes in the graph of `y` that use it."""
    users: dict[int, list[Tensor]] = {}
    for node in graph_of(y):
        for a in node.args:
            if isinstance(a, Tensor):
                users.setdefault(a.serial, []).append(node)
    return users


def gradients_of(y: Tensor, sources: Sequence[Tensor], upstream: Any = None) -> list[Any]:
    """Return the gradients of `y` for an upstream gradient (default: ones); a source without effect gets zeros."""
    adjoints = pullback([y], [np.ones_like(y.value) if upstream is None else upstream], sources)
    return [np.asarray(np.zeros_like(s.value) if g is None else g) for s, g in zip(sources, adjoints)]


def suspects(y: Tensor, sources: Sequence[Tensor]) -> list[Tensor]:
    """Return the nodes where a nan or inf begins, and the nodes outside their domain, oldest first.

    A nan or inf may begin in the forward or in the backward pass.
    """
    by_serial = {}

    def observe(node: Tensor, g: Any, sends: Sends) -> None:
        if not isinstance(g, dict) and finite(g) and not finite(*(getattr(c, "value", c) for _, _, c in sends)):
            by_serial[node.serial] = node

    with np.errstate(all="ignore"):
        backward(start([y], [np.ones_like(y.value)], sources), observe)
    for node in graph_of(y):
        if not is_input(node) and not isinstance(node.value, tuple) and (_begins(node) or outside(node)):
            by_serial[node.serial] = node
    return [by_serial[serial] for serial in sorted(by_serial)]


def _begins(node: Tensor) -> bool:
    """Return whether a nan or inf begins in the value of a node.

    It does if the value is not finite but all arguments are, or if the value contains a nan and no argument does.
    """
    if finite(node.value):
        return False
    before = [value_of(a) for a in numbers_in(node.args)]
    return all(map(finite, before)) or (bool(np.isnan(node.value).any()) and not any(np.isnan(v).any() for v in before))
