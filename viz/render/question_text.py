"""A view with a question, as text: the values, the choices, and how to answer, but not the pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.timeline import box_table
from .lane import Lane

#: Kind of question -> how to answer it if nothing can be clicked.
KINDS = {
    "box": "the name of a box, as in {box}",
    "edge": "the two ends of an arrow, the sender first, as in {edge}",
    "edges": "a list of arrows, the sender of each first, as in [{edge}]",
    "order": "the list of all arrows in an order in which they can send, as in [{edge}, ...]",
    "number": "a number for {boxes}",
    "numbers": "a list of numbers, for {boxes}",
}


def question_text(lane: Lane, question: Mapping[str, Any], max_lines: int | None = None) -> str:
    """Return the question, the table of values, and how to answer."""
    parts, ends = [question.get("words", ""), box_table(lane.findings, max_lines)], arrows_of(lane)
    kind = question.get("kind", "")
    if kind in ("edge", "edges", "order") and ends:
        parts.append(f"Arrows: {', '.join(f'{one} -> {other}' for one, other in ends)}.")
    if kind:
        names = {"box": repr(ends[0][0]) if ends else "'x'", "edge": _pair(ends[0]) if ends else ""}
        how = KINDS[kind].format(boxes=", ".join(question.get("boxes", ())), **names)
        parts[-1] += f"\nAnswer with {how}."
    return "\n\n".join(filter(None, parts))


def arrows_of(lane: Lane) -> list[tuple[str, str]]:
    """Return the arrows of messages, or of values in a forward pass, as sorted pairs of names: (from, to).

    If two arrows connect the same boxes, the pair is listed twice. Arrows from constants are left out.
    """
    names, trace = lane.findings.names, lane.trace
    if lane.appears:
        return sorted((names[e.src], names[e.dst]) for e in trace.edges if trace.nodes[e.src].kind != "const")
    return sorted((names[step.node], names[send.to]) for step in trace.steps for send in step.sends)


def _pair(ends: tuple[str, str]) -> str:
    return '("{}", "{}")'.format(*ends)
