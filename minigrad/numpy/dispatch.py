"""Functions of NumPy by name, with an op in their place for Tensors."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import numpy as np

from ..core.operands import holds_tensor
from ..core.tensor import Tensor
from ..frameworks.install import translated
from ..frameworks.numpy_protocol import method_of_tensor
from ..ops.declare import BY_NUMPY


@functools.cache
def find(module: ModuleType, name: str) -> Any:
    """`module.name`, with an op in its place for Tensors. Raises AttributeError for a name that NumPy does not have."""
    theirs = getattr(module, name)
    op = BY_NUMPY.get(theirs) if callable(theirs) and not isinstance(theirs, type) else None
    if op is None:
        return theirs
    ours = translated(op)

    def either(*args: Any, **kwargs: Any) -> Any:
        if args and Tensor in (type(args[0]), type(args[-1])) and "out" not in kwargs:  # nearly always
            return ours(*args, **kwargs) if kwargs else op(*args)
        if any(map(holds_tensor, args)) or any(map(holds_tensor, kwargs.values())):
            return ours(*args, **{k: v for k, v in kwargs.items() if not (k == "out" and v is None)})
        with np.errstate(all="ignore"):
            return theirs(*args, **kwargs)

    functools.update_wrapper(either, op)
    either.__doc__ = op.__doc__ or theirs.__doc__
    if isinstance(theirs, np.ufunc):
        vars(either).update({name: getattr(theirs, name) for name in _FACTS})
        vars(either).update({name: _method(theirs, name) for name in _METHODS})
    return either


#: The attributes and methods of NumPy's ufuncs: `np.add.identity`, `np.add.reduce`.
_FACTS = ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature")
_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")


def _method(ufunc: np.ufunc, name: str) -> Any:
    """A method of a ufunc, for arrays; TypeError for Tensors."""
    theirs = getattr(ufunc, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        if any(map(holds_tensor, args)) or any(map(holds_tensor, kwargs.values())):
            raise method_of_tensor(ufunc, name)
        with np.errstate(all="ignore"):
            return theirs(*args, **kwargs)

    return functools.update_wrapper(method, theirs)
