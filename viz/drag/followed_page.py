"""The data that the player of a backward pass needs to follow changed inputs, or the reason why it cannot."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.tracing.numbers import shape_text
from minigrad.tracing.trace_schema import BackwardTrace

from ..model.findings import Findings
from ..model.timeline import SENTENCES
from .draggable import draggable
from .page_tape import NotFollowed
from .replayed import CalledWith

MOST = 300  #: maximum number of ops of a pass whose numbers can change on a page
FINISHED = "The recorded ops are recomputed; decisions of the Python code, indices and masks stay as they were."


class Followed:
    """The Tensor behind a lane of a view, and the call that made it: from these, a page can follow changed inputs.

    trace : the record of the backward pass of `y`; the view's own trace may have more nodes. why : the reason why the
        page cannot follow, or ""; `data` sets it.
    """

    def __init__(self, y: Tensor, trace: BackwardTrace, call: CalledWith | None = None, why: str = "") -> None:
        self.y, self.trace, self.call, self.why = y, trace, call, why
        self._found: dict[str, Any] | None = {} if why else None

    def data(self, findings: Findings, shown: Collection[int]) -> dict[str, Any]:
        """Return the data for a player's lane; empty if the page cannot follow.

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
        return {**self._found, **telling(findings, shown), **note}


def telling(findings: Findings, shown: Collection[int]) -> dict[str, Any]:
    """Return the data, apart from numbers, that static/recomputed.js needs to write the sentences for changed inputs.

    shown : the nodes that have a card.

    The keys of the result are:

    ops : a row [op, dtype, shape, kind, rule] for each node.
    edges : a row [source, node, formula of the slope, form of the message's formula, whether the edge is on the card,
        axes that were added up] for each edge.
    names : the names of nodes without a card.
    said : the sentences with their placeholders.
    """
    trace = findings.trace
    ops = [[n.op, n.dtype, shape_text(n.shape) if n.shape else "", n.kind, n.custom or ""] for n in trace.nodes]
    edges = []
    for edge in trace.edges:
        on_card = bool(edge.local) and edge.ghost <= findings.nodes[edge.dst].ghost
        formula, sent = findings.formulas[edge.id], findings.message_formulas[edge.id]
        way = [formula, f"ḡ · {formula}", f"ḡ · ({formula})"].index(sent)
        edges.append([edge.src, edge.dst, formula, way, int(on_card), findings.added_up[edge.id]])
    return {
        "ops": _short_rows(ops),
        "edges": _short_rows(edges, 2),
        "names": {n.id: findings.names[n.id] for n in trace.nodes if n.id not in shown},
        "said": SENTENCES,
    }


def _short_rows(rows: list[list[Any]], least: int = 0) -> list[list[Any]]:
    """Remove empty fields from the ends of rows, down to the length `least`; return the rows."""
    for row in rows:
        while len(row) > least and not row[-1]:
            row.pop()
    return rows
