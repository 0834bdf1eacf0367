"""Special functions: erfc, the inverse of the sigmoid, `a * log(1 + b)`, and log(gamma) with its derivatives."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..core.support.op_facts import Domain
from .choose import where
from .declare import defop, names_as
from .exponential import exp, log1p, vectorised

_each_erfc = np.frompyfunc(math.erfc, 1, 1)

erfc = defop(
    "erfc", lambda x: vectorised(_each_erfc, x), elementwise=True,
    vjp=lambda g, y, a: g * (-2 / math.sqrt(math.pi) * exp(-a * a)),
    latex=r"\frac{2}{\sqrt\pi} \int_a^\infty e^{-t^2} dt", slope="-2 / sqrt(pi) * exp(-a * a)",
    says="1 - erf(x), which stays accurate where erf(x) is nearly 1.",
    names=names_as("erfc", tf="math.erfc", jax="scipy.special.erfc"), samples=(([0.5, -2.0, 5.0],),),
)


def _logit(x: Any) -> Any:
    """log(x / (1 - x)), the inverse of sigmoid."""
    return np.where(x < 0.25, np.log(x) - np.log1p(-1.0 * x), 2 * np.arctanh(2.0 * x - 1))[()]  # exact for x >= 0.25


logit = defop(
    "logit", _logit, elementwise=True,
    vjp=lambda g, y, a: g / a / (1 - a),
    latex=r"\log \frac{a}{1 - a}", slope="1 / (a * (1 - a))",
    edge_cases="0 < a < 1; at the ends the value and the slope are infinite",
    domain=Domain(0, lambda dtype: dtype.eps, lambda dtype: 1 - dtype.eps, 0.5),
    names=dict(torch="logit", jax="scipy.special.logit"), samples=(([0.3, 0.9],),),
)


def _safe(a: Any, b: Any) -> Any:
    """`b`, but 0 where a is 0 and b is -1."""
    return where((a == 0) & (b == -1), 0, b)


def _xlog1py(x: Any, y: Any) -> Any:
    """x * log(1 + y), but 0 where x is 0 and y is -1."""
    return x * np.log1p(_safe(x, y).astype(np.result_type(x, y)))  # astype: a Python number takes the array's dtype


xlog1py = defop(
    "xlog1py", _xlog1py, elementwise=True,
    vjp=(lambda g, y, a, b: g * log1p(_safe(a, b)), lambda g, y, a, b: g * (a / (1 + _safe(a, b)))),
    latex=r"a \log(1 + b)", slope=("log1p(b)", "a / (1 + b)"),
    edge_cases="0 log 0 is 0; its slopes are 0 as well",
    names=dict(tf="math.xlog1py", torch="special.xlog1py", jax="scipy.special.xlog1py"),
    samples=(([0.5, 0.0, -2.0], [0.3, 2.0, 1.5]),),
)


def _log_gamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # x is a pole, or the result exceeds the largest float
        return math.inf


_each_log_gamma = np.frompyfunc(_log_gamma, 1, 1)

gammaln = defop(
    "gammaln", lambda x: vectorised(_each_log_gamma, x), elementwise=True,
    vjp=lambda g, y, a: g * polygamma(0, a),
    latex=r"\log |\Gamma(a)|", slope="polygamma(0, a)",
    edge_cases="inf at 0 and at the negative integers",
    domain=Domain(0, lambda dtype: dtype.eps, hole=True),
    says="The logarithm of the gamma function, which continues the factorial: gammaln(n + 1) is log(n!).",
    names=dict(tf="math.lgamma", torch="lgamma", jax="scipy.special.gammaln"),
    samples=(([0.5, 3.0, 20.0],), ([-0.5, -3.3, -20.7],)),
)

#: The Bernoulli numbers B2, B4, ..., for the asymptotic series.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def _right(n: int, z: Any) -> Any:
    """polygamma(n, z) for z > 0. The recurrence raises z above 12 + n, and the asymptotic series gives the value there.

    These are formulas 6.4.6 and 6.4.11 of Abramowitz and Stegun.
    """
    total = np.zeros_like(z)
    for _ in range(12 + n):
        total = total + math.factorial(n) / z ** (n + 1)
        z = z + 1
    total = total + math.factorial(n) / (2 * z ** (n + 1))
    total = total + (-np.log(z) if n == 0 else math.factorial(n - 1) / z**n)
    for k, b in enumerate(_BERNOULLI, 1):
        total = total + b * math.factorial(2 * k + n - 1) / (math.factorial(2 * k) * z ** (2 * k + n))
    return (-1) ** (n + 1) * total


@functools.cache
def _cotangent(n: int) -> Any:
    """The coefficients, lowest power first, of the polynomial P with P(cot x) = the n-th derivative of cot x.

    The next derivative is -(1 + cot**2) P'(cot).
    """
    powers = np.array([0.0, 1.0])
    for _ in range(n):
        slope = np.polynomial.polynomial.polyder(powers)
        powers = np.polynomial.polynomial.polymul([-1.0, 0.0, -1.0], slope)
    return powers


def _left(n: int, x: Any) -> Any:
    """polygamma(n, x) for x < 0, from the reflection formula 6.4.7; at poles it is nan if n = 0, otherwise infinite."""
    pole = np.floor(x) == x
    d = x - np.round(np.where(pole, 0.0, x))
    cot = np.where(np.abs(d) < 0.25, 1 / np.tan(np.pi * d), np.sign(d) * np.tan(np.pi * (0.5 - np.abs(d))))  # 0 at 0.5
    bends = np.pi ** (n + 1) * np.polynomial.polynomial.polyval(cot, _cotangent(n))
    return np.where(pole, (-1) ** (n + 1) * np.inf if n else np.nan, (-1) ** n * _right(n, 1 - x) - bends)


def _polygamma(n: Any, x: Any) -> Any:
    """The derivative of order n + 1 of gammaln; polygamma(0, x) is also called digamma.

    n : an integer from 0 to 100, or an array of them.
    """
    x = np.asarray(x)
    orders, z = np.broadcast_arrays(n, x.astype(np.float64))
    if np.any((orders != np.round(orders)) | (orders < 0) | (orders > 100)):
        raise ValueError(f"the order n must be an integer from 0 to 100, got {n!r:.60}; write polygamma(n, x), n first")
    y = np.empty(z.shape)
    for k in map(int, np.unique(orders)):
        right, left = (orders == k) & ~(z < 0), (orders == k) & (z < 0)
        y[right], y[left] = _right(k, z[right]), _left(k, z[left])
    return y.astype(x.dtype if x.dtype.kind == "f" else np.float64)[()]


polygamma = defop(
    "polygamma", _polygamma, elementwise=True,
    vjp=(None, lambda g, y, a, b: g * polygamma(a + 1, b)),
    latex=r"\psi^{(a)}(b)", slope=("", "polygamma(a + 1, b)"),
    edge_cases="at the negative integers nan for a = 0, an infinity for larger a",
    names=dict(tf="math.polygamma", torch="special.polygamma", jax="scipy.special.polygamma"),
    samples=((0, [0.5, 3.0]), (1, [0.5, 20.0]), (0, [-0.5, -3.3]), (2, [-0.7, -20.4])),
)
