"""Small changes to a solution, such as a wrong sign; the checks of its exercise must find each one.

>>> [m.change for m in mutants_of("def f(x, upstream): return upstream * 2")][3:6]
['upstream * 2 -> upstream / 2', 'upstream * 2 -> upstream', 'upstream * 2 -> 2']
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

#: Functions that are easily confused.
EXCHANGED = {
    "exp": ("expm1",), "log": ("log1p", "log10"), "log1p": ("log",), "maximum": ("minimum",), "minimum": ("maximum",),
    "max": ("min",), "min": ("max",), "sin": ("cos",), "cos": ("sin",), "sigmoid": ("tanh",), "tanh": ("sigmoid",),
    "sum": ("mean",), "mean": ("sum",), "isnan": ("isinf",), "floor": ("ceil",), "zeros": ("ones",),
}  # fmt: skip
OPERATORS = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,), ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,), ast.FloorDiv: (ast.Div,),
}  # fmt: skip
COMPARED = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt,), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt,), ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A changed solution, a description of the change, and its line."""

    change: str
    source: str
    line: int = 1


def mutants_of(source: str) -> list[Mutant]:
    """Return all programs that differ from `source` by one small change, without duplicates."""
    tree = ast.parse(source)
    mutants: dict[str, Mutant] = {}
    places = [node for node in ast.walk(tree) if isinstance(node, (ast.expr, ast.stmt))]
    for number, node in enumerate(places):
        for changed in _changes(node):
            other = copy.deepcopy(tree)
            target = [n for n in ast.walk(other) if isinstance(n, (ast.expr, ast.stmt))][number]
            _Put(target, changed).visit(other)
            text = ast.unparse(ast.fix_missing_locations(other))
            words = f"{_line(node)} -> {_line(changed)}"
            if text != ast.unparse(tree):
                mutants.setdefault(text, Mutant(words, text, node.lineno))
    return list(mutants.values())


def _line(node: ast.AST) -> str:
    return " ".join(ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split())[:200]


class _Put(ast.NodeTransformer):
    def __init__(self, target: ast.AST, put: ast.AST) -> None:
        self.target, self.put = target, put

    def visit(self, node: ast.AST) -> Any:
        return self.put if node is self.target else self.generic_visit(node)


def _changes(node: Any) -> Iterator[Any]:
    """Yield the nodes of a syntax tree that may replace a node in a mutant, such as `a - b` for `a + b`."""
    new = lambda **fields: _with(node, **fields)
    match node:
        case ast.BinOp():
            for op in OPERATORS.get(type(node.op), ()):
                yield new(op=op())
            if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):  # drop a term
                yield node.left
                yield node.right
            if isinstance(node.op, (ast.Sub, ast.Div, ast.MatMult, ast.Pow)):  # exchanged
                yield new(left=node.right, right=node.left)
        case ast.UnaryOp(op=ast.USub()) | ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Compare(ops=[op]):
            for other in COMPARED.get(type(op), ()):
                yield new(ops=[other()])
        case ast.BoolOp():
            yield new(op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
            for i in range(len(node.values)):
                rest = [v for j, v in enumerate(node.values) if j != i]
                yield rest[0] if len(rest) == 1 else new(values=rest)
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float() as number):
            yield ast.Constant(number + 1)
            yield ast.Constant(number - 1)
        case ast.Call():
            yield from _calls(node, new)
        case ast.Attribute(attr="T"):
            yield node.value
        case ast.Name(id="upstream" | "dy" | "g", ctx=ast.Load()):
            yield ast.Constant(1.0)
        case ast.AugAssign():
            yield ast.Assign(targets=[node.target], value=node.value)
        case ast.Return(value=ast.Tuple(elts=[first, second])):
            yield ast.Return(ast.Tuple([second, first], ast.Load()))
        case ast.Return(value=value) if value is not None and not isinstance(
            value, (ast.Name, ast.Tuple, ast.Constant)
        ):
            yield ast.Return(ast.UnaryOp(ast.USub(), value))
            yield ast.Return(ast.BinOp(ast.Constant(2), ast.Mult(), value))
            in_float32 = ast.Attribute(ast.BinOp(value, ast.Mult(), ast.Constant(1)), "astype", ast.Load())
            yield ast.Return(ast.Call(in_float32, [ast.Constant("float32")], []))


def _calls(node: ast.Call, new: Any) -> Iterator[ast.expr]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    for other in EXCHANGED.get(name, ()):
        if isinstance(node.func, ast.Attribute):
            yield new(func=ast.Attribute(node.func.value, other, ast.Load()))
        else:
            yield new(func=ast.Name(other, ast.Load()))
    if name == "where" and len(node.args) == 3:
        yield new(args=[node.args[0], node.args[2], node.args[1]])
        yield node.args[1]
        yield node.args[2]
    elif len(node.args) == 2 and name not in ("add", "multiply", "maximum", "minimum", "max", "min", "isinstance"):
        yield new(args=[node.args[1], node.args[0]])
    if name in ("reversed", "sorted", "abs", "list") and len(node.args) == 1:
        yield node.args[0]
    for i, keyword in enumerate(node.keywords):
        if keyword.arg == "axis":
            rest = [k for j, k in enumerate(node.keywords) if j != i]
            yield new(keywords=rest)


def _with(node: Any, **fields: Any) -> Any:
    changed = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed
