"""Cumulative sums, products and maxima along an axis, and differences, which are the inverse of a cumulative sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.support.operands import adopt, float_dtype
from .arrange import flip
from .axes import chosen
from .choose import where
from .declare import composite, defop, names_as, plain
from .identities import astype
from .index import getitem, take_along_axis
from .join import concatenate
from .reduce import sum
from .shapes import along, broadcast_to, expand_dims, moveaxis, reshape

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_SAMPLES = (([1.5, -2.0, 0.5],), (_TABLE, 0), (_TABLE, -1), (_TABLE,))


def _line(x: Any, axis: int | None) -> Any:
    """`x`, or `x` flattened if `axis` is None; a number becomes an array of one element."""
    return reshape(x, (-1,)) if axis is None or not np.ndim(x) else x


def _scanned(scan: Any, x: Any, axis: int | None, dtype: Any) -> Any:
    """Apply a cumulative op, `scan`, to `x` in `dtype`; None means NumPy's default, which widens short integers."""
    x = chosen(x, None, 0, dtype)
    y = scan(x, axis)
    return y if dtype is None or y.dtype == x.dtype else astype(y, x.dtype)


def _cumsum(x: Any, axis: int | None = None) -> Any:
    return np.add.accumulate(_line(x, axis), axis=0 if axis is None else axis)


def _cumsum_rule(g: Any, y: Any, a: Any, axis: int | None = None) -> Any:
    """The running sum of `g` from the other end."""
    along = 0 if axis is None else axis
    return reshape(flip(cumsum(flip(g, along), along), along), a.shape)


def _cumsum_options(x: Any, axis: int | None = None, *, dtype: Any = None) -> Any:
    """The running sum along `axis`; None runs through all elements in C order.

    dtype : the dtype that the elements are converted to first; by default their own dtype.
    """
    return _scanned(cumsum, x, axis, dtype)


cumsum = defop(
    "cumsum", _cumsum, numpy=np.cumsum, method="cumsum", vjp=_cumsum_rule, options=_cumsum_options,
    latex=r"\sum_{j \le i} a_j", slope="1 for j <= i",
    names=names_as("cumsum"), samples=_SAMPLES,
)


def _cumprod(x: Any, axis: int | None = None) -> Any:
    return np.multiply.accumulate(_line(x, axis), axis=0 if axis is None else axis)


def _cumprod_rule(g: Any, y: Any, a: Any, axis: int | None = None) -> Any:
    """For each element k, the sum of g times the running products from position k on, computed without element k.

    Dividing the products by element k would be cheaper, but fails if the element is 0.
    """
    along = -1 if axis is None else axis
    x_last, g_last = moveaxis(_line(a, axis), along, -1), moveaxis(g, along, -1)
    n = x_last.shape[-1]
    # Row k contains the running products of the elements with element k replaced by 1.
    rows = cumprod(where(np.eye(n, dtype=bool), 1, expand_dims(x_last, -2)), -1)
    later = np.triu(np.ones((n, n), bool))
    return reshape(moveaxis(sum(where(later, expand_dims(g_last, -2) * rows, 0), -1), -1, along), a.shape)


def _cumprod_options(x: Any, axis: int | None = None, *, dtype: Any = None) -> Any:
    """The running product along `axis`; None runs through all elements in C order.

    dtype : the dtype that the elements are converted to first; by default their own dtype.
    """
    return _scanned(cumprod, x, axis, dtype)


cumprod = defop(
    "cumprod", _cumprod, numpy=np.cumprod, method="cumprod", vjp=_cumprod_rule, options=_cumprod_options,
    latex=r"\prod_{j \le i} a_j", slope="the product without j, for j <= i",
    edge_cases="exact where elements are 0, at the cost of n * n products",
    names=names_as("cumprod", tf="math.cumprod"),
    samples=(*_SAMPLES, ([2.0, 0.0, 3.0],)),
)


@composite(
    latex=r"\max_{j \le i} a_j", edge_cases="of equal elements the first gets the gradient; nan from the first nan on",
    names=dict(torch="cummax", jax="lax.cummax"), samples=(([1.5, -2.0, 2.5],), (_TABLE, 0)),
)
def cummax(x: Any, axis: int = 0) -> Any:
    """The largest element so far along `axis`."""
    values = np.moveaxis(plain(x), axis, -1)
    top = np.maximum.accumulate(values, axis=-1)
    before, after = top[..., :-1], top[..., 1:]
    rises = (after > before) | ((after != after) & (before == before))  # a nan counts as larger than any number
    rises = np.concatenate([np.ones_like(top[..., :1], bool), rises], -1)
    index = np.maximum.accumulate(np.where(rises, np.arange(values.shape[-1]), 0), axis=-1)
    return take_along_axis(x, np.moveaxis(index, -1, axis), axis)


@composite(
    numpy=np.diff, latex="a_{i+1} - a_i",
    names=names_as("diff", tf=""),
    samples=(
        ([1.5, -2.0, 0.5],), (_TABLE, 1, 0), (_TABLE, 2), (_TABLE, 1, -1, 2.0), (_TABLE, 2, 0, [[1.0, 2.0, 0.5]], 3.0),
    ),
)
def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The differences of neighbouring elements along `axis`, taken `n` times.

    prepend, append : arrays to join to the two ends of `x` first; a number is repeated in each row.
    """
    if n < 0:
        raise ValueError(f"diff takes differences n = 0, 1, 2, ... times, got n={n}")
    if n:
        x = concatenate([p for p in (_end(prepend, x, axis), x, _end(append, x, axis)) if p is not None], axis)
    for _ in range(n):
        x = getitem(x, along(x, axis, slice(1, None))) - getitem(x, along(x, axis, slice(None, -1)))
    return x


def _end(p: Any, x: Any, axis: int) -> Any:
    """The array to join to one end of `x` along `axis`: `p`, repeated in each row if it is a number."""
    if p is None:
        return None
    p = adopt(p, float_dtype([x]))
    return p if p.ndim else broadcast_to(p, [1 if i == axis % x.ndim else n for i, n in enumerate(x.shape)])


def _cumulative(scan: Any, unit: int, x: Any, axis: int | None, dtype: Any, include_initial: bool) -> Any:
    if axis is None and x.ndim > 1:
        raise ValueError(f"an array of {x.ndim} axes needs axis=, the axis to accumulate along, such as axis=0")
    axis = 0 if axis is None else axis
    y = _scanned(scan, x, axis, dtype)
    if not include_initial:
        return y
    return concatenate([_end(np.asarray(unit, y.dtype), y, axis), y], axis)


@composite(
    numpy=getattr(np, "cumulative_sum", None),  # new in NumPy 2.1
    latex=r"\sum_{j \le i} a_j", names=dict(jax="cumulative_sum"),
    samples=(([1.5, -2.0, 0.5],), (_TABLE, dict(axis=1, include_initial=True))),
)
def cumulative_sum(x: Any, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """The running sum along `axis` (optional for one-dimensional `x`); include_initial=True starts with 0."""
    return _cumulative(cumsum, 0, x, axis, dtype, include_initial)


@composite(
    numpy=getattr(np, "cumulative_prod", None),  # new in NumPy 2.1
    latex=r"\prod_{j \le i} a_j", names=dict(jax="cumulative_prod"),
    samples=(([1.5, -2.0, 0.5],), (_TABLE, dict(axis=1, include_initial=True))),
)
def cumulative_prod(x: Any, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """The running product along `axis` (optional for one-dimensional `x`); include_initial=True starts with 1."""
    return _cumulative(cumprod, 1, x, axis, dtype, include_initial)
