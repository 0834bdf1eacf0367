"""Tensors whose plain value was read out, by `item()`, `numpy()` or `float()`: there the graph ends."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakValueDictionary

#: Tensors whose plain value was read out, by serial. `explain_none` reports that the graph ends there.
detached: WeakValueDictionary[int, Any] = WeakValueDictionary()
#: Copies of those in the body of a custom gradient, without their history. The call keeps them alive, so that pictures
#: can still show them.
detached_copies: WeakValueDictionary[int, Any] = WeakValueDictionary()


class CustomBody(threading.local):
    """The innermost running body of a custom gradient, in this thread.

    since : the serial at its start. Reading plain numbers is fine in the body, because the user supplies the gradient.
    read_out : copies of the Tensors whose plain value was read out in it; the call keeps them for pictures.
    """

    since = 0
    read_out: list[Any] | None = None


custom_body = CustomBody()
