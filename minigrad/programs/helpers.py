"""Functions that a program calls and NumPy does not have, as source that stands alone."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from typing import Any

import numpy as np

from ..node import OPS
from ..words import name_of


def helper(function: Any, found: dict[str, str]) -> str:
    """Add the source of a function and of all that it needs to `found`, and return what it is called there.

    found : definitions by name, in an order in which they can be run, without type hints and docstrings.

    Raises TypeError where there is no source.
    """
    module = sys.modules.get(function.__module__)
    if module is None or not hasattr(module, "__file__"):
        raise TypeError(f"{name_of(function)} has no source file, so it cannot be written down")
    if function.__name__ != "<lambda>":
        _define(function.__name__, module, found)
        return function.__name__
    at = function.__code__.co_firstlineno
    name = next((op.name for op in OPS.values() if op.fn is function), f"function_{at}")
    node = next((n for n in ast.walk(_tree(module)) if isinstance(n, ast.Lambda) and n.lineno == at), None)
    if node is None:
        raise TypeError(f"the source of a function in line {at} of {module.__name__} was not found")
    _needs(node, module, found)
    found[name] = f"{name} = {ast.unparse(_bare(node))}"
    return name


def _tree(module: Any) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _define(name: str, module: Any, found: dict[str, str]) -> None:
    """Add the definition of a global of `module`, after those it needs. On arrays an op is its NumPy function."""
    if name in found or not hasattr(module, name) or name == "np":
        return
    value = getattr(module, name)
    op = OPS.get(getattr(value, "__name__", ""))
    if op is not None and op.call is value and op.kind != "composite":
        own = f"np.{op.fn.__name__}" if isinstance(op.fn, np.ufunc) else helper(op.fn, found)
        if own != name:
            found[name] = f"{name} = {own}"
        return
    for node in _tree(module).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    _imported(node, alias.name, name, module, found)
        elif name in _defined(node):
            _needs(node, module, found)
            found[name] = ast.unparse(_bare(node))


def _defined(node: Any) -> list[str]:
    """The names that a statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]


def _imported(node: Any, original: str, name: str, module: Any, found: dict[str, str]) -> None:
    """A name that came by import: from this package its definition, from elsewhere the import itself."""
    if isinstance(node, ast.ImportFrom) and node.level:
        package = module.__package__.rsplit(".", node.level - 1)[0]
        _define(original, importlib.import_module(f"{package}.{node.module}"), found)
        return
    alias = f"{original} as {name}" if original != name else original
    found[name] = f"from {node.module} import {alias}" if isinstance(node, ast.ImportFrom) else f"import {alias}"


def _needs(node: ast.AST, module: Any, found: dict[str, str]) -> None:
    for name in dict.fromkeys(n.id for n in ast.walk(_bare(node)) if isinstance(n, ast.Name)):
        if name not in _defined(node):
            _define(name, module, found)


def _bare(node: Any) -> Any:
    """The definition without decorators, type hints and docstrings."""
    node = ast.parse(ast.unparse(node)).body[0]
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            part.annotation = None
        if isinstance(part, ast.FunctionDef):
            part.returns, part.decorator_list = None, []
            if ast.get_docstring(part) is not None:
                part.body = part.body[1:] or [ast.Pass()]
    return node.value if isinstance(node, ast.Expr) else node
