"""Which lines lie in whose memory, and for how long it is needed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..ops.compare import keep
from .calls import (
    Line,
    constant,
    draw,
    given,
    guard,
    guard_shape,
    index_add,
    index_add_each,
    index_set,
    lines_in,
    reshape,
    transpose,
)

#: Functions whose result is always new memory. What others return may lie in the memory of any argument.
_NEW = {np.where, np.concatenate, np.matmul, np.vdot, keep, draw, index_add, index_add_each, index_set}

FILLING = (index_add, index_add_each, index_set)

LARGE = 1 << 15  # bytes: below, a new array costs no more than an old one
HUGE = 1 << 25  # bytes: above, the system hands out each new array page by page, which costs as much as filling it


def is_new(line: Line) -> bool:
    """Whether the line makes an array that nobody else holds."""
    return line.function in _NEW or isinstance(getattr(line.function, "__self__", line.function), np.ufunc)


def nbytes(line: Line) -> int:
    return line.size * getattr(line.dtype, "itemsize", 8)


class Spare:
    """Memory for a huge result: that of the result before, if nobody else holds it any more, nor a view of it."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._like, self._last = (shape, dtype), [np.empty(0)]

    def __call__(self) -> np.ndarray[Any, Any]:
        try:
            array = self._last.pop()
        except IndexError:  # another thread is just here
            return np.empty(*self._like)
        if array.shape != self._like[0] or _holders(array) > ALONE:
            array = np.empty(*self._like)
        self._last.append(array)
        return array


def _holders(array: Any) -> int:
    return sys.getrefcount(array)


def _held_by_one_name() -> int:
    """What Python counts, which differs between its versions, for an array that only the asking function holds."""
    last = [np.empty(0)]
    array = last.pop()
    count = _holders(array)
    last.append(array)
    return count


ALONE = _held_by_one_name()


class Memory:
    """What is known about the memory of the lines of a program.

    uses : how often each line is used. inline : the lines that are written where they are used.
    last : for each line the number of the statement after which its memory is not needed any more.
    ends : for each number of a statement, the large arrays that are not needed after it.
    """

    def __init__(self, lines: Sequence[Line], outputs: Sequence[Line], inputs: Iterable[Line] = ()) -> None:
        self.inputs = set(inputs)
        self.at = {line: i for i, line in enumerate(lines)}
        self.uses: Counter[Line] = Counter(outputs)
        self._roots: dict[Line, set[Line]] = {}
        user: dict[Line, Line] = {}
        for line in lines:
            if line in self.inputs:
                continue
            used = lines_in((line.args, line.kwargs))
            for a in used:
                self.uses[a] += 1
                user[a] = line
            own = is_new(line) or line.function in (given, constant)
            self._roots[line] = {line} if own else {r for a in used for r in self.roots(a)}
        self.inline = {line for line in lines if self._inline(line, outputs)}
        self.last: dict[Line, int] = {}
        for line in reversed(lines):
            if line in self.inline:  # it is computed where its user is
                self.at[line] = self.at[user[line]]
            for a in lines_in((line.args, line.kwargs)):
                for root in {a} | self.roots(a):
                    self.last[root] = max(self.last.get(root, 0), self.at[line])
        # A view keeps its root for as long as it lives itself.
        for line in reversed(lines):
            for root in self.roots(line):
                self.last[root] = max(self.last.get(root, 0), self.last.get(line, 0))
        for out in outputs:
            for root in self.roots(out):
                self.last[root] = len(lines) + 1

        self.ends: dict[int, list[Line]] = {}
        for root, end in self.last.items():
            if self.is_own(root) and nbytes(root) >= LARGE:
                self.ends.setdefault(end, []).append(root)

    def roots(self, line: Line) -> set[Line]:
        """The lines in whose memory the result may lie: the line itself, if it is new or not made here."""
        return self._roots.get(line, {line})

    def _inline(self, line: Line, outputs: Sequence[Line]) -> bool:
        if (
            self.uses[line] != 1
            or line in outputs
            or line.function in (*FILLING, draw, given, constant, guard, guard_shape)
        ):
            return False
        return nbytes(line) < LARGE or line.function is transpose

    def is_own(self, line: Line) -> bool:
        """Whether the line makes an array that nobody but the program holds."""
        return is_new(line) and line not in self.inputs

    def dies(self, a: Line, line: Line) -> bool:
        """Whether the memory of `a` is the program's own, and not needed after `line`."""
        if a.function in (given, constant) or a in self.inline or a in self.inputs:
            return False
        return all(self.is_own(root) and self.last[root] == self.at[line] for root in self.roots(a))

    def room(self, line: Line) -> Line | None:
        """An argument of an elementwise line in whose memory the result has room, because it dies there."""
        for a in line.args if line.shape else ():
            fits = isinstance(a, Line) and (a.shape, a.dtype) == (line.shape, line.dtype) and self.dies(a, line)
            if fits and (is_new(a) or a.function is reshape):
                return a
        return None
