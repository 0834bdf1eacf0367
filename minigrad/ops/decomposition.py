"""Linear algebra: solving, determinants, and the factorisations of a matrix.

Leading axes are a batch throughout. The rules of the factorisations follow M. Giles, "Collected matrix derivative
results for forward and reverse mode algorithmic differentiation" (2008), I. Murray (2016) for cholesky and
J. Townsend (2016) for svd.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import OPS, defop
from ..tensor import Tensor
from .arrange import diag_embed, tril
from .compare import where
from .declare import composite, spelled
from .index import getitem, index_add
from .reduce import product_of_others, sum
from .shape import expand_dims, squeeze, swapaxes

_SQUARE = [[2.0, 0.5], [-0.3, 1.5]]
_THREE = [[2.0, 0.5, 0.1], [0.3, 1.5, -0.7], [0.2, -0.4, 1.0]]
_SINGULAR = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
_SYMMETRIC = [[4.0, 2.0, 0.3], [2.0, 3.0, 0.5], [0.3, 0.5, 1.0]]
_TALL = [[1.0, 2.0], [0.5, -1.0], [3.0, 0.7]]
_WIDE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]


def _t(a: Any) -> Any:
    return swapaxes(a, -1, -2)


def _sym(a: Any) -> Any:
    return (a + _t(a)) / 2


def _square(g: Any) -> Any:
    """One number for each matrix of a batch, made ready to multiply the matrices."""
    return expand_dims(g, (-2, -1))


inv = defop(
    "inv", lambda a: np.linalg.inv(a), numpy=np.linalg.inv,
    vjp=lambda g, y, a: -(_t(y) @ g @ _t(y)),
    latex="A^{-1}", local="-y.T @ g @ y.T", domain="a singular matrix has no inverse: an error",
    names=spelled("linalg.inv", keras="inv"), samples=((_SQUARE,), ([_SQUARE, _SQUARE],)),
)


def _solve_rules(a: Any, b: Any, y: Any, g: Any) -> tuple[Any, Any]:
    """The gradient of the right-hand side, and the two columns whose product is that of the matrix."""
    if b.ndim > 1:
        back = solve(_t(a), g)
        return back, -(back @ _t(y))
    back = solve(_t(a), expand_dims(g, -1))
    return squeeze(back, -1), -(back @ expand_dims(y, -2))


solve = defop(
    "solve", lambda a, b: np.linalg.solve(a, b), numpy=np.linalg.solve,
    vjp=(lambda g, y, a, b: _solve_rules(a, b, y, g)[1], lambda g, y, a, b: _solve_rules(a, b, y, g)[0]),
    latex="A^{-1} b", local=("-solve(a.T, g) @ y.T", "solve(a.T, g)"),
    doc="The x with a @ x = b. A right-hand side with one axis is a vector, with more it is a batch of matrices.",
    names=spelled("linalg.solve", keras="solve"),
    samples=((_SQUARE, [1.0, 2.0]), (_SQUARE, _WIDE), ([_SQUARE, _SQUARE], [1.0, 2.0])),
)


@composite(
    arrays=2,
    names=dict(tf="linalg.triangular_solve", keras="solve_triangular", torch="linalg.solve_triangular",
               jax="scipy.linalg.solve_triangular"),
    samples=((_SQUARE, _WIDE), (_SQUARE, [1.0, 2.0], False)),
)
def triangular_solve(a: Any, b: Any, lower: bool = True) -> Any:
    """The x with a @ x = b, looking only at the lower (or upper) triangle of `a`."""
    return solve(tril(a) if lower else _t(tril(_t(a))), b)


# The determinant is a polynomial, smooth at singular matrices too. Its derivative is the matrix of cofactors,
# whose derivative is made of the cofactors of minors: nothing is ever divided by the determinant.

det = defop(
    "det", lambda a: np.linalg.det(a), numpy=np.linalg.det,
    vjp=lambda g, y, a: _square(g) * cofactor(a),
    latex=r"\det A", local="cofactor(a)", domain="exact at singular matrices",
    names=spelled("linalg.det", keras="det"),
    samples=((_SQUARE,), ([_SQUARE, _SQUARE],), (_SINGULAR,), ([[0.0, 0.0], [0.0, 0.0]],)),
)


def _cofactor(a: Any) -> Any:
    """The matrix of cofactors, det(a) * inv(a).T where that exists, by way of the singular values."""
    if not np.isfinite(a).all():
        return np.full_like(a, np.nan)
    u, s, vt = np.linalg.svd(a)
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return (u * product_of_others(s, -1)[..., None, :]) @ vt * np.asarray(sign)[..., None, None]


def _cofactor_rule(g: Any, y: Any, a: Any) -> Any:
    """Cofactor (i, j) is, up to its sign, the determinant of what is left without row i and column j."""
    n = a.shape[-1]
    if n == 1:
        return g * 0
    rest = np.array([[k for k in range(n) if k != i] for i in range(n)])
    minor = (..., rest[:, None, :, None], rest[None, :, None, :])
    checkered = (-1.0) ** np.add.outer(range(n), range(n))
    g = _square(g * checkered.astype(g.dtype)) * cofactor(getitem(a, minor))
    return index_add(np.zeros(a.shape, g.dtype), minor, g)


cofactor = defop(
    "cofactor", _cofactor, vjp=_cofactor_rule,
    latex=r"\operatorname{cof} A", samples=((_THREE,), (_SINGULAR,), ([_SQUARE, _SQUARE],)),
)


def _inverse_or_inf(a: Any) -> Any:
    """The inverse of each matrix, and inf in place of what a singular one does not have."""
    singular = np.asarray(np.linalg.slogdet(a)[0] == 0)[..., None, None]
    return np.where(singular, np.inf, np.linalg.inv(np.where(singular, np.eye(a.shape[-1], dtype=a.dtype), a)))


inverse_or_inf = defop(
    "inverse_or_inf", _inverse_or_inf,
    vjp=lambda g, y, a: -(_t(y) @ g @ _t(y)), latex="A^{-1}", samples=((_SQUARE,),),
)

slogdet = defop(
    "slogdet", lambda a: np.linalg.slogdet(a), numpy=np.linalg.slogdet,
    joint=lambda g, y, a: [_square(g[1]) * _t(inverse_or_inf(a))],
    latex=r"\operatorname{sign} \det A,\ \log |\det A|", local="inv(a).T", domain="slope inf at a singular matrix",
    doc="The sign of the determinant, and the logarithm of its size, which does not overflow.",
    names=spelled("linalg.slogdet", keras="slogdet"),
    samples=((_SQUARE,), ([_SQUARE, _SQUARE],)),
)


def _cholesky_rule(g: Any, y: Any, a: Any) -> Any:
    """Murray's formula, symmetrised: the gradient of a function of symmetric matrices is symmetric."""
    half = np.tri(a.shape[-1], dtype=g.dtype) - np.eye(a.shape[-1], dtype=g.dtype) / 2
    left = solve(_t(y), half * (_t(y) @ tril(g)))
    return _sym(_t(solve(_t(y), _t(left))))


cholesky = defop(
    "cholesky", lambda a: np.linalg.cholesky(_sym(a)), numpy=np.linalg.cholesky, vjp=_cholesky_rule,
    latex=r"L L^T = A", domain="positive definite matrices; of any other matrix the symmetric part is taken",
    doc="The lower triangular L with L @ L.T = a.",
    names=spelled("linalg.cholesky", keras="cholesky"),
    samples=((_SYMMETRIC,), ([_SYMMETRIC, _SYMMETRIC],)),
)


def _used(g: Any) -> bool:
    """Whether an output was used: an upstream gradient that is recorded, or that is not all zeros."""
    return isinstance(g, Tensor) or bool(np.any(g))


def _gaps(w: Any, what: str) -> Any:
    """1 / (w[j] - w[i]) off the diagonal, 0 on it. Equal numbers have no vectors of their own: an error names them."""
    value, same = np.asarray(w), np.eye(w.shape[-1], dtype=bool)
    gap = np.where(same, np.inf, np.abs(value[..., None, :] - value[..., :, None]))
    small = np.argwhere(gap <= np.finfo(value.dtype).eps * np.max(np.abs(value), initial=0))
    if len(small):
        i, j = small[0][-2:]
        raise ValueError(
            f"{what} {i} and {j} are equal ({value[tuple(small[0][:-2])][i]:.6g}), so their vectors are not determined "
            f"and have no derivative; the {what} themselves have one: use only those"
        )
    return where(same, 0, 1 / where(same, 1, expand_dims(w, -2) - expand_dims(w, -1)))


def _eigh_rule(g: Any, y: Any, a: Any) -> list[Any]:
    """V (diag(g_w) + (V.T g_v) / gaps) V.T, of which the second part only where the vectors were used."""
    (g_w, g_v), (w, v) = g, y
    inner = diag_embed(g_w)
    if _used(g_v):
        inner = inner + _gaps(w, "eigenvalues") * (_t(v) @ g_v)
    return [_sym(v @ inner @ _t(v))]


eigh = defop(
    "eigh", lambda a: np.linalg.eigh(_sym(a)), numpy=np.linalg.eigh, joint=_eigh_rule,
    latex=r"A = V \operatorname{diag}(w) V^T", local="v @ diag(g_w) @ v.T",
    domain="vectors of equal eigenvalues are not determined: an error names the pair; "
    "of a matrix that is not symmetric the symmetric part is taken",
    doc="The eigenvalues of a symmetric matrix, ascending, and its eigenvectors, the columns of a matrix.",
    names=spelled("linalg.eigh", keras="eigh"), samples=((_SYMMETRIC,),),
)


@composite(numpy=np.linalg.eigvalsh, names=spelled("linalg.eigvalsh", keras=""), samples=((_SYMMETRIC,),))
def eigvalsh(a: Any) -> Any:
    """The eigenvalues of a symmetric matrix, ascending."""
    return eigh(a)[0]


def _svd_rule(g: Any, y: Any, a: Any, full_matrices: bool = False) -> list[Any]:
    """U diag(g_s) V.T, and two more terms where the vectors were used."""
    (g_u, g_s, g_vt), (u, s, vt) = g, y
    k, across = s.shape[-1], expand_dims(s, -2)
    if not (_used(g_u) or _used(g_vt)):
        left, right = getitem(u, (..., slice(None, k))), getitem(vt, (..., slice(None, k), slice(None)))
        return [(left * expand_dims(g_s, -2)) @ right]
    if u.shape[-1] != k or vt.shape[-2] != k:
        raise ValueError("full_matrices=True adds vectors that the matrix does not determine; write False")
    gaps = _gaps(s * s, "squared singular values")
    of_u, of_v = _t(u) @ g_u, vt @ _t(g_vt)
    inner = diag_embed(g_s) + gaps * (of_u - _t(of_u)) * across + expand_dims(s, -1) * gaps * (of_v - _t(of_v))
    total = u @ inner @ vt
    if u.shape[-2] > k:
        total = total + ((g_u - u @ of_u) / across) @ vt
    if vt.shape[-1] > k:
        total = total + (u / across) @ (g_vt - _t(of_v) @ vt)
    return [total]


_svd = defop(
    "svd", lambda a, full_matrices=False: np.linalg.svd(a, full_matrices), joint=_svd_rule,
    latex=r"A = U \operatorname{diag}(s) V^T", local="u @ diag(g_s) @ v.T",
    domain="vectors of equal singular values are not determined: an error names the pair",
    names=spelled("linalg.svd", keras="svd"),
    samples=((_SQUARE,), *((a, dict(full_matrices=False)) for a in (_TALL, _WIDE, [_TALL, _TALL]))),
)


@composite(numpy=np.linalg.svdvals, names=spelled("linalg.svdvals", tf="", keras=""), samples=((_TALL,),))
def svdvals(a: Any) -> Any:
    """The singular values, descending."""
    return _svd(a, full_matrices=False)[1]


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """The matrices U, the singular values, descending, and V transposed, with U @ diag(s) @ V.T = a.

    full_matrices : whether U and V are square; what that adds to them has no derivative, so differentiate the vectors
        with full_matrices=False. compute_uv : False for the singular values alone.

    >>> import minigrad as mg
    >>> [part.shape for part in mg.svd(mg.ones((3, 2)), full_matrices=False)]
    [(3, 2), (2,), (2, 2)]
    """
    return _svd(a, full_matrices=full_matrices) if compute_uv else svdvals(a)


OPS["svd"].call = svd


def _qr_rule(g: Any, y: Any, a: Any) -> list[Any]:
    """(g_q + Q sym(M)) R.T**-1, where sym mirrors the lower triangle of M = R g_r.T - g_q.T Q."""
    (g_q, g_r), (q, r) = g, y
    if a.shape[-2] < a.shape[-1]:
        raise ValueError(f"the gradient of qr needs at least as many rows as columns, got shape {a.shape[-2:]}")
    m = r @ _t(g_r) - _t(g_q) @ q
    return [_t(solve(r, _t(g_q + q @ (tril(m) + _t(tril(m, -1))))))]


qr = defop(
    "qr", lambda a: np.linalg.qr(a), numpy=np.linalg.qr, joint=_qr_rule,
    latex="A = Q R", domain="full column rank",
    doc="Q with orthonormal columns and R upper triangular, with Q @ R = a.",
    names=spelled("linalg.qr", keras="qr"), samples=((_SQUARE,), (_TALL,)),
)


def _pinv_rule(g: Any, y: Any, a: Any) -> Any:
    """Golub and Pereyra (1973): the rule of the inverse, and what a change of the row and column spaces adds."""
    rows, columns = np.eye(a.shape[-2], dtype=g.dtype), np.eye(a.shape[-1], dtype=g.dtype)
    turn = (rows - a @ y) @ _t(g) @ y @ _t(y) + _t(y) @ y @ _t(g) @ (columns - y @ a)
    return turn - _t(y) @ g @ _t(y)


pinv = defop(
    "pinv", lambda a: np.linalg.pinv(a), numpy=np.linalg.pinv, vjp=_pinv_rule,
    latex="A^+", domain="where the rank is constant",
    doc="The pseudoinverse: solves the least squares problem, with the shortest solution.",
    names=spelled("linalg.pinv", keras=""), samples=((_SQUARE,), (_TALL,), (_WIDE,)),
)


@composite(
    numpy=np.linalg.matrix_power, latex="A^n", names=spelled("linalg.matrix_power", tf="", keras=""),
    samples=((_SQUARE, 3), (_SQUARE, -2)),
)
def matrix_power(a: Any, n: int) -> Any:
    """`a` multiplied with itself `n` times; the inverse is, for negative `n`."""
    if n < 0:
        return matrix_power(inv(a), -n)
    if n == 0:
        return sum(a, ()) * 0 + np.eye(a.shape[-1], dtype=a.dtype)
    half = matrix_power(a, n // 2) if n > 1 else None
    return a if half is None else half @ half if n % 2 == 0 else half @ half @ a
