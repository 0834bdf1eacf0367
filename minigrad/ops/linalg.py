"""Products of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import defop
from .shape import expand_dims, reshape, swapaxes


def _left(g: Any, y: Any, a: Any, b: Any) -> Any:
    """g @ b.T, with a vector read as a row on the left and a column on the right."""
    if b.ndim == 1:
        return (g if a.ndim == 1 else expand_dims(g, -1)) * b
    if a.ndim == 1:
        return reshape(b @ expand_dims(g, -1), b.shape[:-1])
    return g @ swapaxes(b, -1, -2)


def _right(g: Any, y: Any, a: Any, b: Any) -> Any:
    """a.T @ g, likewise."""
    if a.ndim == 1:
        return (g if b.ndim == 1 else expand_dims(g, -2)) * (a if b.ndim == 1 else expand_dims(a, -1))
    if b.ndim == 1:
        return reshape(swapaxes(a, -1, -2) @ expand_dims(g, -1), a.shape[:-2] + a.shape[-1:])
    return swapaxes(a, -1, -2) @ g


matmul = defop(
    "matmul", np.matmul, operator="matmul",
    vjp=(_left, _right),
    latex="A B", local=("g @ b.T", "a.T @ g"),
    doc="The matrix product; leading axes are a batch and broadcast; a vector is a row on the left, a column on the right.",
    names=dict(tf="matmul", keras="matmul", torch="matmul", jax="matmul"),
)
