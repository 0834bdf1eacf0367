"""Op: a function with gradient rules (its VJPs), and the recording of each call as a node of the graph."""

from __future__ import annotations

from typing import Any

from .support.observers import announce, made
from .support.op_facts import OpFacts
from .support.tensor_values import Function, Rule
from .tensor import Tensor, next_serial

#: Every op by name.
OPS: dict[str, Op] = {}

_new = object.__new__


#: The ops that have been called and whose rules may raise NeedsRecord.
needing_record: set[Op] = set()


class NeedsRecord(ValueError):
    """Raised by a rule on arrays that can be carried out in a recorded pass only; its message is for other passes."""


def no_gradient(g: Any, y: Any, *args: Any, **kwargs: Any) -> None:
    """The rule for an argument that has no gradient, such as the condition of `where`."""


class Op:
    """One op. A rule is a VJP, `(g, y, *args, **kwargs) -> gradient`: g is the upstream gradient, y the result.

    fn : the NumPy function that computes it.
    vjps : one rule for each leading argument, None for one without a gradient. It is None if no argument has any.
    vjp_all : instead of vjps, one rule that returns the gradients of all arguments at once.
    elementwise : whether each element of the result depends only on the elements at its own index.
    partial : whether `vjp_all` is given None, instead of zeros, for outputs that nothing used.
    by_record : whether `vjp_all` may raise NeedsRecord.
    by_user : whether `vjp_all` calls a function of the user's.
    kind : "primitive" with a rule, "composite" if made of other ops, "constant" if it has no gradient, "foreign" if
        another framework computes and derives it: it is run again like any op, and is none of `OPS`.
    facts : its formula, names, edge cases and samples, which no pass reads.
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
        self.vjps = None if vjps is None else tuple([no_gradient if rule is None else rule for rule in vjps])
        self.differentiable = vjps is not None or vjp_all is not None
        self.by_user = self.by_record = False
        self.kind = kind or ("primitive" if self.differentiable else "constant")
        self.elementwise, self.facts = elementwise, facts or OpFacts()

    def __repr__(self) -> str:
        return f"Op({self.name})"


#: The op that picks output number `index` of a node that holds a tuple of values.
PICK = Op("output", lambda values, index: values[index], vjps=())

#: The op of the copies that the engine makes of arguments. It has the name of `identity`, but is an op of its own,
#: which `gradient_override_map` leaves alone: the user's code did not call it.
COPY = Op("identity", lambda x: x, (lambda g, y, x: g,), elementwise=True, facts=OpFacts(latex="a", slope=("1",)))


def record(op: Op, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Tensor:
    """Return a Tensor that holds `value`, recorded as the result of `op` on `args`."""
    node = _new(Tensor)
    node.value = value
    node.op = op
    node.args = args
    node.kwargs = kwargs
    node.serial = next_serial()
    if made:
        announce(node)
    return node


def as_leaf(value: Any) -> Tensor:
    """Return an input of a graph that holds `value`, without a copy: the value must not be changed later."""
    node = _new(Tensor)
    node.value, node.op, node.args, node.kwargs, node.serial = value, None, (), None, next_serial()
    return node


def pick(call: Tensor, index: int) -> Tensor:
    """Return output `index` of `call`, a node with a tuple of values, as a Tensor of its own."""
    return record(PICK, call.value[index], (call, index))
