"""The lines that declare an op, found in its file: the declaration, and the rules and helpers named in it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import minigrad

OPS = Path(minigrad.__file__).parent / "ops"


@cache
def _statements(file: str) -> tuple[list[str], list[ast.stmt]]:
    text = (OPS / f"{file}.py").read_text(encoding="utf-8")
    return text.splitlines(), ast.parse(text).body


def _declares(statement: ast.stmt, op: str) -> bool:
    """Return whether a statement is `op = defop("op", ...)`, or a decorated function of that name."""
    if isinstance(statement, ast.FunctionDef):
        return statement.name == op and bool(statement.decorator_list)
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    named = (call.args[0] for call in calls if call.args and isinstance(call.func, ast.Name))
    return any(isinstance(first, ast.Constant) and first.value == op for first in named)


def source(file: str, op: str) -> str:
    """Return the source of an op's declaration, below the private functions that it names; "" if there is none."""
    lines, statements = _statements(file)
    own = next((statement for statement in statements if _declares(statement, op)), None)
    if own is None:
        return ""
    helpers = {s.name: s for s in statements if isinstance(s, ast.FunctionDef) and s.name.startswith("_")}
    found, to_read = {own}, [own]
    while to_read:
        named = {node.id for node in ast.walk(to_read.pop()) if isinstance(node, ast.Name)}
        more = [helpers[name] for name in named & helpers.keys() if helpers[name] not in found]
        found |= set(more)
        to_read += more
    return "\n\n".join(_text(lines, statement) for statement in sorted(found, key=lambda s: s.lineno))


def _text(lines: list[str], statement: ast.stmt) -> str:
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
    return "\n".join(lines[first - 1 : statement.end_lineno])


def line(file: str, op: str) -> int:
    """Return the number of the declaration's first line; 0 if there is none."""
    own = next((statement for statement in _statements(file)[1] if _declares(statement, op)), None)
    return own.lineno if own else 0
