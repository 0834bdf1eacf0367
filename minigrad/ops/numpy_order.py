"""NumPy's order of arguments, for functions whose op has another order: np.sum(x, axis, dtype, out)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from . import least_squares, nans, shorthand, statistics  # noqa: F401  declared before this file runs
from .declare import BY_NUMPY

IN_NUMPYS_ORDER: list[Any] = [
    np.sum, np.prod, np.mean, np.max, np.min, np.amax, np.amin, np.var, np.std, np.any, np.all, np.argmax, np.argmin,
    np.nansum, np.nanprod, np.nanmean, np.nanmax, np.nanmin, np.nanvar, np.nanstd, np.nancumsum, np.nancumprod,
    np.cumsum, np.cumprod, np.ptp, np.median, np.nanmedian, np.quantile, np.percentile, np.nanquantile,
    np.nanpercentile, np.take, np.linalg.eigh, np.linalg.pinv,
]  # fmt: skip


def in_numpys_order(theirs: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    """`ours`, called with the arguments of NumPy's function `theirs`."""
    signature = inspect.signature(theirs)
    first, *names = [p.name for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]

    not_ours = {"out", "overwrite_input"}

    @functools.wraps(ours)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not_ours.isdisjoint(kwargs):
            return ours(*args, **kwargs)
        given = dict(zip(names, args[1:])) | kwargs
        if given.pop("out", None) is not None:
            raise TypeError(
                f"np.{theirs.__name__} cannot write its result into out=, as the gradient would be lost; "
                f"write y = np.{theirs.__name__}(x, ...)"
            )
        given.pop("overwrite_input", None)  # it only saves memory
        return ours(args[0] if args else given.pop(first), **given)

    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


for _function in IN_NUMPYS_ORDER:
    BY_NUMPY[_function] = in_numpys_order(_function, BY_NUMPY[_function])
