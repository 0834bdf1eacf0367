"""Write lines, numbers and constants as Python expressions."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .instructions import (
    OPERATORS,
    EachRow,
    Line,
    astype,
    constant,
    index_add,
    index_add_sum,
    index_set,
    is_reduction,
    method,
    number,
    passed_in,
    repeated,
    reshape,
    seed,
    transpose,
)  # fmt: skip

#: Operators by function. np.power is left out: `**` on arrays may call a different function.
_OPERATORS: dict[Any, Any] = {
    function: sign
    for name, (ufunc, sign) in OPERATORS.items()
    for function in (ufunc, getattr(operator, f"__{name}__"))
    if function is not np.power
}

#: The usual names of ufunc reductions.
_REDUCTIONS = {np.add: "np.sum", np.multiply: "np.prod", np.maximum: "np.max", np.minimum: "np.min"}


def atom(text: str) -> ast.expr:
    """Return a name or number as an expression; the sign of a negative number becomes a separate node."""
    return ast.UnaryOp(ast.USub(), ast.Name(text[1:])) if text[0] == "-" else ast.Name(text)


class Speller:
    """A writer of lines' expressions as syntax trees; `ast.unparse` adds the parentheses that they need.

    names : line -> the text that represents it in the expressions of other lines.
    """

    def __init__(self) -> None:
        self.names: dict[Line, str] = {}

    def operand(self, line: Line) -> ast.expr:
        """Return the expression that represents a line inside another line's expression."""
        return atom(self.names[line])

    def called(self, function: Any) -> str:
        """Return the name of a function."""
        return name_of(function)

    def changes(self, line: Line, name: str) -> list[str]:
        """Return the statements that change elements of an array, for a line whose function is in `FILLING`.

        name : the variable of the array, a copy of the line's first argument.
        """
        _, key, value = line.args
        place, index, what = self.index(key), self.text_of(key), self.text_of(value)
        if line.function in (index_add, index_set):
            return [f"{name}[{place}] {'+=' if line.function is index_add else '='} {what}"]
        rows = [f"np.add.at({name}, {index}, {what})"]
        if line.function is index_add_sum:
            rows = [f"before = {name}[{place}]", f"{name}[{place}] = 0", *rows, f"{name}[{place}] += before"]
        return rows

    def spell(self, line: Line) -> ast.expr:
        """Return the expression of one line."""
        function, args = line.function, line.args
        if function is seed:
            return self.argument(args[0], line)
        sign: Any = None if line.kwargs else _OPERATORS.get(function)
        if sign is not None:
            first, *rest = [self.argument(a, line) for a in args]
            if issubclass(sign, ast.cmpop):
                return ast.Compare(first, [sign()], rest)
            return ast.BinOp(first, sign(), rest[0]) if rest else ast.UnaryOp(sign(), first)
        if isinstance(function, EachRow):
            return atom(f"np.stack([{self.row(function, args)} for i in range({function.n})])")
        if function is operator.getitem:
            return ast.Subscript(self.argument(args[0]), atom(self.index(args[1])))
        if function is getattr:
            return ast.Attribute(self.argument(args[0]), args[1])
        if function is transpose and args[1] == (1, 0):
            return ast.Attribute(self.argument(args[0]), "T")
        if function in (transpose, reshape):
            return _call(ast.Attribute(self.argument(args[0]), function.__name__), map(repr, args[1] or ((),)))
        if function is astype:
            return _call(ast.Attribute(self.argument(args[0]), "astype"), [self.text_of(args[1])])
        if function is repeated:
            return atom(f"np.broadcast_to({self.text_of(args[0])}, {args[1]}).copy()")
        if function is number:
            return atom(f"np.{np.dtype(args[1]).name}({self.text_of(args[0])})")
        reduction, kwargs = plain_reduction(line) if is_reduction(line) else ("", line.kwargs)
        texts = [self.text_of(a, line) for a in args]
        texts += [f"{key}={self.text_of(value, line)}" for key, value in kwargs.items()]
        if function is method:
            return _call(ast.Attribute(self.argument(args[0]), args[1]), texts[2:])
        return _call(atom(reduction or self.called(function)), texts)

    def row(self, each_row: EachRow, arrays: Sequence[Line]) -> str:
        """Return the text of the call that computes row i of a line with the function `each_row`.

        arrays : the arguments of the line.
        """
        parts = [Line(passed_in, (), {}, x) for x in arrays]
        for part, x, many in zip(parts, arrays, each_row.lifted):
            whole = self.argument(x)
            self.names[part] = ast.unparse(ast.Subscript(whole, atom("i")) if many else whole)
        inner, kwargs = each_row.with_parts(parts)
        return ast.unparse(self.spell(Line(each_row.line.function, inner, kwargs, each_row.line)))

    def text_of(self, x: Any, line: Line | None = None) -> str:
        return ast.unparse(self.argument(x, line))

    def argument(self, x: Any, line: Line | None = None) -> ast.expr:
        """Return the expression of an argument of `line`: a Line, a number, a tuple, a slice, a dtype, ..."""
        if isinstance(x, Line):
            plain = plain_number(x, line) if line is not None and x.function is constant else None
            return atom(plain) if plain else self.operand(x)
        if isinstance(x, (tuple, list)):
            parts = [self.text_of(item, line) for item in x]
            inner = f"{', '.join(parts)}{',' * (len(parts) == 1 and type(x) is tuple)}"
            return atom(f"[{inner}]" if isinstance(x, list) else f"({inner})")
        if type(x) is slice:
            return atom(f"slice({self.text_of(x.start)}, {self.text_of(x.stop)}, {self.text_of(x.step)})")
        return atom(self.other(x))

    def other(self, x: Any) -> str:
        """Return the text of an argument that is neither a line nor a structure: a number, a dtype, None, ..."""
        if isinstance(x, np.dtype) or (isinstance(x, type) and issubclass(x, np.generic)):
            return f"np.{np.dtype(x).name}" if np.dtype(x) != bool else "bool"
        return "..." if x is ... else spell_number(x) if isinstance(x, float) else repr(x)

    def index(self, key: Any) -> str:
        """Return the text between the brackets of an index: slices are written with colons."""
        if isinstance(key, tuple) and key:
            return ", ".join(map(self.index, key)) + "," * (len(key) == 1)
        if type(key) is slice:
            ends = ["" if end is None else self.text_of(end) for end in (key.start, key.stop, key.step)]
            return ":".join(ends if ends[2] else ends[:2])
        return self.text_of(key)


def _call(function: ast.expr, texts: Iterable[str]) -> ast.expr:
    return ast.Call(function, [ast.Name(text) for text in texts], [])


def name_of(function: Any) -> str:
    """Return the qualified name of a NumPy function, such as `np.add.accumulate`, or the plain name of any other."""
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return f"np.{function.__self__.__name__}.{function.__name__}"
    module = str(getattr(function, "__module__", None) or "numpy")
    if isinstance(function, np.ufunc) or module.partition(".")[0] == "numpy":
        return f"np.linalg.{function.__name__}" if module == "numpy.linalg" else f"np.{function.__name__}"
    return function.__name__


def plain_reduction(line: Line) -> tuple[str, dict[str, Any]]:
    """Return a reduction's name and options as users write them: `np.sum(x)`, not `np.add.reduce(x, axis=(0, 1))`."""
    kwargs, ndim = dict(line.kwargs), len(getattr(line.args[0], "shape", ()))
    axis = kwargs.get("axis")
    if (axis == tuple(range(ndim)) or (ndim == 1 and axis == 0)) and "keepdims" not in kwargs:
        kwargs.pop("axis", None)
    return _REDUCTIONS.get(line.function.__self__, name_of(line.function)), kwargs


# Numbers and constants.


def spell_number(x: float) -> str:
    """Return the code of a float, which Python evaluates to exactly the same float."""
    return repr(float(x)) if math.isfinite(x) else "np.nan" if math.isnan(x) else "np.inf" if x > 0 else "-np.inf"


def plain_number(x: Line, line: Line) -> str | None:
    """Return the text of the constant `x` as a Python number if `line` gives the same result with it, else None."""
    if x.shape or x.dtype.kind not in "fiub" or not isinstance(line.function, np.ufunc):
        return None
    if line.kwargs or line.function.nout != 1:
        return None
    kind = {"f": float, "b": bool}.get(x.dtype.kind, int)
    dtypes = [a.dtype if isinstance(a, Line) and a.dtype else type(a) for a in line.args]
    plain = [kind if a is x else dtype for a, dtype in zip(line.args, dtypes)]
    try:
        resolved = line.function.resolve_dtypes((*dtypes, None))
        if line.function.resolve_dtypes((*plain, None)) != resolved:
            return None
    except TypeError:
        return None
    dtype = resolved[next(i for i, a in enumerate(line.args) if a is x)]
    for text in (_number(x.value), spell_number(x.value.item()) if kind is float else repr(x.value.item())):
        if dtype.type(eval(text, {"np": np})).tobytes() == x.value.astype(dtype).tobytes():
            return text
    return None


def spell_constant(value: Any) -> str | None:
    """Return the code that creates a known array or number, or None if that code would be long."""
    dtype = "bool" if value.dtype == bool else f"np.{value.dtype.name}"
    if not value.shape:
        return _number(value) if value.dtype == bool else f"{dtype}({_number(value)})"
    first = value[(0,) * value.ndim] if value.size else value.dtype.type(0)
    shape = repr(value.shape if value.ndim > 1 else value.shape[0])
    kind = "" if value.dtype == np.float64 else f", dtype={dtype}"
    if value.flags.fnc:  # keep the column-by-column memory order, because it affects how a sum is rounded
        kind += ', order="F"'
    if _alike(value, np.broadcast_to(first, value.shape)):
        number = _number(first)
        maker = {"0.0": "zeros", "1.0": "ones"}.get(number)
        return f"np.{maker}({shape}{kind})" if maker else f"np.full({shape}, {number}{kind})"
    if value.ndim == 2 and _alike(value, np.eye(*value.shape, dtype=value.dtype)):
        return f"np.eye({', '.join(map(str, dict.fromkeys(value.shape)))}{kind})"
    if (
        value.dtype.kind in "iu"
        and value.size > 2
        and not value.flags.fnc
        and _alike(value.ravel(), np.arange(value.size, dtype=value.dtype))
    ):
        kind = "" if value.dtype == np.arange(1).dtype else kind
        return f"np.arange({value.size}{kind})" + (f".reshape{shape}" if value.ndim > 1 else "")
    if value.size > 12:
        return None
    numbers = re.sub(r"\s+", " ", np.array2string(value, separator=", ", floatmode="unique", threshold=100))
    numbers = re.sub(r"\b(nan|inf)\b", r"np.\1", numbers)
    return f"np.array({numbers}{kind})"


def _number(value: Any) -> str:
    """Return the code of a Python number that NumPy converts back to this NumPy number."""
    return spell_number(float(str(value))) if value.dtype.kind == "f" else repr(value.item())


def _alike(a: Any, b: Any) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
