"""The frames of a picture as text: what each holds, where it leads, and what opening it shows."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent

from ..model.blocks import EQUAL
from ..model.drawing import Box, Drawing
from ..model.findings import Findings
from .boxes import amount

NAMED = 12  #: names of one kind in a line


def frame_list(found: Findings, drawing: Drawing, max_lines: int | None = None) -> str:
    """Two lines for each frame, those inside it indented below; where these are too many, only the outermost.

    "" for a drawing without frames.
    """
    entries = [*_entries(found, drawing)]
    most = len(entries) if max_lines is None else max(1, max_lines // 2)
    shown = entries if len(entries) <= most else [(depth, text) for depth, text in entries if not depth][:most]
    more = f"\n… and {len(entries) - len(shown)} more: see to_text()" * (len(shown) < len(entries))
    lines = "\n".join(indent(text, "  " * depth) for depth, text in shown)
    return f"Frames, which are closed at first:\n{lines}{more}" if entries else ""


def _entries(found: Findings, drawing: Drawing, depth: int = 0) -> Iterator[tuple[int, str]]:
    for box in drawing.boxes:
        if not box.folded:
            continue
        inputs = [found.names[n] for n in (*box.nodes, *box.shared) if found.nodes[n].kind == "leaf"]
        word = found.word_in(box.nodes)
        holds = [amount(box, found), *[f"inputs {_few(inputs)}"] * bool(inputs), *[f"{word} born inside"] * bool(word)]
        holds += ["the result"] * any(found.nodes[n].output for n in box.nodes)
        leads = _few(list(dict.fromkeys(_leads(found, drawing, box))), "; ")
        opens = (
            f"opened, it shows {_few(_inside(found, box.inside), '; ')}"
            if box.inside
            else f'opens with unfold("{box.label}") in Python'
        )
        yield depth, f"[+] {box.label}: {', '.join(holds)}" + f"; {leads}" * bool(leads) + f"\n    {opens}"
        if box.inside:
            yield from _entries(found, box.inside, depth + 1)


def _name(found: Findings, box: Box) -> str:
    return box.label if box.folded else found.names[box.nodes[0]]


def _leads(found: Findings, drawing: Drawing, box: Box) -> Iterator[str]:
    """The boxes that its lines lead to, with the number of edges where the picture says it."""
    boxes = {other.key: other for other in drawing.boxes}
    for link in drawing.links:
        if link.src == box.key and link.dst in boxes:
            many = f"{len(link.edges)} edges " * (len(link.edges) > EQUAL)
            yield f"{many}to {_name(found, boxes[link.dst])}"


def _inside(found: Findings, drawing: Drawing) -> list[str]:
    """The inputs, ops and frames of a drawing, oldest first."""
    return [_name(found, box) for box in drawing.boxes if box.folded or found.nodes[box.nodes[0]].kind != "const"]


def _few(names: list[str], between: str = ", ") -> str:
    return between.join(names[:NAMED]) + f"{between}… ({len(names)} in all)" * (len(names) > NAMED)
