"""A tape: flat instructions that a page can run again with different inputs; static/tape.js runs them.

An instruction is a list [name, arguments ...]. An argument is the index of an earlier instruction, or plain data. The
result of an instruction is called a cell. A tape has no shapes: arrays are flat, and an instruction that moves elements
has a list of positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LARGEST = 4096  #: maximum number of elements of an array on a page


class NotFollowed(Exception):
    """Raised if a page cannot follow changed inputs; the message is the reason."""


class _Types(dict[Any, str]):
    """A dict from dtypes to the page's types; looking up a dtype that has no such type raises NotFollowed."""

    def __missing__(self, dtype: Any) -> str:
        raise NotFollowed(f"the page cannot compute with {np.dtype(dtype).name}")


#: The types of a page. Its integers are exact up to 2**53; a page with larger integers does not follow changed inputs.
_LETTERS = {"float32": "f", "float64": "d", "float16": "e", "bool": "b", "int64": "i", "int32": "j"}
TYPES = _Types({np.dtype(name): letter for name, letter in _LETTERS.items()})


class Tape:
    """The instructions so far. Equal instructions are stored once.

    lengths, types : the lengths and types of the cells. A cell of length 1 can represent any number of equal elements.

    >>> tape = Tape()
    >>> x = tape.data("in", np.float32([1, 2]))
    >>> tape.add("mul", x, x, length=2, type="f"), tape.add("mul", x, x, length=2, type="f")
    (1, 1)
    >>> tape.code
    [['in', 'f', [1.0, 2.0]], ['mul', 0, 0]]
    """

    def __init__(self) -> None:
        self.code: list[list[Any]] = []
        self.lengths: list[int] = []
        self.types: list[str] = []
        self._known: dict[str, int] = {}

    def add(self, name: str, *args: Any, length: int, type: str) -> int:
        """Add an instruction, unless the tape has an equal one; return its cell."""
        if length > LARGEST:
            raise NotFollowed(f"an array has {length} elements, more than {LARGEST}")
        key = repr((name, args, type, length))
        if name == "in" or key not in self._known:
            self._known[key] = len(self.code)
            self.code.append([name, *args])
            self.lengths.append(length)
            self.types.append(type)
        return self._known[key]

    def data(self, name: str, value: Any) -> int:
        """Return a cell of numbers. `name` is "in" if they can change, else "is"; equal numbers are stored as one."""
        flat = np.ravel(value)
        if name == "is" and flat.size > 1 and flat.tobytes() == np.full_like(flat, flat[0]).tobytes():
            flat = flat[:1]
        type = TYPES[flat.dtype]
        return self.add(name, type, json_numbers(flat), length=flat.size, type=type)

    def take(self, cell: int, places: Any, fill: float | None = None) -> int:
        """Return a cell with the elements at the indices `places`; the index -1 gives the number `fill`."""
        places = np.ravel(places)
        if places.size == self.lengths[cell] and np.array_equal(places, np.arange(places.size)):
            return cell
        if self.lengths[cell] == 1 and fill is None and not places.any():
            return self.add("rep", cell, places.size, length=places.size, type=self.types[cell])
        more = () if fill is None else json_numbers(np.array([fill]))
        return self.add("take", cell, places.tolist(), *more, length=places.size, type=self.types[cell])

    def full(self, cell: int, size: int) -> int:
        """Return a cell of length `size`; a single element is repeated."""
        return cell if self.lengths[cell] == size else self.take(cell, np.zeros(size, int))

    def cast(self, cell: int, type: str) -> int:
        """Return a cell with the same numbers in another type."""
        if self.types[cell] == type:
            return cell
        return self.add("as", type, cell, length=self.lengths[cell], type=type)


def json_numbers(flat: Any) -> list[Any]:
    """Convert numbers to JSON values, each with the shortest text that reads back as the same number.

    >>> json_numbers(np.float32([0.1, np.inf])), json_numbers(np.array([True]))
    ([0.1, 'inf'], [1])
    """
    if flat.dtype.kind != "f":
        return [int(v) for v in flat]
    words = [float(str(v)) for v in flat]
    return [v if np.isfinite(v) else "nan" if v != v else "inf" if v > 0 else "-inf" for v in words]
