"""Arguments and results of programs: numbers, arrays, Tensors, Variables and structures of these."""

from __future__ import annotations

import keyword
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from ..core.ignoring import ignoring
from ..core.messages import argument_names, describe, location_of, name_of
from ..core.structure import children, flatten, is_structure, leaves, reach, rebuild
from ..core.tensor import Tensor
from ..core.values import defaults
from ..core.variable import Variable
from ..frameworks.registered_gradients import state as registered
from ..tracing.names import same_bytes
from ..transforms.nesting import depth
from .listing import NotAProgram, real

_PLAIN = frozenset({bool, str, type(None)})  # a program is written for one value of these
_NUMBERS = frozenset({int, float, *np.sctypeDict.values()})
_KINDS = (list, tuple, dict, OrderedDict)


def check_arguments(args: Sequence[Any], names: Sequence[str]) -> None:
    """Raise NotAProgram for an argument that no program takes."""
    for name, x in zip(names, args):
        _check_class(x, name)
        for path, leaf in leaves(x, name):
            is_input(leaf, path)


def _check_class(x: Any, path: str) -> None:
    """Raise NotAProgram for a list or dict of another class: a program would not have its methods and attributes."""
    if not is_structure(x):
        return
    inner = children(x)
    named = hasattr(x, "_fields") or hasattr(type(x), "__dataclass_fields__")
    if not (type(x) in _KINDS or named) or {*getattr(x, "__dict__", ())} - {key for key, _ in inner}:
        raise NotAProgram(
            f"{path} cannot be an argument of a program: it is a {type(x).__name__} with attributes that are no "
            f"fields, or a class of its own; pass a list, tuple, dict or dataclass"
        )
    for key, child in inner:
        _check_class(child, path + reach(x, key))


def is_input(x: Any, path: str) -> bool:
    """Whether a leaf is a number or an array that each run reads anew; a Variable or a value such as None is not.

    path : the expression that names it in errors. Raises NotAProgram for an object that no program takes.
    """
    kind = type(x)
    if kind is Variable or kind in _PLAIN:
        return False
    array = kind in (np.ndarray, Tensor) or isinstance(x, np.generic)
    if kind in (int, float) or (array and x.dtype.kind in "fiub"):
        return True
    what = f"an object of type {kind.__name__}"
    if isinstance(x, np.ndarray):
        what = f"an array of dtype {x.dtype}" if kind is np.ndarray else f"an array of class {kind.__name__}"
    elif getattr(x, "__name__", ""):
        what = f"{x.__name__!r} of type {kind.__name__}"
    raise NotAProgram(
        f"{path} cannot be an argument of a program: it is {what}, neither a number, an array, a Tensor, "
        f"a Variable nor a list, tuple, dict or dataclass of these; pass its arrays, or close over it: what a "
        f"function closes over is as it was when its program was written"
    )


def split_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Split a call into its kind, which is equal for all calls that one program serves, and its numbers and arrays.

    The kind holds the structure, the type, shape, strides and dtype of each leaf, and the settings that ops depend on.
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
        elif t is dict or is_structure(x):
            inner = children(x)
            if t is dict:
                kind += (*x,), (*map(type, x),)
            else:
                kind += [(key, type(child)) for key, child in inner]
            _split([child for _, child in inner], kind, inputs)
        else:  # an object of a subclass, or one that no program takes
            inputs.append(x)


# Results.

ARRAYS = (np.ndarray, np.generic)
_RETURNED = (Variable, int, float, str, type(None), np.dtype, type, slice, range)


class Result:
    """The result of a function.

    like : its structure. leaves : its leaves in order. values : the arrays and numbers in them.
    connected : whether a Tensor is among them.

    Raises NotAProgram if a leaf is an object that no program returns.
    """

    def __init__(self, result: Any, f: Any) -> None:
        found = flatten(result)
        tensors = [isinstance(x, Tensor) and not isinstance(x, Variable) for x in found]
        self.like, self.connected = rebuild(result, [None] * len(found)), any(tensors)
        self.leaves = [x.value if tensor else x for x, tensor in zip(found, tensors)]
        self.values = [real(x) for x in self.leaves]
        self._kinds = [tensor or isinstance(x, ARRAYS) for x, tensor in zip(self.leaves, tensors)]
        odd = None if _types(self.like) == _types(result) else describe(result)
        for x, known in zip(self.leaves, self._kinds):
            if not (known or isinstance(x, _RETURNED)):
                odd = describe(x)
        if odd is not None:
            raise NotAProgram(
                f"{location_of(f)} cannot be written as a program: it returns {odd}, which is neither a Tensor, an "
                f"array, a number nor a list, tuple, dict or dataclass of these; return its arrays"
            )

    def same(self, other: Result) -> bool:
        """Whether two results are nested alike and equal byte by byte."""
        alike = _types(self.like) == _types(other.like) and self._kinds == other._kinds
        return alike and all(map(_same, self._kinds, self.values, other.values))


def _types(like: Any) -> Any:
    """The types and keys of a structure."""
    if not is_structure(like):
        return None
    order = [*map(repr, like)] if isinstance(like, dict) else None
    return type(like), order, [(repr(key), _types(child)) for key, child in children(like)]


def _same(array: bool, a: Any, b: Any) -> bool:
    if not array:
        return a is b or (type(a) is type(b) and repr(a) == repr(b))
    return same_bytes(a, b) or same_bytes(_unsigned_nan(a), _unsigned_nan(b))


def _unsigned_nan(x: Any) -> Any:
    """`x` with each nan positive: the sign of nan + nan differs between NumPy's numbers and its arrays."""
    x = np.asarray(x)
    return np.where(np.isnan(x), x.dtype.type(np.nan), x) if x.dtype.kind == "f" else x


# Texts.


def nested(like: Any, texts: Iterator[str], other: Callable[[Any, list[str]], str]) -> str:
    """A structure as Python writes it, with these texts for its leaves.

    other : writes a structure that is neither a list, a tuple nor a dict with names or numbers for keys.
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
    """The names of the arguments: those of the parameters of `f`, and `xs[0]` for the first of `*xs`."""
    return [*argument_names(f, len(args)), *kwargs]


def title(f: Any) -> str:
    """The name of the function in the text: grad_of_loss for the result of `grad(loss)`."""
    name, known = name_of(f), getattr(f, "__globals__", {})
    if hasattr(f, "__wrapped__") and known.get("__name__", "").startswith("minigrad."):  # the result of a transform
        makes = lambda g: isinstance(g, FunctionType) and f.__code__ in g.__code__.co_consts
        name = next((f"{kind}_of_{title(f.__wrapped__)}" for kind, g in known.items() if makes(g)), name)
    name = re.sub(r"\W+", "_", name).strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else "program"


def signature_of(names: Sequence[str], count: int) -> list[str]:
    """The parameters of the function in the text, from the names of the arguments: the first `count` are positional."""
    stars = [f"*{name.partition('[')[0]}" for name in names if name.endswith("]")]
    plain = [name for name in names if not name.endswith("]")]
    count -= len(stars)
    return [*plain[:count], *stars[:1], *plain[count:]]
