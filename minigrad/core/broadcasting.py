"""Undo broadcasting and dtype promotion: a contribution gets the shape and the dtype of its argument."""

from __future__ import annotations

from typing import Any

import numpy as np

from .op import OPS, PICK
from .scattered import Scattered
from .tensor import Tensor


def fit(contribution: Any, argument: Tensor, node: Tensor, i: int) -> Any:
    """Return a contribution in the shape and dtype of its argument: summed over the axes that were broadcast.

    It is 0 for an argument of integers or bools, which have no gradient.

    Raises ValueError if the rule of `node` for argument `i` returned a shape that broadcasting cannot explain.
    """
    if type(contribution) is Scattered or node.op is PICK:
        return contribution
    shape, dtype = argument.value.shape, argument.value.dtype
    if dtype.kind != "f" and contribution.dtype.kind == "f":
        return (
            np.zeros_like(argument.value)
            if not isinstance(contribution, Tensor)
            else Tensor(np.zeros_like(argument.value))
        )
    if contribution.shape != shape:
        lead = len(contribution.shape) - len(shape)
        rest = contribution.shape[lead:]
        if lead < 0 or (rest != shape and not all(n in (1, m) for n, m in zip(shape, rest))):
            raise ValueError(
                f"the rule of {node.op} for argument {i} gave a gradient of shape {contribution.shape}, "
                f"but the argument has shape {shape}"
            )
        sum_to = OPS["sum_to"]
        contribution = (sum_to.call if isinstance(contribution, Tensor) else sum_to.fn)(contribution, shape)
    if type(contribution) is np.ndarray and not shape:
        contribution = contribution[()]
    return contribution if contribution.dtype == dtype else contribution.astype(dtype)
