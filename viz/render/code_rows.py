"""The program of a backward pass as coloured rows, each linked to its nodes and edges in the picture."""

from __future__ import annotations

import io
import keyword
import token
import tokenize
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from minigrad.programs.compile_and_source import GraphProgram
from minigrad.programs.instructions import Line
from minigrad.programs.program import Program
from minigrad.tracing.trace_schema import BackwardTrace

from ..model.timeline import Moment
from .markup import Html, as_text, joined, markup

ROW, CHAR, SIZE = 18, 7.3, 12  #: height of a line in an SVG, width of a character, size of the font
#: The pieces of a line, as (kind, text); the kind is "" for a piece without a colour.
Pieces = list[tuple[str, str]]
KINDS = {tokenize.COMMENT: "pc", token.NUMBER: "pn", token.STRING: "pn"}


@dataclass
class CodeLink:
    """A statement or input of a program: its rows, and what its value is in the graph. Nodes are given by serials.

    name : the variable that the rows assign, or an expression for an input; "" for a returned value. lines : the first
        and the last row of the text, counted from 1.
    backward : whether the rows belong to a backward pass. of : the node whose step the rows compute, or -1.
    nodes : the nodes whose value the variable then contains. inside : the nodes whose values are intermediate results.
    adjoints : the nodes whose complete adjoint the variable then contains. sends : the messages, as (node, index of
        the argument), that are added up in the variable.
    """

    name: str
    lines: tuple[int, int]
    line: Line | None = None
    backward: bool = False
    of: int = -1
    nodes: tuple[int, ...] = ()
    inside: tuple[int, ...] = ()
    adjoints: tuple[int, ...] = ()
    sends: tuple[tuple[int, int], ...] = ()


def links_of(program: Program) -> list[CodeLink]:
    """Return a link for each input in the head of a program, each statement, and each returned value."""
    text = program.written
    steps, now, end = text.notes.steps, text.now, len(text.text.splitlines())
    nodes: dict[Line, tuple[int, ...]] = {}
    for serial, line in text.notes.nodes:
        nodes[now[line]] = (*nodes.get(now[line], ()), serial)
    links = [CodeLink(name, (text.head, text.head), line, nodes=nodes.get(line, ())) for name, line in text.heads]
    of: dict[Line, CodeLink] = {}  # program line -> the link of the statement that computes it
    first: dict[int, CodeLink] = {}  # node -> the link of the first statement of its step
    for s in text.statements:
        link = CodeLink(s.name, s.rows, s.line, nodes=nodes.get(s.line, ()))
        link.inside = sum((nodes.get(line, ()) for line in s.parts), ())
        if s.step >= 0:
            link.backward, link.of = True, steps[s.step].node
            first.setdefault(link.of, link)
        of |= dict.fromkeys([*s.parts, s.line], link)
        links.append(link)
    links.append(CodeLink("", (end, end), backward=True))
    upstreams = {step.node: step.upstream for step in steps}
    for step in steps:
        for send in step.sends:
            total, part = upstreams.get(send.to) or send.line, send.line or upstreams.get(send.to)
            last = of.get(now[total]) if total is not None else None
            at = (of.get(now[part]) if part is not None else None) or last
            at = at or first.get(send.to) or links[-1]  # a message that is a plain number is in the receiver's step
            at.sends += ((step.node, send.number),)
            if total and last is not None and last.line is now[total] and send.to not in last.adjoints:
                last.adjoints += (send.to,)
    return links


@dataclass
class CodeRow:
    """A row of a program: its coloured pieces, and the nodes and edges of the trace that it computes."""

    pieces: Pieces
    nodes: tuple[int, ...] = ()
    edges: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)


@dataclass
class CodeListing:
    """The lines of a program.

    sent : edge -> the line in which its message is complete. arrived : node -> the line in which its adjoint is
        complete. begun : node -> the line of the first statement of its step.
    """

    rows: list[CodeRow]
    sent: dict[int, int]
    arrived: dict[int, int]
    begun: dict[int, int]

    def at(self, moment: Moment) -> int:
        """Return the index of the row to highlight at a moment, or -1 if no row runs then, as for replaced ops."""
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
    """Draw the rows of a program from the height `y` downwards; return the SVG, its width and its lower end.

    now : the index of the row to highlight, or -1.
    """
    width = max(len(row.text) for row in rows) * CHAR + 40
    parts = []
    for i, row in enumerate(rows):
        top = y + 8 + ROW * i
        if i == now:
            parts.append(f"<rect class='pl' x='14' y='{round(top)}' width='{round(width - 28)}' height='{ROW}'/>")
        if row.pieces:
            parts.append(f"<text x='20' y='{round(top + 13)}'>{as_svg(row.pieces)}</text>")
    return f"<g class='p' xml:space='preserve'>{''.join(parts)}</g>", width, y + ROW * len(rows) + 18


def highlight(text: str, adjoints: Collection[str] = ()) -> list[Pieces]:
    """Split the lines of a program into keywords (pk), numbers (pn), comments (pc), adjoint names (pd) and the rest.

    >>> highlight("d_x = 2 * y  # z", {"d_x"})
    [[('pd', 'd_x'), ('', ' = '), ('pn', '2'), ('', ' * y  '), ('pc', '# z')]]
    """
    rows = text.splitlines()
    lines: list[Pieces] = [[] for _ in rows]
    done = [0] * len(rows)

    def add(row: int, until: int, kind: str) -> None:
        piece = rows[row][done[row] : until]
        done[row] = max(until, done[row])
        if piece:
            lines[row].append((kind, piece))

    for tok in tokenize.generate_tokens(io.StringIO(text + "\n").readline):
        kind = KINDS.get(tok.type, "")
        if tok.type == token.NAME:
            kind = "pk" if keyword.iskeyword(tok.string) else "pd" if tok.string in adjoints else ""
        if kind and tok.start[0] == tok.end[0]:
            add(tok.start[0] - 1, tok.start[1], "")
            add(tok.start[0] - 1, tok.end[1], kind)
    for row, line in enumerate(rows):
        add(row, len(line), "")
    return lines


def as_html(pieces: Pieces) -> Html:
    return joined(markup("<b class={kind}>{text}</b>", kind=k, text=text) if k else as_text(text) for k, text in pieces)


def as_svg(pieces: Pieces) -> Html:
    span = "<tspan class='{kind}'>{text}</tspan>"
    return joined(markup(span, kind=k, text=text) if k else as_text(text) for k, text in pieces)
