"""The correspondence between the lines of a program and the graph that it computes."""

from __future__ import annotations

from dataclasses import dataclass

from minigrad.programs.instructions import Line
from minigrad.programs.program import Program


@dataclass
class CodeLink:
    """Rows of a program and the values they compute; nodes are identified by their serials.

    name : the variable that the rows assign, or an expression for an input; "" for a returned value. lines : the first
        and
        the last row of the text, counted from 1.
        backward : whether the rows belong to a backward pass. of : the node whose step the rows compute, or -1.
        nodes : the nodes whose value is then in the variable. inside : the nodes whose values are computed on the way.
        adjoints : the nodes whose complete adjoint is then in the variable. sends : the messages, as (node, index of
        the
        argument), that are added up in the variable.
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
    of: dict[Line, CodeLink] = {}  # the link whose rows compute a line
    first: dict[int, CodeLink] = {}  # the first link of a node's step
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
            at = at or first.get(send.to) or links[-1]  # plain numbers are in the step of the receiver
            at.sends += ((step.node, send.number),)
            if total and last is not None and last.line is now[total] and send.to not in last.adjoints:
                last.adjoints += (send.to,)
    return links
