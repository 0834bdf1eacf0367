"""NumPy's functions called on Tensors: `np.exp(tensor)` and `array * tensor` record like the op of that name."""

from __future__ import annotations

from typing import Any

import numpy as np

from .op import BY_NUMPY
from .tensor import Tensor

#: NumPy functions that ask about values and return nothing to differentiate.
_QUESTIONS = {np.allclose, np.isclose, np.array_equal, np.array_equiv, np.shape, np.ndim, np.size, np.array2string,
              np.array_repr, np.array_str, np.count_nonzero, np.result_type, np.save, np.nonzero, np.argwhere,
              np.flatnonzero, np.digitize, np.iscomplexobj}  # fmt: skip


def _array_ufunc(self: Tensor, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """`np.exp(tensor)` and `array * tensor` record like the op of that name."""
    op = BY_NUMPY.get(ufunc)
    if op is None or method != "__call__" or kwargs:
        if "out" in kwargs:
            raise TypeError(
                f"np.{ufunc.__name__} cannot write a Tensor into an array in place, as a += x would: the gradient "
                f"would be lost; write a = a + x, or np.asarray(x) for the plain value"
            )
        how = "" if method == "__call__" and not kwargs else f" ({method}, {sorted(kwargs)})"
        raise TypeError(f"np.{ufunc.__name__}{how} has no gradient here; x.numpy() computes it on the plain value")
    return op(*args)


def _array_function(self: Tensor, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """`np.sum(tensor, axis=0)` records like the op of that name."""
    op = BY_NUMPY.get(function)
    if function in _QUESTIONS:
        return function(*_values(args), **kwargs)
    if op is None:
        raise TypeError(f"np.{function.__name__} has no gradient here; x.numpy() computes it on the plain value")
    return op(*args, **kwargs)


def _values(args: Any) -> Any:
    return [a.value if isinstance(a, Tensor) else a for a in args]


Tensor.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]
Tensor.__array_function__ = _array_function  # type: ignore[attr-defined]
