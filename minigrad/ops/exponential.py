"""Exponentials and logarithms, and the error function.

Each rule uses the formula that is finite over the widest range, written with the result `y` if that is cheaper.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.support.op_facts import Domain
from .choose import where
from .declare import above, defop, names_as

_LN2, _LN10 = math.log(2), math.log(10)


def _largest(dtype: Any) -> float:
    """The largest x with a finite e^x, minus a margin of 1 for factors of e^x."""
    return math.log(dtype.max) - 1


exp = defop(
    "exp", np.exp, method="exp",
    says="Exponential of each element.",
    vjp=lambda g, y, a: g * y,
    latex="e^a", slope="y",
    edge_cases="overflows to inf above 88.73 in float32, 709.79 in float64, 11.1 in float16",
    domain=Domain(0, None, _largest, 0.0),
    names=names_as("exp"), samples=(([0.5, -2.0],),),
)

expm1 = defop(
    "expm1", np.expm1,
    says="Exponential of each element, minus 1, accurate for elements near 0.",
    vjp=lambda g, y, a: g * exp(a),  # not y + 1, which loses its digits if y is close to -1
    latex="e^a - 1", slope="exp(a)",
    domain=Domain(0, None, _largest, 0.0),
    names=names_as("expm1", tf="math.expm1"), samples=(([0.5, -2.0],),),
)

exp2 = defop(
    "exp2", np.exp2,
    says="2 to the power of each element.",
    vjp=lambda g, y, a: g * (y * _LN2),
    latex="2^a", slope="y * log(2)",
    domain=Domain(0, None, lambda dtype: math.log2(dtype.max) - 1, 0.0),
    names=names_as("exp2", tf=""), samples=(([0.5, -2.0],),),
)

log = defop(
    "log", np.log, method="log",
    says="Natural logarithm of each element.",
    vjp=lambda g, y, a: g / a,
    latex=r"\log a", slope="1 / a",
    edge_cases="a > 0; at 0 the value is -inf and the slope inf, so a zero upstream gives 0 * inf = nan",
    domain=above(0),
    names=names_as("log", tf="math.log"), samples=(([0.5, 3.0],),),
)

log1p = defop(
    "log1p", np.log1p,
    says="Natural logarithm of 1 plus each element, accurate for elements near 0.",
    vjp=lambda g, y, a: g / (1 + a),
    latex=r"\log(1 + a)", slope="1 / (1 + a)",
    edge_cases="a > -1; at -1 the value is -inf and the slope inf",
    domain=above(-1),
    names=names_as("log1p", tf="math.log1p"), samples=(([-0.5, 3.0],),),
)

log2 = defop(
    "log2", np.log2,
    says="Logarithm of each element to the base 2.",
    vjp=lambda g, y, a: g / _LN2 / a,
    latex=r"\log_2 a", slope="1 / (a * log(2))",
    edge_cases="a > 0",
    domain=above(0),
    names=names_as("log2", tf=""), samples=(([0.5, 3.0],),),
)

log10 = defop(
    "log10", np.log10,
    says="Logarithm of each element to the base 10.",
    vjp=lambda g, y, a: g / _LN10 / a,
    latex=r"\log_{10} a", slope="1 / (a * log(10))",
    edge_cases="a > 0",
    domain=above(0),
    names=names_as("log10", tf=""), samples=(([0.5, 3.0],),),
)


def _safe(a: Any, b: Any) -> Any:
    """`b`, but 1 where `a` and `b` are both 0."""
    return where((a == 0) & (b == 0), 1, b)


def _xlogy(x: Any, y: Any) -> Any:
    """x * log(y), but 0 where both are 0."""
    return x * np.log(_safe(x, y).astype(np.result_type(x, y)))  # astype: a Python number takes the array's dtype


xlogy = defop(
    "xlogy", _xlogy, elementwise=True,
    vjp=(lambda g, y, a, b: g * log(_safe(a, b)), lambda g, y, a, b: g * (a / _safe(a, b))),
    latex=r"a \log b", slope=("log(b)", "a / b"),
    edge_cases="0 log 0 is 0 with both slopes 0",
    domain=Domain(1, lambda dtype: dtype.eps),
    names=dict(tf="math.xlogy", torch="special.xlogy", jax="scipy.special.xlogy"),
    samples=(([0.5, 0.0, -2.0], [0.3, 2.0, 1.5]),),
)


_each_erf = np.frompyfunc(math.erf, 1, 1)


def vectorised(each: Any, x: Any) -> Any:
    """Apply a function of Python floats to every element, in the float dtype of `x`."""
    dtype = x.dtype if x.dtype.kind == "f" else np.float64
    return np.asarray(each(x)).astype(dtype)[()]


erf = defop(
    "erf", lambda x: vectorised(_each_erf, x), elementwise=True,
    vjp=lambda g, y, a: g * (2 / math.sqrt(math.pi) * exp(-a * a)),
    latex=r"\frac{2}{\sqrt\pi} \int_0^a e^{-t^2} dt", slope="2 / sqrt(pi) * exp(-a * a)",
    says="The error function: the probability that a normal random number of variance 1/2 lies between -x and x.",
    names=names_as("erf", tf="math.erf", jax="scipy.special.erf"), samples=(([0.5, -2.0],),),
)
