"""Names for the types in annotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

#: What `Tensor.value` holds: an array, or a NumPy number where the shape is ().
Array: TypeAlias = "np.ndarray[Any, Any] | np.generic"
#: The adjoint that arrives at a node: an Array in a pass on arrays, a Tensor in a recorded one.
Upstream: TypeAlias = Any
#: `(g, y, *args, **kwargs) -> gradient` of one argument: g is the upstream gradient and y the result.
Rule: TypeAlias = Callable[..., Any]
#: A function of the user's, or an op.
Function: TypeAlias = Callable[..., Any]
#: A leaf, or a nested list, tuple, named tuple or dict of leaves.
Structure: TypeAlias = Any
