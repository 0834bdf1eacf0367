"""Reductions and cumulative ops that ignore nan; ignored elements get the gradient 0.

See extreme.py for nanmax and nanmin.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .axes import Axis, as_mask
from .choose import where
from .comparison import isnan
from .cumulative import cumprod, cumsum
from .declare import composite
from .reduce import mean, prod, std, sum, var

_TABLE = [[1.5, -2.0, 0.5], [0.3, float("nan"), 2.5]]
_SAMPLES = ((_TABLE,), (_TABLE, 0), (_TABLE, 1, True))


def _check_dtype(x: Any, dtype: Any = None, **keywords: Any) -> None:
    """Raise TypeError for a mean of floats in an integer or bool dtype, as NumPy does."""
    if dtype is not None and x.dtype.kind == "f" and np.dtype(dtype).kind != "f":
        raise TypeError(f"dtype={np.dtype(dtype)} holds no fractions, but the elements do; write a float dtype")


def _numbers(x: Any, mask: Any) -> Any:
    """The mask of the elements that are not nan; if `mask` is given, elements outside it are excluded too."""
    numbers = ~isnan(x)
    return numbers if mask is None else numbers & np.asarray(mask)


@composite(numpy=np.nansum, names=dict(keras="nansum", torch="nansum", jax="nansum"), samples=_SAMPLES)
def nansum(x: Any, axis: Axis = None, keepdims: bool = False, **keywords: Any) -> Any:
    """The sum along `axis` of the elements that are not nan, 0 if there are none; see `sum` for the keywords."""
    return sum(x, axis, keepdims, **keywords | dict(where=_numbers(x, keywords.get("where"))))


@composite(numpy=np.nanprod, names=dict(keras="nanprod", jax="nanprod"), samples=_SAMPLES)
def nanprod(x: Any, axis: Axis = None, keepdims: bool = False, **keywords: Any) -> Any:
    """The product along `axis` of the elements that are not nan, 1 if there are none; see `prod` for the keywords."""
    return prod(x, axis, keepdims, **keywords | dict(where=_numbers(x, keywords.get("where"))))


@composite(numpy=np.nanmean, names=dict(keras="nanmean", torch="nanmean", jax="nanmean"), samples=_SAMPLES)
def nanmean(x: Any, axis: Axis = None, keepdims: bool = False, **keywords: Any) -> Any:
    """The mean along `axis` of the elements that are not nan, nan if there are none; see `mean` for the keywords."""
    _check_dtype(x, **keywords)
    return mean(x, axis, keepdims, **keywords | dict(where=_numbers(x, keywords.get("where"))))


@composite(numpy=np.nanvar, names=dict(keras="nanvar", jax="nanvar"), samples=(*_SAMPLES, (_TABLE, 1, False, 1)))
def nanvar(x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0, **keywords: Any) -> Any:
    """The variance along `axis` of the elements that are not nan; see `var` for the keywords."""
    _check_dtype(x, **keywords)
    numbers = _numbers(x, keywords.get("where"))
    y = var(x, axis, keepdims, ddof, **keywords | dict(where=numbers))
    return _where_enough(y, numbers, x, axis, keepdims, ddof, **keywords)


def _where_enough(
    y: Any, numbers: Any, x: Any, axis: Axis, keepdims: bool, ddof: float, correction: float | None = None,
    **keywords: Any,
) -> Any:  # fmt: skip
    """`y` where more than `ddof` elements are not nan, and nan elsewhere, because a single number has no variance."""
    if y.dtype.kind != "f":
        return y
    how_many = sum(as_mask(numbers, x.shape), axis, keepdims)
    return where(how_many > (ddof if correction is None else correction), y, np.nan)


@composite(numpy=np.nanstd, names=dict(keras="nanstd", jax="nanstd"), samples=((_TABLE,), (_TABLE, 1, False)))
def nanstd(x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0, **keywords: Any) -> Any:
    """The standard deviation along `axis` of the elements that are not nan; see `std` for the keywords."""
    _check_dtype(x, **keywords)
    numbers = _numbers(x, keywords.get("where"))
    y = std(x, axis, keepdims, ddof, **keywords | dict(where=numbers))
    return _where_enough(y, numbers, x, axis, keepdims, ddof, **keywords)


@composite(numpy=np.nancumsum, names=dict(keras="nancumsum", jax="nancumsum"), samples=((_TABLE,), (_TABLE, 1)))
def nancumsum(x: Any, axis: int | None = None) -> Any:
    """The running sum along `axis`, with nan counted as 0."""
    return cumsum(where(isnan(x), 0, x), axis)


@composite(numpy=np.nancumprod, names=dict(keras="nancumprod", jax="nancumprod"), samples=((_TABLE,), (_TABLE, 1)))
def nancumprod(x: Any, axis: int | None = None) -> Any:
    """The running product along `axis`, with nan counted as 1."""
    return cumprod(where(isnan(x), 1, x), axis)
