"""The values that a Tensor may hold, the conversion of numbers, lists and arrays to such values, and type names."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

# Names for the types in annotations.

#: The type of `Tensor.value`: an array, or a NumPy number if the shape is ().
Array: TypeAlias = "np.ndarray[Any, Any] | np.generic"
#: The adjoint that arrives at a node: an Array in a pass on arrays, a Tensor in a recorded one.
Upstream: TypeAlias = Any
#: A rule `(g, y, *args, **kwargs) -> gradient` for one argument: g is the upstream gradient and y the result.
Rule: TypeAlias = Callable[..., Any]
#: A user's function, or an op.
Function: TypeAlias = Callable[..., Any]
#: A leaf, or a nested list, tuple, named tuple or dict of leaves.
Structure: TypeAlias = Any

defaults = {"float": np.dtype(np.float32), "int": np.dtype(np.int32)}


def set_default_dtype(dtype: Any) -> None:
    """Set the dtype for Python floats: initially float32, as in TensorFlow and PyTorch.

    >>> from minigrad import Tensor
    >>> set_default_dtype("float64"); Tensor(1.0).dtype
    dtype('float64')
    >>> set_default_dtype("float32"); Tensor(1.0).dtype
    dtype('float32')
    """
    dtype = np.dtype(dtype)
    if dtype.kind != "f" or dtype.itemsize > 8:
        raise TypeError(f"set_default_dtype takes float16, float32 or float64, got {dtype}")
    defaults["float"] = dtype


def default_dtype() -> np.dtype[Any]:
    """Return the dtype that Python floats become.

    >>> default_dtype()
    dtype('float32')
    """
    return defaults["float"]


def quietly(f: Function, *args: Any) -> Any:
    """Call `f` without NumPy's warnings about overflow and 0 / 0, which a user's filter may convert to errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return f(*args)


def cast(array: Any, dtype: Any) -> Any:
    """Return a copy of an array in another dtype; elements that are too large become inf."""
    try:
        return array.astype(dtype)
    except RuntimeWarning:
        return quietly(array.astype, dtype)


#: Types of NumPy scalars that need no conversion.
_NUMBERS = frozenset({np.float64, np.float32, np.float16})


def as_value(x: Any, dtype: Any = None) -> Any:
    """Return `x` as a NumPy array, or as a NumPy scalar if it has no dimensions: the form of `Tensor.value`.

    Python floats become the default float dtype, Python ints int32; NumPy values keep their dtype.
    """
    if dtype is None and (type(x) in _NUMBERS or (type(x) is np.ndarray and x.shape and x.dtype.kind in "fiub")):
        return x
    if is_tensor(x):
        x = x.value
    if is_placeholder(x):
        return x.as_value(dtype)
    elements = x if isinstance(x, (list, tuple)) else ()
    if isinstance(x, np.ma.MaskedArray) or any(v is np.ma.masked for v in elements):
        raise TypeError(
            "a masked array has no gradient where it is masked, and the mask would be ignored; write x.filled(value), "
            "and choose with where(mask, other, x)"
        )
    python = is_python(x)
    try:
        array = np.asarray(plain_values(x) if isinstance(x, (list, tuple)) else x)
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise ValueError(f"a tensor needs rows of equal length, got the ragged list {x!r:.60}") from None
    kind = array.dtype.kind
    if kind not in "fiub":
        raise TypeError(_refusal(x, array))
    if dtype is not None:
        array = cast(array, dtype)
    elif python and kind == "f":
        array = cast(array, defaults["float"])
    elif python and kind == "i" and np.all((array >= -(2**31)) & (array < 2**31)):
        array = array.astype(defaults["int"])
    return array[()]


def some(condition: Any) -> bool:
    """Return whether any element of a condition is true, to skip ops that are needed only then.

    In a program, return True, because another run may have such elements.
    """
    return condition.some() if is_placeholder(condition) else bool(np.any(condition))


def on_arrays(f: Any) -> Any:
    """Decorate a function whose steps depend on an array's numbers, so that a program calls it as a whole."""

    @functools.wraps(f)
    def call(x: Any, *args: Any) -> Any:
        return x.listing.call(f, (x, *args)) if is_placeholder(x) else f(x, *args)

    return call


class Placeholder:
    """A substitute for an array or a number while a program is written; `listing` performs and records the calls on it.

    The core calls these methods, and otherwise treats the substitute like the array or number.
    """

    __slots__ = ()

    listing: Any

    def as_value(self, dtype: Any) -> Any:
        """Return the substitute converted to a dtype, to serve as the value of a new Tensor."""
        raise NotImplementedError

    def saved_copy(self) -> Any:
        """Return what a record stores for this operand, as `operands.saved_copy` does for an array."""
        raise NotImplementedError

    def scattered(self, total: Any, key: Any, value: Any) -> Any:
        """Return `total` with `value` added at `key`; `total` or `value` is this substitute."""
        raise NotImplementedError

    def some(self) -> bool:
        """Return True: a program must run on any numbers, so it needs the ops for elements that meet the condition."""
        return True

    def detach(self) -> Any:
        """Refuse to read a plain value out of a Tensor, which is impossible in a program."""
        raise NotImplementedError


def is_placeholder(x: Any) -> bool:
    """Return whether `x` is a substitute for an array or a number while a program is written."""
    return issubclass(type(x), Placeholder)


def is_python(x: Any) -> bool:
    """Return whether `x` is a Python number, or a nested list of Python numbers."""
    if isinstance(x, (list, tuple)):
        return all(map(is_python, x))
    return not isinstance(x, (np.ndarray, np.generic)) and not is_tensor(x)


def is_tensor(x: Any) -> bool:
    """Return whether `x` is a Tensor, judging by an attribute, because the class is defined in a later module."""
    return hasattr(type(x), "read_value")


def plain_values(x: Any) -> Any:
    """Return a nested list with its Tensors replaced by their values."""
    return [plain_values(item) for item in x] if isinstance(x, (list, tuple)) else getattr(x, "value", x)


def shown(x: Any) -> str:
    """Return the first characters of repr(x), even if x is an integer too long for repr (more than 4300 digits)."""
    try:
        return f"{x!r:.60}"
    except ValueError:
        return "an integer of more than 4300 digits"


def _refusal(x: Any, array: np.ndarray[Any, Any]) -> str:
    if array.dtype.kind == "c":
        return f"complex numbers are out of scope, got {x!r:.60}: differentiate the real and imaginary parts separately"
    if array.dtype.kind in "US":
        return f"a tensor holds floats, ints or bools; got the string {x!r:.60}; next to text, write y.item()"
    return f"a tensor holds floats, ints or bools; got {shown(x)} of type {type(x).__name__}"
