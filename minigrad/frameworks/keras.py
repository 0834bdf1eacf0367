"""Functions of Keras that differ from the ops in more than the name, and the groups `ops.nn` and `ops.linalg`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.support.operands import adopt_all
from ..core.support.tensor_values import as_value
from ..core.tensor import Tensor
from ..ops.axes import in_floats
from ..ops.declare import BY_NUMPY
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

#: Probabilities are kept this far from 0 and 1 before the logarithm is taken, as in Keras.
_EPSILON = 1e-7


def _channels_last(call: Any, x: Any, data_format: str | None) -> Any:
    """call(x) with the channels of `x` last, as our ops have them, and the result as `data_format` says."""
    if data_format not in (None, "channels_last", "channels_first"):
        raise ValueError(f"data_format is 'channels_last' or 'channels_first', got {data_format!r}")
    if data_format != "channels_first":
        return call(convert_to_tensor(x))
    return ops.moveaxis(call(ops.moveaxis(convert_to_tensor(x), 1, -1)), -1, 1)


def conv(
    inputs: Any, kernel: Any, strides: Any = 1, padding: str = "valid", data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Tensor:  # fmt: skip
    """Slide `kernel` over the spatial axes of a batch and sum the products at each position.

    kernel : shape (*size, channels in, channels out). data_format : "channels_first" or "channels_last", the default.
    """
    return _channels_last(lambda x: ops.conv(x, kernel, strides, padding, dilation_rate), inputs, data_format)


def conv_transpose(
    inputs: Any, kernel: Any, strides: Any = 1, padding: str = "valid", output_padding: Any = None,
    data_format: str | None = None, dilation_rate: Any = 1,
) -> Tensor:  # fmt: skip
    """The transpose of `conv`: each element, times `kernel`, is added at its position in a larger array.

    kernel : shape (*size, channels out, channels in). data_format : "channels_first" or "channels_last", the default.
    """
    call = lambda x: ops.conv_transpose(x, kernel, strides, padding, output_padding, dilation_rate=dilation_rate)
    return _channels_last(call, inputs, data_format)


def max_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Tensor:
    """The largest element of each window; `strides` is `pool_size` by default."""
    return _channels_last(lambda x: ops.max_pool(x, pool_size, strides, padding), inputs, data_format)


def average_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Tensor:
    """The mean of each window; `strides` is `pool_size` by default."""
    return _channels_last(lambda x: ops.avg_pool(x, pool_size, strides, padding), inputs, data_format)


def identity(n: Any, dtype: Any = None) -> Tensor:
    """The identity matrix of `n` rows. `mg.identity(x)` is TensorFlow's: a copy of a Tensor.

    >>> import minigrad as mg
    >>> mg.ops.identity(2).value
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    if not isinstance(n, (int, np.integer)):
        raise TypeError(
            f"ops.identity(n) is the identity matrix of n rows, as in Keras, and n is an integer, got {n!r:.60}; "
            f"for a copy of a Tensor write mg.identity(x), or ops.copy(x)"
        )
    return ops.eye(int(n), dtype=dtype)


def cholesky(x: Any, upper: bool = False) -> Tensor:
    """The lower triangular matrix L with L @ L.T equal to `x`, or its transpose if `upper` is true."""
    lower = ops.cholesky(x)
    return ops.swapaxes(lower, -1, -2) if upper else lower


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Tensor:
    """The shortest x for which a @ x is closest to `b`. `np.linalg.lstsq` also returns residuals, rank and `s`.

    >>> import minigrad as mg
    >>> mg.ops.lstsq([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]], [1.0, 3.0, 5.0]).value.round(4)
    array([2., 1.], dtype=float32)
    """
    return ops.lstsq(a, b, rcond)[0]


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Tensor:
    """The x with a @ x = b, using only the upper triangle of `a`, or the lower one.

    b : shape (..., n, m), or (..., n) with one vector for each matrix of `a`.

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
    """`num` numbers at equal distances from `start` to `stop`; with `retstep` also their distance, as a pair.

    start, stop : numbers or arrays, which are broadcast; both have a gradient. endpoint : whether `stop` is the last
    number. dtype : to which the numbers are converted. axis : the position of the new axis of `num` numbers.

    Returns a Tensor, or the pair (Tensor, distance); the distance is nan if there is no step.

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
    """`x1` where the condition holds, else `x2`; for a condition without them, the indices where it holds.

    condition, x1, x2 : arrays of bools and of numbers, which are broadcast; x1 and x2 have a gradient.

    Returns a Tensor of the common shape; for a condition without x1 and x2, a tuple of one int32 Tensor for each axis.
    Raises ValueError if only one of x1 and x2 is passed.

    >>> import minigrad as mg
    >>> mg.ops.where([True, False], mg.constant([1.0, 2.0]), 0.0).value
    array([1., 0.], dtype=float32)
    >>> mg.ops.where([True, False, True])
    (Tensor([0, 2], shape=(2,), dtype=int32),)
    """
    if (x1 is None) != (x2 is None):
        raise ValueError("where takes both x1 and x2, or a condition alone")
    if x1 is None:
        return tuple(Tensor(places.astype(np.int32)) for places in np.nonzero(as_value(condition)))
    return ops.where(condition, x1, x2)


def take_along_axis(x: Any, indices: Any, axis: int | None = None) -> Tensor:
    """The elements of `x` at `indices` along `axis`; by default of all elements in a row."""
    if axis is None:
        return ops.take_along_axis(ops.ravel(x), np.ravel(as_value(indices)), 0)
    return ops.take_along_axis(x, indices, axis)


def layer_normalization(
    x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: float | None = None, rms_scaling: bool = False
) -> Tensor:
    """`x` shifted and scaled to mean 0 and variance 1 along `axis`, then times `gamma`, plus `beta`.

    gamma, beta : of the shape of `x` along `axis`. epsilon : added to the variance; 1e-7 by default, as in Keras
    (`mg.layer_norm` has 1e-3, as Keras's layer). rms_scaling : only divide by the deviation, and leave out `beta`.
    """
    x = convert_to_tensor(x)
    axes = sorted(a % x.ndim for a in ([axis] if isinstance(axis, int) else axis))
    shape = [n if i in axes else 1 for i, n in enumerate(x.shape)]
    whole = axes == [x.ndim - 1]
    gamma, beta = (
        a if a is None or whole or np.ndim(a) == x.ndim else ops.reshape(convert_to_tensor(a, x.dtype), shape)
        for a in (gamma, beta)
    )
    epsilon = _EPSILON if epsilon is None else epsilon
    if rms_scaling:
        y = x * ops.rsqrt(ops.var(x, tuple(axes), True) + epsilon)
        return y if gamma is None else y * gamma
    return ops.layer_norm(x, gamma, beta, tuple(axes), epsilon)


def fold(
    x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:  # fmt: skip
    """Add windows at their positions: the columns of `x` to images of shape (batch, channels, *output_size).

    x : shape (batch, channels * elements of a window, windows). output_size, kernel_size, dilation, padding, stride :
    one number, or one for the rows and one for the columns. Elements that fall into the padding are dropped.

    Returns a Tensor; elements of windows that overlap are added. Raises ValueError if `x` has another shape.
    `mg.fold` takes windows with the channels last instead.

    >>> import minigrad as mg
    >>> columns = mg.constant([[[1.0, 2.0], [3.0, 4.0]]])  # two windows of 1 by 2 elements, which overlap
    >>> mg.ops.fold(columns, output_size=(1, 3), kernel_size=(1, 2)).value
    array([[[[1., 5., 4.]]]], dtype=float32)
    """
    x = convert_to_tensor(x)
    out, size, gaps, around, steps = (
        (n, n) if isinstance(n, int) else tuple(n) for n in (output_size, kernel_size, dilation, padding, stride)
    )
    space = tuple(n + 2 * p for n, p in zip(out, around))
    places = [(n - d * (k - 1) - 1) // s + 1 for n, k, d, s in zip(space, size, gaps, steps)]
    window, windows = math.prod(size), math.prod(places)
    if x.ndim != 3 or x.shape[1] % window or x.shape[2] != windows:
        raise ValueError(
            f"fold takes x of shape (batch, channels * {window}, {windows}) for output_size={output_size} and "
            f"kernel_size={kernel_size}, got shape {x.shape}"
        )
    pieces = ops.reshape(x, (len(x), x.shape[1] // window, *size, *places))
    whole = ops.fold(ops.transpose(pieces, (0, 4, 5, 2, 3, 1)), space, steps, gaps)
    inside = (slice(None), *(slice(p, p + n) for p, n in zip(around, out)))
    return ops.moveaxis(ops.getitem(whole, inside), -1, 1)


def _with_dtype(call: Any) -> Any:
    def running(x: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
        return call(convert_to_tensor(x, dtype), axis)

    running.__name__ = running.__qualname__ = call.__name__
    running.__doc__ = OPS[call.__name__].facts.says + "\n\ndtype : to which the elements are converted first."
    return running


def qr(x: Any, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Matrices q and r with q @ r equal to `x`: q has orthonormal columns, r is upper triangular."""
    if mode != "reduced":
        raise ValueError(f"qr has mode='reduced' here, got {mode!r}; np.linalg.qr(x.numpy(), {mode!r}) has no gradient")
    q, r = ops.qr(x)
    return q, r


def average(x: Any, axis: Any = None, weights: Any = None) -> Tensor:
    """The mean along `axis`, in which each element counts as much as its weight.

    >>> import minigrad as mg
    >>> float(mg.ops.average(mg.constant([1.0, 4.0]), weights=[2.0, 1.0]))
    2.0
    """
    x, weights = adopt_all([x, weights]) if weights is not None else (x, None)
    return BY_NUMPY[np.average](convert_to_tensor(x), axis, weights)


def append(x1: Any, x2: Any, axis: int | None = None) -> Tensor:
    """`x1` and `x2` joined along `axis`; None flattens both first.

    >>> import minigrad as mg
    >>> mg.ops.append(mg.constant([1.0, 2.0]), [3.0]).value
    array([1., 2., 3.], dtype=float32)
    """
    return BY_NUMPY[np.append](*map(convert_to_tensor, adopt_all([x1, x2])), axis)


def convert_to_numpy(x: Any) -> np.ndarray[Any, Any]:
    """A copy of the value of a Tensor, or `x` as an array.

    >>> import minigrad as mg
    >>> mg.ops.convert_to_numpy(mg.constant([1.0, 2.0]))
    array([1., 2.], dtype=float32)
    """
    return x.numpy() if isinstance(x, Tensor) else np.array(x)


def shape(x: Any) -> tuple[int, ...]:
    """The shape of `x`, a Tensor, an array, a number or a list, as a tuple of ints.

    >>> import minigrad as mg
    >>> mg.ops.shape(mg.constant([[1.0, 2.0, 3.0]]))
    (1, 3)
    """
    return np.shape(x)


def size(x: Any) -> int:
    """The number of elements of `x`, a Tensor, an array, a number or a list, as an int.

    >>> import minigrad as mg
    >>> mg.ops.size(mg.constant([[1.0, 2.0, 3.0]]))
    3
    """
    return int(np.size(x))


def hard_sigmoid(x: Any) -> Tensor:
    """x / 6 + 1/2, kept between 0 and 1; its slope is 0 at both.

    >>> import minigrad as mg
    >>> mg.ops.hard_sigmoid(mg.constant([-4.0, 0.0, 4.0])).value
    array([0. , 0.5, 1. ], dtype=float32)
    """
    y = convert_to_tensor(x) / 6 + 0.5
    return ops.where(y >= 1, 1, ops.relu(y))


def segment_sum(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Tensor:
    """The sums of the rows of `data` that have the same id, for ids below `num_segments`; by default for all.

    >>> import minigrad as mg
    >>> mg.ops.segment_sum(mg.constant([1.0, 2.0, 4.0]), [0, 1, 0]).value
    array([5., 2.], dtype=float32)
    """
    ids = np.asarray(as_value(segment_ids))
    return unsorted_segment_sum(data, ids, ids.max(initial=-1) + 1 if num_segments is None else num_segments)


def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> tuple[Tensor, Tensor]:
    """The mean and the variance along `axes`. `synchronized` has no effect: there is one device.

    >>> import minigrad as mg
    >>> mean, variance = mg.ops.moments(mg.constant([1.0, 3.0]), axes=0)
    >>> float(mean), float(variance)
    (2.0, 1.0)
    """
    return ops.mean(x, axes, keepdims), ops.var(x, axes, keepdims)


def normalize(x: Any, axis: Any = -1, order: int = 2, epsilon: float | None = None) -> Tensor:
    """`x` divided by its norm of that order along `axis`; a norm below `epsilon`, by default 1e-7, counts as `epsilon`.

    >>> normalize([3.0, 4.0]).value
    array([0.6, 0.8], dtype=float32)
    """
    if not isinstance(order, int) or order < 1:
        raise ValueError(f"normalize takes an order of 1, 2, ..., got {order!r}")
    x = ops.atleast_1d(x)
    # of order 2 Keras takes the squares of all elements along the axes, not the norm of a matrix
    length = ops.euclidean_norm(x, axis, True) if order == 2 else ops.norm(x, order, axis, True)
    return x / ops.maximum(length, _EPSILON if epsilon is None else epsilon)


def batch_normalization(
    x: Any, mean: Any, variance: Any, axis: int, offset: Any = None, scale: Any = None, epsilon: float = 1e-3
) -> Tensor:
    """scale * (x - mean) / sqrt(variance + epsilon) + offset, each with one number per index along `axis`.

    >>> import minigrad as mg
    >>> x = mg.constant([[1.0, 2.0], [3.0, 6.0]])
    >>> mg.ops.batch_normalization(x, [2.0, 4.0], [1.0, 4.0], axis=1, epsilon=0.0).value
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    """
    x = convert_to_tensor(x)
    shape = [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]
    mean, variance, offset, scale = (
        a if a is None else ops.reshape(convert_to_tensor(a), shape) for a in (mean, variance, offset, scale)
    )
    y = (x - mean) * ops.rsqrt(variance + epsilon)
    y = y if scale is None else y * scale
    return y if offset is None else y + offset


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: str | None = None) -> Tensor:
    """A copy of `inputs` with `updates` at the positions in the last axis of `indices`.

    reduction : "add" adds them to what is there.
    """
    if reduction not in (None, "add"):
        raise ValueError(f"the reduction of scatter_update is None or 'add' here, got {reduction!r}")
    if reduction is None:
        return tensor_scatter_nd_update(inputs, indices, updates)
    inputs = convert_to_tensor(inputs)
    return ops.index_add(inputs, nd_key(indices, inputs.ndim), updates)


def _logs(output: Any, from_logits: bool, axis: int) -> Any:
    output = convert_to_tensor(output)
    if from_logits:
        return ops.log_softmax(output, axis)
    return ops.log(ops.clip(output / ops.sum(output, axis, True), _EPSILON, 1 - _EPSILON))


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Tensor:
    """The cross entropy between probabilities `target` and `output`, or softmax(output) with from_logits=True.

    >>> import minigrad as mg
    >>> mg.ops.categorical_crossentropy([[0.0, 1.0]], [[0.0, 0.0]], from_logits=True).value
    array([0.6931472], dtype=float32)
    """
    logs = _logs(output, from_logits, axis)
    return -ops.sum(convert_to_tensor(target, logs.dtype) * logs, axis)


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Tensor:
    """The cross entropy between integer labels and probabilities `output`, or softmax(output) with from_logits=True.

    >>> import minigrad as mg
    >>> mg.ops.sparse_categorical_crossentropy([1], [[0.0, 0.0]], from_logits=True).value
    array([0.6931472], dtype=float32)
    """
    logs, labels = _logs(output, from_logits, axis), np.asarray(as_value(target)).astype(np.int64)
    labels = labels[..., 0] if labels.ndim == logs.ndim and labels.shape[-1] == 1 else labels
    return -ops.sum(ops.one_hot(labels, logs.shape[axis], axis, logs.dtype) * logs, axis)


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Tensor:
    """The cross entropy between labels in 0..1 and `output`, or sigmoid(output) with from_logits=True.

    >>> import minigrad as mg
    >>> mg.ops.binary_crossentropy([1.0], [0.0], from_logits=True).value
    array([0.6931472], dtype=float32)
    """
    output = in_floats(convert_to_tensor(output), "float32")
    target = convert_to_tensor(target, output.dtype)
    if target.shape != output.shape:
        raise ValueError(
            f"binary_crossentropy takes a target and an output of one shape, got {target.shape} and {output.shape}"
        )
    if from_logits:
        return ops.sigmoid_cross_entropy(output, target)
    p = ops.clip(output, _EPSILON, 1 - _EPSILON)
    return -(target * ops.log(p) + (1 - target) * ops.log(1 - p))


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

#: The members of Keras's groups, which are also in `ops`. `ops.numpy` has the names that NumPy has, besides these.
GROUPS = {
    "numpy": "get_item slogdet",
    "linalg": "cholesky det eigh inv lstsq norm pinv qr solve solve_triangular svd",
    "nn": "average_pool batch_normalization binary_crossentropy categorical_crossentropy conv conv_transpose elu fold "
    "gelu glu hard_sigmoid moments normalize "
    "layer_normalization leaky_relu log_sigmoid log_softmax max_pool one_hot relu relu6 selu sigmoid silu softmax "
    "softplus softsign sparse_categorical_crossentropy swish",
}
