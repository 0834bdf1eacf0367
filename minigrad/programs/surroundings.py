"""What a function reads besides its arguments: captured variables and globals, and those of the functions it calls.

A program is written for what they held when it was recorded. So they are compared at each call.
"""

from __future__ import annotations

import builtins
import functools
import random
import sys
from collections.abc import Callable, Collection
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..tensor import Tensor

PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...), np.generic, np.dtype)
FIXED = (type, ModuleType, BuiltinFunctionType, FunctionType, np.ufunc, Tensor)


class Place(NamedTuple):
    """Where a value is read: an attribute of a holder (`cell.cell_contents`), or an entry of a dict or tuple.

    name : what messages call it.
    """

    holder: Any
    key: Any
    name: str

    def read(self) -> Any:
        if isinstance(self.holder, (dict, tuple)):
            return self.holder[self.key] if isinstance(self.holder, tuple) else self.holder.get(self.key)
        return getattr(self.holder, self.key, None)  # a cell may be empty still


class Surroundings:
    """The places that a function reads from, found by following its code.

    names : all names in the code; of an object only attributes of these names are looked at.
    prints : the name of a function that prints, if there is one.
    """

    def __init__(self, f: Callable[..., Any]) -> None:
        self.places: list[Place] = []
        self.names: set[str] = set()
        self.prints = ""
        self._seen: set[int] = set()
        self._follow(f)

    def values(self) -> list[Any]:
        return [place.read() for place in self.places]

    def key(self) -> tuple[Any, ...]:
        """A hashable picture of all values, of the numbers in arrays too."""
        return tuple([token(value, self.names) for value in self.values()])

    def changed(self, before: tuple[Any, ...], after: tuple[Any, ...]) -> str:
        """The name of a value that is not the same in two pictures."""
        return next((place.name for place, a, b in zip(self.places, before, after) if a != b), "")

    def conditions(self, space: dict[str, Any]) -> list[str]:
        """Conditions, as text over the names in `space`, that hold while nothing has changed: a quick form of `key`."""
        found: list[str] = []
        for i, place in enumerate(self.places):
            space[f"p{i}"], value = place.holder, place.read()
            if isinstance(place.holder, tuple):  # which itself cannot change
                self._inside(f"p{i}[{place.key}]", value, space, found, set())
                continue
            at = f".get({place.key!r})" if isinstance(place.holder, dict) else f".{place.key}"
            self._conditions(f"p{i}{at}", value, space, found, set())
        return found

    def _conditions(self, text: str, value: Any, space: dict[str, Any], found: list[str], seen: set[int]) -> None:
        """Conditions under which `text` is what `value` is now, and holds what it holds."""
        if not isinstance(value, (list, dict, set, np.ndarray)):
            space[f"k{len(space)}"] = value
            found.append(f"{text} is k{len(space) - 1}")
        self._inside(text, value, space, found, seen)

    def _inside(self, text: str, value: Any, space: dict[str, Any], found: list[str], seen: set[int]) -> None:
        """Conditions under which what `text` stands for holds what it holds now."""
        if isinstance(value, (*PLAIN, *FIXED)) or id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, (list, dict, set, np.ndarray)):
            space |= {"token": token, "names": self.names}
            space[f"k{len(space)}"] = token(value, self.names)
            found.append(f"token({text}, names) == k{len(space) - 1}")
        elif isinstance(value, tuple):
            for i, part in enumerate(value):
                self._inside(f"{text}[{i}]", part, space, found, seen)
        else:
            for name, part in getattr(value, "__dict__", {}).items():
                if name in self.names:
                    self._conditions(f"{text}.{name}", part, space, found, seen)

    # Following code.

    def _follow(self, f: Any) -> None:
        """Add what a callable reads."""
        if id(f) in self._seen:
            return
        self._seen.add(id(f))
        if isinstance(f, functools.partial):
            parts = (f.func, *f.args, *f.keywords.values())
            for i in range(len(parts)):
                self._add(Place(parts, i, "an argument of a partial"))
        elif isinstance(f, MethodType):
            self._follow(f.__func__)
            self._add(Place((f.__self__,), 0, "self"))
        elif isinstance(f, FunctionType):
            self._function(f)
        elif not isinstance(f, (*PLAIN, *FIXED)):
            self._object(f)

    def _object(self, x: Any) -> None:
        """Follow the methods of an object, and the functions among its attributes."""
        if not _is_library(type(x).__module__):
            for method in vars(type(x)).values():
                if isinstance(method, FunctionType):
                    self._follow(method)
        for value in getattr(x, "__dict__", {}).values():
            if isinstance(value, (FunctionType, MethodType, functools.partial)):
                self._follow(value)

    def _function(self, f: FunctionType) -> None:
        library = _is_library(f.__globals__.get("__name__"))  # the wrapper of a transform passes for a function of f's
        if library and "<locals>" not in f.__qualname__:
            return
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
            if library and hasattr(cell, "cell_contents"):  # what a transform captures it never sets anew
                self._add(Place((cell.cell_contents,), 0, name))
            else:
                self._add(Place(cell, "cell_contents", name))
        for i in range(len(f.__defaults__ or ())):
            self._add(Place(f.__defaults__, i, "a default argument"))
        if library:
            return
        names = _names(f.__code__)
        self.names |= names
        for name in sorted(names):
            if name in f.__globals__:
                self._add(Place(f.__globals__, name, name))
            elif name == "print" and hasattr(builtins, name):
                self.prints = self.prints or f.__name__

    def _add(self, place: Place) -> None:
        self.places.append(place)
        value = place.read()
        if isinstance(value, FunctionType) or not isinstance(
            value, (*PLAIN, *FIXED, np.ndarray, list, tuple, dict, set)
        ):
            self._follow(value)


def _is_library(module: str | None) -> bool:
    """Whether the globals of a module are left alone."""
    top = (module or "").partition(".")[0]
    return top in ("minigrad", "numpy") or top in sys.stdlib_module_names


def _names(code: CodeType) -> set[str]:
    """The names that the code, and the code of functions defined in it, may look up as globals."""
    return set(code.co_names).union(*(_names(c) for c in code.co_consts if isinstance(c, CodeType)))


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
    if isinstance(value, FIXED) or id(value) in seen:
        return id(value)
    seen |= {id(value)}
    if isinstance(value, (list, tuple)):
        return type(value), tuple([token(v, names, seen) for v in value])
    if isinstance(value, (set, frozenset)):
        return type(value), frozenset([token(v, names, seen) for v in value])
    if isinstance(value, dict):
        return dict, tuple([(token(k), token(v, names, seen)) for k, v in value.items()])
    attributes = getattr(value, "__dict__", {}).items()
    return id(value), tuple([(k, token(v, names, seen)) for k, v in attributes if k in names])


def within(value: Any, kind: Any, seen: set[int] | None = None) -> list[Any]:
    """All objects of a kind within nested containers and the attributes of objects."""
    seen = set() if seen is None else seen
    if isinstance(value, kind):
        return [value]
    if id(value) in seen or isinstance(value, (*PLAIN, *FIXED, np.ndarray)):
        return []
    seen.add(id(value))
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple, set)) else ()
    return [x for part in (*parts, *getattr(value, "__dict__", {}).values()) for x in within(part, kind, seen)]


def random_state(values: list[Any]) -> Any:
    """The states of the generators within the values, and of the global ones: they move when numbers are drawn."""
    states = [repr(g.bit_generator.state) for g in within(values, np.random.Generator)]
    return states, random.getstate(), repr(np.random.get_state(legacy=False))


def nesting(x: Any) -> Any:
    """How the arguments are nested, and what is in them by identity."""
    if isinstance(x, (list, tuple)):
        return type(x), [nesting(item) for item in x]
    return {key: nesting(x[key]) for key in x} if isinstance(x, dict) else id(x)
