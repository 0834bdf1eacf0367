"""`viz.beside`: the pictures of several passes next to each other, at one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from minigrad.core.support.error_words import plural

from ..hosts.html import data_uri
from ..model.findings import Findings
from ..model.frames import parts_of
from ..render.document import image_style, picture_style, printable, wrap
from ..render.lane import WIDE, Lane
from ..render.markup import Html, as_text, joined, markup
from .figure_view import themed
from .static_view import StaticView, write
from .view import View

SCALES = ("same", "own")
HIGH, HEAD, GAP = 640.0, 24.0, 24.0  #: the total height, the height of the line with names, and a gap, in pixels
LETTER = 7.5  #: the width of a letter in a name, in pixels
#: Full sizes in pixels for each flow ("right" and "down"): a box and a gap along the flow, and a row across it.
RIGHT, DOWN = (72.0, 32.0, 60.0), (36.0, 20.0, 120.0)
ROOM = 20_000.0  #: the size in pixels of a window that is large enough to open every frame


class Beside(StaticView):
    """Several finished passes in one picture.

    sizes : the width and height of each pass at full size. scales : the factor by which each pass was reduced. names :
        the headings of the passes. summary : a sentence with the number of boxes in each pass.

    >>> import minigrad as mg, viz
    >>> x = mg.constant(2.0)
    >>> view = viz.beside(viz.forward(mg.exp(x)), viz.backward(mg.exp(x)))
    >>> type(view).__name__, len(view.sizes)
    ('Beside', 2)
    """

    def __init__(self, views: Sequence[View], names: Sequence[str], scale: str) -> None:
        self.views, self.names, self.title = tuple(views), tuple(names), " beside ".join(names)
        self._lanes = lanes = [_without_bodies(view._lanes[0]) for view in views]
        long = any(_size(lane, view)[0] > WIDE for lane, view in zip(lanes, views) if lane.flow == "auto")
        lanes = [replace(lane, flow="down" if long else "right") if lane.flow == "auto" else lane for lane in lanes]
        drawn = [_whole(lane, view) for lane, view in zip(lanes, views)]
        self.sizes = tuple((round(wide), round(high)) for _, wide, high in drawn)
        room = WIDE - GAP * (len(drawn) - 1)
        fits = [min(1.0, room / len(drawn) / wide, (HIGH - HEAD) / high) for _, wide, high in drawn]
        wide, high = sum(w for w, _ in self.sizes), max(h for _, h in self.sizes)
        self.scales = tuple(fits) if scale == "own" else (min(1.0, room / wide, (HIGH - HEAD) / high),) * len(drawn)
        self._pictures = [_headed(name, *picture, by) for name, picture, by in zip(names, drawn, self.scales)]
        self.summary = self._told()

    def _told(self) -> str:
        """Return a sentence with the numbers of boxes and messages and the size of each picture."""
        traces = [lane.trace for lane in self._lanes]
        counts = [(len(trace.nodes), sum(len(step.sends) for step in trace.steps)) for trace in traces]
        told = [
            f"{name} has {boxes} box{'es' * (boxes != 1)} and {plural(sent, 'message')}, and is {w} x {h} pixels"
            for name, (boxes, sent), (w, h) in zip(self.names, counts, self.sizes)
        ]
        return f"{'; '.join(told)}{' at one scale' * (len({*self.scales}) == 1)}."

    def to_text(self, max_lines: int | None = None) -> str:
        """Return the summary and the text of each view. max_lines : the approximate maximum length of a table."""
        return "\n\n".join(
            [self.summary, *(f"{n}:\n{view.to_text(max_lines)}" for n, view in zip(self.names, self.views))]
        )

    def to_svg(self, path: str | Path | None = None) -> str:
        """Return the picture as a separate SVG; write it to `path` if given."""
        body, x = "", 0.0
        for picture, wide, _ in self._pictures:
            body += f"<g transform='translate({x:g} 0)'>{picture}</g>"
            x += wide + GAP
        high = max(high for *_, high in self._pictures)
        return write(path, wrap(body, x - GAP, high, "mg-beside", self.summary, picture_style()))

    def _html(self, text: str, note: str = "") -> Html:
        widest = max(wide for _, wide, _ in self._pictures)
        pictures = joined(
            markup(
                '<img class="mg-plot" style="{style}" alt="{name}" src="{image}">',
                style=f"flex:none;width:{wide:.0f}px;max-width:{wide / widest:.1%}",  # one scale in a narrow cell too
                name=name,
                image=data_uri(wrap(picture, wide, high, "", "", image_style(picture))),
            )
            for name, (picture, wide, high) in zip(self.names, self._pictures)
        )
        lanes = '<div style="display:flex;flex-wrap:wrap;align-items:flex-start;gap:{gap}px">{pictures}</div>'
        note = markup('<p class="mg-note">{summary}</p>', summary=self.summary)
        return themed(markup(lanes, gap=f"{GAP:g}", pictures=pictures), note, text)


def beside(*views: View, scale: str = "same", names: Sequence[str] = ()) -> Beside:
    """Show finished passes next to each other; a pass with more boxes is drawn larger.

    Parameters
    ----------
    views : two or more views of one pass each, such as the results of `viz.backward` and `viz.forward`. To show every
        box of a view, create the view with fold="none". If any view is wider than a page, all views without a `flow`
        are drawn downwards. Ops inside a function with a rule are left out, because the pass does not visit them.
    scale : "same" draws all views at one scale; "own" lets each fill its part of the picture.
    names : the headings of the views; by default their titles.

    Returns a `Beside`, which can be shown or printed. It has the methods `to_text`, `to_html`, `to_svg` and `to_png`,
    and the attribute `sizes`, the width and height of each view at full size.
    Raises TypeError for an argument that is not a view. Raises ValueError for fewer than two views, a view that shows
    several passes or asks a question, a wrong number of names, or an unknown scale.

    >>> import minigrad as mg, viz
    >>> x = mg.constant(1.0)
    >>> view = beside(viz.backward(mg.sin(mg.sin(x))), viz.backward(mg.sin(x)), names=["two", "one"])
    >>> view.sizes[0][0] > view.sizes[1][0]
    True
    >>> print(view.summary.partition(",")[0])
    two has 3 boxes and 2 messages
    """
    for view in views:
        if not isinstance(view, View):
            raise TypeError(
                f"beside takes views, as in beside(viz.backward(y), viz.backward(z)), got {view!r:.60} of type "
                f"{type(view).__name__}"
            )
        if view.asks or len(view._lanes) > 1:
            raise ValueError("beside takes views that show one pass and ask no question")
    if len(views) < 2:
        raise ValueError(f"beside takes two views or more, got {len(views)}")
    if scale not in SCALES:
        raise ValueError(f'scale must be "same" or "own", got {scale!r:.60}')
    called = [str(name) for name in names] or [view.title for view in views]
    if len(called) != len(views):
        raise ValueError(f"beside takes a name for each of the {len(views)} views, got {called}")
    return Beside(views, called, scale)


def _headed(name: str, body: str, wide: float, high: float, by: float) -> tuple[str, float, float]:
    """Return a picture below its name, reduced by a factor, with its width and its height."""
    head = f"<text class='nm' x='9' y='16'>{as_text(printable(name))}</text>"
    inner = f"<g transform='translate(0 {HEAD:g}) scale({by:.4g})'>{body}</g>"
    return head + inner, max(wide * by, 18 + LETTER * len(name)), HEAD + high * by


def _without_bodies(lane: Lane) -> Lane:
    """Return a lane without the ops that custom rules replaced, because the pass does not visit them."""
    trace = lane.trace
    kept = {node.id for node in trace.nodes if not node.ghost}
    if len(kept) == len(trace.nodes):
        return lane
    # A trace lists the nodes inside custom calls last, so the first nodes are the ones to keep.
    nodes, edges = trace.nodes[: len(kept)], [edge for edge in trace.edges if not edge.ghost]
    bare = replace(trace, nodes=nodes, edges=tuple(edges), ghosts=())
    return Lane(Findings(bare), parts_of(bare, "none"), lane.narrate, lane.flow)


def _size(lane: Lane, view: View) -> tuple[float, float]:
    """Return the width and height of a lane at the full size of its boxes; an "auto" flow runs to the right."""
    lane = replace(lane, flow="right" if lane.flow == "auto" else lane.flow)
    fit = lane.scene.choice(lane.window(ROOM, ROOM), lane.state(view._at(lane))).fit
    box, gap, row = RIGHT if fit.across else DOWN
    grid = fit.grid("")
    along, across = grid.units * box + grid.gaps * gap, (grid.low - grid.top) * row
    wide, high = (along, across) if fit.across else (across, along)
    return wide + 18, high + (33 if lane.graph["arrays"] else 16)


def _whole(lane: Lane, view: View) -> tuple[str, float, float]:
    """Draw a lane at full size, in a window that fits its boxes; return the SVG, its width and its height."""
    wide, high = _size(lane, view)
    body, bottom = lane.drawn(view._at(lane), wide, high)
    return body, wide, max(bottom, high)
