"""NumPy's functions called on Tensors: `np.exp(tensor)` and `array * tensor` call the corresponding ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.support.tensor_values import plain_values
from ..core.support.user_frames import only_reads
from ..core.tensor import Tensor
from ..ops.declare import BY_NUMPY
from ..ops.numpy_order import call_ufunc

#: NumPy functions that only look at values, and whose results have no gradient.
_OF_VALUES = {np.allclose, np.isclose, np.array_equal, np.array_equiv, np.shape, np.ndim, np.size, np.array2string,
              np.array_repr, np.array_str, np.count_nonzero, np.result_type, np.save, np.nonzero, np.argwhere,
              np.flatnonzero, np.digitize, np.iscomplexobj, np.iscomplex, np.isreal, np.isrealobj}  # fmt: skip


def _array_ufunc(self: Tensor, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """Call the op for a ufunc, as in `np.exp(tensor)` and `array * tensor`."""
    op = BY_NUMPY.get(ufunc)
    if op is not None and not kwargs and method == "__call__":  # the most common case
        return op(*args)
    if method != "__call__":
        raise method_of_tensor(ufunc, method)
    if "out" in kwargs:
        raise TypeError(
            f"np.{ufunc.__name__} cannot write a Tensor into an array in place, by out= or as a += x: the gradient "
            f"would be lost; write a = a + x, or x.numpy() for the plain value"
        )
    if op is None:
        how = f" with {', '.join(sorted(kwargs))}" if kwargs else ""
        raise TypeError(f"np.{ufunc.__name__}{how} has no gradient here; x.numpy() computes it on the plain value")
    return call_ufunc(ufunc, args, kwargs)


_WRITE = {
    "add.reduce": "np.sum(x, axis=0)", "multiply.reduce": "np.prod(x, axis=0)", "maximum.reduce": "np.max(x, axis=0)",
    "minimum.reduce": "np.min(x, axis=0)", "logaddexp.reduce": "mg.logsumexp(x, axis=0)",
    "logical_and.reduce": "np.all(x, axis=0)", "logical_or.reduce": "np.any(x, axis=0)",
    "add.accumulate": "np.cumsum(x, axis=0)", "multiply.accumulate": "np.cumprod(x, axis=0)",
    "maximum.accumulate": "mg.cummax(x, axis=0)", "multiply.outer": "np.outer(a, b)",
    "add.at": "y = mg.index_add(x, key, values)", "subtract.at": "y = mg.index_add(x, key, -values)",
}  # fmt: skip


def method_of_tensor(ufunc: Any, method: str) -> TypeError:
    """Return the error for a ufunc method on a Tensor, such as `np.add.reduce(tensor)`, with the code to write."""
    name = ufunc.__name__
    general = {
        "outer": f"np.{name}(a[:, None], b) for two rows",
        "at": f"y = mg.index_set(x, key, np.{name}(x[key], values))",
        "reduceat": "np.stack with a reduction of each slice",
    }
    write = _WRITE.get(f"{name}.{method}") or general.get(method) or f"a loop over the rows with np.{name}"
    return TypeError(
        f"np.{name}.{method} has no gradient here; write {write}, or give it x.numpy(), the plain value of a Tensor"
    )


def _array_function(self: Tensor, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Call the op for a NumPy function that is not a ufunc, as in `np.sum(tensor, axis=0)`."""
    op = BY_NUMPY.get(function)
    if function in _OF_VALUES:
        return function(*_values(args), **kwargs)
    if op is None and only_reads():
        return _plainly(function, args, kwargs)
    if op is None:
        raise TypeError(_no_gradient(function))
    try:
        return op(*args, **kwargs)
    except TypeError:
        if only_reads():
            return _plainly(function, args, kwargs)
        raise


#: How users write the names of NumPy's modules.
_MODULES = {"numpy.lib.scimath": "np.emath", "numpy.fft": "np.fft", "numpy.linalg": "np.linalg"}


def _no_gradient(function: Any) -> str:
    """Return the error message for a call to a NumPy function that no op corresponds to."""
    module, name = _MODULES.get(function.__module__, "np"), function.__name__
    if module == "np.emath" and hasattr(np, name):
        return f"np.emath.{name} gives complex numbers, which are out of scope, outside its domain; write np.{name}(x)"
    if function is np.copyto:  # the user may have called np.full_like, which calls it
        return (
            "np.copyto cannot write a Tensor into an array: the gradient would be lost; for np.full_like(x, value) "
            "with a Tensor as value write mg.full_like(x, value)"
        )
    why = "gives complex numbers, which have no gradient here" if module == "np.fft" else "has no gradient here"
    return f"{module}.{name} {why}; x.numpy() computes it on the plain value"


def _plainly(function: Any, args: Any, kwargs: Any) -> Any:
    return function(*map(plain_values, args), **{name: plain_values(value) for name, value in kwargs.items()})


def _values(args: Any) -> Any:
    return [a.value if isinstance(a, Tensor) else a for a in args]


Tensor.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]
Tensor.__array_function__ = _array_function  # type: ignore[attr-defined]
