"""From findings to a view: the whole way, one stage a line."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from ..layout.layout import lay_out
from ..model.drawing import Drawing
from ..model.findings import Findings
from ..model.folding import draw
from ..model.timeline import Moment, timeline
from ..render.lane import lane_of
from .view import View


def picture(
    found: Findings,
    layout: str,
    rankdir: str,
    fold: str,
    keep: Collection[int] = (),
    tell: Callable[[Findings, Drawing], tuple[Moment, ...]] = timeline,
    kind: type[View] = View,
    what: str = "Backward pass",
) -> View:
    """Draw what was found in a trace.

    keep: nodes that are never folded. tell: what makes the moments of the slider. kind: of the view; what: the first
    words of its title.
    """
    if not isinstance(fold, str):
        raise TypeError(f'fold must be "auto", "none" or the name of a scope, got {fold!r}')
    drawing = draw(found.trace, fold, keep)  # boxes and lines
    lane = lane_of(found, drawing, tell)  # the sentences of the slider, the words in the boxes, and their sizes
    placed = lay_out(drawing, lane.sizes, layout, rankdir)  # coordinates
    output = next((n for n in found.trace.nodes if n.output), found.trace.nodes[-1])
    return kind([replace(lane, layout=placed)], f"{what} of {output.name or output.op}")
