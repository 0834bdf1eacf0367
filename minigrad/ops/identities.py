"""Ops that return the same value as a new node. All of them except stop_gradient pass the gradient on."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..core.op import COPY, OPS
from ..core.support.fast import unary
from ..core.support.tensor_values import is_python
from ..core.tensor import Tensor
from .declare import defop, names_as

identity = defop(
    "identity", lambda x: x, elementwise=True, method=("conj", "conjugate"),
    vjp=lambda g, y, a: g,
    latex="a", slope="1",
    says="The same value as a new node of the graph.",
    names=dict(tf="identity", torch="clone"), samples=(([0.5, -2.0],),),
)

COPY.call = connected_copy = unary(COPY)

copy = defop(
    "copy", lambda x: np.array(x)[()], numpy=np.copy, method="copy", elementwise=True,
    vjp=lambda g, y, a: g,
    latex="a", slope="1",
    says="The same value in newly allocated memory. Tensors never change, so `identity` is enough in most cases.",
    names=names_as("copy", tf="", torch="clone"), samples=(([0.5, -2.0],),),
)

stop_gradient = defop(
    "stop_gradient", lambda x: x, elementwise=True,
    example=([0.5, -2.0],),
    latex="a",
    says="The same value as a constant: no gradient passes through it.",
    names=names_as("stop_gradient", torch="detach", jax="lax.stop_gradient"),
)


def _astype(x: Any, dtype: Any) -> Any:
    """Convert to another dtype. Between float dtypes the gradient is converted back; integers get no gradient."""
    kind = np.dtype(dtype).kind
    if kind not in "fiub":
        raise TypeError(f"a tensor holds floats, ints or bools, and {np.dtype(dtype)} is none of them")
    if kind in "iu" and x.dtype.kind == "f" and not np.isfinite(x).all():
        raise ValueError(f"an integer cannot be nan or inf; write where(isfinite(x), x, 0) before astype(x, '{dtype}')")
    return x.astype(dtype)


def _back(g: Any, dtype: Any) -> Any:
    return astype(g, dtype) if dtype.kind == "f" else g  # ints get no gradient; a nan cannot become an int


_converted = defop(
    "astype", _astype, method="astype", elementwise=True,
    vjp=lambda g, y, a, dtype: _back(g, a.dtype) if np.dtype(dtype).kind == "f" else None,
    slope="1",
    names=names_as("cast", torch="to", jax="astype"), samples=(([[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]], "float64"),),
)


@functools.wraps(_converted)
def astype(x: Any, dtype: Any) -> Any:
    if is_python(x) and np.dtype(dtype).kind == "f":  # convert directly, without rounding to the default dtype first
        return Tensor(x, dtype)
    return _converted(x, dtype)


OPS["astype"].call = astype

Tensor.real = property(identity, doc="The Tensor itself: it holds no complex numbers.")  # type: ignore[method-assign, assignment]
