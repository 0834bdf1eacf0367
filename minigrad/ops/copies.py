"""The same value as a new node: identity and copy pass the gradient, stop_gradient does not."""

from __future__ import annotations

import numpy as np

from ..core.fast import unary
from ..core.op import COPY
from ..core.tensor import Tensor
from .declare import defop, names_as

identity = defop(
    "identity", lambda x: x, elementwise=True, method=("conj", "conjugate"),
    vjp=lambda g, y, a: g,
    latex="a", slope="1",
    doc="The same value as a new node of the graph.",
    names=dict(tf="identity", torch="clone"), samples=(([0.5, -2.0],),),
)

COPY.call = connected_copy = unary(COPY)

copy = defop(
    "copy", lambda x: np.array(x)[()], numpy=np.copy, method="copy", elementwise=True,
    vjp=lambda g, y, a: g,
    latex="a", slope="1",
    doc="The same value in newly allocated memory. Tensors never change, so `identity` is enough in most cases.",
    names=names_as("copy", tf="", torch="clone"), samples=(([0.5, -2.0],),),
)

stop_gradient = defop(
    "stop_gradient", lambda x: x, elementwise=True,
    latex="a",
    doc="The same value as a constant: no gradient passes through it.",
    names=names_as("stop_gradient", torch="detach", jax="lax.stop_gradient"),
)

Tensor.real = property(identity, doc="The Tensor itself: it holds no complex numbers.")  # type: ignore[method-assign, assignment]
