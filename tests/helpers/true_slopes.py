"""Elementwise ops in exact arithmetic (mpmath), and their derivatives to hundreds of digits."""

import functools
import math

import mpmath
from mpmath import mpf

INF, NAN = mpf("inf"), mpf("nan")


def _sign(x):
    return mpmath.sign(x)


def _remainder(a, b):
    return a - b * mpmath.floor(a / b)


def _fmod(a, b):
    return a - b * (mpmath.floor(a / b) if a / b >= 0 else mpmath.ceil(a / b))


def _sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


def _softplus(x):
    return mpmath.log1p(mpmath.exp(x)) if x < 0 else x + mpmath.log1p(mpmath.exp(-x))


def _normal(x):
    if x > 1e4:
        return mpmath.mpf(1)
    if x < -1e4:  # far below the smallest float; mpmath itself overflows at the largest ones
        return mpmath.mpf(0)
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def _gelu_tanh(x):
    """x * sigmoid(2 u), as 1 + tanh(u) would lose its digits."""
    if abs(x) > 1e4:  # further from a line than the smallest float nowhere; mpmath is slow at the largest ones
        return max(x, mpf(0))
    return x * _sigmoid(2 * mpmath.sqrt(2 / mpmath.pi) * (x + mpf(0.044715) * x**3))


def _cbrt(x):
    return mpmath.sign(x) * mpmath.cbrt(abs(x))


def _log_gamma(x):
    return mpmath.log(abs(mpmath.gamma(x))) if x < 20 else mpmath.loggamma(x)


#: The function that each op computes.
TRUTH = {
    "exp": mpmath.exp, "expm1": mpmath.expm1, "exp2": lambda x: mpf(2) ** x, "log": mpmath.log, "log1p": mpmath.log1p,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2), "log10": lambda x: mpmath.log(x) / mpmath.log(10),
    "sigmoid": _sigmoid, "softplus": _softplus, "log_sigmoid": lambda x: -_softplus(-x),
    "erf": mpmath.erf, "erfc": lambda x: 2 * _normal(-x * mpmath.sqrt(2)),
    "logit": lambda x: mpmath.log(x) - mpmath.log1p(-x),
    "gammaln": _log_gamma, "reciprocal": lambda x: 1 / x, "square": lambda x: x * x, "sqrt": mpmath.sqrt,
    "rsqrt": lambda x: 1 / mpmath.sqrt(x), "cbrt": _cbrt,
    "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan, "arcsin": mpmath.asin, "arccos": mpmath.acos,
    "arctan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh, "arcsinh": mpmath.asinh,
    "arccosh": mpmath.acosh, "arctanh": mpmath.atanh, "sinc": lambda x: mpmath.sincpi(x),
    "deg2rad": lambda x: x * mpmath.pi / 180, "rad2deg": lambda x: x * 180 / mpmath.pi,
    "relu": lambda x: max(x, mpf(0)), "leaky_relu": lambda x: x if x > 0 else x * mpf(0.2),
    "elu": lambda x: x if x > 0 else mpmath.expm1(x), "gelu": lambda x: x * _normal(x),
    "silu": lambda x: x * _sigmoid(x), "absolute": abs,
    "digamma": lambda x: mpmath.digamma(x), "trigamma": lambda x: mpmath.psi(1, x),
    "gelu_tanh": _gelu_tanh,
    "logaddexp": lambda a, b: max(a, b) + mpmath.log1p(mpmath.exp(-abs(a - b))),
    "logaddexp2": lambda a, b: max(a, b) + mpmath.log1p(mpf(2) ** -abs(a - b)) / mpmath.log(2),
    "xlogy": lambda a, b: a * mpmath.log(b), "xlog1py": lambda a, b: a * mpmath.log1p(b),
    "divide": lambda a, b: a / b, "multiply": lambda a, b: a * b, "power": lambda a, b: a**b,
    "hypot": lambda a, b: mpmath.sqrt(a * a + b * b), "arctan2": lambda a, b: mpmath.atan2(a, b),
    "mod": _remainder, "fmod": _fmod, "sigmoid_cross_entropy": lambda a, b: _softplus(a) - a * b,
}  # fmt: skip


def digits(*numbers):
    """The number of digits that leaves some of them in a second difference at these numbers.

    The difference itself takes 80. A function saturates by exp(-x * x) at the fastest; 10**-330 is below all floats.
    """
    small = max([0.0, *[-math.log10(abs(x)) for x in numbers if x]])
    large = max([0.0, *[min(x * x, 360.0) for x in numbers]])
    exponents = max([0.0, *[math.log10(abs(x)) for x in numbers if x]])
    return int(120 + 3 * small + large + exponents)


def derivatives(f, numbers, orders):
    """The partial derivatives of `f` of the given orders at `numbers`, by central differences of hundreds of digits.

    orders : for each derivative how often to differentiate in each argument, such as (1, 0), at most 2 in all.
    """
    with mpmath.workdps(digits(*numbers)):
        point = [mpf(float(x)) for x in numbers]
        steps = [min(abs(x) or mpf(1), mpf(1)) * mpf(10) ** -40 for x in point]

        @functools.cache
        def at(*moves):
            try:
                y = f(*[x + k * h for x, k, h in zip(point, moves, steps)])
            except (ZeroDivisionError, ValueError):
                return NAN
            return (
                y
                if isinstance(y, mpf) and not isinstance(y, mpmath.mpc)
                else NAN
                if isinstance(y, mpmath.mpc)
                else mpf(y)
            )

        return [_difference(at, order, steps) for order in orders]


def _difference(at, order, steps):
    where = [i for i, n in enumerate(order) for _ in range(n)]
    zero = (0,) * len(order)

    def moved(*moves):
        return at(*map(sum, zip(zero, *[tuple(k * (i == j) for j in range(len(order))) for i, k in moves])))

    if not where:
        return at(*zero)
    if len(where) == 1:
        (i,) = where
        return (moved((i, 1)) - moved((i, -1))) / (2 * steps[i])
    i, j = where
    if i == j:
        return (moved((i, 1)) - 2 * at(*zero) + moved((i, -1))) / steps[i] ** 2
    corners = moved((i, 1), (j, 1)) - moved((i, 1), (j, -1)) - moved((i, -1), (j, 1)) + moved((i, -1), (j, -1))
    return corners / (4 * steps[i] * steps[j])
