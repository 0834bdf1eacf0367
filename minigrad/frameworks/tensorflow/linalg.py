"""TensorFlow's functions of matrices, and norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import ops
from ...core.tensor import Tensor
from ...ops.axes import Axis
from ..tensorflow_and_keras import convert_to_tensor


def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: str = "") -> Tensor:
    """The matrix product, with `a` or `b` transposed first if `transpose_a` or `transpose_b` is true."""
    a = ops.swapaxes(a, -1, -2) if transpose_a else a
    return ops.matmul(a, ops.swapaxes(b, -1, -2) if transpose_b else b)


def norm(tensor: Any, ord: Any = "euclidean", axis: Axis = None, keepdims: bool = False, name: str = "") -> Tensor:
    """The norm of all elements taken as one vector, or of vectors along an axis, or of matrices along two.

    ord : "euclidean", "fro" or a number; for matrices also "nuc", the sum of the singular values.
    """
    if axis is None and ord not in ("euclidean", "fro", "nuc"):
        tensor, axis = ops.ravel(tensor), 0
    return ops.norm(tensor, ord, axis, keepdims)


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str = "") -> Any:
    """The singular values first, then U and V, not transposed."""
    if not compute_uv:
        return ops.svdvals(tensor)
    u, s, vt = ops.svd(tensor, full_matrices)
    return s, u, ops.swapaxes(vt, -1, -2)


def slogdet(input: Any, name: str = "") -> Any:
    """The sign of the determinant and the logarithm of its size."""
    return ops.slogdet(input)


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str = "") -> Any:
    """A matrix with zeros beyond that many diagonals below and above the main one; a negative number keeps all.

    >>> import minigrad as mg
    >>> mg.linalg.band_part([[1.0, 2.0], [3.0, 4.0]], 0, -1).value
    array([[1., 2.],
           [0., 4.]], dtype=float32)
    """
    lower, upper = int(num_lower), int(num_upper)
    banded = convert_to_tensor(input) if lower < 0 else ops.triu(input, -lower)
    return banded if upper < 0 else ops.tril(banded, upper)


def l2_normalize(x: Any, axis: Axis = None, epsilon: float = 1e-12, name: str = "") -> Any:
    """`x` divided by its norm along `axis`; a norm below the root of `epsilon` counts as that root.

    >>> import minigrad as mg
    >>> mg.linalg.l2_normalize([3.0, 4.0]).value
    array([0.6, 0.8], dtype=float32)
    """
    x = convert_to_tensor(x)
    return x * ops.rsqrt(ops.maximum(ops.sum(ops.square(x), axis, True), epsilon))


def global_norm(t_list: Sequence[Any], name: str = "") -> Any:
    """The Euclidean norm of several Tensors taken as one vector.

    >>> import minigrad as mg
    >>> float(mg.linalg.global_norm([mg.constant([3.0]), mg.constant([4.0])]))
    5.0
    """
    return ops.sqrt(sum((ops.sum(ops.square(t)) for t in t_list[1:]), ops.sum(ops.square(t_list[0]))))


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: float, use_norm: Any = None, name: str = ""
) -> tuple[list[Tensor], Tensor]:
    """The Tensors, scaled down together to a global norm of at most `clip_norm`, and their global norm before that.

    >>> import minigrad as mg
    >>> clipped, before = mg.clip_by_global_norm([mg.constant([3.0]), mg.constant([4.0])], 1.0)
    >>> float(before), [part.value for part in clipped]
    (5.0, [array([0.6], dtype=float32), array([0.8], dtype=float32)])
    """
    length = global_norm(t_list) if use_norm is None else use_norm
    scale = clip_norm / ops.maximum(length, clip_norm)
    return [t * scale for t in t_list], length


def trace(x: Any, name: str = "") -> Any:
    """The sum of the diagonal of each matrix."""
    return ops.trace(x, 0, -2, -1)


def diag_part(input: Any, name: str = "") -> Any:
    """The diagonal of each matrix."""
    return ops.diagonal(input, 0, -2, -1)


def matrix_transpose(a: Any, name: str = "") -> Any:
    """Each matrix transposed.

    >>> import minigrad as mg
    >>> mg.linalg.matrix_transpose([[1.0, 2.0], [3.0, 4.0]]).value
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """
    return ops.swapaxes(a, -1, -2)


NAMES: dict[str, Any] = {
    "matmul": matmul, "norm": norm, "linalg.svd": svd, "linalg.slogdet": slogdet,
    "linalg.trace": trace, "linalg.diag_part": diag_part, "linalg.matrix_transpose": matrix_transpose,
    "linalg.band_part": band_part, "linalg.global_norm": global_norm, "clip_by_global_norm": clip_by_global_norm,
    "math.l2_normalize": l2_normalize, "linalg.l2_normalize": l2_normalize, "nn.l2_normalize": l2_normalize,
}  # fmt: skip
