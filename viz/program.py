"""The program of a backward pass, line by line, and what each line has to do with the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minigrad.programs.readable import Source
from minigrad.traces import BackwardTrace

from .highlight import Pieces, as_svg, highlight
from .stops import Stop

ROW, CHAR, SIZE = 18, 7.3, 12  #: height of a line in an SVG, width of a character, size of the font


@dataclass
class Row:
    """A line: its pieces, and the nodes and the edges of the trace that it is about."""

    pieces: Pieces
    nodes: tuple[int, ...] = ()
    edges: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)


@dataclass
class Program:
    """The lines of a source. `last` is the line on which the message of an edge, or the adjoint of a node, is there."""

    rows: list[Row]
    sent: dict[int, int]
    arrived: dict[int, int]
    begun: dict[int, int]

    def at(self, stop: Stop) -> int:
        """The line that is running at a stop, counted from 0; -1 where none is: what a rule replaced is not run."""
        if stop.ghost:
            return -1
        if stop.send is None:
            return self.arrived.get(stop.node, -1)
        # A message that is a plain number has no line of its own: it stands in the step that it arrives at.
        return self.sent.get(stop.send.edge, self.begun.get(stop.send.to, -1))


def program_of(source: Source, trace: BackwardTrace, number: dict[int, int]) -> Program:
    """The lines of `source` for the boxes of `trace`; `number` gives the node for a birth."""
    adjoints = {link.name for link in source.links if link.adjoint is not None}
    program = Program([Row(pieces) for pieces in highlight(source.text, adjoints)], {}, {}, {})
    edge_of = {(e.dst, e.arg): e.id for e in trace.edges if not e.ghost}
    leaves = {node.id for node in trace.nodes if node.kind == "leaf"}
    for link in source.links:
        births = [*link.nodes, link.of, *(node for node, _ in link.sends)]
        nodes = [number[birth] for birth in births if birth in number]
        edges = [edge_of[number[node], place] for node, place in link.sends]
        last = link.lines[1] - 1
        if link.adjoint is not None:
            receiver = number[link.adjoint]
            nodes += [receiver] if receiver in leaves else []
            program.arrived[receiver] = last
            program.sent |= dict.fromkeys(edges, last)
        elif not link.backward and link.nodes:
            program.arrived |= dict.fromkeys(nodes, last)
        if link.backward and link.name:
            program.begun.setdefault(number[link.of], last)
        for row in program.rows[link.lines[0] - 1 : last + 1]:
            row.nodes = tuple(dict.fromkeys([*row.nodes, *nodes]))
            row.edges = tuple(dict.fromkeys([*row.edges, *edges]))
    return program


def shortened(text: str, most: int) -> str:
    """The first and the last lines of a program of more than `most`, with a word on what is left out."""
    lines = text.splitlines()
    if len(lines) <= most:
        return text
    half = most // 2
    left = len(lines) - 2 * half
    word = f"# ... {left} lines are left out here; to_text() has them all ..."
    return "\n".join([*lines[:half], word, *lines[-half:]])


def svg_of(rows: Sequence[Row], y: float, now: int) -> tuple[str, float, float]:
    """The lines as SVG from `y` down, the line `now` lit: the code, and the size of the whole."""
    width = max(len(row.text) for row in rows) * CHAR + 40
    parts = []
    for i, row in enumerate(rows):
        top = y + 8 + ROW * i
        if i == now:
            parts.append(f"<rect class='pl' x='14' y='{round(top)}' width='{round(width - 28)}' height='{ROW}'/>")
        if row.pieces:
            parts.append(f"<text x='20' y='{round(top + 13)}'>{as_svg(row.pieces)}</text>")
    return f"<g class='p' xml:space='preserve'>{''.join(parts)}</g>", width, y + ROW * len(rows) + 18
