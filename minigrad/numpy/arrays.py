"""`array` and its variants, and `r_` and `c_`, which return a Tensor if the values contain Tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..core.support.operands import adopt, adopt_all, holds_tensor


def array(object: Any, dtype: Any = None, *, ndmin: int = 0, **options: Any) -> Any:
    """Return an array, or a Tensor if `object` is a Tensor or a nested list that contains Tensors.

    Tensors never change, so `copy`, `order` and the other options of NumPy's `array` have no effect on them.

    >>> from minigrad import constant
    >>> array([constant(1.0), 2.0], ndmin=2).value
    array([[1., 2.]], dtype=float32)
    """
    if not holds_tensor(object):
        return np.array(object, dtype, ndmin=ndmin, **options)
    y = adopt(object)
    y = y if dtype is None else ops.astype(y, dtype)
    return y if y.ndim >= ndmin else ops.reshape(y, (1,) * (ndmin - y.ndim) + y.shape)


def asarray(a: Any, dtype: Any = None, **options: Any) -> Any:
    """Return `a` as an array, or as a Tensor if it is a Tensor or contains Tensors.

    >>> import minigrad as mg
    >>> import minigrad.numpy as np
    >>> np.asarray([mg.constant(1.0), 2.0])
    Tensor([1., 2.], shape=(2,), dtype=float32, op=concatenate)
    """
    return array(a, dtype) if holds_tensor(a) else np.asarray(a, dtype, **options)


def asanyarray(a: Any, dtype: Any = None, **options: Any) -> Any:
    """Return `a` as an array or an instance of a subclass, or as a Tensor if it is a Tensor or contains Tensors.

    >>> import minigrad as mg
    >>> import minigrad.numpy as np
    >>> np.asanyarray([mg.constant(1.0), 2.0])
    Tensor([1., 2.], shape=(2,), dtype=float32, op=concatenate)
    """
    return array(a, dtype) if holds_tensor(a) else np.asanyarray(a, dtype, **options)


def ascontiguousarray(a: Any, dtype: Any = None, **options: Any) -> Any:
    """Return `a` as a contiguous array with at least one axis, or as a Tensor if it is a Tensor or contains Tensors.

    >>> import minigrad as mg
    >>> import minigrad.numpy as np
    >>> np.ascontiguousarray(mg.constant([[1.0, 2.0]]).T).shape
    (2, 1)
    """
    return array(a, dtype, ndmin=1) if holds_tensor(a) else np.ascontiguousarray(a, dtype, **options)


def asfortranarray(a: Any, dtype: Any = None, **options: Any) -> Any:
    """Return `a` as an array with contiguous columns, or as a Tensor if it is a Tensor or contains Tensors.

    >>> import minigrad as mg
    >>> import minigrad.numpy as np
    >>> np.asfortranarray(mg.constant([[1.0, 2.0]])).shape
    (1, 2)
    """
    return array(a, dtype) if holds_tensor(a) else np.asfortranarray(a, dtype, **options)


class Joiner:
    """NumPy's `r_` and `c_`, which join the items in brackets. If any item is a Tensor, the result is a Tensor.

    >>> from minigrad import constant
    >>> r_[constant([1.0, 2.0]), 0.0, 5:7].value
    array([1., 2., 0., 5., 6.])
    """

    def __init__(self, theirs: Any) -> None:
        self.theirs = theirs

    def __getitem__(self, key: Any) -> Any:
        parts = list(key) if isinstance(key, tuple) else [key]
        if not any(map(holds_tensor, parts)):
            return self.theirs[key]
        parts = [np.r_[part] if isinstance(part, slice) else part for part in parts]
        texts = [part for part in parts if isinstance(part, str)]  # NumPy's directives, such as "0,2"
        values = [adopt(value) for value in adopt_all([part for part in parts if not isinstance(part, str)])]
        ends = np.cumsum([np.size(value) for value in values])
        # NumPy joins the indices of the elements; the elements are then taken at the joined indices.
        indices = [np.arange(end - np.size(v), end).reshape(np.shape(v)) for v, end in zip(values, ends)]
        pieces = (*texts, *(i if i.ndim else int(i) for i in indices))
        joined = self.theirs[pieces]
        return ops.take(ops.concatenate([ops.ravel(value) for value in values]), np.asarray(joined))

    def __repr__(self) -> str:
        return f"<{'c_' if self.theirs is np.c_ else 'r_'} of minigrad.numpy>"


r_, c_ = Joiner(np.r_), Joiner(np.c_)
