"""Write what a notebook defines (functions, classes, values) as bytes, and read it back in another process.

pickle writes a function as the name of an import, but functions of a notebook cannot be imported. Here such a
function is written as its code, with the global names of the notebook that the code uses.
"""

from __future__ import annotations

import builtins
import dataclasses
import dis
import importlib
import io
import linecache
import marshal
import pickle
import sys
import types
from typing import Any, NoReturn

Reduced = tuple[Any, ...]


def pack(value: Any) -> bytes:
    """`value` as bytes, which `unpack` reads in the same version of Python.

    Raises an exception (its type depends on the value) where something cannot be written, such as an open file.

    >>> shift = 3
    >>> unpack(pack(lambda x: x + shift))(4)
    7
    """
    paper = io.BytesIO()
    pickler = _Pickler(paper, protocol=5)
    pickler.dump(value)
    return pickle.dumps((paper.getvalue(), pickler.lines), protocol=5)


def unpack(data: bytes) -> Any:
    """The value that `pack` wrote. Functions of one module share their global names, as they did there."""
    written, lines = pickle.loads(data)
    for filename, text in lines.items():
        linecache.cache[filename] = (len("".join(text)), None, text, filename)
    global _notebook
    _notebook = {"__name__": "__main__", "__builtins__": builtins}  # C code imports through the globals of its caller
    return pickle.loads(written)


class _Pickler(pickle.Pickler):
    """A pickler that also writes what cannot be imported; `lines` holds the source of it, for tracebacks."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lines: dict[str, list[str]] = {}

    def reducer_override(self, x: Any) -> Any:
        if isinstance(x, types.FunctionType) and not _importable(x):
            filename = x.__code__.co_filename
            self.lines[filename] = linecache.getlines(filename)
            return _function(x)
        if isinstance(x, type) and x.__flags__ & HEAP_TYPE and not _importable(x):
            return _class(x)
        if type(x).__name__ in ("ExitAutocall", "ZMQExitAutocall"):  # IPython's exit and quit
            return getattr, (sys.modules[__name__], "leave")
        special = _REDUCED.get(type(x))
        return special(x) if special else NotImplemented


_FACTORY = getattr(dataclasses, "_HAS_DEFAULT_FACTORY", dataclasses.MISSING)
#: Functions that rebuild a value, and their arguments, for types that pickle refuses or writes without content.
_REDUCED: dict[type, Any] = {
    types.ModuleType: lambda x: (importlib.import_module, (x.__name__,)),
    types.CodeType: lambda x: (marshal.loads, (marshal.dumps(x),)),
    types.MappingProxyType: lambda x: (_proxy, (dict(x),)),
    staticmethod: lambda x: (staticmethod, (x.__func__,)),
    classmethod: lambda x: (classmethod, (x.__func__,)),
    property: lambda x: (property, (x.fget, x.fset, x.fdel, x.__doc__)),
    type(dataclasses.MISSING): lambda x: (getattr, (dataclasses, "MISSING")),  # compared with `is`
    type(_FACTORY): lambda x: (getattr, (dataclasses, "_HAS_DEFAULT_FACTORY")),
}
HEAP_TYPE = 1 << 9  # the flag of a class that was made by a class statement


def leave(*args: Any) -> NoReturn:
    """The `exit` of IPython in the other process."""
    raise SystemExit


def _proxy(content: dict[Any, Any]) -> types.MappingProxyType[Any, Any]:
    return types.MappingProxyType(content)


def _importable(x: Any) -> bool:
    found: Any = sys.modules.get(x.__module__) if x.__module__ != "__main__" else None
    for name in x.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is x


def _function(f: types.FunctionType) -> Reduced:
    closed = tuple(map(_content, f.__closure__ or ()))
    library = f.__module__ if f.__globals__ is getattr(sys.modules.get(f.__module__), "__dict__", None) else "__main__"
    used = {}
    if library == "__main__":  # any other module is imported in the other process too
        used = {name: f.__globals__[name] for name in _global_names(f.__code__) if name in f.__globals__}
    state = (used, closed, f.__defaults__, f.__kwdefaults__, f.__dict__, f.__qualname__, f.__doc__)
    return _make_function, (f.__code__, library), state, None, None, _fill_function


def _content(cell: types.CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:  # not assigned yet
        return ()


def _global_names(code: types.CodeType) -> set[str]:
    names = {str(i.argval) for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    inner = (_global_names(c) for c in code.co_consts if isinstance(c, types.CodeType))
    return names.union(*inner)


_notebook: dict[str, Any] = {}  # the global names of what `unpack` reads; a new dict for each


def _make_function(code: types.CodeType, module: str) -> types.FunctionType:
    if module == "__main__":
        namespace = _notebook
    else:
        namespace = vars(importlib.import_module(module))
    cells = tuple(types.CellType() for _ in code.co_freevars)
    return types.FunctionType(code, namespace, code.co_name, None, cells)


def _fill_function(f: types.FunctionType, state: Reduced) -> None:
    used, closed, f.__defaults__, f.__kwdefaults__, attributes, f.__qualname__, f.__doc__ = state
    f.__globals__.update(used)
    f.__dict__.update(attributes)
    for cell, content in zip(f.__closure__ or (), closed):
        if content:
            (cell.cell_contents,) = content


def _class(made: type) -> Reduced:
    if type(made) is not type:
        raise pickle.PicklingError(f"{made.__name__} has a metaclass")
    slots = made.__dict__.get("__slots__", ())
    own = {"__dict__", "__weakref__", *((slots,) if isinstance(slots, str) else slots)}
    state = {name: value for name, value in made.__dict__.items() if name not in own}
    first = {"__module__": made.__module__, "__qualname__": made.__qualname__}
    first |= {"__slots__": slots} if "__slots__" in made.__dict__ else {}
    return type, (made.__name__, made.__bases__, first), state, None, None, _fill_class


def _fill_class(made: type, state: dict[str, Any]) -> None:
    for name, value in state.items():
        setattr(made, name, value)
