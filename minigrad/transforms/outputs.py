"""The outputs of a function that a transform differentiates, and values of the same nesting."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.following import begin
from ..core.structure import check_same, flatten
from ..core.tensor import Tensor
from .inputs import PreparedInputs, as_result


def outputs_of(value: Any, name: str) -> list[Tensor]:
    """The leaves of `value`, the result of the function `name`; raises TypeError unless they are Tensors of floats."""
    outputs = [leaf.read_value() if isinstance(leaf, Tensor) else _constant(leaf) for leaf in flatten(value)]
    for y in outputs:
        if not isinstance(y, Tensor):
            raise TypeError(
                f"{name} must return Tensors to be differentiated, but returned {y!r:.60} of type {type(y).__name__}"
            )
        if y.dtype.kind != "f":
            raise TypeError(f"{name} returned a Tensor of dtype {y.dtype}, which has no gradient")
    return outputs


def _constant(leaf: Any) -> Any:
    """A float or an array of floats as a Tensor, which depends on nothing; anything else as it is."""
    floats = isinstance(leaf, float) or (isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind == "f")
    return Tensor(leaf) if floats else leaf


def tensors_like(given: Any, structure: Any, tensors: list[Tensor], name: str) -> list[Tensor]:
    """The leaves of `given` as Tensors; raises ValueError unless nested like `structure` and shaped like `tensors`."""
    check_same(structure, given, name)
    found = []
    for leaf, tensor in zip(flatten(given), tensors):
        leaf = leaf if isinstance(leaf, Tensor) else Tensor(leaf, tensor.dtype)
        if leaf.shape != tensor.shape:
            raise ValueError(f"{name} has a part of shape {leaf.shape} where shape {tensor.shape} is expected")
        found.append(leaf)
    return found


def as_given(x: Any, y: Tensor, opened: PreparedInputs, nested: bool) -> Any:
    """Return `x` as NumPy if the inputs are, else as a Tensor, as inside another transform. None means zeros like y."""
    x = np.zeros_like(y.value) if x is None else x
    if nested and not isinstance(x, Tensor):
        x = Tensor(x)
        begin([x])
    if nested or not opened.plain:
        return x if isinstance(x, Tensor) else as_result(x.copy("K"))
    return x.value if isinstance(x, Tensor) else x
