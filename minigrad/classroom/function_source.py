"""The source of a function from a notebook, with everything that it uses, so the text runs without the notebook."""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import symtable
import sys
import textwrap
import types
from typing import Any

PLAIN = (int, float, complex, str, bytes, bool, type(None))


class NoSource(Exception):
    """Raised if something that a function uses cannot be written as source; the message is the reason."""


def source_of(function: Any, name: str) -> str:
    """Return the source of `function`, after the functions, classes, modules and plain values that it uses.

    name : the name under which the text defines the function.

    Raises NoSource if some of it cannot be written as source.
    """
    definitions: dict[str, str] = {}
    _write(function, name, getattr(function, "__globals__", {}), definitions, {})
    imports = sorted(text for text in definitions.values() if text.startswith(("import ", "from ")))
    others = [text for text in definitions.values() if not text.startswith(("import ", "from "))]
    return "\n\n\n".join(filter(None, ["\n".join(imports), *others]))


def _write(value: Any, name: str, space: dict[str, Any], definitions: dict[str, str], writing: dict[str, Any]) -> None:
    """Add the text that defines `value` under `name` to `definitions`, after the definitions that it uses.

    space : the names that the text may use. writing : the names whose definitions are being added, to end recursion.
    """
    if name in definitions or name in writing:
        return
    writing[name] = value
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    called = getattr(value, "__name__", "")
    own = module is None or module.__name__ == "__main__" or vars(module) is space
    if isinstance(value, types.ModuleType):
        alias = f" as {name}" if name != value.__name__ else ""
        definitions[name] = f"import {value.__name__}{alias}"
    elif isinstance(value, (types.FunctionType, type)) and own:
        source = _source(value, name)
        for used in _names(source):
            if used in space and used != name:
                _write(space[used], used, space, definitions, writing)
        definitions[name] = source + (f"\n\n\n{name} = {called}" if called != name else "")
    elif module is not None and called and getattr(module, called, None) is value:
        alias = f" as {name}" if name != called else ""
        definitions[name] = f"from {module.__name__} import {called}{alias}"
    elif type(value) is itertools.count:
        definitions["count"] = "from itertools import count"
        definitions[name] = f"{name} = {value!r}"
    elif _is_plain(value):
        definitions[name] = f"{name} = {value!r}"
    else:
        raise NoSource(f"it uses {name}, of the type {type(value).__name__}, which cannot be written into a file.")


def _source(value: Any, name: str) -> str:
    try:
        source = textwrap.dedent(inspect.getsource(value)).strip()
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError):
        raise NoSource(f"the source of {name} is not known; write it with def in its own cell.") from None
    if len(tree.body) != 1 or not isinstance(tree.body[0], (ast.FunctionDef, ast.ClassDef)):
        raise NoSource(f"{name} is not written with def; write it with def in its own cell.")
    return source


def _names(source: str) -> list[str]:
    """Return the names that some source code reads but does not define, in order, without Python's builtins."""
    outside: set[str] = set()
    scopes = [symtable.symtable(source, "<source>", "exec")]
    for scope in scopes:
        outside |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
        scopes += scope.get_children()
    tree = ast.walk(ast.parse(source))
    read = [node.id for node in tree if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return [name for name in dict.fromkeys(read) if name in outside and not hasattr(builtins, name)]


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple, set)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(_is_plain(x) for item in value.items() for x in item)
    return isinstance(value, PLAIN)
