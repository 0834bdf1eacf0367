"""One call of a function with a custom gradient, as a node of the graph; here your grad_fn is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .call_convention import CallConventions, convention_of
from .grad_fn_checks import check_returned
from .ignoring import ignoring
from .kept import keep
from .messages import argument_names, location_of, name_of, plural
from .op import Op, as_leaf, pick, record
from .pullback import pullback
from .structure import flatten, is_structure, leaves, rebuild
from .tensor import TENSORS, Tensor
from .variable import Variable


class CustomCall(Op):
    """The op of one call. Its gradient is what the user's grad_fn returns, checked.

    f, grad_fn, value : the function, and the pair it returned.
    args : the arguments that are inputs. keywords : the names of the last of them, if these were given by name.
    copies : the connected copies of the args, on which `f` ran.
    inputs, body_inputs, body_outputs : the leaves of args, copies and value. A pass from body_outputs to body_inputs
        gives the derived adjoints, which the rule replaces.
    variables : the trainable Variables that the outputs depend on, by name.
    """

    __slots__ = (
        "args", "body_inputs", "body_outputs", "conventions", "copies", "f", "grad_fn", "inputs", "keywords", "value",
        "variables",
    )  # fmt: skip

    # These fields of an Op are the same for every call.
    vjps = None
    elementwise = False
    differentiable = by_user = True
    partial = False
    slope = ()
    samples = ()
    edge_cases = latex = ""
    domain = refused = None
    kind = "primitive"
    names: dict[str, str] = {}  # noqa: RUF012

    def __init__(
        self, f: Callable[..., Any], grad_fn: Callable[..., Any], value: Any, conventions: CallConventions,
        args: Sequence[Any], keywords: Sequence[str], copies: Sequence[Any], outputs: list[Tensor],
        variables: list[Variable],
    ) -> None:  # fmt: skip
        self.f, self.grad_fn, self.value, self.conventions = f, grad_fn, value, conventions
        self.args, self.keywords, self.copies = args, keywords, copies
        nested = any([is_structure(x) for x in args])
        self.inputs = flatten(args) if nested else args
        self.body_inputs = flatten(copies) if nested else copies
        self.body_outputs, self.variables = outputs, variables

    @property
    def name(self) -> str:  # type: ignore[override]
        return name_of(self.f)

    @property
    def fn(self) -> Callable[..., Any]:  # type: ignore[override]
        return self.f

    def vjp_all(self, upstream: Any, y: Any, *values: Any) -> list[Any]:
        """The contributions to the inputs and the variables: Tensors in a recorded pass, else raw values."""
        upstreams = upstream if type(upstream) is list else [upstream]
        recorded = any([isinstance(u, Tensor) for u in upstreams])
        upstreams = [u if isinstance(u, Tensor) else as_leaf(u) for u in upstreams]
        found = self.derived(upstreams) if ignoring() else self.call_grad_fn(upstreams)
        return found if recorded else [g if g is None else g.value for g in found]

    def gradient_of_one(self, upstream: Any) -> Any:
        """`vjp_all` for a call with one operand and one output: 1.15 times as fast on small arrays."""
        if self.variables or ignoring() or not convention_of(self.grad_fn, self.conventions).takes_one:
            return self.vjp_all(upstream, None)[0]
        recorded = isinstance(upstream, Tensor)
        found, x = self._run(upstream if recorded else as_leaf(upstream)), self.inputs[0].value
        fits = type(found) in TENSORS and found.value.shape == x.shape and found.value.dtype is x.dtype
        if not fits or x.dtype.kind != "f":
            (found,) = check_returned(self, found)
        return found if recorded or found is None else found.value

    def call_grad_fn(self, upstreams: list[Tensor]) -> list[Tensor | None]:
        """Call grad_fn by its convention, and check what it returns."""
        args, kwargs = self._arguments(upstreams)
        return check_returned(self, self._run(*args, **kwargs))

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.grad_fn(*args, **kwargs)
        except Exception as error:
            if hasattr(error, "add_note"):
                error.add_note(f"while running {self.location}")
            raise

    def _arguments(self, upstreams: list[Tensor]) -> tuple[Sequence[Any], dict[str, Any]]:
        """The arguments and keywords to call grad_fn with."""
        convention = convention_of(self.grad_fn, self.conventions)
        extra: dict[str, Any] = {"variables": list(self.variables)} if self.variables else {}
        if convention.needs_variables and not self.variables:
            raise TypeError(
                f"{location_of(self.grad_fn)} requires variables, but {self.name} uses no variables; "
                f"write variables=None"
            )
        if convention.upstream:
            return self.copies, {"upstream": rebuild(self.value, upstreams), **extra}
        if len(upstreams) > 1 and isinstance(self.value, Mapping) and {*convention.names} == {*self.value}:
            return (), {**rebuild(self.value, upstreams), **extra}
        if not convention.least <= len(upstreams) <= convention.most:
            takes = (
                convention.least if convention.least == convention.most else f"{convention.least} to {convention.most}"
            )
            raise TypeError(
                f"{self.name} has {plural(len(upstreams), 'output')}, so grad_fn is called with "
                f"{plural(len(upstreams), 'upstream')}, but {location_of(self.grad_fn)} takes {takes}"
            )
        return upstreams, extra

    def derived(self, upstreams: list[Tensor]) -> list[Tensor | None]:
        """The derived adjoints, through the ops inside `f`, which the rule replaces."""
        everything = [*self.body_inputs, *self.variables]
        sources = [x for x in everything if isinstance(x, Tensor)]
        # The copies are cut: beyond the arguments, the calling pass goes on.
        copies = {x.serial for x in self.body_inputs if isinstance(x, Tensor)}
        found = dict(zip(map(id, sources), pullback(self.body_outputs, upstreams, sources, copies)))
        return [found.pop(id(x), None) for x in everything]  # a Variable given twice gets its adjoint once

    # Names for error messages.

    @property
    def location(self) -> str:
        return f"grad_fn {location_of(self.grad_fn)} of {self.name}"

    def arg_names(self) -> list[str]:
        """The names of the arguments that are inputs."""
        return [*argument_names(self.f, len(self.args) - len(self.keywords)), *self.keywords]

    def input_names(self) -> list[str]:
        """For each leaf of the inputs, the code that reaches it: `params['w']`."""
        return [path for name, argument in zip(self.arg_names(), self.args) for path, _ in leaves(argument, name)]


def outputs_in(value: Any) -> list[Tensor]:
    """The leaves of the value that a function returned, as Tensors."""
    if type(value) in TENSORS:
        return [value]
    return [leaf.read_value() if isinstance(leaf, Tensor) else Tensor(leaf) for leaf in flatten(value)]


def make_outputs(op: Op, value: Any, outputs: Sequence[Tensor], operands: Sequence[Any]) -> Any:
    """Return the result of a call: new nodes made by `op`, with the values of `outputs`, nested like `value`."""
    if type(value) in TENSORS and len(operands) == 1 and type(operands[0]) in TENSORS:  # the most common case
        return record(op, value.value, tuple(operands))
    args = tuple([x.read_value() if isinstance(x, Tensor) else keep(x) for x in operands])
    if not is_structure(value):
        return record(op, outputs[0].value, args)
    node = record(op, tuple([output.value for output in outputs]), args)
    return rebuild(value, [pick(node, i) for i in range(len(outputs))])
