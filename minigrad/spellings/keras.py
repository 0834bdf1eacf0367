"""Keras's `ops`: functions that differ from the ops by more than the name, and the groups `ops.nn`, `ops.linalg`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..op import BY_NUMPY
from ..tensor import as_value
from .shared import cond, convert_to_tensor, is_tensor, over_rows, part, relu6, selu, softsign, unsorted_segment_sum

#: Probabilities are kept this far from 0 and 1 before the logarithm is taken, as in Keras.
_EPSILON = 1e-7


def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """The mean along `axis`, in which each element counts as much as its weight."""
    weights = None if weights is None else convert_to_tensor(weights)
    return BY_NUMPY[np.average](convert_to_tensor(x), axis, weights)


def append(x1: Any, x2: Any, axis: int | None = None) -> Any:
    """`x1` and `x2` joined along `axis`; None lays both out flat first."""
    return BY_NUMPY[np.append](convert_to_tensor(x1), convert_to_tensor(x2), axis)


def hard_sigmoid(x: Any) -> Any:
    """x / 6 + 1/2, kept between 0 and 1."""
    return ops.clip(convert_to_tensor(x) / 6 + 0.5, 0, 1)


def segment_sum(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Any:
    """The sums of the rows of `data` that have the same id: as many as `num_segments`, else as the largest id asks."""
    ids = np.asarray(as_value(segment_ids))
    return unsorted_segment_sum(data, ids, ids.max(initial=-1) + 1 if num_segments is None else num_segments)


def _logs(output: Any, from_logits: bool, axis: int) -> Any:
    output = convert_to_tensor(output)
    if from_logits:
        return ops.log_softmax(output, axis)
    return ops.log(ops.clip(output / ops.sum(output, axis, True), _EPSILON, 1 - _EPSILON))


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """The cross entropy between probabilities `target` and `output`, or softmax(output) with from_logits=True."""
    logs = _logs(output, from_logits, axis)
    return -ops.sum(ops.astype(target, logs.dtype) * logs, axis)


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """The cross entropy between integer labels and probabilities `output`, or softmax(output) with from_logits=True."""
    logs, labels = _logs(output, from_logits, axis), np.asarray(as_value(target)).astype(np.int64)
    labels = labels[..., 0] if labels.ndim == logs.ndim and labels.shape[-1] == 1 else labels
    return -ops.sum(ops.one_hot(labels, logs.shape[axis], axis, logs.dtype) * logs, axis)


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """The cross entropy between labels in 0..1 and `output`, or sigmoid(output) with from_logits=True, one for each."""
    output = convert_to_tensor(output)
    target = ops.astype(target, output.dtype)
    if from_logits:
        return ops.sigmoid_cross_entropy(output, target)
    p = ops.clip(output, _EPSILON, 1 - _EPSILON)
    return -(target * ops.log(p) + (1 - target) * ops.log(1 - p))


NAMES: dict[str, Any] = {
    "abs": ops.absolute, "amax": ops.max, "amin": ops.min, "max_pool": ops.max_pool, "slogdet": ops.slogdet,
    "convert_to_tensor": convert_to_tensor, "convert_to_numpy": np.asarray, "is_tensor": is_tensor,
    "shape": np.shape, "size": np.size, "cond": cond, "slice": part, "map": over_rows, "vectorized_map": over_rows,
    "average": average, "append": append, "hstack": BY_NUMPY[np.hstack], "vstack": BY_NUMPY[np.vstack],
    "segment_sum": segment_sum, "hard_sigmoid": hard_sigmoid, "swish": ops.silu,
    "relu6": relu6, "selu": selu, "softsign": softsign,
    "categorical_crossentropy": categorical_crossentropy, "binary_crossentropy": binary_crossentropy,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
}  # fmt: skip

#: The groups in which Keras has them a second time. `ops.numpy` has all that NumPy has, beside these.
GROUPS = {
    "numpy": "get_item slogdet",
    "linalg": "cholesky det eigh inv norm pinv qr solve solve_triangular svd",
    "nn": "average_pool binary_crossentropy categorical_crossentropy conv elu fold gelu hard_sigmoid "
    "layer_normalization leaky_relu log_sigmoid log_softmax max_pool one_hot relu relu6 selu sigmoid silu softmax "
    "softplus softsign sparse_categorical_crossentropy swish",
}
