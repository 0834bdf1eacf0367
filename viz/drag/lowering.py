"""Translate NumPy calls into instructions of a tape.

Shapes never change, so the page does not need them. A function that moves elements becomes a list of positions, which
NumPy itself computes by moving the numbers 0, 1, 2, ... Each call is a `Line` of a program: function, arguments, shape
and dtype.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from minigrad.core.op import OPS
from minigrad.core.support.scattered import Scattered
from minigrad.core.tensor import Tensor
from minigrad.programs import instructions
from minigrad.programs.instructions import Line, each
from minigrad.programs.listing import StandIn

from .composed import ADDS
from .decisions import value_of
from .page_tape import TYPES, NotFollowed, Tape

#: Ufunc -> its name on a page.
UFUNCS = {
    np.add: "add", np.subtract: "sub", np.multiply: "mul", np.true_divide: "div", np.negative: "neg",
    np.positive: "pos", np.absolute: "abs", np.sign: "sign", np.square: "sq", np.sqrt: "sqrt", np.cbrt: "cbrt",
    np.reciprocal: "inv", np.power: "pow", np.exp: "exp", np.expm1: "expm1", np.exp2: "exp2", np.log: "log",
    np.log1p: "log1p", np.log2: "log2", np.log10: "log10", np.logaddexp: "lae", np.sin: "sin", np.cos: "cos",
    np.tan: "tan", np.arcsin: "asin", np.arccos: "acos", np.arctan: "atan", np.arctan2: "atan2", np.sinh: "sinh",
    np.cosh: "cosh", np.tanh: "tanh", np.arcsinh: "asinh", np.arccosh: "acosh", np.arctanh: "atanh",
    np.hypot: "hypot", np.deg2rad: "rad", np.rad2deg: "deg", np.maximum: "max", np.minimum: "min",
    np.floor: "floor", np.ceil: "ceil", np.trunc: "trunc", np.rint: "rint", np.remainder: "mod",
    np.floor_divide: "fdiv", np.less: "lt", np.less_equal: "le", np.greater: "gt", np.greater_equal: "ge",
    np.equal: "eq", np.not_equal: "ne", np.logical_and: "and", np.logical_or: "or", np.logical_xor: "xor",
    np.logical_not: "not", np.bitwise_and: "and", np.bitwise_or: "or", np.bitwise_xor: "xor", np.invert: "not",
    np.isnan: "isnan", np.isinf: "isinf", np.isfinite: "isfin",
}  # fmt: skip
with np.errstate(invalid="ignore"):
    #: The dtypes for which NumPy computes x ** 0.5 as a square root, which is nan at -inf; the power itself is inf.
    ROOTS = {c for c in "efd" if np.isnan(np.power(np.array(-np.inf, c), np.array(0.5, c)))}


def _choice(f: np.ufunc, char: str) -> str:
    """Return the page's name for np.maximum or np.minimum; it depends on NumPy's choice between 0 and -0 in a dtype.

    It ends in 1 if NumPy returns the first of the two, in 2 if it returns the second, and in neither if NumPy orders
    -0 before 0.
    """
    one = np.array([0.0, -0.0], char)
    a, b = np.signbit(f(one, -one))
    return UFUNCS[f] + ("" if a == b else "2" if a else "1")


#: (function, dtype) -> the page's name for maximum or minimum; see `_choice`. The names also depend on the processor.
CHOICES: dict[tuple[Any, str], str] = {(f, char): _choice(f, char) for f in (np.maximum, np.minimum) for char in "efd"}
#: The error function and its complement, both as ops and as the functions that the ops call.
ERROR_FUNCTIONS: dict[Any, str] = {OPS[name].fn: name for name in ("erf", "erfc")}
ERROR_FUNCTIONS |= {f"{name} (vectorized)": name for name in ("erf", "erfc")}
BITWISE = {np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert}
REDUCTIONS = {np.add: "sum", np.multiply: "prod", np.maximum: "rmax", np.minimum: "rmin"}
REDUCTIONS |= {np.logical_or: "rmax", np.logical_and: "rmin"}
NEUTRAL = {"sum": 0, "prod": 1, "rmax": -np.inf, "rmin": np.inf}
#: Modes of np.pad that repeat elements; the others compute new ones.
PADDED = {"constant", "edge", "reflect", "symmetric", "wrap"}
#: Functions that only move the elements of one array, or put zeros in some positions.
MOVES = {operator.getitem, instructions.transpose, instructions.repeated, np.broadcast_to, OPS["windows"].fn}
MOVES |= {np.roll, np.flip, np.rot90, np.tril, np.triu, np.split, np.pad, np.ravel}
PUTS: dict[Any, str] = {**dict.fromkeys(ADDS, "put+"), instructions.index_set: "put"}


class Lowering:
    """Write the lines of a program to a tape, and record the cell of each line."""

    def __init__(self) -> None:
        self.tape = Tape()
        self._cells: dict[Line, Any] = {}

    def give(self, line: Line, value: Any) -> int:
        """Add a line to the tape as an input that the page can change. value : its present value. Returns its cell."""
        self._cells[line] = self.tape.data("in", value)
        return self._cells[line]

    def cell(self, line: Line) -> Any:
        """Return the cell of a line, or a tuple of cells for several arrays. Raises NotFollowed if it has no cell."""
        pending = [line]
        while pending:  # a loop rather than recursion, because a chain of calls may be long
            last = pending[-1]
            before = [a for a in last.uses if a not in self._cells]
            if last in self._cells or before:
                pending = pending[:-1] if last in self._cells else pending + before
            else:
                self._cells[last] = self._emit(last)
        return self._cells[line]

    def full(self, x: Any) -> int:
        """Return a cell with all elements of `x`: a line, a recorded value, or several of them, one after the other."""
        if isinstance(x, (tuple, dict)):
            cells = [self.full(part) for part in (x if isinstance(x, tuple) else [x[i] for i in sorted(x)])]
            length = sum(self.tape.lengths[c] for c in cells)
            return self.tape.add("cat", *cells, length=length, type=self.tape.types[cells[0]])
        x = x.dense() if isinstance(x, Scattered) else value_of(x) if isinstance(x, Tensor) else x
        line = x.line if issubclass(type(x), StandIn) else x
        if type(line) is not Line:
            return self.tape.full(self.tape.data("is", x), np.size(x))
        cell = self._cells[line] if line in self._cells else self.cell(line)
        return cell if self.tape.lengths[cell] == line.size else self.tape.full(cell, line.size)

    def sum(self, a: int, b: int) -> int:
        """Add two cells of the same type and length; return the cell of the sum."""
        return self.tape.add("add", a, b, length=self.tape.lengths[a], type=self.tape.types[a])

    def _emit(self, line: Line) -> Any:
        f, args, kwargs = line.function, line.args, line.kwargs
        if f is instructions.constant or f is instructions.passed_in or f is instructions.seed:
            return self.tape.data("is", line.value if f is instructions.constant else args[0])
        if line.dtype is not None and not line.size:
            return self.tape.data("is", np.empty(0, line.dtype))
        if f not in PUTS and any(type(a) is Line and not a.size for a in args):
            raise NotFollowed("an array is empty")
        f = np.power if f is operator.pow else f
        dtypes: tuple[Any, ...]
        if f in UFUNCS:
            if f in BITWISE and line.dtype != bool:
                raise NotFollowed("the page does not compute with the bits of integers")
            kinds = [a if type(a) is Line else np.asarray(a) for a in args]
            weak = [type(a) if type(a) in (int, float) else kind.dtype for a, kind in zip(args, kinds)]
            root = f is np.power and kinds[1].shape == () and line.dtype.char in ROOTS
            name = "pows" if root else CHOICES.get((f, line.dtype.char), UFUNCS[f])
            dtypes = f.resolve_dtypes((*weak, None))[:-1]
        elif f is np.where:
            name, dtypes = "where", (np.dtype(bool), line.dtype, line.dtype)
        elif error_function := ERROR_FUNCTIONS.get(f) or ERROR_FUNCTIONS.get(getattr(f, "__name__", "")):
            name, dtypes = error_function, (args[0].dtype,)
        else:
            return self._other(line, f, args, kwargs)
        cells = [
            self._cells[a] if type(a) is Line and a.dtype == dtype and a.shape == line.shape  # the usual case
            else self._operand(a, dtype, line.shape)
            for a, dtype in zip(args, dtypes)
        ]  # fmt: skip
        length = max(self.tape.lengths[c] for c in cells)
        return self.tape.add(name, *cells, length=length, type=TYPES[line.dtype])

    def _other(self, line: Line, f: Any, args: Any, kwargs: Any) -> Any:
        """Translate a call that is not elementwise, or that has options: it moves, joins, sums or clips elements.

        f, args, kwargs : the function and its arguments. Raises NotFollowed if the page cannot compute it.
        """
        if f is np.clip:
            return self._clip(line, *args, **kwargs)
        if f is np.nan_to_num:
            return self._finite(line, args[0], **kwargs)
        if f is np.einsum:
            return self._einsum(line, *args)
        if f is instructions.reshape or f is OPS["copy"].fn or (f is instructions.method and args[1] == "copy"):
            return self.cell(args[0])
        if f in (instructions.astype, OPS["astype"].fn) or (f is instructions.method and args[1] == "astype"):
            return self.tape.cast(self.cell(args[0]), TYPES[line.dtype])
        if f is np.matmul:
            return self._matmul(line, *args)
        if f is operator.getitem and args[0].dtype is None:
            return self.cell(args[0])[args[1]]
        if f in MOVES:
            return self._move(line, f, args, kwargs)
        if f is np.concatenate or f is np.stack:
            return self._join(line, args, kwargs)
        if f is OPS["fold"].fn:  # `fold` adds elements back at the positions that `windows` took them from
            places = OPS["windows"].fn(_places(line), args[0].shape[len(args[1]) + 1 : -1], *args[2:])
            zeros = self.tape.full(self.tape.data("is", np.zeros((), line.dtype)), line.size)
            return self._add("put+", line, zeros, self.full(args[0]), np.ravel(places).tolist())
        if f in PUTS:
            return self._put(line, *args)
        ufunc, name = getattr(f, "__self__", None), getattr(f, "__name__", "")
        if name == "reduce" and ufunc in REDUCTIONS:
            return self._reduce(line, ufunc, args[0], **kwargs)
        if name == "accumulate" and ufunc in (np.add, np.multiply):
            return self._scan(line, "cum" + REDUCTIONS[ufunc], args[0], **kwargs)
        own = next((op.name for op in OPS.values() if op.fn is f), name or "a call")
        raise NotFollowed(f"the page cannot compute {args[1] if f is instructions.method else own.partition(' ')[0]}")

    def _add(self, name: str, line: Line, *args: Any) -> int:
        return self.tape.add(name, *args, length=line.size, type=TYPES[line.dtype])

    def _operand(self, a: Any, dtype: Any, shape: tuple[int, ...]) -> int:
        """Return the cell of an argument, cast to `dtype` and broadcast to `shape`, unless it is a single number."""
        if isinstance(a, Line):
            cell, own = self.tape.cast(self._cells[a], TYPES[dtype]), a.shape
        else:
            cell, own = self.tape.data("is", np.asarray(a, dtype)), np.shape(a)
        count = self.tape.lengths[cell]
        return cell if count == 1 else self.tape.take(cell, np.broadcast_to(np.arange(count).reshape(own), shape))

    def _clip(self, line: Line, x: Line, low: Any = None, high: Any = None) -> int:
        cell = self._operand(x, line.dtype, line.shape)
        shapes = [getattr(bound, "shape", ()) for bound in (low, high) if bound is not None]
        kept = shapes == [(), ()] or (len(shapes) == 2 and line.dtype.char == "e")  # NumPy keeps x if it equals a bound
        for f, bound in ((np.maximum, low), (np.minimum, high)):
            if bound is not None:
                other = self._operand(bound, line.dtype, line.shape)
                length = max(self.tape.lengths[cell], self.tape.lengths[other])
                name = f"{UFUNCS[f]}1" if kept else CHOICES.get((f, line.dtype.char), UFUNCS[f])
                cell = self.tape.add(name, cell, other, length=length, type=TYPES[line.dtype])
        return cell

    def _finite(self, line: Line, x: Line, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> int:
        cell, large, n = self.cell(x), np.finfo(line.dtype).max, self.tape.lengths[self.cell(x)]
        for name, bad, good in (("isnan", None, nan), ("eq", np.inf, posinf), ("eq", -np.inf, neginf)):
            good = np.sign(bad or 0) * large if good is None else good
            other = [] if bad is None else [self.tape.data("is", np.asarray(bad, line.dtype))]
            hit = self.tape.add(name, cell, *other, length=n, type="b")
            instead = self.tape.data("is", np.asarray(good, line.dtype))
            cell = self.tape.add("where", hit, instead, cell, length=n, type=TYPES[line.dtype])
        return cell

    def _einsum(self, line: Line, text: str, *xs: Line) -> int:
        """Translate np.einsum: compute all products of elements as one array, then sum over the letters not kept."""
        terms, out = text.replace(" ", "").split("->")
        size = {c: n for term, x in zip(terms.split(","), xs) for c, n in zip(term, x.shape)}
        letters = out + "".join(sorted(set(size) - set(out)))
        cells = []
        for term, x in zip(terms.split(","), xs):
            own = "".join(c for c in letters if c in term)
            places = np.einsum(f"{term}->{own}", _places(x)).reshape([size[c] if c in term else 1 for c in letters])
            cell = self.tape.cast(self.full(x), TYPES[line.dtype])
            cells.append(self.tape.take(cell, np.broadcast_to(places, [size[c] for c in letters])))
        product, total = cells[0], math.prod(size.values())
        for cell in cells[1:]:
            product = self.tape.add("mul", product, cell, length=total, type=TYPES[line.dtype])
        run = total // max(1, line.size)
        return product if run == len(xs) == 1 else self._add("adds", line, product, run)

    def _move(self, line: Line, f: Any, args: Any, kwargs: Any) -> Any:
        x, fill = args[0], None
        args, kwargs = each(_constant, args[1:]), each(_constant, kwargs)
        if f is np.pad:
            mode, fill = (*args[1:], kwargs.get("mode", "constant"))[0], kwargs.pop("constant_values", None)
            if mode not in PADDED:
                raise NotFollowed(f'the page cannot compute pad with mode="{mode}" of whole numbers')
            fill = fill and float(fill)
        places = f(_places(x) + 1, *args, **kwargs)
        if isinstance(places, (tuple, list)):
            return tuple(self.tape.take(self.full(x), p - 1) for p in places)
        return self.tape.take(self.full(x), places - 1, None if np.all(places) else fill or 0.0)

    def _join(self, line: Line, args: Any, kwargs: Any) -> int:
        parts, start, places = args[0], 0, []
        for part in parts:
            if not isinstance(part, Line):
                raise NotFollowed("the page cannot join numbers and arrays")
            places.append(_places(part) + start)
            start += part.size
        cells = [self.tape.cast(self.full(part), TYPES[line.dtype]) for part in parts]
        whole = self.tape.add("cat", *cells, length=start, type=TYPES[line.dtype])
        return self.tape.take(whole, line.function(places, *args[1:], **kwargs))

    def _put(self, line: Line, x: Any, key: Any, value: Any) -> int:
        places = np.arange(line.size).reshape(line.shape)[each(_constant, key)]
        base = self.tape.full(self._operand(x, line.dtype, line.shape), line.size)
        cell = self._operand(value, line.dtype, places.shape)
        return self._add(PUTS[line.function], line, base, cell, np.ravel(places).tolist())

    def _reduce(self, line: Line, f: Any, x: Line, axis: Any = 0, dtype: Any = None, keepdims: bool = False,
                initial: Any = None, where: Any = True) -> int:  # fmt: skip
        name = REDUCTIONS[f]
        if initial not in (None, NEUTRAL[name]) or where is not True:
            raise NotFollowed("the page cannot compute a reduction of some elements")
        axes = axis if isinstance(axis, tuple) else range(len(x.shape)) if axis is None or not x.shape else (axis,)
        cell = self.tape.cast(self.full(x), TYPES[line.dtype])
        run = math.prod(x.shape[a] for a in axes)
        if not axes and name != "sum":  # a sum over no axes is not skipped, because it turns -0 into 0
            return cell
        moved = self.tape.take(cell, np.moveaxis(_places(x), tuple(axes), range(-len(axes), 0)))
        name = "adds" if name == "sum" and moved != cell else name  # along these axes, NumPy adds one row at a time
        by = CHOICES.get((f, line.dtype.char))
        return self._add(name, line, moved, run, *([by] if by else []))

    def _scan(self, line: Line, name: str, x: Line, axis: int = 0) -> int:
        last = np.moveaxis(_places(x), axis, -1)
        cell = self.tape.take(self.tape.cast(self.full(x), TYPES[line.dtype]), last)
        return self.tape.take(self._add(name, line, cell, x.shape[axis]), np.argsort(last.ravel()))

    def _matmul(self, line: Line, a: Line, b: Line) -> int:
        p, q = _places(a), _places(b)
        p, q = p[None] if p.ndim == 1 else p, q[:, None] if q.ndim == 1 else q
        many, (m, k), n = np.broadcast_shapes(p.shape[:-2], q.shape[:-2]), p.shape[-2:], q.shape[-1]
        left = self.tape.cast(self.full(a), TYPES[line.dtype])
        right = self.tape.cast(self.full(b), TYPES[line.dtype])
        left = self.tape.take(left, np.broadcast_to(p, (*many, m, k)))
        right = self.tape.take(right, np.broadcast_to(q, (*many, k, n)))
        return self._add("matmul", line, left, right, m, k, n)


def _places(x: Line) -> Any:
    return np.arange(x.size).reshape(x.shape)


def _constant(a: Any) -> Any:
    """Return the value of a fixed line, such as a key or an axis. Raises NotFollowed for a value that would change."""
    if not isinstance(a, Line):
        return a
    if a.function is not instructions.constant:
        raise NotFollowed("an index depends on numbers that would change")
    return a.value
