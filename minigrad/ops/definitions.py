"""Collect the source of an op's NumPy function, together with every definition that it uses."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from typing import Any

import numpy as np

from ..core.op import OPS


def definition(function: Any, definitions: dict[str, str]) -> str:
    """Add the source of a function, and of everything it uses, to `definitions`; return the function's name there.

    definitions : source texts by name, without type hints and docstrings, ordered so that they can be executed.

    Raises TypeError if the source is not available.
    """
    module, name = sys.modules.get(function.__module__), function.__name__
    if not hasattr(module, "__file__"):
        raise TypeError(f"{function.__name__} has no source file, so it cannot be written down")
    if name != "<lambda>":
        _define(name, module, definitions)
        return name
    at = function.__code__.co_firstlineno
    name = next((op.name for op in OPS.values() if op.fn is function), f"function_{at}")
    node = next(n for n in ast.walk(_tree(module)) if isinstance(n, ast.Lambda) and n.lineno == at)
    definitions[name] = f"{name} = {_written(node, [], module, definitions)}"
    return name


def _tree(module: Any) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _define(name: str, module: Any, definitions: dict[str, str]) -> None:
    """Add the definition of the global `name` of `module` to `definitions`, after the definitions that it uses.

    An op is replaced by its NumPy function.
    """
    value = getattr(module, name, np)
    if name in definitions or value is np:
        return
    op = OPS.get(getattr(value, "__name__", ""))
    if op is not None and op.call is value and op.kind != "composite":
        text = f"np.{op.fn.__name__}" if isinstance(op.fn, np.ufunc) else definition(op.fn, definitions)
        if text != name:
            definitions[name] = f"{name} = {text}"
        return
    for node in _tree(module).body:
        for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
            if name == (alias.asname or alias.name) and isinstance(node, ast.ImportFrom) and node.level:
                package = str(module.__package__).rsplit(".", node.level - 1)[0]
                _define(alias.name, importlib.import_module(f"{package}.{node.module}"), definitions)
            elif name == (alias.asname or alias.name):
                origin = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
                definitions[name] = f"{origin}import {ast.unparse(alias)}"
        assigned = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        assigned = [node.name] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else assigned
        if name in assigned:
            definitions[name] = _written(node, assigned, module, definitions)


def _written(node: ast.AST, assigned: list[str], module: Any, definitions: dict[str, str]) -> str:
    """Return a definition without decorators, type hints and docstrings; add the names it uses to `definitions`."""
    node = ast.parse(ast.unparse(node))
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            part.annotation = None
        if isinstance(part, ast.FunctionDef):
            part.returns, part.decorator_list = None, []
            part.body = part.body[ast.get_docstring(part) is not None :]
    for name in dict.fromkeys(n.id for n in ast.walk(node) if isinstance(n, ast.Name)):
        if name not in assigned:
            _define(name, module, definitions)
    return ast.unparse(node)
