"""The points at which a check is tried, and the usual size of the numbers that it compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .compare import largest
from .exercises import Check
from .inputs import Floats, unwrapped
from .truth import each


def ranges(says: str, vary: Any) -> tuple[Any, ...]:
    """`vary` as a tuple of ranges of inputs, one for each. Raises TypeError, with what to write, if it is none."""
    if not isinstance(vary, (tuple, list)):
        raise TypeError(f"vary of {says!r} must be a tuple with one range for each input: write vary=({vary!r},)")
    for domain in vary:
        if not hasattr(domain, "grid"):
            raise TypeError(
                f"vary of {says!r} holds {domain!r:.60}, which is no range of inputs; "
                "write a tuple such as vary=(floats(-4, 4),)"
            )
    return tuple(vary)


def numbers_only(vary: Sequence[Any]) -> bool:
    return bool(vary) and all(isinstance(domain, Floats) for domain in vary)


def elementwise(f: Callable[..., Any], vary: Sequence[Any]) -> Callable[..., Any]:
    return partial(each, f) if numbers_only(vary) else f


def with_upstream(point: tuple[Any, ...], shape: Callable[..., Any] | None) -> tuple[Any, ...]:
    """A point whose last entry is the upstream gradient, with another one for each element of the result."""
    *xs, g = point
    if not any(map(np.ndim, xs)):
        return point
    size = shape(*xs) if shape is not None else np.broadcast_shapes(*map(np.shape, xs))
    spread = [(1.0, 2.0, -1.0, 3.0, -2.0)[i % 5] for i in range(int(np.prod(size)))]
    first = g if np.ndim(g) == 0 else 1.0
    return (*xs, first * np.reshape(spread, size) if size else first)


def usual(check: Check) -> float:
    """The usual size of the numbers that a check compares, at most 1: an error much below that is rounding."""
    with np.errstate(all="ignore"):
        sizes = [largest(check.true(*map(unwrapped, point))) for point in check.points[:12]]
    return min(1.0, max(sizes, default=0.0))
