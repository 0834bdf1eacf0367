"""Tensor: a value with a record of its computation.

A Tensor is its own node in the recorded graph. An op that takes a Tensor returns a new Tensor, which stores the value,
the op and the arguments; an op with several outputs returns one Tensor for each. The record uses no closure and no
global tape, so it is freed with the result.

>>> x = Tensor([1.0, 2.0])
>>> y = x * x
>>> y.op.name, y.args[0] is x
('multiply', True)
"""

from __future__ import annotations

import math
from itertools import count
from typing import Any, TypeAlias

import numpy as np

from .support.conversions import Conversions, check_constant, followers
from .support.detached import custom_body, detached, detached_copies
from .support.tensor_values import as_value, is_placeholder
from .support.user_frames import Location, user_location

#: A counter that serves as a clock. Each new Tensor takes the next number, and so does each event that is compared with
#: Tensors, such as reading a Variable. Arguments are older than results, so sorting by serial gives the order in which
#: a tape would record them.
_serials = count(1)
next_serial = _serials.__next__


class Tensor(Conversions):
    """A NumPy value and the record of its computation.

    Parameters
    ----------
    value : float, int, bool, nested list, NumPy array or Tensor. The value is copied: a Tensor never changes.
    dtype : the NumPy dtype to convert to. By default Python floats become float32, Python ints int32, and
        NumPy values keep their dtype.

    Attributes
    ----------
    value : the array, or a NumPy scalar for shape (). Do not write into it, because results that were computed from it
        would not change; `numpy()` returns a copy. Inside the engine, the value of an op with several outputs is a
        tuple.
    op, args, kwargs : the call that computed the Tensor; `op` is None for a leaf.
    serial : a running number, always smaller for the arguments of a call than for its result.

    Raises TypeError for complex numbers, strings and objects; ValueError for ragged lists.

    >>> t = Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> t.shape, t.dtype, float(t.sum())
    ((2, 2), dtype('float32'), 10.0)
    """

    __slots__ = (
        "__weakref__", "args", "call", "detached_at", "detached_serial", "kwargs", "location", "op", "scope", "serial",
        "unrecorded", "value",
    )  # fmt: skip

    value: Any
    op: Any  # the Op that computed it, or None for a leaf
    args: tuple[Any, ...]
    kwargs: dict[str, Any] | None
    serial: int
    location: Location  # where it was created, if lines are remembered
    call: Any  # the function call in which it was created: see `tracing/user_lines`
    detached_at: Location  # where its plain value was last read out
    detached_serial: int  # the counter's value when its plain value was last read out
    scope: tuple[str, ...]  # the named parts of a model that contain it
    unrecorded: tuple[Any, ...]  # if a transform returned it without a record, the Tensors it depends on

    def __init__(self, value: Any, dtype: Any = None) -> None:
        if followers and type(self) is Tensor:
            check_constant(value)
        self.value = as_value(value, dtype).copy("K")
        self.op = None
        self.args = ()
        self.kwargs = None
        self.serial = next_serial()

    # Operators and methods, as in x * y and x.sum(): each op attaches its own when it is declared in `minigrad/ops`.
    # `read_value` exists for Variables, whose value can change between two uses.

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.value.dtype

    @property
    def ndim(self) -> int:
        return self.value.ndim

    @property
    def size(self) -> int:
        return self.value.size

    def read_value(self) -> Tensor:
        """Return the Tensor itself; a Variable returns a Tensor of its current value."""
        return self

    def _detach(self) -> Any:
        """Return the plain value, and record the user's line that read it, because the graph ends there."""
        self.detached_at = user_location()
        self.detached_serial = next_serial()
        detached[self.serial] = self
        if custom_body.read_out is not None:
            copy = detached_copies[self.serial] = self._without_its_past()
            custom_body.read_out.append(copy)
        if is_placeholder(self.value):
            self.value.detach()
        return self.value

    def _without_its_past(self) -> Tensor:
        """Return a copy with the same serial and op but without arguments, which keeps no other Tensor alive."""
        copy = Tensor.__new__(Tensor)
        copy.value, copy.serial, copy.op = self.value, self.serial, self.op
        copy.args, copy.kwargs = (), None
        copy.detached_at, copy.detached_serial = self.detached_at, self.detached_serial
        for name, note in notes_of(self):
            setattr(copy, name, note)
        return copy

    def ref(self) -> int:
        """Return a hashable key for this Tensor, for use in a dict (Tensors compare elementwise)."""
        return id(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a Tensor of shape (): it is a single number")
        return self.shape[0]

    def __iter__(self) -> Any:
        if not self.shape:
            raise TypeError("a Tensor of shape () is a single number and cannot be iterated over or unpacked")
        return (self[i] for i in range(self.shape[0]))

    def __copy__(self) -> Tensor:
        """Return the Tensor itself, because it never changes."""
        return self

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self

    def __reduce__(self) -> Any:
        """Pickle the value without its record."""
        self._check_conversion("a pickle")
        return Tensor, (self.value,)

    def __repr__(self) -> str:
        op_text = f", op={self.op.name}" if self.op is not None else ""
        if not self.shape:
            return f"Tensor({self.value!s}, dtype={self.dtype}{op_text})"
        text = np.array2string(self.value, separator=", ", prefix="Tensor(", threshold=200)
        return f"Tensor({text}, shape={self.shape}, dtype={self.dtype}{op_text})"

    def __hash__(self) -> int:
        raise TypeError(
            f"unhashable type: {type(self).__name__!r}, because == compares the elements; write t.ref() for a key of a "
            f"dict or a set, and t is u to ask whether two are the same"
        )


def notes_of(tensor: Tensor) -> list[tuple[str, Any]]:
    """Return the recorded notes on where a Tensor was created, as pairs (attribute, value)."""
    names = ("location", "call", "scope")
    return [(name, getattr(tensor, name)) for name in names if hasattr(tensor, name)]


#: The types that an op accepts as a Tensor: a Tensor, a Variable, a number, an array, or a list of these. If all
#: arguments are arrays, an op returns an array; rules rely on this in a pass that is not recorded.
TensorLike: TypeAlias = Tensor | np.ndarray[Any, Any] | np.generic | float | list[Any] | tuple[Any, ...]

#: A set with only the class Tensor, not its subclasses such as Variable, for tests with `in` and `issuperset`.
TENSORS = frozenset({Tensor})


def constant(value: Any, dtype: Any = None, shape: tuple[int, ...] | None = None, name: str = "") -> Tensor:
    """Return a Tensor with this value: an input of a computation.

    The signature is the same as for `tf.constant`; `name` is ignored.

    shape : the shape of the Tensor. `value` is then a single number, or has one number for each element.

    >>> constant(100.0)
    Tensor(100.0, dtype=float32)
    >>> constant(0.0, shape=(2,)).shape
    (2,)
    """
    tensor = Tensor(value, dtype)
    if shape is not None:
        shape = tuple(np.atleast_1d(np.asarray(shape, int)).tolist())
        if tensor.size not in (1, math.prod(shape)):
            raise ValueError(
                f"constant(value, shape={shape}) takes one value, or one for each element: {math.prod(shape)}; "
                f"got {tensor.size} in shape {tensor.shape}"
            )
        row = np.reshape(tensor.value, -1)
        whole = row.reshape(shape) if row.size == math.prod(shape) else np.full(shape, row[0])
        tensor.value = whole.copy()[()]
    return tensor
