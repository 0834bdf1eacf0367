"""TensorFlow's matrix functions and norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.support.operands import adopt_all
from ...core.tensor import Tensor
from ...ops.axes import Axis
from ..own_ops import ops
from ..tensorflow_and_keras import convert_to_tensor


def _turned(a: Any, *flags: bool) -> Any:
    """Transpose each matrix of `a` if one of the flags (transpose, adjoint) is true, else return `a`.

    The adjoint of a real matrix is its transpose. Raises ValueError if both flags are true.
    """
    if sum(map(bool, flags)) > 1:
        raise ValueError("a matrix is transposed or adjoint, not both; write one of the two flags")
    return ops.swapaxes(a, -1, -2) if any(flags) else a


def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Tensor:  # fmt: skip
    """Return the matrix product, with `a` or `b` transposed first if one of that argument's flags is true."""
    return ops.matmul(_turned(a, transpose_a, adjoint_a), _turned(b, transpose_b, adjoint_b))


def matvec(a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False) -> Tensor:
    """Return the matrix-vector products, with `a` transposed first if one of its flags is true."""
    return ops.matvec(_turned(a, transpose_a, adjoint_a), b)


def inv(input: Any, adjoint: bool = False) -> Tensor:
    """Return the inverse of each matrix, transposed if `adjoint` is true."""
    return _turned(ops.inv(input), adjoint)


def solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Tensor:
    """Solve matrix @ x = rhs for x; `matrix` is transposed first if `adjoint` is true."""
    return ops.solve(_turned(matrix, adjoint), rhs)


def triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False) -> Tensor:
    """Solve triangle @ x = rhs for x, with the lower or the upper triangle of `matrix`.

    adjoint : whether that triangle is transposed first.
    """
    return ops.triangular_solve(_turned(matrix, adjoint), rhs, lower=lower != adjoint)


def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0) -> Tensor:
    """Return the x that minimizes the squared norm of matrix @ x - rhs, plus l2_regularizer times x's squared norm.

    matrix : shape (..., m, n). rhs : shape (..., m, k). Without a regularizer, if several x are equally good, the
    shortest x is returned. `mg.ops.lstsq` is Keras's function, and `np.linalg.lstsq` also returns residuals, rank and
    singular values.

    >>> import minigrad as mg
    >>> mg.linalg.lstsq([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]], [[1.0], [3.0], [5.0]]).value.round(4)
    array([[2.],
           [1.]], dtype=float32)
    """
    matrix, rhs = map(convert_to_tensor, adopt_all([matrix, rhs]))
    if not l2_regularizer:
        return ops.matmul(ops.pinv(matrix, rcond=_cutoff(matrix)), rhs)
    turned = _turned(matrix, True)
    m, n = matrix.shape[-2:]
    if m >= n:
        square = ops.matmul(turned, matrix) + l2_regularizer * np.eye(n, dtype=matrix.dtype)
        return ops.solve(square, ops.matmul(turned, rhs))
    square = ops.matmul(matrix, turned) + l2_regularizer * np.eye(m, dtype=matrix.dtype)
    return ops.matmul(turned, ops.solve(square, rhs))


def _cutoff(matrix: Tensor) -> float:
    """Return the fraction of the largest singular value below which a singular value counts as 0."""
    return float(np.finfo(matrix.dtype).eps) * max(matrix.shape[-2:])


def norm(tensor: Any, ord: Any = "euclidean", axis: Axis = None, keepdims: bool | None = False) -> Tensor:
    """Return the norm of vectors along one axis, of matrices along two axes, or of all elements if `axis` is None.

    ord : "euclidean", "fro" or a number; for matrices also "nuc", the sum of the singular values.
    """
    if axis is None and ord not in ("euclidean", "fro", "nuc"):
        tensor, axis = ops.ravel(tensor), 0
    return ops.norm(tensor, ord, axis, bool(keepdims))


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Return the singular values first, then U, then V (not transposed)."""
    if not compute_uv:
        return ops.svdvals(tensor)
    u, s, vt = ops.svd(tensor, full_matrices)
    return s, u, ops.swapaxes(vt, -1, -2)


def slogdet(input: Any) -> Any:
    """Return the sign of the determinant and the logarithm of its absolute value."""
    return ops.slogdet(input)


def band_part(input: Any, num_lower: Any, num_upper: Any) -> Any:
    """Set a matrix to 0 except for `num_lower` diagonals below the main one and `num_upper` above; -1 keeps all.

    >>> import minigrad as mg
    >>> mg.linalg.band_part([[1.0, 2.0], [3.0, 4.0]], 0, -1).value
    array([[1., 2.],
           [0., 4.]], dtype=float32)
    """
    lower, upper = int(num_lower), int(num_upper)
    banded = convert_to_tensor(input) if lower < 0 else ops.triu(input, -lower)
    return banded if upper < 0 else ops.tril(banded, upper)


def l2_normalize(x: Any, axis: Axis = None, epsilon: float = 1e-12) -> Any:
    """Divide `x` by its norm along `axis`, or by the square root of `epsilon` if the norm is smaller.

    >>> import minigrad as mg
    >>> mg.linalg.l2_normalize([3.0, 4.0]).value
    array([0.6, 0.8], dtype=float32)
    """
    x = convert_to_tensor(x)
    return x * ops.rsqrt(ops.maximum(ops.sum(ops.square(x), axis, True), epsilon))


def global_norm(t_list: Sequence[Any]) -> Any:
    """Return the Euclidean norm of several Tensors, whose elements together form one vector.

    >>> import minigrad as mg
    >>> float(mg.linalg.global_norm([mg.constant([3.0]), mg.constant([4.0])]))
    5.0
    """
    if not len(t_list):
        raise ValueError("the global norm needs one or more Tensors, got an empty list")
    return ops.sqrt(sum((ops.sum(ops.square(t)) for t in t_list[1:]), ops.sum(ops.square(t_list[0]))))


def clip_by_global_norm(t_list: Sequence[Any], clip_norm: float, use_norm: Any = None) -> tuple[list[Tensor], Tensor]:
    """Scale the Tensors down together to a global norm of at most `clip_norm`; return them and the original norm.

    >>> import minigrad as mg
    >>> clipped, before = mg.clip_by_global_norm([mg.constant([3.0]), mg.constant([4.0])], 1.0)
    >>> float(before), [part.value for part in clipped]
    (5.0, [array([0.6], dtype=float32), array([0.8], dtype=float32)])
    """
    length = global_norm(t_list) if use_norm is None else use_norm
    scale = clip_norm / ops.maximum(length, clip_norm)
    return [t * scale for t in t_list], length


def trace(x: Any) -> Any:
    """Return the sum of the diagonal of each matrix."""
    return ops.trace(x, 0, -2, -1)


def diag_part(input: Any, k: int = 0) -> Any:
    """Return diagonal number `k` of each matrix."""
    return ops.diagonal(input, k, -2, -1)


def matrix_transpose(a: Any) -> Any:
    """Transpose each matrix.

    >>> import minigrad as mg
    >>> mg.linalg.matrix_transpose([[1.0, 2.0], [3.0, 4.0]]).value
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """
    return ops.swapaxes(a, -1, -2)


NAMES: dict[str, Any] = {
    "matmul": matmul, "norm": norm, "linalg.matvec": matvec, "linalg.inv": inv, "linalg.solve": solve,
    "linalg.triangular_solve": triangular_solve, "linalg.lstsq": lstsq, "linalg.svd": svd, "linalg.slogdet": slogdet,
    "linalg.trace": trace, "linalg.diag_part": diag_part, "linalg.matrix_transpose": matrix_transpose,
    "linalg.band_part": band_part, "linalg.global_norm": global_norm, "clip_by_global_norm": clip_by_global_norm,
    "math.l2_normalize": l2_normalize, "linalg.l2_normalize": l2_normalize, "nn.l2_normalize": l2_normalize,
}  # fmt: skip
