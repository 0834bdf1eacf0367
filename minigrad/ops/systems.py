"""Linear systems: inverses, solutions and determinants. In all of them, leading axes are a batch.

The rules are from M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008), except for the determinant, which is differentiated as a polynomial.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .arrange import tril
from .declare import composite, defop, names_as
from .index import getitem, index_add
from .reduce import product_of_others, sum
from .shapes import expand_dims, squeeze, swapaxes
from .singular import why_refused

_SQUARE = [[2.0, 0.5], [-0.3, 1.5]]
_THREE = [[2.0, 0.5, 0.1], [0.3, 1.5, -0.7], [0.2, -0.4, 1.0]]
_SINGULAR = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
_WIDE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]


def transposed(a: Any) -> Any:
    return swapaxes(a, -1, -2)


def _square(g: Any) -> Any:
    """`g`, which has one number for each matrix, with two more axes so that it broadcasts against the matrices."""
    return expand_dims(g, (-2, -1))


inv = defop(
    "inv", lambda a: np.linalg.inv(a), numpy=np.linalg.inv,
    says="The inverse of each matrix.",
    refused=why_refused,
    vjp=lambda g, y, a: -(transposed(y) @ g @ transposed(y)),  # d(inv(A)) = -inv(A) dA inv(A)
    latex="A^{-1}", slope="-y.T @ g @ y.T", edge_cases="a singular matrix has no inverse: an error",
    names=names_as("linalg.inv", keras="inv"), samples=((_SQUARE,), ([_SQUARE, _SQUARE],)),
)


def _solve_rules(a: Any, b: Any, y: Any, g: Any) -> tuple[Any, Any]:
    """The gradients of the right-hand side and of the matrix."""
    if b.ndim > 1:
        back = solve(transposed(a), g)
        return back, -(back @ transposed(y))
    back = solve(transposed(a), expand_dims(g, -1))
    return squeeze(back, -1), -(back @ expand_dims(y, -2))


solve = defop(
    "solve", lambda a, b: np.linalg.solve(a, b), numpy=np.linalg.solve,
    refused=why_refused,
    vjp=(lambda g, y, a, b: _solve_rules(a, b, y, g)[1], lambda g, y, a, b: _solve_rules(a, b, y, g)[0]),
    latex="A^{-1} b", slope=("-solve(a.T, g) @ y.T", "solve(a.T, g)"),
    says="The x with a @ x = b. A `b` with one axis is a vector; with more axes, it is a batch of matrices.",
    names=names_as("linalg.solve", keras="solve"),
    samples=((_SQUARE, [1.0, 2.0]), (_SQUARE, _WIDE), ([_SQUARE, _SQUARE], [1.0, 2.0])),
)


@composite(
    arrays=2,
    names=dict(tf="linalg.triangular_solve", keras="solve_triangular", torch="linalg.solve_triangular",
               jax="scipy.linalg.solve_triangular"),
    samples=((_SQUARE, _WIDE), (_SQUARE, [1.0, 2.0], False)),
)
def triangular_solve(a: Any, b: Any, lower: bool = True) -> Any:
    """The x with a @ x = b, using only the lower (or upper) triangle of `a`."""
    return solve(tril(a) if lower else transposed(tril(transposed(a))), b)


# The determinant is a polynomial, and therefore smooth at singular matrices too. Its derivative is the cofactor matrix,
# and the derivatives of a cofactor are cofactors of minors, so no rule divides by the determinant.

det = defop(
    "det", lambda a: np.linalg.det(a), numpy=np.linalg.det,
    says="The determinant of each matrix.",
    vjp=lambda g, y, a: _square(g) * cofactor(a),
    latex=r"\det A", slope="cofactor(a)", edge_cases="exact at singular matrices",
    names=names_as("linalg.det", keras="det"),
    samples=((_SQUARE,), ([_SQUARE, _SQUARE],), (_SINGULAR,), ([[0.0, 0.0], [0.0, 0.0]],)),
)


def _cofactor(a: Any) -> Any:
    """The cofactor matrix, det(a) * inv(a).T if the inverse exists, computed from the singular values."""
    if not np.isfinite(a).all():
        return np.full_like(a, np.nan)
    # If a singular value is 0, the inverse does not exist, but the product of the other singular values does.
    u, s, vt = np.linalg.svd(a)
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return (u * product_of_others(s, -1)[..., None, :]) @ vt * np.asarray(sign)[..., None, None]


def _cofactor_rule(g: Any, y: Any, a: Any) -> Any:
    """The rule of `_cofactor`, computed from minors.

    Cofactor (i, j) is, up to its sign, the determinant of the matrix without row i and column j.
    """
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
    """The inverse of each matrix; if a matrix is singular, all elements of its inverse are inf."""
    singular = np.asarray(np.linalg.slogdet(a)[0] == 0)[..., None, None]
    return np.where(singular, np.inf, np.linalg.inv(np.where(singular, np.eye(a.shape[-1], dtype=a.dtype), a)))


inverse_or_inf = defop(
    "inverse_or_inf", _inverse_or_inf,
    vjp=lambda g, y, a: -(transposed(y) @ g @ transposed(y)), latex="A^{-1}", samples=((_SQUARE,),),
)

slogdet = defop(
    "slogdet", lambda a: np.linalg.slogdet(a), numpy=np.linalg.slogdet,
    vjp_all=lambda g, y, a: [_square(g[1]) * transposed(inverse_or_inf(a))],
    latex=r"\operatorname{sign} \det A,\ \log |\det A|", slope="inv(a).T", edge_cases="slope inf at a singular matrix",
    says="The sign of the determinant, and the logarithm of its absolute value, which does not overflow.",
    names=names_as("linalg.slogdet", keras="slogdet"),
    samples=((_SQUARE,), ([_SQUARE, _SQUARE],)),
)


@composite(
    latex=r"\log |\det A|", edge_cases="slope inf at a singular matrix",
    names=names_as("linalg.logdet", keras="logdet", jax=""), samples=((_SQUARE,), ([_SQUARE, _SQUARE],)),
)
def logdet(a: Any) -> Any:
    """The logarithm of the absolute value of the determinant, which does not overflow."""
    return slogdet(a)[1]


@composite(
    numpy=np.linalg.matrix_power, latex="A^n", names=names_as("linalg.matrix_power", tf="", keras=""),
    samples=((_SQUARE, 3), (_SQUARE, -2)),
)
def matrix_power(a: Any, n: int) -> Any:
    """The matrix to the integer power `n`; a negative power is a power of the inverse."""
    n = operator.index(n)
    if a.shape[-2:] != a.shape[-1:] * 2:
        raise ValueError(f"matrix_power takes square matrices, got shape {a.shape}")
    if n < 0:
        return matrix_power(inv(a), -n)
    if n == 0:
        return sum(a, ()) * 0 + np.eye(a.shape[-1], dtype=a.dtype)
    half = matrix_power(a, n // 2) if n > 1 else None
    return a if half is None else half @ half if n % 2 == 0 else half @ half @ a
