"""From a name to NumPy's function, or to the op that takes its place when a Tensor comes."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import numpy as np

from ..dispatch import holds_tensor
from ..names import translated
from ..op import BY_NUMPY


@functools.cache
def find(module: ModuleType, name: str) -> Any:
    """What `module.name` is here. Raises AttributeError for a name that NumPy does not have."""
    theirs = getattr(module, name)
    op = BY_NUMPY.get(theirs) if callable(theirs) and not isinstance(theirs, type) else None
    if op is None:
        return theirs
    ours = translated(op)

    def either(*args: Any, **kwargs: Any) -> Any:
        if any(map(holds_tensor, args)) or any(map(holds_tensor, kwargs.values())):
            return ours(*args, **{k: v for k, v in kwargs.items() if not (k == "out" and v is None)})
        with np.errstate(all="ignore"):
            return theirs(*args, **kwargs)

    return functools.update_wrapper(either, op)
