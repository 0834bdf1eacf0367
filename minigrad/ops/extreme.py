"""The largest and the smallest element.

`where=` and `initial=` work as in NumPy; see reduce.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.support.operands import adopt, holds_tensor
from ..core.tensor import Tensor
from .axes import Axis, axes_of, chosen, count, reduced, spread
from .choose import fmax, fmin, maximum, minimum, where
from .declare import defop, names_as
from .identities import astype
from .reduce import sum
from .shapes import broadcast_to

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_HOLES = [[True, False, True], [True, True, False]]
_SAMPLES = ((_TABLE,), (_TABLE, 0), (_TABLE, (0, -1), True))
_MASKED = (_TABLE, 1, dict(where=_HOLES, initial=0.7))


def _extreme_rule(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The upstream gradient, divided evenly among the extreme elements, which may be nan; all other elements get 0."""
    return _shared(g, (a == spread(y, a, axis, keepdims)) | (a != a), a, axis, keepdims)


def _number_rule(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The upstream gradient, divided evenly among the extreme elements, none of them nan; all other elements get 0."""
    return _shared(g, a == spread(y, a, axis, keepdims), a, axis, keepdims)


def _shared(g: Any, hit: Any, a: Any, axis: Axis, keepdims: bool) -> Any:
    """Divide the upstream gradient `g` evenly among the elements of `a` marked in `hit`; the others get 0."""
    ties = spread(sum(astype(hit, a.dtype), axis, keepdims), a, axis, keepdims)
    return where(hit, spread(g, a, axis, keepdims) / ties, 0)


def _extreme(ufunc: Any) -> Callable[..., Any]:
    """Return a function that reduces an array with `ufunc`."""


    def extreme(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
        return reduced(ufunc, x, axis, keepdims)

    return extreme


def limit(dtype: Any, sign: int) -> Any:
    """The largest number of a dtype, or the smallest if sign is -1."""
    if dtype.kind in "fb":
        return sign * np.inf if dtype.kind == "f" else sign > 0
    return np.iinfo(dtype).max if sign > 0 else np.iinfo(dtype).min


def _bounded(
    reduction: Any, pairwise: Any, sign: int, x: Any, axis: Axis, keepdims: bool, initial: Any, mask: Any
) -> Any:
    """The largest (or smallest, if sign is -1) of `initial` and the elements in the mask."""
    x = adopt(x) if holds_tensor(x) or isinstance(x, (np.ndarray, np.generic)) else Tensor(adopt(x))
    if mask is not None:
        if initial is None:
            raise ValueError(
                f"{reduction.__name__} with where= may be left without elements; write initial= as well, such as "
                f"initial={-sign * np.inf}, which counts as one more element"
            )
        unused = np.nan if pairwise in (fmax, fmin) and x.dtype.kind == "f" else limit(x.dtype, -sign)
        x = chosen(x, mask, unused)
    if initial is not None and not count(x, axis):  # without elements NumPy's reduction would raise an error
        axes = axes_of(x, axis)
        shape = [1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes]
        y = broadcast_to(astype(adopt(initial, x.dtype), x.dtype), shape)
        return y + sum(x, axis, keepdims) if x.dtype.kind == "f" else y  # the empty sum connects `x` to the result
    y = reduction(x, axis, keepdims)
    if initial is None:
        return y
    if type(initial) in (int, float) and y.dtype.kind != "f":
        initial = np.asarray(initial, y.dtype)[()]  # a fraction is truncated, as in NumPy
    return pairwise(y, initial)


def _max_options(x: Any, axis: Axis = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """The largest element along `axis`.

    initial : a number to include as a further element. where : a mask of the elements to include.
    """
    return _bounded(max, maximum, 1, x, axis, keepdims, initial, where)


def _min_options(x: Any, axis: Axis = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """The smallest element along `axis`.

    initial : a number to include as a further element. where : a mask of the elements to include.
    """
    return _bounded(min, minimum, -1, x, axis, keepdims, initial, where)


max = defop(
    "max", _extreme(np.maximum), numpy=np.max, method="max", vjp=_extreme_rule, options=_max_options,
    latex=r"\max_i a_i", slope="1 where a == y, else 0",
    edge_cases="ties share the gradient evenly, and so do the elements that are nan",
    names=names_as("max", tf="reduce_max", torch="amax"), samples=(*_SAMPLES, _MASKED),
)
min = defop(
    "min", _extreme(np.minimum), numpy=np.min, method="min", vjp=_extreme_rule, options=_min_options,
    latex=r"\min_i a_i", slope="1 where a == y, else 0",
    edge_cases="ties share the gradient evenly, and so do the elements that are nan",
    names=names_as("min", tf="reduce_min", torch="amin"), samples=(*_SAMPLES, _MASKED),
)


def _nanmax_options(
    x: Any, axis: Axis = None, keepdims: bool = False, *, initial: Any = None, where: Any = None
) -> Any:
    """The largest element along `axis` that is not nan; see `max` for the keywords."""
    return _bounded(nanmax, fmax, 1, x, axis, keepdims, initial, where)


def _nanmin_options(
    x: Any, axis: Axis = None, keepdims: bool = False, *, initial: Any = None, where: Any = None
) -> Any:
    """The smallest element along `axis` that is not nan; see `min` for the keywords."""
    return _bounded(nanmin, fmin, -1, x, axis, keepdims, initial, where)


_WITH_NAN = (([[1.5, -2.0, 0.5], [0.3, 1.0, float("nan")]], 0), _MASKED)

nanmax = defop(
    "nanmax", _extreme(np.fmax), numpy=np.nanmax, vjp=_number_rule, options=_nanmax_options,
    slope="1 where a == y, else 0", edge_cases="ties share the gradient evenly; nan, with slopes 0, if all are nan",
    names=dict(keras="nanmax", jax="nanmax"), samples=_WITH_NAN,
)
nanmin = defop(
    "nanmin", _extreme(np.fmin), numpy=np.nanmin, vjp=_number_rule, options=_nanmin_options,
    slope="1 where a == y, else 0", edge_cases="ties share the gradient evenly; nan, with slopes 0, if all are nan",
    names=dict(keras="nanmin", jax="nanmin"), samples=_WITH_NAN,
)
