"""Explain, by examining the matrix, why a decomposition, an inverse or a determinant, or its slope, is not finite."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Reason(NamedTuple):
    """The kind of a nan, its reason, and the advice on what to write instead."""

    kind: str
    text: str
    write: str


def matrix_reason(name: str, a: Any) -> Reason | None:
    """Return the reason why an op on matrices, or its slope, is not finite, or None if no reason is known.

    name : the framework's name for the op, such as linalg_eigh or _slogdet_lu.
    a : the matrix, or a stack of matrices of shape (..., m, n).

    >>> matrix_reason("slogdet", [[1.0, 2.0], [2.0, 4.0]]).text
    'the matrix is singular up to rounding, of rank 1 of 2'
    """
    rule = RULES.get(matrix_op(name))
    a = np.asarray(a)
    if rule is None or a.ndim < 2 or a.dtype.kind != "f" or not a.size or not np.isfinite(a).all():
        return None
    stack = a.astype(np.float64).reshape(-1, *a.shape[-2:])
    reasons = [reason for m in stack if (reason := rule(m, float(np.finfo(a.dtype).eps))) is not None]
    if not reasons:
        return None
    many = f" ({len(reasons)} of {len(stack)} matrices)" if len(stack) > 1 else ""
    return reasons[0]._replace(text=reasons[0].text + many)


def matrix_op(name: str) -> str:
    """Return the plain name of an op on matrices: "slogdet" for "_slogdet_lu", "eigh" for "linalg_eigh"."""
    name = name.removeprefix("linalg_").strip("_")
    return name.partition("_")[0] if name.startswith(("slogdet", "det")) else name


def _singular(m: Any, eps: float) -> Reason | None:
    full, rank = min(m.shape), int(np.linalg.matrix_rank(m, rtol=max(m.shape) * eps))
    text = f"the matrix is singular up to rounding, of rank {rank} of {full}"
    return Reason("domain", text, "") if rank < full else None


def _inverse(m: Any, eps: float) -> Reason | None:
    """Return the reason why a matrix has no inverse, with advice to use a pseudo-inverse or least squares."""
    reason = _singular(m, eps)
    return reason and reason._replace(
        write="a singular matrix has no inverse; the usual substitutes are pinv and lstsq (least squares)"
    )


def _negative(m: Any, eps: float) -> Reason | None:
    """Return the reason if a determinant is negative or 0, so its logarithm is not finite, else None."""
    sign, _ = np.linalg.slogdet(m)
    if sign < 0 and _singular(m, eps) is None:
        write = "use slogdet for the logarithm of its absolute value; a covariance matrix has no negative determinant"
        return Reason("domain", f"its determinant is below 0, at {np.linalg.det(m):.4g}", write)
    return _singular(m, eps)


def _is_symmetric(m: Any, eps: float) -> bool:
    """Return whether a matrix is symmetric up to rounding. If it is not, some frameworks read only one triangle."""
    return m.shape == m.T.shape and bool(np.abs(m - m.T).max() <= 4 * eps * np.abs(m).max())


def _indefinite(m: Any, eps: float) -> Reason | None:
    if not _is_symmetric(m, eps):
        return None
    least, most = np.linalg.eigvalsh((m + m.T) / 2)[[0, -1]]
    if least > len(m) * eps * abs(most):
        return None
    singular = least >= -len(m) * eps * abs(most)
    what = "0 up to rounding" if singular else f"{least:.4g}"
    write = "add a small multiple of the identity, such as 1e-6 times the mean of its diagonal" if singular else ""
    return Reason("domain", f"the matrix is not positive definite: its smallest eigenvalue is {what}", write)


def _equal(what: str, values: Any, eps: float) -> Reason | None:
    ends = np.sort(values)
    alike = np.diff(ends) <= 2 * len(ends) * eps * np.abs(ends).max(initial=0)
    if not alike.any():
        return None
    at = int(np.argmax(alike))
    number = f"{ends[at]:.4g}" if abs(ends[at]) > len(ends) * eps * np.abs(ends).max(initial=0) else "0"
    equal = f"two of its {what} are equal up to rounding, {number}"
    why = f"{equal}, and the slope of the vectors divides by their difference"
    return Reason("0 / 0", why, "")


def _eigenvalues(m: Any, eps: float) -> Reason | None:
    return _equal("eigenvalues", np.linalg.eigvalsh((m + m.T) / 2), eps) if _is_symmetric(m, eps) else None


def _singular_values(m: Any, eps: float) -> Reason | None:
    return _equal("singular values", np.linalg.svd(m, compute_uv=False), eps)


RULES = {
    "linear_solve": _inverse, "triangular_solve": _inverse, "inv": _inverse, "solve": _inverse, "slogdet": _singular,
    "det": _singular, "logdet": _negative, "qr": _singular, "cholesky": _indefinite, "eigh": _eigenvalues,
    "svd": _singular_values,
}  # fmt: skip
