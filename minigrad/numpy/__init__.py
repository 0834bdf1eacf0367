"""NumPy, through which gradients flow: `import minigrad.numpy as np`.

Every function of NumPy is here under its name. Given a Tensor it is the op of that name, and records; given arrays,
numbers and lists it is NumPy's own. Constants, dtypes and everything else are NumPy's.

>>> import minigrad as mg
>>> import minigrad.numpy as np
>>> mg.grad(lambda x: np.sum(np.sin(x) ** 2))(np.array([0.0, np.pi / 4])).round(6)
array([0., 1.])
>>> np.sum([1.0, 2.0])
np.float64(3.0)
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from .. import ops as _ops
from ..dispatch import holds_tensor as _holds_tensor
from ..tensor import Tensor as _Tensor
from . import linalg, random
from .dispatch import find as _find


def array(x: Any, dtype: Any = None) -> Any:
    """An array; a nested list that holds Tensors becomes a Tensor made of them."""
    if not _holds_tensor(x):
        return _numpy.array(x, dtype=dtype)
    y = x if isinstance(x, _Tensor) else _ops.stack([array(row) if _holds_tensor(row) else row for row in x])
    return y if dtype is None else _ops.astype(y, dtype)


asarray = array


def __getattr__(name: str) -> Any:
    return _find(_numpy, name)


def __dir__() -> list[str]:
    return sorted({*dir(_numpy), *globals()})
