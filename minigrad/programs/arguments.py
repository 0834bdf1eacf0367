"""Arguments and results of programs: numbers, arrays, Tensors, Variables and structures of these."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from ..core.custom import ignoring
from ..core.support.error_words import argument_names, describe, location_of, name_of
from ..core.support.structure import children, flatten, is_structure, rebuild
from ..core.support.tensor_values import defaults
from ..core.tensor import Tensor
from ..core.variable import Variable
from ..frameworks.registered_gradients import state as registered
from ..transforms.nesting import depth
from .refusals import NotAProgram, is_known

ARRAYS = (np.ndarray, np.generic)
_PLAIN = frozenset({bool, str, type(None)})  # each value of these types gets its own program
_NUMBERS = frozenset({int, float, *np.sctypeDict.values()})
_RETURNED = (Variable, int, float, str, type(None), np.dtype, type, slice, range)


def split_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Split the arguments of a call into its kind, a tuple, and a list of its numbers and arrays.

    Calls of the same kind can share a program. The kind consists of the structure, the type, shape, strides and dtype
    of each leaf, and the settings that affect ops.
    """
    overrides = registered.overrides
    kind = [depth.count[0] > 0, ignoring(), defaults["float"], tuple(overrides.items()) if overrides else (), *kwargs]
    inputs: list[Any] = []
    _split(args, kind, inputs)
    if kwargs:
        _split(kwargs.values(), kind, inputs)
    return tuple(kind), inputs


def _split(structure: Iterable[Any], kind: list[Any], inputs: list[Any]) -> None:
    for x in structure:
        t = type(x)
        kind.append(t)
        if t is Tensor:
            x = x.value
            t = type(x)
            kind.append(t)
        if t is np.ndarray:
            kind += (x.shape, x.strides, x.dtype)
            inputs.append(x)
        elif t in _NUMBERS:
            inputs.append(x)
        elif t in _PLAIN:
            kind.append(x)
        elif t is Variable:
            kind.append(id(x))
        elif t is list or t is tuple:
            kind.append(len(x))
            _split(x, kind, inputs)
        elif is_structure(x):
            inner = children(x)
            kind += [(key, type(key)) for key in (x if t is dict else [key for key, _ in inner])]
            _split([child for _, child in inner], kind, inputs)
        else:  # x is an instance of a subclass of these types, or an object that no program accepts
            inputs.append(x)


# Results.


class Result:
    """The result of a function.

    like : its structure.
    leaves : its leaves in order, with the values of Tensors.
    connected : whether any leaf is a Tensor.

    Raises NotAProgram if a part is an object that a program cannot return.
    """

    def __init__(self, result: Any, f: Any) -> None:
        leaves = flatten(result)
        tensors = [is_tensor(x) for x in leaves]
        self.like, self.connected = rebuild(result, [None] * len(leaves)), any(tensors)
        self.leaves = [x.value if tensor else x for x, tensor in zip(leaves, tensors)]
        odd = _odd(result)
        if odd is not None:
            raise NotAProgram(
                f"{location_of(f)} cannot be written as a program: it returns {odd}, which is neither a Tensor, an "
                f"array, a number nor a list, tuple, dict or dataclass of these; return its arrays"
            )


def is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor) and not isinstance(x, Variable)


def _odd(x: Any) -> str | None:
    """Describe the first part of a result that a program cannot return; return None if it can return all of them."""
    if is_structure(x):
        inner = [_odd(child) for _, child in children(x)] if is_known(x) else [describe(x)]
        return next((odd for odd in inner if odd is not None), None)
    return None if isinstance(x, (Tensor, *ARRAYS, *_RETURNED)) else describe(x)


# Texts.


def nested(like: Any, texts: Iterator[str], other: Callable[[Any, list[str]], str]) -> str:
    """Return the Python expression of a structure nested like `like`. texts : the expressions of its leaves.

    other : a function of a structure and its parts' expressions, called for all structures except lists, tuples, and
        dicts whose keys are strings or ints.
    """
    if not is_structure(like):
        return next(texts)
    parts = [nested(child, texts, other) for _, child in children(like)]
    if type(like) is list:
        return f"[{', '.join(parts)}]"
    if type(like) is tuple:
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    if type(like) is dict and {str, int}.issuperset(map(type, like)):
        by_key = dict(zip((key for key, _ in children(like)), parts))
        return "{" + ", ".join(f"{key!r}: {by_key[key]}" for key in like) + "}"
    return other(like, parts)


def names_of(f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[str]:
    """Return the arguments' names: parameters of `f`, and `xs[0]` for the first of `*xs`."""
    return [*argument_names(f, len(args)), *kwargs]


def title(f: Any) -> str:
    """Return the name of a function in its program's text, such as grad_of_loss for the result of `grad(loss)`."""
    name, scope = name_of(f), getattr(f, "__globals__", {})
    # the function is the result of a transform
    if hasattr(f, "__wrapped__") and scope.get("__name__", "").startswith("minigrad."):
        makes = lambda g: isinstance(g, FunctionType) and f.__code__ in g.__code__.co_consts
        name = next((f"{kind}_of_{title(f.__wrapped__)}" for kind, g in scope.items() if makes(g)), name)
    name = re.sub(r"\W+", "_", name).strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else "program"


def signature_of(names: Sequence[str], count: int) -> list[str]:
    """Return the parameters of the function in a program's text; the first `count` names are positional."""
    stars = [f"*{name.partition('[')[0]}" for name in names if name.endswith("]")]
    plain = [name for name in names if not name.endswith("]")]
    count -= len(stars)
    return [*plain[:count], *stars[:1], *plain[count:]]
