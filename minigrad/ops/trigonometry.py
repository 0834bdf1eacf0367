"""Trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.support.op_facts import Domain
from .arithmetic import cosine, hypot, length, sqrt
from .declare import above, defop, names_as, within

_SMALL = (([0.5, -0.8],),)
_ANY = (([0.5, -2.0],),)

#: The interval in which e^x and e^-x are finite.
_STEEP = Domain(0, lambda dtype: 1 - math.log(dtype.max), lambda dtype: math.log(dtype.max) - 1, 0.0)

sin = defop(
    "sin", np.sin, method="sin", vjp=lambda g, y, a: g * cos(a),
    says="Sine of each element, an angle in radians.",
    latex=r"\sin a", slope="cos(a)", names=names_as("sin"), samples=_ANY,
)
cos = defop(
    "cos", np.cos, method="cos", vjp=lambda g, y, a: -g * sin(a),
    says="Cosine of each element, an angle in radians.",
    latex=r"\cos a", slope="-sin(a)", names=names_as("cos"), samples=_ANY,
)
tan = defop(
    "tan", np.tan, vjp=lambda g, y, a: g * (1 + y * y),  # this is 1 / cos(a)**2, without computing a cosine
    says="Tangent of each element, an angle in radians.",
    latex=r"\tan a", slope="1 + y * y", edge_cases="unbounded at odd multiples of pi/2",
    names=names_as("tan"), samples=_ANY,
)
arcsin = defop(
    "arcsin", np.arcsin, vjp=lambda g, y, a: g / sqrt(1 - a * a),  # not (1 - a) * (1 + a), whose slope cancels near 0
    says="The angle from -pi/2 to pi/2 with this sine.",
    latex=r"\arcsin a", slope="1 / sqrt(1 - a * a)", edge_cases="-1 <= a <= 1; slope inf at both ends",
    domain=within(1),
    names=names_as("arcsin", tf="asin", torch="asin"), samples=_SMALL,
)
arccos = defop(
    "arccos", np.arccos, vjp=lambda g, y, a: -g / sqrt(1 - a * a),
    says="The angle from 0 to pi with this cosine.",
    latex=r"\arccos a", slope="-1 / sqrt(1 - a * a)", edge_cases="-1 <= a <= 1; slope -inf at both ends",
    domain=within(1),
    names=names_as("arccos", tf="acos", torch="acos"), samples=_SMALL,
)
arctan = defop(
    "arctan", np.arctan, vjp=lambda g, y, a: g / hypot(1, a) / hypot(1, a),  # not a * a, which overflows
    says="The angle between -pi/2 and pi/2 with this tangent.",
    latex=r"\arctan a", slope="1 / (1 + a * a)", names=names_as("arctan", tf="atan", torch="atan"), samples=_ANY,
)


# The slopes are computed as cosine / length, because a square in b / (a * a + b * b) may overflow or underflow.
arctan2 = defop(
    "arctan2", np.arctan2,
    says="The angle, from -pi to pi, of the point with ordinate x and abscissa y.",
    vjp=(lambda g, y, a, b: g * cosine(b, a) / length(a, b), lambda g, y, a, b: -g * cosine(a, b) / length(a, b)),
    latex=r"\operatorname{atan2}(a, b)", slope=("b / (a * a + b * b)", "-a / (a * a + b * b)"),
    edge_cases="the angle of (0, 0) is not defined: both slopes are 0 there; jumps at a = 0, b < 0",
    names=names_as("arctan2", tf="math.atan2", torch="atan2"), samples=(([0.5, -2.0], [-1.0, 0.7]),),
)
sinh = defop(
    "sinh", np.sinh, vjp=lambda g, y, a: g * cosh(a),
    says="Hyperbolic sine of each element.",
    domain=_STEEP,
    latex=r"\sinh a", slope="cosh(a)", names=names_as("sinh"), samples=_ANY,
)
cosh = defop(
    "cosh", np.cosh, vjp=lambda g, y, a: g * sinh(a),
    says="Hyperbolic cosine of each element.",
    domain=_STEEP,
    latex=r"\cosh a", slope="sinh(a)", names=names_as("cosh"), samples=_ANY,
)
arcsinh = defop(
    "arcsinh", np.arcsinh, vjp=lambda g, y, a: g / hypot(1, a),  # not sqrt(1 + a * a), which overflows
    says="Inverse of the hyperbolic sine.",
    latex=r"\operatorname{arsinh} a", slope="1 / hypot(1, a)",
    names=names_as("arcsinh", tf="asinh", torch="asinh"), samples=_ANY,
)
arccosh = defop(
    "arccosh", np.arccosh, vjp=lambda g, y, a: g / sqrt(a - 1) / sqrt(a + 1),  # a * a - 1 loses digits near 1
    says="Inverse of the hyperbolic cosine: the solution that is not negative.",
    latex=r"\operatorname{arcosh} a", slope="1 / (sqrt(a - 1) * sqrt(a + 1))", edge_cases="a >= 1; slope inf at 1",
    domain=above(1),
    names=names_as("arccosh", tf="acosh", torch="acosh"), samples=(([1.5, 3.0],),),
)
arctanh = defop(
    "arctanh", np.arctanh, vjp=lambda g, y, a: g * cosh(y) * cosh(y),  # not 1 - a * a, which loses digits near 1
    says="Inverse of the hyperbolic tangent.",
    latex=r"\operatorname{artanh} a", slope="cosh(y)**2", edge_cases="-1 < a < 1; slope inf at both ends",
    domain=within(1),
    names=names_as("arctanh", tf="atanh", torch="atanh"), samples=_SMALL,
)


def _of_half_turns(x: Any) -> tuple[Any, Any]:
    """sin(pi x) and cos(pi x), computed from x minus the nearest integer, because that difference is exact."""
    turns = np.round(x)
    sign, angle = 1 - 2 * (turns % 2), math.pi * (x - turns)
    return sign * np.sin(angle), sign * np.cos(angle)


def _sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), and 1 at 0."""
    away = np.where(x == 0, 1, x)
    return np.where(x == 0, 1, _of_half_turns(away)[0] / math.pi / away)[()]


def _sinc_derivative(n: int, x: Any) -> Any:
    """The n-th derivative of sinc, for an integer n >= 0.

    Near 0 it is computed from the power series. Elsewhere it is computed from the derivatives of lower order, because
    z sinc = sin(z) with z = pi x, and all derivatives of the sine are known.
    """
    x = x * 1.0  # unsigned integers would wrap around when negated
    near = np.abs(x) < 0.6
    z, series = math.pi * np.where(near, x, 0), 0.0
    for k in reversed(range((n + 1) // 2, n // 2 + 15)):
        series = series * (z * z) + (-1) ** k / (math.factorial(2 * k - n) * (2 * k + 1))
    away = np.where(near, 1, x)
    sine, cosine = _of_half_turns(away)
    y = sine / math.pi / away
    for k in range(1, n + 1):
        y = ((sine, cosine, -sine, -cosine)[k % 4] - k * y) / math.pi / away
    return math.pi**n * np.where(near, series * z if n % 2 else series, y)


sinc_derivative = defop(
    "sinc_derivative", _sinc_derivative, elementwise=True,
    vjp=(None, lambda g, y, a, b: g * sinc_derivative(a + 1, b)),
    slope=("", "sinc_derivative(a + 1, b)"),
    samples=((1, [0.5, -2.2, 0.0]), (2, [0.1, 20.3])),
)

sinc = defop(
    "sinc", _sinc, numpy=np.sinc, elementwise=True,
    vjp=lambda g, y, a: g * sinc_derivative(1, a),
    latex=r"\frac{\sin \pi a}{\pi a}", slope="(cos(pi * a) - y) / a", edge_cases="1 with slope 0 at 0",
    names=names_as("sinc", tf=""), samples=(([0.5, -2.2, 0.0],),),
)
deg2rad = defop(
    "deg2rad", np.deg2rad, vjp=lambda g, y, a: g * (math.pi / 180),
    says="Each angle in degrees converted to radians.",
    latex=r"\frac{\pi}{180} a", slope="pi / 180", names=names_as("deg2rad", tf=""), samples=_ANY,
)
rad2deg = defop(
    "rad2deg", np.rad2deg, vjp=lambda g, y, a: g * (180 / math.pi),
    says="Each angle in radians converted to degrees.",
    latex=r"\frac{180}{\pi} a", slope="180 / pi", names=names_as("rad2deg", tf=""), samples=_ANY,
)
