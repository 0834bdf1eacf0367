"""What stands in a box, and how large the box must be so that nothing is clipped at any step."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from minigrad.formulas import titles
from minigrad.numerals import clip, full, nonfinite, shape_text, short
from minigrad.traces import BackwardTrace, Node

from .plan import Drawing, Item
from .stops import Stop

SIZE = 12  #: font size
LINE = 17.0  #: distance of lines
PAD = 9.0
#: Width of one character of a monospace font in units of the font size: the widest of the usual ones, and a margin.
CHAR = 0.615
LABEL = 11  #: font size of a message
CUT = -1000  #: the argument number of an edge that should be there and is not
NOT_YET = "not yet"  #: an adjoint slot that nothing has reached must never look like 0
LONGEST = 18  #: characters of a name or a value in a box; the rest is in the title


@dataclass(frozen=True)
class Card:
    """The words of one box. `tag` warns of the forward value; `slot`: whether there is a place for the adjoint.

    light: which boxes give way where a line could be straight: constants (2), then ghosts and copies of inputs (1).
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
    light: int = 0


def cards(trace: BackwardTrace, plan: Drawing, all_stops: tuple[Stop, ...]) -> dict[str, Card]:
    """The card of every item. The slot is wide enough for every adjoint that the pass will show in it."""
    name = titles(trace)
    nodes = {node.id: node for node in trace.nodes}
    widest: dict[int, float] = {}
    for step in [*trace.steps, *(s for ghost in trace.ghosts for s in ghost.steps)]:
        if step.node not in plan.alone:
            continue
        widest[step.node] = max(widest.get(step.node, 0), text_width(short(step.g), SIZE))
    for stop in all_stops:
        if stop.send is not None:
            after = text_width(short(stop.send.after), SIZE)
            widest[stop.send.to] = max(widest.get(stop.send.to, 0), after)
    ports: dict[str, int] = {}
    for link in plan.links:
        ports[link.dst] = ports.get(link.dst, 0) + 1
    return {item.key: _card(item, nodes[item.nodes[0]], name, widest, ports.get(item.key, 0)) for item in plan.items}


def label_widths(plan: Drawing, all_stops: tuple[Stop, ...]) -> dict[str, float]:
    """How wide the message on each link can become."""
    width = {s.send.edge: text_width(short(s.send.value), LABEL) for s in all_stops if s.send is not None}
    several = text_width("99999 messages", LABEL)
    return {
        link.key: text_width("no way back", LABEL)
        if link.arg == CUT
        else max(*(width.get(edge, 0.0) for edge in link.named), several if len(link.edges) > 1 else 0.0)
        for link in plan.links
    }


def lightness(words: dict[str, Card]) -> dict[str, int]:
    """Which boxes give way where a line could be straight."""
    return {key: card.light for key, card in words.items()}


def _card(item: Item, node: Node, name: dict[int, str], widest: dict[int, float], ports: int) -> Card:
    lines: tuple[str, ...]
    if item.folded:
        head, side, lines, slot = clip(item.label, 2 * LONGEST), "", (f"{len(item.nodes)} nodes folded",), False
    elif node.op == "cut":
        head, side, slot = clip(node.name, LONGEST), "", False
        lines = (f"= {clip(short(node.value), LONGEST)}", "left the graph")
    elif node.kind == "const":
        head, side, lines, slot = "", "", (clip(short(node.value), LONGEST),), False
    else:
        head, side, lines = _words(item, node, name)
        slot = node.dtype.startswith("float")
    tag = "" if item.folded else nonfinite(node.value) or ""
    title = item.label if item.folded else _title(node, name)
    adjoint = max(widest.get(node.id, 0.0), text_width(NOT_YET, SIZE)) + text_width("ḡ  …", SIZE)
    texts = [text_width(head + "  " * bool(side) + side, SIZE + 0.6), *(text_width(line, SIZE) for line in lines)]
    pad = PAD + 5.0 * (ports > 1)  # room for the numbers of the arguments
    w = max(*texts, adjoint if slot else 0.0, 0.0 if node.kind == "const" else 56.0) + PAD + pad
    rows = bool(head) + len(lines) + slot
    h = max(rows * LINE + 9 + 3 * slot, ports * 16.0 + 10)
    light = 2 if node.kind == "const" and not item.folded else int(node.ghost or item.copies > 1)
    return Card(head, side, lines, tag, slot, _classes(item, node), title, round(w), round(h), pad, light)


def _words(item: Item, node: Node, name: dict[int, str]) -> tuple[str, str, tuple[str, ...]]:
    own = clip(name[node.id], LONGEST)
    if node.kind == "leaf":
        head, side = own, shape_text(node.shape)
    else:
        number = name[node.id].partition("#")[2]
        called = node.name or (f"#{number}" if number else "")
        head = clip(node.op, LONGEST)
        side = " ".join(word for word in (clip(called, LONGEST), shape_text(node.shape)) if word)
    lines = [f"= {clip(short(node.value), LONGEST)}"]
    if node.detail:
        lines.insert(0, clip(node.detail, LONGEST))
    if node.custom:
        lines.insert(0, f"rule: {clip(node.custom, LONGEST)}")
    if item.copies > 1:
        lines.append(f"use {item.copy} of {item.copies}")
    return head, side, tuple(lines)


def _title(node: Node, name: dict[int, str]) -> str:
    """The full text, where the box shortens it."""
    what = name[node.id] if node.kind in ("leaf", "const") else f"{node.op} {node.name}".strip()
    words = f"{what} = {full(node.value)}"
    if node.detail:
        words += f" ({node.detail})"
    return words


def _classes(item: Item, node: Node) -> str:
    kind = "op" if node.kind == "output" else node.kind
    if node.op == "cut":
        return "const cut"
    return "fold" if item.folded else kind + " ghost" * node.ghost


def text_width(text: str, size: float) -> float:
    """How wide `text` can become in a monospace font of `size` pixels, counted generously.

    >>> text_width("exp", 12) < text_width("指数関数", 12)
    True
    """
    units = sum(1.0 if c.isascii() else 2.0 if unicodedata.east_asian_width(c) in "WF" else 1.2 for c in text)
    return units * CHAR * size
