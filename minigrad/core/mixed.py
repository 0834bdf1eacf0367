"""Python numbers and lists beside arrays and Tensors: they take the float dtype of these, without rounding first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .op import OPS
from .tensor import Tensor
from .values import as_value, is_python


def holds_tensor(a: Any) -> bool:
    """Whether `a` is a Tensor or a nested list or tuple with a Tensor in it."""
    return isinstance(a, Tensor) or (isinstance(a, (list, tuple)) and any(map(holds_tensor, a)))


def float_dtype(values: Iterable[Any]) -> np.dtype[Any] | None:
    """The float dtype of the arrays and Tensors among `values`, and in nested lists of them; None if there is none.

    >>> float_dtype([0.1, [np.float32(1.0), [np.float64(2.0)]]]), float_dtype([0.1, [1]])
    (dtype('float64'), None)
    """
    found = set()
    for a in values:
        if isinstance(a, (Tensor, np.ndarray, np.generic)):
            found.add(a.dtype)
        elif isinstance(a, (list, tuple)):
            found.add(float_dtype(a))
    floats = [dtype for dtype in found if dtype is not None and dtype.kind == "f"]
    return np.result_type(*floats) if len(floats) > 1 else floats[0] if floats else None


def adopt(a: Any, dtype: Any = None) -> Any:
    """`a` as a Tensor, an array or a NumPy number; Python numbers and lists of numbers become `dtype`, if one is given.

    A nested list with Tensors in it becomes a Tensor made of them.

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
    """The arrays, with Python numbers and lists among them in the float dtype of the others, if they have one."""
    dtype = float_dtype(arrays)
    return [a if dtype is None and not holds_tensor(a) else adopt(a, dtype) for a in arrays]
