"""Overlays: let one thread read other values from existing Tensors without changing any Tensor.

A recorded graph is run again by building new nodes. But user code that is called during this run, such as the rule of a
custom gradient, refers to the old Tensors. While this code runs, its thread reads the new values from the old Tensors.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from ..core.tensor import Tensor
from ..core.variable import Variable

_VALUE, _READ, _ASSIGN = Tensor.__dict__["value"], Variable.__dict__["_read"], Variable.assign


class _Here(threading.local):
    overlay: Overlay | None = None


here = _Here()


def stored_value(x: Tensor) -> Any:
    """Return the value that a Tensor stores, ignoring any overlay."""
    return _VALUE.__get__(x)


def hold_value(x: Tensor, value: Any) -> None:
    """Set the value that a Tensor stores, ignoring any overlay."""
    _VALUE.__set__(x, value)


class Overlay:
    """The values that this thread reads from Tensors during the block.

    instead : the Tensors whose values are read instead, by the serials of the originals; for a Variable, by the
        serial of the node that reads it.

    >>> x = Tensor(3.0)
    >>> with Overlay({x.serial: Tensor(5.0)}):
    ...     x.value
    np.float32(5.0)
    >>> x.value
    np.float32(3.0)
    """

    def __init__(self, instead: Mapping[int, Tensor]) -> None:
        self.instead = instead
        self._outer: list[Overlay | None] = []

    def value(self, x: Tensor) -> Any:
        """Return the value of a Tensor."""
        return stored_value(self.instead.get(x.serial, x))

    def hold(self, x: Tensor, value: Any) -> None:
        """Set the value of a Tensor that is being created, or of a Variable."""
        _VALUE.__set__(x, value)

    def reading(self, variable: Variable) -> Tensor | None:
        """Return the node that reads a Variable, or None if that node does not exist yet."""
        return self.instead.get(variable.serial, _READ.__get__(variable))

    def assigning(self, variable: Variable) -> None:
        """Do nothing. A subclass may act here before a Variable is assigned."""

    def __enter__(self) -> Any:
        self._outer.append(here.overlay)
        _count(1)
        here.overlay = self
        return self

    def __exit__(self, *error: object) -> None:
        here.overlay = self._outer.pop()
        _count(-1)


# Reads are intercepted by replacing attributes of the classes, and only while some thread has an overlay.


def _value(x: Tensor) -> Any:
    return _VALUE.__get__(x) if here.overlay is None else here.overlay.value(x)


def _hold(x: Tensor, value: Any) -> None:
    if here.overlay is None:
        _VALUE.__set__(x, value)
    else:
        here.overlay.hold(x, value)


def _reading(variable: Variable) -> Any:
    return _READ.__get__(variable) if here.overlay is None else here.overlay.reading(variable)


def _assign(variable: Variable, value: Any) -> Variable:
    if here.overlay is not None:
        here.overlay.assigning(variable)
    return _ASSIGN(variable, value)


_REPLACED = (
    (Tensor, "value", _VALUE, property(_value, _hold)),
    (Variable, "_read", _READ, property(_reading, _READ.__set__)),
    (Variable, "assign", _ASSIGN, _assign),
)
_lock, _overlays = threading.Lock(), 0


def _count(step: int) -> None:
    """Add `step` to the number of active overlays in all threads; the first replaces the attributes in `_REPLACED`.

    The end of the last overlay restores them.
    """
    global _overlays
    with _lock:
        _overlays += step
        if _overlays == (1 if step > 0 else 0):
            for kind, name, original, replaced in _REPLACED:
                setattr(kind, name, replaced if step > 0 else original)
