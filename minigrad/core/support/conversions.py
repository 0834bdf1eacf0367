"""The ways out of the graph: conversions of a Tensor to the numbers and arrays of Python and NumPy.

A value that leaves the graph has no gradient. A follower (a run of a function by a transform, or a recording tape)
raises or warns if a gradient would be lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .tensor_values import as_value

if TYPE_CHECKING:
    from ..methods import Methods
else:
    Methods = object  # at run time each op attaches its own method: see `method` and `operator` of defop

#: The active followers (runs of transforms, and recording tapes) in all threads: see `transforms/lost`.
followers: list[Any] = []


def check_constant(x: Any) -> None:
    """Raise or warn if `x` contains a Tensor that a transform or tape is following, and would make it a constant."""
    for item in x if isinstance(x, (list, tuple)) else ():
        check_constant(item)
    if isinstance(x, Conversions):
        x._check_conversion("a constant")


class Conversions(Methods):
    """The conversions of a Tensor, and the errors for operations that a Tensor does not allow."""

    __slots__ = ()

    if TYPE_CHECKING:  # the attributes of a Tensor
        value: Any

        @property
        def shape(self) -> tuple[int, ...]: ...
        @property
        def dtype(self) -> np.dtype[Any]: ...
        @property
        def size(self) -> int: ...
        def _detach(self) -> Any: ...

    def numpy(self) -> Any:
        """Return a copy of the value as a NumPy array or scalar; no gradient flows through it."""
        return self._detach().copy()

    def item(self) -> float | int | bool:
        """Return the value of a one-element Tensor as a Python number."""
        return self._detach().item()

    def tolist(self) -> Any:
        """Return the value as nested lists of Python numbers. Like `item`, this is an explicit way out of the graph."""
        return self._detach().tolist()

    def nonzero(self) -> tuple[np.ndarray[Any, Any], ...]:
        """Return the indices of the nonzero elements: one array for each axis, as in NumPy."""
        return np.nonzero(self.value)

    def _check_conversion(self, kind: str) -> None:
        """Raise or warn if an implicit conversion to `kind`, such as "a plain number", would lose a gradient."""
        for follower in followers[:1]:  # one is enough, because its method checks all followers
            follower.check_conversion(self, kind)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the value as an array: a copy, or a read-only view if copy=False.

        Raises ValueError if copy=False and the value must be converted to `dtype`, or is a single number.
        """
        if copy is False and not (type(self.value) is np.ndarray and np.dtype(dtype or self.dtype) == self.dtype):
            raise ValueError(
                f"a Tensor of shape {self.shape} and dtype {self.dtype} becomes an array"
                f"{'' if dtype is None else f' of dtype {np.dtype(dtype)}'} only by a copy; leave out copy=False"
            )
        self._check_conversion("a plain array" if self.shape else "a plain number")
        if copy is not False:
            return np.array(self._detach(), dtype=dtype)
        view = self._detach().view()
        view.flags.writeable = False
        return view

    def __float__(self) -> float:
        self._check_conversion("a plain number")
        return float(self._one_number("float"))

    def __int__(self) -> int:
        self._check_conversion("a plain number")
        return int(self._one_number("int"))

    def __trunc__(self) -> int:
        return int(self)

    def __complex__(self) -> complex:
        self._check_conversion("a plain number")
        return complex(self._one_number("complex"))

    def _one_number(self, kind: str) -> float | int | bool:
        """Return the value as a Python number; raise TypeError if it does not have exactly one element."""
        if self.size != 1:
            raise TypeError(
                f"{kind}() takes a Tensor of one number, got shape {self.shape}; write x.tolist() for all of its "
                f"numbers, or take one, such as x[0] or x.sum()"
            )
        return self.item()

    def __index__(self) -> int:
        if self.shape or self.dtype.kind not in "iu":
            raise TypeError(
                f"an index or a count must be one integer, got a Tensor of shape {self.shape} and dtype {self.dtype}; "
                f"write int(x) for one number"
            )
        return self.value.__index__()

    def __bool__(self) -> bool:
        return bool(self.value)

    def __contains__(self, item: Any) -> bool:
        """Return whether any element equals `item`, as `in` does for an array."""
        if not self.shape:
            raise TypeError("a Tensor of shape () is a single number and contains nothing; write x == number")
        return bool(np.any(self.value == as_value(item)))

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            "a Tensor cannot be changed in place, because the recorded graph would become wrong; write "
            "y = index_set(x, key, value), or index_add(x, key, value), which return a new Tensor"
        )

    def __delitem__(self, key: Any) -> None:
        raise TypeError("elements of a Tensor cannot be deleted in place; write y = np.delete(x, index)")

    def __format__(self, spec: str) -> str:
        return format(self.value.item() if spec and not self.shape else self.value, spec)
