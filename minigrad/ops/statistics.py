"""Quantiles, with and without nan, covariances and correlations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.support.operands import adopt, float_dtype
from ..core.support.tensor_values import as_value, some
from ..core.tensor import Tensor
from .arithmetic import sqrt
from .arrange import diagonal
from .axes import Axis, keepdims_shape, to_last
from .choose import clip, maximum, where
from .declare import composite, names_as
from .identities import astype
from .index import take_along_axis
from .join import concatenate
from .reduce import mean, sum
from .shapes import atleast_2d, expand_dims, moveaxis, reshape, squeeze, transpose
from .sorting import sort

_TABLE = [[1.5, -2.0, 0.5, 4.0, 0.1], [0.3, 1.0, 2.5, -1.0, 2.0]]
_HOLED = [[1.5, float("nan"), 0.5, 4.0, 0.1], [0.3, 1.0, 2.5, -1.0, 2.0]]
_ROW = [0.7, 1.0, -0.5, 2.0, 0.3]


def _line(alpha: float, beta: float) -> Callable[[Any, Any], Any]:
    """Return a function of (n, q): the position of the quantile q among n sorted elements, counted from 0.

    alpha, beta : the parameters of the formula by Hyndman and Fan (1996).
    """
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta) - 1)


def _step(position: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a function like `position` without a gradient in q, for methods whose position jumps as q changes."""
    return lambda n, q: position(n, as_value(q).astype(np.float64))


def _cdf(n: Any, q: Any) -> Any:
    """The position of the smallest element x with F(x) >= q, for the empirical distribution function F."""
    return np.ceil(n * q) - 1


def _averaged_cdf(n: Any, q: Any) -> Any:
    """The position from `_cdf`, or halfway to the next one if the distribution function is exactly q there."""
    return np.where(n * q % 1 == 0, n * q - 0.5, _cdf(n, q))


def _midpoint(n: Any, q: Any) -> Any:
    position = (n - 1) * q
    return np.where(position % 1 == 0, position, np.floor(position) + 0.5)


def _closest(n: Any, q: Any) -> Any:
    """The nearest position; at a tie, the position that is even when counted from 1."""
    return np.round(n * q) - 1


#: Method -> a function of (n, q) that returns the position of a quantile; at other than whole positions, the value is
#: interpolated.
POSITIONS: dict[str, Callable[[Any, Any], Any]] = {
    "linear": _line(1, 1), "hazen": _line(0.5, 0.5), "weibull": _line(0, 0), "interpolated_inverted_cdf": _line(0, 1),
    "median_unbiased": _line(1 / 3, 1 / 3), "normal_unbiased": _line(3 / 8, 3 / 8),
    "inverted_cdf": _step(_cdf), "averaged_inverted_cdf": _step(_averaged_cdf), "closest_observation": _step(_closest),
    "lower": _step(lambda n, q: np.floor((n - 1) * q)), "higher": _step(lambda n, q: np.ceil((n - 1) * q)),
    "nearest": _step(lambda n, q: np.round((n - 1) * q)), "midpoint": _step(_midpoint),
}  # fmt: skip


#: The methods whose value is one of the elements.
_PICKING = {"inverted_cdf", "closest_observation", "lower", "higher", "nearest"}


def _interpolated(x: Any, q: Any, method: str) -> Any:
    """Return the dtype of interpolated quantiles: the dtype of `x`, or a wider one for an array `q`."""
    if isinstance(q, (int, float)) and not isinstance(q, np.generic):
        return x.dtype
    q = q if isinstance(q, (Tensor, np.ndarray, np.generic)) else np.asarray(q)
    whole = q.dtype.kind != "f"
    if whole and method == "linear":
        return x.dtype
    return np.result_type(x.dtype, np.float64 if whole else q.dtype)


def _quantile(x: Any, q: Any, axis: Axis, method: str, keepdims: bool, leave_out: bool) -> Any:
    """Quantiles of `x` along `axis`. If `leave_out` is true, nans are ignored; otherwise a nan makes the result nan."""
    if method not in POSITIONS:
        raise ValueError(f"quantile has no method {method!r}; its methods are {', '.join(POSITIONS)}")
    picks = method in _PICKING  # if so, the value is an element, and integers need not be converted
    x = x if x.dtype.kind == "f" or picks else astype(x, np.float64)
    dtype = _interpolated(x, q, method)
    q = astype(q, np.float64) if isinstance(q, Tensor) else np.asarray(q, np.float64)
    if not np.all((as_value(q) >= 0) & (as_value(q) <= 1)):
        raise ValueError("quantile takes numbers from 0 to 1, and percentile from 0 to 100")
    ranked = sort(to_last(x, axis))
    if not ranked.shape[-1]:  # without elements the quantile is nan, so one nan is added
        ranked = concatenate([astype(ranked, dtype), np.full((*ranked.shape[:-1], 1), np.nan, dtype)], -1)
    nans = np.isnan(as_value(ranked))  # all at the end, because `sort` puts nans last
    n = np.sum(~nans, -1, keepdims=True) if leave_out else np.full((1,), ranked.shape[-1])
    last = np.maximum(n - 1, 0)
    position = clip(POSITIONS[method](n, reshape(q, (-1,))), 0, last)
    low, high = (np.broadcast_to(end(as_value(position)), (*ranked.shape[:-1], q.size)) for end in (np.floor, np.ceil))
    below, above = (take_along_axis(ranked, end.astype(np.int64), -1) for end in (low, high))
    y = below if picks else _between(below, above, astype(position - low, dtype), low == high)
    if not leave_out and some(nans):
        y = where(nans[..., -1:], np.nan, y)
    rest = keepdims_shape(x, axis) if keepdims else y.shape[:-1]
    return reshape(moveaxis(y, -1, 0), (*q.shape, *rest))


def _between(below: Any, above: Any, way: Any, exact: Any) -> Any:
    """The number at the fraction `way` of the way from `below` up to `above`.

    An infinite `below` is returned, except that a position between -inf and inf gives nan.
    """
    y = below + way * where(exact, 0, above - below)
    a, b = as_value(below), as_value(above)
    endless = np.isinf(a) & (exact | (b != -a))  # -inf and inf have no number between them
    return where(endless, below, y) if some(endless) else y


_QUANTILES = (
    (_TABLE, 0.375), (_TABLE, [0.25, 0.75], 1), (_TABLE, 0.5, (0, -1), "hazen", True), (_TABLE, 0.625, 1, "higher"),
    (_TABLE, 0.5625, 1, "averaged_inverted_cdf"),
)


@composite(
    numpy=np.quantile,
    edge_cases="equal elements keep their order, and so do their gradients; nan, with slopes 0, if one is nan",
    names=names_as("quantile", tf=""),
    samples=tuple((x, np.asarray(q, np.float16), *rest) for x, q, *rest in _QUANTILES),
)
def quantile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Any:
    """The number below which a fraction `q` of the elements along `axis` lies, differentiable in `x`.

    q : a number from 0 to 1, or an array of such numbers, whose axes come first in the result. `q` has a gradient too,
        unless the method jumps from one element to another.
    method : how to compute the position among the sorted elements, as in `np.quantile`; a value between two elements
        is interpolated.

    >>> import minigrad as mg
    >>> import numpy as np
    >>> mg.grad(lambda x: mg.quantile(x, 0.25))(np.array([1.0, 3.0, 4.0]))
    array([0.5, 0.5, 0. ])
    """
    return _quantile(x, q, axis, method, keepdims, leave_out=False)


@composite(
    numpy=np.percentile, names=dict(keras="percentile", jax="percentile"),
    samples=((_TABLE, np.float16(25)), (_TABLE, np.asarray([25, 75], np.float16), 1))
)
def percentile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Any:
    """`quantile` with `q` from 0 to 100."""
    return _quantile(x, _hundredths(q), axis, method, keepdims, leave_out=False)


@composite(
    numpy=np.nanquantile, names=names_as("nanquantile", tf=""),
    samples=((_HOLED, np.float16(0.3), 1), (_HOLED, np.asarray([0.2, 0.7], np.float16))),
)
def nanquantile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Any:
    """`quantile` of the elements that are not nan."""
    return _quantile(x, q, axis, method, keepdims, leave_out=True)


@composite(
    numpy=np.nanpercentile, names=dict(keras="nanpercentile", jax="nanpercentile"),
    samples=((_HOLED, np.float16(25), 1),),
)
def nanpercentile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Any:
    """`quantile` of the elements that are not nan, with `q` from 0 to 100."""
    return _quantile(x, _hundredths(q), axis, method, keepdims, leave_out=True)


def _hundredths(q: Any) -> Any:
    return q / 100 if isinstance(q, (int, float, Tensor)) else np.asarray(q) / 100


@composite(
    numpy=np.median, names=dict(keras="median", jax="median"),
    edge_cases="for an even count, the mean of the middle two, which share the gradient; "
    "nan, with slopes 0, if any element is nan",
    samples=((_TABLE,), (_TABLE, 0), (_TABLE, 1, True)),
)
def median(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The middle element along `axis`, or the mean of the middle two; nan for an empty array."""
    return _quantile(x, 0.5, axis, "linear", keepdims, leave_out=False)


@composite(numpy=np.nanmedian, names=names_as("nanmedian", tf=""), samples=((_HOLED,), (_HOLED, 1, True)))
def nanmedian(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The median of the elements that are not nan."""
    return _quantile(x, 0.5, axis, "linear", keepdims, leave_out=True)


def _variables(m: Any, rowvar: bool) -> Any:
    """`m` with one row for each variable; a one-dimensional `m` is one variable."""
    return atleast_2d(m) if rowvar or m.ndim == 1 else transpose(atleast_2d(m))


@composite(
    numpy=np.cov, latex=r"\frac{1}{n - 1} \sum_i (a_i - \bar a)(a_i - \bar a)^T", names=dict(torch="cov", jax="cov"),
    samples=((_TABLE,), (_ROW,), (_TABLE, [_ROW]), (_TABLE, dict(rowvar=False, bias=True)),
             (_TABLE, dict(fweights=np.array([1, 2, 1, 3, 1]), aweights=np.array([0.5, 1.0, 1.0, 2.0, 0.3])))),
)
def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: float | None = None, fweights: Any = None,
    aweights: Any = None,
) -> Any:  # fmt: skip
    """The covariances between variables, as in `np.cov`; each row of `m` holds one variable's observations.

    y : more variables. rowvar : False if each column of `m` is a variable. ddof : the sum is divided by n - ddof, which
    is n - 1 by default and n if bias=True. fweights, aweights : the number of repeats and the weight of each
    observation.

    Returns shape (variables, variables), or a number for one variable.
    """
    x = _variables(m, rowvar)
    x = x if y is None else concatenate([x, _variables(adopt(y, float_dtype([x])), rowvar)], 0)
    ddof = ddof if ddof is not None else 0 if bias else 1
    if fweights is None and aweights is None:
        away, n = x - mean(x, 1, True), max(x.shape[1] - ddof, 0)
        return squeeze(away @ transpose(away) / n)
    counts, weights = (astype(adopt(1 if w is None else w, float_dtype([x])), x.dtype) for w in (fweights, aweights))
    w = counts * weights
    total = sum(w)
    n = maximum(total - ddof * sum(w * weights) / total, 0)
    away = x - expand_dims(sum(x * w, 1) / total, 1)
    return squeeze(away * w @ transpose(away) / n)


@composite(
    numpy=np.corrcoef, names=dict(keras="corrcoef", torch="corrcoef", jax="corrcoef"),
    samples=((_TABLE,), (_TABLE, [_ROW]), (_TABLE[0], dict(y=_ROW))),
)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """The correlations between variables: their covariances (see `cov`), divided by their standard deviations."""
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    deviation = sqrt(diagonal(c))
    return clip(c / (expand_dims(deviation, 1) * deviation), -1, 1)
