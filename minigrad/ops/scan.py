"""Scans: running sums, products and maxima along an axis, and the differences that undo a running sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import defop
from .arrange import flip
from .compare import where
from .declare import composite, spelled
from .index import getitem, take_along_axis
from .reduce import sum
from .shape import along, expand_dims, moveaxis, reshape

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_SAMPLES = (([1.5, -2.0, 0.5],), (_TABLE, 0), (_TABLE, -1), (_TABLE,))


def _cumsum(x: Any, axis: int | None = None) -> Any:
    """The running sum along `axis`; None runs through all elements in C order."""
    return np.add.accumulate(np.ravel(x) if axis is None else x, axis=0 if axis is None else axis)


def _cumsum_rule(g: Any, y: Any, x: Any, axis: int | None = None) -> Any:
    """The running sum from the other end."""
    along = 0 if axis is None else axis
    return reshape(flip(cumsum(flip(g, along), along), along), x.shape)


cumsum = defop(
    "cumsum", _cumsum, numpy=np.cumsum, method="cumsum", vjp=_cumsum_rule,
    latex=r"\sum_{j \le i} x_j", local="1 for j <= i",
    names=spelled("cumsum"), samples=_SAMPLES,
)


def _cumprod(x: Any, axis: int | None = None) -> Any:
    """The running product along `axis`; None runs through all elements in C order."""
    return np.multiply.accumulate(np.ravel(x) if axis is None else x, axis=0 if axis is None else axis)


def _cumprod_rule(g: Any, y: Any, x: Any, axis: int | None = None) -> Any:
    """For element k: the running products without it, one row for each k, from k on.

    Dividing the product by the element would be cheaper, and wrong where it is 0.
    """
    along = -1 if axis is None else axis
    x_last, g_last = moveaxis(reshape(x, (-1,)) if axis is None else x, along, -1), moveaxis(g, along, -1)
    n = x_last.shape[-1]
    rows = cumprod(where(np.eye(n, dtype=bool), 1, expand_dims(x_last, -2)), -1)
    later = np.triu(np.ones((n, n), bool))
    return reshape(moveaxis(sum(where(later, expand_dims(g_last, -2) * rows, 0), -1), -1, along), x.shape)


cumprod = defop(
    "cumprod", _cumprod, numpy=np.cumprod, method="cumprod", vjp=_cumprod_rule,
    latex=r"\prod_{j \le i} x_j", local="the product without j, for j <= i",
    domain="exact where elements are 0, at the price of n * n products",
    names=spelled("cumprod", tf="math.cumprod"),
    samples=(*_SAMPLES, ([2.0, 0.0, 3.0],)),
)


@composite(
    latex=r"\max_{j \le i} x_j", domain="of equal elements the first gets the gradient",
    names=dict(torch="cummax", jax="lax.cummax"), samples=(([1.5, -2.0, 2.5],), (_TABLE, 0)),
)
def cummax(x: Any, axis: int = 0) -> Any:
    """The largest element so far along `axis`."""
    values = np.moveaxis(np.asarray(x), axis, -1)
    top = np.maximum.accumulate(values, axis=-1)
    rises = np.concatenate([np.ones_like(top[..., :1], bool), top[..., 1:] > top[..., :-1]], -1)
    place = np.maximum.accumulate(np.where(rises, np.arange(values.shape[-1]), 0), axis=-1)
    return take_along_axis(x, np.moveaxis(place, -1, axis), axis)


@composite(
    numpy=np.diff, latex="x_{i+1} - x_i",
    names=spelled("diff", tf=""), samples=(([1.5, -2.0, 0.5],), (_TABLE, 1, 0), (_TABLE, 2)),
)
def diff(x: Any, n: int = 1, axis: int = -1) -> Any:
    """The differences of neighbours along `axis`, taken `n` times over."""
    for _ in range(n):
        x = getitem(x, along(x, axis, slice(1, None))) - getitem(x, along(x, axis, slice(None, -1)))
    return x
