"""Warnings of `gradients` for a None that stems from how it was called: exchanged arguments, and integers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from .graph import between
from .tensor import Tensor


def warn_of_nones(ys: Any, xs: Any, targets: Sequence[Tensor], sources: Sequence[Tensor]) -> None:
    """Warn where `ys` or `xs` hold integers, or where `xs` were computed from `ys`.

    ys, xs : the arguments of `gradients`. targets, sources : the Tensors in them.
    """
    typed = [*_names("ys", ys, targets), *_names("xs", xs, sources)]
    whole = [f"{name} has dtype {t.dtype}" for name, t in typed if t.dtype.kind != "f"]
    if whole:
        warnings.warn(
            f"gradients(ys, xs): {', '.join(whole)}, and only floats have gradients, so the result is None; "
            f"use floats from the start, for example constant(3.0) instead of constant(3)",
            stacklevel=3,
        )
        return
    exchanged = next(((y, x) for y in targets for x in sources if _depends(x, y)), None)
    if exchanged is not None:
        y, x = (f"{t!r:.80}" for t in exchanged)
        warnings.warn(
            f"gradients(ys, xs) differentiates ys with respect to xs, but here xs was computed from ys, and ys does "
            f"not depend on xs: ys is {y}, xs is {x}. To differentiate xs with respect to ys, write gradients(xs, ys)",
            stacklevel=3,
        )


def _depends(x: Tensor, y: Tensor) -> bool:
    """Whether `x` was computed from `y` by ops that have gradients."""
    nodes, _ = between([x], [y])
    return bool(nodes) and nodes[-1] is x


def _names(name: str, given: Any, tensors: Sequence[Tensor]) -> list[tuple[str, Tensor]]:
    several = isinstance(given, (list, tuple))
    return [(f"{name}[{i}]" if several else name, t) for i, t in enumerate(tensors)]
