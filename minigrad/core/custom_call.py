"""One call of a function with a custom gradient, as a node of the graph: what went in, what came out, the rule."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any, NamedTuple

from .backward import pull
from .grad_fn import check_answer
from .messages import argument_names, name_of, place_of, plural
from .op import Op, as_leaf, pick, record
from .structure import flatten, is_structure, leaves, rebuild
from .tensor import Tensor
from .variable import Variable

state = threading.local()


class Manner(NamedTuple):
    """How a grad_fn wants to be called, read off its signature."""

    variables: bool  # it accepts variables=
    needs_variables: bool  # and insists on it
    upstream: bool  # Keras on PyTorch: grad(*inputs, upstream=u)
    least: int  # the fewest and most upstreams it takes by position
    most: float
    names: tuple[str, ...]


Manners = dict[int, tuple[Any, Manner]]


def manner_of(grad_fn: Callable[..., Any], known: Manners) -> Manner:
    """The manner of `grad_fn`. A `def` inside `f` makes a new function at each call: `known` keeps what was read, by
    the id of its code, and the code with it, so that the id stays its own."""
    code = getattr(grad_fn, "__code__", None)
    if id(code) in known:
        return known[id(code)][1]
    manner = _manner(grad_fn)
    if type(grad_fn) is FunctionType and not hasattr(grad_fn, "__wrapped__"):  # wrappers share the code of the wrapper
        known[id(code)] = code, manner
    return manner


def _manner(grad_fn: Callable[..., Any]) -> Manner:
    try:
        parameters = inspect.signature(grad_fn).parameters.values()
    except (TypeError, ValueError):  # some builtins have none
        return Manner(False, False, False, 0, float("inf"), ())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    keyword = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    # A first parameter without default is the upstream gradient, even when it is called `variables`.
    named = [p for p in (*positional, *keyword) if p.name == "variables"]
    named = [p for p in named if p not in positional[:1] or p.default is not p.empty]
    dys = [p for p in positional if p not in named]
    return Manner(
        variables=bool(named) or any(p.kind is p.VAR_KEYWORD for p in parameters),
        needs_variables=bool(named) and named[0].default is inspect.Parameter.empty,
        upstream=any(p.name == "upstream" and p.default is p.empty for p in keyword),
        least=sum(p.default is p.empty for p in dys),
        most=float("inf") if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(dys),
        names=tuple(p.name for p in dys),
    )


class CustomCall(Op):
    """The op of one call. Its gradient is what the user's grad_fn answers, checked.

    f, grad_fn, value : the function, and the pair it returned.
    slots : the arguments that are inputs; keywords : the names of the last of them, where they were given by name.
    seen : the connected copies of the slots, which `f` ran on.
    inputs, body_inputs, body_outputs : the leaves of slots, seen and value. Between the last two lies what `f` did:
        the derived adjoint, which the rule replaces, can be run there.
    variables : the trainable Variables that the outputs depend on, by name.
    """

    __slots__ = (
        "body_inputs", "body_outputs", "f", "grad_fn", "inputs", "keywords", "manners", "seen", "slots", "value",
        "variables",
    )  # fmt: skip

    # What an Op says about itself is the same for every call.
    vjps = None
    elementwise = False
    differentiable = True
    partial = False
    local = ()
    samples = ()
    domain = latex = ""
    kind = "primitive"
    names: dict[str, str] = {}  # noqa: RUF012

    def __init__(
        self, f: Callable[..., Any], grad_fn: Callable[..., Any], value: Any, manners: Manners,
        slots: Sequence[Any], keywords: Sequence[str], seen: Sequence[Any], outputs: list[Tensor],
        variables: list[Variable],
    ) -> None:  # fmt: skip
        self.f, self.grad_fn, self.value, self.manners = f, grad_fn, value, manners
        self.slots, self.keywords, self.seen = slots, keywords, seen
        nested = any(map(is_structure, slots))
        self.inputs = flatten(slots) if nested else slots
        self.body_inputs = flatten(seen) if nested else seen
        self.body_outputs, self.variables = outputs, variables

    @property
    def name(self) -> str:  # type: ignore[override]
        return name_of(self.f)

    @property
    def fn(self) -> Callable[..., Any]:  # type: ignore[override]
        return self.f

    def joint(self, upstream: Any, y: Any, *values: Any) -> list[Any]:
        """The contributions to the inputs and the variables; Tensors where the pass is recorded, raw where not."""
        if type(upstream) is list:
            recorded = any(isinstance(u, Tensor) for u in upstream)
            upstreams = [u if isinstance(u, Tensor) else as_leaf(u) for u in upstream]
        else:
            recorded = isinstance(upstream, Tensor)
            upstreams = [upstream if recorded else as_leaf(upstream)]
        found = self.derived(upstreams) if ignoring() else self.ask(upstreams)
        return found if recorded else [g if g is None else g.value for g in found]

    def ask(self, upstreams: list[Tensor]) -> list[Tensor | None]:
        """Call grad_fn in the manner it wants, and check what it answers."""
        args, kwargs = self._arguments(upstreams)
        try:
            answer = self.grad_fn(*args, **kwargs)
        except Exception as error:
            if hasattr(error, "add_note"):
                error.add_note(f"while running {self.place}")
            raise
        return check_answer(self, answer)

    def _arguments(self, upstreams: list[Tensor]) -> tuple[Sequence[Any], dict[str, Any]]:
        """What grad_fn is called with."""
        manner = manner_of(self.grad_fn, self.manners)
        extra: dict[str, Any] = {"variables": list(self.variables)} if self.variables else {}
        if manner.needs_variables and not self.variables:
            raise TypeError(
                f"{place_of(self.grad_fn)} insists on variables, but {self.name} uses no variables; "
                f"write variables=None"
            )
        if manner.upstream:
            return self.seen, {"upstream": rebuild(self.value, upstreams), **extra}
        if len(upstreams) > 1 and isinstance(self.value, Mapping) and {*manner.names} == {*self.value}:
            return (), {**rebuild(self.value, upstreams), **extra}
        if not manner.least <= len(upstreams) <= manner.most:
            takes = manner.least if manner.least == manner.most else f"{manner.least} to {manner.most}"
            raise TypeError(
                f"{self.name} has {plural(len(upstreams), 'output')}, so grad_fn is called with "
                f"{plural(len(upstreams), 'upstream')}, but {place_of(self.grad_fn)} takes {takes}"
            )
        return upstreams, extra

    def derived(self, upstreams: list[Tensor]) -> list[Tensor | None]:
        """The adjoints that the ops inside `f` would have given: what the rule replaces."""
        everything = [*self.body_inputs, *self.variables]
        sources = [x for x in everything if isinstance(x, Tensor)]
        # The copies are cut: what lies behind an argument is the business of the pass that called.
        copies = {x.birth for x in self.body_inputs if isinstance(x, Tensor)}
        found = dict(zip(map(id, sources), pull(self.body_outputs, upstreams, sources, copies)))
        return [found.pop(id(x), None) for x in everything]  # a Variable given twice gets its adjoint once

    # What messages call things.

    @property
    def place(self) -> str:
        return f"grad_fn {place_of(self.grad_fn)} of {self.name}"

    def slot_names(self) -> list[str]:
        """The names of the arguments that are inputs."""
        return [*argument_names(self.f, len(self.slots) - len(self.keywords)), *self.keywords]

    def input_names(self) -> list[str]:
        """For each leaf of the inputs, the code that reaches it: `params['w']`."""
        return [path for name, slot in zip(self.slot_names(), self.slots) for path, _ in leaves(slot, name)]


def outputs_in(value: Any) -> list[Tensor]:
    """The leaves of what a function returned, as Tensors."""
    if type(value) is Tensor:
        return [value]
    return [leaf.read_value() if isinstance(leaf, Tensor) else Tensor(leaf) for leaf in flatten(value)]


def emit(op: Op, value: Any, outputs: Sequence[Tensor], operands: Sequence[Any]) -> Any:
    """What a call hands out: fresh nodes with the values of `outputs`, nested like `value`, made by `op`."""
    args = tuple([x.read_value() if isinstance(x, Tensor) else x for x in operands])
    if not is_structure(value):
        return record(op, outputs[0].value, args)
    node = record(op, tuple([output.value for output in outputs]), args)
    return rebuild(value, [pick(node, i) for i in range(len(outputs))])


@contextmanager
def ignore_custom_gradients() -> Iterator[None]:
    """While the block runs, backward passes follow the derived adjoints instead of the rules of custom gradients.

    >>> import minigrad as mg
    >>> @mg.custom_gradient
    ... def triple(x):
    ...     return 3.0 * x, lambda dy: dy * 100.0
    >>> x = mg.constant(1.0)
    >>> y = triple(x)
    >>> with ignore_custom_gradients():
    ...     print(mg.gradients(y, x)[0].value)
    3.0
    >>> print(mg.gradients(y, x)[0].value)
    100.0
    """
    before = ignoring()
    state.ignoring = True
    try:
        yield
    finally:
        state.ignoring = before


def ignoring() -> bool:
    """Whether custom rules are switched off in this thread."""
    return getattr(state, "ignoring", False)
