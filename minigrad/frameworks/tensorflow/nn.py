"""TensorFlow's neural-network functions: `tf.nn`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.support.operands import adopt_all
from ...ops.axes import Axis
from ...ops.declare import plain
from ...ops.extreme import limit
from ..own_ops import ops
from ..tensorflow_and_keras import convert_to_tensor, relu6, selu, softsign


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1) -> Any:
    """Return the cross entropy between the probabilities `labels` and softmax(logits)."""
    return -ops.sum(ops.multiply(labels, ops.log_softmax(logits, axis)), axis)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any) -> Any:
    """Return the cross entropy between integer labels and softmax(logits).

    >>> import minigrad as mg
    >>> mg.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]]).value
    array([0.6931472], dtype=float32)
    """
    return ops.softmax_cross_entropy(logits, plain(labels))


def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any) -> Any:
    """Return the cross entropy between labels from 0 to 1 and sigmoid(logits)."""
    if np.shape(labels) != np.shape(logits):
        raise ValueError(
            f"sigmoid_cross_entropy_with_logits takes labels and logits of one shape, "
            f"got {np.shape(labels)} and {np.shape(logits)}"
        )
    return ops.sigmoid_cross_entropy(logits, labels)


def moments(x: Any, axes: Axis, shift: Any = None, keepdims: bool = False) -> tuple[Any, Any]:
    """Return the mean and the variance along `axes`.

    >>> import minigrad as mg
    >>> mean, variance = mg.nn.moments([1.0, 3.0], axes=0)
    >>> float(mean), float(variance)
    (2.0, 1.0)
    """
    return ops.mean(x, axes, keepdims), ops.var(x, axes, keepdims)


def batch_normalization(x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float) -> Any:
    """scale * (x - mean) / sqrt(variance + variance_epsilon) + offset; None leaves out the scale or the offset.

    >>> import minigrad as mg
    >>> mg.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, offset=10.0, scale=None, variance_epsilon=0.0).value
    array([ 9., 11.], dtype=float32)
    """
    x, mean, variance = adopt_all([x, mean, variance])
    y = (convert_to_tensor(x) - mean) * ops.rsqrt(variance + variance_epsilon)
    y = y if scale is None else y * scale
    return y if offset is None else y + offset


def l2_loss(t: Any) -> Any:
    """Return half the sum of squares.

    >>> import minigrad as mg
    >>> float(mg.nn.l2_loss([3.0, 4.0]))
    12.5
    """
    return ops.sum(ops.square(t)) / 2


def bias_add(value: Any, bias: Any, data_format: str | None = None) -> Any:
    """Add one number to each channel; channels are the last axis, or the second if `data_format` begins with "NC".

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


def silu(features: Any, beta: Any = 1.0) -> Any:
    """features * sigmoid(beta * features)

    >>> import minigrad as mg
    >>> mg.nn.silu([0.0, 1.0], beta=0.0).value
    array([0. , 0.5], dtype=float32)
    """
    if isinstance(beta, (int, float)) and beta == 1:
        return ops.silu(features)
    return ops.multiply(features, ops.sigmoid(ops.multiply(beta, features)))


def _space(sizes: Any, x: Any, first: bool) -> Any:
    """Return the entries of `sizes` for the spatial axes of `x`.

    As in TensorFlow, `sizes` may be one number, have an entry per spatial axis, or have an entry per axis.

    first : whether the channels come before the spatial axes.
    """
    if sizes is None:
        return 1
    full = isinstance(sizes, (list, tuple)) and len(sizes) == np.ndim(x)
    return tuple(sizes) if isinstance(sizes, list) and not full else sizes if not full else _inner(sizes, first)


def _inner(sizes: Any, first: bool) -> tuple[Any, ...]:
    """Return the spatial entries of `sizes`, which has one entry per axis; the other entries must be 1 or 0.

    Raises ValueError if they are not.
    """
    space, others = (sizes[2:], sizes[:2]) if first else (sizes[1:-1], [sizes[0], sizes[-1]])
    if any(np.any(np.asarray(n) != 1) and np.any(np.asarray(n) != 0) for n in others):
        raise ValueError(f"windows, strides and dilations must be 1 for the batch and the channels; got {sizes}")
    return tuple(space)


def _by_windows(call: Any, x: Any, data_format: str | None, padding: Any, *sizes: Any, fill: Any = 0.0) -> Any:
    """Call `call(x, *sizes, padding)` with the channels last (the ops' layout); return the result in `data_format`.

    padding : "VALID", "SAME", or a pair for each axis: how many elements of value `fill` to add before and after.
    """
    x, first = convert_to_tensor(x), (data_format or "").upper().startswith("NC")
    sizes = tuple(_space(each, x, first) for each in sizes)
    if not isinstance(padding, str):
        if fill is None:
            raise ValueError(f"the padding of this window is 'VALID' or 'SAME', got {padding!r:.60}; see tf.pad")
        if np.shape(padding) != (x.ndim, 2):
            raise ValueError(
                f"padding is 'VALID', 'SAME' or a pair (before, after) for each of {x.ndim} axes, got {padding!r:.60}"
            )
        x, padding = ops.pad(x, [tuple(map(int, pair)) for pair in padding], "constant", fill), "VALID"
    if not first:
        return call(x, sizes, padding)
    return ops.moveaxis(call(ops.moveaxis(x, 1, -1), sizes, padding), -1, 1)


def convolution(
    input: Any, filters: Any, strides: Any = None, padding: Any = "VALID", data_format: Any = None,
    dilations: Any = None,
) -> Any:  # fmt: skip
    """Return the convolution of a batch whose channels come last, or second if `data_format` begins with "NC".

    strides, dilations : one number, one per spatial axis, or one per axis. padding : "VALID", "SAME", or a pair for
    each axis: how many zeros to add before and after.
    """
    call = lambda x, sizes, padding: ops.conv(x, filters, sizes[0], padding, sizes[1])
    return _by_windows(call, input, data_format, padding, strides, dilations)


def max_pool(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None) -> Any:
    """Return the largest element of each window."""
    input = convert_to_tensor(input)
    call = lambda x, sizes, padding: ops.max_pool(x, sizes[0], sizes[1], padding)
    return _by_windows(call, input, data_format, padding, ksize, strides, fill=limit(input.dtype, -1))


def avg_pool(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None) -> Any:
    """Return the mean of each window."""
    call = lambda x, sizes, padding: ops.avg_pool(x, sizes[0], sizes[1], padding)
    return _by_windows(call, input, data_format, padding, ksize, strides, fill=None)


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str) -> Any:
    """Return each window of a batch of images as one row, in an array of shape (batch, rows, columns, elements).

    sizes, strides, rates : four numbers each; the first and the last are 1.

    >>> import minigrad as mg
    >>> image = mg.reshape(mg.arange(4.0), (1, 2, 2, 1))
    >>> mg.image.extract_patches(image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID").value
    array([[[[0., 1., 2., 3.]]]], dtype=float32)
    """
    images = convert_to_tensor(images)
    size, steps, gaps = (tuple(map(int, _inner(each, first=False))) for each in (sizes, strides, rates))
    depth = int(np.prod(size)) * images.shape[-1]
    kernel = np.eye(depth, dtype=images.dtype).reshape(*size, images.shape[-1], depth)
    return ops.conv(images, kernel, steps, padding, gaps)


NAMES: dict[str, Any] = {
    "nn.softmax_cross_entropy_with_logits": softmax_cross_entropy_with_logits,
    "nn.sparse_softmax_cross_entropy_with_logits": sparse_softmax_cross_entropy_with_logits,
    "nn.sigmoid_cross_entropy_with_logits": sigmoid_cross_entropy_with_logits,
    "nn.convolution": convolution, "nn.conv1d": convolution, "nn.conv2d": convolution, "nn.conv3d": convolution,
    "nn.max_pool": max_pool, "nn.max_pool2d": max_pool, "nn.avg_pool": avg_pool, "nn.avg_pool2d": avg_pool,
    "nn.moments": moments, "image.extract_patches": extract_patches,
    "nn.batch_normalization": batch_normalization, "nn.l2_loss": l2_loss, "nn.bias_add": bias_add,
    "nn.sigmoid": ops.sigmoid,
    "nn.tanh": ops.tanh, "nn.softplus": ops.softplus, "nn.silu": silu, "nn.swish": silu, "nn.relu6": relu6,
    "nn.selu": selu, "nn.softsign": softsign,
}  # fmt: skip
