"""How the player of a backward pass follows other inputs, or why it cannot."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.tracing.model import BackwardTrace

from ..model.findings import Findings
from .draggable import draggable
from .replay import CalledWith
from .tape import NotFollowed
from .telling import telling

MOST = 300  #: ops beyond which the numbers of a page stay as recorded
FINISHED = "The recorded ops are computed anew; decisions of the Python code stay as they were."


class Followed:
    """The Tensor behind a lane of a view, and how it was made: what a page needs to follow other inputs.

    trace : the record of its backward pass; that of the view may have more nodes behind it.
    why : a sentence that says why the page cannot follow, known once `data` was called; "" where it can.
    """

    def __init__(self, y: Tensor, trace: BackwardTrace, call: CalledWith | None = None, why: str = "") -> None:
        self.y, self.trace, self.call, self.why = y, trace, call, why
        self._found: dict[str, Any] | None = {} if why else None

    def data(self, found: Findings, shown: Collection[int]) -> dict[str, Any]:
        """What goes into the lane of a player; empty where the page cannot follow.

        shown : the nodes that have a card.
        """
        if self._found is None:
            try:
                if len(self.trace.nodes) > 2 * MOST:
                    raise NotFollowed(f"there are more than {MOST} ops")
                self._found = draggable(self.y, self.trace, self.call)
            except NotFollowed as reason:
                self._found, self.why = {}, str(reason)
        if not self._found:
            return {}
        note = {} if self.call else {"note": FINISHED}
        return {**self._found, **telling(found, self._found["nodes"], shown), **note}
