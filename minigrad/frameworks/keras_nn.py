"""Functions in Keras's `ops.nn` that differ from the ops in more than the name: windows, normalisations, losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.support.tensor_values import as_value
from ..core.tensor import Tensor
from ..ops.axes import in_floats
from .own_ops import ops
from .tensorflow_and_keras import convert_to_tensor

#: Probabilities are clipped to at least this distance from 0 and 1 before the logarithm is taken, as in Keras.
_EPSILON = 1e-7


def _channels_last(call: Any, x: Any, data_format: str | None) -> Any:
    """Move the channels of `x` to the end for the ops, apply `call`, and return the result in `data_format`."""
    if data_format not in (None, "channels_last", "channels_first"):
        raise ValueError(f"data_format must be 'channels_last' or 'channels_first', got {data_format!r}")
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
    """Return the transpose of `conv`: each element, times `kernel`, is added at its position in a larger array.

    kernel : shape (*size, channels out, channels in). data_format : "channels_first" or "channels_last", the default.
    """
    call = lambda x: ops.conv_transpose(x, kernel, strides, padding, output_padding, dilation_rate=dilation_rate)
    return _channels_last(call, inputs, data_format)


def max_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Tensor:
    """Return the largest element of each window; `strides` is `pool_size` by default."""
    return _channels_last(lambda x: ops.max_pool(x, pool_size, strides, padding), inputs, data_format)


def average_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Tensor:
    """Return the mean of each window; `strides` is `pool_size` by default."""
    return _channels_last(lambda x: ops.avg_pool(x, pool_size, strides, padding), inputs, data_format)


def layer_normalization(
    x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: float | None = None, rms_scaling: bool = False
) -> Tensor:
    """`x` shifted and scaled to mean 0 and variance 1 along `axis`, then times `gamma`, plus `beta`.

    gamma, beta : arrays with the shape of `x` along `axis`. epsilon : a number that is added to the variance, 1e-7 by
    default, as in Keras (`mg.layer_norm` adds 1e-3, like Keras's layer). rms_scaling : whether to only divide by the
    deviation and multiply by `gamma`, without subtracting the mean or adding `beta`.
    """
    x = convert_to_tensor(x)
    axes = sorted(a % x.ndim for a in ([axis] if isinstance(axis, int) else axis))
    shape = [n if i in axes else 1 for i, n in enumerate(x.shape)]
    whole = axes == [x.ndim - 1]  # for the last axis, gamma and beta broadcast without reshaping
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
    """Add up the windows in the columns of `x` at their positions in images (batch, channels, *output_size).

    x : shape (batch, channels * window elements, windows). output_size, kernel_size, dilation, padding, stride :
    one number, or one for the rows and one for the columns. Elements that fall into the padding are dropped.

    Returns a Tensor with the sums of overlapping windows. Raises ValueError if `x` has any other shape.
    `mg.fold` takes windows whose channels come last instead.

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
    # `ops.fold` takes windows arranged by position, with the channels last.
    pieces = ops.reshape(x, (len(x), x.shape[1] // window, *size, *places))
    whole = ops.fold(ops.transpose(pieces, (0, 4, 5, 2, 3, 1)), space, steps, gaps)
    inside = (slice(None), *(slice(p, p + n) for p, n in zip(around, out)))
    return ops.moveaxis(ops.getitem(whole, inside), -1, 1)


def hard_sigmoid(x: Any) -> Tensor:
    """x / 6 + 1/2, clipped to the range from 0 to 1; the slope at both ends is 0.

    >>> import minigrad as mg
    >>> mg.ops.hard_sigmoid(mg.constant([-4.0, 0.0, 4.0])).value
    array([0. , 0.5, 1. ], dtype=float32)
    """
    y = convert_to_tensor(x) / 6 + 0.5
    return ops.where(y >= 1, 1, ops.relu(y))


def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> tuple[Tensor, Tensor]:
    """Return the mean and the variance along `axes`. `synchronized` has no effect, because there is only one device.

    >>> import minigrad as mg
    >>> mean, variance = mg.ops.moments(mg.constant([1.0, 3.0]), axes=0)
    >>> float(mean), float(variance)
    (2.0, 1.0)
    """
    return ops.mean(x, axes, keepdims), ops.var(x, axes, keepdims)


def normalize(x: Any, axis: Any = -1, order: int = 2, epsilon: float | None = None) -> Tensor:
    """Divide `x` by its norm of the given order along `axis`, or by `epsilon` (1e-7 by default) if the norm is smaller.

    >>> normalize([3.0, 4.0]).value
    array([0.6, 0.8], dtype=float32)
    """
    if not isinstance(order, int) or order < 1:
        raise ValueError(f"normalize takes an order of 1, 2, ..., got {order!r}")
    x = ops.atleast_1d(x)
    # For order 2 and two axes, Keras takes the root of the sum of squares, not a matrix norm.
    length = ops.euclidean_norm(x, axis, True) if order == 2 else ops.norm(x, order, axis, True)
    return x / ops.maximum(length, _EPSILON if epsilon is None else epsilon)


def batch_normalization(
    x: Any, mean: Any, variance: Any, axis: int, offset: Any = None, scale: Any = None, epsilon: float = 1e-3
) -> Tensor:
    """scale * (x - mean) / sqrt(variance + epsilon) + offset, with one value of each parameter per index along `axis`.

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


def _logs(output: Any, from_logits: bool, axis: int) -> Any:
    output = convert_to_tensor(output)
    if from_logits:
        return ops.log_softmax(output, axis)
    return ops.log(ops.clip(output / ops.sum(output, axis, True), _EPSILON, 1 - _EPSILON))


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Tensor:
    """Return the cross entropy between probabilities `target` and `output`, or softmax(output) with from_logits=True.

    >>> import minigrad as mg
    >>> mg.ops.categorical_crossentropy([[0.0, 1.0]], [[0.0, 0.0]], from_logits=True).value
    array([0.6931472], dtype=float32)
    """
    logs = _logs(output, from_logits, axis)
    return -ops.sum(convert_to_tensor(target, logs.dtype) * logs, axis)


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Tensor:
    """Return the cross entropy between integer labels and `output`, or softmax(output) with from_logits=True.

    >>> import minigrad as mg
    >>> mg.ops.sparse_categorical_crossentropy([1], [[0.0, 0.0]], from_logits=True).value
    array([0.6931472], dtype=float32)
    """
    logs, labels = _logs(output, from_logits, axis), np.asarray(as_value(target)).astype(np.int64)
    labels = labels[..., 0] if labels.ndim == logs.ndim and labels.shape[-1] == 1 else labels
    return -ops.sum(ops.one_hot(labels, logs.shape[axis], axis, logs.dtype) * logs, axis)


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Tensor:
    """Return the cross entropy between labels from 0 to 1 and `output`, or sigmoid(output) with from_logits=True.

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
