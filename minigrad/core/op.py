"""Op: a function with gradient rules (its VJPs), and the recording of each call as a node of the graph."""

from __future__ import annotations

from typing import Any

from .support.observers import announce, created
from .support.op_facts import OpFacts
from .support.tensor_values import Function, Rule
from .tensor import Tensor, next_serial

#: Every op by name.
OPS: dict[str, Op] = {}

_new = object.__new__


#: The ops with several outputs that have been called and whose rules may raise NeedsRecord.
needing_record: set[Op] = set()


class NeedsRecord(ValueError):
    """Raised by a rule that cannot run on arrays; the pass is then repeated as a recorded pass."""


def no_gradient(g: Any, y: Any, *args: Any, **kwargs: Any) -> None:
    """The rule for an argument that has no gradient, such as the condition of `where`."""


class Op:
    """An op. A rule is a VJP, `(g, y, *args, **kwargs) -> gradient`: g is the upstream gradient, y the result.

    name : the op's name in messages and pictures. fn : the NumPy function that computes the op.
    call : the function that users call, such as `mg.exp`. `ops/declare` attaches it; it does what `calling.apply` does.
    vjps : one rule for each leading argument. None means that the argument has no gradient, and is stored as
        `no_gradient`. vjp_all : a single rule, used instead of vjps, that returns the gradients of all arguments.
    differentiable : whether the op has rules, in vjps or vjp_all.
    elementwise : whether each element of the result depends only on the elements at its own index.
    partial : whether `vjp_all` gets None, not zeros, for the upstream gradient of an unused output.
    by_record : whether `vjp_all` may raise NeedsRecord.
    by_user : whether `vjp_all` calls a user's function.
    kind : "primitive" if it has a rule, "composite" if built from ops, "constant" if it has no gradient, "foreign" if
        another framework computes and differentiates it; a foreign op can be run again and is not in `OPS`.
    facts : the formula, names, edge cases and samples, for documentation and tests.

    >>> import numpy as np
    >>> exp = Op("exp", np.exp, vjps=(lambda g, y, x: g * y,))
    >>> multiply = Op("multiply", np.multiply, vjps=(lambda g, y, a, b: g * b, lambda g, y, a, b: g * a))
    >>> multiply.vjps[0](1.0, multiply.fn(3.0, 5.0), 3.0, 5.0)
    5.0
    """

    __slots__ = (
        "by_record", "by_user", "call", "differentiable", "elementwise", "facts", "fn", "kind", "name", "partial",
        "vjp_all", "vjps",
    )  # fmt: skip

    call: Function

    def __init__(
        self, name: str, fn: Function, vjps: tuple[Rule | None, ...] | None = None, vjp_all: Rule | None = None,
        elementwise: bool = False, kind: str = "", partial: bool = False, facts: OpFacts | None = None,
    ) -> None:  # fmt: skip
        self.name, self.fn, self.vjp_all, self.partial = name, fn, vjp_all, partial
        self.vjps = None
        if vjps is not None:
            self.vjps = tuple([no_gradient if rule is None else rule for rule in vjps])
        self.differentiable = vjps is not None or vjp_all is not None
        self.by_user = self.by_record = False
        self.kind = kind or ("primitive" if self.differentiable else "constant")
        self.elementwise, self.facts = elementwise, facts or OpFacts()

    def __repr__(self) -> str:
        return f"Op({self.name})"


#: The op that picks output number `index` of a node that holds a tuple of values. It needs no rule: `adjoint_sums` puts
#: its gradient into that output's place.
PICK = Op("output", lambda values, index: values[index], vjps=())

#: A recorded identity: a new node with the same value, through which gradients flow to the original; no memory is
#: copied. The engine makes such nodes for the arguments of custom gradients. The op is named `identity` too, but
#: `tf.Graph.gradient_override_map` leaves it alone, because the user's code did not call it; `ops/identities` attaches
#: its `call`.
COPY = Op("identity", lambda x: x, (lambda g, y, x: g,), elementwise=True, facts=OpFacts(latex="a", slope=("1",)))


def record(op: Op, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Tensor:
    """Return a Tensor that holds `value`, recorded as the result of `op` on `args`."""
    node = _new(Tensor)
    node.value = value
    node.op = op
    node.args = args
    node.kwargs = kwargs
    node.serial = next_serial()
    if created:
        announce(node)
    return node


def as_leaf(value: Any) -> Tensor:
    """Return a graph input that holds `value` without copying it: the value must not be changed later."""
    node = _new(Tensor)
    node.value, node.op, node.args, node.kwargs, node.serial = value, None, (), None, next_serial()
    return node


def pick(node: Tensor, index: int) -> Tensor:
    """Return output `index` of `node`, which holds a tuple of values, as a separate Tensor."""
    return record(PICK, node.value[index], (node, index))
