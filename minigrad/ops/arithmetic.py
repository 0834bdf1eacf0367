"""Elementwise arithmetic.

The rules need not handle broadcasting, because the backward loop undoes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.support.op_facts import Domain
from ..core.support.tensor_values import as_value
from ..core.tensor import Tensor
from .choose import where
from .comparison import trunc
from .declare import above, composite, defop, names_as
from .exponential import log

_FACTORS = (([1.5, -2.0], [0.7, 3.0]), (0.5, [-2.0, 0.4]))

add = defop(
    "add", np.add, operator="add",
    says="The sum of two arrays, element by element.",
    vjp=(lambda g, y, a, b: g, lambda g, y, a, b: g),
    latex="a + b", slope=("1", "1"),
    names=names_as("add"), samples=_FACTORS,
)

subtract = defop(
    "subtract", np.subtract, operator="sub",
    says="The difference of two arrays, element by element.",
    vjp=(lambda g, y, a, b: g, lambda g, y, a, b: -g),
    latex="a - b", slope=("1", "-1"),
    names=names_as("subtract", torch="sub"), samples=_FACTORS,
)

multiply = defop(
    "multiply", np.multiply, operator="mul",
    says="The product of two arrays, element by element.",
    vjp=(lambda g, y, a, b: g * b, lambda g, y, a, b: g * a),
    latex="a b", slope=("b", "a"),
    edge_cases="0 * inf is nan, in the value and in the gradients",
    names=names_as("multiply", torch="mul"), samples=_FACTORS,
)

divide = defop(
    "divide", np.true_divide, operator="truediv",
    says="The quotient of two arrays, element by element.",
    vjp=(lambda g, y, a, b: g / b, lambda g, y, a, b: g * y / -b),  # not a / b**2: b**2 overflows early
    latex=r"\frac{a}{b}", slope=("1 / b", "-y / b"),
    edge_cases="at b = 0 the value is inf, or nan if a = 0, and so are the slopes",
    domain=Domain(1, lambda dtype: 8 * dtype.eps, hole=True),
    names=names_as("divide", torch="div"), samples=_FACTORS,
)

negative = defop(
    "negative", np.negative, operator="neg",
    says="Each element with the opposite sign.",
    vjp=lambda g, y, a: -g,
    latex="-a", slope="-1",
    names=names_as("negative", torch="neg"), samples=(([1.5, -2.0],),),
)

positive = defop(
    "positive", np.positive, operator="pos",
    says="Each element unchanged, in a new node of the graph.",
    vjp=lambda g, y, a: g,
    latex="+a", slope="1",
    names=names_as("positive", tf="", keras=""), samples=(([1.5, -2.0],),),
)

reciprocal = defop(
    "reciprocal", lambda x: 1 / x, numpy=np.reciprocal, elementwise=True,
    says="1 divided by each element.",
    vjp=lambda g, y, a: -g * y * y,
    latex=r"\frac{1}{a}", slope="-y * y",
    edge_cases="inf at 0",
    domain=Domain(0, lambda dtype: 8 * dtype.eps, hole=True),
    names=names_as("reciprocal", tf="math.reciprocal"),
    samples=(([0.7, -2.0],),),
)

square = defop(
    "square", np.square, method="square",
    says="Each element times itself.",
    vjp=lambda g, y, a: g * (2 * a),
    latex="a^2", slope="2 * a",
    names=names_as("square"), samples=(([0.7, -2.0],),),
)

sqrt = defop(
    "sqrt", np.sqrt, method="sqrt",
    says="Square root of each element.",
    vjp=lambda g, y, a: g / (2 * y),
    latex=r"\sqrt{a}", slope="1 / (2 * y)",
    edge_cases="a >= 0; at 0 the slope is 1/0 = inf, so a zero upstream gives 0 * inf = nan",
    domain=Domain(0, lambda dtype: dtype.eps**2),
    names=names_as("sqrt"), samples=(([0.5, 2.0],),),
)

rsqrt = defop(
    "rsqrt", lambda x: 1 / np.sqrt(x), elementwise=True,
    says="1 divided by the square root of each element.",
    vjp=lambda g, y, a: g * (-0.5 * y / a),
    latex=r"\frac{1}{\sqrt{a}}", slope="-y / (2 * a)",
    edge_cases="a > 0; inf at 0",
    domain=above(0),
    names=names_as("rsqrt", tf="math.rsqrt", jax="lax.rsqrt"), samples=(([0.5, 2.0],),),
)

cbrt = defop(
    "cbrt", np.cbrt,
    says="Cube root of each element; the root of a negative element is negative.",
    vjp=lambda g, y, a: g / (3 * y * y),
    latex=r"\sqrt[3]{a}", slope="1 / (3 * y * y)",
    edge_cases="slope inf at 0",
    domain=Domain(0, lambda dtype: dtype.eps, hole=True),
    names=dict(keras="cbrt", jax="cbrt"), samples=(([0.5, -2.0],),),
)


def _power_base(g: Any, y: Any, a: Any, b: Any) -> Any:
    """g * b * a**(b - 1), but 0 wherever the exponent is 0, even at a = 0."""
    if not isinstance(b, (Tensor, np.ndarray, np.generic)):
        return g * 0 if b == 0 else g * (2 * a) if b == 2 else g * (b * power(a, b - 1))
    # If the base and the exponent are 0, 0 ** -1 would be inf and 0 * inf would be nan, so the base is replaced by 1
    # before the power is taken.
    hole = (b == 0) & (a == 0)
    return g * where(hole, 0, b * power(where(hole, 1, a), b - 1))


def _power_exponent(g: Any, y: Any, a: Any, b: Any) -> Any:
    """g * y * log(a), with 0 instead of 0 * -inf at a = 0, and nan where a < 0."""
    a = a if isinstance(a, Tensor) else as_value(a, y.dtype)
    return g * y * where((a == 0) & (b < 0), -np.inf, log(where(a == 0, 1, a)))


def _power(x: Any, y: Any) -> Any:
    """x to the power y. Squares and cubes are computed as products: 4 times as fast, or 70 times for negative `x`."""
    if type(y) is int and y in (2, 3) and x.dtype.kind != "b":  # bools are excluded: their product would be a bool
        return x * x if y == 2 else x * x * x
    return np.power(x, y)


power = defop(
    "power", _power, operator="pow", numpy=np.power, elementwise=True,
    vjp=(_power_base, _power_exponent),
    latex="a^b", slope=("b * a**(b - 1)", "y * log(a)"),
    edge_cases="0**0 is 1 with both slopes 0; a negative base has no slope in the exponent (nan)",
    domain=above(0),
    names=names_as("power", tf="pow", torch="pow"),
    samples=(([1.5, 0.3, 2.0], [2.5, -1.2, 0.0]), ([-2.0, 0.5], 3)),
)

hypot = defop(
    "hypot", np.hypot,
    says="The hypotenuse of a right triangle with legs x and y, element by element.",
    vjp=(lambda g, y, a, b: g * cosine(a, b), lambda g, y, a, b: g * cosine(b, a)),
    latex=r"\sqrt{a^2 + b^2}", slope=("a / y", "b / y"),
    edge_cases="both slopes are 0 at (0, 0)",
    names=names_as("hypot", tf=""), samples=(([3.0, -1.0], [4.0, 0.0]),),
)


def _cosine(a: Any, b: Any) -> Any:
    """a / hypot(a, b), the cosine of the angle of the point (a, b), but 0 at the origin."""
    larger = np.maximum(np.abs(a), np.abs(b))
    larger = np.where(larger == 0, 1, larger)
    far = np.isinf(b) & np.isfinite(a)  # for these elements, b / larger would be inf / inf = nan
    a, b = a / larger, np.where(far, 1, b / larger)  # now the squares neither overflow nor underflow
    return a / (np.hypot(a, b) + ((a == 0) & (b == 0)))  # at the origin this is 0 / 1 instead of 0 / 0


def length(a: Any, b: Any) -> Any:
    """hypot(a, b), but 1 at the origin."""
    return where((a == 0) & (b == 0), 1, hypot(a, b))


# hypot(a, b)**2 - a**2 would lose all digits for small b, so the rule multiplies by the sine instead.

cosine = defop(
    "cosine", _cosine, elementwise=True,
    vjp=(
        lambda g, y, a, b: g * cosine(b, a) / length(a, b) * cosine(b, a),
        lambda g, y, a, b: -g * cosine(b, a) / length(a, b) * y,
    ),
    latex=r"\frac{a}{\sqrt{a^2 + b^2}}", slope=("b * b / hypot(a, b)**3", "-a * b / hypot(a, b)**3"),
    edge_cases="0 with slopes 0 at (0, 0)", samples=(([3.0, -1.0], [4.0, 0.5]),),
)


def unit(x: Any, length: Any) -> Any:
    """x / length; if the length is 0, the value and all derivatives are 0."""
    return where(length == 0, 0, x) / where(length == 0, 1, length)


mod = defop(
    "mod", np.mod, operator="mod",
    says="The remainder of the division x / y, with the sign of y: what `%` computes.",
    vjp=(lambda g, y, a, b: g, lambda g, y, a, b: -g * (a // b)),
    latex=r"a \bmod b", slope=("1", "-floor(a / b)"),
    edge_cases="jumps where a is a multiple of b",
    names=names_as("mod", tf="math.floormod", torch="remainder"), samples=(([5.0, -5.0], [2.3, 2.3]),),
)

floor_divide = defop(
    "floor_divide", np.floor_divide, operator="floordiv",
    says="The quotient of two arrays, element by element, rounded down: what `//` computes.",
    example=([5.0, -5.0], 2.0),
    latex=r"\lfloor a / b \rfloor",
    edge_cases="flat between jumps: no gradient",
    names=names_as("floor_divide", tf="math.floordiv"),
)

fmod = defop(
    "fmod", np.fmod,
    says="The remainder of the division x / y, with the sign of x.",
    vjp=(lambda g, y, a, b: g, lambda g, y, a, b: -g * trunc(a / b)),
    latex=r"a - b \operatorname{trunc}(a / b)", slope=("1", "-trunc(a / b)"),
    edge_cases="has the sign of a, as in C; jumps where a is a multiple of b",
    names=names_as("fmod", tf="truncatemod"), samples=(([5.0, -5.0], [2.3, 2.3]),),
)


@composite(
    arrays=0, numpy=np.divmod, method="__divmod__", names=dict(jax="divmod"), samples=(([5.0, -5.0], [2.3, 2.3]),)
)
def divmod(x: Any, y: Any) -> tuple[Any, Any]:
    """The rounded-down quotient, which has no gradient, and the remainder: (x // y, x % y).

    >>> import minigrad as mg
    >>> minutes, seconds = divmod(mg.constant(200.0), 60)
    >>> float(minutes), float(seconds)
    (3.0, 20.0)
    """
    return floor_divide(x, y), mod(x, y)


def _divmod_of(x: Any, y: Any) -> tuple[Any, Any]:
    """`divmod(y, x)`, which Python calls if only `x` is a Tensor."""
    return divmod(y, x)


Tensor.__rdivmod__ = _divmod_of  # type: ignore[method-assign, assignment]

absolute = defop(
    "absolute", np.absolute, operator="abs", method="abs",
    says="The absolute value of each element.",
    vjp=lambda g, y, a: g * sign(a),
    latex="|a|", slope="sign(a)",
    edge_cases="slope 0 at 0",
    names=names_as("abs", keras="absolute"), samples=(([-1.5, 2.0],),),
)

sign = defop(
    "sign", np.sign,
    says="The sign of each element: -1, 0 or 1.",
    vjp=lambda g, y, a: g * 0,
    latex=r"\operatorname{sign} a", slope="0",
    edge_cases="slope 0 everywhere, and 0 by convention at the jump",
    names=names_as("sign"), samples=(([-1.5, 2.0],),),
)
