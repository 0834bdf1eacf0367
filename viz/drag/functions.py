"""The names that a page has for NumPy's functions."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from minigrad.core.op import OPS
from minigrad.programs import instructions

#: Ufunc -> its name on a page.
UFUNCS = {
    np.add: "add", np.subtract: "sub", np.multiply: "mul", np.true_divide: "div", np.negative: "neg",
    np.positive: "pos", np.absolute: "abs", np.sign: "sign", np.square: "sq", np.sqrt: "sqrt", np.cbrt: "cbrt",
    np.reciprocal: "inv", np.power: "pow", np.exp: "exp", np.expm1: "expm1", np.exp2: "exp2", np.log: "log",
    np.log1p: "log1p", np.log2: "log2", np.log10: "log10", np.logaddexp: "lae", np.sin: "sin", np.cos: "cos",
    np.tan: "tan", np.arcsin: "asin", np.arccos: "acos", np.arctan: "atan", np.arctan2: "atan2", np.sinh: "sinh",
    np.cosh: "cosh", np.tanh: "tanh", np.arcsinh: "asinh", np.arccosh: "acosh", np.arctanh: "atanh",
    np.hypot: "hypot", np.deg2rad: "rad", np.rad2deg: "deg", np.maximum: "max", np.minimum: "min",
    np.floor: "floor", np.ceil: "ceil", np.trunc: "trunc", np.rint: "rint", np.remainder: "mod",
    np.floor_divide: "fdiv", np.less: "lt", np.less_equal: "le", np.greater: "gt", np.greater_equal: "ge",
    np.equal: "eq", np.not_equal: "ne", np.logical_and: "and", np.logical_or: "or", np.logical_xor: "xor",
    np.logical_not: "not", np.bitwise_and: "and", np.bitwise_or: "or", np.bitwise_xor: "xor", np.invert: "not",
    np.isnan: "isnan", np.isinf: "isinf", np.isfinite: "isfin",
}  # fmt: skip
with np.errstate(invalid="ignore"):
    #: Floats for which NumPy computes x ** 0.5 as a square root; at -inf that is nan.
    ROOTS = {c for c in "efd" if np.isnan(np.power(np.array(-np.inf, c), np.array(0.5, c)))}


def _choice(f: np.ufunc, char: str) -> str:
    """Return the page's name for a maximum or minimum, by how NumPy chooses between 0 and -0.

    NumPy takes the first, takes the second, or orders -0 before 0.
    """
    one = np.array([0.0, -0.0], char)
    a, b = np.signbit(f(one, -one))
    return UFUNCS[f] + ("" if a == b else "2" if a else "1")


#: The page's names for maximum and minimum by dtype: their choice of 0 or -0 depends on the dtype and the processor.
CHOICES: dict[tuple[Any, str], str] = {(f, char): _choice(f, char) for f in (np.maximum, np.minimum) for char in "efd"}
#: The error function and its complement, both as ops and as the functions that the ops call.
ERROR_FUNCTIONS: dict[Any, str] = {OPS[name].fn: name for name in ("erf", "erfc")}
ERROR_FUNCTIONS |= {f"{name} (vectorized)": name for name in ("erf", "erfc")}
BITWISE = {np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert}
REDUCTIONS = {np.add: "sum", np.multiply: "prod", np.maximum: "rmax", np.minimum: "rmin"}
REDUCTIONS |= {np.logical_or: "rmax", np.logical_and: "rmin"}
NEUTRAL = {"sum": 0, "prod": 1, "rmax": -np.inf, "rmin": np.inf}
#: Modes of np.pad that repeat elements; the others compute new ones.
PADDED = {"constant", "edge", "reflect", "symmetric", "wrap"}
#: Functions that only move the elements of one array, or put zeros in some positions.
MOVES = {
    operator.getitem,
    instructions.transpose,
    instructions.repeated,
    np.broadcast_to,
    np.roll,
    np.flip,
    np.rot90,
    np.tril,
}
MOVES |= {np.triu, np.split, np.pad, np.ravel, OPS["windows"].fn}
PUTS = {
    instructions.index_add: "put+",
    instructions.index_add_each: "put+",
    instructions.index_add_sum: "put+",
    instructions.index_set: "put",
}
