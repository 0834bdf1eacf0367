"""Tensors whose plain value was read out by `item()`, `numpy()` or `float()`: the graph ends at that point."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakValueDictionary

#: Tensors whose plain value was read out, by serial. `explain_none` reports that the graph ends at them.
detached: WeakValueDictionary[int, Any] = WeakValueDictionary()
#: Copies, without history, of such Tensors in the body of a custom gradient. The call keeps the copies alive, so that
#: pictures can still show them.
detached_copies: WeakValueDictionary[int, Any] = WeakValueDictionary()


class CustomBody(threading.local):
    """The innermost running body of a custom gradient, in this thread.

    since : the serial at its start. Reading plain numbers is fine in the body, because the user supplies the gradient.
    read_out : copies of the Tensors whose plain value was read out in the body; the call keeps them for pictures.
    """

    since = 0
    read_out: list[Any] | None = None


custom_body = CustomBody()
