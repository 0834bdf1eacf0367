"""SciPy's special functions with gradients: `import minigrad.scipy.special as special`.

Each function takes the same arguments as the function of that name in `scipy.special`, as Tensors, arrays, numbers or
lists. Calls with Tensors are recorded. SciPy itself is not needed.

>>> import minigrad as mg
>>> import minigrad.scipy.special as special
>>> mg.grad(special.expit)(0.0)
Tensor(0.25, dtype=float32)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.support.error_words import advised
from ..core.support.operands import adopt_all
from ..core.support.tensor_values import as_value
from ..core.tensor import constant
from ..ops import absolute as _absolute
from ..ops import (
    cbrt,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    gammaln,
    log,
    log1p,
    logit,
    polygamma,
    sinc,
    softplus,
    sqrt,
    where,
    xlog1py,
    xlogy,
)
from ..ops import log_sigmoid as log_expit
from ..ops import log_softmax as _log_softmax
from ..ops import logsumexp as _logsumexp
from ..ops import max as _max
from ..ops import sigmoid as expit
from ..ops import sign as _sign
from ..ops import softmax as _softmax
from ..ops import squeeze as _squeeze
from ..ops import sum as _sum
from ..ops.axes import Axis, in_floats

__all__ = [
    "betaln", "cbrt", "digamma", "entr", "erf", "erfc", "exp2", "exp10", "expit", "expm1", "gammaln", "log1p",
    "log_expit", "log_softmax", "logit", "logsumexp", "multigammaln", "polygamma", "psi", "rel_entr", "sinc", "softmax",
    "softplus", "xlog1py", "xlogy",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


def _values(*arguments: Any) -> list[Any]:
    """Return the arguments of an elementwise function, with lists converted to Tensors, which have operators."""
    return [constant(x) if isinstance(x, (list, tuple)) else x for x in adopt_all(arguments)]


def _as_floats(x: Any) -> Any:
    return in_floats(x) if hasattr(x, "dtype") else constant(float(x))


def digamma(x: Any) -> Any:
    """The derivative of `gammaln`.

    >>> float(digamma(1.0))  # minus Euler's constant
    -0.5772156715393066
    """
    return polygamma(0, x)


psi = digamma


def betaln(a: Any, b: Any) -> Any:
    """The logarithm of the absolute value of the beta function: gammaln(a) + gammaln(b) - gammaln(a + b).

    >>> float(betaln(2.0, 3.0))  # log(1 / 12)
    -2.4849066734313965
    """
    a, b = map(_as_floats, _values(a, b))
    small: Any = where(a > b, b, a)  # not minimum, which would divide the slope between equal numbers
    large: Any = where(a > b, a, b)
    far = (large >= _FAR) & (small + large >= _FAR) & (large < np.inf)
    near_small, near_large = where(far, 1.0, small), where(far, 1.0, large)
    near = gammaln(near_large) - gammaln(near_small + near_large)
    return gammaln(small) + where(far, _far_ratio(where(far, small, 0.0), where(far, large, _FAR)), near)


#: From this x upwards, Stirling's series is exact to the last digit of float64.
_FAR = 16.0


def _far_ratio(a: Any, b: Any) -> Any:
    """gammaln(b) - gammaln(a + b) for large b and a + b; a plain subtraction would lose all digits."""
    return a - a * log(b) - (a + b - 0.5) * log1p(a / b) + _stirling(b) - _stirling(a + b)


def _stirling(x: Any) -> Any:
    """The correction to Stirling's formula for gammaln(x), from the series in 1 / x."""
    t = 1 / x
    s = t * t
    return t * (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188))))


def multigammaln(a: Any, d: int) -> Any:
    """The logarithm of the gamma function in d dimensions, for a > (d - 1) / 2.

    >>> float(multigammaln(2.0, 1))  # in one dimension it is gammaln
    0.0
    """
    (a,) = _values(a)
    if np.any(as_value(a) <= (d - 1) / 2):
        raise ValueError(f"multigammaln of {d} dimensions takes numbers above {(d - 1) / 2}, got {as_value(a)}")
    return d * (d - 1) / 4 * math.log(math.pi) + sum(gammaln(a - j / 2) for j in range(d))


def exp10(x: Any) -> Any:
    """10**x

    >>> float(exp10(2.0))
    100.0
    """
    (x,) = _values(x)
    return 10.0 ** _as_floats(x)


def entr(x: Any) -> Any:
    """-x log(x). At 0 it is 0, with slope inf; for negative numbers it is -inf, with slope 0.

    >>> entr([0.0, 1.0, -1.0])
    Tensor([  0.,  -0., -inf], shape=(3,), dtype=float32, op=where)
    """
    x = _as_floats(*_values(x))
    inside: Any = where(x <= 0, 1, x)
    end: Any = sqrt(where(x == 0, x + 0.0, 1))  # at 0 and -0.0 it is 0 with slope inf, like entr
    return where(x < 0, -np.inf, where(x == 0, end, -inside * log(inside)))


def rel_entr(x: Any, y: Any) -> Any:
    """x log(x / y). It is 0 if x is 0 and y >= 0. It is inf, with slopes 0, if x or y is negative, or if only y is 0.

    >>> rel_entr([0.0, 1.0, 1.0], [1.0, 1.0, 0.0])
    Tensor([ 0.,  0., inf], shape=(3,), dtype=float32, op=where)
    """
    x, y = _values(x, y)
    holes = (x != x) | (y != y)  # x or y is nan
    zero, outside = (x == 0) & (y >= 0), ((x < 0) | (y < 0) | ((x > 0) & (y == 0))) & ~holes
    hole = zero | outside
    safe_x: Any = where(hole, 1, x)
    safe_y: Any = where(hole, 1, y)
    return where(outside, np.inf, where(zero, 0, safe_x * log(safe_x / safe_y)))


@advised
def softmax(x: Any, axis: Axis = None) -> Any:
    """exp(x) / sum(exp(x)) along `axis`, by default over all elements.

    >>> softmax([0.0, 0.0])
    Tensor([0.5, 0.5], shape=(2,), dtype=float32, op=softmax)
    """
    return _softmax(x, axis)


@advised
def log_softmax(x: Any, axis: Axis = None) -> Any:
    """log(softmax(x)) along `axis`, by default over all elements.

    >>> log_softmax([1000.0, 0.0])
    Tensor([    0., -1000.], shape=(2,), dtype=float32, op=log_softmax)
    """
    return _log_softmax(x, axis)


@advised
def logsumexp(a: Any, axis: Axis = None, b: Any = None, keepdims: bool = False, return_sign: bool = False) -> Any:
    """log(sum(b * exp(a))) along `axis`, computed so that nothing overflows.

    b : factors, which broadcast with `a`; all 1 by default. return_sign : whether to return a pair of the logarithm of
    the sum's absolute value and the sign of the sum. Without return_sign, the logarithm of a negative sum is nan.

    >>> float(logsumexp([1000.0, 1000.0], b=[2.0, -1.0]))
    1000.0
    """
    if b is None and not return_sign:
        return _logsumexp(a, axis, keepdims)
    a, b = adopt_all([a, 1.0 if b is None else b])
    a = where(b == 0, -np.inf, a)
    top = as_value(_max(a, axis, True))
    top = np.where(np.isfinite(top), top, 0).astype(top.dtype)  # a constant, because its gradients would cancel out
    total = _sum(b * exp(a - top), axis, True)
    y = log(_absolute(total) if return_sign else total) + top
    sign = _sign(total)
    if not keepdims:
        y, sign = _squeeze(y, axis), _squeeze(sign, axis)
    return (y, sign) if return_sign else y
