"""Trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.op import Domain
from .arithmetic import absolute, sqrt
from .choose import where
from .declare import above, defop, names_as, within

_SMALL = (([0.5, -0.8],),)
_ANY = (([0.5, -2.0],),)

#: Where e^x and e^-x are finite.
_STEEP = Domain(0, lambda dtype: 1 - math.log(dtype.max), lambda dtype: math.log(dtype.max) - 1, 0.0)

sin = defop(
    "sin", np.sin, vjp=lambda g, y, a: g * cos(a),
    says="Sine of each element, an angle in radians.",
    latex=r"\sin a", slope="cos(a)", names=names_as("sin"), samples=_ANY,
)
cos = defop(
    "cos", np.cos, vjp=lambda g, y, a: -g * sin(a),
    says="Cosine of each element, an angle in radians.",
    latex=r"\cos a", slope="-sin(a)", names=names_as("cos"), samples=_ANY,
)
tan = defop(
    "tan", np.tan, vjp=lambda g, y, a: g * (1 + y * y),
    says="Tangent of each element, an angle in radians.",
    latex=r"\tan a", slope="1 + y * y", edge_cases="unbounded at odd multiples of pi/2",
    names=names_as("tan"), samples=_ANY,
)
arcsin = defop(
    "arcsin", np.arcsin, vjp=lambda g, y, a: g / sqrt(1 - a * a),
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
    "arctan", np.arctan, vjp=lambda g, y, a: g / (1 + a * a),
    says="The angle between -pi/2 and pi/2 with this tangent.",
    latex=r"\arctan a", slope="1 / (1 + a * a)", names=names_as("arctan", tf="atan", torch="atan"), samples=_ANY,
)


def _turn(g: Any, across: Any, a: Any, b: Any) -> Any:
    """g * across / (a**2 + b**2), and 0 with all its derivatives at the origin."""
    hole = (a == 0) & (b == 0)
    return g * where(hole, 0, across) / where(hole, 1, a * a + b * b)


arctan2 = defop(
    "arctan2", np.arctan2,
    says="The angle, from -pi to pi, of the point with ordinate x and abscissa y.",
    vjp=(lambda g, y, a, b: _turn(g, b, a, b), lambda g, y, a, b: -_turn(g, a, a, b)),
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
tanh = defop(
    "tanh", np.tanh, method="tanh",
    says="Hyperbolic tangent of each element, between -1 and 1.",
    vjp=lambda g, y, a: g * (1 - y * y),  # not 1 / cosh(x)**2: cosh overflows
    latex=r"\tanh a", slope="1 - y * y",
    edge_cases="the slope is exactly 0 where |a| is above 9.1 in float32, 19.1 in float64: the unit is saturated",
    names=names_as("tanh"), samples=_ANY,
)
arcsinh = defop(
    "arcsinh", np.arcsinh, vjp=lambda g, y, a: g / sqrt(1 + a * a),
    says="Inverse of the hyperbolic sine.",
    latex=r"\operatorname{arsinh} a", slope="1 / sqrt(1 + a * a)",
    names=names_as("arcsinh", tf="asinh", torch="asinh"), samples=_ANY,
)
arccosh = defop(
    "arccosh", np.arccosh, vjp=lambda g, y, a: g / sqrt((a - 1) * (a + 1)),
    says="Inverse of the hyperbolic cosine: the solution that is not negative.",
    latex=r"\operatorname{arcosh} a", slope="1 / sqrt(a * a - 1)", edge_cases="a >= 1; slope inf at 1",
    domain=above(1),
    names=names_as("arccosh", tf="acosh", torch="acosh"), samples=(([1.5, 3.0],),),
)
arctanh = defop(
    "arctanh", np.arctanh, vjp=lambda g, y, a: g / ((1 - a) * (1 + a)),
    says="Inverse of the hyperbolic tangent.",
    latex=r"\operatorname{artanh} a", slope="1 / (1 - a * a)", edge_cases="-1 < a < 1; slope inf at both ends",
    domain=within(1),
    names=names_as("arctanh", tf="atanh", torch="atanh"), samples=_SMALL,
)


def _sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), and 1 at 0."""
    angle = math.pi * np.where(x == 0, 1, x)
    return np.where(x == 0, 1, np.sin(angle) / angle)[()]


def _sinc_slope(x: Any) -> Any:
    """The derivative (cos(pi x) - sinc(x)) / x, by its series near 0, where the difference has no digits left."""
    near, angle = absolute(x) < 1e-3, math.pi * x
    series = (angle * angle / 30 - 1 / 3) * (math.pi * angle)
    away = where(near, 1, x)
    return where(near, series, (cos(math.pi * away) - sinc(away)) / away)


sinc = defop(
    "sinc", _sinc, numpy=np.sinc, elementwise=True,
    vjp=lambda g, y, a: g * _sinc_slope(a),
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
