"""The moments of a forward pass: the graph grows box by box, in the order in which its nodes were made."""

from __future__ import annotations

from collections.abc import Sequence

from minigrad.tracing.labels import spoken
from minigrad.tracing.model import Node

from .drawing import Box, Drawing
from .findings import Findings
from .timeline import Moment


def growth(found: Findings, drawing: Drawing) -> tuple[Moment, ...]:
    """One moment before the first box, then one for each box; constants come with what uses them.

    >>> import minigrad as mg
    >>> from viz.model.folding import draw
    >>> x = mg.constant(3.0)
    >>> trace = mg.backward_trace(x * x, xs=[], names={"x": x})
    >>> [moment.words for moment in growth(Findings(trace), draw(trace))]
    ['Nothing is computed yet.', 'x is an input: 3.', 'multiply(x, x) = 9.']
    """
    boxes = [box for box in drawing.all_boxes if not box.inside]
    made = [box for box in boxes if box.folded or found.nodes[box.nodes[0]].kind != "const"]
    made = sorted((box for box in made if box.copy <= 1), key=lambda box: max(box.nodes))
    moments = [Moment(i, box.nodes[0], None, _words(found, box)) for i, box in enumerate(made)]
    return (Moment(-1, -1, None, "Nothing is computed yet."), *moments)


def first_moments(drawing: Drawing, moments: Sequence[Moment]) -> dict[str, int]:
    """Key of a box -> the first moment that shows it; a constant is shown with the first box that uses it."""
    made = {moment.node: at for at, moment in enumerate(moments)}
    boxes = [box for box in drawing.all_boxes if not box.inside]
    first = {box.key: made[box.nodes[0]] for box in boxes if box.nodes[0] in made}
    for frame in reversed(drawing.frames):
        inside = frame.inside.boxes if frame.inside else ()
        first[frame.key] = min((first[box.key] for box in inside if box.key in first), default=0)
    for link in drawing.all_links:
        if link.dst in first:
            first[link.src] = min(first.get(link.src, first[link.dst]), first[link.dst])
    return first


def _words(found: Findings, box: Box) -> str:
    node = found.nodes[box.nodes[0]]
    if box.folded:
        return f"{box.label}: {len(box.nodes)} nodes in one frame."
    if node.kind == "leaf":
        return f"{found.names[node.id]} is an input: {spoken(node.value)}."
    name = f"{found.names[node.id]} = " if node.name else ""
    return f"{name}{call_of(found, node)} = {spoken(node.value)}."


def call_of(found: Findings, node: Node) -> str:
    """What computes a node, as it would be written: op, arguments, options."""
    arguments = [found.names[n] for _, n in sorted(found.arguments.get(node.id, {}).items())]
    return f"{node.op}({', '.join([*arguments, *([node.detail] if node.detail else [])])})"


def box_table(found: Findings, max_lines: int | None = None) -> str:
    """One line for each node but constants: its name, what computes it, its value; at most about `max_lines` lines."""
    nodes = [node for node in found.trace.nodes if node.kind != "const"]
    rows = [("name", "made by", "value")]
    for node in nodes:
        made = "(input)" if node.kind == "leaf" else call_of(found, node)
        rows.append((found.names[node.id], made, spoken(node.value)))
    if max_lines is not None and len(rows) > max_lines + 1:
        half = max(1, max_lines // 2)
        left = len(rows) - 1 - 2 * half
        rows[1 + half : -half] = [("...", f"{left} lines are left out here; to_text() has them all", "...")]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    return "\n".join(f"{a.ljust(widths[0])}  {b.ljust(widths[1])}  {c}" for a, b, c in rows)
