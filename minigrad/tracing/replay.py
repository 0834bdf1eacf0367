"""Run a recorded graph again: with other inputs, in another dtype, or with some nodes computed differently.

A replay builds new nodes. The old nodes keep their values, even during the replay, for this thread and all others.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.custom import CustomCall
from ..core.graph import ancestors, inputs
from ..core.op import COPY, OPS, PICK, as_leaf, pick, record
from ..core.support.calling import compute
from ..core.support.structure import flatten, is_structure
from ..core.tensor import TENSORS, Tensor, next_serial
from ..core.variable import READ, Variable
from .names import captured_by
from .overlay import Overlay

#: A function that computes a node in a different way. Its argument maps the serials of old nodes to the new nodes that
#: exist so far.
Instead = Callable[[Mapping[int, Tensor]], Tensor]


class NotReplayable(ValueError):
    """Raised if a node would have to be computed again by a user's function, such as one with a custom gradient."""


def is_input(node: Tensor) -> bool:
    """Return whether a node is a leaf or a read of a Variable."""
    return node.op is None or node.op is READ


def is_call(node: Tensor) -> bool:
    """Return whether a node is a call to a user's function with its own rule, such as a custom gradient."""
    computed = (
        not is_input(node) and node.op not in (COPY, PICK) and node.op.differentiable and node.op.kind != "foreign"
    )
    return computed and OPS.get(node.op.name) is not node.op


def is_opaque(node: Tensor) -> bool:
    """Return whether a node has no derived derivative, because it is `stop_gradient` or a call with its own rule."""
    return is_call(node) or node.op is OPS["stop_gradient"]


def graph_of(y: Tensor) -> list[Tensor]:
    """Return the nodes that `y` was computed from, oldest first, including reads of Variables but not the Variables."""
    return [node for node in ancestors([y]) if not isinstance(node, Variable)]


def made_from(targets: Iterable[Tensor]) -> list[Tensor]:
    """Return all Tensors that the targets were computed from, oldest first, including Tensors in custom gradients."""
    return ancestors(targets, parents=parents)


def parents(node: Tensor) -> list[Tensor]:
    """Return the Tensors that `node` was computed from.

    For a call with a custom gradient, these include the outputs in its body and the Tensors its rule captured.
    """
    tensors = [] if isinstance(node, Variable) else inputs(node)
    if isinstance(node.op, CustomCall):
        captured = [x for v in captured_by(node.op.grad_fn).values() for x in (flatten(v) if is_structure(v) else [v])]
        tensors += [x for x in captured if type(x) in TENSORS and x.serial < node.serial]
        tensors += [output.read_value() for output in node.op.body_outputs]
    return tensors


def replay(
    ys: Tensor | Sequence[Tensor],
    put: Mapping[int, Any] | None = None,
    instead: Mapping[int, Instead] | None = None,
    number: Callable[[Any], Any] | None = None,
    note: Callable[[Tensor, Tensor], None] | None = None,
    inside: bool = False,
) -> dict[int, Tensor]:
    """Compute the graph of `ys` again, and return the new nodes keyed by the serials of the old nodes.

    put : new values for nodes, by serial. instead : functions that compute nodes in a different way, by serial.
    number : a function that is applied to every float input, including constants, and to float dtypes in options.
    note : a function that is called with each old node and its new node, oldest first.
    inside : whether to replay the bodies of functions with custom gradients too: their ops are computed again, and
        their rules will read the new values. All nodes are then new, in the old order.

    Without `number`, only nodes that depend on an entry of `put` or `instead` are computed again.
    Raises NotReplayable if an argument of a custom gradient changes, unless `inside` is true.

    >>> from minigrad import constant
    >>> x = constant(3.0)
    >>> y = x * x + 1
    >>> replay(y, put={x.serial: np.float32(5.0)})[y.serial].value
    np.float32(26.0)
    """
    put, instead, now = put or {}, instead or {}, dict[int, Tensor]()
    targets, start = [ys] if isinstance(ys, Tensor) else ys, next_serial()
    with np.errstate(all="ignore"):
        for node in ancestors(targets, lambda node: node.serial not in put, parents if inside else inputs):
            serial = node.serial
            if serial in put:
                now[serial] = as_leaf(put[serial])
            elif serial in instead:
                now[serial] = instead[serial](now)
            elif is_input(node):
                if not isinstance(node, Variable):
                    now[serial] = node if number is None else as_leaf(_number(number, node.value))
            elif inside and isinstance(node.op, CustomCall):
                now[serial] = _entered(node, now)
            elif inside and is_call(node):
                now[serial] = _called(node, now)
            elif inside and all(now[a.serial].value is a.value for a in inputs(node)):
                now[serial] = record(node.op, node.value, _arguments(node.args, now), node.kwargs)
            elif number is None and all(now[a.serial] is a for a in inputs(node)):
                now[serial] = node
            else:
                now[serial] = again(node, now, number)
            if serial in now:
                if hasattr(node, "location") and now[serial].serial > start:  # skips old nodes returned by `instead`
                    now[serial].location = node.location
                if note is not None:
                    note(node, now[serial])
    return now


def again(
    node: Tensor, now: Mapping[int, Tensor], number: Callable[[Any], Any] | None = None, args: Sequence[Any] = ()
) -> Tensor:
    """Compute a node again from the new nodes of its arguments. args : arguments to use instead of the node's own."""
    if node.op is PICK:
        return pick(now[node.args[0].serial], node.args[1])
    if is_call(node):
        raise NotReplayable(f"{node.op.name} has its own rule, and would have to be called again")
    operands = _arguments(args or node.args, now, number)
    kwargs = node.kwargs and {name: _number(number, option) for name, option in node.kwargs.items()}
    value = compute(node.op, [a.value if isinstance(a, Tensor) else a for a in operands], kwargs)
    return record(node.op, tuple(value) if isinstance(value, tuple) else value, operands, kwargs)


def _arguments(
    args: Sequence[Any], now: Mapping[int, Tensor], number: Callable[[Any], Any] | None = None
) -> tuple[Any, ...]:
    return tuple([now[a.serial] if isinstance(a, Tensor) else _number(number, a) for a in args])


def _number(number: Callable[[Any], Any] | None, x: Any) -> Any:
    """Return `number(x)` for a float or a float array; for a float dtype, return the dtype that `number` gives."""
    if number is None:
        return x
    if isinstance(x, float) or (isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind == "f"):
        return number(x)
    if isinstance(x, (str, type, np.dtype)) and any(x == (n if isinstance(x, str) else np.dtype(n)) for n in _FLOATS):
        return np.asarray(number(np.ones((), x))).dtype
    return x


_FLOATS = ("float16", "float32", "float64")


class ReplayedCall(CustomCall):
    """A call in a replay. The Tensors that its rule captured have the values of the replay while the rule runs."""

    __slots__ = ("now",)

    now: Mapping[int, Tensor]

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        with Overlay(self.now):
            return super()._run(*args, **kwargs)


def _entered(node: Tensor, now: Mapping[int, Tensor]) -> Tensor:
    """Rebuild a custom-gradient call from the new nodes of its body."""
    old: CustomCall = node.op
    op = object.__new__(ReplayedCall)
    for name in CustomCall.__slots__:
        setattr(op, name, getattr(old, name))
    op.body_inputs = [now.get(x.serial, x) if isinstance(x, Tensor) else x for x in old.body_inputs]
    op.body_outputs = [now[x.read_value().serial] for x in old.body_outputs]
    op.now = now
    values = [output.value for output in op.body_outputs]
    args = _arguments(node.args, now)
    return record(op, tuple(values) if isinstance(node.value, tuple) else values[0], args)


def _called(node: Tensor, now: Mapping[int, Tensor]) -> Tensor:
    """Replay a call to another kind of function with a rule, such as a recomputed function, on the new values."""
    op = copy.copy(node.op)
    # The rule is a closure over old Tensors; with the overlay it reads the new values from them.
    op.vjp_all = op.vjp_all and _overlaid(op.vjp_all, now)
    op.vjps = op.vjps and tuple([_overlaid(rule, now) for rule in op.vjps])
    args = _arguments(node.args, now)
    values = [a.value if isinstance(a, Tensor) else a for a in args]
    value = _overlaid(compute, now)(op, values, node.kwargs)
    outputs = [x.value if isinstance(x, Tensor) else x for x in (value if isinstance(value, tuple) else [value])]
    return record(op, tuple(outputs) if isinstance(node.value, tuple) else outputs[0], args, node.kwargs)


def _overlaid(f: Callable[..., Any], now: Mapping[int, Tensor]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        with Overlay(now):
            return f(*args, **kwargs)

    return call
