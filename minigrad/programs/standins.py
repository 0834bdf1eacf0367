"""Stand-ins for arrays and numbers while a function is written as a program.

A stand-in holds what it stands for, so shapes, dtypes and results are those of a plain run. NumPy's functions and
Python's operators on it are written down. Taking a number out of it, or deciding by one, is refused.
"""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np

from ..core.scattered import repeats
from ..core.tensor import Tensor, as_value, default_dtype
from ..ops.compare import BITS, keep
from .lines import (
    Line,
    astype,
    index_add,
    index_add_each,
    index_add_sum,
    index_set,
    method,
    number,
    reshape,
    transpose,
)
from .listing import DECIDE, LEAVE, STAND_INS, StandIn, real

#: Methods of an array that change it in place.
_CHANGES = {"fill", "sort", "partition", "put", "resize", "setflags", "setfield", "byteswap", "itemset"}
#: Methods and attributes that take the numbers out, and those that choose how many elements there are by numbers.
_LEAVES = {"item", "tolist", "tobytes", "tofile", "dump", "dumps", "data", "flat", "ctypes", "__buffer__"}
_UNSTEADY = {"nonzero", "compress"}
_FACTS = {"strides", "itemsize", "nbytes", "flags"}


class Array(StandIn):
    """A stand-in for an array or a NumPy number. To `isinstance` it is one."""

    __slots__ = ()

    __class__ = property(lambda self: type(self.held))
    __array_priority__ = 100.0
    __hash__ = None  # type: ignore[assignment]

    shape: Any = property(lambda self: self.held.shape)
    dtype = property(lambda self: self.held.dtype)
    ndim = property(lambda self: self.held.ndim)
    size = property(lambda self: self.held.size)
    base = None

    def as_value(self, dtype: Any) -> Any:
        """What it is as the value of a Tensor."""
        return self if dtype is None or np.dtype(dtype) == self.dtype else self.astype(dtype)

    def scattered(self, total: Any, key: Any, value: Any) -> Any:
        """`total` with `value` added at `key`; one of the two is this array."""
        return self._do(index_add_sum if repeats(key) else index_add, total, key, value)

    @property
    def T(self) -> Any:
        return self.transpose()

    def __array_ufunc__(self, ufunc: Any, how: str, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        if any(issubclass(type(a), Tensor) for a in args):
            return NotImplemented
        if out is not None or how == "at":
            return self._changes(f"np.{ufunc.__name__} writes into an array")
        if how == "reduce":
            axis = kwargs.get("axis", 0)
            if axis is None:
                kwargs["axis"] = tuple(range(args[0].ndim))
            elif isinstance(axis, tuple) and len(axis) == 1:
                (kwargs["axis"],) = axis
            if kwargs.get("keepdims") is False:
                del kwargs["keepdims"]
            kwargs = {k: v for k, v in kwargs.items() if k != "dtype" or v is not None}
        return self._do(ufunc if how == "__call__" else getattr(ufunc, how), *args, **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(issubclass(kind, Tensor) for kind in types):
            return NotImplemented
        if kwargs.get("out") is not None or function in _WRITES:
            return self._changes(f"np.{function.__name__} writes into an array")
        if function in (np.may_share_memory, np.shares_memory):
            return False
        if function in _TEXT:
            return self._format()
        if function in _LIKE:
            return function(real(args[0]), *args[1:], **kwargs)
        if function is np.where and _keeps(*args):
            return self._do(keep, args[1], args[0])
        if function in _METHODS and isinstance(args[0], np.ndarray) and type(args[0]) is not np.ndarray:
            return _METHODS[function](*args, **kwargs)
        return self._do(function, *args, **kwargs)

    # What is refused.

    def _leaves(self, what: str) -> Any:
        return self.listing.refuse(f"{what} takes numbers out of an array, and they change from call to call", LEAVE)

    def leave(self) -> Any:
        return self._leaves(".numpy(), .item() or its like")

    def _changes(self, what: str) -> Any:
        return self.listing.refuse(f"{what} in place", "write y = y + x instead of y += x, and mg.index_set(x, key, v)")

    def _format(self, *args: Any) -> Any:
        return self.listing.refuse(
            "a number is printed or formatted, and it changes from call to call", "return it and print it outside"
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self._leaves("a conversion to a plain array (np.asarray, .numpy())")

    def __bool__(self) -> Any:
        return self.listing.refuse("a value decides which code runs (if, while, and, or, not)", DECIDE)

    def __float__(self) -> Any:
        return self._leaves("float()")

    def __int__(self) -> Any:
        return self._leaves("int()")

    def __index__(self) -> Any:
        return self.listing.refuse(
            "a value is used as a plain integer: an index, a length, a count of turns",
            "pass it as a Python int, or pick with mg.take(x, i)",
        )

    def __complex__(self) -> Any:
        return self._leaves("complex()")

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._leaves("copying or pickling")

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __setitem__(self, key: Any, value: Any) -> Any:
        return self._changes("x[key] = value changes an array")

    __str__ = __repr__ = __format__ = _format

    def __getattr__(self, name: str) -> Any:
        kind = type(self.held)
        if name.startswith("__") or not hasattr(kind, name):
            raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
        if name in _FACTS:
            return getattr(self.held, name)
        if name in _LEAVES:
            return self._leaves(f".{name}")
        if name in _CHANGES:
            return self._changes(f".{name}() changes an array")
        if name in _UNSTEADY:
            return self.listing.refuse(f".{name}() has a length that depends on numbers", DECIDE)
        if not callable(getattr(kind, name)):
            return self._do(getattr, self, name)
        return lambda *args, **kwargs: self._do(method, self, name, *args, **kwargs)

    # What NumPy has under several names has one here, so that it is written in one way.

    def __len__(self) -> int:
        return len(self.held)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self.held)))

    def __contains__(self, x: Any) -> Any:
        return (self == x).any().__bool__()

    def __getitem__(self, key: Any) -> Any:
        if type(key) is tuple and not key:
            return self
        return self._do(operator.getitem, self, key)

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        if kwargs:
            return self._do(method, self, "reshape", *shape, **kwargs)
        return self._do(reshape, self, np.empty(self.shape, bool).reshape(*shape).shape)

    def transpose(self, *axes: Any) -> Any:
        order: Any = axes or range(self.ndim)[::-1]
        if len(axes) == 1 and not isinstance(axes[0], int):
            order = axes[0] if axes[0] is not None else range(self.ndim)[::-1]
        return self._do(transpose, self, tuple(operator.index(i) % self.ndim for i in order))

    def swapaxes(self, i: int, j: int) -> Any:
        order = list(range(self.ndim))
        order[i], order[j] = order[j], order[i]
        return self.transpose(order)

    def moveaxis(self, source: Any, destination: Any) -> Any:
        return self.transpose(np.moveaxis(np.empty(range(self.ndim)), source, destination).shape)

    def expand_dims(self, axis: Any) -> Any:
        return self.reshape(np.expand_dims(np.empty(self.shape, bool), axis).shape)

    def squeeze(self, axis: Any = None) -> Any:
        return self.reshape(np.squeeze(np.empty(self.shape, bool), axis).shape)

    def astype(self, dtype: Any, **kwargs: Any) -> Any:
        return self._do(method, self, "astype", dtype, **kwargs) if kwargs else self._do(astype, self, np.dtype(dtype))

    def broadcast_to(self, shape: Any) -> Any:
        shape = (shape,) if isinstance(shape, int) else tuple(operator.index(n) for n in shape)
        return self._do(np.broadcast_to, self, shape)

    def __pow__(self, n: Any, modulo: Any = None) -> Any:
        if issubclass(type(n), Tensor):
            return NotImplemented
        return self._do(operator.pow, self, n)

    def __rpow__(self, a: Any) -> Any:
        return self._do(operator.pow, a, self)


def _keeps(condition: Any, x: Any = None, other: Any = None) -> bool:
    """Whether np.where(condition, x, other) is what `keep` gives, which for conditions that vary is faster."""
    arrays = issubclass(type(condition), StandIn) and issubclass(type(x), StandIn) and type(x.held) is np.ndarray
    if not (arrays and type(other) is int and other == 0 and x.dtype.char in BITS and condition.dtype == bool):
        return False
    return bool(x.shape == condition.shape and all(a.held.flags.c_contiguous for a in (x, condition)))


#: NumPy's functions that are methods here.
_METHODS: dict[Any, Any] = {
    np.transpose: lambda x, axes=None: x.transpose(axes) if axes is not None else x.transpose(),
    np.swapaxes: lambda x, i, j: x.swapaxes(i, j),
    np.moveaxis: lambda x, source, destination: x.moveaxis(source, destination),
    np.expand_dims: lambda x, axis: x.expand_dims(axis),
    np.squeeze: lambda x, axis=None: x.squeeze(axis),
    np.broadcast_to: lambda x, shape: x.broadcast_to(shape),
    np.reshape: lambda x, *shape, **kwargs: x.reshape(*shape, **kwargs),
    np.copy: lambda x, **kwargs: x.copy(**kwargs),
}
_WRITES = {np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal}
_TEXT = {np.array2string, np.array_repr, np.array_str, np.save, np.savetxt, np.savez}
_LIKE = {np.zeros_like, np.ones_like, np.full_like, np.empty_like}


def by_user(depth: int = 1) -> bool:
    """Whether what is done to a stand-in is done by code that is not the engine's."""
    frame = sys._getframe(depth)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(("numpy", __package__)):
        frame = frame.f_back
    return not frame.f_globals.get("__name__", "").startswith("minigrad.")


#: Python's operators, and the ufuncs that they are for arrays.
_OPERATORS: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.mod, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "lshift": np.left_shift, "rshift": np.right_shift, "divmod": np.divmod, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal, "neg": np.negative,
    "pos": np.positive, "abs": np.absolute, "invert": np.invert,
}  # fmt: skip


def _operator(ufunc: Any, swapped: bool = False) -> Any:
    def call(self: Any, *other: Any) -> Any:
        if other and (issubclass(type(other[0]), Tensor) or other[0] is None):
            return NotImplemented
        return self.listing.call(ufunc, (*other, self) if swapped else (self, *other))

    return call


def _in_place(ufunc: Any) -> Any:
    def call(self: Any, other: Any) -> Any:
        if by_user() and self.shape:
            return self._changes("y += x, or its like, changes an array")
        return NotImplemented if issubclass(type(other), Tensor) else self.listing.call(ufunc, (self, other))

    return call


for _name, _ufunc in _OPERATORS.items():
    setattr(Array, f"__{_name}__", _operator(_ufunc))
    if _ufunc.nin == 2:
        setattr(Array, f"__r{_name}__", _operator(_ufunc, True))
        setattr(Array, f"__i{_name}__", _in_place(_ufunc))


class Number(StandIn):
    """A stand-in for a Python number among the arguments, which adopts the dtype of what it meets, as numbers do.

    Where its value decides something, such as a count of turns, the program is written anew for each value.
    """

    __slots__ = ()

    __class__ = property(lambda self: type(self.held))
    __array_ufunc__ = Array.__array_ufunc__
    __array_function__ = Array.__array_function__

    def as_value(self, dtype: Any) -> Any:
        """The NumPy number that it becomes as a Tensor."""
        if dtype is None and type(self.held) is int:
            return as_value(self.decide())
        return self._do(number, self, np.dtype(dtype or default_dtype()))

    def decide(self) -> Any:
        """The plain number: the program holds for this one alone. A float of the user's code decides nothing."""
        if type(self.held) is float and by_user(2):
            self.listing.refuse("a float among the arguments decides which code runs, or leaves the program", DECIDE)
        pending = [self.line]
        while pending:
            line = pending.pop()
            self.listing.decided.add(line)
            pending += [a for a in line.args if isinstance(a, Line)]
        return self.held

    def __getattr__(self, name: str) -> Any:
        return getattr(self.decide(), name)


def _decides(name: str) -> Any:
    return lambda self, *args: getattr(self.decide(), name)(*args)


for _name in ("bool", "float", "int", "index", "complex", "hash", "str", "repr", "format", "round", "trunc", "floor",
              "ceil", "reduce_ex", "lt", "le", "gt", "ge", "eq", "ne"):  # fmt: skip
    setattr(Number, f"__{_name}__", _decides(f"__{_name}__"))
Number.__array__ = lambda self, *args, **kwargs: np.array(self.decide(), *args)  # type: ignore[attr-defined]


def _arithmetic(function: Any, ufunc: Any, swapped: bool) -> Any:
    def call(self: Any, *other: Any) -> Any:
        if other and issubclass(type(other[0]), Tensor):
            return NotImplemented
        plain = not other or type(other[0]) in (int, float, bool, Number)
        return self.listing.call(function if plain else ufunc, (*other, self) if swapped else (self, *other))

    return call


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "abs"):
    _ufunc = _OPERATORS.get(_name, np.power)
    setattr(Number, f"__{_name}__", _arithmetic(getattr(operator, _name), _ufunc, False))
    if _ufunc.nin == 2:
        setattr(Number, f"__r{_name}__", _arithmetic(getattr(operator, _name), _ufunc, True))

STAND_INS |= {"array": Array, "number": Number}


def whole(op: Any, values: Any, kwargs: Any) -> Any:
    """The result of an op whose function computes with plain arrays only: one line calls it as it is."""
    found = [v for v in (*values, *(kwargs or {}).values()) if issubclass(type(v), StandIn)]
    found += [k for v in values if isinstance(v, tuple) for k in v if issubclass(type(k), StandIn)]
    if not found:
        return None
    listing = found[0].listing
    function = op.fn
    if op.name == "getitem":
        function = operator.getitem
    elif op.name == "index_set":
        function = index_set
    elif op.name == "index_add":
        function = index_add_each if repeats(values[1]) else index_add
    return listing.call(function, tuple(values), kwargs)
