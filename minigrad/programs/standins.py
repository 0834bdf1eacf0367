"""Stand-ins for arrays and numbers while a function is written as a program.

A stand-in contains the array or number, so shapes, dtypes and results are the same as in a plain run. Calls to NumPy
functions and Python operators on a stand-in are recorded. Taking a number out of a stand-in for an array, or branching
on such a number, raises NotAProgram.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.support.scattered import repeats
from ..core.support.tensor_values import as_value, default_dtype
from ..core.tensor import Tensor
from . import instructions
from .instructions import OPERATORS, Line, astype, each, method, reshape, transpose
from .listing import StandIn, Undecided, real
from .refusals import CHANGE, LEAVE, METHODS, SPECIAL_METHODS, TAKES_OUT, WRITES, by_user

#: Array attributes that do not depend on the numbers, and NumPy functions that use only an array's shape and dtype.
_FACTS = {"strides", "itemsize", "nbytes", "flags"}
_LIKE = {np.zeros_like, np.ones_like, np.full_like, np.empty_like}

#: NumPy's names for operations that a program writes as `transpose`, and for those that it writes as `reshape`.
_TRANSPOSES = {np.transpose, np.swapaxes, np.moveaxis, "transpose", "swapaxes"}
_RESHAPES = {np.reshape, np.expand_dims, np.squeeze, "reshape", "squeeze"}


class Array(StandIn):
    """A stand-in for an array or a NumPy number; it passes `isinstance` checks for both."""

    __slots__ = ()

    __class__ = property(lambda self: type(self.real_value))
    __array_priority__ = 100.0

    shape: Any = property(lambda self: self.real_value.shape)
    dtype = property(lambda self: self.real_value.dtype)
    ndim = property(lambda self: self.real_value.ndim)
    size = property(lambda self: self.real_value.size)
    T = property(lambda self: self.transpose())
    base = None

    def as_value(self, dtype: Any) -> Any:
        """Return this array as the value of a new Tensor, converted to `dtype` unless that is None."""
        return self if dtype is None or np.dtype(dtype) == self.dtype else self.astype(dtype)

    def saved_copy(self) -> Any:
        """Return the copy that a recorded node keeps: this stand-in itself, unless a copy has another memory layout."""
        return self if self.real_value.__copy__().strides == self.real_value.strides else self.__copy__()

    def scattered(self, total: Any, key: Any, value: Any) -> Any:
        """Return `total` with `value` added at `key`, for a sum of messages; `total` or `value` is this stand-in."""
        return self._do(instructions.index_add_sum if repeats(key) else instructions.index_add, total, key, value)

    def __array_ufunc__(self, ufunc: Any, how: str, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        if any(issubclass(type(a), Tensor) for a in args):
            return NotImplemented
        if out is not None or how == "at":
            return self.listing.refuse(f"np.{ufunc.__name__} writes into an array in place", CHANGE)
        if how == "reduce":
            axis = kwargs.get("axis", 0)
            if axis is None:
                kwargs["axis"] = tuple(range(args[0].ndim))
            elif isinstance(axis, tuple) and len(axis) == 1:
                (kwargs["axis"],) = axis
            kwargs = {k: v for k, v in kwargs.items() if (k, v) != ("keepdims", False) and (k != "dtype" or v)}
        return self._do(ufunc if how == "__call__" else getattr(ufunc, how), *args, **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(issubclass(kind, Tensor) for kind in types):
            return NotImplemented
        if kwargs.get("out") is not None or function in WRITES:
            return self.listing.refuse(f"np.{function.__name__} writes into an array in place", CHANGE)
        if function in (np.may_share_memory, np.shares_memory):
            return False
        if function in _LIKE:
            return function(real(args[0]), *args[1:], **kwargs)
        if args and issubclass(type(args[0]), Array):
            x, *rest = args
            if function in _TRANSPOSES or (function in _RESHAPES and not kwargs):
                return x._with_other_axes(function, lambda like: function(like, *rest, **kwargs))
            if function is np.broadcast_to and len(rest) == 1:
                shape = (rest[0],) if isinstance(rest[0], int) else rest[0]
                shape = tuple(operator.index(n) for n in shape)
                # the engine's own op may return a copy
                copied = not by_user() and OPS["broadcast_to"].fn(x.real_value, shape).base is None
                return self._do(instructions.repeated if copied else np.broadcast_to, x, shape)
        return self._do(function, *args, **kwargs)

    def _with_other_axes(self, name: Any, change: Callable[[Any], Any]) -> Any:
        """Record a reshape or a transpose of this array, and return the stand-in for its result.

        name : the name of the operation. change : a function that performs it on an array.
        """
        if name in _TRANSPOSES:
            return self._do(transpose, self, change(np.empty(range(self.ndim))).shape)
        return self._do(reshape, self, change(np.empty(self.shape, bool)).shape)

    def __getattr__(self, name: str) -> Any:
        kind = type(self.real_value)
        if name.startswith("__") or not hasattr(kind, name):
            raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
        if name in _FACTS:
            return getattr(self.real_value, name)
        if name in METHODS:
            what, instead = METHODS[name]
            return self.listing.refuse(what.format(f".{name}"), instead)
        if not callable(getattr(kind, name)):
            return self._do(getattr, self, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if name in _TRANSPOSES or (name in _RESHAPES and not kwargs):
                return self._with_other_axes(name, lambda like: getattr(like, name)(*args, **kwargs))
            return self._do(method, self, name, *args, **kwargs)

        return call

    def astype(self, dtype: Any, **kwargs: Any) -> Any:
        return self._do(method, self, "astype", dtype, **kwargs) if kwargs else self._do(astype, self, np.dtype(dtype))

    def __len__(self) -> int:
        return len(self.real_value)

    def __hash__(self) -> int:
        if isinstance(self.real_value, np.ndarray):
            raise TypeError("unhashable type: 'numpy.ndarray'")
        refused: int = self.listing.refuse(TAKES_OUT.format("a key of a dict, a set or a cache"), LEAVE)
        return refused

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self.real_value)))

    def __getitem__(self, key: Any) -> Any:
        return self if type(key) is tuple and not key else self._do(operator.getitem, self, key)

    def __copy__(self, memo: Any = None) -> Any:
        return self.copy(order="K")

    __deepcopy__ = __copy__

    def detach(self, what: str = ".numpy(), .item() or similar") -> Any:
        return self.listing.refuse(TAKES_OUT.format(what), LEAVE)


def _refused(what: str, instead: str) -> Any:
    return lambda self, *args, **kwargs: self.listing.refuse(what, instead)


for _name, _why in SPECIAL_METHODS.items():
    setattr(Array, f"__{_name}__", _refused(*_why))


def _decided(x: Any) -> Any:
    return x.decide() if issubclass(type(x), Number) else x


class Number(StandIn):
    """A stand-in for a Python number among the arguments; like a Python number, it adopts the other operand's dtype.

    If the number affects control flow, for example as an iteration count, each value of it gets its own program.
    """

    __slots__ = ()

    __class__ = property(lambda self: type(self.real_value))
    __array_ufunc__ = Array.__array_ufunc__

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(issubclass(kind, Array) for kind in types):
            return Array.__array_function__(self, function, types, args, kwargs)  # type: ignore[arg-type]
        args, kwargs = each(_decided, (args, kwargs))
        return function(*args, **kwargs)

    def as_value(self, dtype: Any) -> Any:
        """Return this number as the value of a Tensor."""
        if dtype is None and type(self.real_value) is int:
            return as_value(self.decide())
        return self._do(instructions.number, self, np.dtype(dtype or default_dtype()))

    def saved_copy(self) -> Any:
        """Return this number itself, because numbers cannot change."""
        return self

    scattered = Array.scattered

    def decide(self) -> Any:
        """Return the plain number, and fix it; the program is then valid only for this number."""
        self.listing.check_open()
        pending = [self.line]
        while pending:
            line = pending.pop()
            self.listing.decided.add(line)
            pending += [a for a in line.args if isinstance(a, Line)]
        return self.real_value

    def __getattr__(self, name: str) -> Any:
        return getattr(self.decide(), name)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return np.array(self.decide(), *args)

    def __hash__(self) -> int:
        self.decide()
        raise Undecided


for _name in ("bool", "float", "int", "index", "complex", "str", "repr", "format", "round", "trunc", "floor", "ceil",
              "reduce_ex", "lt", "le", "gt", "ge", "eq", "ne", "invert", "lshift", "rshift", "and", "or", "xor",
              "rlshift", "rrshift", "rand", "ror", "rxor", "divmod", "rdivmod"):  # fmt: skip
    _name = f"__{_name}__"
    setattr(Number, _name, lambda self, *args, _name=_name: getattr(self.decide(), _name)(*map(_decided, args)))


#: The operators that numbers also support, and the ufuncs of all operators.
_OF_NUMBERS = {"add", "sub", "mul", "truediv", "floordiv", "mod", "neg", "pos", "abs", "pow"}
_UFUNCS = {name: ufunc for name, (ufunc, _) in OPERATORS.items()} | {
    "pos": np.positive, "abs": np.absolute, "divmod": np.divmod, "lshift": np.left_shift, "rshift": np.right_shift,
}  # fmt: skip


def _operator(name: str, ufunc: Any, swapped: bool) -> Any:
    def call(self: Any, *other: Any) -> Any:
        if other and (issubclass(type(other[0]), Tensor) or other[0] is None):
            return NotImplemented
        plain = type(self) is Number and (not other or type(other[0]) in (int, float, bool, Number))
        # an exponent that is not a plain integer may give a complex result
        if plain and name == "pow" and (swapped or type(other[0]) is not int):
            a, b = (self.decide(), other[0].decide() if type(other[0]) is Number else other[0])
            return b**a if swapped else a**b
        function = getattr(operator, name) if plain or name == "pow" else ufunc
        return self.listing.call(function, (*other, self) if swapped else (self, *other))

    return call


def _in_place(ufunc: Any) -> Any:
    def call(self: Any, other: Any) -> Any:
        if by_user() and self.shape:
            return self.listing.refuse("y += x, or a similar statement, changes an array in place", CHANGE)
        return NotImplemented if issubclass(type(other), Tensor) else self.listing.call(ufunc, (self, other))

    return call


for _name, _ufunc in _UFUNCS.items():
    for _kind in (Array, Number) if _name in _OF_NUMBERS else (Array,):
        setattr(_kind, f"__{_name}__", _operator(_name, _ufunc, False))
        if _ufunc.nin == 2:
            setattr(_kind, f"__r{_name}__", _operator(_name, _ufunc, True))
    if _ufunc.nin == 2 and _name != "pow":
        setattr(Array, f"__i{_name}__", _in_place(_ufunc))
