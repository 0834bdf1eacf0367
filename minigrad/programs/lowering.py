"""From recorded nodes to lines: a graph of ops becomes a program of calls of NumPy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..call import CustomCall, as_leaf
from ..node import OPS, PICK, hooks
from ..tensor import Tensor
from ..variable import READ, Variable
from .calls import Line, each, index_add, index_add_each, index_set, reshape
from .program import Program, same
from .symbol import Unknowable

#: Ops whose result is their first argument, as far as numbers go.
_SAME = {"identity", "copy", "stop_gradient"}


class Lowering:
    """The lines of recorded nodes, each lowered once.

    arrays : raw arrays that stand for something given when the program runs: they are known again by their memory,
        where code has taken the plain array out of a Tensor, or reshaped it.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[int, Any] = {}  # birth -> line, or tuple of lines
        self.arrays: dict[int, tuple[np.ndarray[Any, Any], Line]] = {}  # address -> array and its line
        self.met: set[int] = set()  # addresses that were found among arguments

    def give(self, tensor: Tensor, name: str = "") -> Line:
        """Make `tensor` an input of the program."""
        line = self.program.given(tensor.value, name)
        self.known[tensor.birth] = line
        self.lend(tensor.value, line)
        return line

    def lend(self, array: Any, line: Line) -> None:
        """Let `array` be known as what `line` gives."""
        if isinstance(array, np.ndarray) and array.size:
            self.arrays[address(array)] = (array, line)

    def line(self, tensor: Tensor) -> Any:
        """The line that computes the value of `tensor`; lines for all that it is made from are made on the way."""
        return self.lines([tensor])[0]

    def lines(self, tensors: Iterable[Tensor]) -> list[Any]:
        """The lines of several Tensors, made in the order in which the Tensors were born."""
        tensors = list(tensors)
        found, stack = {}, list(tensors)
        while stack:
            node = stack.pop()
            if node.birth not in self.known and node.birth not in found:
                found[node.birth] = node
                stack += behind(node)
        for birth in sorted(found):
            self.known[birth] = self._lower(found[birth])
        return [self.known[tensor.birth] for tensor in tensors]

    def _lower(self, node: Tensor) -> Any:
        op = node.op
        before = [self.known[t.birth] for t in behind(node)]
        if op is None:
            return self.constant(node.value)
        if isinstance(op, CustomCall):
            return before[0] if not isinstance(node.value, tuple) else tuple(before)
        if op is PICK:
            return before[0][node.args[1]]
        if op is READ or (op.name in _SAME and op is OPS.get(op.name)):
            return before[0]
        lines = iter(before)
        args = [next(lines) if isinstance(a, Tensor) else each(self._raw, a) for a in node.args]
        if op.name in _PLACES:
            repeats = op.name == "index_add" and _may_repeat(args[1])
            return self.program.add(index_add_each if repeats else _PLACES[op.name], args)
        found = self.program.lower(op.fn, args, node.kwargs, node.value)
        whole = isinstance(found, Line) and found.function is op.fn and not isinstance(op.fn, np.ufunc)
        return (self._inside(op.fn, args, node) if whole else None) or found

    def _inside(self, fn: Any, args: list[Any], node: Tensor) -> Line | None:
        """The line of an op that is itself written with ops: they are recorded as it runs once more, on Tensors."""
        copies = [as_leaf(a.value) if isinstance(a, Line) else a for a in args]
        for copy, a in zip(copies, args):
            if isinstance(a, Line):
                self.known[copy.birth] = a
                _guard_numbers(copy)
        try:
            hooks.append(_guard_numbers)
            with np.errstate(all="ignore"):
                result = fn(*copies, **(node.kwargs or {}))
        except Exception:  # it looks at numbers, or is written for arrays only: nothing is lost
            return None
        finally:
            hooks.remove(_guard_numbers)
        if not isinstance(result, Tensor):
            return None
        line = self.line(result)
        return line if same(line, node.value) else None

    def constant(self, value: Any) -> Any:
        """The line of a raw value."""
        return self._raw(value) if isinstance(value, np.ndarray) else self.program.constant(value)

    def _raw(self, a: Any) -> Any:
        """A raw argument; an array that lies in memory that is known is what lies there."""
        if not isinstance(a, np.ndarray) or not a.size:
            return a
        array, line = self.arrays.get(address(a), (None, None))
        if array is None or array.dtype != a.dtype:
            return self.program.constant(a)
        if array.shape == a.shape and array.strides == a.strides:
            self.met.add(address(a))
            return line
        if array.size == a.size and array.flags.c_contiguous and a.flags.c_contiguous:
            self.met.add(address(a))
            return self.program.add(reshape, (line, a.shape))
        return self.program.constant(a)


class _Careful(Tensor):
    """A Tensor that does not tell its numbers."""

    __slots__ = ()

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise Unknowable

    _leave = __bool__ = __index__ = __int__ = __float__ = __array__ = _refuse


def _guard_numbers(tensor: Tensor) -> None:
    if type(tensor) is Tensor:
        tensor.__class__ = _Careful


_PLACES = {"index_add": index_add, "index_set": index_set}


def _may_repeat(key: Any) -> bool:
    """Whether an index may name one element twice, which only arrays of integers can."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(k, (Line, np.ndarray)) and k.dtype.kind != "b" for k in parts)


def behind(node: Tensor) -> list[Tensor]:
    """The Tensors that the value of `node` is made from: for a call of a custom rule, what its function returned."""
    if isinstance(node.op, CustomCall):
        return [out.read_value() for out in node.op.body_outputs]
    if node.op is READ or isinstance(node, Variable):
        return [a for a in node.args if isinstance(a, Tensor)] if node.op is READ else []
    return [a for a in node.args if isinstance(a, Tensor)]


def address(array: Any) -> int:
    """Where the array begins in memory."""
    return array.__array_interface__["data"][0]
