"""Matrix factorisations: cholesky, eigh, svd, qr. In all of them, leading axes are a batch.

The rules come from I. Murray (2016) for cholesky, J. Townsend (2016) for svd, and S. Walter and L. Lehmann (2013)
for qr. cholesky and eigh take the symmetric part of their argument.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.support.tensor_values import on_arrays
from .arithmetic import absolute
from .arrange import diag_embed, tril
from .axes import in_floats
from .choose import maximum, where
from .declare import composite, defop, names_as, plain
from .gaps import over_gaps
from .index import getitem
from .join import concatenate
from .shapes import expand_dims
from .singular import why_refused
from .systems import solve, transposed

_SQUARE = [[2.0, 0.5], [-0.3, 1.5]]
_SYMMETRIC = [[4.0, 2.0, 0.3], [2.0, 3.0, 0.5], [0.3, 0.5, 1.0]]
_TALL = [[1.0, 2.0], [0.5, -1.0], [3.0, 0.7]]
_WIDE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]


def _sym(a: Any) -> Any:
    return (a + transposed(a)) / 2


def _symmetric_part(a: Any) -> Any:
    """The symmetric part of square matrices, as floats. Raises for other shapes, because a + a.T might broadcast."""
    if a.shape[-2:] != a.shape[-1:] * 2:
        raise ValueError("the matrices in the last two axes are not square")
    return _sym(in_floats(a))


def _cholesky_rule(g: Any, y: Any, a: Any) -> Any:
    """Murray's formula, symmetrised, because the gradient of a function of symmetric matrices is symmetric."""
    # `half` turns a symmetric S into the lower triangular M with S = M + M.T, by halving the diagonal.
    half = np.tri(a.shape[-1], dtype=g.dtype) - np.eye(a.shape[-1], dtype=g.dtype) / 2
    left = solve(transposed(y), half * (transposed(y) @ tril(g)))
    return _sym(transposed(solve(transposed(y), transposed(left))))


cholesky = defop(
    "cholesky", lambda a: np.linalg.cholesky(_symmetric_part(a)), numpy=np.linalg.cholesky, vjp=_cholesky_rule,
    refused=why_refused,
    latex=r"L L^T = A", edge_cases="the symmetric part of the matrix is used; it must be positive definite",
    says="The lower triangular L with L @ L.T = a.",
    names=names_as("linalg.cholesky", keras="cholesky"),
    samples=((_SYMMETRIC,), ([_SYMMETRIC, _SYMMETRIC],)),
)


def _eigh_rule(g: Any, y: Any, a: Any, triangle: str = "L") -> list[Any]:
    """V (diag(g_w) + (V.T g_v - g_v.T V) / (2 gaps)) V.T, without the second term if the vectors were not used."""
    (g_w, g_v), (w, v) = g, y
    inner = diag_embed(np.zeros(w.shape, w.dtype) if g_w is None else g_w)
    if g_v is not None:
        turn = transposed(v) @ g_v
        # Eigenvectors can only rotate towards each other, and they rotate faster if their eigenvalues are closer.
        inner = inner + over_gaps(turn - transposed(turn), turn, y, 0, -1, "eigenvalues") / 2
    return [_sym(v @ inner @ transposed(v))]


def _mirrored(a: Any, UPLO: str) -> Any:
    """The symmetric matrix whose lower ("L") or upper ("U") triangle is taken from `a`."""
    if UPLO not in ("L", "U"):
        raise ValueError(f"UPLO must be 'L' for the lower or 'U' for the upper triangle, got {UPLO!r}")
    lower = tril(a) if UPLO == "L" else tril(transposed(a))
    return lower + transposed(tril(lower, -1))


def _eigh_options(a: Any, *, UPLO: str | None = None) -> Any:
    """The eigenvalues of a symmetric matrix, ascending, and its eigenvectors as the columns of a matrix.

    UPLO : "L" or "U" to use only that triangle, which then gets the whole gradient; by default, all of `a` is used.
    """
    return eigh(a) if UPLO is None else eigh(_mirrored(a, UPLO), triangle=UPLO)


def _eigh(a: Any, triangle: Any = "L") -> Any:
    return np.linalg.eigh(_symmetric_part(a), triangle)


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
    """U diag(g_s) V.T, plus two more terms if the vectors were used."""
    (g_u, g_s, g_vt), (u, s, vt) = g, y
    k = s.shape[-1]
    if g_u is None and g_vt is None:
        left, right = getitem(u, (..., slice(None, k))), getitem(vt, (..., slice(None, k), slice(None)))
        return [(left * expand_dims(g_s, -2)) @ right]
    if u.shape[-1] != k or vt.shape[-2] != k:
        raise ValueError("full_matrices=True adds vectors the matrix does not determine; write full_matrices=False")
    g_u, g_s, g_vt = (np.zeros(part.shape, part.dtype) if up is None else up for up, part in zip(g, y))
    of_u, of_v = transposed(u) @ g_u, vt @ transposed(g_vt)
    left, right = of_u - transposed(of_u), of_v - transposed(of_v)
    size, what = maximum(absolute(of_u), absolute(of_v)), "singular values"
    inner = diag_embed(g_s) + (
        over_gaps(left + right, size, y, 1, -1, what) + over_gaps(left - right, size, y, 1, 1, what)
    ) / 2
    total = u @ inner @ vt
    if u.shape[-2] > k:
        total = total + over_gaps(g_u - u @ of_u, g_u, y, 1, 0, what) @ vt
    if vt.shape[-1] > k:
        g_v = transposed(g_vt)
        total = total + u @ transposed(over_gaps(g_v - transposed(vt) @ of_v, g_v, y, 1, 0, what))
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
    """The matrix U, the singular values in descending order, and V transposed.

    With full_matrices=False, U @ diag(s) @ V.T equals `a`.
    full_matrices : whether U and V are square. The vectors that True adds have no derivative, so pass False to
    differentiate.
    compute_uv : whether to return U and V; False returns only the singular values.

    >>> import minigrad as mg
    >>> [part.shape for part in mg.svd(mg.ones((3, 2)), full_matrices=False)]
    [(3, 2), (2,), (2, 2)]
    """
    return _svd(a, full_matrices=bool(full_matrices)) if compute_uv else svdvals(a)


OPS["svd"].call = svd
for _op in (OPS["eigh"], OPS["svd"]):
    _op.by_record = _op.partial = True  # the upstream gradient of unused vectors is None, not zeros


def _qr_rule(g: Any, y: Any, a: Any) -> list[Any]:
    """(g_q + Q sym(M)) R.T**-1, where sym mirrors the lower triangle of M = R g_r.T - g_q.T Q.

    In a wide matrix, the leading square block determines Q, and each further column c becomes the column Q.T c of R.
    """
    (g_q, g_r), (q, r) = g, y
    rows = a.shape[-2]
    if a.shape[-1] > rows:
        g_further = getitem(g_r, (..., slice(rows, None)))
        g_q = g_q + getitem(a, (..., slice(rows, None))) @ transposed(g_further)
        g_r, r = getitem(g_r, (..., slice(rows))), getitem(r, (..., slice(rows)))
        return [concatenate([*_qr_rule((g_q, g_r), (q, r), q), q @ g_further], -1)]
    m = r @ transposed(g_r) - transposed(g_q) @ q
    n = g_q + q @ (tril(m) + transposed(tril(m, -1)))
    lost = _dependent(plain(r), plain(g_q), plain(g_r))
    return [transposed(solve(where(lost, np.eye(r.shape[-1], dtype=r.dtype), r), transposed(n)))]


@on_arrays
def _dependent(r: Any, g_q: Any, g_r: Any) -> Any:
    """Return a mask of the matrices whose columns are dependent up to rounding, so that Q and R have no derivative.

    Raises ValueError if such a matrix has an upstream gradient.
    """
    steps = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
    least = 8 * g_q.shape[-2] * np.finfo(r.dtype).eps * np.max(np.abs(r), (-2, -1), initial=0)
    small = steps <= least[..., None]
    used = np.any(g_q != 0, (-2, -1)) | np.any(g_r != 0, (-2, -1))
    asked = np.argwhere(small & used[..., None])
    if len(asked):
        column = asked[0][-1]
        raise ValueError(
            f"column {column} is a combination of the columns before it, up to rounding, so Q and R have no derivative "
            "there; qr has gradients for matrices of full column rank, and wide ones whose leading square has full rank"
        )
    return np.any(small, -1)[..., None, None]


qr = defop(
    "qr", lambda a: np.linalg.qr(a), numpy=np.linalg.qr, vjp_all=_qr_rule,
    latex="A = Q R", edge_cases="full rank: if the first n of n rows have dependent columns, an error names one",
    says="Q with orthonormal columns and R upper triangular, with Q @ R = a.",
    names=names_as("linalg.qr", keras="qr"), samples=((_SQUARE,), (_TALL,), (_WIDE,)),
)
