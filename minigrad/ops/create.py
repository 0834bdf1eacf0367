"""Array creation. Fill values and the ends of `linspace` have gradients; all other values are constant."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.support.tensor_values import default_dtype
from ..core.tensor import Tensor
from .declare import composite, defop, names_as
from .identities import astype
from .shapes import broadcast_to, expand_dims, moveaxis


def _zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros in the shape and dtype of `x`."""
    return np.zeros_like(x, dtype)


def _ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones in the shape and dtype of `x`."""
    return np.ones_like(x, dtype)


zeros_like = defop(
    "zeros_like", _zeros_like, numpy=np.zeros_like, names=names_as("zeros_like"),
    example=([1.0, 2.0],),
)
ones_like = defop(
    "ones_like", _ones_like, numpy=np.ones_like, names=names_as("ones_like"),
    example=([1.0, 2.0],),
)


def _one_hot(indices: Any, depth: int, axis: int = -1, dtype: Any = None) -> Any:
    """One row of `depth` zeros for each index, with a 1 at the index; all zeros if the index is out of range."""
    if depth < 0:
        raise ValueError(f"depth must be at least 0, got {depth}")
    if np.asarray(indices).dtype.kind not in "iub":
        raise TypeError(f"indices must be integers, got {np.asarray(indices).dtype}; write astype(indices, 'int32')")
    hot = np.asarray(indices)[..., None] == np.arange(depth)
    return np.moveaxis(hot.astype(dtype or default_dtype()), -1, axis)


one_hot = defop(
    "one_hot", _one_hot, names=names_as("one_hot", torch="nn.functional.one_hot", jax="nn.one_hot"),
    example=([2, 0], 3),
)


Tensor.imag = property(zeros_like, doc="Zeros: a Tensor holds no complex numbers.")  # type: ignore[method-assign, assignment]


@composite(arrays=2, numpy=np.full_like, names=names_as("full_like", tf=""), example=([1.0, 1.0], 3.0),
           samples=((np.ones(2), 3.0),))  # fmt: skip
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """`fill_value`, which may be a Tensor, repeated in the shape and dtype of `x`."""
    fill_value = Tensor(fill_value) if isinstance(x, Tensor) and not isinstance(fill_value, Tensor) else fill_value
    return broadcast_to(astype(fill_value, dtype or x.dtype), x.shape)


@composite(arrays=2, numpy=np.linspace, latex="a + t (b - a)", names=names_as("linspace"),
           samples=((1.0, 3.0, 5), ([1.0, 0.0], 3.0, 4), (1.0, 3.0, 4, False)))  # fmt: skip
def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, axis: int = 0) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, along a new axis; differentiable in both ends."""
    start, stop = (x if x.dtype.kind == "f" else astype(x, default_dtype()) for x in (start, stop))
    steps = np.linspace(0, 1, num, endpoint).astype(np.result_type(start.dtype, stop.dtype))
    steps = steps.reshape((num,) + (1,) * max(start.ndim, stop.ndim))
    row = expand_dims(start, 0) * (1 - steps) + expand_dims(stop, 0) * steps
    return moveaxis(row, 0, axis) if axis else row


def zeros(shape: Any, dtype: Any = None) -> Tensor:
    """A Tensor of zeros with the default float dtype.

    >>> zeros((2,))
    Tensor([0., 0.], shape=(2,), dtype=float32)
    """
    return Tensor(np.zeros(shape, dtype or default_dtype()))


def ones(shape: Any, dtype: Any = None) -> Tensor:
    """A Tensor of ones with the default float dtype.

    >>> ones((2,))
    Tensor([1., 1.], shape=(2,), dtype=float32)
    """
    return Tensor(np.ones(shape, dtype or default_dtype()))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """`fill_value`, which may be a Tensor, repeated to fill `shape`.

    >>> full((2,), 3.0).value
    array([3., 3.], dtype=float32)
    """
    value = fill_value if isinstance(fill_value, Tensor) else Tensor(fill_value, dtype)
    return broadcast_to(value if dtype is None else astype(value, dtype), shape)


def eye(n: int, m: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """An n by m Tensor with ones on diagonal number `k`; by default the identity matrix.

    >>> eye(2).value
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return Tensor(np.eye(n, m, k, dtype or default_dtype()))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """The numbers from `start` (by default 0) up to but not including `stop`.

    >>> import minigrad as mg
    >>> mg.arange(0, 10, 3).value
    array([0, 3, 6, 9], dtype=int32)
    """
    start, stop = (0, start) if stop is None else (start, stop)
    if step == 0:
        raise ValueError("arange never reaches its end with step 0; linspace(start, stop, num) takes a count")
    return Tensor(np.arange(start, stop, step).tolist(), dtype)
