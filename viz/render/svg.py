"""The renderer: a lane as SVG, which the player can then animate.

The picture carries its own style and both themes, no script, and ids that begin with the id of its view.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from html import escape

from minigrad.tracing.model import VARIABLE
from minigrad.tracing.numbers import short

from ..layout.geometry import Path, Rectangle
from ..model.blocks import EQUAL
from ..model.cells import shades
from ..model.cut_edges import CUT
from ..model.drawing import Box, Drawing, Link
from ..model.findings import NOT_YET
from ..model.timeline import Frame
from .boxes import LINE, NONE, PAD, STOPS, BoxText, cells_of
from .lane import Lane

REPLACED = "what the rule replaced"  #: the caption of a ghost


class Detail(IntEnum):
    """How much a picture says. Each level leaves out more than the one before; a nan or inf on its way back stays."""

    ALL = 0
    NO_REPEATS = 1  #: without what stands elsewhere too: adjoints as messages, numbers at copies, ground of adjoints
    NO_MESSAGES = 2  #: without messages and the values of ops
    NO_ADJOINTS = 3  #: without the adjoints of ops and the counts of copies


Since = tuple[str, str]  #: class and attribute of what appears at some moment of a forward pass
ALWAYS: Since = ("", "")
NO_PATH = Path((0, 0), (("L", (0, 0)),), (0, 0))  #: of a line in a frame that is not open


def figure(
    lane: Lane, at: int, number: int = 0, y: float = 0.0, detail: Detail = Detail.ALL, frames: bool = False
) -> str:
    """A lane at its moment `at`, moved down by `y`, with its name above it: lines, then boxes, then numbers.

    frames: with what stands in frames, hidden and without coordinates, which frames.js gives it.
    """
    state = lane.frame(at)
    since = {key: (" later" * (first > at), f" data-at='{first}'") for key, first in lane.appears.items()}
    passed = {node for ends in lane.way for node in ends}
    silent = lane.drawing.quiet

    def body(drawing: Drawing) -> str:
        lines, numbers, boxes = [], [], []
        for link in drawing.links:
            edge, path = lane.found.edges[link.edges[0]], lane.layout.paths.get(link.key, NO_PATH)
            (x, y0), when = path.label, since.get(link.dst, since.get(link.src, ALWAYS))
            cut = edge.arg == CUT or (link.src in lane.texts and "cut" in lane.texts[link.src].classes)
            key = f" data-key='{link.key}'" * frames
            if cut:
                numbers.append(f"<text class='w'{key} x='{round(x)}' y='{round(y0)}'>{STOPS}</text>")
            elif edge.id in lane.found.nones:
                numbers.append(_stump(lane, edge.dst, path.label, at, key))
            if link.key in lane.numbers:
                end_x, end_y = map(round, path.end)  # as the path has it, from which the player takes it
                nx, ny = (end_x + 2, end_y + 3) if lane.layout.rankdir == "LR" else (end_x + 6, end_y - 2)
                place = f"class='k{when[0]}'{when[1]}{key} x='{nx}' y='{ny}'"
                numbers.append(f"<text {place}>{lane.numbers[link.key]}</text>")
            lines.append(_line(lane, link, path, state, cut, detail, when, link.key in silent, key))
        for box in drawing.boxes:
            key = f" data-key='{box.key}'" * frames + f" data-f='{box.key}'" * box.folded
            boxes.append(_box(box, lane, passed, state, detail, since.get(box.key, ALWAYS), key))
            if box.inside and frames:
                boxes.append(f"<g class='in' data-in='{box.key}' display='none'>{body(box.inside)}</g>")
        ghosts = [box for box in drawing.boxes if lane.found.nodes[box.nodes[0]].ghost]
        if ghosts and drawing is lane.drawing:
            x, y0 = min(lane.layout.boxes[box.key].x for box in ghosts), lane.layout.height - 3
            numbers.append(f"<text class='c ghost' x='{round(x)}' y='{round(y0)}'>{REPLACED}</text>")
        return f"<g class='{lane.layout.rankdir}'>{''.join(lines)}</g><g>{''.join(boxes)}</g><g>{''.join(numbers)}</g>"

    whole = body(lane.drawing)
    if lane.name:
        whole = f"<text class='h' x='14' y='22'>{escape(lane.name)}</text><g transform='translate(0 24)'>{whole}</g>"
    return f"<g data-lane='{number}' transform='translate(0 {round(y)})'>{whole}</g>"


def _stump(lane: Lane, node: int, place: tuple[float, float], at: int, key: str) -> str:
    """The word None at the line of an argument for which the rule returned it, from its step on."""
    x, y = place
    step = next(step.i for step in lane.trace.steps if step.node == node)
    first = next((i for i, moment in enumerate(lane.moments) if moment.step >= step), 0)
    later = " later" * (first > at)
    return f"<text class='w none{later}' data-at='{first}'{key} x='{round(x)}' y='{round(y)}'>{NONE} ⊣</text>"


def _line(
    lane: Lane,
    link: Link,
    path: Path,
    frame: Frame,
    cut: bool,
    detail: Detail,
    since: Since,
    silent: bool,
    key: str,
) -> str:
    """One line with its message, or with a count where it stands for several."""
    edges, named = lane.found.edges, lane.drawing.named[link.key]
    sent = [frame.messages[e] for e in named if e in frame.messages]
    bad = any(message.bad for message in sent)
    source = edges[link.edges[0]].src
    way = any((edges[e].dst, edges[e].src) in lane.way for e in link.edges)
    now = any(e in frame.now for e in link.edges)
    classes = ["e", *["ghost"] * link.ghost, *["sent"] * bool(sent), *["bad"] * bad, *["now"] * now]
    classes += [*["way"] * way, *["cut"] * cut, *["quiet"] * silent]
    many = len(link.edges) if len(link.edges) > len(named) else 0
    text = escape(sent[0].value) if sent else ""
    if sent and many + len(sent) > 1:
        text = f"{many or len(sent)} messages"
    elif len(link.edges) > EQUAL:
        text = f"{len(link.edges)} edges"
    repeated = detail and text == short(frame.adjoint.get(source, ""))
    if silent or (not bad and (repeated or detail > Detail.NO_REPEATS)):
        text = ""
    ids = " ".join(str(e) for e in named) + f"' data-c='{many}" * bool(many)
    if link.key in lane.numbers:
        ids += f"' data-k='{lane.numbers[link.key]}"  # the player writes the numbers of the arguments
    x, y = path.label
    later, when = since
    slope = "" if detail else lane.slopes.get(link.key, "")
    below = y + (15 if lane.layout.rankdir == "LR" else -14)
    slope = slope if lane.layout.rankdir == "LR" else slope.replace("× ", "×")  # the line would be seen in the gap
    return (
        f"<g class='{' '.join(classes)}{later}'{when} data-e='{ids}'{key}><path d='{path.d}'/>"
        f"<text class='m' x='{round(x)}' y='{round(y)}'>{text}</text>"
        + f"<text class='d' x='{round(x)}' y='{round(below)}'>{escape(slope)}</text>" * bool(slope)
        + "</g>"
    )


def _box(box: Box, lane: Lane, passed: set[int], frame: Frame, detail: Detail, since: Since, key: str = "") -> str:
    """One box: its rim, its words, the adjoint that it holds, and a tag where its value is nan or inf."""
    node, text = box.nodes[0], lane.texts[box.key]
    at = lane.layout.boxes.get(box.key) or Rectangle(0, 0, text.w, text.h)
    adjoint, state = slot_text(frame, node) if text.slot else ("", "")
    bad = text.slot and node in frame.bad
    classes = f"{text.classes} {state}".rstrip() + " bad" * bad + " now" * (frame.active in box.nodes)
    classes += " way" * bool(passed.intersection(box.nodes))
    classes += " born" * (box.folded and bool(lane.found.word_in(box.nodes)))
    ids = " ".join(str(n) for n in lane.drawing.named[box.key])
    w, h = f"{round(at.w, 1):g}", f"{round(at.h, 1):g}"
    radius = {"leaf": 12, "const": 11}.get(classes.split()[0], 4)
    later, when = since
    parts = [
        f"<g class='n {classes}{later}'{when} data-n='{ids}'{key} transform='translate({round(at.x)} {round(at.y)})'>"
    ]
    if text.title:
        parts.append(f"<title>{escape(text.title)}</title>")
    parts.append(f"<rect class='b' width='{w}' height='{h}' rx='{radius}'/>")
    if lane.found.nodes[node].output:
        parts.append(
            f"<rect class='rim' x='-4' y='-4' width='{round(at.w + 8, 1):g}' height='{round(at.h + 8, 1):g}' rx='7'/>"
        )
    lines, slot = _shown(box, text, detail) if detail else (text.lines, text.slot)
    slot = slot or bad
    cells, strip = (text.cells, text.strip) if not detail else ("", False)
    y = (at.h - (bool(text.head) + len(lines) + bool(cells) + slot + strip) * LINE - 3 * slot) / 2 + 12.5
    if text.head:
        parts.append(f"<text class='h' x='{text.pad:g}' y='{round(y, 1):g}'>{escape(text.head)}</text>")
        if text.side:
            parts.append(f"<text class='s' x='{round(at.w - PAD, 1):g}' y='{round(y, 1):g}'>{escape(text.side)}</text>")
        y += LINE
    for line in lines:
        parts.append(f"<text x='{text.pad:g}' y='{round(y, 1):g}'>{escape(line)}</text>")
        y += LINE
    if cells:
        parts.append(cells_of(cells, text.row, text.pad, y - 9))
        y += LINE
    if slot:
        if not detail:
            left, wide = f"{text.pad - 3:g}", f"{round(at.w - text.pad - 3, 1):g}"
            parts.append(f"<rect class='slot' x='{left}' y='{round(y - 11, 1):g}' width='{wide}' height='17' rx='3'/>")
        parts.append(f"<text class='g' x='{text.pad:g}' y='{round(y + 2, 1):g}'>{escape(adjoint)}</text>")
    if strip:
        held = cells_of(shades(frame.adjoint.get(node)), text.row, text.pad, y + 11)
        parts.append(f"<g class='j' data-cells='{text.row} {text.pad:g} {round(y + 11, 1):g}'>{held}</g>")
    if text.tag:
        parts.append(
            f"<g class='tag' transform='translate({round(at.w - 30, 1):g} -8)'><rect width='34' height='14' rx='2'/>"
            f"<text x='17' y='11'>{text.tag}</text></g>"
        )
    return "".join(parts) + "</g>"


def _shown(box: Box, text: BoxText, detail: Detail) -> tuple[list[str], bool]:
    """The lines of a box that are left at a level of detail, and whether the adjoint is one of them."""
    copy = detail and box.copy > 1 and text.slot
    op = not text.classes.startswith(("leaf", "const"))
    values = not (copy or (op and detail >= Detail.NO_MESSAGES))
    counts = detail < Detail.NO_ADJOINTS
    lines = [s for s in text.lines if (values or not s.startswith("= ")) and (counts or not s.startswith("copy "))]
    return lines, text.slot and not (copy or (op and detail >= Detail.NO_ADJOINTS))


def legend(lanes: Sequence[Lane]) -> str:
    """What the signs of these pictures mean, in one line: only of those that are there."""
    nodes = [node for lane in lanes for node in lane.trace.nodes]
    signs = [
        ("ḡ: adjoint, the slope of the result with respect to this value", any(lane.found.slots for lane in lanes)),
        ("…: more messages may arrive", any(lane.found.slots for lane in lanes)),
        ("orange dashes: this step", any(lane.moments for lane in lanes)),
        ("×: local derivative, the slope of one op", any(lane.slopes for lane in lanes)),
        ("double rim: the result", bool(nodes)),
        ("1, 2: order of arguments", any(lane.numbers for lane in lanes)),
        ("thick rim: your rule", any(node.kind == "custom" for node in nodes)),
        ("⊣: the rule returned None", any(lane.found.nones for lane in lanes)),
        ("violet: a Variable", any(node.detail == VARIABLE for node in nodes)),
        (f"dashes: {REPLACED}", any(node.ghost for node in nodes)),
        ("cells: the elements of a small array", any(text.cells for lane in lanes for text in lane.texts.values())),
        ("red: nan or inf", any(lane.found.origins for lane in lanes)),
        ("tag: value nan or inf", any(text.tag for lane in lanes for text in lane.texts.values())),
    ]
    return " · ".join(words for words, there in signs if there)


def without_numbers(svg: str) -> str:
    """Remove the adjoints with ground and cells, the words at lines and the titles; the player makes them itself."""
    svg = re.sub(r"(<g class='j'[^>]*>).*?</g>", r"\1</g>", svg)
    svg = re.sub(r"<text class='[mdk]\b[^>]*>[^<]*</text>|<rect class='slot'[^>]*>", "", svg)
    return re.sub(r"(<text class='g'[^>]*>)[^<]*|<title>[^<]*</title>", r"\1", svg)


def slot_text(frame: Frame, node: int) -> tuple[str, str]:
    """The text of an adjoint slot, and its state: "none" (nothing arrived), "part" (more may come) or "done"."""
    if node not in frame.adjoint:
        return f"ḡ {'none' if frame.over else NOT_YET}", "none"
    text = f"ḡ {frame.held[node]}"
    return (text, "done") if node in frame.done else (f"{text} …", "part")
