"""Run a recorded graph again: at other inputs, in another dtype, or with some of its nodes computed differently."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core.calling import compute
from ..core.graph import ancestors, inputs
from ..core.op import COPY, OPS, PICK, as_leaf, pick, record
from ..core.tensor import Tensor
from ..core.variable import READ, Variable

#: Another way to compute a node, given the new nodes so far by the serials of the old ones.
Instead = Callable[[Mapping[int, Tensor]], Tensor]


class NotReplayable(ValueError):
    """A node computed by a function of the user, such as a custom gradient, would have to be computed again."""


def is_input(node: Tensor) -> bool:
    """Whether a node is a leaf or a read of a Variable."""
    return node.op is None or node.op is READ


def is_opaque(node: Tensor) -> bool:
    """Whether a node is `stop_gradient` or a call of a user's function, neither of which is computed again."""
    if is_input(node) or node.op in (COPY, PICK):
        return False
    known = OPS.get(node.op.name) is node.op
    return (node.op.differentiable and not known) or node.op.name == "stop_gradient"


def graph_of(y: Tensor) -> list[Tensor]:
    """The nodes that `y` was computed from, oldest first, with the reads of Variables but not the Variables."""
    return [node for node in ancestors([y]) if not isinstance(node, Variable)]


def replay(
    y: Tensor,
    put: Mapping[int, Any] | None = None,
    instead: Mapping[int, Instead] | None = None,
    number: Callable[[Any], Any] | None = None,
) -> dict[int, Tensor]:
    """Compute the graph of `y` again, and return the new nodes by the serials of the old ones.

    put : values for nodes, by serial. instead : other ways to compute nodes, by serial. number : a function that is
        applied to every float input, constants included; without one, nodes whose arguments are unchanged are reused.

    Raises NotReplayable where an argument of a custom gradient changes.

    >>> from minigrad import constant
    >>> x = constant(3.0)
    >>> y = x * x + 1
    >>> replay(y, put={x.serial: np.float32(5.0)})[y.serial].value
    np.float32(26.0)
    """
    put, instead, now = put or {}, instead or {}, {}
    with np.errstate(all="ignore"):
        for node in ancestors([y], enter=lambda node: node.serial not in put):
            serial = node.serial
            if serial in put:
                now[serial] = as_leaf(put[serial])
            elif serial in instead:
                now[serial] = instead[serial](now)
            elif is_input(node):
                now[serial] = node if number is None else as_leaf(_number(number, node.value))
            elif not isinstance(node, Variable):
                same = number is None and all(now[a.serial] is a for a in inputs(node))
                now[serial] = node if same else again(node, now, number)
            if serial in now and now[serial].serial > y.serial and hasattr(node, "location"):  # a new node
                now[serial].location = node.location
    return now


def _number(number: Callable[[Any], Any] | None, value: Any) -> Any:
    """`number(value)` for a float or an array of floats; anything else unchanged."""
    floats = isinstance(value, float) or (isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f")
    return number(value) if number is not None and floats else value


def again(node: Tensor, now: Mapping[int, Tensor], number: Callable[[Any], Any] | None) -> Tensor:
    """Compute a node from the new nodes of its arguments."""
    if node.op is PICK:
        return pick(now[node.args[0].serial], node.args[1])
    if is_opaque(node) and node.op.name != "stop_gradient":
        raise NotReplayable(f"{node.op.name} has a rule of its own, and would have to be called again")
    args = tuple(now[a.serial] if isinstance(a, Tensor) else _number(number, a) for a in node.args)
    if number is not None and node.op.name == "astype":
        return args[0]
    value = compute(node.op, [a.value if isinstance(a, Tensor) else a for a in args], node.kwargs)
    return record(node.op, value, args, node.kwargs)
