"""Control over the attribute names that Tab completion, `dir` and `help` show."""

from __future__ import annotations

from typing import ClassVar


class _Shown(type):
    _shared: frozenset[str]

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__()} - cls._shared)


class ShownNames(metaclass=_Shown):
    """Base class of results; `dir` leaves out the names in `_shared`, which are only for the kit's own modules.

    IPython completes names from `dir` of the object, and without jedi also from `dir` of its class.
    """

    _shared: ClassVar[frozenset[str]] = frozenset()

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - self._shared)
