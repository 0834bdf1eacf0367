"""Refuse code that a program cannot contain, with an error message that names the line of the user's code.

The checks are in four files: arguments are checked here, array methods and operators in `standins`, and NumPy calls in
`listing`; `write_program` checks whether a program returns the same bytes as its function.
"""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from types import FrameType
from typing import Any

import numpy as np

from ..core.support.error_words import location_of
from ..core.support.structure import child_path, children, is_structure
from ..core.tensor import Tensor
from ..core.variable import Variable


class NotAProgram(TypeError):
    """Raised if a function cannot be written as a program.

    The message gives the reason, the place, and the code to write instead.

    >>> import numpy as np, minigrad as mg
    >>> try:
    ...     mg.source(lambda x: x if float(x) > 0 else -x, np.float64(1.0))
    ... except NotAProgram as error:
    ...     print("float()" in str(error))
    True
    """


def refusal(f: Any) -> str:
    return f"{location_of(f)} cannot be written as a program"


# What to write instead.

DECIDE = "write mg.where(condition, a, b) to choose by a value, or return the value and decide outside"
LEAVE = "keep to minigrad's ops, return it from the function, or compute it outside and pass it as an argument"
CHANGE = "write y = y + x instead of y += x, and mg.index_set(x, key, v)"
LENGTH = "write mg.where(condition, x, 0), which keeps the length"

TAKES_OUT = "{} takes numbers out of an array, and they change from call to call"

#: Name of a refused array method or attribute -> the reason, and the code to write instead.
METHODS = {
    name: why
    for names, why in (
        ("fill sort partition put resize setflags setfield byteswap itemset",
         ("{}() changes an array in place", CHANGE)),
        ("item tolist tobytes tofile dump dumps data flat ctypes __buffer__", (TAKES_OUT, LEAVE)),
        ("nonzero compress", ("{}() has a length that depends on numbers", DECIDE)),
    )
    for name in names.split()
}  # fmt: skip
#: Special method, called by statements and built-in functions -> the reason, and the code to write instead.
SPECIAL_METHODS = {
    "bool": ("a value decides which code runs (if, while, and, or, not)", DECIDE),
    "index": ("a value is used as a plain integer: an index, a length, an iteration count",
              "pass it as a Python int, or pick with mg.take(x, i)"),
    "setitem": ("x[key] = value changes an array in place", CHANGE),
    **dict.fromkeys(("str", "repr", "format"), ("a number is printed or formatted, and it changes from call to call",
                                                "return it and print it outside")),
    **{name: (TAKES_OUT.format(what), LEAVE) for name, what in (
        ("float", "float()"), ("int", "int()"), ("complex", "complex()"), ("reduce_ex", "copying or pickling"),
        ("array", "a conversion to a plain array (np.asarray, .numpy())"))},
}  # fmt: skip

#: NumPy functions that write into an array.
WRITES = {np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal}
#: Functions whose results have a length that depends on numbers.
UNKNOWN_LENGTH = {
    getattr(np, name, None)
    for name in (
        "nonzero", "flatnonzero", "argwhere", "unique", "unique_all", "unique_counts", "unique_inverse",
        "unique_values", "extract", "compress", "setdiff1d", "setxor1d", "intersect1d", "union1d", "trim_zeros",
        "bincount", "histogram", "roots",
    )
}  # fmt: skip
#: Functions whose results have a length that depends on numbers if an argument after the first is a stand-in.
LENGTH_BY_ARGUMENT = {np.repeat, np.delete, np.pad, np.tile, np.split, np.array_split, np.resize}


# Arguments.


def is_known(x: Any) -> bool:
    """Return whether a structure can be rebuilt; an instance of a user's subclass of list or dict cannot."""
    plain = type(x) in (list, tuple, dict, OrderedDict)
    return plain or hasattr(x, "_fields") or hasattr(type(x), "__dataclass_fields__")


def check_argument(x: Any, path: str) -> None:
    """Raise NotAProgram for an argument that no program accepts.

    path : the expression for the argument.
    """
    if not is_structure(x):
        is_input(x, path)
        return
    inner = children(x)
    if not is_known(x) or {*getattr(x, "__dict__", ())} - {key for key, _ in inner}:
        raise NotAProgram(
            f"{path} cannot be an argument of a program: it is a {type(x).__name__} with attributes that are not "
            f"fields, or a custom container class; pass a list, tuple, dict or dataclass"
        )
    for key, child in inner:
        check_argument(child, path + child_path(x, key))


def is_input(x: Any, path: str) -> bool:
    """Return whether a leaf is a number or an array that each run takes as an argument, unlike a Variable or None.

    path : the expression for the leaf. Raises NotAProgram for an object that no program accepts.
    """
    kind = type(x)
    if kind in (Variable, bool, str, type(None)):
        return False
    array = kind in (np.ndarray, Tensor) or isinstance(x, np.generic)
    if kind in (int, float) or (array and x.dtype.kind in "fiub"):
        return True
    what = f"an object of type {kind.__name__}"
    if isinstance(x, np.ndarray):
        what = f"an array of dtype {x.dtype}" if kind is np.ndarray else f"an array of class {kind.__name__}"
    elif getattr(x, "__name__", ""):
        what = f"{x.__name__!r} of type {kind.__name__}"
    raise NotAProgram(
        f"{path} cannot be an argument of a program: it is {what}, neither a number, an array, a Tensor, "
        f"a Variable nor a list, tuple, dict or dataclass of these; pass its arrays, or close over it: a program "
        "keeps what its function closes over as it was when the program was written"
    )


# The place of an error.

#: Modules whose frames may come between a stand-in and the code that uses it.
_PASSED = ("numpy", __package__, "minigrad.tracing.overlay")
#: Code in these folders is not the user's.
_OWN = tuple(os.path.dirname(path) + os.sep for path in (os.path.dirname(__file__), np.__file__, os.__file__))


def user_frame() -> FrameType:
    """Return the innermost frame in the user's code."""
    frame = using_frame()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame


def using_frame() -> FrameType:
    """Return the frame of the code that used a stand-in; the code may be the engine's or the user's."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(_PASSED):
        frame = frame.f_back
    return frame


def by_user() -> bool:
    """Return whether code outside the engine used a stand-in."""
    return not f"{using_frame().f_globals.get('__name__', '')}.".startswith(("minigrad.", "copy."))
