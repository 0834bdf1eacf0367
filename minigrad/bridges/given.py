"""Find a function's framework from its arguments and the objects that its code refers to, without imports."""

from __future__ import annotations

import functools
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..core.support.error_words import name_of
from ..core.support.structure import flatten, is_structure, leaves, rebuild
from .rebuilt_program import NotRecorded

#: The packages whose types mark a value as belonging to a framework.
PACKAGES = {"torch": "PyTorch", "jax": "JAX", "jaxlib": "JAX", "tensorflow": "TensorFlow", "keras": "TensorFlow"}
#: Framework -> its package, and the oldest supported version. (PyTorch 2.3 hides `x[1:]` from a function mode.)
OLDEST = {"PyTorch": ("torch", "2.6"), "JAX": ("jax", "0.4.30"), "TensorFlow": ("tensorflow", "2.18")}
DEEPEST = 3  #: how deep a function's references to other functions are followed


def _package(module: Any) -> str:
    return str(module or "").partition(".")[0]


def framework_of_value(value: Any) -> str:
    """Return the framework of an array, a layer, a module or a function, or "" for anything else.

    >>> framework_of_value(3.0)
    ''
    """
    if isinstance(value, types.ModuleType):
        return PACKAGES.get(_package(value.__name__), "")
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type)):
        return PACKAGES.get(_package(getattr(value, "__module__", "")), "")
    for kind in type(value).__mro__:
        if _package(kind.__module__) in PACKAGES:
            return PACKAGES[_package(kind.__module__)]
    return ""


def check_version(framework: str) -> None:
    """Raise NotRecorded if a framework is older than the versions that can be recorded."""
    package, oldest = OLDEST[framework]
    version = str(getattr(sys.modules.get(package), "__version__", oldest))
    if _numbers(version) < _numbers(oldest):
        raise NotRecorded(
            f"{framework} {version} is too old: the bridge needs {oldest} or newer; write "
            f'python -m pip install "{package}>={oldest}"'
        )


def _numbers(version: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", version.partition("+")[0])]


def is_loaded() -> bool:
    """Return whether any of the frameworks is already imported."""
    return any(package in sys.modules for package in ("torch", "jax", "tensorflow"))


def is_array(value: Any) -> bool:
    """Return whether a value is a framework's array, not a module or a function."""
    return bool(framework_of_value(value)) and hasattr(value, "dtype") and hasattr(value, "shape")


def referred(f: Any, depth: int = DEEPEST) -> Iterator[tuple[str, Any]]:
    """Yield the values that a function's code refers to, with their names.

    The values come from the function's closure, defaults and globals, and from the attributes of a method's object.
    If a value is itself a function, the values it refers to are yielded too, up to `depth` levels deep.
    """
    if isinstance(f, functools.partial):
        yield from ((f"argument {i}", value) for i, value in enumerate(f.args))
        yield from f.keywords.items()
        yield from referred(f.func, depth)
        return
    if isinstance(f, types.MethodType):
        yield from vars(f.__self__).items() if hasattr(f.__self__, "__dict__") else ()
        f = f.__func__
    while not isinstance(f, types.FunctionType) and hasattr(f, "__wrapped__"):
        f = f.__wrapped__
    if not isinstance(f, types.FunctionType):
        return
    pairs: list[tuple[str, Any]] = []
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
        try:
            pairs.append((name, cell.cell_contents))
        except ValueError:  # the variable has no value yet
            continue
    defaults = f.__defaults__ or ()
    pairs += [*zip(f.__code__.co_varnames[f.__code__.co_argcount - len(defaults) :], defaults)]
    pairs += (f.__kwdefaults__ or {}).items()
    pairs += [(name, f.__globals__[name]) for name in _global_names(f.__code__) if name in f.__globals__]
    yield from pairs
    for _, value in pairs if depth else ():
        own = isinstance(value, (types.FunctionType, types.MethodType)) and not framework_of_value(value)
        if own and value.__module__ and not value.__module__.startswith("minigrad"):
            yield from referred(value, depth - 1)


def _global_names(code: types.CodeType) -> list[str]:
    """Return the names in a code object and in the functions inside it."""
    inner = [name for c in code.co_consts if isinstance(c, types.CodeType) for name in _global_names(c)]
    return [*dict.fromkeys([*code.co_names, *inner])]


def framework_of(f: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None) -> str:
    """Return the framework that `f(*args, **kwargs)` uses: "PyTorch", "JAX" or "TensorFlow", or "" if it uses none."""
    if not is_loaded() or not callable(f):
        return ""
    for value in [f, *args, *(kwargs or {}).values()]:
        for leaf in flatten(value) if is_structure(value) else [value]:
            if type(leaf).__module__.startswith("minigrad"):
                return ""
            if not isinstance(leaf, (types.FunctionType, types.BuiltinFunctionType)) and framework_of_value(leaf):
                return framework_of_value(leaf)
    seen = [value for _, value in referred(f)]
    own = [v for v in seen if _package(getattr(v, "__name__", "") if isinstance(v, types.ModuleType) else
                                       getattr(type(v), "__module__", "")) == "minigrad"]  # fmt: skip
    if own:
        return ""
    return next((name for name in map(framework_of_value, seen) if name), "")


def arrays_by_name(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are a framework's arrays; arrays in lists and dicts get names such as `p['b']`."""
    arrays = {}
    for name, value in values.items():
        try:
            inner = [*leaves(value, name)] if is_structure(value) else [(name, value)]
        except TypeError:  # the keys cannot be sorted
            continue
        arrays.update({path: leaf for path, leaf in inner if is_array(leaf)})
    return arrays


def bound_arguments(f: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """Return the arguments by parameter name, or by x0, x1, ... if the function has `*args` or `**kwargs`."""
    try:
        signature = inspect.signature(f)
        kinds = {p.kind for p in signature.parameters.values()}
        if inspect.Parameter.VAR_POSITIONAL not in kinds and inspect.Parameter.VAR_KEYWORD not in kinds:
            return dict(signature.bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        pass
    return {f"x{i}": a for i, a in enumerate(args)} | dict(kwargs)


def converted(value: Any, make: Any) -> Any:
    """Return a value, or a structure of values, with each float and each NumPy array of floats x as `make(x)`."""
    number = lambda x: isinstance(x, float) or (isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind == "f")
    return replaced(value, lambda x: make(x) if number(x) else x)


def replaced(value: Any, make: Any) -> Any:
    """Return `make(x)` for a single value x; for a list, tuple or dict, a copy with each element x as `make(x)`."""
    return rebuild(value, map(make, flatten(value)))


def checked(f: Any, y: Any, is_floats: Callable[[Any], bool]) -> Any:
    """Return `y`, the result of `f`, if it is one array of floats; otherwise raise NotRecorded, with advice."""
    if is_array(y) and is_floats(y):
        return y
    hint = "; does it lack a return?" if y is None else ""
    if is_structure(y):
        key = repr(next(iter(y), 0)) if isinstance(y, dict) else 0
        hint = f"; give a function that returns one, as in lambda *args: f(*args)[{key}]"
    elif isinstance(y, (bool, int, float)):
        hint = "; .item() and float() take a number out of the graph"
    got = f"one of {y.dtype}" if is_array(y) else f"{y!r:.60} of type {type(y).__name__}"
    raise NotRecorded(f"{called(f)} must return one dense tensor of floats, got {got}{hint}")


def call_by_name(f: Any, values: Mapping[str, Any]) -> Any:
    """Call a function with a mapping from parameter names to values."""
    try:
        parameters = [*inspect.signature(f).parameters.values()]
    except (TypeError, ValueError):
        parameters = []
    kinds = {p.name: p.kind for p in parameters}
    first = [v for name, v in values.items() if kinds.get(name) != inspect.Parameter.KEYWORD_ONLY]
    return f(*first, **{k: v for k, v in values.items() if kinds.get(k) == inspect.Parameter.KEYWORD_ONLY})


def called(f: Any) -> str:
    """Return a function's name as error messages write it, with "the function" for a lambda."""
    return name_of(f).replace("<lambda>", "the function")
