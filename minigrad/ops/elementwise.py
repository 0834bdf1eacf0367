"""Elementwise functions: exponentials, logarithms, powers, trigonometry, the sigmoids, and rounding.

Formulas for the derivatives are those of any calculus handbook; where two exist, the one that stays finite longer
is used, written with the result `y` when that is cheaper.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import defop
from ..tensor import Tensor
from .arithmetic import where


def _f(name: str) -> dict[str, str]:
    return dict(tf=name, keras=name, torch=name, jax=name)


identity = defop(
    "identity", lambda x: x, vjp=lambda g, y, x: g, elementwise=True, latex="x", local="1",
    doc="The same value as a new node: the fresh input of a nested derivative.",
    names=dict(tf="identity", keras="identity", torch="clone"),
)
stop_gradient = defop(
    "stop_gradient", lambda x: x, elementwise=True, latex="x",
    doc="The same value, cut off from what it was made of: no gradient passes.",
    names=dict(tf="stop_gradient", keras="stop_gradient", torch="detach", jax="lax.stop_gradient"),
)

exp = defop(
    "exp", np.exp, vjp=lambda g, y, x: g * y, latex="e^x", local="y",
    domain="overflows to inf above 88.7 in float32, 709.8 in float64, 11.1 in float16",
    names=_f("exp"),
)
expm1 = defop(
    "expm1", np.expm1, vjp=lambda g, y, x: g * (y + 1), latex="e^x - 1", local="y + 1",
    names=_f("expm1") | dict(tf="math.expm1"),
)
log = defop(
    "log", np.log, vjp=lambda g, y, x: g / x, latex=r"\log x", local="1 / a",
    domain="x > 0; at 0 the value is -inf and the slope inf, so a zero upstream gives 0 * inf = nan",
    names=_f("log") | dict(tf="math.log"), samples=((0.5,), (3.0,)),
)
log1p = defop(
    "log1p", np.log1p, vjp=lambda g, y, x: g / (1 + x), latex=r"\log(1 + x)", local="1 / (1 + a)",
    domain="x > -1; at -1 the value is -inf and the slope inf",
    names=_f("log1p") | dict(tf="math.log1p"), samples=((-0.5,), (3.0,)),
)
sqrt = defop(
    "sqrt", np.sqrt,
    vjp=lambda g, y, a: g / (2 * y),
    latex=r"\sqrt{a}", local="1 / (2 * y)",
    domain="a >= 0; at 0 the slope is 1/0 = inf, so a zero upstream gives 0 * inf = nan",
    names=dict(tf="sqrt", keras="sqrt", torch="sqrt", jax="sqrt"),
    samples=((0.5,), (2.0,)),
)

rsqrt = defop(
    "rsqrt", lambda a: 1 / np.sqrt(a),
    vjp=lambda g, y, a: g * (-0.5 * y / a),
    elementwise=True,
    latex=r"\frac{1}{\sqrt{a}}", local="-y / (2 * a)", domain="a > 0; inf at 0",
    names=dict(tf="math.rsqrt", keras="rsqrt", torch="rsqrt", jax="lax.rsqrt"),
    samples=((0.5,), (2.0,)),
)


def _power_base(g: Any, y: Any, a: Any, n: Any) -> Any:
    """n * a**(n-1), where an exponent of 0 makes it 0 before `a` is looked at."""
    if isinstance(n, (Tensor, np.ndarray, np.generic)):
        return g * where(n == 0, 0, n * a ** where(n == 0, 1, n - 1))
    if n == 0:
        return g * 0
    return g * (2 * a) if n == 2 else g * (n * a ** (n - 1))


def _power_exponent(g: Any, y: Any, a: Any, n: Any) -> Any:
    """y * log(a), with 0 in place of 0 * -inf at a = 0, and nan where a < 0."""
    log_a = log(where(a == 0, 1, a))
    return g * y * where((a == 0) & (n < 0), -np.inf, log_a)


power = defop(
    "power", np.power, operator="pow",
    vjp=(_power_base, _power_exponent),
    latex="a^b", local=("b * a**(b - 1)", "y * log(a)"),
    domain="0**0 is 1 with both slopes 0; a negative base has no slope in the exponent (nan)",
    names=dict(tf="pow", keras="power", torch="pow", jax="power"),
    samples=((1.5, 2.5), (0.3, -1.2)),
)

sin = defop("sin", np.sin, vjp=lambda g, y, x: g * cos(x), latex=r"\sin x", local="cos(a)", names=_f("sin"))
cos = defop("cos", np.cos, vjp=lambda g, y, x: -g * sin(x), latex=r"\cos x", local="-sin(a)", names=_f("cos"))
tan = defop(
    "tan", np.tan, vjp=lambda g, y, x: g * (1 + y * y), latex=r"\tan x", local="1 + y * y",
    domain="unbounded at odd multiples of pi/2", names=_f("tan"),
)
tanh = defop(
    "tanh", np.tanh, vjp=lambda g, y, x: g * (1 - y * y), latex=r"\tanh x", local="1 - y * y", method="tanh",
    domain="the slope is exactly 0 where |x| is above 9.1 in float32, 19.1 in float64: the unit is saturated",
    names=_f("tanh"),
)


def _sigmoid(x: Any) -> Any:
    """1 / (1 + e**-x), computed from e**-|x| so that nothing overflows."""
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


sigmoid = defop(
    "sigmoid", _sigmoid, vjp=lambda g, y, x: g * (y * (1 - y)), elementwise=True, method="sigmoid",
    latex=r"\frac{1}{1 + e^{-x}}", local="y * (1 - y)",
    names=dict(tf="sigmoid", keras="sigmoid", torch="sigmoid", jax="nn.sigmoid"),
)


def _softplus(x: Any) -> Any:
    """log(1 + e**x), computed as max(x, 0) + log1p(e**-|x|) so that nothing overflows."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


softplus = defop(
    "softplus", _softplus, vjp=lambda g, y, x: g * sigmoid(x), elementwise=True,
    latex=r"\log(1 + e^x)", local="sigmoid(a)",
    names=dict(tf="math.softplus", keras="softplus", torch="softplus", jax="nn.softplus"),
)
relu = defop(
    "relu", lambda x: np.maximum(x, 0), vjp=lambda g, y, x: where(x > 0, g, 0), elementwise=True, method="relu",
    latex=r"\max(x, 0)", local="1 if a > 0 else 0", domain="slope 0 at 0",
    names=dict(tf="nn.relu", keras="relu", torch="relu", jax="nn.relu"), samples=((-1.5,), (2.0,)),
)

# Rounding is flat between its jumps: no gradient at all, rather than zeros that look like an answer.

floor = defop("floor", np.floor, names=_f("floor"))
ceil = defop("ceil", np.ceil, names=_f("ceil") | dict(tf="math.ceil"))
round = defop("round", lambda x: np.round(x), numpy=np.round, elementwise=True, names=_f("round"))
isnan = defop("isnan", np.isnan, names=_f("isnan") | dict(tf="math.is_nan"))
isfinite = defop("isfinite", np.isfinite, names=_f("isfinite") | dict(tf="math.is_finite"))
