"""Explain why a linear-algebra op failed on a matrix, and find a multiple of the identity that repairs the matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.op import Op, as_leaf


def why_refused(op: Op, values: Sequence[Any]) -> str:
    """Return the reason why `inv`, `solve` or `cholesky` raised an error, with a repair if one is found.

    Return "" if the matrix is not square, because its shape is then the reason.

    >>> from .systems import inv
    >>> inv([[1.0, 1.0], [1.0, 1.0]])
    Traceback (most recent call last):
    numpy.linalg.LinAlgError: inv cannot work on arguments of shape (2, 2): the matrix is singular, its smallest \
singular value is 0; inv(A + 1e-06 * eye(2)) is finite, and so is its gradient
    """
    matrix = np.asarray(values[0])
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        return ""
    if not np.isfinite(matrix).all():
        return "the matrix holds nan or inf"
    scale = float(np.abs(np.trace(matrix, axis1=-2, axis2=-1)).max()) / matrix.shape[-1] or 1.0
    wide = matrix.astype(np.float64)
    if op.name == "cholesky":
        least = _least(np.linalg.eigvalsh((wide + np.swapaxes(wide, -1, -2)) / 2))
        if least < -1e-4 * scale:
            return f"the smallest eigenvalue is {least:.3g}, so the matrix is indefinite; no repair is known"
        reason = f"the smallest eigenvalue is {least:.3g}, so the matrix is singular up to rounding"
    else:
        least = _least(np.linalg.svd(wide, compute_uv=False))
        reason = f"the matrix is singular, its smallest singular value is {least:.3g}"
    for factor in (10, 100, 1000, 10_000):
        ridge = float(f"{factor * np.finfo(matrix.dtype).eps * scale:.0e}")
        moved = matrix + np.asarray(ridge * np.eye(matrix.shape[-1]), matrix.dtype)
        if _works(op.fn, op.call, moved, values[1:]):
            rest = ", b" if len(values) > 1 else ""
            works = f"{op.name}(A + {ridge:g} * eye({matrix.shape[-1]}){rest})"
            return f"{reason}; {works} is finite, and so is its gradient"
    return f"{reason}; no repair is known"


def _least(values: Any) -> float:
    """The smallest eigenvalue or singular value, or 0 if it differs from 0 only by rounding."""
    least = float(values.min())
    return least if abs(least) > values.shape[-1] * np.finfo(values.dtype).eps * np.abs(values).max() else 0.0


def _works(fn: Callable[..., Any], call: Callable[..., Any], matrix: Any, rest: Sequence[Any]) -> bool:
    """Return whether an op has a finite value and a finite gradient at `matrix`.

    fn, call : the op's NumPy function and its function of Tensors. rest : the other arguments.
    """
    try:
        fn(matrix, *rest)
        a = as_leaf(matrix)
        y = call(a, *rest)
        (g,) = pullback([y], [np.ones_like(y.value)], [a])
    except np.linalg.LinAlgError:
        return False
    return bool(np.isfinite(y.value).all() and np.isfinite(g).all())
