"""The names of an object that Tab, `dir` and `help` show."""

from __future__ import annotations

from typing import ClassVar


class _Shown(type):
    _shared: frozenset[str]

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__()} - cls._shared)


class ShownNames(metaclass=_Shown):
    """Base class of results with names that only the kit's modules share: `_shared`, which `dir` leaves out.

    IPython offers `dir` of an object, and without jedi also `dir` of its class.
    """

    _shared: ClassVar[frozenset[str]] = frozenset()

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - self._shared)
