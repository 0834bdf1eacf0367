"""What an op is, and how a call of it becomes a node of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .tensor import Tensor, next_serial
from .types import Function, Rule

#: Every op by name.
OPS: dict[str, Op] = {}

#: Called with each new node while not empty. This is how source lines and gradient overrides are recorded.
hooks: list[Callable[[Tensor], None]] = []

_new = object.__new__


def no_gradient(g: Any, y: Any, *args: Any, **kwargs: Any) -> None:
    """The rule for an argument that has no gradient, such as the condition of `where`."""


class Domain(NamedTuple):
    """The interval in which the value and the slope of an op are finite, for one of its arguments.

    argument : its number. low, high : the ends, as functions of `numpy.finfo` of the dtype; None where there is none.
    inside : a number well inside. hole : the op is defined on both sides of 0, and 0 alone is outside.
    """

    argument: int = 0
    low: Callable[[Any], float] | None = None
    high: Callable[[Any], float] | None = None
    inside: float = 1.0
    hole: bool = False


class Op:
    """One op. Rules read `(g, y, *args, **kwargs) -> gradient`, where g is the upstream gradient and y the result.

    fn : the NumPy function that computes it.
    vjps : one rule per leading argument, None for one without a gradient; None for an op without any (a cut edge).
    vjp_all : instead of vjps, one rule that returns the gradients of all arguments at once.
    elementwise : each element of the result depends on the elements at the same place only.
    slope : for each argument, the local derivative in words, with a, b for the arguments and y for the result.
    edge_cases : what is to be known about awkward points. domain : where value and slope are finite, if not everywhere.
    refused : for an op that raises LinAlgError, a function of the op and of its arguments that says why.
    latex : the formula. names : what TensorFlow, Keras, ... call it. samples : arguments to check its gradient at,
        for `op.call`: floats and lists of floats are differentiated, a tuple of lists is a sequence of arrays, anything
        else is an option, and a dict at the end holds keywords.
    partial : whether `vjp_all` is given None, instead of zeros, for outputs that nothing used.
    kind : "primitive" with a rule, "composite" if made of other ops, "constant" if it has no gradient.
    """

    __slots__ = (
        "call", "differentiable", "domain", "edge_cases", "elementwise", "fn", "kind", "latex", "name", "names",
        "partial", "refused", "samples", "slope", "vjp_all", "vjps",
    )  # fmt: skip

    call: Function

    def __init__(
        self, name: str, fn: Function, vjps: tuple[Rule | None, ...] | None = None, vjp_all: Rule | None = None,
        elementwise: bool = False, slope: tuple[str, ...] = (), edge_cases: str = "", domain: Domain | None = None,
        refused: Callable[[Op, Any], str] | None = None, latex: str = "", names: dict[str, str] | None = None,
        samples: tuple[Any, ...] = (), kind: str = "", partial: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.fn, self.vjp_all, self.partial = name, fn, vjp_all, partial
        self.vjps = None if vjps is None else tuple([no_gradient if rule is None else rule for rule in vjps])
        self.differentiable = vjps is not None or vjp_all is not None
        self.kind = kind or ("primitive" if self.differentiable else "constant")
        self.elementwise, self.slope, self.edge_cases, self.domain = elementwise, slope, edge_cases, domain
        self.refused, self.latex, self.names, self.samples = refused, latex, names or {}, samples

    def __repr__(self) -> str:
        return f"Op({self.name})"


#: Output number `index` of a node that holds a tuple of values.
PICK = Op("output", lambda values, index: values[index], vjps=())

#: The copies that the engine makes of arguments: named like `identity`, but no op that the user's code created, so
#: that `gradient_override_map` leaves them alone.
COPY = Op("identity", lambda x: x, vjps=(lambda g, y, x: g,), elementwise=True, slope=("1",), latex="a")


def record(op: Op, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Tensor:
    """The Tensor that holds `value`, with the record that `op` made it from `args`."""
    node = _new(Tensor)
    node.value = value
    node.op = op
    node.args = args
    node.kwargs = kwargs
    node.serial = next_serial()
    if hooks:
        announce(node)
    return node


def as_leaf(value: Any) -> Tensor:
    """A Tensor around a value that nobody will change: no copy is made."""
    node = _new(Tensor)
    node.value, node.op, node.args, node.kwargs, node.serial = value, None, (), None, next_serial()
    return node


def announce(node: Tensor) -> None:
    """Call the hooks with a new node."""
    for hook in hooks:
        hook(node)


def pick(call: Tensor, index: int) -> Tensor:
    """Output `index` of the many-valued node `call`, as a Tensor of its own."""
    return record(PICK, call.value[index], (call, index))
