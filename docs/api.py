"""The public names by package, from their docstrings."""

from __future__ import annotations

import enum
import importlib
import inspect
import itertools
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy

import minigrad as mg
from minigrad.core.op import OPS

from .text import Pages, code, directive, docstring, title_of, toctree

#: Title of a page of the package's own names -> the packages that these names come from.
PURPOSES = {
    "Values": "core.tensor core.variable core.support.tensor_values core.support.scopes frameworks.variable_store "
    "ops.create",
    "Gradients": "core.gradients transforms",
    "Rules of your own": "core.custom frameworks.registered_gradients ops.declare",
    "Repair": "bridges diagnostics",
    "Look inside": "tracing",
    "Programs": "programs",
    "TensorFlow names": "frameworks",
}
ROOMS = {
    "minigrad.optim": "Optimizers",
    "minigrad.data": "Data",
    "minigrad.numpy": "NumPy names",
    "minigrad.scipy.special": "SciPy names",
    "minigrad.classroom": "Classroom",
    "minigrad.graphs": "Graphs as data",
    "viz": "Pictures",
}
BY_CALL = {id(op.call): name for name, op in OPS.items()}
NO_REASON = re.compile(r" at 0x[0-9a-f]+")


def pages() -> Pages:
    """Return a page for each purpose of `minigrad`, one for each further package, and an index."""
    found: Pages = {}
    left = {name: value for name, value in members(mg) if id(value) not in BY_CALL}
    for title, rooms in PURPOSES.items():
        prefixes = tuple(f"minigrad.{room}" for room in rooms.split())
        named = {n: v for n, v in left.items() if (getattr(v, "__module__", None) or "").startswith(prefixes)}
        left = {name: value for name, value in left.items() if name not in named}
        found[f"api/{title.lower().replace(' ', '-')}.md"] = page(title, "`import minigrad as mg`", mg, named)
    for room, title in ROOMS.items():
        module = importlib.import_module(room)
        about = f"`import {room}`\n\n{docstring(inspect.getdoc(module))}"
        found[f"api/{room}.md"] = page(title, about, module, dict(members(module)))
    names = [path.removeprefix("api/").removesuffix(".md") for path in found]
    lines = [f"- [{title_of(found[f'api/{name}.md'])}]({name}.md)" for name in names]
    about = (
        "Ops, such as `mg.exp`, are in [the handbook of ops](../ops/index.md). "
        "Names that are not on these pages are not public."
    )
    found["api/index.md"] = "\n\n".join(["# API", about, "\n".join(lines), toctree(names)])
    return found


def members(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The public functions and classes of a module, by name."""
    names = dir(module) if module is mg else getattr(module, "__all__", None) or dir(module)
    for name in sorted(names, key=str.lower):
        value = getattr(module, name)
        own = (getattr(value, "__module__", None) or "").startswith(("minigrad", "viz"))
        if not name.startswith("_") and callable(value) and own:
            yield name, value


def page(title: str, about: str, module: ModuleType, named: dict[str, Any]) -> str:
    """Return a page that describes these names; ops, and further names of the same thing, are listed with a link."""
    ops = {name: BY_CALL[id(value)] for name, value in named.items() if id(value) in BY_CALL}
    described = [entry(module.__name__, name, value) for name, value in named.items() if name not in ops]
    parts = [f"# {title}", about, *described]
    if ops:
        links = ", ".join(f"{code(name)}" for name in ops)
        parts += ["## Names of ops", "Described in [the handbook of ops](../ops/index.md):", links]
    return "\n\n".join(parts)


def entry(module: str, name: str, value: Any) -> str:
    """Return a function, or a class with its public methods, as Sphinx indexes it."""
    full = f"{module}.{name}"
    heading = f"## {name}"
    if not inspect.isclass(value):
        theirs = inspect.getdoc(getattr(numpy, name, None)) if module == "minigrad.numpy" else None
        doc = inspect.getdoc(value)
        doc = f"`numpy.{name}`, also for Tensors: see NumPy's documentation." if doc and doc == theirs else doc
        return f"{heading}\n\n" + directive("py:function", f"{full}{signature(value)}", docstring(doc))
    body = [docstring(_own_doc(value))]
    for attribute, member in sorted(attributes(value, module).items()):
        if attribute.startswith("_") or not (inspect.isroutine(member) or isinstance(member, property)):
            continue
        function = getattr(member, "__func__", member)
        if id(function) in BY_CALL or not inspect.getdoc(function):
            continue  # an op as a method is in the handbook
        kind, shown = ("py:property", "") if isinstance(member, property) else ("py:method", signature(function))
        body.append(directive(kind, f"{attribute}{shown}", docstring(inspect.getdoc(function))))
    return f"{heading}\n\n" + directive("py:class", f"{full}{signature(value)}", "\n\n".join(body))


def attributes(value: type, module: str) -> dict[str, Any]:
    """Return the attributes of a class, and of its bases up to the first one with an entry of its own."""
    ours = [base for base in value.__mro__ if base.__module__.partition(".")[0] in ("minigrad", "viz")]
    packages = map(importlib.import_module, (module, module.partition(".")[0]))
    public = {id(x) for package in packages for x in vars(package).values()}
    without_entry = itertools.takewhile(lambda base: base is value or id(base) not in public, ours)
    every = {name: member for base in reversed([*without_entry]) for name, member in vars(base).items()}
    return {name: member for name, member in every.items() if name not in getattr(value, "_shared", ())}


def _own_doc(value: type) -> str:
    """Return the docstring of a class, unless it is the automatic one of a named tuple or a data class."""
    doc = inspect.getdoc(value) or ""
    return "" if doc.startswith(f"{value.__name__}(") else doc


def signature(value: Any) -> str:
    """Return the parameters and their defaults, without types; a default without a literal is shown as three dots."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    plain = []
    for p in found.parameters.values():
        if p.name != "self":
            default = getattr(p.default, "value", p.default) if isinstance(p.default, enum.Enum) else p.default
            default = default if default is p.empty or _literal(default) else ...
            plain.append(p.replace(annotation=p.empty, default=default))
    return NO_REASON.sub("", str(found.replace(parameters=plain, return_annotation=found.empty))).replace(
        "Ellipsis", "..."
    )


def _literal(default: Any) -> bool:
    return default is None or isinstance(default, (int, float, str, bool, tuple))
