"""Reductions along axes: sum, mean, prod, var and std.

The functions passed as `options` implement NumPy's keywords: `where=` is a mask of the elements to include, `initial=`
is a further element, and `dtype=` is the dtype that the elements are converted to first.

Every rule first broadcasts the upstream gradient to the shape of the argument; the rest of the rule is elementwise.
The forward functions call NumPy's ufuncs directly, as `np.sum` itself does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.op import Op
from ..core.support.fast import general
from .arithmetic import sqrt, unit
from .axes import Axis, as_mask, chosen, count, floating, from_last, reduced, spread, to_last, wide
from .choose import where
from .declare import defop, names_as, plain
from .identities import astype
from .shapes import expand_dims

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_HOLES = [[True, False, True], [True, True, False]]
_SAMPLES = ((_TABLE,), (_TABLE, 0), (_TABLE, (0, -1), True))
_MASKED = (_TABLE, 0, dict(where=_HOLES))


def _is_whole(dtype: Any) -> bool:
    """Return whether a dtype is given and is not a float dtype, so that NumPy computes a result without a gradient."""
    return dtype is not None and np.dtype(dtype).kind != "f"


_WHOLE = Op("whole_number_reduction", lambda x, function, axis, **options: function(x, axis=axis, **options))
_WHOLE.call = general(_WHOLE)


def _reduce_whole(x: Any, function: Any, axis: Axis, keepdims: bool, where: Any = None, **options: Any) -> Any:
    """Call NumPy's reduction `function`, whose result is not a float and so has no gradient."""
    options = {name: option for name, option in options.items() if option is not None}
    if where is not None:
        options["where"] = plain(where)
    with np.errstate(invalid="ignore"):  # invalid elements, which the mask may exclude, must not give warnings
        return _WHOLE.call(x, function, axis, keepdims=keepdims, **options)


def _sum(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return reduced(np.add, x, axis, keepdims)


def _sum_options(
    x: Any, axis: Axis = None, keepdims: bool = False, *, dtype: Any = None, initial: Any = None, where: Any = None
) -> Any:
    """The sum of the elements along `axis` (an int, a tuple of ints, or None for all).

    dtype : the dtype that the elements are converted to first. initial : a number to add. where : a mask of the
    elements to include.

    >>> import minigrad as mg
    >>> mg.sum(mg.constant([[1.0, 2.0], [3.0, 4.0]]), 0, where=[[True, True], [False, True]]).value
    array([1., 6.], dtype=float32)
    """
    if _is_whole(dtype):
        return _reduce_whole(x, np.sum, axis, keepdims, dtype=dtype, initial=initial, where=where)
    y = sum(chosen(x, where, 0, dtype), axis, keepdims)
    return y if initial is None else y + initial


sum = defop(
    "sum", _sum, numpy=np.sum, method="sum", options=_sum_options,
    vjp=lambda g, y, a, axis=None, keepdims=False: spread(g, a, axis, keepdims),
    latex=r"\sum_i a_i", slope="1",
    names=names_as("sum", tf="reduce_sum"), samples=(*_SAMPLES, _MASKED),
)


def _mean(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    # The sum of a few hundred float16 numbers may exceed 65,504, the largest float16, although the mean does not.
    mean = reduced(np.add, x, axis, keepdims, dtype=wide(x)) / count(x, axis)
    return mean.astype(x.dtype) if x.dtype == np.float16 else mean


def _mean_options(x: Any, axis: Axis = None, keepdims: bool = False, *, dtype: Any = None, where: Any = None) -> Any:
    """The mean of the elements along `axis`.

    dtype : the dtype that the elements are converted to first. where : a mask of the elements to include.
    """
    if _is_whole(dtype):
        return _reduce_whole(x, np.mean, axis, keepdims, dtype=dtype, where=where)
    x = chosen(x, where, 0, dtype)
    if where is None:
        return mean(x, axis, keepdims)
    total = sum(astype(x, wide(x) or x.dtype), axis, keepdims)
    return astype(total / _how_many(where, x, axis, keepdims), floating(x))


def _how_many(mask: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """The number of elements of `x` along `axis` that are in the mask, as floats."""
    return sum(astype(as_mask(mask, x.shape), wide(x) or x.dtype), axis, keepdims)


mean = defop(
    "mean", _mean, numpy=np.mean, method="mean", options=_mean_options,
    vjp=lambda g, y, a, axis=None, keepdims=False: spread(g / count(a, axis), a, axis, keepdims),
    latex=r"\frac{1}{n} \sum_i a_i", slope="1 / n",
    edge_cases="nan for no elements",
    names=names_as("mean", tf="reduce_mean"), samples=(*_SAMPLES, _MASKED),
)


def _prod(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return reduced(np.multiply, x, axis, keepdims)


def _prod_options(
    x: Any, axis: Axis = None, keepdims: bool = False, *, dtype: Any = None, initial: Any = None, where: Any = None
) -> Any:
    """The product of the elements along `axis`.

    dtype : the dtype that the elements are converted to first. initial : a further factor. where : a mask of the
    elements to include.
    """
    if _is_whole(dtype):
        return _reduce_whole(x, np.prod, axis, keepdims, dtype=dtype, initial=initial, where=where)
    y = prod(chosen(x, where, 1, dtype), axis, keepdims)
    return y if initial is None else y * initial


prod = defop(
    "prod", _prod, numpy=np.prod, method="prod", options=_prod_options,
    vjp=lambda g, y, a, axis=None, keepdims=False: spread(g, a, axis, keepdims) * product_of_others(a, axis),
    latex=r"\prod_i a_i", slope="product of the others",
    edge_cases="exact even if elements are 0, because nothing is divided",
    names=names_as("prod", tf="reduce_prod"),
    samples=(*_SAMPLES, _MASKED, ([0.0, 2.0, 3.0],), ([0.0, 0.0, 3.0],)),
)


def _product_of_others(x: Any, axis: Axis = None) -> Any:
    """For each element, the product of all other elements along `axis`, computed without a division.

    It is the product of the elements before it times the product of the elements after it.
    """
    flat = to_last(x, axis)
    one = np.ones_like(flat[..., :1])
    left = np.multiply.accumulate(np.concatenate([one, flat[..., :-1]], -1), axis=-1)
    right = np.multiply.accumulate(np.concatenate([one, flat[..., :0:-1]], -1), axis=-1)[..., ::-1]
    return from_last(left * right, x, axis)


def _others_rule(g: Any, y: Any, a: Any, axis: Axis = None) -> Any:
    """The rule of `_product_of_others`: its derivative in element k is the same product with element k left out.

    The array `rows` has one row for each k.
    """
    same = np.eye(count(a, axis), dtype=bool)
    rows = product_of_others(where(same, 1, expand_dims(to_last(a, axis), -2)), -1)
    return from_last(sum(where(same, 0, expand_dims(to_last(g, axis), -2) * rows), -1), a, axis)


product_of_others = defop(
    "product_of_others", _product_of_others, vjp=_others_rule,
    latex=r"\prod_{j \neq i} a_j", samples=((_TABLE,), (_TABLE, 1), ([0.0, 2.0, 0.0],)),
)


def _freedom(x: Any, axis: Axis, ddof: float) -> float:
    """The divisor of the sum of squares: the number of elements minus `ddof`, but at least 0."""
    n = count(x, axis) - ddof
    return n if n > 0 else 0


def _var_rule(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    n = _freedom(a, axis, ddof)
    return spread(g, a, axis, keepdims) * ((2 / n if n else math.inf) * (a - mean(a, axis, True)))


def _var(x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    away = (x - _mean(x, axis, keepdims=True)).astype(wide(x) or x.dtype)
    total = reduced(np.add, away * away, axis, keepdims) / _freedom(x, axis, ddof)
    return total.astype(floating(x))


def _corrected(ddof: float, correction: float | None) -> float:
    if correction is None:
        return ddof
    if ddof:
        raise ValueError(f"ddof={ddof} and correction={correction} are two names of one setting; write one of them")
    return correction


def _var_options(
    x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0, *, dtype: Any = None, where: Any = None,
    correction: float | None = None,
) -> Any:
    """The mean squared distance from the mean along `axis`; the sum of the squares is divided by n - ddof.

    dtype : the dtype that the elements are converted to first. where : a mask of the elements to include.
    correction : another name for `ddof`.
    """
    ddof = _corrected(ddof, correction)
    if _is_whole(dtype):
        return _reduce_whole(x, np.var, axis, keepdims, dtype=dtype, where=where, ddof=ddof)
    x = chosen(x, where, 0, dtype)
    if where is None:
        return var(x, axis, keepdims, ddof)
    away = chosen(x - mean(x, axis, True, where=where), where, 0, wide(x))
    n = np.maximum(plain(_how_many(where, x, axis, keepdims)) - ddof, 0).astype(away.dtype)
    return astype(sum(away * away, axis, keepdims) / n, floating(x))


var = defop(
    "var", _var, numpy=np.var, method="var", options=_var_options, vjp=_var_rule,
    edge_cases="divides by 0 where ddof is not below the number of elements",
    latex=r"\frac{1}{n} \sum_i (a_i - \bar a)^2", slope="2 * (a - mean(a)) / n",
    names=names_as("var", tf="math.reduce_variance"),
    samples=(*_SAMPLES, (_TABLE, 1, False, 1), (_TABLE, 1, dict(where=_HOLES, ddof=1))),
)


def _std(x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    return np.sqrt(_var(x, axis, keepdims, ddof))


def _std_rule(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    away = unit(a - mean(a, axis, True), spread(y, a, axis, keepdims))
    return spread(g, a, axis, keepdims) * (away / _freedom(a, axis, ddof))


def _std_options(
    x: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0, *, dtype: Any = None, where: Any = None,
    correction: float | None = None,
) -> Any:
    """The square root of the variance along `axis`; see `var` for the arguments."""
    ddof = _corrected(ddof, correction)
    if _is_whole(dtype):
        return _reduce_whole(x, np.std, axis, keepdims, dtype=dtype, where=where, ddof=ddof)
    x = chosen(x, None, 0, dtype)
    if where is None:
        return std(x, axis, keepdims, ddof)
    return _root(var(x, axis, keepdims, ddof, where=where))


def _root(x: Any) -> Any:
    """The square root, but with slope 0 at 0."""
    return where(x == 0, 0, sqrt(where(x == 0, 1, x)))


std = defop(
    "std", _std, numpy=np.std, method="std", vjp=_std_rule, options=_std_options,
    latex=r"\sqrt{\operatorname{var} a}", slope="(a - mean(a)) / (n * y)",
    edge_cases="slope 0 where all elements are equal",
    names=names_as("std", tf="math.reduce_std"),
    samples=(*_SAMPLES, (_TABLE, 1, False, 1), (_TABLE, 1, dict(where=_HOLES, ddof=1))),
)


