"""Which lines lie in whose memory, and for how long it is needed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..ops.compare import keep
from .calls import FILLING, Line, constant, given, reshape, seed, transpose

#: Functions whose result is always new memory. What others return may lie in the memory of any argument.
_NEW = {np.where, np.concatenate, np.matmul, np.vdot, np.outer, keep, *FILLING}

LARGE = 1 << 15  # bytes: below, a new array costs no more than an old one
HUGE = 1 << 25  # bytes: above, the system hands out each new array page by page, which costs as much as filling it


def is_new(line: Line) -> bool:
    """Whether the line makes an array that nobody else holds."""
    return line.function in _NEW or isinstance(getattr(line.function, "__self__", line.function), np.ufunc)


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
    """What Python counts, which differs between its versions, for an array that only the calling function holds."""
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
        self._roots: dict[Line, frozenset[Line]] = {}
        self._wanted = set(outputs)
        user: dict[Line, Line] = {}
        uses = {line: line.uses for line in lines}
        for line in lines:
            if line in self.inputs:
                continue
            for a in uses[line]:
                self.uses[a] += 1
                user[a] = line
            own = is_new(line) or line.function in (given, constant)
            self._roots[line] = frozenset([line] if own else [r for a in uses[line] for r in self.roots(a)])
        self.inline: set[Line] = set()
        depth: dict[Line, int] = {}
        for line in lines:
            inside = 1 + max((depth[a] for a in uses[line] if a in self.inline), default=0)
            depth[line] = inside
            if inside < 30 and self._inline(line):  # Python cannot read expressions of any depth
                self.inline.add(line)
        self.last: dict[Line, int] = {}
        for line in reversed(lines):
            if line in self.inline:  # it is computed where its user is
                self.at[line] = self.at[user[line]]
            for a in uses[line]:
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
            if self.is_own(root) and root.nbytes >= LARGE:
                self.ends.setdefault(end, []).append(root)

    def roots(self, line: Line) -> frozenset[Line]:
        """The lines in whose memory the result may lie: the line itself, if it is new or not made here."""
        return self._roots.get(line) or frozenset([line])

    def _inline(self, line: Line) -> bool:
        if self.uses[line] != 1 or line in self._wanted or line.function in (*FILLING, given, constant, seed):
            return False
        return (line.nbytes < LARGE or line.function is transpose) and not is_unsteady(line)

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
        like = line.shape, line.dtype, line.strides
        for a in line.args if line.shape else ():
            fits = isinstance(a, Line) and (a.shape, a.dtype, a.strides) == like and self.dies(a, line)
            if fits and (is_new(a) or a.function is reshape):
                return a
        return None


#: Functions whose result has a shape that follows from the shapes of their arguments.
_STEADY = {"reshape", "transpose", "astype", "method", "number", "seed", "getitem", "where", "einsum", "broadcast_to",
           "concatenate", "matmul", "dot", "vdot", "outer", "clip", "swapaxes", "pad", "getattr", "pow", "each_row",
           "keep"}  # fmt: skip


def is_unsteady(line: Line) -> bool:
    """Whether the shape of an array could depend on numbers, as far as is known here."""
    if line.dtype is None or not line.shape or line.function in (given, constant, *FILLING):
        return False
    ufunc = isinstance(getattr(line.function, "__self__", line.function), np.ufunc)
    return not ufunc and getattr(line.function, "__name__", "") not in _STEADY
