"""`get_variable`, which creates Variables and finds them again by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.support.error_words import visible
from ..core.support.scopes import scoped, state
from ..core.support.tensor_values import default_dtype
from ..core.variable import Variable


def get_variable(
    name: str,
    shape: int | Sequence[int] | None = None,
    dtype: Any = None,
    initializer: Callable[..., Any] | Any = None,
    trainable: bool = True,
    use_resource: bool | None = None,
) -> Variable:
    """Return the Variable with this name in the current scope.

    A new Variable is created, or an existing one is returned if the scope allows reuse.

    initializer : the initial value, or a function that returns this value and gets `shape` if a shape is passed.
        By default, the value is zeros of shape `shape`.
    use_resource : False to create a Variable that custom gradients do not accept; by default, the scope's setting.

    Raises ValueError if the Variable exists and may not be reused, if it does not exist and may not be created, or if
    it has a different shape or dtype.

    >>> import minigrad as mg
    >>> mg.reset_default_graph()
    >>> w = mg.get_variable("w", shape=(2,))
    >>> w.name, w.shape
    ('w', (2,))
    """
    if not isinstance(name, str):
        raise TypeError(f"get_variable takes a name first, got {name!r:.60}; write get_variable('w', shape=...)")
    scope = state.scopes[-1]
    full = scoped(name)
    shape = (int(shape),) if isinstance(shape, (int, np.integer)) else shape
    if shape is not None and any(n is None for n in shape):
        raise TypeError(f"the shape of a variable must have integers only, got {shape!r:.60}")
    existing = state.store.get(full)
    if existing is not None and not scope.reuse:
        raise ValueError(
            f"the variable {visible(full)} already exists; to share it write "
            f"variable_scope({scope.name!r}, reuse=True), or reuse=AUTO_REUSE"
        )
    if existing is not None:
        if shape is not None and tuple(shape) != existing.shape:
            raise ValueError(
                f"the variable {visible(full)} has shape {existing.shape}, but shape {tuple(shape)} is requested"
            )
        if dtype is not None and np.dtype(dtype) != existing.dtype:
            raise ValueError(
                f"the variable {visible(full)} has dtype {existing.dtype}, but {np.dtype(dtype)} is requested"
            )
        return existing
    if scope.reuse is True:
        raise ValueError(
            f"the variable {visible(full)} does not exist, and reuse=True creates none; write reuse=AUTO_REUSE"
        )
    if initializer is None:
        if shape is None:
            raise ValueError(
                f"the variable {visible(full)} did not get an initializer, so it needs its shape: "
                f"get_variable({name!r}, shape=...)"
            )
        initializer = np.zeros(shape, dtype or default_dtype())
    elif callable(initializer):
        initializer = initializer(shape) if shape is not None else initializer()
        dtype = dtype or default_dtype()
    variable = Variable(initializer, trainable, name, dtype)
    if use_resource is not None:
        variable.resource = use_resource
    state.store[full] = variable
    return variable


def reset_default_graph() -> None:
    """Forget the Variables that `get_variable` created and the names of scopes, so that the names can be used again.

    Variables that are still in use do not change. No graph has to be reset, because each record is freed together
    with its result.

    >>> first = get_variable("again", shape=(2,))
    >>> reset_default_graph()
    >>> get_variable("again", shape=(3,)).shape
    (3,)
    """
    state.store.clear()
    state.opened.clear()
    state.repeats.clear()
