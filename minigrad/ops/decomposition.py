"""Factorisations of matrices: cholesky, eigh, svd, qr. Leading axes are a batch throughout.

The rules are those of I. Murray (2016) for cholesky, J. Townsend (2016) for svd, and S. Walter and L. Lehmann (2013)
for qr. cholesky and eigh take the symmetric part of their argument.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.values import on_arrays, some
from .arrange import diag_embed, tril
from .choose import where
from .declare import composite, defop, names_as, plain
from .index import getitem
from .shapes import expand_dims
from .singular import why_refused
from .systems import solve, transposed

_SQUARE = [[2.0, 0.5], [-0.3, 1.5]]
_SYMMETRIC = [[4.0, 2.0, 0.3], [2.0, 3.0, 0.5], [0.3, 0.5, 1.0]]
_TALL = [[1.0, 2.0], [0.5, -1.0], [3.0, 0.7]]
_WIDE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]


def _sym(a: Any) -> Any:
    return (a + transposed(a)) / 2


def _cholesky_rule(g: Any, y: Any, a: Any) -> Any:
    """Murray's formula, symmetrised: the gradient of a function of symmetric matrices is symmetric."""
    half = np.tri(a.shape[-1], dtype=g.dtype) - np.eye(a.shape[-1], dtype=g.dtype) / 2
    left = solve(transposed(y), half * (transposed(y) @ tril(g)))
    return _sym(transposed(solve(transposed(y), transposed(left))))


cholesky = defop(
    "cholesky", lambda a: np.linalg.cholesky(_sym(a)), numpy=np.linalg.cholesky, vjp=_cholesky_rule,
    refused=why_refused,
    latex=r"L L^T = A", edge_cases="positive definite matrices; of any other matrix the symmetric part is taken",
    says="The lower triangular L with L @ L.T = a.",
    names=names_as("linalg.cholesky", keras="cholesky"),
    samples=((_SYMMETRIC,), ([_SYMMETRIC, _SYMMETRIC],)),
)


def _used(g: Any) -> bool:
    """Whether an output was used: an upstream gradient that is recorded, or that is not all zeros."""
    return isinstance(g, Tensor) or some(g)


@on_arrays
def _diagonal(value: Any, what: str) -> Any:
    """The mask i == j for pairs of numbers. Raises ValueError for equal ones, whose vectors are not determined."""
    same = np.eye(value.shape[-1], dtype=bool)
    gap = np.where(same, np.inf, np.abs(value[..., None, :] - value[..., :, None]))
    small = np.argwhere(gap <= np.finfo(value.dtype).eps * np.max(np.abs(value), initial=0))
    if len(small):
        i, j = small[0][-2:]
        raise ValueError(
            f"{what} {i} and {j} are equal ({value[tuple(small[0][:-2])][i]:.6g}), so their vectors are not determined "
            f"and have no derivative; the {what} themselves have one: use only those"
        )
    return same


def _gaps(w: Any, what: str) -> Any:
    """1 / (w[j] - w[i]) off the diagonal, 0 on it."""
    same = _diagonal(plain(w), what)
    return where(same, 0, 1 / where(same, 1, expand_dims(w, -2) - expand_dims(w, -1)))


def _eigh_rule(g: Any, y: Any, a: Any, triangle: str = "L") -> list[Any]:
    """V (diag(g_w) + (V.T g_v) / gaps) V.T, the second term only if the vectors were used."""
    (g_w, g_v), (w, v) = g, y
    inner = diag_embed(g_w)
    if _used(g_v):
        inner = inner + _gaps(w, "eigenvalues") * (transposed(v) @ g_v)
    return [_sym(v @ inner @ transposed(v))]


def _mirrored(a: Any, UPLO: str) -> Any:
    """The symmetric matrix with the lower ("L") or the upper ("U") triangle of `a`."""
    if UPLO not in ("L", "U"):
        raise ValueError(f"UPLO is 'L' for the lower or 'U' for the upper triangle, got {UPLO!r}")
    lower = tril(a) if UPLO == "L" else tril(transposed(a))
    return lower + transposed(tril(lower, -1))


def _eigh_options(a: Any, *, UPLO: str | None = None) -> Any:
    """The eigenvalues of a symmetric matrix, ascending, and its eigenvectors, the columns of a matrix.

    UPLO : "L" or "U" to use that triangle alone, which alone then has a gradient; by default the whole matrix.
    """
    return eigh(a) if UPLO is None else eigh(_mirrored(a, UPLO), triangle=UPLO)


def _eigh(a: Any, triangle: str = "L") -> Any:
    return np.linalg.eigh(_sym(a), triangle)


eigh = defop(
    "eigh", _eigh,
    numpy=np.linalg.eigh, vjp_all=_eigh_rule, options=_eigh_options,
    latex=r"A = V \operatorname{diag}(w) V^T", slope="v @ diag(g_w) @ v.T",
    edge_cases="vectors of equal eigenvalues are not determined: an error names the pair; "
    "of a matrix that is not symmetric the symmetric part is taken",
    names=names_as("linalg.eigh", keras="eigh"), samples=((_SYMMETRIC,), (_SYMMETRIC, dict(UPLO="U"))),
    example=([[2.0, 1.0], [1.0, 2.0]],),
)


@composite(
    numpy=np.linalg.eigvalsh, names=names_as("linalg.eigvalsh", keras=""), samples=((_SYMMETRIC,), (_SYMMETRIC, "L")),
)
def eigvalsh(a: Any, UPLO: str | None = None) -> Any:
    """The eigenvalues of a symmetric matrix, ascending; UPLO as in `eigh`."""
    return eigh(a, UPLO=UPLO)[0]


def _svd_rule(g: Any, y: Any, a: Any, full_matrices: bool = False) -> list[Any]:
    """U diag(g_s) V.T, and two more terms if the vectors were used."""
    (g_u, g_s, g_vt), (u, s, vt) = g, y
    k, across = s.shape[-1], expand_dims(s, -2)
    if not (_used(g_u) or _used(g_vt)):
        left, right = getitem(u, (..., slice(None, k))), getitem(vt, (..., slice(None, k), slice(None)))
        return [(left * expand_dims(g_s, -2)) @ right]
    if u.shape[-1] != k or vt.shape[-2] != k:
        raise ValueError("full_matrices=True adds vectors that the matrix does not determine; write False")
    gaps = _gaps(s * s, "squared singular values")
    of_u, of_v = transposed(u) @ g_u, vt @ transposed(g_vt)
    left, right = gaps * (of_u - transposed(of_u)), gaps * (of_v - transposed(of_v))
    inner = diag_embed(g_s) + left * across + expand_dims(s, -1) * right
    total = u @ inner @ vt
    if u.shape[-2] > k:
        total = total + ((g_u - u @ of_u) / across) @ vt
    if vt.shape[-1] > k:
        total = total + (u / across) @ (g_vt - transposed(of_v) @ vt)
    return [total]


def _singular(a: Any, full_matrices: bool = False) -> Any:
    return np.linalg.svd(a, full_matrices)


_svd = defop(
    "svd", _singular, vjp_all=_svd_rule,
    latex=r"A = U \operatorname{diag}(s) V^T", slope="u @ diag(g_s) @ v.T",
    edge_cases="vectors of equal singular values are not determined: an error names the pair",
    names=names_as("linalg.svd", keras="svd"),
    samples=((_SQUARE,), *((a, dict(full_matrices=False)) for a in (_TALL, _WIDE, [_TALL, _TALL]))),
)


@composite(numpy=np.linalg.svdvals, names=names_as("linalg.svdvals", tf="", keras=""), samples=((_TALL,),))
def svdvals(a: Any) -> Any:
    """The singular values, descending."""
    return _svd(a, full_matrices=False)[1]


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """The matrices U, the singular values, descending, and V transposed, with U @ diag(s) @ V.T = a.

    full_matrices : whether U and V are square. The added vectors have no derivative: differentiate with False.
    compute_uv : False for the singular values alone.

    >>> import minigrad as mg
    >>> [part.shape for part in mg.svd(mg.ones((3, 2)), full_matrices=False)]
    [(3, 2), (2,), (2, 2)]
    """
    return _svd(a, full_matrices=bool(full_matrices)) if compute_uv else svdvals(a)


OPS["svd"].call = svd


def _qr_rule(g: Any, y: Any, a: Any) -> list[Any]:
    """(g_q + Q sym(M)) R.T**-1, where sym mirrors the lower triangle of M = R g_r.T - g_q.T Q."""
    (g_q, g_r), (q, r) = g, y
    if a.shape[-2] < a.shape[-1]:
        raise ValueError(f"the gradient of qr needs at least as many rows as columns, got shape {a.shape[-2:]}")
    m = r @ transposed(g_r) - transposed(g_q) @ q
    return [transposed(solve(r, transposed(g_q + q @ (tril(m) + transposed(tril(m, -1))))))]


qr = defop(
    "qr", lambda a: np.linalg.qr(a), numpy=np.linalg.qr, vjp_all=_qr_rule,
    latex="A = Q R", edge_cases="full column rank",
    says="Q with orthonormal columns and R upper triangular, with Q @ R = a.",
    names=names_as("linalg.qr", keras="qr"), samples=((_SQUARE,), (_TALL,)),
)
