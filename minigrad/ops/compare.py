"""Rounding, comparison and logic: ops without a gradient, at which the graph ends."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from .declare import defop, names_as

# Rounding is flat between its jumps. It has no gradient, so that the graph visibly ends, rather than zeros.


def _round(x: Any, decimals: int = 0) -> Any:
    """`x` rounded to the nearest number with that many decimals; halves go to the even neighbour."""
    return np.round(x, decimals)


round = defop("round", _round, numpy=np.round, elementwise=True, method=("round", "__round__"), names=names_as("round"))
floor = defop("floor", np.floor, latex=r"\lfloor a \rfloor", names=names_as("floor"))
ceil = defop("ceil", np.ceil, latex=r"\lceil a \rceil", names=names_as("ceil", tf="math.ceil"))
trunc = defop("trunc", np.trunc, names=names_as("trunc", tf=""))

# Comparison and logic.

equal = defop("equal", np.equal, names=names_as("equal", torch="eq"))
not_equal = defop("not_equal", np.not_equal, names=names_as("not_equal", torch="ne"))
less = defop("less", np.less, names=names_as("less", torch="lt"))
less_equal = defop("less_equal", np.less_equal, names=names_as("less_equal", torch="le"))
greater = defop("greater", np.greater, names=names_as("greater", torch="gt"))
greater_equal = defop("greater_equal", np.greater_equal, names=names_as("greater_equal", torch="ge"))


logical_and = defop("logical_and", np.logical_and, names=names_as("logical_and", tf="math.logical_and"))
logical_or = defop("logical_or", np.logical_or, names=names_as("logical_or", tf="math.logical_or"))
logical_xor = defop("logical_xor", np.logical_xor, names=names_as("logical_xor", tf="math.logical_xor"))
logical_not = defop("logical_not", np.logical_not, names=names_as("logical_not", tf="math.logical_not"))
isnan = defop("isnan", np.isnan, names=names_as("isnan", tf="math.is_nan"))
isinf = defop("isinf", np.isinf, names=names_as("isinf", tf="math.is_inf"))
isfinite = defop("isfinite", np.isfinite, names=names_as("isfinite", tf="math.is_finite"))

# Bitwise on integers; on bools this is logic, so `&`, `|`, `^` and `~` combine conditions. Floats are refused.

bitwise_and = defop(
    "bitwise_and", np.bitwise_and, operator="and",
    names=names_as("bitwise_and", tf="bitwise.bitwise_and"),
)
bitwise_or = defop("bitwise_or", np.bitwise_or, operator="or", names=names_as("bitwise_or", tf="bitwise.bitwise_or"))
bitwise_xor = defop(
    "bitwise_xor", np.bitwise_xor, operator="xor",
    names=names_as("bitwise_xor", tf="bitwise.bitwise_xor"),
)
invert = defop("invert", np.invert, operator="invert", names=names_as("bitwise_not", tf="bitwise.invert", jax="invert"))
left_shift = defop(
    "left_shift", np.left_shift, operator="lshift",
    names=names_as("left_shift", tf="bitwise.left_shift", torch="bitwise_left_shift"),
)
right_shift = defop(
    "right_shift", np.right_shift, operator="rshift",
    names=names_as("right_shift", tf="bitwise.right_shift", torch="bitwise_right_shift"),
)


def _unless_foreign(call: Any) -> Any:
    """`call` for `==` and `!=`, which defers to the other operand where NumPy's operators do.

    Such an operand has `__array_ufunc__ = None`, like `pytest.approx(1.0)`. A Tensor and a string compare unequal.
    """

    @functools.wraps(call)
    def compare(x: Any, y: Any) -> Any:
        try:
            return call(x, y)
        except TypeError:
            if isinstance(y, (str, bytes)) or getattr(type(y), "__array_ufunc__", y) is None:
                return NotImplemented
            raise

    return compare


for _name, _call in {
    "eq": _unless_foreign(equal), "ne": _unless_foreign(not_equal),
    "lt": less, "le": less_equal, "gt": greater, "ge": greater_equal,
}.items():
    setattr(Tensor, f"__{_name}__", _call)
