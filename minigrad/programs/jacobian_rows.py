"""Compute all rows of a Jacobian at once, by one backward pass for a batch of upstream gradients.

The engine computes a Jacobian row by row: each row is the result of a backward pass whose upstream gradient is 1 at one
element and 0 elsewhere. A program runs one pass for all rows. The pass starts from the identity matrix, and each line
that depends on the upstream gradient gets a leading axis, with one entry for each row. The result has the same bits as
a computation row by row, because a call that could add up in a different order is made once for each row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.tensor import Tensor
from ..tracing.names import same_bytes
from ..transforms.nesting import nest
from .instructions import (
    FILLING,
    EachRow,
    Line,
    astype,
    constant,
    each,
    is_reduction,
    is_ufunc,
    lines_in,
    repeated,
    reshape,
    transpose,
)
from .listing import Listing, here

MAX_BYTES = 1 << 27  # the maximum size of an array with the leading axis; beyond it, rows are computed one by one


class TooLarge(Exception):
    """Raised if computing all rows at once would take too much memory."""


def rows_at_once(y: Tensor, sources: list[Tensor]) -> list[Any] | None:
    """Return the Jacobian blocks of `y`, one for each source, or None if they must be computed row by row."""
    listing: Listing | None = here.listing
    if type(listing) is not Listing or nest(0) != 1 or y.size < 2 or y.size * y.size * y.dtype.itemsize > MAX_BYTES:
        return None
    seed = listing.add_input(np.ones(y.shape, y.dtype))
    begin, refusals = len(listing.lines), len(listing.refusals)
    listing.stand_ins_by_line = {}
    try:
        adjoints = pullback([y], [seed], sources)
        if len(listing.refusals) > refusals:
            return None
        batch = _Batch(listing, y.size, seed)
        for line in listing.lines[begin:]:
            if any(a in batch.many for a in line.uses):
                batch.many[line] = batch.lift(line)
        shapes = [(*y.shape, *x.shape) for x in sources]
        return [
            np.zeros(shape, x.dtype) if g is None else listing.call(reshape, (batch.spread(g), shape))
            for x, g, shape in zip(sources, adjoints, shapes)
        ]
    except TooLarge:
        return None
    finally:
        listing.stand_ins_by_line = None


class _Batch:
    """A backward pass for `n` rows at once.

    many : line -> the stand-in for its results in all rows, along a leading axis.
    """

    def __init__(self, listing: Listing, n: int, seed: Any) -> None:
        self.listing, self.n = listing, n
        seeds = np.eye(n, dtype=seed.dtype).reshape(n, *seed.shape)
        self.many: dict[Line, Any] = {seed.line: listing.stand_in(listing.constant(seeds), seeds)}

    def lift(self, line: Line) -> Any:
        """Compute a line for all rows at once, or row by row if the bits could differ; return the stand-in.

        Raises TooLarge if the result would take too much memory.
        """
        if self.n * line.nbytes > MAX_BYTES or line.dtype is None:
            raise TooLarge
        function, args, ndim = line.function, line.args, len(line.shape)
        if any(x in self.many for x in lines_in(line.kwargs)):
            return self._for_each_row(line)
        if is_ufunc(line) or function is np.where or function is operator.pow:
            return self._call(function, *[self._aligned(a, ndim) for a in args], **each(self._plain, line.kwargs))
        if function is reshape:
            return self._call(reshape, self.many[args[0]], (self.n, *args[1]))
        if function is transpose:
            return self._call(transpose, self.many[args[0]], (0, *(a + 1 for a in args[1])))
        if function is astype:
            return self._call(astype, self.many[args[0]], args[1])
        if function in (np.broadcast_to, repeated):
            return self._call(np.broadcast_to, self._aligned(args[0], len(args[1])), (self.n, *args[1]))
        if function is operator.getitem or function in FILLING:
            x, key, *values = args
            parts = key if isinstance(key, tuple) else (key,)
            if x.dtype is not None and all(isinstance(k, (int, slice, type(None), type(...))) for k in parts):
                inner = np.broadcast_to(False, x.shape)[key].ndim
                values = [self._aligned(v, inner) for v in values]
                return self._call(function, self.spread(x), (slice(None), *parts), *values)
        if function is np.matmul or is_reduction(line):
            call = self._product(line) if function is np.matmul else self._reduction(line)
            if self._agrees(line, call):
                return call(*map(self._batched, line.uses))
        return self._for_each_row(line)

    def _for_each_row(self, line: Line) -> Any:
        return self._call(EachRow(line, [x in self.many for x in line.uses], self.n), *map(self._batched, line.uses))

    def _reduction(self, line: Line) -> Callable[..., Any]:
        axis = line.kwargs.get("axis", 0)
        moved = tuple(a % len(line.args[0].shape) + 1 for a in (axis if isinstance(axis, tuple) else (axis,)))
        kwargs = {**line.kwargs, "axis": moved if len(moved) != 1 else moved[0]}
        return lambda x: line.function(x, *line.args[1:], **kwargs)

    def _product(self, line: Line) -> Callable[..., Any]:
        """Return a function that computes the matrix product `line` for all rows at once.

        A vector is a row on the left, or a column on the right.
        """
        left, right = (x.shape for x in line.args)
        shapes = [left if len(left) > 1 else (1, *left), right if len(right) > 1 else (*right, 1)]
        # The rows of the Jacobian become a leading axis, because matmul broadcasts leading axes.
        ndim = max(map(len, shapes))
        shapes = [
            (self.n, *(1,) * (ndim - len(shape)), *shape) if x in self.many else shape
            for x, shape in zip(line.args, shapes)
        ]
        return lambda a, b: np.matmul(a.reshape(shapes[0]), b.reshape(shapes[1])).reshape((self.n, *line.shape))

    def _agrees(self, line: Line, call: Callable[..., Any]) -> bool:
        """Test with random numbers whether `call`, for all rows at once, gives the same bits as `line` row by row."""
        # Only a trial can decide this, because a batched BLAS call may add up in a different order.
        rng, each_row = np.random.default_rng(0), EachRow(line, [x in self.many for x in line.uses], self.n)
        noise = [_noise(rng, self._batched(x).real_value) for x in line.uses]
        return same_bytes(call(*noise), each_row(*noise))

    def _batched(self, x: Line) -> Any:
        return self.many[x] if x in self.many else self._plain(x)

    def _call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        return self.listing.call(function, args, kwargs)

    def _plain(self, x: Any) -> Any:
        """Return the stand-in for a line that is the same in all rows; return anything else unchanged."""
        if not isinstance(x, Line):
            return x
        by_line = self.listing.stand_ins_by_line or {}
        return by_line[x] if x in by_line else self.listing.stand_in(x, x.value)

    def spread(self, x: Any) -> Any:
        """Return `x` with the leading axis; repeat `x` along it if `x` does not depend on the upstream gradient."""
        line = x if isinstance(x, Line) else getattr(x, "line", None)
        if line in self.many:
            return self.many[line]
        x = line.value if line is not None and line.function is constant else self._plain(x)
        return np.broadcast_to(x, (self.n, *x.shape))

    def _aligned(self, x: Any, ndim: int) -> Any:
        """Return `x` as an operand of a call whose result has `ndim` axes after the leading axis."""
        if x not in self.many:
            return self._plain(x)
        return self._call(reshape, self.many[x], (self.n, *(1,) * (ndim - len(x.shape)), *x.shape))


def _noise(rng: np.random.Generator, like: Any) -> Any:
    """Return an array of random numbers with the shape, dtype and memory layout of another."""
    noise = np.empty_like(like)
    noise[...] = rng.standard_normal(like.shape).astype(like.dtype) if like.dtype.kind == "f" else 1
    return noise
