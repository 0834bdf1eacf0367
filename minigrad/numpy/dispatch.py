"""NumPy functions by name; called with Tensors, they call the corresponding ops."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import numpy as np

from ..core.support.operands import holds_tensor
from ..core.tensor import Tensor
from ..frameworks.numpy_protocol import method_of_tensor
from ..ops.declare import BY_NUMPY
from ..ops.numpy_order import call_ufunc


@functools.cache
def find(module: ModuleType, name: str) -> Any:
    """Return `module.name`, wrapped to call the op for Tensors. Raises AttributeError if NumPy has no such name."""
    theirs = getattr(module, name)
    op = BY_NUMPY.get(theirs) if callable(theirs) and not isinstance(theirs, type) else None
    if op is None:
        return theirs
    ours = functools.partial(_call_ufunc, theirs) if isinstance(theirs, np.ufunc) else op
    count = theirs.nin if isinstance(theirs, np.ufunc) else None

    def either(*args: Any, **kwargs: Any) -> Any:
        if args and not kwargs and Tensor in (type(args[0]), type(args[-1])) and count in (None, len(args)):
            return op(*args)  # the most common case
        if any(map(holds_tensor, args)) or any(map(holds_tensor, kwargs.values())):
            return ours(*args, **kwargs)
        with np.errstate(all="ignore"):
            return theirs(*args, **kwargs)

    functools.update_wrapper(either, op)
    either.__name__ = either.__qualname__ = name
    either.__doc__ = op.__doc__ or theirs.__doc__
    if isinstance(theirs, np.ufunc):
        vars(either).update({name: getattr(theirs, name) for name in _FACTS})
        vars(either).update({name: _method(theirs, name) for name in _METHODS})
    return either


def _call_ufunc(ufunc: np.ufunc, *args: Any, **kwargs: Any) -> Any:
    return call_ufunc(ufunc, args, kwargs)


#: The attributes and methods of NumPy's ufuncs: `np.add.identity`, `np.add.reduce`.
_FACTS = ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature")
_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")


def _method(ufunc: np.ufunc, name: str) -> Any:
    """Return a method of a ufunc that works on arrays, but raises TypeError for Tensors."""
    theirs = getattr(ufunc, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        if any(map(holds_tensor, args)) or any(map(holds_tensor, kwargs.values())):
            raise method_of_tensor(ufunc, name)
        with np.errstate(all="ignore"):
            return theirs(*args, **kwargs)

    return functools.update_wrapper(method, theirs)
