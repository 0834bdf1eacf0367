"""The functions of minigrad that a student's function refers to, directly or through the functions that it uses."""

from __future__ import annotations

import contextlib
import dis
import functools
import types
from collections.abc import Iterator
from typing import Any

LIBRARY = "minigrad"


def used_names(function: Any) -> list[str]:
    """Return the sorted names of minigrad's functions that a function refers to.

    Followed are its inner functions, defaults and closure, `functools.partial`, and the functions that it calls by
    their global names, if minigrad does not define them.

    >>> import minigrad as mg
    >>> used_names(mg.sin)
    ['sin']
    """
    names: set[str] = set()
    seen: set[int] = set()
    stack = [function]
    while stack:
        one = stack.pop()
        if id(one) in seen or len(seen) > 1000:
            continue
        seen.add(id(one))
        if isinstance(one, functools.partial):
            stack += [one.func, *one.args, *one.keywords.values()]
        elif _of_library(one):
            names.add(getattr(one, "__name__", ""))
        elif isinstance(one, types.MethodType):
            stack.append(one.__func__)
        elif isinstance(one, types.FunctionType):
            for code in _codes(one):
                names |= _attributes(code, one.__globals__)
                stack += [one.__globals__[name] for name in code.co_names if name in one.__globals__]
            stack += [*_kept(one)]
        elif callable(getattr(one, "f", None)):  # a function made with custom_gradient
            stack.append(one.f)
    return sorted(names)


def _codes(function: types.FunctionType) -> list[types.CodeType]:
    """Return the code of a function and of its inner functions."""
    codes = [function.__code__]
    for code in codes:
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return codes


def _kept(function: types.FunctionType) -> Iterator[Any]:
    """Yield the defaults of a function, and the values in its closure."""
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # the cell is empty
            yield cell.cell_contents


def _attributes(code: types.CodeType, space: dict[str, Any]) -> set[str]:
    """Return the names that some code reads from minigrad's modules, such as exp in `mg.exp`.

    If the code imports minigrad itself, every name that follows a dot counts.
    """
    instructions = [*dis.get_instructions(code)]
    imports = any(i.opname == "IMPORT_NAME" and _is_library(i.argval) for i in instructions)
    names: set[str] = set()
    module: Any = None
    for i in instructions:
        if i.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
            if imports or module is not None:
                names.add(i.argval)
            module = _module(getattr(module, i.argval, None))
        elif i.opname not in ("PUSH_NULL", "CACHE"):
            module = _module(space.get(i.argval)) if isinstance(i.argval, str) else None
    return names


def _module(value: Any) -> Any:
    return value if isinstance(value, types.ModuleType) and _is_library(value.__name__) else None


def _is_library(name: str) -> bool:
    return name.partition(".")[0] == LIBRARY


def _of_library(value: Any) -> bool:
    return callable(value) and _is_library(getattr(value, "__module__", None) or "")
