"""Checks of a function with a custom gradient: the pair it returns, and the signature and result of its grad_fn.

The function returns (value, grad_fn). The grad_fn returns one gradient for each input, with the input's shape and
dtype. Each error names the function, the argument, and the rule with its file and line, and shows the expected and the
actual value.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, GeneratorType
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..tensor import TENSORS, Tensor
from .error_words import LACKS_RETURN, describe, location_of, plural, returns_nothing
from .structure import children, flatten, is_structure, leaves
from .tensor_values import Function, Rule
from .user_frames import caller_frame, warn

# The signature of a grad_fn.


class CallConvention(NamedTuple):
    """The call convention of a grad_fn: the arguments it accepts and requires."""

    variables: bool  # whether it accepts variables=
    needs_variables: bool  # whether variables= has no default
    upstream: bool  # whether it is called as in Keras on PyTorch: grad(*inputs, upstream=u)
    least: int  # the smallest number of upstreams it takes by position; `most` is the largest
    most: float
    names: tuple[str, ...]

    @property
    def takes_one(self) -> bool:
        """Whether the grad_fn can be called with one upstream and nothing else."""
        return self.least <= 1 <= self.most and not (self.upstream or self.needs_variables)


CallConventions = dict[int, tuple[Any, CallConvention]]


def convention_of(grad_fn: Rule, cached: CallConventions) -> CallConvention:
    """Return the call convention of `grad_fn`, cached by the id of its code object.

    A `def` inside `f` makes a new function with the same code at each call. The cache also stores the code object, so
    that its id is not reused.
    """
    if type(grad_fn) is not FunctionType or hasattr(grad_fn, "__wrapped__"):
        return _convention(grad_fn)  # do not cache it, because a method or wrapper shares its code with others
    code = grad_fn.__code__
    if id(code) not in cached:
        cached[id(code)] = code, _convention(grad_fn)
    return cached[id(code)][1]


def _convention(grad_fn: Rule) -> CallConvention:
    try:
        parameters = inspect.signature(grad_fn).parameters.values()
    except (TypeError, ValueError):  # some builtins have no signature
        return CallConvention(False, False, False, 0, float("inf"), ())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    keyword = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    # If the first parameter has no default, it is the upstream gradient, even if it is named `variables`.
    named = [p for p in (*positional, *keyword) if p.name == "variables"]
    named = [p for p in named if p not in positional[:1] or p.default is not p.empty]
    dys = [p for p in positional if p not in named]
    return CallConvention(
        variables=bool(named) or any(p.kind is p.VAR_KEYWORD for p in parameters),
        needs_variables=bool(named) and named[0].default is inspect.Parameter.empty,
        upstream=any(p.name == "upstream" and p.default is p.empty for p in keyword),
        least=sum(p.default is p.empty for p in dys),
        most=float("inf") if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(dys),
        names=tuple(p.name for p in dys),
    )


# The result of a grad_fn.


class Call(Protocol):
    """The attributes of a `CustomCall` that the checks read."""

    args: Sequence[Any]
    inputs: Sequence[Any]
    grad_fn: Rule

    @property
    def name(self) -> str: ...
    @property
    def location(self) -> str: ...
    @property
    def variables(self) -> Sequence[Any]: ...
    @property
    def body_outputs(self) -> Sequence[Tensor]: ...
    def arg_names(self) -> list[str]: ...
    def input_names(self) -> list[str]: ...


def check_pair(f: Callable[..., Any], result: Any) -> tuple[Any, Callable[..., Any]]:
    """Return `result` as the pair (value, grad_fn); raise TypeError if it is not such a pair."""
    if type(result) is tuple and len(result) == 2 and type(result[0]) in TENSORS and callable(result[1]):
        return result
    where = location_of(f)
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        count = f"{plural(len(result), 'value')}" if isinstance(result, (tuple, list)) else describe(result)
        raise TypeError(
            f"{where} must return (value, grad_fn), but returned {count}. Add the gradient function: return y, grad"
        )
    value, grad_fn = result
    if not callable(grad_fn):
        swapped = ". The two seem to be swapped" if callable(value) else ""
        raise TypeError(
            f"{where} must return (value, grad_fn), but returned grad_fn={describe(grad_fn)}, "
            f"which cannot be called{swapped}"
        )
    if isinstance(value, GeneratorType):
        raise TypeError(f"{where} returned a generator as its value; return a list or a tuple of Tensors")
    for path, leaf in leaves(value, "value"):
        if not isinstance(leaf, (Tensor, np.ndarray, np.generic, bool, int, float)):
            raise TypeError(f"{where} must return a Tensor or a structure of Tensors, but {path} is {describe(leaf)}")
    return value, grad_fn


def check_returned(call: Call, returned: Any) -> list[Tensor | None]:
    """Check the result of a grad_fn, and return one entry for each input and variable.

    An entry is None, or a Tensor with the shape and dtype of the input or variable.
    """
    gradients: Sequence[Any]
    operands: Sequence[Any] = call.inputs
    if call.variables:
        returned, grad_vars = _split_variables(call, returned)
        gradients = [*_match_inputs(call, returned), *grad_vars]
        operands = [*operands, *call.variables]
    elif type(returned) in TENSORS and len(operands) == 1:  # the most common case: one input
        gradients = (returned,)
    else:
        pair = type(returned) in (tuple, list) and len(returned) == 2
        if pair and type(returned[1]) in (tuple, list) and not returned[1]:
            returned = returned[0]  # the rule accepts variables, and returned (grad_xs, [])
        gradients = _match_inputs(call, returned)
    checked: list[Tensor | None] = []
    for g, x in zip(gradients, operands):
        if g is None or not isinstance(x, Tensor) or x.value.dtype.kind != "f":
            g = None
        elif type(g) not in TENSORS or g.value.shape != x.value.shape or g.value.dtype is not x.value.dtype:
            g = _fit(call, len(checked), g, x)
        checked.append(g)
    if lacks := _lacks_return(call, returned):
        # The pass goes on, as after `return None`: another path may still lead to the inputs.
        warn(f"{call.location} returned None, so no gradient passes through {call.name}{lacks}", caller_frame())
    return checked


def _lacks_return(call: Call, returned: Any) -> str:
    """Return the end of a message about a rule that returned None because it has no `return`; otherwise return ""."""
    return LACKS_RETURN if returned is None and returns_nothing(call.grad_fn) else ""


def _split_variables(call: Call, returned: Any) -> tuple[Any, list[Any]]:
    """Split the result of a rule that has Variables into (grad_xs, grad_vars); grad_vars is ordered as `variables`."""
    variables = call.variables
    names = ", ".join(v.name for v in variables)
    form = f"{call.location} must return (grad_xs, grad_vars) with grad_vars a list of {len(variables)} ({names})"
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        raise TypeError(f"{form}, got {describe(returned)}{_lacks_return(call, returned)}")
    grad_xs, grad_vars = returned
    if isinstance(grad_vars, Mapping):
        count = Counter(v.name for v in variables)
        shared = [name for name in grad_vars if count[name] > 1]
        if shared:
            raise ValueError(f"{form}; several variables are called {shared[0]}: write v.ref() for the key of each")
        keys = [next((k for k in (v.name, v.ref()) if k in grad_vars), None) for v in variables]
        unknown = [k for k in grad_vars if k not in keys]
        if unknown or None in keys:
            raise ValueError(f"{form}; its dict names {', '.join(map(str, grad_vars)) or 'none'}")
        return grad_xs, [grad_vars[k] for k in keys]
    if not isinstance(grad_vars, (list, tuple)):
        raise TypeError(f"{form}, got {describe(grad_vars)}")
    if len(grad_vars) != len(variables):
        raise ValueError(
            f"{call.location} must return a gradient for each variable: "
            f"expected {len(variables)} ({names}), got {len(grad_vars)}"
        )
    return grad_xs, list(grad_vars)


def _match_inputs(call: Call, returned: Any) -> Sequence[Any]:
    """Flatten a rule's result to a list with one entry for each leaf of the inputs.

    The result may be one gradient for a single input, a flat sequence with one gradient for each leaf, a sequence with
    one entry for each argument, or a dict from argument names to such entries. An entry is nested like its argument;
    None means None for all leaves of that argument.
    """
    args = call.args
    if type(returned) is GeneratorType:
        raise ValueError(f"{call.location} returned a generator; return a list or a tuple of gradients")
    if len(args) == 1 and _nested_like(returned, args[0]):
        return _leaves_like(returned, args[0])
    if isinstance(returned, Mapping):
        returned = _by_name(call, returned)
    lacks = _lacks_return(call, returned)
    count = "None" if returned is None else ""
    if not isinstance(returned, (list, tuple)):
        returned = [returned]
    if len(returned) == len(args) and all(map(_nested_like, returned, args)):
        return [leaf for a, argument in zip(returned, args) for leaf in _leaves_like(a, argument)]
    if len(returned) == len(call.inputs) and not any(map(is_structure, returned)):
        return returned
    got, expected = len(flatten(returned)), len(call.inputs)
    names = ", ".join(call.input_names())
    inputs = f"{plural(expected, 'input')} ({names})" if expected else "no inputs"
    if got == expected:
        raise ValueError(
            f"{call.location} returned {plural(got, 'gradient')} nested differently from the inputs of {call.name} "
            f"({names}); nest them like the inputs, or return a flat list"
        )
    advice = lacks or ". Return one per input, None if there is none"
    count = count or plural(got, "gradient")
    raise ValueError(f"{call.location} returned {count}, but {call.name} was called with {inputs}{advice}")


def _by_name(call: Call, returned: Mapping[Any, Any]) -> list[Any]:
    """Return the values of a dict from argument names to gradients, in the order of the arguments."""
    names = call.arg_names()
    unknown = [str(key) for key in returned if key not in names]
    inputs = [name for name, argument in zip(names, call.args) if _has_tensor(argument)]
    missing = [name for name in inputs if name not in returned]
    if unknown or missing:
        fault = f"names {', '.join(unknown)}" if unknown else f"has no entry for {', '.join(missing)}"
        raise ValueError(
            f"{call.location} returned a dict that {fault}; {call.name} was called with the inputs {', '.join(names)}: "
            f"give each its gradient, None if there is none"
        )
    return [returned.get(name) for name in names]


def _has_tensor(argument: Any) -> bool:
    return any(isinstance(leaf, Tensor) for leaf in flatten(argument))


def _nested_like(returned: Any, argument: Any) -> bool:
    """Return whether `returned` is nested like `argument`; None may replace a whole branch."""
    if returned is None:
        return True
    if not is_structure(argument) or not is_structure(returned):
        return not is_structure(argument) and not is_structure(returned)
    if isinstance(argument, Mapping) is not isinstance(returned, Mapping):
        return False
    expected, got = dict(children(argument)), dict(children(returned))
    return [*expected] == [*got] and all(_nested_like(got[key], expected[key]) for key in expected)


def _leaves_like(returned: Any, argument: Any) -> list[Any]:
    """Return the leaves of `returned`, which is nested like `argument`; a None gives None for each leaf it replaces."""
    if not is_structure(argument):
        return [returned]
    if returned is None:
        return [None] * len(flatten(argument))
    pairs = zip(children(returned), children(argument))
    return [leaf for (_, gradient), (_, like) in pairs for leaf in _leaves_like(gradient, like)]


def _fit(call: Call, i: int, gradient: Any, like: Tensor) -> Tensor:
    """Return the gradient of input or variable number `i` as a Tensor like `like`, or raise if it does not fit."""
    names = call.input_names()
    noun, name = ("input", names[i]) if i < len(names) else ("variable", call.variables[i - len(names)].name)
    what = f"{call.location}: the gradient for {noun} {name}"
    if isinstance(gradient, Tensor):
        gradient = gradient.read_value()
    elif isinstance(gradient, (bool, np.bool_)) or not isinstance(gradient, (np.ndarray, np.generic, int, float)):
        raise TypeError(f"{what} is {describe(gradient)} ({like.dtype} expected)")
    else:
        python = isinstance(gradient, (int, float)) and not isinstance(gradient, np.generic)
        gradient = Tensor(gradient, like.dtype if python else None)
    if gradient.dtype.kind != "f":
        raise TypeError(f"{what} is {gradient.dtype} ({like.dtype} expected)")
    if gradient.shape != like.shape:
        hint = _shape_hint(gradient.shape, like.shape, name, [output.shape for output in call.body_outputs])
        raise ValueError(f"{what} has shape {gradient.shape}, but {name} has shape {like.shape}. {hint}")
    return gradient if gradient.dtype == like.dtype else gradient.astype(like.dtype)


def _shape_hint(got: tuple[int, ...], want: tuple[int, ...], name: str, outputs: Sequence[tuple[int, ...]]) -> str:
    if not want and got in outputs:
        return f"{name} is one number that each element of the result depends on: sum its slopes, mg.sum(...)"
    if any(got == out + want for out in outputs if out):
        return "That looks like the Jacobian; return dy @ J, not J"
    lead = len(got) - len(want)  # broadcasting puts new axes in front
    rest = got[lead:]
    if lead >= 0 and all(n == m or n == 1 for n, m in zip(want, rest)):
        stretched = [lead + i for i, (n, m) in enumerate(zip(want, rest)) if n != m]
        axes = [*range(lead), *stretched]
        where = f"axis {axes[0]}" if len(axes) == 1 else f"axes {tuple(axes)}"
        if got in outputs:
            return f"{name} was broadcast over {where}: sum the gradient over {where}"
        return f"If {name} is broadcast over {where}, sum the gradient over {where}"
    if got == ():
        return f"Return one slope for each element of {name}; to spread a number write g * ones_like({name})"
    return "A gradient has the same shape as its input"


# Errors for a grad_fn that does not fit its call.


def no_resource(f: Function, variables: Sequence[Any]) -> TypeError:
    return TypeError(
        f"{location_of(f)} uses the variables {_names(variables)}, made with use_resource=False; a custom gradient "
        f"needs resource variables: leave use_resource=True in variable_scope and get_variable"
    )


def variables_missing(f: Function, grad_fn: Rule, variables: Sequence[Any]) -> TypeError:
    noun, them = ("variable", "it") if len(variables) == 1 else ("variables", "them")
    grads = ", ".join(f"grad_{v.name.rpartition('/')[2]}" for v in variables)
    return TypeError(
        f"{location_of(f)} uses the {noun} {_names(variables)}, so its grad_fn {location_of(grad_fn)} must accept "
        f"{them}: def grad(dy, variables=None) and return (grad_xs, [{grads}])"
    )


def no_variables(call: Call) -> TypeError:
    return TypeError(
        f"{location_of(call.grad_fn)} requires variables, but {call.name} uses no variables; write variables=None"
    )


def wrong_count(call: Call, convention: CallConvention, upstreams: int) -> TypeError:
    """Return the error for a grad_fn that does not take one upstream for each output."""
    least, most = convention.least, convention.most
    return TypeError(
        f"{call.name} has {plural(upstreams, 'output')}, so grad_fn is called with {plural(upstreams, 'upstream')}, "
        f"but {location_of(call.grad_fn)} takes {least if least == most else f'{least} to {most}'}"
    )


def _names(variables: Sequence[Any]) -> str:
    return ", ".join(v.name for v in variables)
