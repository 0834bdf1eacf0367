"""A stand-in for an array: what is done with it is written down in a program."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..tensor import Tensor
from .calls import Line, astype, each, reshape, transpose


class Unknowable(Exception):
    """Raised where a function asks for the numbers in an array, which change from run to run."""

    def __str__(self) -> str:
        return "it asks for numbers that change from run to run"


class Symbol:
    """An array known by the line that computes it. To functions that ask, it is an ndarray."""

    __slots__ = ("line", "program")

    __class__ = property(lambda self: np.ndarray)

    def __init__(self, program: Any, line: Line) -> None:
        self.program, self.line = program, line

    def _do(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Write down a call; its result is a stand-in too."""
        line = self.program.add(function, each(_line, args), each(_line, kwargs))
        if isinstance(line.value, (np.ndarray, np.generic)):
            return type(self)(self.program, line)
        return _parts(self, line)

    shape: Any = property(lambda self: self.line.shape)
    dtype = property(lambda self: self.line.dtype)
    ndim = property(lambda self: len(self.line.shape))
    size = property(lambda self: self.line.size)

    @property
    def T(self) -> Any:
        return self.transpose()

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        if any(isinstance(a, Tensor) for a in args):
            return NotImplemented
        if out is not None or method not in ("__call__", "reduce", "accumulate"):
            raise Unknowable
        if method == "__call__":
            return self._do(ufunc, *args, **kwargs)
        if kwargs.get("axis", 0) is None:  # spelled out, as leaving it away means the first
            kwargs["axis"] = tuple(range(self.ndim))
        if isinstance(kwargs.get("axis"), tuple) and len(kwargs["axis"]) == 1:
            (kwargs["axis"],) = kwargs["axis"]
        if kwargs.get("keepdims") is False:
            del kwargs["keepdims"]
        return self._do(getattr(ufunc, method), *args, **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(issubclass(kind, Tensor) for kind in types):
            return NotImplemented
        return _METHODS[function](*args, **kwargs) if function in _METHODS else self._do(function, *args, **kwargs)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise Unknowable

    __bool__ = __float__ = __int__ = __index__ = __iter__ = __setitem__ = item = tolist = __array__

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        return self._do(operator.getitem, self, key)

    def reshape(self, *shape: Any) -> Any:
        return self._do(reshape, self, np.empty(self.shape, bool).reshape(*shape).shape)

    def transpose(self, *axes: Any) -> Any:
        order: Any = axes or range(self.ndim)[::-1]
        if len(axes) == 1 and not isinstance(axes[0], int):
            (order,) = axes
        return self._do(transpose, self, tuple(operator.index(i) % self.ndim for i in order))

    def swapaxes(self, i: int, j: int) -> Any:
        order = list(range(self.ndim))
        order[i], order[j] = order[j], order[i]
        return self.transpose(order)

    def moveaxis(self, source: Any, destination: Any) -> Any:
        places = np.moveaxis(np.empty(range(self.ndim)), source, destination).shape
        return self.transpose(places)

    def expand_dims(self, axis: Any) -> Any:
        return self.reshape(np.expand_dims(np.empty(self.shape, bool), axis).shape)

    def squeeze(self, axis: Any = None) -> Any:
        return self.reshape(np.squeeze(np.empty(self.shape, bool), axis).shape)

    def ravel(self) -> Any:
        return self.reshape(-1)

    def astype(self, dtype: Any) -> Any:
        return self._do(astype, self, np.dtype(dtype))

    def broadcast_to(self, shape: Any) -> Any:
        shape = (shape,) if isinstance(shape, int) else tuple(operator.index(n) for n in shape)
        return self._do(np.broadcast_to, self, shape)

    def filled(self, value: int, dtype: Any = None) -> Any:
        return np.broadcast_to(np.dtype(dtype or self.dtype).type(value), self.shape)[()]

    def __pow__(self, n: Any) -> Any:
        """As for arrays: some powers have functions of their own."""
        return _POWERS[n](self) if isinstance(n, (int, float)) and n in _POWERS else np.power(self, n)


def _line(x: Any) -> Any:
    return x.line if isinstance(x, Symbol) else x


def _parts(symbol: Symbol, line: Line) -> Any:
    """The results of a call that gives several."""
    if not isinstance(line.value, (tuple, list)):
        raise Unknowable
    return tuple(symbol._do(operator.getitem, line, i) for i in range(len(line.value)))


def _operator(ufunc: Any, swapped: bool) -> Any:
    if swapped:
        return lambda self, other: ufunc(other, self)
    return lambda self, *other: ufunc(self, *other)


for _name, _ufunc in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.mod, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or, "lt": np.less,
    "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
    "neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert,
}.items():  # fmt: skip
    setattr(Symbol, f"__{_name}__", _operator(_ufunc, False))
    if _ufunc.nin == 2:
        setattr(Symbol, f"__r{_name}__", _operator(_ufunc, True))

_POWERS = {2: np.square, 0.5: np.sqrt, -1: np.reciprocal, 1: np.positive}

#: NumPy functions that are methods here, so that moving axes has one spelling and shapes are known at once.
_METHODS: dict[Any, Any] = {
    np.reshape: lambda x, shape: x.reshape(shape),
    np.transpose: lambda x, axes=None: x.transpose(axes) if axes is not None else x.transpose(),
    np.swapaxes: lambda x, i, j: x.swapaxes(i, j),
    np.moveaxis: lambda x, source, destination: x.moveaxis(source, destination),
    np.expand_dims: lambda x, axis: x.expand_dims(axis),
    np.squeeze: lambda x, axis=None: x.squeeze(axis),
    np.ravel: lambda x: x.ravel(),
    np.broadcast_to: lambda x, shape: x.broadcast_to(shape),
    np.zeros_like: lambda x, dtype=None: x.filled(0, dtype),
    np.ones_like: lambda x, dtype=None: x.filled(1, dtype),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x: x.size,
}
