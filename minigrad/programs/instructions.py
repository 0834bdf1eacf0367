"""The calls in a program: NumPy functions, and functions that represent methods and operators."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..core.support.scattered import add_each

#: Python's operators, keyed by method name: the ufunc for arrays, and the operator in an expression.
OPERATORS: dict[str, tuple[Any, type[ast.operator | ast.unaryop | ast.cmpop]]] = {
    "add": (np.add, ast.Add), "sub": (np.subtract, ast.Sub), "mul": (np.multiply, ast.Mult),
    "truediv": (np.true_divide, ast.Div), "floordiv": (np.floor_divide, ast.FloorDiv), "mod": (np.remainder, ast.Mod),
    "pow": (np.power, ast.Pow), "matmul": (np.matmul, ast.MatMult), "and": (np.bitwise_and, ast.BitAnd),
    "or": (np.bitwise_or, ast.BitOr), "xor": (np.bitwise_xor, ast.BitXor), "lt": (np.less, ast.Lt),
    "le": (np.less_equal, ast.LtE), "gt": (np.greater, ast.Gt), "ge": (np.greater_equal, ast.GtE),
    "eq": (np.equal, ast.Eq), "ne": (np.not_equal, ast.NotEq), "neg": (np.negative, ast.USub),
    "invert": (np.invert, ast.Invert),
}  # fmt: skip


class Line:
    """One call in a program, with the facts about its result that do not depend on numbers.

    function : the function that is called; `passed_in` for an input, `constant` for a fixed value.
    args, kwargs : its arguments; a Line among the arguments is the result of an earlier line.
    shape, dtype, strides : properties of the result; dtype is None for a Python number, a tuple or a list.
    uses : the Lines among its arguments, one entry for each use.
    value : the array or number of a constant, None for all other lines.
    """

    __slots__ = ("args", "dtype", "function", "kwargs", "nbytes", "shape", "size", "strides", "uses", "value")

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.shape: tuple[int, ...] = getattr(result, "shape", ())
        self.dtype: Any = getattr(result, "dtype", None)
        self.strides: tuple[int, ...] = getattr(result, "strides", ())
        self.size = math.prod(self.shape)
        self.nbytes = self.size * getattr(self.dtype, "itemsize", 8)
        self.uses = lines_in((args, kwargs))
        self.value: Any = result if function is constant else None

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie in memory in C order, without gaps."""
        sizes = np.cumprod((getattr(self.dtype, "itemsize", 0), *self.shape[:0:-1]))[::-1] if self.shape else ()
        return all(n == 1 or stride == size for n, stride, size in zip(self.shape, self.strides, sizes))


def passed_in(value: Any) -> Any:
    """Return the value unchanged. As the function of a Line, this marks an input: each run gets another value."""
    return value


def constant(value: Any) -> Any:
    """Return the value unchanged. As the function of a Line, this marks a value that is fixed in the program."""
    return value


def seed(value: Any) -> Any:
    """Return the value unchanged. As the function of a Line, this marks the first gradient of a backward pass."""
    return value


def reshape(x: Any, shape: tuple[int, ...]) -> Any:
    return x.reshape(shape)


def transpose(x: Any, axes: tuple[int, ...]) -> Any:
    return x.transpose(axes)


def astype(x: Any, dtype: Any) -> Any:
    return x.astype(dtype)


def method(x: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """Call a method of an array, as in `x.cumsum(axis=0)`."""
    return getattr(x, name)(*args, **kwargs)


def repeated(x: Any, shape: tuple[int, ...]) -> Any:
    """Return the result of `np.broadcast_to` as a new array in C order."""
    return np.broadcast_to(x, shape).copy()


def number(x: Any, dtype: Any) -> Any:
    """Convert a Python number to a NumPy number."""
    return np.dtype(dtype).type(x)


def index_add(x: Any, key: Any, value: Any, in_place: bool = False) -> Any:
    """Return a copy of `x`, or `x` itself if `in_place` is true, with `value` added at `key`."""
    x = x if in_place else np.array(x)
    x[key] += value
    return x[()]


def index_add_each(x: Any, key: Any, value: Any, in_place: bool = False) -> Any:
    """Return the result of `index_add` for a `key` that repeats elements, adding an element's values one by one."""
    x = x if in_place else np.array(x)
    add_each(x, key, value)
    return x[()]


def index_add_sum(x: Any, key: Any, value: Any, in_place: bool = False) -> Any:
    """Return the result of `index_add` for a `key` that repeats elements, adding the sum of each element's values."""
    x = x if in_place else np.array(x)
    before = x[key]
    x[key] = 0
    add_each(x, key, value)
    x[key] += before
    return x[()]


def index_set(x: Any, key: Any, value: Any, in_place: bool = False) -> Any:
    """Return a copy of `x`, or `x` itself if `in_place` is true, with `value` at `key`."""
    x = x if in_place else np.array(x)
    x[key] = value
    return x[()]


#: Functions that change some elements of their first argument or of a copy of it.
FILLING = (index_add, index_add_each, index_add_sum, index_set)


_NESTED = frozenset({tuple, list, dict, slice})


def each(f: Callable[[Any], Any], x: Any) -> Any:
    """Apply `f` to everything in the tuples, lists, dicts and slices of `x`, and return the new structure."""
    kind = type(x)
    if kind is tuple:
        return tuple([each(f, item) if type(item) in _NESTED else f(item) for item in x])
    if kind is list:
        return [each(f, item) for item in x]
    if kind is dict:
        return {key: each(f, item) for key, item in x.items()}
    if kind is slice:
        return slice(each(f, x.start), each(f, x.stop), each(f, x.step))
    return f(x)


def lines_in(x: Any) -> list[Line]:
    """Return the Lines among the arguments, one entry for each use."""
    lines: list[Line] = []
    each(lambda a: lines.append(a) if type(a) is Line else None, x)
    return lines


class EachRow:
    """A function that makes a line's call for each of `n` rows.

    lifted : for each of the line's arrays, whether it has an entry for each row.
    """

    def __init__(self, line: Line, lifted: Sequence[bool], n: int) -> None:
        self.line, self.lifted, self.n, self.__name__ = line, lifted, n, "each_row"

    def __call__(self, *arrays: Any) -> Any:
        rows = []
        for i in range(self.n):
            args, kwargs = self.with_parts([x[i] if many else x for x, many in zip(arrays, self.lifted)])
            rows.append(self.line.function(*args, **kwargs))
        return np.stack(rows)

    def with_parts(self, parts: Iterable[Any]) -> Any:
        """Return the arguments of the line, with `parts` instead of its Lines."""
        remaining = iter(parts)
        return each(lambda a: next(remaining) if isinstance(a, Line) else a, (self.line.args, self.line.kwargs))


def needed(outputs: Iterable[Line], lines: Sequence[Line]) -> list[Line]:
    """Return the lines that the outputs depend on, in order."""
    used = set(outputs)
    for line in reversed(lines):
        if line in used:
            used.update(line.uses)
    return [line for line in lines if line in used]


#: Functions that always return new memory. The results of other functions may share memory with any argument.
_NEW = {np.where, np.concatenate, np.matmul, np.vdot, np.outer, repeated, *FILLING}


def is_new(line: Line) -> bool:
    """Return whether the result of a line is always a new array."""
    return line.function in _NEW or isinstance(getattr(line.function, "__self__", line.function), np.ufunc)


def is_ufunc(line: Line) -> bool:
    """Return whether the line works element by element, with broadcasting."""
    return isinstance(line.function, np.ufunc) and line.function is not np.matmul and line.function.nout == 1


def is_reduction(line: Line) -> bool:
    return getattr(line.function, "__name__", "") == "reduce" and isinstance(line.function.__self__, np.ufunc)
