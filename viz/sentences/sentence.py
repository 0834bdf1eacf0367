"""The headline of a finished pass: the first sentence that a reader sees. It claims only what the numbers show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .births import born, forward, overflown
from .dependence import dependence
from .fading import along_a_loop, along_a_way
from .finished import Birth, Finished, PassNumbers, Point
from .replaced_rules import changed, repaired, shared_out

#: The possible subjects of a headline; the first that applies to the pass is used.
MATTERS = (forward, born, overflown, repaired, changed, along_a_loop, along_a_way, shared_out)


def point_of(graph: Any, numbers: PassNumbers, births: Sequence[Birth]) -> Point:
    """Return the headline of a finished pass.

    graph : the drawn content, from `viz.model.flow.graph_of`. numbers : the numbers of the finished pass. births : the
        origins of nan and inf, in the order of the pass.
    """
    of = Finished(graph, numbers, births)
    if of.output < 0:
        return Point("")
    return next((headline for find in MATTERS if (headline := find(of))), None) or Point(dependence(of))
