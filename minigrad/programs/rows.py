"""All rows of a Jacobian at once: one backward pass for a batch of upstream gradients.

A Jacobian is found row by row: a row is what the backward pass gives for an upstream gradient that is 1 in one place
and 0 elsewhere. Written down as a program, the pass is run for all of these together: each line that depends on the
upstream gradient gets a leading axis, with one entry for each row. The identity goes in, the Jacobian comes out.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backward import pull
from ..call import as_leaf
from ..ops.compare import keep
from ..tensor import Tensor
from .calls import (
    Line,
    astype,
    draw,
    filled,
    index_add,
    index_add_each,
    index_set,
    is_ufunc,
    lines_in,
    reshape,
    transpose,
    values,
)
from .program import Program
from .symbol import Unknowable

MOST = 1 << 27  # bytes of an array with the leading axis; where there would be more, rows are found one by one


def rows_at_once(recording: Any, y: Tensor, sources: Sequence[Tensor]) -> list[Tensor] | None:
    """The blocks of the Jacobian of `y`, one for each source; None where they are better found row by row."""
    lowering, program = recording.lowering, recording.lowering.program
    guards, reasons, lent = len(recording.guards), len(recording.reasons), set(recording.lent)
    upstream = recording.watch(as_leaf(np.ones(y.shape, y.dtype)[()]))
    seed, begin = lowering.give(upstream), len(program.lines)
    found = pull([y], [upstream], sources)
    made = iter(recording.lines([g for g in found if g is not None]))
    lines = [None if g is None else next(made) for g in found]
    if any(line.function is draw for line in program.lines[begin:]):
        raise TypeError("the backward pass of a Jacobian draws random numbers, anew for each row")
    if len(recording.guards) > guards or len(recording.reasons) > reasons:  # it may decide otherwise for each row
        del recording.guards[guards:], recording.reasons[reasons:]
        recording.lent = lent
        return None
    try:
        blocks = iter(rows(program, seed, [line for line in lines if line is not None]))
    except Unknowable:
        return None
    return [_block(recording, y.shape + x.shape, x.dtype, line and next(blocks)) for x, line in zip(sources, lines)]


def _block(recording: Any, shape: tuple[int, ...], dtype: Any, line: Line | None) -> Tensor:
    """A Tensor of the run that is what a line gives, in another shape; zeros without a line."""
    if line is None:
        return as_leaf(np.zeros(shape, dtype))
    line = recording.lowering.program.add(reshape, (line, shape))
    block = recording.watch(as_leaf(line.value))
    recording.lowering.known[block.birth] = line
    return block


def rows(program: Program, upstream: Line, results: Sequence[Line]) -> list[Line]:
    """For each result, its values for all upstream gradients that are 1 in one place: (upstream.size, *its shape).

    Raises Unknowable where this would take too much memory.
    """
    n = upstream.size
    seeds = np.eye(n, dtype=upstream.dtype).reshape(n, *upstream.shape)
    batch = _Batch(program, n, {upstream: program.constant(seeds)})
    for line in list(program.lines):
        if any(x in batch.many for x in lines_in((line.args, line.kwargs))):
            batch.many[line] = batch.lift(line)
    return [batch.spread(line) for line in results]


class _Batch:
    """The lines that have got a leading axis of length `n`, by the lines they stand for."""

    def __init__(self, program: Program, n: int, many: dict[Line, Line]) -> None:
        self.program, self.n, self.many = program, n, many

    def lift(self, line: Line) -> Line:
        """The line with a leading axis."""
        if self.n * line.size * getattr(line.dtype, "itemsize", 8) > MOST:
            raise Unknowable
        plain = not any(x in self.many for x in lines_in(line.kwargs))
        return (self._lifted(line) if plain else None) or self._one_by_one(line)

    def _lifted(self, line: Line) -> Line | None:
        """The same call on arrays with a leading axis, where there is one."""
        function, args, add = line.function, line.args, self.program.add
        if is_ufunc(line) or function in (np.where, keep):
            return add(function, [self.aligned(a, len(line.shape)) for a in args], line.kwargs)
        if function is np.matmul:
            return self._product(args[0], args[1], line.shape)
        if function is np.vdot:
            product = add(np.multiply, [self.spread(a) for a in args])
            return add(np.add.reduce, (product,), {"axis": tuple(range(1, len(product.shape)))})
        if isinstance(getattr(function, "__self__", None), np.ufunc):  # a reduction or an accumulation
            axis = line.kwargs.get("axis", 0)
            moved = tuple(a % len(args[0].shape) + 1 for a in (axis if isinstance(axis, tuple) else (axis,)))
            return add(function, (self.many[args[0]],), {**line.kwargs, "axis": moved if len(moved) != 1 else moved[0]})
        if function is reshape:
            return add(reshape, (self.many[args[0]], (self.n, *args[1])))
        if function is transpose:
            return add(transpose, (self.many[args[0]], (0, *(a + 1 for a in args[1]))))
        if function is astype:
            return add(astype, (self.many[args[0]], args[1]))
        if function is np.broadcast_to:
            return add(np.broadcast_to, (self.aligned(args[0], len(args[1])), (self.n, *args[1])))
        if function is np.concatenate:
            axis = args[1] if len(args) > 1 else line.kwargs.get("axis", 0)
            return add(np.concatenate, ([self.spread(a) for a in args[0]], axis % len(line.shape) + 1))
        if function in (operator.getitem, index_add, index_add_each, index_set):
            return self._indexed(function, *args)
        return None

    def spread(self, x: Line) -> Line:
        """`x` with the leading axis, repeated along it where it does not depend on the upstream gradient."""
        return self.many.get(x) or self.program.add(np.broadcast_to, (x, (self.n, *x.shape)))

    def aligned(self, x: Any, ndim: int) -> Any:
        """`x` as an operand of something with `ndim` axes behind the leading one."""
        if x not in self.many:
            return x
        return self.program.add(reshape, (self.many[x], (self.n, *(1,) * (ndim - len(x.shape)), *x.shape)))

    def _product(self, a: Line, b: Line, shape: tuple[int, ...]) -> Line:
        """A product of matrices: one large one, where only one side has the leading axis and the other is a matrix."""
        n, add = self.n, self.program.add
        if b not in self.many and len(b.shape) <= 2:
            tall = (n * int(np.prod(a.shape[:-1], dtype=int)), a.shape[-1])
            product = add(np.matmul, (add(reshape, (self.many[a], tall)), b))
        elif a not in self.many and len(a.shape) == 2 and len(b.shape) == 1:
            product = add(np.matmul, (self.many[b], add(transpose, (a, (1, 0)))))
        else:  # vectors become rows on the left and columns on the right
            sides = []
            ndim = max(len(a.shape), len(b.shape), 2)
            for x, matrix in ((a, (1, *a.shape)), (b, (*b.shape, 1))):
                inner = matrix if len(x.shape) == 1 else x.shape
                lead = (n, *(1,) * (ndim - len(inner))) if x in self.many else ()
                sides.append(add(reshape, (self.many.get(x, x), (*lead, *inner))))
            product = add(np.matmul, sides)
        return add(reshape, (product, (n, *shape)))

    def _indexed(self, function: Any, x: Line, key: Any, *value: Any) -> Line | None:
        """An index behind the leading axis. Where arrays in it stand apart, the axes would change their order."""
        parts = key if isinstance(key, tuple) else (key,)
        advanced = [i for i, k in enumerate(parts) if isinstance(k, (Line, int))]
        apart = any(lines_in(parts)) and advanced[-1] - advanced[0] >= len(advanced)
        if not isinstance(x.value, np.ndarray) or apart or any(a in self.many for a in lines_in(parts)):
            return None
        ndim = np.broadcast_to(False, x.shape)[values(key)].ndim
        return self.program.add(
            function, (self.spread(x), (slice(None), *parts), *(self.aligned(v, ndim) for v in value))
        )

    def _one_by_one(self, line: Line) -> Line:
        """A call that has no form for a batch is made for each row."""
        if not isinstance(line.value, (np.ndarray, np.generic)):
            raise Unknowable
        given = lines_in((line.args, line.kwargs))
        lifted = [x in self.many for x in given]

        def for_each_row(*arrays: Any) -> Any:
            found = []
            for i in range(self.n):
                row = [x[i] if many else x for x, many in zip(arrays, lifted)]
                args, kwargs = filled((line.args, line.kwargs), row)
                found.append(line.function(*args, **kwargs))
            return np.stack(found)

        return self.program.add(for_each_row, [self.many.get(x, x) for x in given])
