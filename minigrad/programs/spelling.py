"""How a line is spelled in NumPy. Lines become syntax trees, so that Python itself sets the parentheses."""

from __future__ import annotations

import ast
import importlib
import inspect
import keyword
import math
import operator
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.op import OPS
from .calls import Line, astype, constant, method, number, reshape, seed, transpose

Operand = Callable[[Line], ast.expr]

_OPERATORS: dict[Any, Any] = {
    np.add: ast.Add, np.subtract: ast.Sub, np.multiply: ast.Mult, np.true_divide: ast.Div, np.matmul: ast.MatMult,
    np.floor_divide: ast.FloorDiv, np.remainder: ast.Mod, np.bitwise_and: ast.BitAnd, np.bitwise_or: ast.BitOr,
    np.less: ast.Lt, np.less_equal: ast.LtE, np.greater: ast.Gt, np.greater_equal: ast.GtE,
    np.equal: ast.Eq, np.not_equal: ast.NotEq, np.negative: ast.USub, np.invert: ast.Invert,
    operator.add: ast.Add, operator.sub: ast.Sub, operator.mul: ast.Mult, operator.truediv: ast.Div,
    operator.floordiv: ast.FloorDiv, operator.mod: ast.Mod, operator.pow: ast.Pow, operator.neg: ast.USub,
    np.bitwise_xor: ast.BitXor,
}  # fmt: skip

#: What NumPy calls the reductions that its ufuncs are made into.
_REDUCTIONS = {"add": "np.sum", "multiply": "np.prod", "maximum": "np.max", "minimum": "np.min"}


def code(text: str) -> ast.expr:
    """The syntax tree of an expression."""
    return ast.parse(text, mode="eval").body


def name_of(function: Any) -> str:
    """Where NumPy keeps a function: `np.exp`, `np.linalg.inv`, `np.add.accumulate`; or the name of another one."""
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return f"np.{function.__self__.__name__}.{function.__name__}"
    module = str(getattr(function, "__module__", None) or "numpy")
    if isinstance(function, np.ufunc) or module.partition(".")[0] == "numpy":
        return f"np.linalg.{function.__name__}" if module == "numpy.linalg" else f"np.{function.__name__}"
    return function.__name__


def spell(line: Line, operand: Operand, called: str = "", plain: bool = True) -> ast.expr:
    """The expression of one line.

    operand : gives the expressions of its arguments. called : the name of its function, if it is not one of NumPy's.
    plain : write reductions as np.sum and the like, which read better; False calls what they call.
    """
    function, args = line.function, line.args
    argument = lambda x: spell_argument(x, operand, line)
    if function is seed:
        return argument(args[0])
    if function in _OPERATORS and not line.kwargs and (plain or function is operator.pow):
        sign, sides = _OPERATORS[function](), [argument(a) for a in args]
        if isinstance(sign, ast.unaryop):
            return ast.UnaryOp(sign, sides[0])
        if isinstance(sign, ast.cmpop):
            return ast.Compare(sides[0], [sign], [sides[1]])
        return ast.BinOp(sides[0], sign, sides[1])
    if function is operator.getitem:
        return ast.Subscript(argument(args[0]), spell_index(args[1], operand), ast.Load())
    if function is transpose and len(line.shape) == 2:
        return ast.Attribute(argument(args[0]), "T", ast.Load())
    if function in (transpose, reshape):
        return _method(argument(args[0]), function.__name__, [argument(n) for n in args[1] or ((),)])
    if function is astype:
        return _method(argument(args[0]), "astype", [argument(args[1])])
    keywords = dict(line.kwargs)
    if plain and getattr(function, "__name__", "") == "reduce" and _all_axes(line) and "keepdims" not in keywords:
        keywords.pop("axis", None)
    named = [ast.keyword(key, argument(value)) for key, value in keywords.items()]
    if function is method:
        return _method(argument(args[0]), args[1], [argument(a) for a in args[2:]], named)
    if function is getattr:
        return ast.Attribute(argument(args[0]), args[1], ast.Load())
    if function is number:
        return ast.Call(code(f"np.{np.dtype(args[1]).name}"), [argument(args[0])], [])
    return ast.Call(code(called or _function(line, plain)), [argument(a) for a in args], named)


def _method(x: ast.expr, name: str, args: list[ast.expr], keywords: Sequence[ast.keyword] = ()) -> ast.expr:
    return ast.Call(ast.Attribute(x, name, ast.Load()), args, list(keywords))


def _function(line: Line, plain: bool) -> str:
    function = line.function
    if plain and getattr(function, "__name__", "") == "reduce" and function.__self__.__name__ in _REDUCTIONS:
        return _REDUCTIONS[function.__self__.__name__]
    return name_of(function)


def _all_axes(line: Line) -> bool:
    n, axis = len(getattr(line.args[0], "shape", ())), line.kwargs.get("axis")
    return axis == tuple(range(n)) or (n == 1 and axis == 0)


def spell_argument(x: Any, operand: Operand, line: Line | None = None) -> ast.expr:
    """An argument: a Line, a number, a tuple, a slice, a dtype, ..."""
    if isinstance(x, Line):
        number = weak(x, line) if line is not None else None
        return code(number) if number else operand(x)
    if isinstance(x, (tuple, list)):
        parts = [spell_argument(item, operand, line) for item in x]
        return ast.Tuple(parts, ast.Load()) if isinstance(x, tuple) else ast.List(parts, ast.Load())
    if type(x) is slice:
        return ast.Call(code("slice"), [spell_argument(i, operand, line) for i in (x.start, x.stop, x.step)], [])
    if isinstance(x, np.dtype) or (isinstance(x, type) and issubclass(x, np.generic)):
        return code(f"np.{np.dtype(x).name}" if np.dtype(x) != bool else "bool")
    if isinstance(x, float):
        return code(spell_number(x))
    return code(repr(x))


def spell_index(key: Any, operand: Operand) -> ast.expr:
    """What stands between brackets: slices are written with colons."""
    if isinstance(key, tuple) and key:
        return ast.Tuple([spell_index(k, operand) for k in key], ast.Load())
    if type(key) is slice:
        ends = [None if i is None else spell_argument(i, operand) for i in (key.start, key.stop, key.step)]
        return ast.Slice(*ends)
    return spell_argument(key, operand)


def spell_number(x: float) -> str:
    """A float that Python reads back as the same float."""
    return repr(float(x)) if math.isfinite(x) else "np.nan" if math.isnan(x) else "np.inf" if x > 0 else "-np.inf"


def weak(x: Line, line: Line) -> str | None:
    """A constant number as a plain Python number, where that changes nothing about the result of `line`."""
    if x.function is not constant or x.shape or x.dtype.kind not in "fiub" or not isinstance(line.function, np.ufunc):
        return None
    if line.kwargs or line.function.nout != 1:
        return None
    kind = {"f": float, "b": bool}.get(x.dtype.kind, int)
    dtypes = [a.dtype if isinstance(a, Line) and a.dtype else type(a) for a in line.args]
    weak = [kind if a is x else dtype for a, dtype in zip(line.args, dtypes)]
    try:
        resolved = line.function.resolve_dtypes((*dtypes, None))
        if line.function.resolve_dtypes((*weak, None)) != resolved:
            return None
    except TypeError:
        return None
    dtype = resolved[next(i for i, a in enumerate(line.args) if a is x)]
    for text in (_number(x.value), spell_number(x.value.item()) if kind is float else repr(x.value.item())):
        if dtype.type(eval(text, {"np": np})).tobytes() == x.value.astype(dtype).tobytes():
            return text
    return None


def spell_constant(value: Any) -> str | None:
    """An array or number that is known, as the code that makes it; None where that would be long."""
    dtype = "bool" if value.dtype == bool else f"np.{value.dtype.name}"
    if not value.shape:
        return _number(value) if value.dtype == bool else f"{dtype}({_number(value)})"
    first = value[(0,) * value.ndim] if value.size else value.dtype.type(0)
    shape = repr(value.shape if value.ndim > 1 else value.shape[0])
    if _alike(value, np.broadcast_to(first, value.shape)):
        number = _number(first)
        maker = {"0.0": "zeros", "1.0": "ones"}.get(number)
        return f"np.{maker}({shape}, {dtype})" if maker else f"np.full({shape}, {number}, {dtype})"
    if value.ndim == 2 and _alike(value, np.eye(*value.shape, dtype=value.dtype)):
        return f"np.eye({', '.join(map(str, dict.fromkeys(value.shape)))}, dtype={dtype})"
    if value.dtype.kind in "iu" and value.size > 2 and _alike(value.ravel(), np.arange(value.size, dtype=value.dtype)):
        kind = "" if value.dtype == np.arange(1).dtype else f", dtype={dtype}"
        return f"np.arange({value.size}{kind})" + (f".reshape{shape}" if value.ndim > 1 else "")
    if value.size > 12:
        return None
    numbers = re.sub(r"\s+", " ", np.array2string(value, separator=", ", floatmode="unique", threshold=100))
    numbers = re.sub(r"\b(nan|inf)\b", r"np.\1", numbers)
    return f"np.array({numbers}, {dtype})"


def _number(value: Any) -> str:
    """A NumPy number as a Python number that NumPy turns into the same one again."""
    return spell_number(float(str(value))) if value.dtype.kind == "f" else repr(value.item())


def _alike(a: Any, b: Any) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def identifier(text: str, taken: Any = (), fallback: str = "x") -> str:
    """A Python name that resembles `text` and is none of those taken.

    >>> identifier("params['w']"), identifier("x", {"x"})
    ('params_w', 'x_1')
    """
    name = re.sub(r"\W+", "_", text).strip("_") or fallback
    name = f"{fallback}_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name
    return next(n for n in (name, *(f"{name}_{k}" for k in range(1, len(taken) + 2))) if n not in taken)


# Functions that NumPy does not have.


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
