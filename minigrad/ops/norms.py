"""Norms, and the ops `any` and `all`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arithmetic import absolute, unit
from .axes import Axis, axes_of, count, keepdims_shape, reduced, spread
from .choose import maximum, where
from .declare import composite, defop, names_as
from .decomposition import svd
from .extreme import max, min
from .identities import astype
from .reduce import sum
from .shapes import moveaxis, reshape

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]


def _euclidean_norm(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The length of `x` along `axis`: the square root of the sum of squares."""
    return np.sqrt(reduced(np.add, x * x, axis, keepdims))


euclidean_norm = defop(
    "euclidean_norm", _euclidean_norm,
    vjp=lambda g, y, a, axis=None, keepdims=False: spread(g, a, axis, keepdims)
    * unit(a, spread(y, a, axis, keepdims)),
    latex=r"\sqrt{\sum_i a_i^2}", slope="a / y",
    edge_cases="slope 0 at the zero vector, the smallest of the subgradients; higher derivatives are 0 there as well",
    names=dict(tf="math.reduce_euclidean_norm"), samples=((_TABLE,), (_TABLE, 0), (_TABLE, -1, True)),
)


@composite(
    numpy=np.linalg.norm, latex=r"\lVert a \rVert", edge_cases="slope 0 at the zero vector",
    names=names_as("linalg.norm", tf="norm", keras="norm"),
    samples=(
        ([3.0, -4.0],), (_TABLE,), (_TABLE, 1, 0), (_TABLE, dict(ord=np.inf, axis=1)), (_TABLE, 3, 1, True),
        (_TABLE, "fro"), ([[1.5, -2.0], [0.3, 1.5]], 1), (_TABLE, 2), (_TABLE, "nuc"),
    ),
)
def norm(x: Any, ord: float | str | None = None, axis: Axis = None, keepdims: bool = False) -> Any:
    """The norm of vectors along one axis, or of matrices along two axes, as in `np.linalg.norm`.

    ord : for vectors 1, 2 (the default), inf, -inf, 0 or any p; for matrices "fro" (the default), "nuc", 1, 2, inf.
    """
    axes = axes_of(x, axis)
    if ord is None or ord == "euclidean" or (ord == "fro" and len(axes) == 2):
        return euclidean_norm(x, axis, keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, ord, axes, keepdims)
    if ord == 2:
        return euclidean_norm(x, axis, keepdims)
    if isinstance(ord, str):
        raise ValueError(f"norm of a vector takes a number as ord, such as 2 or inf, got {ord!r}, a matrix norm")
    size = absolute(x)
    if ord in (np.inf, -np.inf):
        return (_largest if ord > 0 else min)(size, axis, keepdims)
    if ord == 0:
        return sum(astype(x != 0, x.dtype), axis, keepdims)
    if ord == 1:
        return sum(size, axis, keepdims)
    powers = where(size == 0, np.inf if ord < 0 else 0, where(size == 0, 1, size) ** ord)
    total = sum(powers, axis, keepdims)
    return where(total == 0, 0, where(total == 0, 1, total) ** (1 / ord))


def _largest(sizes: Any, axis: Axis, keepdims: bool) -> Any:
    """The largest of the absolute values `sizes`, or 0 if there are none."""
    return max(sizes, axis, keepdims, **({} if count(sizes, axis) else {"initial": 0}))


def _matrix_norm(x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if ord in (1, -1, np.inf, -np.inf):
        down, across = axes if abs(ord) == 1 else axes[::-1]
        sums = sum(absolute(x), down, True)
        y = (_largest if ord > 0 else min)(sums, across, True)
    elif ord in (2, -2, "nuc"):
        sizes = svd(moveaxis(x, axes, (-2, -1)), full_matrices=False, compute_uv=False)
        y = sum(sizes, -1) if ord == "nuc" else (_largest if ord > 0 else min)(sizes, -1, False)
    else:
        raise ValueError(f"norm of a matrix takes ord 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}")
    shape = keepdims_shape(x, axes)
    return reshape(y, shape if keepdims else [n for i, n in enumerate(shape) if i not in axes])


@composite(names=dict(tf="clip_by_norm"), samples=(([3.0, -4.0], 1.0), ([0.3, -0.4], 1.0), (_TABLE, 1.0, 0)))
def clip_by_norm(x: Any, clip_norm: Any, axes: Axis = None) -> Any:
    """`x`, scaled down to the norm `clip_norm` if its norm is larger."""
    return x * (clip_norm / maximum(euclidean_norm(x, axes, True), clip_norm))


def _any(x: Any, axis: Axis = None, keepdims: bool = False, where: Any = True) -> Any:
    """True if any of the elements along `axis` that are in the mask `where` is true."""
    return reduced(np.logical_or, x, axis, keepdims, where=where)


def _all(x: Any, axis: Axis = None, keepdims: bool = False, where: Any = True) -> Any:
    """True if all of the elements along `axis` that are in the mask `where` are true."""
    return reduced(np.logical_and, x, axis, keepdims, where=where)


any = defop(
    "any", _any, numpy=np.any, method="any", names=names_as("any", tf="reduce_any"),
    example=([False, True],),
)
all = defop(
    "all", _all, numpy=np.all, method="all", names=names_as("all", tf="reduce_all"),
    example=([False, True],),
)
