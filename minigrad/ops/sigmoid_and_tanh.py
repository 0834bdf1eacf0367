"""The sigmoid, and functions computed from it: tanh, softplus, and logarithms of sums of two exponentials.

If the sigmoid or tanh is close to 1, the difference 1 - y loses its digits. The slopes are therefore separate ops. Both
these ops and their rules avoid that difference.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .choose import where
from .comparison import isnan
from .declare import defop, names_as

_LN2 = math.log(2)
_FLOAT = np.dtype(float)
_ANY = (([0.5, -2.0],),)


def _decay(x: Any) -> Any:
    """e**-|x|. Integers first become floats, because negating an unsigned or the lowest integer wraps around."""
    return np.exp(-np.abs(x) if getattr(x, "dtype", _FLOAT).kind == "f" else np.copysign(x, -1.0))


def _sigmoid(x: Any) -> Any:
    """1 / (1 + e**-x), computed from e**-|x| so that nothing overflows."""
    e = _decay(x)
    return np.maximum(e, x >= 0) / (1 + e)  # 1 / (1 + e**-x) if x >= 0, otherwise e**x / (1 + e**x)


sigmoid = defop(
    "sigmoid", _sigmoid, elementwise=True, method="sigmoid",
    vjp=lambda g, y, a: g * sigmoid_slope(a),
    latex=r"\frac{1}{1 + e^{-a}}", slope="y * sigmoid(-a)",
    names=names_as("sigmoid", jax="nn.sigmoid"), samples=_ANY,
)


def _sigmoid_slope(x: Any) -> Any:
    """sigmoid(x) * sigmoid(-x), the derivative of the sigmoid."""
    e = _decay(x)
    return e / ((1 + e) * (1 + e))


sigmoid_slope = defop(
    "sigmoid_slope", _sigmoid_slope, elementwise=True,
    vjp=lambda g, y, a: -g * y * tanh(a / 2),
    latex=r"\frac{e^{-a}}{(1 + e^{-a})^2}", slope="-y * tanh(a / 2)", samples=_ANY,
)

tanh = defop(
    "tanh", np.tanh, method="tanh",
    says="Hyperbolic tangent of each element, between -1 and 1.",
    vjp=lambda g, y, a: g * tanh_slope(a),
    latex=r"\tanh a", slope="1 / cosh(a)**2",
    edge_cases="the value is 1 or -1 where |a| is above 10 in float32, 20 in float64: the unit is saturated; its slope "
    "there is nearly 4 exp(-2 |a|), and 0 where |a| is above 53 in float32, 374 in float64",
    names=names_as("tanh"), samples=_ANY,
)

tanh_slope = defop(
    "tanh_slope", lambda x: np.square(1 / np.cosh(x)), elementwise=True,  # the square of cosh(x) would overflow earlier
    vjp=lambda g, y, a: -2 * g * y * tanh(a),
    latex=r"\frac{1}{(\cosh a)^2}", slope="-2 * y * tanh(a)",
    says="1 / cosh(x)**2, the derivative of tanh.", samples=_ANY,
)


def _softplus(x: Any) -> Any:
    """log(1 + e**x), computed as max(x, 0) + log1p(e**-|x|) so that nothing overflows."""
    return np.maximum(x, 0) + np.log1p(_decay(x))


softplus = defop(
    "softplus", _softplus, elementwise=True,
    vjp=lambda g, y, a: g * sigmoid(a),
    latex=r"\log(1 + e^a)", slope="sigmoid(a)",
    names=names_as("softplus", tf="math.softplus", jax="nn.softplus"), samples=_ANY,
)

log_sigmoid = defop(
    "log_sigmoid", lambda x: np.minimum(x, 0) - np.log1p(_decay(x)), elementwise=True,
    vjp=lambda g, y, a: g * sigmoid(-a),
    latex=r"\log \frac{1}{1 + e^{-a}}", slope="sigmoid(-a)",
    says="log(sigmoid(x)), which stays finite where sigmoid(x) is 0.",
    names=names_as("log_sigmoid", tf="math.log_sigmoid", torch="logsigmoid", jax="nn.log_sigmoid"), samples=_ANY,
)


def _lead(a: Any, b: Any) -> Any:
    """a - b, but 0 where both are the same infinity."""
    gap = a - b
    return where((a == b) & isnan(gap), 0, gap)


logaddexp = defop(
    "logaddexp", np.logaddexp,
    says="Logarithm of the sum of two exponentials, computed so that it does not overflow.",
    vjp=(lambda g, y, a, b: g * sigmoid(_lead(a, b)), lambda g, y, a, b: g * sigmoid(_lead(b, a))),
    latex=r"\log(e^a + e^b)", slope=("sigmoid(a - b)", "sigmoid(b - a)"),
    edge_cases="both slopes are 1/2 where both arguments are -inf",
    names=names_as("logaddexp", tf=""), samples=(([0.5, -2.0], [1.0, 3.0]),),
)


logaddexp2 = defop(
    "logaddexp2", np.logaddexp2,
    says="Logarithm to the base 2 of the sum of two powers of 2, computed so that it does not overflow.",
    vjp=(
        lambda g, y, a, b: g * sigmoid(_LN2 * _lead(a, b)),
        lambda g, y, a, b: g * sigmoid(_LN2 * _lead(b, a)),
    ),
    latex=r"\log_2(2^a + 2^b)", slope=("1 / (1 + 2**(b - a))", "1 / (1 + 2**(a - b))"),
    edge_cases="both slopes are 1/2 where both arguments are -inf",
    names=names_as("logaddexp2", tf=""), samples=(([0.5, -2.0], [1.0, 3.0]),),
)
