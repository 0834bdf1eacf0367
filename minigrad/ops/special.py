"""Special functions: the complementary error function, the inverse of sigmoid, and a log(1 + b)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.op import Domain
from .choose import where
from .declare import defop
from .exponential import exp, log1p, vectorised

_each_erfc = np.frompyfunc(math.erfc, 1, 1)

erfc = defop(
    "erfc", lambda x: vectorised(_each_erfc, x), elementwise=True,
    vjp=lambda g, y, a: g * (-2 / math.sqrt(math.pi) * exp(-a * a)),
    latex=r"\frac{2}{\sqrt\pi} \int_a^\infty e^{-t^2} dt", slope="-2 / sqrt(pi) * exp(-a * a)",
    doc="1 - erf(x), which stays accurate where erf(x) is nearly 1.",
    names=dict(tf="math.erfc", torch="erfc", jax="scipy.special.erfc"), samples=(([0.5, -2.0, 5.0],),),
)


def _logit(x: Any) -> Any:
    """log(x / (1 - x)), the inverse of sigmoid."""
    return np.log(x) - np.log1p(-x)


logit = defop(
    "logit", _logit, elementwise=True,
    vjp=lambda g, y, a: g / (a * (1 - a)),
    latex=r"\log \frac{a}{1 - a}", slope="1 / (a * (1 - a))",
    edge_cases="0 < a < 1; at the ends the value and the slope are infinite",
    domain=Domain(0, lambda dtype: dtype.eps, lambda dtype: 1 - dtype.eps, 0.5),
    names=dict(torch="logit", jax="scipy.special.logit"), samples=(([0.3, 0.9],),),
)


def _safe(a: Any, b: Any) -> Any:
    """`b`, and 0 where a is 0 and b is -1."""
    return where((a == 0) & (b == -1), 0, b)


def _xlog1py(a: Any, b: Any) -> Any:
    """a * log(1 + b), and 0 where a is 0 and b is -1."""
    return a * np.log1p(_safe(a, b))


xlog1py = defop(
    "xlog1py", _xlog1py, elementwise=True,
    vjp=(lambda g, y, a, b: g * log1p(_safe(a, b)), lambda g, y, a, b: g * (a / (1 + _safe(a, b)))),
    latex=r"a \log(1 + b)", slope=("log1p(b)", "a / (1 + b)"),
    edge_cases="0 log 0 is 0; its slopes are 0 as well",
    names=dict(tf="math.xlog1py", torch="special.xlog1py", jax="scipy.special.xlog1py"),
    samples=(([0.5, 0.0, -2.0], [0.3, 2.0, 1.5]),),
)
