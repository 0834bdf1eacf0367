"""The methods that a Tensor shares with an array, called in the same way by position and by keyword.

>>> import numpy as np
>>> x = Tensor([[1.0, 2.0], [3.0, 5.0]])
>>> x.sum(0, np.float64, None, True).value, x.sum(0, True).value  # keepdims in NumPy's place, and in that of the op
(array([[4., 7.]]), array([[4., 7.]], dtype=float32))
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import numpy_order  # noqa: F401  run first: it sets up NumPy's argument order
from .declare import BY_NUMPY
from .identities import astype
from .numpy_order import numpys_signature

METHODS = (
    "all", "any", "argmax", "argmin", "argsort", "clip", "copy", "cumprod", "cumsum", "diagonal", "dot", "max", "mean",
    "min", "prod", "ravel", "repeat", "round", "squeeze", "std", "sum", "swapaxes", "take", "trace", "var",
)  # fmt: skip


def _as_method(name: str) -> Callable[..., Any]:
    """Return a method that takes NumPy's arguments, or the op's if the second argument is a bool.

    NumPy's second argument is dtype or out, never a bool; the op's is keepdims, as in TensorFlow and PyTorch.
    """
    ours, numpys = getattr(Tensor, name), BY_NUMPY[getattr(np, name)]
    names = list(inspect.signature(ours).parameters)[1:]
    options = frozenset(names)
    theirs = numpys_signature(getattr(np, name)).parameters.keys()
    one, keeps = min(len(names), 1), names[1:2] == ["keepdims"]

    @functools.wraps(ours)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) <= one and options.issuperset(kwargs):
            return ours(self, *args, **kwargs)
        if keeps and len(args) > 1 and isinstance(args[1], (bool, np.bool_)):
            return ours(self, *args, **kwargs)
        if kwargs.keys() - theirs:  # the error names the Tensor's own arguments
            return ours(self, *args, **kwargs)
        return numpys(self, *args, **kwargs)

    return call


def _astype_method(
    self: Tensor, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Tensor:
    """`astype`; raises TypeError if `casting` forbids the conversion. The other options have no effect on a Tensor."""
    if casting != "unsafe" and not np.can_cast(self.dtype, dtype, casting):
        raise TypeError(f"astype cannot cast {self.dtype} to {np.dtype(dtype)} by casting={casting!r}")
    return astype(self, dtype)


for _name in METHODS:
    setattr(Tensor, _name, _as_method(_name))
Tensor.astype = functools.update_wrapper(_astype_method, astype)  # type: ignore[method-assign, assignment]
