"""Rearranging elements: flips, rotations, triangles, repetition and diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..core.support.operands import adopt_all
from .axes import Axis
from .declare import composite, defop, names_as
from .index import getitem, index_add, take
from .shapes import broadcast_to, moveaxis, reshape

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
_BOX = [[[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]]


def _flip(x: Any, axis: Axis = None) -> Any:
    """`x` with the order of its elements reversed along `axis` (an int, several, or None for all)."""
    return np.flip(x, tuple(axis) if isinstance(axis, list) else axis)


flip = defop(
    "flip", _flip, numpy=np.flip,
    vjp=lambda g, y, a, axis=None: flip(g, axis),
    names=names_as("flip", tf="reverse"), samples=((_TABLE,), (_TABLE, -1), (_TABLE, (0, 1))),
)


def _roll(x: Any, shift: int | tuple[int, ...], axis: Axis = None) -> Any:
    """`x` with its elements shifted along `axis`; elements pushed off one end reappear at the other."""
    return np.roll(x, shift, axis)


def _back(shift: int | tuple[int, ...]) -> Any:
    return tuple(-s for s in shift) if isinstance(shift, (tuple, list)) else -shift


roll = defop(
    "roll", _roll, numpy=np.roll,
    vjp=lambda g, y, a, shift, axis=None: roll(g, _back(shift), axis),
    names=names_as("roll"), samples=((_TABLE, 1), (_TABLE, 2, -1), (_TABLE, (1, 2), (0, 1))),
)


def _rot90(x: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """`x` rotated in the plane of two axes by `k` quarter turns, from the first axis towards the second."""
    return np.rot90(x, k, axes)


rot90 = defop(
    "rot90", _rot90, numpy=np.rot90,
    vjp=lambda g, y, a, k=1, axes=(0, 1): rot90(g, -k, axes),
    names=names_as("rot90", tf=""), samples=((_TABLE,), (_BOX, 3, (0, 2))),
)


def _tril(x: Any, k: int = 0) -> Any:
    """The lower triangle, with zeros above diagonal number `k`."""
    return np.tril(x, k)


def _triu(x: Any, k: int = 0) -> Any:
    """The upper triangle, with zeros below diagonal number `k`."""
    return np.triu(x, k)


tril = defop(
    "tril", _tril, numpy=np.tril, vjp=lambda g, y, a, k=0: tril(g, k),
    slope="1 on and below the diagonal, else 0", names=names_as("tril", tf=""), samples=((_TABLE,), (_BOX, 1)),
)
triu = defop(
    "triu", _triu, numpy=np.triu, vjp=lambda g, y, a, k=0: triu(g, k),
    slope="1 on and above the diagonal, else 0", names=names_as("triu", tf=""), samples=((_TABLE,), (_BOX, 1)),
)


# Repetition.


@composite(numpy=np.tile, names=names_as("tile"), samples=((_TABLE, 2), (_TABLE, (2, 1, 3))))
def tile(x: Any, reps: int | tuple[int, ...]) -> Any:
    """`x` repeated as a whole, `reps` times along each axis."""
    counts = (reps,) if isinstance(reps, (int, np.integer)) else tuple(int(r) for r in reps)
    counts = (1,) * (x.ndim - len(counts)) + counts
    shape = (1,) * (len(counts) - x.ndim) + x.shape
    both = [n for pair in zip(counts, shape) for n in pair]
    apart = reshape(x, [n for m in shape for n in (1, m)])
    return reshape(broadcast_to(apart, both), [r * n for r, n in zip(counts, shape)])


@composite(
    numpy=np.repeat, method="repeat", names=names_as("repeat", torch="repeat_interleave"),
    samples=((_TABLE, 2), (_TABLE, 2, 0), (_TABLE, [1, 0, 2], -1)),
)
def repeat(x: Any, repeats: int | tuple[int, ...], axis: int | None = None) -> Any:
    """`x` with each element repeated along `axis`; by default `x` is flattened first."""
    x = x if axis is None or x.ndim else reshape(x, (1,))
    n = x.size if axis is None else x.shape[normalize_axis_index(axis, x.ndim)]
    counts = np.asarray(repeats)
    if counts.dtype.kind not in "iub":
        raise TypeError(f"repeats must be an integer, or one for each element, got {repeats!r:.60}")
    if (counts < 0).any():
        raise ValueError(f"repeats must be at least 0, got {repeats!r:.60}")
    return take(x, np.repeat(np.arange(n), counts), axis)


# Diagonals.


@composite(
    numpy=np.diagonal, method="diagonal", names=names_as("diagonal", tf="linalg.diag_part"),
    samples=((_TABLE,), (_TABLE, 1), ([_TABLE], 0, 1, 2)),
)
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The elements x[i, i + offset] in the planes of two axes, along a new last axis."""
    if x.ndim < 2:
        raise ValueError(f"a diagonal needs at least two axes, got shape {x.shape}; diag(x) makes a matrix of a row")
    axis1, axis2 = normalize_axis_index(axis1, x.ndim), normalize_axis_index(axis2, x.ndim)
    n, m = x.shape[axis1], x.shape[axis2]
    rows = np.arange(max(0, -offset), max(0, -offset, min(n, m - offset)))
    return getitem(moveaxis(x, (axis1, axis2), (-2, -1)), (..., rows, rows + offset))


@composite(names=dict(tf="linalg.diag", torch="diag_embed"), samples=(([1.0, 2.0],), (_TABLE, -1)))
def diag_embed(x: Any, k: int = 0) -> Any:
    """Matrices with the last axis of `x` on diagonal number `k`, and zeros elsewhere."""
    n = x.shape[-1] + abs(k)
    rows = np.arange(x.shape[-1]) + max(0, -k)
    return index_add(np.zeros((*x.shape[:-1], n, n), x.dtype), (..., rows, rows + k), x)


@composite(numpy=np.diag, names=names_as("diag", tf=""), samples=(([1.0, 2.0],), ([1.0, 2.0], 1), (_TABLE, 1)))
def diag(x: Any, k: int = 0) -> Any:
    """A matrix with the row `x` on diagonal number `k`; if `x` is a matrix, its diagonal number `k`."""
    if x.ndim not in (1, 2):
        raise ValueError(f"diag takes a row or a matrix, got shape {x.shape}; diagonal and diag_embed take a batch")
    return diag_embed(x, k) if x.ndim == 1 else diagonal(x, k)


@composite(numpy=np.diagflat, names=names_as("diagflat", tf=""), example=([1.0, 2.0],),
           samples=((_TABLE,), ([1.0, 2.0], -1)))
def diagflat(x: Any, k: int = 0) -> Any:
    """A matrix with all elements of `x`, in C order, on diagonal number `k`."""
    return diag_embed(reshape(x, (-1,)), k)


@composite(arrays=0, numpy=np.meshgrid, names=names_as("meshgrid"),
           samples=(([1.0, 2.0], [3.0, 4.0, 5.0]), ([1.0, 2.0], [3.0, 4.0, 5.0], dict(indexing="ij"))))  # fmt: skip
def meshgrid(*xs: Any, indexing: str = "xy") -> list[Any]:
    """The coordinates of a grid, one array for each row in `xs`; with "xy" the second row runs along the first axis."""
    n, xs = len(xs), tuple(adopt_all(xs))
    axes = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else list(range(n))
    shape: list[int] = [0] * n
    for i, x in enumerate(xs):
        shape[axes[i]] = np.size(x)
    return [broadcast_to(reshape(x, [-1 if j == axes[i] else 1 for j in range(n)]), shape) for i, x in enumerate(xs)]
