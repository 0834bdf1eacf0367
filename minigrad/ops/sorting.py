"""Sorting and searching. `sort` takes elements at the indices from `argsort`, and only the elements have a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrange import flip
from .declare import composite, defop, names_as
from .index import getitem, take_along_axis
from .shapes import reshape

_TABLE = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]


def _argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The index of the largest element along `axis`; in a tie, the first index."""
    return x.argmax(axis=axis, keepdims=keepdims)


def _argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The index of the smallest element along `axis`; in a tie, the first index."""
    return x.argmin(axis=axis, keepdims=keepdims)


def _argsort(x: Any, axis: int | None = -1, kind: str | None = "stable") -> Any:
    """The indices of the elements in ascending order along `axis`; equal elements keep their order."""
    return np.argsort(x, axis=axis, kind="stable")


def _searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Any:
    """The indices where `values` can be inserted into a sorted sequence so that it stays sorted."""
    return np.searchsorted(sorted_sequence, values, side)  # type: ignore[call-overload]


argmax = defop(
    "argmax", _argmax, numpy=np.argmax, method="argmax", names=names_as("argmax"),
    example=([0.5, 3.0, 3.0],),
)
argmin = defop(
    "argmin", _argmin, numpy=np.argmin, method="argmin", names=names_as("argmin"),
    example=([0.5, -2.0, 3.0],),
)
argsort = defop(
    "argsort", _argsort, numpy=np.argsort, method="argsort", names=names_as("argsort"),
    example=([0.5, -2.0, 3.0],),
)
searchsorted = defop(
    "searchsorted", _searchsorted, numpy=np.searchsorted, names=names_as("searchsorted"),
    example=([1.0, 2.0, 4.0], [0.5, 2.0, 3.0]),
)


@composite(
    numpy=np.sort, slope="1 for the element moved there, else 0",
    edge_cases="equal elements keep their order, and so do their gradients",
    names=names_as("sort"), samples=((_TABLE,), (_TABLE, 0), (_TABLE, None)),
)
def sort(x: Any, axis: int | None = -1, kind: str | None = "stable") -> Any:
    """The elements in ascending order along `axis`; None sorts all of them into one row."""
    if axis is None:
        x, axis = reshape(x, (-1,)), -1
    return take_along_axis(x, argsort(x, axis), axis)


def descending(x: Any, axis: int) -> Any:
    """The indices of the elements in descending order; equal elements keep their order.

    Sorting the negated elements would fail for unsigned integers, and reversing an ascending order would also reverse
    equal elements.
    """
    return x.shape[axis] - 1 - flip(argsort(flip(x, axis), axis), axis)


@composite(
    names=names_as("top_k", tf="math.top_k", torch="topk", jax="lax.top_k"), samples=(([1.5, -2.0, 0.5], 2),),
    edge_cases="at a tie the first comes first; nan counts as the largest",
)
def top_k(x: Any, k: int, sorted: bool = True) -> tuple[Any, Any]:
    """The `k` largest elements along the last axis, the largest first, and their indices."""
    if not x.ndim or not 0 <= k <= x.shape[-1]:
        raise ValueError(f"top_k takes k from 0 to the length of the last axis, got k={k} and shape {x.shape}")
    indices = getitem(descending(x, -1), (..., slice(None, k)))
    return take_along_axis(x, indices, -1), indices
