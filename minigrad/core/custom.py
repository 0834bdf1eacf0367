"""custom_gradient: a gradient rule that you write replaces the one that would be derived.

A call is one node of the graph. Its inputs are the arguments, flattened, and the trainable Variables that its
outputs depend on. The ops inside `f` run on connected copies of the arguments and stay recorded behind the node. So a
rule that uses intermediate results of `f` has the right second derivative, and the derived adjoint, which the rule
replaces, can still be computed and drawn beside it.

Behaviour: the documentation of `tf.custom_gradient` and of `keras.ops.custom_gradient`.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from .call_convention import CallConventions, convention_of
from .custom_call import CustomCall, make_outputs, outputs_in
from .following import custom_body
from .grad_fn_checks import check_pair
from .kept import keep
from .messages import location_of, name_of
from .op import COPY
from .scopes import state, uses_resource
from .structure import flatten, is_structure, rebuild
from .tensor import TENSORS, Tensor, next_serial
from .types import Function, Rule
from .variable import Variable, used_variables


def custom_gradient(f: Function | None = None) -> Any:
    """Decorate a function whose gradient you write yourself.

    Parameters
    ----------
    f : a function `f(*x)` that returns `(y, grad_fn)`. The arguments and y may be nested structures of Tensors; an
        argument may be any Python object. `grad_fn(*upstreams)` gets the upstream gradient of each output, a Tensor
        of its shape and dtype, and returns the gradient of each input, of that input's shape (None where there is
        none): a list, flat or nested like the arguments, or a dict by argument names.
        A grad_fn with a required keyword `upstream` is called as in Keras: `grad_fn(*args, upstream=...)`.
        If y depends on trainable Variables that are not arguments, the signature is
        `grad_fn(*upstreams, variables=None)`, where `variables` lists them by name, and the result
        `(grad_xs, grad_vars)`.

    Returns a function with the value of `f(*x)[0]` and the gradient determined by `f(*x)[1]`. The rule is made of
    recorded ops, so it can itself be differentiated, to any order.

    Raises TypeError or ValueError, with the function, the rule and the input, where this contract is broken.

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
            f"@custom_gradient is written above @classmethod on {name_of(f.__func__)}; write @classmethod first, "
            f"then @custom_gradient below it"
        )
    if isinstance(f, staticmethod):
        f = f.__func__
    if not callable(f):
        raise TypeError(f"custom_gradient decorates a function f(*x) that returns (y, grad_fn), got {f!r:.60}")
    return CustomGradient(f, {})


class CustomGradient:
    """A function with a custom gradient: a call returns the value of `f`, without its grad_fn.

    conventions : the call conventions of the grad_fns that `f` has returned so far.
    """

    def __init__(self, f: Function, conventions: CallConventions) -> None:
        functools.update_wrapper(self, f)
        self.__name__ = name_of(f)
        self.f, self.conventions = f, conventions
        code = getattr(f, "__code__", None)
        self._is_method = bool(code and code.co_varnames[:1] in (("self",), ("cls",)) and not hasattr(f, "__self__"))

    def __get__(self, instance: Any, owner: Any = None) -> CustomGradient:
        """Bind a method to its object, which is then no input and needs no gradient."""
        if instance is None or not hasattr(self.f, "__get__"):
            return self
        return CustomGradient(self.f.__get__(instance, owner), self.conventions)

    def __repr__(self) -> str:
        return f"<custom_gradient {location_of(self.f)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._is_method and args and not _is_value(args[0]):
            return self.__get__(args[0], type(args[0]))(*args[1:], **kwargs)
        keywords = self._tensor_keywords(args, kwargs) if kwargs else ()
        inputs = (*args, *[kwargs[k] for k in keywords]) if keywords else args
        copies = [COPY.call(x) if type(x) in TENSORS else _copy(x) for x in inputs]
        since = next_serial()
        if kwargs:
            kwargs = {name: _option(x) for name, x in kwargs.items()}
            kwargs |= zip(keywords, copies[len(args) :])
        with_copies = copies[: len(args)] if keywords else copies
        outer, custom_body.since = custom_body.since, since
        try:
            pair = self.f(*with_copies, **kwargs)
        finally:
            custom_body.since = outer
        value, grad_fn = check_pair(self.f, pair)
        outputs = outputs_in(value)
        variables = self._variables(outputs, inputs, since, grad_fn) if state.last_read > since else []
        call = CustomCall(self.f, grad_fn, value, self.conventions, inputs, keywords, copies, outputs, variables)
        return make_outputs(call, value, outputs, (*call.inputs, *variables))

    def _tensor_keywords(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, ...]:
        """The keywords that hold Tensors, in the order of the signature: they are inputs like positional arguments.

        Other keywords are options of `f` and need no gradient.
        """
        signature = inspect.signature(self.f)
        signature.bind(*args, **kwargs)  # a wrong call fails here, as it would without the decorator
        order = dict.fromkeys([*signature.parameters, *kwargs])
        return tuple(k for k in order if k in kwargs and any(isinstance(leaf, Tensor) for leaf in flatten(kwargs[k])))

    def _variables(self, outputs: list[Tensor], inputs: tuple[Any, ...], since: int, grad_fn: Rule) -> list[Variable]:
        """The Variables that the outputs depend on, without the arguments; grad_fn must accept them."""
        arguments = {id(x) for x in flatten(inputs)}
        variables = [v for v in used_variables(outputs, since) if id(v) not in arguments]
        if not variables:
            return []
        names = ", ".join(v.name for v in variables)
        if not uses_resource() or any(v.serial > since and not v.resource for v in variables):
            raise TypeError(
                f"{location_of(self.f)} uses the variables {names}, made with use_resource=False; a custom gradient "
                f"needs resource variables: leave use_resource=True in variable_scope and get_variable"
            )
        if not convention_of(grad_fn, self.conventions).variables:
            variables = [v for v in variables if v.trainable]  # grad_fn may leave out those that are only watched
            if not variables:
                return []
            names = ", ".join(v.name for v in variables)
            what = f"the variable {names}" if len(variables) == 1 else f"the variables {names}"
            grads = ", ".join(f"grad_{v.name.rpartition('/')[2]}" for v in variables)
            raise TypeError(
                f"{location_of(self.f)} uses {what}, so its grad_fn {location_of(grad_fn)} must accept "
                f"{'it' if len(variables) == 1 else 'them'}: "
                f"def grad(dy, variables=None) and return (grad_xs, [{grads}])"
            )
        return variables


def _is_value(first: Any) -> bool:
    """Whether the first argument of a method is an input, rather than the object of a call through the class."""
    return first is None or isinstance(first, (Tensor, np.ndarray, np.generic, int, float, str, list, tuple, Mapping))


def _option(x: Any) -> Any:
    """An argument that is no input, as `f` gets it: copied if it holds arrays."""
    return _copy(x) if any(isinstance(leaf, np.ndarray) for leaf in flatten(x)) else x


def _copy(x: Any) -> Any:
    """An argument as `f` gets it: with a connected copy of each Tensor, and a copy of each array."""
    if isinstance(x, Tensor):
        return x if isinstance(x, Variable) else COPY.call(x)
    if not is_structure(x):
        return keep(x)
    inner = flatten(x)
    copies = list(map(_copy, inner))
    if not isinstance(x, (list, tuple, Mapping)) and all(map(operator.is_, copies, inner)):
        return x  # an object without arrays stays the same object
    return rebuild(x, copies)
