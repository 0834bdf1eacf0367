"""The program of a backward pass as rows, each linked to its nodes and edges in the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minigrad.programs.compile_and_source import GraphProgram
from minigrad.tracing.trace_schema import BackwardTrace

from ..model.code_links import links_of
from ..model.timeline import Moment
from .highlight import Pieces, as_svg, highlight

ROW, CHAR, SIZE = 18, 7.3, 12  #: height of a line in an SVG, width of a character, size of the font


@dataclass
class CodeRow:
    """A line: its pieces, and the nodes and edges of the trace that belong to it."""

    pieces: Pieces
    nodes: tuple[int, ...] = ()
    edges: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)


@dataclass
class CodeListing:
    """The lines of a source.

    sent : edge -> the line in which its message is complete. arrived : node -> the line in which its adjoint is
        complete. begun : node -> the line of the first statement of its step.
    """

    rows: list[CodeRow]
    sent: dict[int, int]
    arrived: dict[int, int]
    begun: dict[int, int]

    def at(self, moment: Moment) -> int:
        """Return the line that runs at a moment, counted from 0; -1 if no line runs, as for replaced ops."""
        if moment.ghost:
            return -1
        if moment.message is None:
            return self.arrived.get(moment.node, -1)
        # A message that is a plain number has no separate line: it is written in the step of its receiver.
        send = moment.message.send
        return self.sent.get(send.edge, self.begun.get(send.to, -1))


def listing_of(source: GraphProgram, trace: BackwardTrace) -> CodeListing:
    """Return the lines of `source`, linked to the boxes of `trace`."""
    links, number = links_of(source), trace.node_of
    adjoints = {link.name for link in links if link.adjoints}
    listing = CodeListing([CodeRow(pieces) for pieces in highlight(source.text, adjoints)], {}, {}, {})
    edge_of = {(e.dst, e.arg): e.id for e in trace.edges if not e.ghost}
    leaves = {node.id for node in trace.nodes if node.kind == "leaf"}
    for link in links:
        serials = [*link.nodes, *link.inside, link.of, *(node for node, _ in link.sends)]
        nodes = [number[serial] for serial in serials if serial in number]
        ends = [(number.get(node, -1), place) for node, place in link.sends]
        edges = [edge_of[end] for end in ends if end in edge_of]
        last = link.lines[1] - 1
        receivers = [number[serial] for serial in link.adjoints if serial in number]
        if not link.backward:
            for serial in (*link.nodes, *link.inside):
                listing.arrived.setdefault(number.get(serial, -1), last)
        nodes += [receiver for receiver in receivers if receiver in leaves]
        listing.arrived |= dict.fromkeys(receivers, last)
        listing.sent |= dict.fromkeys(edges, last)
        if link.backward and link.name and link.of in number:
            listing.begun.setdefault(number[link.of], last)
        for row in listing.rows[link.lines[0] - 1 : last + 1]:
            row.nodes = tuple(dict.fromkeys([*row.nodes, *nodes]))
            row.edges = tuple(dict.fromkeys([*row.edges, *edges]))
    return listing


def svg_of(rows: Sequence[CodeRow], y: float, now: int) -> tuple[str, float, float]:
    """Return the SVG of the lines from `y` downwards, with line `now` highlighted; its width; and its lower end."""
    width = max(len(row.text) for row in rows) * CHAR + 40
    parts = []
    for i, row in enumerate(rows):
        top = y + 8 + ROW * i
        if i == now:
            parts.append(f"<rect class='pl' x='14' y='{round(top)}' width='{round(width - 28)}' height='{ROW}'/>")
        if row.pieces:
            parts.append(f"<text x='20' y='{round(top + 13)}'>{as_svg(row.pieces)}</text>")
    return f"<g class='p' xml:space='preserve'>{''.join(parts)}</g>", width, y + ROW * len(rows) + 18
