"""Op arguments that are not Tensors: copies of arrays for the record, and the dtype of Python numbers.

An array may be changed before the backward pass, so the record holds a copy:

>>> import minigrad as mg
>>> x, row, total = mg.constant([1.0, 1.0]), np.zeros(2, "float32"), 0.0
>>> for i in range(3):
...     row[:] = i
...     total = total + mg.sum(x * row)
>>> mg.gradients(total, x)[0].value
array([3., 3.], dtype=float32)
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from weakref import ref

import numpy as np

from ..op import COPY, OPS
from ..tensor import Tensor
from ..variable import Variable
from .structure import flatten, is_structure, rebuild
from .tensor_values import as_value, is_placeholder, is_python

#: Below this many bytes, making a copy is cheaper than looking for an existing copy with the same content.
LARGE = 32_768

#: The latest copies of large arrays, keyed by the array's memory and form; a copy lives as long as a record holds it.
_copies: dict[Any, ref[Any]] = {}

#: Integer types by size in bytes. Elements viewed as integers are compared bit by bit, so nan equals nan, and 0 and -0
#: differ.
_BITS = {np.dtype(kind).itemsize: np.dtype(kind) for kind in ("int8", "int16", "int32", "int64")}


def saved_copy(array: Any) -> Any:
    """Copy an array for the record; reuse the existing copy if a large array is used again with the same content.

    A read-only array is copied too, because it can be made writable, or changed through another view or a memory map.
    """
    if array.nbytes < LARGE:
        return array.__copy__()  # this copy keeps the memory order
    # A view such as `a[1:]` is a new object in each call, but its base array is the same object.
    owner = array if array.base is None else array.base
    key = id(owner), array.shape, array.strides, array.dtype
    copy_ref = _copies.get(key)
    copy = None if copy_ref is None else copy_ref()
    if copy is None or not _same_bits(copy, array):
        copy = array.__copy__()
        _copies[key] = ref(copy, functools.partial(_forget, key))
    return copy


def _forget(key: Any, freed: Any) -> None:
    """Remove the entry of a copy that was freed, unless it already refers to a newer copy."""
    if _copies.get(key) is freed:
        _copies.pop(key, None)  # another thread may be faster


#: Types of immutable values.
FIXED = frozenset({int, float, bool, str, type(None), type(...), np.float64, np.float32, np.int64, np.int32})


def keep(x: Any) -> Any:
    """Return `x` as a record stores it: arrays, even inside a tuple or list, are copied; other objects are not."""
    kind = type(x)
    if kind in FIXED:
        return x
    if kind is slice:  # a bound may be an array of one integer
        bounds = x.start, x.stop, x.step
        return x if FIXED.issuperset(map(type, bounds)) else slice(*map(keep, bounds))
    if kind is tuple:
        return x if FIXED.issuperset(map(type, x)) else tuple(map(keep, x))
    if issubclass(kind, np.ndarray):
        return saved_copy(x)
    if kind is list:
        return list(map(keep, x))
    return x.saved_copy() if is_placeholder(x) else x


def _same_bits(a: Any, b: Any) -> bool:
    bits = _BITS.get(a.itemsize)
    return bits is not None and bool((a.view(bits) == b.view(bits)).all())


# Python numbers and lists take the float dtype of the other operands, without rounding first.


def holds_tensor(a: Any) -> bool:
    """Return whether `a` is a Tensor, or a nested list or tuple that contains a Tensor."""
    return isinstance(a, Tensor) or (isinstance(a, (list, tuple)) and any(map(holds_tensor, a)))


def float_dtype(values: Iterable[Any]) -> np.dtype[Any] | None:
    """Return the float dtype of the arrays and Tensors in `values` and in its nested lists, or None if there are none.

    >>> float_dtype([0.1, [np.float32(1.0), [np.float64(2.0)]]]), float_dtype([0.1, [1]])
    (dtype('float64'), None)
    """
    dtypes = set()
    for a in values:
        if isinstance(a, (Tensor, np.ndarray, np.generic)):
            dtypes.add(a.dtype)
        elif isinstance(a, (list, tuple)):
            dtypes.add(float_dtype(a))
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind == "f"]
    if len(floats) > 1:
        return np.result_type(*floats)
    return floats[0] if floats else None


def adopt(a: Any, dtype: Any = None) -> Any:
    """Return `a` as a Tensor, an array or a NumPy number; Python numbers and lists of them get `dtype` if it is given.

    A nested list that contains Tensors becomes one Tensor.

    >>> adopt(0.1, np.float64), adopt(np.float32(1.0), np.float64)
    (np.float64(0.1), np.float32(1.0))
    """
    if isinstance(a, Tensor):
        return a
    if not isinstance(a, (list, tuple)):
        return as_value(a, dtype if is_python(a) else None)
    if not holds_tensor(a):
        return as_value(a, dtype)
    dtype = dtype or float_dtype(a)
    return OPS["stack"].call([adopt(row, dtype) for row in a])


def adopt_all(arrays: Sequence[Any]) -> list[Any]:
    """Convert the Python numbers and lists in a sequence to the float dtype of its other items, if they have one."""
    dtype = float_dtype(arrays)
    return [a if dtype is None and not holds_tensor(a) else adopt(a, dtype) for a in arrays]


# The arguments that a function with a custom gradient receives.


def is_input_value(first: Any) -> bool:
    """Return whether the first argument is an input of a custom gradient, and not the `self` of a method."""
    return first is None or isinstance(first, (Tensor, np.ndarray, np.generic, int, float, str, list, tuple, Mapping))


def copy_option(x: Any) -> Any:
    """Return what `f` receives for an option, an argument that is not an input: a copy if it contains arrays."""
    return copy_argument(x) if any(isinstance(leaf, np.ndarray) for leaf in flatten(x)) else x


def copy_argument(x: Any) -> Any:
    """Return what `f` receives for an input: a connected copy of each Tensor in it, and a copy of each array."""
    if isinstance(x, Tensor):
        return x if isinstance(x, Variable) else COPY.call(x)
    if not is_structure(x):
        return keep(x)
    inner = flatten(x)
    copies = list(map(copy_argument, inner))
    if not isinstance(x, (list, tuple, Mapping)) and all(map(operator.is_, copies, inner)):
        return x  # the object contains nothing that needs a copy
    return rebuild(x, copies)
