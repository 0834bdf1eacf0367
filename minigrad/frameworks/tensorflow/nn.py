"""TensorFlow's functions of neural networks: `tf.nn`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...core.operands import adopt_all
from ...ops.axes import Axis
from ..tensorflow_and_keras import convert_to_tensor, relu6, selu, softsign


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str = "") -> Any:
    """The cross entropy between the probabilities `labels` and softmax(logits)."""
    return -ops.sum(ops.multiply(labels, ops.log_softmax(logits, axis)), axis)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str = "") -> Any:
    """The cross entropy between integer labels and softmax(logits).

    >>> import minigrad as mg
    >>> mg.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]]).value
    array([0.6931472], dtype=float32)
    """
    return ops.softmax_cross_entropy(logits, np.asarray(labels))


def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str = "") -> Any:
    """The cross entropy between labels in 0..1 and sigmoid(logits)."""
    return ops.sigmoid_cross_entropy(logits, labels)


def moments(x: Any, axes: Axis, shift: Any = None, keepdims: bool = False, name: str = "") -> tuple[Any, Any]:
    """The mean and the variance along `axes`.

    >>> import minigrad as mg
    >>> mean, variance = mg.nn.moments([1.0, 3.0], axes=0)
    >>> float(mean), float(variance)
    (2.0, 1.0)
    """
    return ops.mean(x, axes, keepdims), ops.var(x, axes, keepdims)


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float, name: str = ""
) -> Any:
    """scale * (x - mean) / sqrt(variance + variance_epsilon) + offset; None leaves out the scale or the offset.

    >>> import minigrad as mg
    >>> mg.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, offset=10.0, scale=None, variance_epsilon=0.0).value
    array([ 9., 11.], dtype=float32)
    """
    x, mean, variance = adopt_all([x, mean, variance])
    y = (convert_to_tensor(x) - mean) * ops.rsqrt(variance + variance_epsilon)
    y = y if scale is None else y * scale
    return y if offset is None else y + offset


def l2_loss(t: Any, name: str = "") -> Any:
    """Half the sum of squares.

    >>> import minigrad as mg
    >>> float(mg.nn.l2_loss([3.0, 4.0]))
    12.5
    """
    return ops.sum(ops.square(t)) / 2


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str = "") -> Any:
    """`value` plus one number for each channel: the last axis, or the second if `data_format` begins with "NC".

    >>> import minigrad as mg
    >>> mg.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]).value
    array([[11., 22.],
           [13., 24.]], dtype=float32)
    """
    value, bias = map(convert_to_tensor, adopt_all([value, bias]))
    axis = 1 if (data_format or "").startswith("NC") else value.ndim - 1
    if value.ndim < 2 or bias.shape != value.shape[axis : axis + 1]:
        raise ValueError(
            f"bias_add takes one number for each channel of a batch: axis {axis} of shape {value.shape}, "
            f"got a bias of shape {bias.shape}"
        )
    return value + ops.reshape(bias, (-1,) + (1,) * (value.ndim - 1 - axis))


def _space(sizes: Any, x: Any) -> Any:
    """The entries for the spatial axes in TensorFlow's sizes, which may have one for each axis of `x`."""
    full = isinstance(sizes, (list, tuple)) and len(sizes) == np.ndim(x)
    return tuple(sizes[1:-1]) if full else sizes


def convolution(
    input: Any, filters: Any, strides: Any = 1, padding: str = "VALID", data_format: Any = None, dilations: Any = 1,
    name: str = "",
) -> Any:  # fmt: skip
    """The convolution of a batch, channels last."""
    return ops.conv(input, filters, _space(strides, input), padding, _space(dilations, input))


def max_pool(input: Any, ksize: Any, strides: Any, padding: str, data_format: Any = None, name: str = "") -> Any:
    """The largest element of each window."""
    return ops.max_pool(input, _space(ksize, input), _space(strides, input), padding)


def avg_pool(input: Any, ksize: Any, strides: Any, padding: str, data_format: Any = None, name: str = "") -> Any:
    """The mean of each window."""
    return ops.avg_pool(input, _space(ksize, input), _space(strides, input), padding)


NAMES: dict[str, Any] = {
    "nn.softmax_cross_entropy_with_logits": softmax_cross_entropy_with_logits,
    "nn.sparse_softmax_cross_entropy_with_logits": sparse_softmax_cross_entropy_with_logits,
    "nn.sigmoid_cross_entropy_with_logits": sigmoid_cross_entropy_with_logits,
    "nn.convolution": convolution, "nn.conv1d": convolution, "nn.conv2d": convolution, "nn.conv3d": convolution,
    "nn.max_pool": max_pool, "nn.max_pool2d": max_pool, "nn.avg_pool": avg_pool, "nn.avg_pool2d": avg_pool,
    "nn.moments": moments,
    "nn.batch_normalization": batch_normalization, "nn.l2_loss": l2_loss, "nn.bias_add": bias_add,
    "nn.sigmoid": ops.sigmoid,
    "nn.tanh": ops.tanh, "nn.softplus": ops.softplus, "nn.swish": ops.silu, "nn.relu6": relu6,
    "nn.selu": selu, "nn.softsign": softsign,
}  # fmt: skip
