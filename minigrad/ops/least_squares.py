"""Least squares: the pseudoinverse, lstsq and the condition number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.support.tensor_values import as_value
from .arrange import diag_embed
from .choose import where
from .declare import composite, defop, names_as
from .decomposition import svd, svdvals
from .extreme import max, min
from .identities import astype
from .index import getitem
from .norms import norm
from .reduce import sum
from .shapes import reshape
from .systems import inv, transposed

_SQUARE = [[2.0, 0.5], [-0.3, 1.5]]
_TALL = [[1.0, 2.0], [0.5, -1.0], [3.0, 0.7]]
_WIDE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]


def _pinv_rule(g: Any, y: Any, a: Any, cutoff: float = 1e-15) -> Any:
    """Golub and Pereyra (1973): the rule of the inverse, plus terms for changes of the row and column spaces."""
    rows, columns = np.eye(a.shape[-2], dtype=g.dtype), np.eye(a.shape[-1], dtype=g.dtype)
    of_columns = (rows - a @ y) @ transposed(g) @ y @ transposed(y)  # rows - a @ y projects off the column space of a
    of_rows = transposed(y) @ y @ transposed(g) @ (columns - y @ a)
    return of_columns + of_rows - transposed(y) @ g @ transposed(y)


def _pinv_options(a: Any, *, rcond: float | None = None, rtol: float | None = None) -> Any:
    """The pseudoinverse of each matrix; its product with `b` is the shortest solution of the least-squares problem.

    rcond, rtol : singular values up to this fraction of the largest count as 0; 1e-15 by default.
    """
    cutoff = rtol if rcond is None else rcond
    if cutoff is None:
        return pinv(a)
    s = as_value(svdvals(a))
    left_out, tiny = s <= cutoff * s[..., :1], np.finfo(s.dtype).eps * np.max(np.shape(a)[-2:])
    if not np.any(left_out & (s > tiny * s[..., :1])):
        return pinv(a, cutoff=cutoff)
    u, s, vt = svd(a, full_matrices=False)  # the rule of `pinv` is valid only if no singular value is left out
    return transposed(vt) @ diag_embed(where(left_out, 0, 1 / where(left_out, 1, s))) @ transposed(u)


pinv = defop(
    "pinv", lambda a, cutoff=1e-15: np.linalg.pinv(a, rcond=cutoff), numpy=np.linalg.pinv, vjp=_pinv_rule,
    options=_pinv_options,
    latex="A^+", edge_cases="differentiable where the rank is constant",
    names=names_as("linalg.pinv", keras="pinv"),
    samples=((_SQUARE,), (_TALL,), (_WIDE,), (_TALL, dict(rcond=0.5))),
)


@composite(
    arrays=2, numpy=np.linalg.lstsq, edge_cases="differentiable where the rank is constant",
    names=dict(tf="linalg.lstsq", keras="lstsq", torch="linalg.lstsq", jax="linalg.lstsq"),
    samples=((_TALL, [1.0, 2.0, 0.5]), (_TALL, [[1.0, 0.3], [2.0, 1.0], [0.5, -1.0]]), (_WIDE, [1.0, 2.0])),
)
def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Any, Any, Any, Any]:
    """The shortest x that brings a @ x closest to `b`, with residuals, rank and singular values, as in NumPy.

    a : shape (m, n). b : shape (m,) or (m, k). rcond : singular values of `a` up to this fraction of the largest count
    as 0; by default the machine epsilon times max(m, n).

    Returns (x, residuals, rank, s). x has shape (n,) or (n, k). The residuals are the squared distances between a @ x
    and `b`, of shape (1,) or (k,); they are empty, of shape (0,), if the rank is below n or m is not above n. rank and
    s are the rank and the singular values of `a`.

    >>> import minigrad.numpy as np
    >>> line = np.linalg.lstsq([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]], [1.0, 3.0, 5.0])[0]
    >>> line.round(4)
    array([2., 1.])
    """
    if a.ndim != 2 or not a.size:
        raise ValueError(f"lstsq takes a matrix with elements as its first argument, got shape {a.shape}")
    m, n = a.shape
    s = svdvals(a)
    cutoff = float(np.finfo(s.dtype).eps) * np.max([m, n]) if rcond is None else rcond
    rank = astype(sum(s > cutoff * max(s)), "int32")
    x = pinv(a, rcond=cutoff) @ b
    # NumPy returns no residuals in these cases: the residuals are 0, or the solution is not unique.
    exact = as_value(rank) < n or m <= n
    away = b - a @ x
    residuals = reshape(sum(away * away, 0), (-1,))
    return x, getitem(residuals, slice(0, 0)) if exact else residuals, rank, s


@composite(
    numpy=np.linalg.cond, latex=r"\lVert A \rVert \lVert A^{-1} \rVert", edge_cases="inf at a singular matrix",
    names=dict(torch="linalg.cond", jax="linalg.cond"),
    samples=((_SQUARE,), (_TALL,), (_SQUARE, "fro"), (_SQUARE, 1), (_SQUARE, -2)),
)
def condition_number(a: Any, p: float | str | None = None) -> Any:
    """The condition number: the norm of `a` times the norm of its inverse.

    p : the norm, as in `norm`. For None and 2, it is the largest singular value divided by the smallest.
    """
    if p in (None, 2, -2):
        s = svdvals(a)
        return max(s, -1) / min(s, -1) if p != -2 else min(s, -1) / max(s, -1)
    return norm(a, p, (-2, -1)) * norm(inv(a), p, (-2, -1))
