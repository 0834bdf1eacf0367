"""The words in each box, and how large the box must be so that nothing is clipped at any moment."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from minigrad.tracing.model import VARIABLE, Node, Summary
from minigrad.tracing.numbers import clip, full, shape_text

from ..layout.geometry import PORT
from ..layout.layout import Sizes
from ..model.cells import shades
from ..model.cut_edges import CUT
from ..model.drawing import Box, Drawing
from ..model.findings import NOT_YET, Findings
from ..model.timeline import Moment

SIZE = 12  #: font size
LINE = 17.0  #: distance of lines
PAD = 9.0
#: Width of one character of a monospace font in units of the font size: the widest of the usual ones, and a margin.
CHAR = 0.615
LONGEST = 18  #: characters of a name or a value in a box; the rest is in the title
NEAR = 16.0  #: distance of two lines that end at the same box, where no words stand at them
CELL, GAP = 8.0, 3.0  #: width of a cell, and what stands between two rows of cells
SLOT = "ḡ  …"  #: what stands around the number in an adjoint slot
STOPS = "gradient stops here"  #: the label of a cut edge
NONE = "None"  #: the label of an edge for which the user's rule returned None

#: The classes of a cell by its shade: its sign, and how large it is.
LOOKS = {"x": "qx", "0": "qz", **{c: f"q{c} qn" for c in "abcd"}, **{c: f"q{'abcd'[int(c) - 1]} qp" for c in "1234"}}


@dataclass(frozen=True)
class BoxText:
    """The words of one box. `tag` warns of the forward value; `slot`: whether there is a place for the adjoint.

    title: the full text, where the box shortens it.
    priority: boxes that move aside for a straight line: constants (2), then ghosts and copies of inputs (1).
    cells: how the elements of a small array are shaded, see `shades`; row: how many of them are a row. strip: whether
    there is a place for the cells of the adjoint.
    """

    head: str
    side: str
    lines: tuple[str, ...]
    tag: str
    slot: bool
    classes: str
    title: str
    w: float
    h: float
    pad: float
    priority: int = 0
    cells: str = ""
    row: int = 1
    strip: bool = False


def box_texts(
    found: Findings, drawing: Drawing, moments: Sequence[Moment], numbers: dict[str, str]
) -> dict[str, BoxText]:
    """The words of every box, at whose lines stand `numbers`. The slot is wide enough for every adjoint in the pass."""
    held = {node: [NOT_YET, text] for node, text in found.adjoints.items() if node in drawing.alone}
    for moment in moments:
        if moment.message is not None:
            held.setdefault(moment.message.send.to, [NOT_YET]).append(moment.message.after)
    ports: dict[str, list[str]] = {}
    for link in drawing.all_links:
        ports.setdefault(link.dst, []).append(numbers.get(link.key, ""))
    dense = drawing.dense
    return {
        box.key: _box_text(box, found.nodes[box.nodes[0]], found, held, ports.get(box.key, []), dense)
        for box in drawing.all_boxes
    }


def slopes_at(found: Findings, drawing: Drawing) -> dict[str, str]:
    """What stands below a line: the local derivative of its only edge, by the key of the link."""
    if drawing.dense:
        return {}
    plain = [link for link in drawing.all_links if len(link.edges) == 1 and link.dst[0] != ">"]
    slopes = {link.key: found.slope(found.edges[link.edges[0]]) for link in plain}
    return {key: text for key, text in slopes.items() if text}


def numbers_at(found: Findings, drawing: Drawing) -> dict[str, str]:
    """Which arguments the lines to a box with several carry, by the key of the link: "1", "1, 2", or "1–9"."""
    uses = Counter([edge.dst for edge in found.trace.edges if not edge.ghost])
    closed = {box.key for box in drawing.all_boxes if len(box.nodes) > 1}
    numbers = {}
    for link in drawing.all_links:
        if uses[found.edges[link.edges[0]].dst] < 2 or link.dst[0] == ">" or link.dst in closed or link.ghost:
            continue
        args = sorted([found.edges[edge].arg + 1 for edge in link.edges])
        numbers[link.key] = ", ".join(map(str, args[:3])) + ", …" * (len(args) > 3)
        if len(args) > 2 and args[-1] - args[0] < len(args):
            numbers[link.key] = f"{args[0]}–{args[-1]}"
    return numbers


def sizes_of(texts: dict[str, BoxText], drawing: Drawing, moments: Sequence[Moment], slopes: dict[str, str]) -> Sizes:
    """How large the boxes are, and how wide the words at each link can become."""
    values = {m.message.send.edge: m.message.value for m in moments if m.message is not None}
    labels = {}
    for link in drawing.all_links:
        words = [STOPS] if link.arg == CUT else [values.get(edge, NONE) for edge in drawing.named[link.key]]
        if link.key in drawing.quiet:
            words = []
        elif len(link.edges) > 1 and link.arg != CUT:
            words.append("99999 messages")
        room = -SIZE if link.key in drawing.quiet else 0.0  # a line without words is short
        labels[link.key] = text_width([*words, slopes.get(link.key, "")], SIZE) + room
    boxes = {key: (text.w, text.h) for key, text in texts.items()}
    return Sizes(boxes, labels, {key: text.priority for key, text in texts.items()}, drawing.dense)


def _box_text(
    box: Box, node: Node, found: Findings, held: dict[int, list[str]], ports: list[str], dense: bool
) -> BoxText:
    side, slot, kind = "", False, "op" if node.kind == "output" else node.kind
    classes = kind + " ghost" * node.ghost
    lines: tuple[str, ...]
    if box.folded:
        name, _, call = box.label.partition(", ")
        head, side, classes = clip(name, LONGEST), "+" * bool(box.inside), "fold"
        uses = clip("uses " + ", ".join(found.names[n] for n in box.shared), LONGEST)
        word = found.word_in(box.nodes)
        lines = (
            *[call] * bool(call),
            amount(box, found),
            *[uses] * bool(box.shared),
            *[f"{word} born inside"] * bool(word),
        )
    elif node.op == "cut":
        head, lines = clip(node.name, LONGEST), (f"= {clip(found.values[node.id], LONGEST)}", "left the graph")
        classes = "const cut"
    elif node.kind == "const":
        named = node.op == "leaf" and node.name.isidentifier() and node.name not in ("const", "True", "False")
        head, lines = node.name if named else "", (clip("= " * named + found.values[node.id], LONGEST),)
    else:
        head, side, lines = _words(box, node, found)
        slot = node.id in found.slots
        if dense:
            side, lines = clip(found.values[node.id], LONGEST), lines[: bool(node.custom)]
        if dense and box.copy > 1:
            side, slot = "", False
        if node.id in found.unused:
            lines, classes = (*lines, "not used" + ": ḡ 0" * bool(ports)), f"{classes} unused"
        if node.detail == VARIABLE:
            classes += " var"
    title = ""
    if "…" in head + side + "".join(lines):
        title = box.label if box.folded else _title(node, found.names[node.id])
    bad = next(filter(None, map(found.bad.get, box.nodes)), "")
    tag = node.value if bad and isinstance(node.value, str) and not box.folded else bad
    small = isinstance(node.value, Summary) and node.kind != "const" and not (box.folded or dense or box.copy > 1)
    cells = shades(node.value) if small else ""
    row = node.shape[-1] if cells else 1
    longest = max(map(len, ports), default=0)
    pad = PAD + 5.0 * (len(ports) > 1 or longest > 0) + 7.0 * max(0, longest - 1)  # room for the numbers
    slots = [SLOT + words for words in held.get(node.id, [NOT_YET])] if slot else []
    w = max(
        text_width([head + "  " * bool(side) + side], SIZE + 0.6) if head else 0, text_width([*lines, *slots], SIZE)
    )
    w = max(w, CELL * len(cells) + GAP * (len(cells) // row))
    w = max(w, 0.0 if node.kind == "const" or not (lines or slot) else 56.0) + PAD + pad
    strip = bool(cells) and slot
    h = max(
        (bool(head) + len(lines) + bool(cells) + slot + strip) * LINE + 9 + 3 * slot,
        len(ports) * (NEAR if dense else PORT) + 10,
    )
    priority = 2 if node.kind == "const" and not box.folded else int(node.ghost or box.copies > 1)
    return BoxText(head, side, lines, tag, slot, classes, title, round(w), round(h), pad, priority, cells, row, strip)


def _words(box: Box, node: Node, found: Findings) -> tuple[str, str, tuple[str, ...]]:
    """The first line of a box in its two parts, and the lines below it."""
    name, shape = found.names[node.id], shape_text(node.shape) if node.shape else ""
    if node.kind == "leaf":
        head, side = clip(name, LONGEST), f"{node.detail} {shape}".strip()
    else:
        number = name.partition("#")[2]
        called = node.name or f"#{number}" * bool(number)
        head, side = clip(node.op, LONGEST), f"{called and clip(called, LONGEST)} {shape}".strip()
    value = found.values[node.id]
    lines = [f"= {clip(value, LONGEST) if shape else value}"]
    if node.detail and node.kind != "leaf":
        lines.insert(0, clip(node.detail, LONGEST))
    if node.custom:
        lines.insert(0, f"rule: {clip(node.custom, LONGEST)}")
    if box.copies > 1:
        lines.append(f"copy {box.copy} of {box.copies}")
    return head, side, tuple(lines)


def amount(box: Box, found: Findings) -> str:
    """How many ops a frame holds, or inputs where it has no ops."""
    ops = sum(found.nodes[n].kind not in ("leaf", "const") for n in box.nodes)
    return f"{ops} op{'s' * (ops > 1)}" if ops else f"{len(box.nodes)} inputs"


def _title(node: Node, name: str) -> str:
    what = name if node.kind in ("leaf", "const") else f"{node.op} {node.name}".strip()
    words = f"{what} = {full(node.value)}"
    if node.detail and node.kind != "leaf":
        words += f" ({node.detail})"
    return words


def cells_of(cells: str, row: int, left: float, y: float) -> str:
    """The elements of a small array as shaded cells, row beside row; one that is nan or inf is crossed out."""
    outlines: dict[str, str] = {}
    for i, letter in enumerate(cells):
        x = left + CELL * i + GAP * (i // row)
        start, end, top, low = (f"{round(n, 1):g}" for n in (x, x + CELL, y, y + 11))
        cross = f"M{start} {top}L{end} {low}M{end} {top}L{start} {low}" * (letter == "x")
        outlines[LOOKS[letter]] = outlines.get(LOOKS[letter], "") + f"M{start} {top}H{end}V{low}H{start}z{cross}"
    return "".join(f"<path class='q {look}' d='{d}'/>" for look, d in outlines.items())


def text_width(texts: Iterable[str], size: float) -> float:
    """How wide the widest of `texts` can become in a monospace font of `size` pixels, counted generously.

    >>> text_width(["exp"], 12) < text_width(["指数関数"], 12)
    True
    """
    units = 0.0
    for text in texts:
        wide = (
            0
            if text.isascii()
            else sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.2 for c in text if not c.isascii())
        )
        units = max(units, len(text) + wide)
    return units * CHAR * size
