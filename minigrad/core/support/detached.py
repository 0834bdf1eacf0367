"""Tensors whose plain value was read out by `item()`, `numpy()` or `float()`; the graph ends at such a Tensor."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakValueDictionary

#: Tensors whose plain value was read out, by serial. `explain_none` reports that the graph ends at them.
detached: WeakValueDictionary[int, Any] = WeakValueDictionary()
#: Copies of the Tensors that were read out in the body of a custom gradient. A copy has no arguments. The
#: call keeps the copies alive, so that pictures can still show them.
detached_copies: WeakValueDictionary[int, Any] = WeakValueDictionary()


class CustomBody(threading.local):
    """The innermost custom-gradient body that is running in this thread.

    since : the serial at its start. The body may read plain numbers, because the user supplies the gradient.
    read_out : copies of the Tensors whose plain value was read out in the body; the call keeps them for pictures.
    """

    since = 0
    read_out: list[Any] | None = None


custom_body = CustomBody()
