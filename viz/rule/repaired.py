"""The rule of a function after a nan was repaired: the derived rule of the repaired expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from .parts import Parts, Unread, derived_of

COMPARISONS = {"greater": ast.Gt, "greater_equal": ast.GtE, "less": ast.Lt, "less_equal": ast.LtE}


def repaired_rules(
    f: Callable[..., Any], field: Mapping[str, Any], rewrites: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """Return the derived rules of the inputs, by name, after `rewrites` of the function.

    The result is {} if a rewrite does not apply or the language cannot write a rule.

    field : the result of `opening`. rewrites : pairs (expression, replacement), with the function's local names
        replaced by their expressions.
    """
    names = [name for name, text in field["inputs"] if text]
    try:
        count = 0 if field["results"][0][1] == "upstream" else len(field["results"])
        parts = Parts(f, [name for name, _ in field["inputs"]], field["variables"], count)
        pairs = [[ast.parse(text, mode="eval").body for text in pair] for pair in rewrites]
    except (Unread, SyntaxError):  # a rewrite may have several lines
        return {}
    written = {name: text for name, text in parts.texts.items() if text}
    values = [_plain(ast.parse(text, mode="eval").body, written) for text in parts.values]
    for pair in pairs:
        replaced = _Replaced(*(_plain(node, {}) for node in pair))
        values = [cast(ast.expr, replaced.visit(value)) for value in values]
        if not replaced.count:
            return {}
    rules = {name: derived_of(dict(zip(parts.upstreams, values)), name, parts.texts) for name in names}
    return rules if rewrites and all(map(parts.readable, rules.values())) else {}


def _plain(node: ast.expr, local: Mapping[str, str]) -> ast.expr:
    return ast.fix_missing_locations(_Plain(local).visit(node))


class _Plain(ast.NodeTransformer):
    """Rewrite an expression: remove `mg.`, replace local names with their expressions, and write x * x as a square."""

    def __init__(self, local: Mapping[str, str]) -> None:
        self.local = local

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(node.attr, ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.expr:
        text = self.local.get(node.id)
        return node if text is None else self.visit(ast.parse(text, mode="eval").body)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        word = node.func.id if isinstance(node.func, ast.Name) else ""
        if word in COMPARISONS and len(node.args) == 2:
            return ast.Compare(node.args[0], [COMPARISONS[word]()], [node.args[1]])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult) and ast.dump(node.left) == ast.dump(node.right):
            return ast.BinOp(node.left, ast.Pow(), ast.Constant(2))
        return node


class _Replaced(ast.NodeTransformer):
    """Replace each occurrence of the expression `was` with `instead`; `count` is the number of replacements made."""

    def __init__(self, was: ast.expr, instead: ast.expr) -> None:
        self.was, self.instead, self.count = ast.dump(was), instead, 0

    def visit(self, node: ast.AST) -> ast.AST:
        if ast.dump(node) == self.was:
            self.count += 1
            return self.instead
        return self.generic_visit(node)
