"""Find the operands in the code of a call to an op, and write the code of a repair for the user's file."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from ..core.support.error_words import is_cell
from ..core.tensor import Tensor
from ..tracing.replay import is_call
from .patterns import NAMES, Rewrite
from .user_expressions import Span, source_of, span_of


class Dialect:
    """A reader and writer of code that calls minigrad's ops; each other framework has a subclass."""

    #: Serial of a node that is only a part of a user's call -> its expression.
    expressions: Mapping[int, ast.expr] = {}
    #: Whether a repair shown as an expression, not as an edit of a line, includes the options, such as dim=1.
    has_options = False

    def span_of(self, node: Tensor) -> Span | None:
        """Return the span of the user's expression that created a node, or None if no such expression is known."""
        return span_of(node)

    def operands(self, e: ast.Call, node: Tensor) -> list[ast.expr] | None:
        """Return a call's operands as the user wrote them, or None if it does not call the op of `node`."""
        name = e.func.attr if isinstance(e.func, ast.Attribute) else getattr(e.func, "id", "")
        if NAMES.get(name, name) not in (node.op.name, getattr(getattr(node.op, "call", None), "__name__", "")):
            return None
        if is_call(node):
            return []  # the arguments may be nested, and do not include the Variables
        by_keyword = [w.arg for w in e.keywords if w.arg and w.arg not in (node.kwargs or {})]
        if isinstance(e.func, ast.Attribute) and len(e.args) == len(node.args) - 1 - len(by_keyword):
            return [e.func.value, *e.args]  # a method
        return e.args

    def modules(self, file: str, template: ast.expr) -> Any:
        """Return how a file refers to the framework, for the argument of `call`.

        Return None if the file's imports do not give access to all functions that the template calls.

        For minigrad, this is the user's name for the module, such as "mg", or "" if the functions are imported by name.
        """
        needed = {n.func.id for n in ast.walk(template) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        modules, bare, bound = [], set(), set()
        for node in ast.walk(source_of(file).tree):
            if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
                bound.add(node.arg if isinstance(node, ast.arg) else node.id)
            if isinstance(node, ast.Import):
                modules += [(a.asname or a.name, a.name) for a in node.names if a.name.partition(".")[0] == "minigrad"]
            elif isinstance(node, ast.ImportFrom) and node.module == "minigrad":
                modules += [(a.asname or a.name, f"minigrad.{a.name}") for a in node.names]
                bare |= {a.name for a in node.names if a.asname is None}
        if is_cell(file):  # a different cell may have imported the module
            there = vars(sys.modules["__main__"]).items()
            modules += [(alias, v.__name__) for alias, v in there if isinstance(v, ModuleType)]
            modules = [(alias, name) for alias, name in modules if name.partition(".")[0] == "minigrad"]
        for alias, name in sorted(modules, key=lambda pair: pair[1]):
            if (module := sys.modules.get(name)) is not None and all(hasattr(module, f) for f in needed):
                return None if alias in bound else alias
        return "" if (needed <= bare or "*" in bare) and not needed & bound else None

    def call(self, name: str, args: Sequence[ast.expr], options: Mapping[str, Any], modules: Any = "") -> ast.expr:
        """Return the expression of a call to an op, in this dialect.

        name : minigrad's name of the op, as in a template.
        modules : the result of `modules`; omitted if the call is not written to a file.
        """
        function = ast.Attribute(ast.Name(modules), name) if modules else ast.Name(name)
        return ast.Call(function, list(args), [ast.keyword(k, ast.Constant(v)) for k, v in options.items()])

    def fits(self, rewrite: Rewrite) -> bool:
        """Return whether the rewritten expression can be written in the user's line."""
        return True

    def options_in(self, rewrite: Rewrite, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the options of a rewrite's functions, as they are written in the user's line."""
        return options

    def expression(self, node: Tensor, args: Sequence[ast.expr]) -> ast.expr | None:
        """Return the expression of a node with these operands and its options, or None if it cannot be written."""
        return None


MINIGRAD = Dialect()
