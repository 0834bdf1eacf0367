"""The values that a function uses besides its arguments, which are fixed when its program is written.

They are found by following the code: captured variables, globals, attributes and default arguments, and those of the
functions that it calls. Code of NumPy, of the standard library and of installed packages is not followed.
"""

from __future__ import annotations

import builtins
import copy
import dis
import functools
import inspect
import random
import sys
from collections import ChainMap
from collections.abc import Callable, Collection, Iterator
from itertools import zip_longest
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..core.tensor import Tensor
from ..core.variable import Variable
from ..tracing.names import captured_by
from .listing import NotAProgram, StandIn, crc_of

#: Types that are listed by value.
VALUES = (int, float, complex, str, bytes, type(None), range, slice, np.generic, np.ndarray, np.dtype, Tensor)
CONTAINERS = (list, tuple, dict, set, frozenset)
GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
RANDOM = "random numbers"  # the name of a change of a random generator
MAX_DEPTH = 5  # of objects within objects that are followed
LARGE = 1 << 20  # bytes of an array that is listed without a copy

_LIBRARIES = {"minigrad", "numpy", *sys.stdlib_module_names} - {"__main__"}


MISSING = "not defined"  # the value of a name that is not defined


class Fixed(NamedTuple):
    """A value that a program keeps: its name in the code, the value, and the line that uses it."""

    name: str
    value: Any
    line: int


class Surroundings:
    """The values that a function uses, in the order in which its code names them.

    f : the function. arguments : the dataclasses among its arguments, whose methods it may call.
    fixed : every name that the user's code reads from outside, with its value. For a Variable the object is fixed, not
        its value.
    random : the states of the random generators among the values, and of the global ones.
    """

    def __init__(self, f: Callable[..., Any], arguments: Collection[Any] = ()) -> None:
        self.fixed: list[Fixed] = []
        self.random = [repr(random.getstate()), repr(np.random.get_state(legacy=False))]
        self._roots = f, arguments
        self._known: set[Any] = set()
        self._snapshots: list[tuple[str, Any]] = []
        self._line = 0
        self._visit(f, "")
        for x in arguments:
            self._visit_class(type(x), type(x).__name__, MAX_DEPTH)

    def changed(self) -> str:
        """The name of the first value that has changed since; "" if none has."""
        now = Surroundings(*self._roots)
        if now.random != self.random:
            return RANDOM
        pairs = zip_longest(self._snapshots, now._snapshots, fillvalue=("", None))
        return next((a[0] or b[0] for a, b in pairs if a != b), "")

    def _visit(self, x: Any, name: str, depth: int = 0) -> None:
        """List a value, and follow what it consists of; a value without a name is followed only."""
        if isinstance(x, GENERATORS):
            legacy = x.getstate() if isinstance(x, random.Random) else x.__getstate__()
            self.random.append(repr(x.bit_generator.state if isinstance(x, np.random.Generator) else legacy))
            return
        parts = parts_of(x)
        simple = isinstance(x, (*VALUES, ModuleType, np.ufunc, BuiltinFunctionType)) or is_plain(x)
        if simple or parts or isinstance(x, FunctionType):
            self._list(x, name)
        if simple or id(x) in self._known or depth > MAX_DEPTH:
            return
        self._known.add(id(x))
        if isinstance(x, FunctionType):
            self._visit_code(x)
        elif isinstance(x, type):
            self._visit_class(x, name, depth)
        elif not parts:
            self._visit_object(x, name or "self", depth)
        for part, inner in parts:
            self._visit(inner, part, depth)

    def _list(self, x: Any, name: str) -> None:
        if name and (name, id(x)) not in self._known and not (isinstance(x, ModuleType) and is_library(x)):
            self._known.add((name, id(x)))
            self._snapshots.append((name, snapshot(x)))
            small = isinstance(x, np.ndarray) and x.nbytes < LARGE
            self.fixed.append(Fixed(name, copy.deepcopy(x) if small or isinstance(x, CONTAINERS) else x, self._line))

    def _visit_code(self, f: FunctionType) -> None:
        """Visit the values that the code of a function reads."""
        cells = dict.fromkeys(f.__code__.co_freevars, MISSING) | captured_by(f)
        if is_library(f):  # a transform of this library: visit the function that it wraps
            for x in cells.values():
                if callable(x) and not isinstance(x, (type, *VALUES)):
                    self._visit(x, "")
            return
        self._line = f.__code__.co_firstlineno
        names = f.__code__.co_varnames[: f.__code__.co_argcount][::-1]
        for name, x in (dict(zip(names, (f.__defaults__ or ())[::-1])) | (f.__kwdefaults__ or {})).items():
            self._visit(x, name)
        words = [[c] for c in f.__code__.co_consts if isinstance(c, str) and c.isidentifier()]
        known = ChainMap(cells, f.__globals__, vars(builtins))
        for line, chain in names_read(f.__code__):
            self._line = line or f.__code__.co_firstlineno
            # The names that these functions read are strings in the code.
            for name, *rest in (*(words if chain[0] in ("globals", "getattr", "vars", "eval") else ()), chain):
                x = known.get(name, MISSING)
                while rest and is_stored(x, rest[0]):
                    name, x = f"{name}.{rest[0]}", inspect.getattr_static(x, rest.pop(0), MISSING)
                self._visit(x, name)
                if rest and id(x) in self._known and inspect.getattr_static(x, rest[0], None) is None:
                    self._list(getattr(type(x), "__getattr__", MISSING), ".".join([name, *rest]))

    def _visit_object(self, x: Any, name: str, depth: int) -> None:
        """Visit the items and attributes of an object, and the definitions of its class."""
        if hasattr(type(x), "__next__"):
            raise NotAProgram(f"it takes values from {name}, an iterator, which gives others each time")
        if hasattr(type(x), "__len__") and hasattr(type(x), "__iter__"):
            items = list(x.items() if hasattr(type(x), "items") else enumerate(x))
            self._list(len(items), f"len({name})")
            for key, item in items:
                self._visit(item, f"{name}[{key!r}]", depth + 1)
        held = attributes(x)
        self._snapshots.append((name, list(held)))
        for key, item in held.items():
            self._visit(item, f"{name}.{key}", depth + 1)
        self._visit_class(type(x), name, depth + 1)

    def _visit_class(self, kind: type, name: str, depth: int) -> None:
        """Visit the attributes and methods of a class of the user."""
        if is_library(kind) or (kind, name) in self._known or depth > MAX_DEPTH:
            return
        self._known.add((kind, name))
        for base in kind.__mro__[::-1]:
            for key, x in vars(base).items() if not is_library(base) else ():
                if not key.startswith("__") or callable(x):
                    self._visit(x, f"{name}.{key}", depth + 1)


def parts_of(x: Any) -> list[tuple[str, Any]]:
    """The parts of a callable, by name; "" for the function that it calls."""
    if isinstance(x, functools.partial):
        return [*((f"argument {i} of a partial", a) for i, a in enumerate(x.args)), *x.keywords.items(), ("", x.func)]
    if isinstance(x, MethodType):
        return [("self", x.__self__), ("", x.__func__)]
    if isinstance(x, property):
        return [("", x.fget)]
    if isinstance(x, (staticmethod, classmethod)):
        return [("", x.__func__)]
    return [("", attributes(x)["__wrapped__"])] if "__wrapped__" in attributes(x) else []


def names_read(code: CodeType) -> Iterator[tuple[int, list[str]]]:
    """The names that code reads from outside, each followed by the attributes read from it: (line, names).

    >>> list(names_read(compile("y = model.scale * w", "", "exec")))
    [(1, ['model', 'scale']), (1, ['w'])]
    """
    found: list[tuple[int, list[str]]] = []
    line, going = code.co_firstlineno, False
    for step in dis.get_instructions(code):
        starts = step.starts_line if not isinstance(step.starts_line, bool) else getattr(step, "line_number", None)
        line = starts if isinstance(starts, int) else line
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and going:
            found[-1][1].append(str(step.argval))
        elif step.opname not in ("PUSH_NULL", "CACHE", "PRECALL", "NOP", "EXTENDED_ARG"):
            going = step.opname.startswith(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_"))
            found += [(line, [str(step.argval)])] if going else []
    yield from found
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from names_read(inner)


def snapshot(x: Any) -> Any:
    """A comparable snapshot of a value: a later one differs if the value has changed."""
    if isinstance(x, Variable) or callable(x) or issubclass(type(x), StandIn):
        return id(x)
    if isinstance(x, Tensor):
        return id(x), snapshot(x.value)
    if isinstance(x, np.ndarray) and x.dtype != object:
        return x.shape, x.dtype, x.tobytes() if x.nbytes < 1 << 16 else crc_of(x)
    if isinstance(x, CONTAINERS):
        items = x.items() if isinstance(x, dict) else sorted(map(repr, x)) if isinstance(x, (set, frozenset)) else x
        return type(x), [snapshot(item) for item in items]
    return type(x), repr(x)


def attributes(x: Any) -> dict[str, Any]:
    """The instance attributes of an object, by name."""
    slots = [getattr(kind, "__slots__", ()) for kind in type(x).__mro__]
    names = [s for found in slots for s in ((found,) if isinstance(found, str) else found) if not s.startswith("__")]
    return {**{s: getattr(x, s) for s in names if hasattr(x, s)}, **getattr(x, "__dict__", {})}


def is_library(x: Any) -> bool:
    """Whether a module, or the module of a function or class, belongs to a library, and not to the user."""
    names = getattr(x, "__globals__", None)  # a transform's wrapper has the `__module__` of f
    name = names.get("__name__") if isinstance(names, dict) else None
    name = name or (x.__name__ if isinstance(x, ModuleType) else getattr(x, "__module__", None) or "")
    if not isinstance(name, str):  # a class that was made in C
        return True
    if name.partition(".")[0] in _LIBRARIES:
        return True
    return "-packages" in (getattr(sys.modules.get(name), "__file__", None) or "")


def is_stored(x: Any, name: str) -> bool:
    """Whether an attribute is stored in a module, a class or an object, so that reading it runs no code of the user."""
    if isinstance(x, (ModuleType, type)):
        return True
    if isinstance(x, (*VALUES, *CONTAINERS, *GENERATORS)) or type(x).__getattribute__ is not object.__getattribute__:
        return False
    if hasattr(type(x), name):
        return is_library(type(x)) and not callable(getattr(type(x), name))
    return name in attributes(x)


def is_plain(x: Any, depth: int = 0) -> bool:
    """Whether a container holds only values of the types in `VALUES`, in any nesting."""
    if not isinstance(x, CONTAINERS) or depth > MAX_DEPTH:
        return False
    items = [*x.keys(), *x.values()] if isinstance(x, dict) else x
    return all((isinstance(i, VALUES) and not isinstance(i, Variable)) or is_plain(i, depth + 1) for i in items)
