"""Keras functions that differ from the ops in more than the name, and groups such as `ops.nn` and `ops.linalg`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.support.operands import adopt_all
from ..core.support.tensor_values import as_value
from ..core.tensor import Tensor
from ..ops.declare import BY_NUMPY
from .keras_nn import (
    average_pool,
    batch_normalization,
    binary_crossentropy,
    categorical_crossentropy,
    conv,
    conv_transpose,
    fold,
    hard_sigmoid,
    layer_normalization,
    max_pool,
    moments,
    normalize,
    sparse_categorical_crossentropy,
)
from .own_ops import ops
from .tensorflow_and_keras import (
    cond,
    convert_to_tensor,
    is_tensor,
    nd_key,
    over_rows,
    part,
    relu6,
    selu,
    softsign,
    tensor_scatter_nd_update,
    unsorted_segment_sum,
    while_loop,
)


def identity(n: Any, dtype: Any = None) -> Tensor:
    """Return the identity matrix with `n` rows. `mg.identity(x)` is TensorFlow's function, which copies a Tensor.

    >>> import minigrad as mg
    >>> mg.ops.identity(2).value
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    if not isinstance(n, (int, np.integer)):
        raise TypeError(
            f"ops.identity(n) is the identity matrix of n rows, as in Keras; n must be an integer, got {n!r:.60}; "
            f"for a copy of a Tensor write mg.identity(x), or ops.copy(x)"
        )
    return ops.eye(int(n), dtype=dtype)


def cholesky(x: Any, upper: bool = False) -> Tensor:
    """Return the lower triangular matrix L with L @ L.T equal to `x`, or its transpose if `upper` is true."""
    lower = ops.cholesky(x)
    return ops.swapaxes(lower, -1, -2) if upper else lower


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Tensor:
    """Return the shortest x that brings a @ x closest to `b`; `np.linalg.lstsq` also returns residuals, rank and s.

    >>> import minigrad as mg
    >>> mg.ops.lstsq([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]], [1.0, 3.0, 5.0]).value.round(4)
    array([2., 1.], dtype=float32)
    """
    return ops.lstsq(a, b, rcond)[0]


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Tensor:
    """Return the x with a @ x = b, using only the upper triangle of `a`, or only the lower one if `lower` is true.

    b : shape (..., n, m); or shape (..., n), with one vector for each matrix of `a`.

    >>> import minigrad as mg
    >>> mg.ops.solve_triangular([[[2.0, 0.0], [1.0, 1.0]]] * 2, [[2.0, 3.0], [4.0, 5.0]], lower=True).value
    array([[1., 2.],
           [2., 3.]], dtype=float32)
    """
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    if b.ndim != a.ndim - 1:
        return ops.triangular_solve(a, b, lower)
    return ops.squeeze(ops.triangular_solve(a, ops.expand_dims(b, -1), lower), -1)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0,
) -> Tensor | tuple[Tensor, Tensor | float]:  # fmt: skip
    """Return `num` equally spaced numbers from `start` to `stop`; with `retstep`, return their distance too.

    start, stop : numbers or arrays, which are broadcast; both have a gradient. endpoint : whether `stop` is the last
    number. dtype : the dtype of the result. axis : the position of the new axis of length `num`.

    Returns a Tensor, or with `retstep` a pair (Tensor, distance). The distance is nan if `num` is too
    small for a step.

    >>> import minigrad as mg
    >>> mg.ops.linspace(mg.constant(1.0), 3.0, 5).value
    array([1. , 1.5, 2. , 2.5, 3. ], dtype=float32)
    >>> row, distance = mg.ops.linspace(0.0, 1.0, 4, endpoint=False, retstep=True)
    >>> float(distance)
    0.25
    """
    row = ops.linspace(start, stop, num, endpoint, axis)
    row = row if dtype is None else ops.astype(row, dtype)
    steps = num - 1 if endpoint else num
    return (row, (convert_to_tensor(stop) - start) / steps if steps else np.nan) if retstep else row


def where(condition: Any, x1: Any = None, x2: Any = None) -> Tensor | tuple[Tensor, ...]:
    """Return `x1` where the condition is true, else `x2`; without `x1` and `x2`, return the indices of true elements.

    condition : an array of bools. x1, x2 : arrays of numbers, which have a gradient. All three are broadcast.

    Returns a Tensor of the common shape; or, without x1 and x2, a tuple with one int32 Tensor of indices for each axis.
    Raises ValueError if only one of x1 and x2 is passed.

    >>> import minigrad as mg
    >>> mg.ops.where([True, False], mg.constant([1.0, 2.0]), 0.0).value
    array([1., 0.], dtype=float32)
    >>> mg.ops.where([True, False, True])
    (Tensor([0, 2], shape=(2,), dtype=int32),)
    """
    if (x1 is None) != (x2 is None):
        raise ValueError("where takes both x1 and x2, or only a condition")
    if x1 is None:
        return tuple(Tensor(places.astype(np.int32)) for places in np.nonzero(as_value(condition)))
    return ops.where(condition, x1, x2)


def take_along_axis(x: Any, indices: Any, axis: int | None = None) -> Tensor:
    """Return the elements of `x` at `indices` along `axis`; by default, `x` is flattened."""
    if axis is None:
        return ops.take_along_axis(ops.ravel(x), np.ravel(as_value(indices)), 0)
    return ops.take_along_axis(x, indices, axis)


def _with_dtype(call: Any) -> Any:
    def running(x: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
        return call(convert_to_tensor(x, dtype), axis)

    running.__name__ = running.__qualname__ = call.__name__
    running.__doc__ = OPS[call.__name__].facts.says + "\n\ndtype : the dtype the elements are converted to first."
    return running


def qr(x: Any, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Return matrices q and r with q @ r equal to `x`; q has orthonormal columns, and r is upper triangular."""
    if mode != "reduced":
        raise ValueError(f"qr has mode='reduced' here, got {mode!r}; np.linalg.qr(x.numpy(), {mode!r}) has no gradient")
    q, r = ops.qr(x)
    return q, r


def average(x: Any, axis: Any = None, weights: Any = None) -> Tensor:
    """Return the weighted mean along `axis`.

    >>> import minigrad as mg
    >>> float(mg.ops.average(mg.constant([1.0, 4.0]), weights=[2.0, 1.0]))
    2.0
    """
    x, weights = adopt_all([x, weights]) if weights is not None else (x, None)
    return BY_NUMPY[np.average](convert_to_tensor(x), axis, weights)


def append(x1: Any, x2: Any, axis: int | None = None) -> Tensor:
    """Join `x1` and `x2` along `axis`; None flattens both first.

    >>> import minigrad as mg
    >>> mg.ops.append(mg.constant([1.0, 2.0]), [3.0]).value
    array([1., 2., 3.], dtype=float32)
    """
    return BY_NUMPY[np.append](*map(convert_to_tensor, adopt_all([x1, x2])), axis)


def convert_to_numpy(x: Any) -> np.ndarray[Any, Any]:
    """Return the value of `x` as an array, which is a copy if `x` is a Tensor.

    >>> import minigrad as mg
    >>> mg.ops.convert_to_numpy(mg.constant([1.0, 2.0]))
    array([1., 2.], dtype=float32)
    """
    return x.numpy() if isinstance(x, Tensor) else np.array(x)


def shape(x: Any) -> tuple[int, ...]:
    """Return the shape of `x` (a Tensor, an array, a number or a list) as a tuple of ints.

    >>> import minigrad as mg
    >>> mg.ops.shape(mg.constant([[1.0, 2.0, 3.0]]))
    (1, 3)
    """
    return np.shape(x)


def size(x: Any) -> int:
    """Return the number of elements of `x` (a Tensor, an array, a number or a list) as an int.

    >>> import minigrad as mg
    >>> mg.ops.size(mg.constant([[1.0, 2.0, 3.0]]))
    3
    """
    return int(np.size(x))


def segment_sum(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Tensor:
    """Sum the rows of `data` that have the same id, for each id below `num_segments` (by default for every id).

    >>> import minigrad as mg
    >>> mg.ops.segment_sum(mg.constant([1.0, 2.0, 4.0]), [0, 1, 0]).value
    array([5., 2.], dtype=float32)
    """
    ids = np.asarray(as_value(segment_ids))  # not recorded, because the number of rows depends on their values
    return unsorted_segment_sum(data, ids, ids.max(initial=-1) + 1 if num_segments is None else num_segments)


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: str | None = None) -> Tensor:
    """Return a copy of `inputs` with `updates` at the positions in the last axis of `indices`.

    reduction : "add" adds the updates to the existing elements.
    """
    if reduction not in (None, "add"):
        raise ValueError(f"the reduction of scatter_update must be None or 'add', got {reduction!r}")
    if reduction is None:
        return tensor_scatter_nd_update(inputs, indices, updates)
    inputs = convert_to_tensor(inputs)
    return ops.index_add(inputs, nd_key(indices, inputs.ndim), updates)


NAMES: dict[str, Any] = {
    "abs": ops.absolute, "amax": ops.max, "amin": ops.min, "max_pool": max_pool, "slogdet": ops.slogdet,
    "average_pool": average_pool, "conv": conv, "conv_transpose": conv_transpose, "identity": identity, "where": where,
    "cholesky": cholesky, "lstsq": lstsq, "linspace": linspace, "take_along_axis": take_along_axis, "qr": qr,
    "solve_triangular": solve_triangular,
    "layer_normalization": layer_normalization, "fold": fold,
    "nancumsum": _with_dtype(ops.nancumsum), "nancumprod": _with_dtype(ops.nancumprod),
    "convert_to_tensor": convert_to_tensor, "convert_to_numpy": convert_to_numpy, "is_tensor": is_tensor,
    "shape": shape, "size": size, "cond": cond, "slice": part, "map": over_rows, "vectorized_map": over_rows,
    "average": average, "append": append, "hstack": BY_NUMPY[np.hstack], "vstack": BY_NUMPY[np.vstack],
    "moments": moments, "normalize": normalize, "batch_normalization": batch_normalization, "while_loop": while_loop,
    "segment_sum": segment_sum, "scatter_update": scatter_update, "hard_sigmoid": hard_sigmoid, "swish": ops.silu,
    "relu6": relu6, "selu": selu, "softsign": softsign,
    "categorical_crossentropy": categorical_crossentropy, "binary_crossentropy": binary_crossentropy,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
}  # fmt: skip

#: The members of Keras's groups, which are also in `ops`. `ops.numpy` contains these and all of NumPy's names.
GROUPS = {
    "numpy": "get_item slogdet",
    "linalg": "cholesky det eigh inv lstsq norm pinv qr solve solve_triangular svd",
    "nn": "average_pool batch_normalization binary_crossentropy categorical_crossentropy conv conv_transpose elu fold "
    "gelu glu hard_sigmoid moments normalize "
    "layer_normalization leaky_relu log_sigmoid log_softmax max_pool one_hot relu relu6 selu sigmoid silu softmax "
    "softplus softsign sparse_categorical_crossentropy swish",
}
