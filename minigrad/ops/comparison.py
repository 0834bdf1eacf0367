"""Rounding, comparison and logic: ops without a gradient, where the graph ends."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from .declare import BY_NUMPY, defop, names_as

_NUMBERS = ([1.0, 2.0, 3.0], 2.0)
_SPECIAL = ([1.0, float("nan"), float("inf")],)
_BOOLS = ([True, True, False], [True, False, False])

# Rounding is constant between its jumps. It is declared without a gradient, not with a gradient of zeros, so that the
# graph visibly ends here.


def _round(x: Any, decimals: int = 0) -> Any:
    """`x` rounded to the nearest number with `decimals` decimal places; halves go to the even neighbour."""
    return np.round(x, decimals)


round = defop(
    "round", _round, numpy=np.round, elementwise=True, method=("round", "__round__"), names=names_as("round"),
    example=([0.4, 1.5, -2.5],),
)
BY_NUMPY[np.around] = round
floor = defop(
    "floor", np.floor, says="The largest whole number that is not above each element.",
    latex=r"\lfloor a \rfloor", names=names_as("floor"), example=([0.5, -1.5],),
)
ceil = defop(
    "ceil", np.ceil, says="The smallest whole number that is not below each element.",
    latex=r"\lceil a \rceil", names=names_as("ceil", tf="math.ceil"), example=([0.5, -1.5],),
)
trunc = defop(
    "trunc", np.trunc, says="Each element without its fraction: rounded towards 0.",
    names=names_as("trunc", tf=""), example=([1.7, -1.7],),
)

# Comparison and logic.

equal = defop(
    "equal", np.equal, says="Whether the elements are equal.",
    names=names_as("equal", torch="eq"), example=_NUMBERS,
)
not_equal = defop(
    "not_equal", np.not_equal, says="Whether the elements differ.",
    names=names_as("not_equal", torch="ne"), example=_NUMBERS,
)
less = defop(
    "less", np.less, says="Whether each element of x is less than the element of y.",
    names=names_as("less", torch="lt"), example=_NUMBERS,
)
less_equal = defop(
    "less_equal", np.less_equal, says="Whether each element of x is at most the element of y.",
    names=names_as("less_equal", torch="le"), example=_NUMBERS,
)
greater = defop(
    "greater", np.greater, says="Whether each element of x is greater than the element of y.",
    names=names_as("greater", torch="gt"), example=_NUMBERS,
)
greater_equal = defop(
    "greater_equal", np.greater_equal, says="Whether each element of x is at least the element of y.",
    names=names_as("greater_equal", torch="ge"), example=_NUMBERS,
)


logical_and = defop(
    "logical_and", np.logical_and, says="Whether both elements are true, that is, not 0.",
    names=names_as("logical_and", tf="math.logical_and"), example=_BOOLS,
)
logical_or = defop(
    "logical_or", np.logical_or, says="Whether at least one of the two elements is true, that is, not 0.",
    names=names_as("logical_or", tf="math.logical_or"), example=_BOOLS,
)
logical_xor = defop(
    "logical_xor", np.logical_xor, says="Whether exactly one of the two elements is true, that is, not 0.",
    names=names_as("logical_xor", tf="math.logical_xor"), example=_BOOLS,
)
logical_not = defop(
    "logical_not", np.logical_not, says="Whether each element is false, that is, 0.",
    names=names_as("logical_not", tf="math.logical_not"), example=([True, False],),
)
isnan = defop(
    "isnan", np.isnan, says="Whether each element is nan.",
    names=names_as("isnan", tf="math.is_nan"), example=_SPECIAL,
)
isinf = defop(
    "isinf", np.isinf, says="Whether each element is inf or -inf.",
    names=names_as("isinf", tf="math.is_inf"), example=_SPECIAL,
)
isfinite = defop(
    "isfinite", np.isfinite, says="Whether each element is a number other than nan, inf and -inf.",
    names=names_as("isfinite", tf="math.is_finite"), example=_SPECIAL,
)

# These ops work bit by bit on integers. On bools they are logical, so `&`, `|`, `^` and `~` combine conditions. Floats
# raise an error.

bitwise_and = defop(
    "bitwise_and", np.bitwise_and, operator="and",
    says="The bits that are set in both integers; for bools, logical and.",
    names=names_as("bitwise_and", tf="bitwise.bitwise_and"), example=(12, 10),
)
bitwise_or = defop(
    "bitwise_or", np.bitwise_or, says="The bits that are set in at least one of two integers; for bools, logical or.",
    operator="or", names=names_as("bitwise_or", tf="bitwise.bitwise_or"), example=(12, 10),
)
bitwise_xor = defop(
    "bitwise_xor", np.bitwise_xor, operator="xor",
    says="The bits that are set in exactly one of two integers; for bools, exclusive or.",
    names=names_as("bitwise_xor", tf="bitwise.bitwise_xor"), example=(12, 10),
)
invert = defop(
    "invert", np.invert, says="Each integer with all of its bits inverted, -1 - x; for bools, logical not.",
    operator="invert", names=names_as("bitwise_not", tf="bitwise.invert", jax="invert"), example=(12,),
)
left_shift = defop(
    "left_shift", np.left_shift, operator="lshift",
    says="The bits of x moved y places to the left: x times 2 to the power y.",
    names=names_as("left_shift", tf="bitwise.left_shift", torch="bitwise_left_shift"), example=(3, 2),
)
right_shift = defop(
    "right_shift", np.right_shift, operator="rshift",
    says="The bits of x moved y places to the right: x divided by 2 to the power y, rounded down.",
    names=names_as("right_shift", tf="bitwise.right_shift", torch="bitwise_right_shift"), example=(12, 2),
)


def _unless_foreign(call: Any) -> Any:
    """Wrap the op for `==` or `!=` so that it defers to the other operand when NumPy's operators would.

    NumPy defers to an operand with `__array_ufunc__ = None`, such as `pytest.approx(1.0)`. The wrapped op also defers
    to strings, so a Tensor and a string compare unequal.
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
