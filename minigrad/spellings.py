"""Functions that TensorFlow or Keras have under an order of arguments, or with options, of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import ops
from .ops.reduce import Axis
from .ops.shape import along
from .tensor import Tensor, default_dtype


def convert_to_tensor(value: Any, dtype: Any = None, name: str = "") -> Tensor:
    """`value` as a Tensor; a Tensor stays what it is unless `dtype` asks for another."""
    if isinstance(value, Tensor):
        return value if dtype is None or value.dtype == np.dtype(dtype) else ops.astype(value, dtype)
    if isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) for v in value):
        return ops.stack(value)
    return Tensor(value, dtype)


def shape(x: Any) -> Tensor:
    """The shape as a Tensor of integers; `x.shape` is the tuple."""
    return Tensor(np.array(np.shape(x), np.int32))


def size(x: Any) -> Tensor:
    """How many elements `x` has."""
    return Tensor(int(np.size(x)))


def rank(x: Any) -> Tensor:
    """How many axes `x` has."""
    return Tensor(np.ndim(x))


def tf_range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "") -> Tensor:
    """The numbers from `start` up to but not `limit`."""
    start, limit, delta = (x if x is None else np.asarray(x).item() for x in (start, limit, delta))
    return ops.arange(start, limit, delta, dtype)


def tf_matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: str = "") -> Any:
    """The matrix product, of the transposes if so asked."""
    a = ops.swapaxes(a, -1, -2) if transpose_a else a
    return ops.matmul(a, ops.swapaxes(b, -1, -2) if transpose_b else b)


def tf_split(value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None, name: str = "") -> Any:
    """Cut `value` along `axis`: into that many equal parts, or into parts of those sizes."""
    if isinstance(num_or_size_splits, (int, np.integer)):
        return ops.split(value, num_or_size_splits, axis)
    return ops.split(value, np.cumsum(num_or_size_splits)[:-1], axis)


def tf_gather(params: Any, indices: Any, axis: int = 0, batch_dims: int = 0, name: str = "") -> Any:
    """The elements of `params` at `indices` along `axis`."""
    if batch_dims:
        return ops.take_along_axis(params, indices, axis or -1)
    return ops.take(params, indices, axis)


def _running(call: Any) -> Any:
    def scan(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str = "") -> Any:
        x = x if isinstance(x, (Tensor, np.ndarray)) else Tensor(x)
        x = ops.flip(x, axis) if reverse else x
        if exclusive:  # the first result is what nothing adds up to, or multiplies to
            first = ops.getitem(x, along(x, axis, slice(0, 1)))
            unit = ops.zeros_like(first) if call is ops.cumsum else ops.ones_like(first)
            x = ops.concatenate([unit, ops.getitem(x, along(x, axis, slice(0, -1)))], axis)
        y = call(x, axis)
        return ops.flip(y, axis) if reverse else y

    scan.__doc__ = f"{call.__doc__}\n\nexclusive: leave out the element itself. reverse: start at the end."
    return scan


def tf_argmax(input: Any, axis: int | None = None, output_type: Any = None, name: str = "") -> Any:
    """The place of the largest element along `axis`, the first axis by default."""
    return ops.argmax(input, axis or 0)


def tf_argmin(input: Any, axis: int | None = None, output_type: Any = None, name: str = "") -> Any:
    """The place of the smallest element along `axis`, the first axis by default."""
    return ops.argmin(input, axis or 0)


def tf_sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str = "") -> Any:
    """The elements in order along `axis`."""
    return ops.sort(values, axis) if direction == "ASCENDING" else -ops.sort(-convert_to_tensor(values), axis)


def tf_norm(tensor: Any, ord: Any = "euclidean", axis: Axis = None, keepdims: bool = False, name: str = "") -> Any:
    """The norm of all elements taken as one vector, or of vectors along an axis, or of matrices along two."""
    if axis is None and ord not in ("euclidean", "fro"):
        tensor, axis = ops.ravel(tensor), 0
    return ops.norm(tensor, ord, axis, keepdims)


def tf_svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str = "") -> Any:
    """The singular values first, then U and V, not transposed."""
    if not compute_uv:
        return ops.svdvals(tensor)
    u, s, vt = ops.svd(tensor, full_matrices)
    return s, u, ops.swapaxes(vt, -1, -2)


def tf_slogdet(input: Any, name: str = "") -> Any:
    """The sign of the determinant and the logarithm of its size."""
    return ops.slogdet(input)


def tf_logdet(input: Any, name: str = "") -> Any:
    """The logarithm of the determinant of a positive definite matrix."""
    return ops.slogdet(input)[1]


def tf_top_k(input: Any, k: int = 1, sorted: bool = True, name: str = "") -> Any:
    """The `k` largest elements along the last axis and their places."""
    return ops.top_k(input, k)


def tf_one_hot(
    indices: Any, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1, dtype: Any = None, name: str = ""
) -> Any:
    """For each index a row of `depth` with `on_value` at that place, `off_value` elsewhere."""
    hot = ops.one_hot(indices, depth, axis, dtype)
    return hot if (on_value, off_value) == (1, 0) else ops.where(hot == 1, on_value, off_value)


def add_n(inputs: Sequence[Any], name: str = "") -> Any:
    """The sum of Tensors of one shape."""
    return ops.sum(ops.stack(inputs), 0)


def squared_difference(x: Any, y: Any, name: str = "") -> Any:
    """(x - y)**2"""
    return ops.square(ops.subtract(x, y))


def divide_no_nan(x: Any, y: Any, name: str = "") -> Any:
    """x / y, and 0 with slopes 0 where y is 0."""
    hole = ops.equal(y, 0)
    return ops.where(hole, 0, x) / ops.where(hole, 1, y)


def fill(dims: Any, value: Any, name: str = "") -> Any:
    """`value` repeated in the shape `dims`."""
    return ops.full(tuple(int(n) for n in dims), value)


def tf_eye(num_rows: int, num_columns: int | None = None, dtype: Any = None, name: str = "") -> Tensor:
    """The identity matrix."""
    return ops.eye(num_rows, num_columns, dtype=dtype)


def global_norm(t_list: Sequence[Any], name: str = "") -> Any:
    """The length of several Tensors taken as one vector."""
    return ops.sqrt(sum((ops.sum(ops.square(t)) for t in t_list[1:]), ops.sum(ops.square(t_list[0]))))


def clip_by_global_norm(t_list: Sequence[Any], clip_norm: float, use_norm: Any = None, name: str = "") -> Any:
    """Several Tensors scaled down together to the length `clip_norm` if they are longer, and that length."""
    length = global_norm(t_list) if use_norm is None else use_norm
    scale = clip_norm / ops.maximum(length, clip_norm)
    return [t * scale for t in t_list], length


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str = "") -> Any:
    """The cross entropy between the probabilities `labels` and softmax(logits)."""
    return -ops.sum(ops.multiply(labels, ops.log_softmax(logits, axis)), axis)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str = "") -> Any:
    """The cross entropy between integer labels and softmax(logits)."""
    return ops.softmax_cross_entropy(logits, np.asarray(labels))


def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str = "") -> Any:
    """The cross entropy between labels in 0..1 and sigmoid(logits)."""
    return ops.sigmoid_cross_entropy(logits, labels)


def moments(x: Any, axes: Axis, shift: Any = None, keepdims: bool = False, name: str = "") -> tuple[Any, Any]:
    """The mean and the variance along `axes`."""
    return ops.mean(x, axes, keepdims), ops.var(x, axes, keepdims)


def _space(sizes: Any, x: Any) -> Any:
    """TensorFlow's four strides of an image are those of its two axes in space."""
    full = isinstance(sizes, (list, tuple)) and len(sizes) == np.ndim(x)
    return tuple(sizes[1:-1]) if full else sizes


def convolution(
    input: Any, filters: Any, strides: Any = 1, padding: str = "VALID", data_format: Any = None, dilations: Any = 1,
    name: str = "",
) -> Any:  # fmt: skip
    """The convolution of a batch, channels last."""
    return ops.conv(input, filters, _space(strides, input), padding, _space(dilations, input))


def tf_max_pool(input: Any, ksize: Any, strides: Any, padding: str, data_format: Any = None, name: str = "") -> Any:
    """The largest element of each window."""
    return ops.max_pool(input, _space(ksize, input), _space(strides, input), padding)


def tf_avg_pool(input: Any, ksize: Any, strides: Any, padding: str, data_format: Any = None, name: str = "") -> Any:
    """The mean of each window."""
    return ops.avg_pool(input, _space(ksize, input), _space(strides, input), padding)


def l2_loss(t: Any, name: str = "") -> Any:
    """Half the sum of squares."""
    return ops.sum(ops.square(t)) / 2


class Generator:
    """Random Tensors from a seed: `tf.random.Generator.from_seed(1).normal((2, 3))`."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    @classmethod
    def from_seed(cls, seed: int, alg: Any = None) -> Generator:
        return cls(np.random.default_rng(seed))

    def normal(self, shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, name: str = "") -> Tensor:
        return Tensor(self.rng.normal(mean, stddev, tuple(shape)), dtype or default_dtype())

    def uniform(self, shape: Any, minval: float = 0, maxval: float = 1, dtype: Any = None, name: str = "") -> Tensor:
        return Tensor(self.rng.uniform(minval, maxval, tuple(shape)), dtype or default_dtype())


def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None, name: str = ""
) -> Tensor:
    """Normal random numbers; the same ones for the same `seed`."""
    return Generator(np.random.default_rng(seed)).normal(shape, mean, stddev, dtype)


def random_uniform(
    shape: Any, minval: float = 0, maxval: float = 1, dtype: Any = None, seed: Any = None, name: str = ""
) -> Tensor:
    """Uniform random numbers; the same ones for the same `seed`."""
    return Generator(np.random.default_rng(seed)).uniform(shape, minval, maxval, dtype)


TENSORFLOW: dict[str, Any] = {
    "convert_to_tensor": convert_to_tensor, "shape": shape, "size": size, "rank": rank, "range": tf_range,
    "zeros": ops.zeros, "ones": ops.ones, "fill": fill, "eye": tf_eye, "unstack": ops.unstack,
    "matmul": tf_matmul, "split": tf_split, "gather": tf_gather, "sort": tf_sort, "one_hot": tf_one_hot,
    "norm": tf_norm, "cumsum": _running(ops.cumsum), "math.cumprod": _running(ops.cumprod),
    "argmax": tf_argmax, "argmin": tf_argmin, "add_n": add_n,
    "math.squared_difference": squared_difference, "math.divide_no_nan": divide_no_nan,
    "clip_by_global_norm": clip_by_global_norm, "linalg.global_norm": global_norm, "math.top_k": tf_top_k,
    "linalg.svd": tf_svd, "linalg.slogdet": tf_slogdet, "linalg.logdet": tf_logdet,
    "linalg.trace": lambda x, name="": ops.trace(x, 0, -2, -1),
    "linalg.diag_part": lambda input, name="": ops.diagonal(input, 0, -2, -1),
    "linalg.matrix_transpose": lambda a, name="": ops.swapaxes(a, -1, -2),
    "nn.softmax_cross_entropy_with_logits": softmax_cross_entropy_with_logits,
    "nn.sparse_softmax_cross_entropy_with_logits": sparse_softmax_cross_entropy_with_logits,
    "nn.sigmoid_cross_entropy_with_logits": sigmoid_cross_entropy_with_logits,
    "nn.convolution": convolution, "nn.conv1d": convolution, "nn.conv2d": convolution, "nn.conv3d": convolution,
    "nn.max_pool": tf_max_pool, "nn.max_pool2d": tf_max_pool, "nn.avg_pool": tf_avg_pool, "nn.avg_pool2d": tf_avg_pool,
    "nn.moments": moments, "nn.l2_loss": l2_loss, "nn.sigmoid": ops.sigmoid, "nn.tanh": ops.tanh,
    "nn.softplus": ops.softplus, "nn.swish": ops.silu,
    "random.normal": random_normal, "random.uniform": random_uniform, "random.Generator": Generator,
}  # fmt: skip


def keras_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """The cross entropy between probabilities `target` and `output`, or softmax(output) with from_logits=True."""
    logs = ops.log_softmax(output, axis) if from_logits else ops.log(output / ops.sum(output, axis, True))
    return -ops.sum(ops.multiply(target, logs), axis)


KERAS: dict[str, Any] = {
    "abs": ops.absolute, "amax": ops.max, "amin": ops.min, "max_pool": ops.max_pool,
    "convert_to_tensor": convert_to_tensor, "convert_to_numpy": np.asarray, "shape": np.shape, "size": np.size,
    "categorical_crossentropy": keras_categorical_crossentropy, "slogdet": ops.slogdet,
}  # fmt: skip
