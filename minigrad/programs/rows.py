"""All rows of a Jacobian at once: one backward pass for a batch of upstream gradients.

A Jacobian is found row by row: a row is what the backward pass gives for an upstream gradient that is 1 in one place
and 0 elsewhere. In a program the pass is run for all of these together: each line that depends on the upstream gradient
gets a leading axis, with one entry for each row. The identity goes in, the Jacobian comes out, with the bits that the
rows would have: a call that could add up in another order is made for each row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.pullback import pullback
from ..core.tensor import Tensor
from ..transforms.nesting import nest
from .lines import FILLING, Line, astype, constant, each, is_reduction, is_ufunc, lines_in, repeated, reshape, transpose
from .listing import Listing, here, same_bytes

MOST = 1 << 27  # bytes of an array with the leading axis; where there would be more, rows are found one by one


class TooLarge(Exception):
    """Raised where all rows at once would take too much memory."""


def rows_at_once(y: Tensor, sources: list[Tensor]) -> list[Any] | None:
    """The blocks of the Jacobian of `y`, one for each source; None where they are better found row by row."""
    listing: Listing | None = here.listing
    if listing is None or nest(0) != 1 or y.size < 2 or y.size * y.size * y.dtype.itemsize > MOST:
        return None
    seed = listing.given(np.ones(y.shape, y.dtype))
    begin, refusals = len(listing.lines), len(listing.refusals)
    listing.kept = {}
    try:
        found = pullback([y], [seed], sources)
        if len(listing.refusals) > refusals:
            return None
        batch = _Batch(listing, y.size, seed)
        for line in listing.lines[begin:]:
            if any(a in batch.many for a in line.uses):
                batch.many[line] = batch.lift(line)
        shapes = [(*y.shape, *x.shape) for x in sources]
        return [
            np.zeros(shape, x.dtype) if g is None else listing.call(reshape, (batch.spread(g), shape))
            for x, g, shape in zip(sources, found, shapes)
        ]
    except TooLarge:
        return None
    finally:
        listing.kept = None


class _Batch:
    """The stand-ins that have got a leading axis of length `n`, by the lines they stand for."""

    def __init__(self, listing: Listing, n: int, seed: Any) -> None:
        self.listing, self.n = listing, n
        seeds = np.eye(n, dtype=seed.dtype).reshape(n, *seed.shape)
        self.many: dict[Line, Any] = {seed.line: listing.stand_in(listing.constant(seeds), seeds)}

    def lift(self, line: Line) -> Any:
        """The line with a leading axis."""
        if self.n * line.nbytes > MOST or line.dtype is None:
            raise TooLarge
        found = None
        if not any(x in self.many for x in lines_in(line.kwargs)):
            found = self._lifted(line, line.function, line.args)
        return self._one_by_one(line) if found is None else found

    def _lifted(self, line: Line, function: Any, args: Any) -> Any:
        """The same call on arrays with a leading axis; None where there is none that is sure to give the same bits."""
        ndim = len(line.shape)
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
        if function is np.concatenate and set(line.kwargs) <= {"axis"}:
            axis = args[1] if len(args) > 1 else line.kwargs.get("axis", 0)
            return self._call(np.concatenate, [self.spread(a) for a in args[0]], axis % ndim + 1)
        if function is operator.getitem or function in FILLING:
            return self._indexed(function, *args)
        if function is np.matmul or is_reduction(line) or getattr(function, "__name__", "") == "accumulate":
            call = self._product(line) if function is np.matmul else self._reduction(line)
            return call(*map(self._batched, line.uses)) if self._agrees(line, call) else None
        return None

    def _reduction(self, line: Line) -> Callable[..., Any]:
        axis = line.kwargs.get("axis", 0)
        moved = tuple(a % len(line.args[0].shape) + 1 for a in (axis if isinstance(axis, tuple) else (axis,)))
        kwargs = {**line.kwargs, "axis": moved if len(moved) != 1 else moved[0]}
        return lambda x: line.function(x, *line.args[1:], **kwargs)

    def _product(self, line: Line) -> Callable[..., Any]:
        """A product of matrices for each row: vectors become rows on the left and columns on the right."""
        shapes = [(1, *line.args[0].shape)[-max(2, len(line.args[0].shape)) :], line.args[1].shape]
        shapes[1] = shapes[1] if len(shapes[1]) > 1 else (*shapes[1], 1)
        ndim = max(map(len, shapes))
        shapes = [
            (self.n, *(1,) * (ndim - len(shape)), *shape) if x in self.many else shape
            for x, shape in zip(line.args, shapes)
        ]
        return lambda a, b: np.matmul(a.reshape(shapes[0]), b.reshape(shapes[1])).reshape((self.n, *line.shape))

    def _agrees(self, line: Line, call: Callable[..., Any]) -> bool:
        """Whether the call for all rows gives the bits of the calls for each, tried with other numbers."""
        rng = np.random.default_rng(0)
        whole = [_noise(rng, self._batched(x)) for x in line.uses]
        rows = [np.empty_like(self._plain(x).held) if x in self.many else array for x, array in zip(line.uses, whole)]
        found = np.asarray(call(*whole))
        for i in range(self.n) if self.n * found.size < 1 << 20 else (0, self.n - 1):
            for x, array, row in zip(line.uses, whole, rows):
                if x in self.many:
                    row[...] = array[i]
            args, kwargs = _with(rows, line)
            if not same_bytes(found[i], line.function(*args, **kwargs)):
                return False
        return True

    def _call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        return self.listing.call(function, args, kwargs)

    def _plain(self, x: Any) -> Any:
        """The stand-in for a line without the leading axis."""
        if not isinstance(x, Line):
            return x
        kept = self.listing.kept or {}
        return kept[x] if x in kept else self.listing.stand_in(x, x.value)

    def _batched(self, x: Line) -> Any:
        return self.many[x] if x in self.many else self._plain(x)

    def spread(self, x: Any) -> Any:
        """`x` with the leading axis, repeated along it where it does not depend on the upstream gradient."""
        line = x if isinstance(x, Line) else getattr(x, "line", None)
        if line in self.many:
            return self.many[line]
        x = line.value if line is not None and line.function is constant else self._plain(x)
        return np.broadcast_to(x, (self.n, *x.shape))

    def _aligned(self, x: Any, ndim: int) -> Any:
        """`x` as an operand of something with `ndim` axes behind the leading one."""
        if x not in self.many:
            return self._plain(x)
        return self._call(reshape, self.many[x], (self.n, *(1,) * (ndim - len(x.shape)), *x.shape))

    def _indexed(self, function: Any, x: Line, key: Any, *value: Any) -> Any:
        """An index behind the leading axis. Where arrays in it stand apart, the axes would change their order."""
        parts = key if isinstance(key, tuple) else (key,)
        advanced = [i for i, k in enumerate(parts) if isinstance(k, (Line, int))]
        apart = any(lines_in(parts)) and advanced[-1] - advanced[0] >= len(advanced)
        if x.dtype is None or apart or any(a in self.many for a in lines_in(parts)):
            return None
        known = each(self._plain, parts)
        ndim = np.broadcast_to(False, x.shape)[each(lambda k: getattr(k, "held", k), known)].ndim
        return self._call(function, self.spread(x), (slice(None), *known), *[self._aligned(v, ndim) for v in value])

    def _one_by_one(self, line: Line) -> Any:
        """A call that has no form for a batch is made for each row."""
        n, lifted = self.n, [x in self.many for x in line.uses]

        def each_row(*arrays: Any) -> Any:
            found = []
            for i in range(n):
                args, kwargs = _with([x[i] if many else x for x, many in zip(arrays, lifted)], line)
                found.append(line.function(*args, **kwargs))
            return np.stack(found)

        return self._call(each_row, *map(self._batched, line.uses))


def _with(arrays: list[Any], line: Line) -> Any:
    """The arguments of a line with these arrays in the places of its Lines."""
    found = iter(arrays)
    return each(lambda a: next(found) if isinstance(a, Line) else a, (line.args, line.kwargs))


def _noise(rng: Any, x: Any) -> Any:
    """Numbers in the layout of an array."""
    like = np.empty_like(x.held)
    like[...] = rng.standard_normal(x.shape).astype(x.dtype) if x.dtype.kind == "f" else 1
    return like
