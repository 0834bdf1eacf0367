"""Arithmetic: the elementwise ops of pocket calculators, and comparisons.

Rules say nothing about broadcasting: the backward loop sums it away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import defop
from ..tensor import Tensor

add = defop(
    "add", np.add, operator="add",
    vjp=(lambda g, y, a, b: g, lambda g, y, a, b: g),
    latex="a + b", local=("1", "1"),
    names=dict(tf="add", keras="add", torch="add", jax="add"),
)

subtract = defop(
    "subtract", np.subtract, operator="sub",
    vjp=(lambda g, y, a, b: g, lambda g, y, a, b: -g),
    latex="a - b", local=("1", "-1"),
    names=dict(tf="subtract", keras="subtract", torch="sub", jax="subtract"),
)

multiply = defop(
    "multiply", np.multiply, operator="mul",
    vjp=(lambda g, y, a, b: g * b, lambda g, y, a, b: g * a),
    latex="a b", local=("b", "a"),
    domain="0 * inf is nan: where one factor is 0 and the other infinite, value or gradient is lost",
    names=dict(tf="multiply", keras="multiply", torch="mul", jax="multiply"),
)

divide = defop(
    "divide", np.true_divide, operator="truediv",
    vjp=(lambda g, y, a, b: g / b, lambda g, y, a, b: -g * y / b),  # not a / b**2: b**2 overflows early
    latex=r"\frac{a}{b}", local=("1 / b", "-y / b"),
    domain="at b = 0 the value is inf, or nan if a = 0, and so are the slopes",
    names=dict(tf="divide", keras="divide", torch="div", jax="divide"),
    samples=((1.5, 0.7), (-2.0, 3.0)),
)

negative = defop(
    "negative", np.negative, operator="neg",
    vjp=lambda g, y, a: -g,
    latex="-a", local="-1",
    names=dict(tf="negative", keras="negative", torch="neg", jax="negative"),
)

reciprocal = defop(
    "reciprocal", lambda a: 1 / a,
    vjp=lambda g, y, a: -g * y * y,
    elementwise=True, numpy=np.reciprocal,
    latex=r"\frac{1}{a}", local="-y * y", domain="inf at 0",
    names=dict(tf="math.reciprocal", keras="reciprocal", torch="reciprocal", jax="reciprocal"),
    samples=((0.7,), (-2.0,)),
)

square = defop(
    "square", np.square,
    vjp=lambda g, y, a: g * (2 * a),
    latex="a^2", local="2 * a",
    names=dict(tf="square", keras="square", torch="square", jax="square"),
)

absolute = defop(
    "absolute", np.absolute, operator="abs",
    vjp=lambda g, y, a: g * sign(a),
    latex="|a|", local="sign(a)", domain="slope 0 at 0",
    names=dict(tf="abs", keras="absolute", torch="abs", jax="abs"),
    samples=((-1.5,), (2.0,)),
)

sign = defop(
    "sign", np.sign,
    vjp=lambda g, y, a: g * 0,
    latex=r"\operatorname{sign} a", local="0", domain="slope 0 everywhere, and 0 by convention at the jump",
    names=dict(tf="sign", keras="sign", torch="sign", jax="sign"),
    samples=((-1.5,), (2.0,)),
)


def _winner(g: Any, a: Any, b: Any) -> Any:
    """g where a beats b, half of it at a tie."""
    return where(a > b, g, where(a == b, g * 0.5, 0))


maximum = defop(
    "maximum", np.maximum,
    vjp=(lambda g, y, a, b: _winner(g, a, b), lambda g, y, a, b: _winner(g, b, a)),
    latex=r"\max(a, b)", local=("1 if a > b else 0", "1 if b > a else 0"),
    domain="at a tie each argument gets half",
    names=dict(tf="maximum", keras="maximum", torch="maximum", jax="maximum"),
    samples=((1.5, 0.7), (-2.0, 3.0)),
)

minimum = defop(
    "minimum", np.minimum,
    vjp=(lambda g, y, a, b: _winner(g, b, a), lambda g, y, a, b: _winner(g, a, b)),
    latex=r"\min(a, b)", local=("1 if a < b else 0", "1 if b < a else 0"),
    domain="at a tie each argument gets half",
    names=dict(tf="minimum", keras="minimum", torch="minimum", jax="minimum"),
    samples=((1.5, 0.7), (-2.0, 3.0)),
)


def _clip(a: Any, low: Any = None, high: Any = None) -> Any:
    """`a` kept between `low` and `high`; None means no bound on that side."""
    return a if low is None and high is None else np.clip(a, low, high)


def _inside(a: Any, low: Any, high: Any) -> Any:
    return (True if low is None else a >= low) & (True if high is None else a <= high)


clip = defop(
    "clip", _clip, numpy=np.clip, method="clip", elementwise=True,
    vjp=(
        lambda g, y, a, low=None, high=None: where(_inside(a, low, high), g, 0),
        lambda g, y, a, low=None, high=None: where(a < low, g, 0),
        lambda g, y, a, low=None, high=None: where(a > high, g, 0),
    ),
    latex=r"\min(\max(a, l), h)", local=("1 if low <= a <= high else 0",),
    domain="the slope is 1 at the bounds themselves",
    names=dict(tf="clip_by_value", keras="clip", torch="clamp", jax="clip"),
    samples=((1.5, -1.0, 1.0), (0.5, -1.0, 1.0)),
)

where = defop(
    "where", lambda condition, a, b: np.where(condition, a, b),
    numpy=np.where, elementwise=True,
    vjp=(
        None,
        lambda g, y, condition, a, b: where(condition, g, 0),
        lambda g, y, condition, a, b: where(condition, 0, g),
    ),
    latex=r"a \text{ where } c \text{ else } b", local=("", "1 if condition else 0", "0 if condition else 1"),
    domain="the branch not taken gets the gradient 0, and 0 * inf behind it is nan: make its argument safe as well",
    names=dict(tf="where", keras="where", torch="where", jax="where"),
)

# Comparisons and logic have no gradient: the graph ends at them.

equal = defop("equal", np.equal, names=dict(tf="equal", keras="equal", torch="eq", jax="equal"))
not_equal = defop("not_equal", np.not_equal, names=dict(tf="not_equal", keras="not_equal", torch="ne"))
less = defop("less", np.less, names=dict(tf="less", keras="less", torch="lt", jax="less"))
less_equal = defop("less_equal", np.less_equal, names=dict(tf="less_equal", keras="less_equal", torch="le"))
greater = defop("greater", np.greater, names=dict(tf="greater", keras="greater", torch="gt", jax="greater"))
greater_equal = defop(
    "greater_equal", np.greater_equal, names=dict(tf="greater_equal", keras="greater_equal")
)
logical_and = defop("logical_and", np.logical_and, names=dict(tf="logical_and", keras="logical_and"))
logical_or = defop("logical_or", np.logical_or, names=dict(tf="logical_or", keras="logical_or"))
logical_not = defop("logical_not", np.logical_not, names=dict(tf="logical_not", keras="logical_not"))

for _name, _call in dict(
    eq=equal, ne=not_equal, lt=less, le=less_equal, gt=greater, ge=greater_equal
).items():
    setattr(Tensor, f"__{_name}__", _call)
for _name, _call in {
    "and": logical_and,
    "rand": logical_and,
    "or": logical_or,
    "invert": logical_not,
}.items():
    setattr(Tensor, f"__{_name}__", _call)
