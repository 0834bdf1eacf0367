"""custom_gradient: the rule you write takes the place of the one that would be derived.

A call is one node of the graph. Its inputs are the arguments, flattened, and the trainable Variables that its
outputs depend on. The ops inside `f` stay on record behind the node, on copies of the arguments that are connected
to them: so a rule that uses what `f` computed has the right second derivative, and the derived adjoint that the rule
replaced can still be run and drawn beside it.

Behaviour: the documentation of `tf.custom_gradient` and of `keras.ops.custom_gradient`.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from .backward import pick, pull
from .contract import (
    check_gradient,
    check_pair,
    match_inputs,
    name_of,
    place_of,
    plural,
    split_variables,
)
from .graph import ancestors
from .op import Op, record
from .ops.elementwise import identity
from .structure import flatten, is_structure, leaves, rebuild
from .tensor import Tensor
from .variable import READ, Variable, touching, uses_resource

_state = threading.local()


class Manner(NamedTuple):
    """How a grad_fn wants to be called, read off its signature."""

    variables: bool  # it accepts variables=
    needs_variables: bool  # and insists on it
    upstream: bool  # Keras on PyTorch: grad(*inputs, upstream=u)
    least: int  # the fewest and most upstreams it takes by position
    most: float
    names: tuple[str, ...]


def _manner(grad_fn: Callable[..., Any]) -> Manner:
    try:
        parameters = inspect.signature(grad_fn).parameters.values()
    except (TypeError, ValueError):  # builtins have none
        return Manner(False, False, False, 0, float("inf"), ())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    keyword = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    named = [p for p in (*positional, *keyword) if p.name == "variables"]
    dys = [p for p in positional if p.name != "variables" or (p is positional[0] and p.default is p.empty)]
    return Manner(
        variables=bool(named) or any(p.kind is p.VAR_KEYWORD for p in parameters),
        needs_variables=bool(named) and named[0].default is inspect.Parameter.empty and named[0] not in dys[:1],
        upstream=any(p.name == "upstream" and p.default is p.empty for p in keyword),
        least=sum(p.default is p.empty for p in dys),
        most=float("inf") if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(dys),
        names=tuple(p.name for p in dys),
    )


class CustomCall(Op):
    """The op of one call of a function with a custom gradient; `call.joint` runs the rule the user wrote.

    inputs, names : the leaves of the arguments and what to call them. body_inputs, body_outputs : the connected copies
    that `f` saw and the results it computed, for running the derived adjoint that the rule replaces.
    """

    __slots__ = (
        "arg_names",
        "args",
        "body_inputs",
        "body_outputs",
        "f",
        "grad_fn",
        "inputs",
        "manner",
        "seen",
        "value",
        "variables",
    )  # fmt: skip

    def __init__(self, f: Callable[..., Any], grad_fn: Callable[..., Any], manner: Manner, **fields: Any) -> None:
        Op.__init__(self, name=name_of(f), fn=f, joint=self.rule)
        self.f, self.grad_fn, self.manner = f, grad_fn, manner
        for field, content in fields.items():
            setattr(self, field, content)

    def rule(self, upstream: Any, y: Any, *args: Any) -> list[Any]:
        """The contributions to the inputs and variables: the user's answer, checked."""
        upstreams = list(upstream) if isinstance(upstream, list) else [upstream]
        recorded = any(isinstance(u, Tensor) for u in upstreams)
        answer = self.derived if ignoring() else self.ask
        found = answer([u if isinstance(u, Tensor) else Tensor(u) for u in upstreams])
        return found if recorded else [g.value if isinstance(g, Tensor) else g for g in found]

    def ask(self, upstreams: list[Tensor]) -> list[Any]:
        """Call grad_fn in the manner it wants and bring its answer into the order of the inputs."""
        place = f"grad_fn {place_of(self.grad_fn)} of {self.name}"
        try:
            answer = self._call(upstreams)
        except Exception as error:
            if hasattr(error, "add_note"):
                error.add_note(f"while running {place}")
            raise
        grad_vars: list[Any] = []
        if self.variables:
            answer, grad_vars = split_variables(place, answer, [v.name for v in self.variables])
        elif (
            isinstance(answer, (tuple, list))
            and len(answer) == 2
            and isinstance(answer[1], (tuple, list))
            and not answer[1]
        ):
            answer = answer[0]  # (grad_xs, []) of a rule that is prepared for variables
        grads = match_inputs(place, self.name, answer, self.args, self.arg_names)
        shapes = [b.shape for b in self.body_outputs]
        wanted = [("input " + name, x) for name, x in self.named_inputs()]
        wanted += [("variable " + v.name, v) for v in self.variables]
        return [
            check_gradient(place, what, g, x, shapes)
            if g is not None and isinstance(x, Tensor) and x.dtype.kind == "f"
            else None
            for g, (what, x) in zip([*grads, *grad_vars], wanted)
        ]

    def named_inputs(self) -> list[tuple[str, Any]]:
        """The leaves of the arguments, each with the code that reaches it: `params['w']`."""
        return [pair for name, slot in zip(self.arg_names, self.args) for pair in leaves(slot, name)]

    def _call(self, upstreams: list[Tensor]) -> Any:
        manner = self.manner
        extra: dict[str, Any] = {"variables": self.variables} if self.variables else {}
        if manner.needs_variables and not self.variables:
            raise TypeError(
                f"{place_of(self.grad_fn)} insists on variables, but {self.name} uses no variables; write variables=None"
            )
        if manner.upstream:
            return self.grad_fn(*self.seen, upstream=rebuild(self.value, upstreams), **extra)
        if (
            isinstance(self.value, Mapping)
            and set(manner.names) == set(self.value)
            and len(upstreams) == len(manner.names)
        ):
            return self.grad_fn(**dict(zip(sorted(self.value), upstreams)), **extra)
        if not manner.least <= len(upstreams) <= manner.most:
            takes = manner.least if manner.least == manner.most else f"{manner.least} to {manner.most}"
            raise TypeError(
                f"{self.name} has {plural(len(upstreams), 'output')}, so grad_fn is called with "
                f"{plural(len(upstreams), 'upstream')}, but {place_of(self.grad_fn)} takes {takes}"
            )
        return self.grad_fn(*upstreams, **extra)

    def derived(self, upstreams: list[Tensor]) -> list[Any]:
        """The adjoints that the ops inside `f` would have given: what the rule replaces."""
        everything = [*self.body_inputs, *self.variables]
        sources = [x for x in everything if isinstance(x, Tensor)]
        found = dict(zip(map(id, sources), pull(self.body_outputs, upstreams, sources)))
        return [found.get(id(x)) for x in everything]


@contextmanager
def ignore_custom_gradients() -> Iterator[None]:
    """While the block runs, backward passes follow the derived adjoints instead of the rules of custom gradients.

    >>> from minigrad import constant, gradients
    >>> @custom_gradient
    ... def triple(x):
    ...     return 3.0 * x, lambda dy: dy * 100.0
    >>> x = constant(1.0)
    >>> y = triple(x)
    >>> with ignore_custom_gradients():
    ...     print(gradients(y, x)[0].value)
    3.0
    >>> print(gradients(y, x)[0].value)
    100.0
    """
    before = ignoring()
    _state.ignoring = True
    try:
        yield
    finally:
        _state.ignoring = before


def ignoring() -> bool:
    """Whether custom rules are switched off in this thread."""
    return getattr(_state, "ignoring", False)


class CustomGradient:
    """What `custom_gradient` makes of a function: call it as you would call the function's value."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = f
        self._manners: dict[Any, Manner] = {}
        self._positional: dict[int, list[str]] = {}
        functools.update_wrapper(self, f)
        self.__name__ = name_of(f)

    def __get__(self, instance: Any, owner: Any = None) -> CustomGradient:
        """A method: bound to its object, which is then no input and needs no gradient."""
        return self if instance is None else CustomGradient(self.f.__get__(instance, owner))

    def __repr__(self) -> str:
        return f"<custom_gradient {place_of(self.f)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args and _is_receiver(self.f, args[0]):
            return self.__get__(args[0], type(args[0]))(*args[1:], **kwargs)
        by_keyword = self._tensor_keywords(args, kwargs) if kwargs else {}
        slots = [*args, *by_keyword.values()]
        names = [*self._names(len(args)), *by_keyword]
        with touching() as touched:
            copies = [_copy(x) for x in slots]
            kwargs |= zip(by_keyword, copies[len(args) :])
            value, grad_fn = check_pair(self.f, self.f(*copies[: len(args)], **kwargs))
            outputs = [_output(leaf) for leaf in flatten(value)]
        inputs, body_inputs = flatten(slots), flatten(copies)
        variables = _used_variables(touched, body_inputs, outputs)
        manner = self._manner(grad_fn)
        self._check_variables(variables, grad_fn, manner)
        call = CustomCall(
            self.f, grad_fn, manner, value=value, variables=variables, inputs=inputs, seen=copies, args=slots,
            arg_names=names, body_inputs=body_inputs, body_outputs=outputs,
        )  # fmt: skip
        operands = tuple(x.read_value() if isinstance(x, Tensor) else x for x in (*inputs, *variables))
        if not is_structure(value):
            return record(call, outputs[0].value, operands)
        node = record(call, tuple(o.value for o in outputs), operands)
        return rebuild(value, [pick(node, i) for i in range(len(outputs))])

    def _names(self, count: int) -> list[str]:
        """What to call the first `count` positional arguments."""
        if count not in self._positional:
            try:
                parameters = list(inspect.signature(self.f).parameters.values())
            except (TypeError, ValueError):
                parameters = []
            names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
            star = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "input")
            names += [f"{star}[{i}]" for i in range(count - len(names))]
            self._positional[count] = names[:count]
        return self._positional[count]

    def _tensor_keywords(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The keywords that hold Tensors, in the order of the signature: they are inputs like positional arguments.

        Other keywords are options of `f` and need no gradient.
        """
        signature = inspect.signature(self.f)
        signature.bind(*args, **kwargs)  # a wrong call fails here, as it would without the decorator
        order = list(dict.fromkeys([*signature.parameters, *kwargs]))
        return {k: kwargs[k] for k in order if k in kwargs and any(isinstance(x, Tensor) for x in flatten(kwargs[k]))}

    def _manner(self, grad_fn: Callable[..., Any]) -> Manner:
        key = getattr(grad_fn, "__code__", None)
        if key is None:
            return _manner(grad_fn)
        if key not in self._manners:
            self._manners[key] = _manner(grad_fn)
        return self._manners[key]

    def _check_variables(self, variables: list[Variable], grad_fn: Callable[..., Any], manner: Manner) -> None:
        if not variables:
            return
        names = ", ".join(v.name for v in variables)
        if not uses_resource():
            raise TypeError(
                f"{place_of(self.f)} uses the variables {names} in a scope made with use_resource=False; a custom "
                f"gradient needs resource variables: leave use_resource=True"
            )
        if not manner.variables:
            what = f"the variable {names}" if len(variables) == 1 else f"the variables {names}"
            grads = ", ".join(f"grad_{v.name.rpartition('/')[2]}" for v in variables)
            raise TypeError(
                f"{place_of(self.f)} uses {what}, so its grad_fn {place_of(grad_fn)} must accept it: "
                f"def grad(dy, variables=None) and return (grad_xs, [{grads}])"
            )


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorator to define a function whose gradient you write yourself.

    Parameters
    ----------
    f : a function `f(*x)` that returns `(y, grad_fn)`. The arguments and y may be nested structures of Tensors; an
        argument may be any Python object. `grad_fn(*upstreams)` gets the upstream gradient of each output and returns
        the gradient of each input (None where there is none), either flat or nested like the arguments. A grad_fn
        with a required keyword `upstream` is called Keras's way: `grad_fn(*args, upstream=...)`.
        If y depends on trainable Variables that are not arguments, the signature is
        `grad_fn(*upstreams, variables=None)`, where `variables` lists them by name, and the result
        `(grad_xs, grad_vars)`.

    Returns a function with the value of `f(*x)[0]` and the gradient determined by `f(*x)[1]`. The rule is made of
    recorded ops, so it can itself be differentiated, to any order.

    Raises TypeError or ValueError naming the function, the rule and the input when one of these promises is broken.

    >>> import minigrad as tf
    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     def grad(dy):
    ...         return dy * (1 - 1 / (1 + e))
    ...     return tf.math.log(1 + e), grad
    >>> x = tf.constant(100.0)
    >>> tf.gradients(log1pexp(x), x)[0].value
    np.float32(1.0)
    """
    if f is None:
        return custom_gradient
    if isinstance(f, classmethod):
        raise TypeError(
            f"@custom_gradient stands outside @classmethod on {name_of(f.__func__)}; write @classmethod first, "
            f"then @custom_gradient below it"
        )
    if isinstance(f, staticmethod):
        f = f.__func__
    if not callable(f):
        raise TypeError(f"custom_gradient decorates a function f(*x) that returns (y, grad_fn), got {f!r:.60}")
    return CustomGradient(f)


def _is_receiver(f: Callable[..., Any], first: Any) -> bool:
    """Whether `first` is the self or cls of a method called through its class."""
    if isinstance(first, (Tensor, np.ndarray, np.generic, int, float, str, list, tuple, Mapping)) or first is None:
        return False
    code = getattr(f, "__code__", None)
    return bool(code and code.co_argcount and code.co_varnames[0] in ("self", "cls"))


def _copy(x: Any) -> Any:
    """What `f` gets to see of an argument: a connected copy of each Tensor, everything else as it is."""
    if type(x) is Tensor:
        return identity(x)
    if not is_structure(x):
        return x
    return rebuild(x, [_copy(child) for child in flatten(x)])


def _output(leaf: Any) -> Tensor:
    return leaf.read_value() if isinstance(leaf, Tensor) else Tensor(leaf)


def _used_variables(touched: list[Variable], inputs: Sequence[Any], outputs: Sequence[Tensor]) -> list[Variable]:
    """The trainable Variables that were read and that the outputs depend on, without the arguments, by name."""
    if not touched:
        return []
    arguments = {id(x) for x in inputs}
    body = ancestors(outputs, enter=lambda node: id(node) not in arguments)
    reads = {id(node.args[0]) for node in body if node.op is READ}
    unique = {id(v): v for v in touched if v.trainable and id(v) in reads and id(v) not in arguments}
    return sorted(unique.values(), key=lambda v: v.name)
