"""A lane: everything that is drawn of one pass, from what was found in it to the place of each box."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from minigrad.tracing.model import BackwardTrace

from ..layout.layout import NOWHERE, Layout, Sizes
from ..model.drawing import Drawing
from ..model.findings import Findings
from ..model.growth import first_moments, growth
from ..model.timeline import Frame, Moment, frame, timeline
from .boxes import BoxText, box_texts, numbers_at, sizes_of, slopes_at


@dataclass(frozen=True, eq=False)
class Lane:
    """One backward pass, ready to be drawn: findings, drawing, moments, the words in the boxes, and where they stand.

    appears: key of a box -> the moment of a forward pass from which on it is drawn. slopes: key of a link -> the
    local derivative that stands at it. numbers: the same for the numbers of the arguments.
    tell: what makes the moments of the findings and a drawing; `growth` for a forward pass.
    `name` heads the lane where there are several, such as "derived" and "custom". `way` is a path to be marked: the
    ends of its edges, against their direction.
    """

    found: Findings
    drawing: Drawing
    moments: tuple[Moment, ...]
    texts: dict[str, BoxText]
    appears: dict[str, int]
    slopes: dict[str, str]
    numbers: dict[str, str]
    tell: Callable[[Findings, Drawing], tuple[Moment, ...]] = timeline
    layout: Layout = NOWHERE
    name: str = ""
    way: frozenset[tuple[int, int]] = frozenset()

    @cached_property
    def trace(self) -> BackwardTrace:
        return self.found.trace

    @cached_property
    def strips(self) -> set[int]:
        """The nodes whose boxes show their adjoint as cells."""
        return {box.nodes[0] for box in self.drawing.all_boxes if self.texts[box.key].strip}

    @cached_property
    def sizes(self) -> Sizes:
        """What the layout needs: how large the boxes and the messages become."""
        return sizes_of(self.texts, self.drawing, self.moments, self.slopes)

    @cached_property
    def steps(self) -> int:
        """The number of steps: of the engine, or the boxes that a forward pass makes."""
        return len(self.trace.steps) or self.moments[-1].step + 1

    def after_step(self, step: int | None) -> int:
        """The moment at which step `step` of the engine has sent everything; the last one for None."""
        if step is None:
            return len(self.moments) - 1
        return max(i for i, moment in enumerate(self.moments) if moment.step <= step)

    def frame(self, at: int, ghosts: bool = True) -> Frame:
        """What the lane shows at moment number `at`."""
        return frame(self.trace, self.moments, at, ghosts)


def lane_of(
    found: Findings, drawing: Drawing, tell: Callable[[Findings, Drawing], tuple[Moment, ...]] = timeline
) -> Lane:
    """A lane that has no layout yet: the moments of the slider, and the words in the boxes."""
    moments = tell(found, drawing)
    appears = first_moments(drawing, moments) if tell is growth else {}
    numbers = numbers_at(found, drawing)
    texts = box_texts(found, drawing, moments, numbers)
    return Lane(found, drawing, moments, texts, appears, slopes_at(found, drawing), numbers, tell)
