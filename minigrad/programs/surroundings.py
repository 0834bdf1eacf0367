"""What a function reads besides its arguments: captured variables and globals, and those of the functions it calls.

A program is written for what they held when it was recorded. So they are found, by following the code, and compared
at each call. Code of NumPy, of the standard library and of installed packages is not followed.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from .pictures import CONTAINERS, PLAIN, attributes, held, is_library, token

FUNCTIONS = (FunctionType, MethodType, functools.partial, property, staticmethod, classmethod)
EMPTY = object()


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
        try:
            return getattr(self.holder, self.key)
        except ValueError:  # a cell that is filled later
            return EMPTY


class Surroundings:
    """The places that a function reads from, found by following its code as it is now.

    names : all names in the code; of objects, classes and modules only attributes of these names are looked at.
    prints : the name of a function that prints, if there is one.
    """

    def __init__(self, f: Callable[..., Any]) -> None:
        self.places: list[Place] = []
        self.names: set[str] = set()
        self.prints = ""
        self._known: set[tuple[int, Any]] = set()
        size = -1
        while size != len(self.names):  # a name that is found late may be one of an object that was seen early
            size = len(self.names)
            self._seen: dict[int, Any] = {}
            self._follow(f)
            if not isinstance(f, (FunctionType, MethodType, functools.partial)):
                self._add(Place((f,), 0, "self"))

    def values(self) -> list[Any]:
        return [place.read() for place in self.places]

    def key(self) -> tuple[Any, ...]:
        """A hashable picture of all values, of the numbers in arrays too."""
        return tuple([token(value, self.names) for value in self.values()])

    def changed(self, before: tuple[Any, ...], after: tuple[Any, ...]) -> str:
        """The name of a value that is not the same in two pictures."""
        return next((place.name for place, a, b in zip(self.places, before, after) if a != b), "")

    def conditions(self, space: dict[str, Any]) -> list[str]:
        """Conditions, as text over the names in `space`, that hold while nothing has changed: a quick form of `key`.

        Evaluated, they may raise AttributeError, KeyError, IndexError or ValueError: then something has changed.
        """
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
        if not isinstance(value, (*CONTAINERS, np.ndarray)):
            space[f"k{len(space)}"] = value
            found.append(f"{text} is k{len(space) - 1}")
        self._inside(text, value, space, found, seen)

    def _inside(self, text: str, value: Any, space: dict[str, Any], found: list[str], seen: set[int]) -> None:
        """Conditions under which what `text` stands for holds what it holds now."""
        if isinstance(value, (*CONTAINERS, np.ndarray)):
            space |= {"token": token, "names": self.names}
            space[f"k{len(space)}"] = token(value, self.names)
            found.append(f"token({text}, names) == k{len(space) - 1}")
        elif id(value) not in seen:
            seen.add(id(value))
            parts = held(value, self.names)
            inner = self._inside if isinstance(value, tuple) else self._conditions
            for at, part in parts:
                inner(text + at, part, space, found, seen)
            if parts and hasattr(value, "__dict__"):  # a new attribute may hide one of a class
                found.append(f"len({text}.__dict__) == {len(value.__dict__)}")

    # Following code.

    def _follow(self, value: Any) -> None:
        """Add the places that are read by the functions in a value."""
        if id(value) in self._seen or isinstance(value, (*PLAIN, np.ndarray)):
            return
        self._seen[id(value)] = value
        if isinstance(value, functools.partial):
            parts = (value.func, *value.args, *value.keywords.values())
            for i in range(len(parts)):
                self._add(Place(parts, i, "an argument of a partial"))
        elif isinstance(value, MethodType):
            self._follow(value.__func__)
            self._add(Place((value.__self__,), 0, "self"))
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, (staticmethod, classmethod)):
            self._follow(value.__func__)
        elif isinstance(value, property):
            self._follow(value.fget)
        elif isinstance(value, (*CONTAINERS, tuple)):
            for part in value.values() if isinstance(value, dict) else value:
                self._follow(part)
        else:
            closed = isinstance(value, ModuleType) or (isinstance(value, type) and is_library(value))
            members = [] if closed else attributes(value).values()  # an object may wrap a function under any name
            for part in [*(x for x in members if isinstance(x, FUNCTIONS)), *(x for _, x in held(value, self.names))]:
                self._follow(part)

    def _function(self, f: FunctionType) -> None:
        library = is_library(f)
        if library and "<locals>" not in f.__qualname__:
            return
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
            place = Place(cell, "cell_contents", name)
            # what a transform of this library captures it never sets anew
            self._add(Place((place.read(),), 0, name) if library else place)
        for i in range(len(f.__defaults__ or ())):
            self._add(Place(f.__defaults__, i, "a default argument"))
        for name in f.__kwdefaults__ or ():
            self._add(Place(f.__kwdefaults__, name, name))
        if library:
            return
        names = _names(f.__code__)
        self.names |= names | _words(f.__code__)
        for name in sorted(names):
            if name in f.__globals__:
                self._add(Place(f.__globals__, name, name))
            elif name == "print" and hasattr(builtins, name):
                self.prints = self.prints or f.__name__

    def _add(self, place: Place) -> None:
        value = place.read()
        spot = id(value if isinstance(place.holder, tuple) else place.holder), place.key
        if spot not in self._known:
            self._known.add(spot)
            self.places.append(place)
        self._follow(value)


def _names(code: CodeType) -> set[str]:
    """The names that the code, and the code of functions defined in it, may look up as globals or attributes."""
    return set(code.co_names).union(*(_names(c) for c in code.co_consts if isinstance(c, CodeType)))


def _words(code: CodeType) -> set[str]:
    """The strings in it that could be names, for `getattr`."""
    inner = (_words(c) for c in code.co_consts if isinstance(c, CodeType))
    return {c for c in code.co_consts if isinstance(c, str) and c.isidentifier()}.union(*inner)
