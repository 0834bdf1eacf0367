"""Array memory: reuse freed blocks, free long chains without recursion, and keep results from sharing memory."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..op import COPY, record
from ..tensor import Tensor

# After a block this large has been freed, glibc keeps freed memory instead of returning it to the system. Work on
# arrays of 0.2 to 30 MB then takes 0.4 times as long. Nothing is written to the block.
np.empty(31_900_000, np.uint8)


def unshared(gradients: Sequence[Any], protected: Sequence[Any]) -> list[Any]:
    """Return the gradients, copied if they share memory with each other or with the values in `protected`."""
    taken = {id(_memory(value)) for value in protected if type(value) is np.ndarray}
    unaliased = []
    for g in gradients:
        value = g.value if isinstance(g, Tensor) else g
        if type(value) is np.ndarray:
            memory = _memory(value)
            if id(memory) in taken:
                memory = value.copy()
                g = record(COPY, memory, (g,)) if isinstance(g, Tensor) else memory
            taken.add(id(memory))
        unaliased.append(g)
    return unaliased


def owned_value(g: Tensor, upstreams: Sequence[Tensor]) -> Any:
    """Return the value of `g`, the result of a user's rule; copy it if a Tensor outside the rule may hold the array.

    upstreams : the leaves that were created for the call. Everything that the rule creates is newer than these.
    """
    value = g.value
    if type(value) is not np.ndarray or any([value is u.value for u in upstreams]):
        return value
    created = g.op is not None and g.serial > upstreams[0].serial
    if created and not any([value is a.value for a in g.args if isinstance(a, Tensor)]):
        return value
    return value.copy("K")


def _memory(value: Any) -> Any:
    """Return the array that owns this array's memory."""
    while getattr(value, "base", None) is not None:
        value = value.base
    return value


_released: list[Any] = []
_releasing = False


def release_in_turn(tensor: Tensor) -> None:
    """Free the arguments of a Tensor in a loop, after the Tensor itself, so that a long chain needs no deep stack.

    In a browser this function is `Tensor.__del__`, because Python frees linked objects recursively there, and a page's
    stack overflows after about 2,000 of them. Elsewhere Python itself avoids the recursion, and Tensors have no
    `__del__`.
    """
    global _releasing
    try:
        _released.append(tensor.args)
    except AttributeError:  # the constructor raised before it set `args`
        return
    tensor.args = ()
    if not _releasing:
        _releasing = True
        try:
            while _released:
                _released.pop()
        finally:
            _releasing = False


if sys.platform == "emscripten":
    Tensor.__del__ = release_in_turn
