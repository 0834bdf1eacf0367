"""Division by the gaps between eigenvalues or singular values, as in the rules for eigenvectors.

Such a term, n[i, j] / (s[j] - s[i]), has no value if s[i] and s[j] are equal: any basis of the space that their vectors
span is as good as the basis that LAPACK returned. If the function does not depend on the choice of basis, n[i, j] is 0
as well, and the term is the limit of the quotient: the derivative of n[i, j] with respect to s, for fixed vectors. This
limit can be computed only from the record of the upstream gradient, because the numbers themselves are just 0, up to
rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.op import NeedsRecord, Op
from ..core.support.fast import general
from ..core.support.tensor_values import is_placeholder, on_arrays
from ..core.tensor import Tensor
from .choose import where
from .declare import plain
from .index import getitem
from .shapes import expand_dims


def _gaps(s: Any, sign: int) -> Any:
    """s[j] + sign * s[i], of shape (..., i, j); if sign is 0, s[j], of shape (..., 1, j)."""
    return expand_dims(s, -2) + sign * expand_dims(s, -1) if sign else expand_dims(s, -2)


@on_arrays
def _limits(n: Any, parts: Any, s: Any, sign: int, what: str, recorded: bool) -> Any:
    """Return a mask of the elements that need the limit: the gap has lost half of its digits, and n is equally small.

    Raises ValueError if a gap is 0 up to rounding but n is not, and NeedsRecord if a limit is needed in a pass that is
    not recorded.
    """
    eps, k = np.finfo(s.dtype).eps, s.shape[-1]
    gaps = np.broadcast_to(np.abs(_gaps(s, sign)), n.shape)
    scale = np.max(np.abs(s), -1, initial=0)[..., None, None]
    size = np.max(np.abs(parts), (-2, -1), initial=0)[..., None, None]
    close = gaps <= np.sqrt(eps) * scale
    close = close & ~np.eye(k, dtype=bool) if sign else close
    # n counts as 0 if it is no larger than the rounding errors of its terms, or than a multiple of the gap.
    limits = close & (np.abs(n) <= (100 * k * eps + 4 * gaps / np.where(scale == 0, 1, scale)) * size)
    wrong = np.argwhere(close & ~limits & (gaps <= 8 * k * eps * scale))
    if len(wrong) or (np.any(limits) and not recorded):
        *batch, i, j = (wrong if len(wrong) else np.argwhere(limits))[0]
        at = (*batch, j)
        which = f"{what} {i} and {j} are equal" if sign else f"number {j} of the {what} is 0"
        raise (ValueError if len(wrong) else NeedsRecord)(
            f"{which} ({s[at]:.6g}), so their vectors are not determined and have no derivative; the {what} "
            "themselves have one: use only those"
        )
    return limits


def _no_second_derivative(g: Any, y: Any, n: Any, slopes: Any) -> Any:
    raise ValueError("the vectors of equal eigenvalues or singular values have no second derivative")


_LIMIT = Op("limit_at_equal_values", lambda n, slopes: slopes, vjps=(_no_second_derivative, None))
_LIMIT.call = general(_LIMIT)


def over_gaps(n: Any, parts: Any, y: Any, index: int, sign: int, what: str) -> Any:
    """n[i, j] / (s[j] + sign * s[i]), or n[i, j] / s[j] if sign is 0; a quotient of two zeros is replaced by its limit.

    n : a difference of terms. If sign is not 0, n is antisymmetric, and the result is 0 on the diagonal.
    parts : the terms of that difference; their size decides whether n counts as 0.
    y, index : the results of the factorisation, and the index of s among them.

    Raises ValueError if s[i] and s[j] are equal, but n[i, j] is not 0.
    """
    s, same = y[index], np.eye(n.shape[-1], dtype=bool) if sign else np.zeros(n.shape[-1], bool)
    node: Any = s.args[0] if isinstance(s, Tensor) else None  # a pass on arrays has no node
    gaps = _gaps(s, sign)
    limits = _limits(plain(n), plain(parts), plain(s), sign, what, node is not None)
    if is_placeholder(limits) or not np.any(limits):
        return where(same, 0, n / where(same, 1, gaps))
    slopes = np.zeros(n.shape, n.dtype)
    for *batch, i, j in np.argwhere(limits & np.tri(n.shape[-2], n.shape[-1], -1, dtype=bool) if sign else limits):
        # As in l'Hôpital's rule, the limit of n / gap is the slope of n with respect to the two values.
        pair = getitem(n, (*batch, i, j))
        (g,) = pullback([pair], [np.ones_like(pair.value)], [node])
        by = g[index] if g and index in g else np.zeros(s.shape, n.dtype)
        of_i, of_j, here, turned = (*batch, i), (*batch, j), (*batch, i, j), (*batch, j, i)
        slopes[here] = (by[of_j] + sign * by[of_i]) / 2 if sign else by[of_j]
        if sign:
            slopes[turned] = -sign * slopes[here]
    return where(limits, _LIMIT.call(n, slopes), n / where(same | limits, 1, gaps))
