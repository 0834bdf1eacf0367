"""What a function uses besides its arguments: its program is written for what this is when it is written.

It is found by following the code: captured variables, globals, attributes and default arguments, and those of the
functions that it calls. Code of NumPy, of the standard library and of installed packages is not followed.
"""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import random
import sys
from collections import ChainMap
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import zip_longest
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..core.tensor import Tensor
from ..core.variable import Variable
from .listing import NotAProgram, StandIn, crc_of

#: What is listed by its value.
VALUES = (int, float, complex, str, bytes, type(None), range, slice, np.generic, np.ndarray, np.dtype, Tensor)
GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
_CONTAINERS = (list, tuple, dict, set, frozenset)
RANDOM = "random numbers"  # what is said to have changed where numbers were drawn
DEEP = 5  # how far objects within objects are followed


class Fixed(NamedTuple):
    """A value that a program keeps: what the code calls it, the value, and the line that uses it."""

    name: str
    value: Any
    line: int


class Surroundings:
    """The values that a function uses, in the order in which its code names them.

    f : the function. arguments : the dataclasses among its arguments. given : the parameters that the call gives.
    fixed : every name that code of the user looks up outside of itself, with what it stands for. Of a Variable it is
        fixed which one it is, not its value.
    random : the states of the random generators among the values, and of the global ones.
    """

    def __init__(self, f: Callable[..., Any], arguments: Collection[Any] = (), given: Collection[str] = ()) -> None:
        self.fixed: list[Fixed] = []
        self.random = [repr(random.getstate()), repr(np.random.get_state(legacy=False))]
        self._begin = f, arguments, given
        self._known: set[Any] = set()
        self._tokens: list[tuple[str, Any]] = []
        self._line = 0
        self._function(f, given)
        for x in arguments:  # dataclasses have methods and attributes of their class
            self._class(type(x), type(x).__name__, DEEP)

    def changed(self) -> str:
        """The name of the first value that is not the same any more; "" where all are."""
        now = Surroundings(*self._begin)
        if now.random != self.random:
            return RANDOM
        pairs = zip_longest(self._tokens, now._tokens, fillvalue=("", None))
        return next((a[0] or b[0] for a, b in pairs if a != b), "")

    # Following.

    def _function(self, f: Any, given: Collection[str] = ()) -> None:
        """The values that a callable uses; `given` names parameters that a call gives."""
        while not isinstance(f, FunctionType):
            if isinstance(f, functools.partial):
                for name, x in (
                    *((f"argument {i} of a partial", x) for i, x in enumerate(f.args)),
                    *f.keywords.items(),
                ):
                    self._value(x, name)
                f = f.func
            elif isinstance(f, MethodType):
                self._value(f.__self__, "self")
                f = f.__func__
            elif isinstance(f, property):
                f = f.fget
            elif "__wrapped__" in attributes(f):
                f = attributes(f)["__wrapped__"]
            elif isinstance(f, (staticmethod, classmethod)):
                f = f.__func__
            else:
                if callable(f) and not isinstance(f, (type, ModuleType, BuiltinFunctionType, np.ufunc)):
                    self._value(f, "self")
                return
        own = not is_library(f)
        if id(f) in self._known or not (own or "<locals>" in f.__qualname__):
            return
        self._known.add(id(f))
        cells = {name: content(cell) for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ())}
        if not own:  # what a transform of this library wraps
            for x in cells.values():
                if callable(x) and not isinstance(x, (type, *VALUES)):
                    self._function(x, given)
            return
        self._line = f.__code__.co_firstlineno
        names = f.__code__.co_varnames[: f.__code__.co_argcount]
        for name, x in (dict(zip(names[::-1], (f.__defaults__ or ())[::-1])) | (f.__kwdefaults__ or {})).items():
            if name not in given:
                self._value(x, name)
        words = [[c] for c in f.__code__.co_consts if isinstance(c, str) and c.isidentifier()]
        for line, chain in chains(f.__code__):
            self._line = line or f.__code__.co_firstlineno
            # What these functions look up stands in the code as a string.
            for found in (*(words if chain[0] in ("globals", "getattr", "vars", "eval") else ()), chain):
                self._chain(found, ChainMap(cells, f.__globals__))

    def _chain(self, chain: list[str], names: Mapping[str, Any]) -> None:
        """A name, and the attributes that the code takes from what it stands for."""
        name, *rest = chain
        x = names.get(name, _NONE)
        if x is _NONE:
            self._list(getattr(builtins, name, Missing()), name)
        for at in rest:
            if x is _NONE or isinstance(x, (*VALUES, *_CONTAINERS, *GENERATORS)):
                break
            holder, x = x, _attribute(x, at)
            if not isinstance(holder, (ModuleType, type)) and at not in attributes(holder):
                if x is _NONE or not is_library(type(holder)):  # its class computes it, and may use all that it holds
                    self._value(holder, name)
                if x is _NONE:
                    self._list(getattr(type(holder), "__getattr__", Missing()), ".".join(chain))
            name = f"{name}.{at}"
        if x is not _NONE:
            self._value(x, name)

    def _value(self, x: Any, name: str, deep: int = 0) -> None:
        """List a value, or what an object holds."""
        if isinstance(x, GENERATORS):
            self.random.append(repr(x.getstate() if isinstance(x, random.Random) else _bits(x).state))
        elif isinstance(x, VALUES) or (isinstance(x, _CONTAINERS) and _plain(x)):
            self._list(x, name)
        elif isinstance(x, _FUNCTIONS) or "__wrapped__" in attributes(x):
            self._list(x, name)
            self._function(x)
        elif isinstance(x, type):
            self._class(x, name, deep)
        elif isinstance(x, (ModuleType, np.ufunc, BuiltinFunctionType)):
            self._list(x, name)
        elif id(x) not in self._known and deep < DEEP:
            self._known.add(id(x))
            if hasattr(type(x), "__next__"):
                raise NotAProgram(f"it takes values from {name}, an iterator, which gives others each time")
            if hasattr(type(x), "__len__") and hasattr(type(x), "__iter__"):
                items = list(x.items() if hasattr(type(x), "items") else enumerate(x))
                self._list(Size(len(items)), f"len({name})")
                for key, item in items:
                    self._value(item, f"{name}[{key!r}]", deep + 1)
            self._tokens.append((name, list(attributes(x))))
            for key, item in attributes(x).items():
                self._value(item, f"{name}.{key}", deep + 1)
            self._class(type(x), name, deep + 1)

    def _list(self, x: Any, name: str) -> None:
        if (name, id(x)) not in self._known and not (isinstance(x, ModuleType) and is_library(x)):
            self._known.add((name, id(x)))
            self._tokens.append((name, token(x)))
            self.fixed.append(Fixed(name, _copied(x), self._line))

    def _class(self, kind: type, name: str, deep: int) -> None:
        """The attributes and methods of a class of the user."""
        if is_library(kind) or id(kind) in self._known or deep > DEEP:
            return
        self._known.add(id(kind))
        for base in kind.__mro__[::-1]:
            for key, x in vars(base).items() if not is_library(base) else ():
                if not key.startswith("__") or callable(x):
                    self._value(x, f"{name}.{key}", deep + 1)


_NONE = object()
_LIBRARIES = {"minigrad", "numpy", *sys.stdlib_module_names} - {"__main__"}
_FUNCTIONS = (FunctionType, MethodType, functools.partial, staticmethod, classmethod, property)


class Missing:
    """A name that is looked up and not defined."""

    def __repr__(self) -> str:
        return "not defined"


class Size(int):
    """How long a container is that holds more than values."""


def chains(code: CodeType) -> Iterator[tuple[int, list[str]]]:
    """The names that code looks up outside of itself, each with the attributes taken at once: (line, names).

    >>> list(chains(compile("y = model.scale * w", "", "exec")))
    [(1, ['model', 'scale']), (1, ['w'])]
    """
    chain: list[str] = []
    line = begin = code.co_firstlineno
    for step in dis.get_instructions(code):
        starts = step.starts_line if not isinstance(step.starts_line, bool) else getattr(step, "line_number", None)
        line = starts if isinstance(starts, int) else line
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain:
            chain.append(str(step.argval))
            continue
        if step.opname in ("PUSH_NULL", "CACHE", "PRECALL", "NOP", "EXTENDED_ARG"):
            continue
        if chain:
            yield begin, chain
            chain = []
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"):
            chain, begin = [str(step.argval)], line
    if chain:
        yield begin, chain
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from chains(inner)


def token(x: Any) -> Any:
    """A picture of a value that differs once the value has changed."""
    if isinstance(x, Missing):
        return Missing
    if isinstance(x, Variable) or callable(x):
        return id(x)
    if isinstance(x, Tensor):
        return id(x), token(x.value)
    if issubclass(type(x), StandIn):
        return id(x.line)
    if isinstance(x, np.ndarray) and x.dtype != object:
        return x.shape, x.dtype, x.tobytes() if x.nbytes < 1 << 16 else crc_of(x)
    if isinstance(x, _CONTAINERS):
        items = x.items() if isinstance(x, dict) else sorted(map(repr, x)) if isinstance(x, (set, frozenset)) else x
        return type(x), [token(item) for item in items]
    return type(x), repr(x)


def attributes(x: Any) -> dict[str, Any]:
    """What an object keeps under names of its own."""
    slots = [getattr(kind, "__slots__", ()) for kind in type(x).__mro__]
    names = [s for found in slots for s in ((found,) if isinstance(found, str) else found) if not s.startswith("__")]
    return {**{s: getattr(x, s) for s in names if hasattr(x, s)}, **getattr(x, "__dict__", {})}


def is_library(x: Any) -> bool:
    """Whether a module, or that of a function or class, is NumPy, of the standard library, or installed."""
    names = getattr(x, "__globals__", None)  # the wrapper of a transform passes for a function of f's
    name = names.get("__name__") if isinstance(names, dict) else None
    name = name or (x.__name__ if isinstance(x, ModuleType) else getattr(x, "__module__", None) or "")
    if not isinstance(name, str):  # a class that was made in C
        return True
    if name.partition(".")[0] in _LIBRARIES:
        return True
    return "-packages" in (getattr(sys.modules.get(name), "__file__", None) or "")


def _attribute(x: Any, name: str) -> Any:
    """An attribute that can be read without running code; else what computes it."""
    own = attributes(x)
    return own[name] if name in own else inspect.getattr_static(x, name, _NONE)


def content(cell: Any) -> Any:
    """What a cell of a closure holds."""
    try:
        return cell.cell_contents
    except ValueError:  # it is filled later
        return _NONE


def _plain(x: Any, deep: int = 0) -> bool:
    """Whether a container holds nothing but values."""
    items = [*x.keys(), *x.values()] if isinstance(x, dict) else x
    return deep < DEEP and all(
        (isinstance(i, VALUES) and not isinstance(i, Variable)) or (isinstance(i, _CONTAINERS) and _plain(i, deep + 1))
        for i in items
    )


def _copied(x: Any) -> Any:
    """A copy that later changes do not reach; large arrays are not copied."""
    if isinstance(x, np.ndarray):
        return x.copy() if x.nbytes < 1 << 20 else x
    if type(x) in (list, tuple, set):
        return type(x)([_copied(i) for i in x])
    return {key: _copied(i) for key, i in x.items()} if type(x) is dict else x


def _bits(g: Any) -> Any:
    return g.bit_generator if isinstance(g, np.random.Generator) else g._bit_generator
