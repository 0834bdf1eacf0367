"""Pictures of values: hashable, and equal where a program that was written for one serves for the other.

Numbers and strings are pictured by value, arrays, lists and dicts by what is in them, other objects by identity and by
those of their attributes that are named anywhere in the code.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Collection
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..tensor import Tensor

PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...), range, np.generic, np.dtype)
FIXED = (BuiltinFunctionType, FunctionType, np.ufunc, Tensor)
CONTAINERS = (list, dict, set, frozenset)


def held(value: Any, names: Collection[str]) -> list[tuple[str, Any]]:
    """What code with these names can find in a value that is no list, dict or array: (how it is reached, what it is).

    >>> from types import SimpleNamespace
    >>> held(SimpleNamespace(w=3.0, unused=4.0), {"w", "scale"})
    [('.w', 3.0)]
    """
    if isinstance(value, tuple):
        return [(f"[{i}]", part) for i, part in enumerate(value)]
    if isinstance(value, (*PLAIN, *FIXED, *CONTAINERS, np.ndarray)):
        return []
    own = attributes(value)
    if isinstance(value, (type, ModuleType)):
        if is_library(value):
            return []
        found = [(f".__dict__[{name!r}]", own[name]) for name in sorted(names & own.keys())]
        bases = value.__bases__ if isinstance(value, type) else ()
        return found + [(f".__bases__[{i}]", base) for i, base in enumerate(bases)]
    found = [(f".{name}", own[name]) for name in sorted(names & own.keys())]
    return found if is_library(type(value)) else [*found, (".__class__", type(value))]


def attributes(x: Any) -> dict[str, Any]:
    """What an object, class or module keeps under names of its own."""
    slots = [s for kind in type(x).__mro__ for s in [*getattr(kind, "__slots__", ())] if not s.startswith("__")]
    return {**{s: getattr(x, s) for s in slots if hasattr(x, s)}, **getattr(x, "__dict__", {})}


def token(value: Any, names: Collection[str] = (), seen: frozenset[int] = frozenset()) -> Any:
    """A hashable picture of a value: equal for values that a program may be used for alike.

    names : which attributes of objects count.

    >>> token([1, 2.0]) == token([1, 2.0]), token(1) == token(1.0)
    (True, False)
    """
    if isinstance(value, PLAIN):
        return (type(value), value.hex()) if isinstance(value, float) else (type(value), value)
    if isinstance(value, np.ndarray):
        return id(value), value.shape, value.dtype, value.tobytes()
    if type(value) is slice:
        return slice, token((value.start, value.stop, value.step), names, seen)
    if isinstance(value, FIXED) or id(value) in seen:
        return id(value)
    seen |= {id(value)}
    if isinstance(value, (list, tuple)):
        return type(value), tuple([token(v, names, seen) for v in value])
    if isinstance(value, (set, frozenset)):
        return type(value), frozenset([token(v, names, seen) for v in value])
    if isinstance(value, dict):
        return dict, tuple([(token(k), token(v, names, seen)) for k, v in value.items()])
    return id(value), tuple([(at, token(part, names, seen)) for at, part in held(value, names)])


def is_library(x: Any) -> bool:
    """Whether a module, or that of a function or class, is NumPy, of the standard library, or installed."""
    name = getattr(x, "__globals__", {}).get("__name__")  # the wrapper of a transform passes for a function of f's
    name = name or (x.__name__ if isinstance(x, ModuleType) else getattr(x, "__module__", None) or "")
    if name.partition(".")[0] in ("minigrad", "numpy", *sys.stdlib_module_names):
        return True
    return "-packages" in (getattr(sys.modules.get(name), "__file__", None) or "")


def within(value: Any, kind: Any, seen: set[int] | None = None) -> list[Any]:
    """All objects of a kind within nested containers and the attributes of objects."""
    seen = set() if seen is None else seen
    if isinstance(value, kind):
        return [value]
    if id(value) in seen or isinstance(value, (*PLAIN, *FIXED, type, ModuleType, np.ndarray)):
        return []
    seen.add(id(value))
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple, set)) else ()
    return [x for part in (*parts, *attributes(value).values()) for x in within(part, kind, seen)]


def random_state(values: list[Any]) -> Any:
    """The states of the generators within the values, and of the global ones: they move when numbers are drawn."""
    states = [repr(g.bit_generator.state) for g in within(values, np.random.Generator)]
    return states, random.getstate(), repr(np.random.get_state(legacy=False))


def nesting(x: Any) -> Any:
    """How the arguments are nested, and what is in them by identity."""
    if isinstance(x, (list, tuple)):
        return type(x), [nesting(item) for item in x]
    return {key: nesting(x[key]) for key in x} if isinstance(x, dict) else id(x)
