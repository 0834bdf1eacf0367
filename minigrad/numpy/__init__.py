"""NumPy with gradients: `import minigrad.numpy as np`.

This module contains every NumPy function under its name. A call with a Tensor is a call to the corresponding op, and is
recorded; a call with arrays, numbers and lists is a call to NumPy's function. Constants and other objects are NumPy's.

The arguments are the same as in NumPy, by position and by keyword. The same is true if NumPy's own functions are called
on Tensors. The tables below list the options and the results that differ.

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

from ..ops.numpy_options import table as _table
from . import linalg, random
from .arrays import array, asanyarray, asarray, ascontiguousarray, asfortranarray, c_, r_
from .dispatch import find as _find

__doc__ = f"{__doc__}\n{_table()}\n"


def __getattr__(name: str) -> Any:
    value = globals()[name] = _find(_numpy, name)  # stored, so that later lookups do not call this function
    return value


def __dir__() -> list[str]:
    return [name for name in dir(_numpy) if not name.startswith("_")]
