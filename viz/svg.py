"""The renderer, the only one: a trace, a plan and a layout become SVG that a page can then bring to life.

The picture carries its own style and both themes, no script, and ids that begin with the id of its view.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache
from html import escape
from importlib.resources import files

from minigrad.numerals import nonfinite, short
from minigrad.traces import BackwardTrace

from .card import CUT, LINE, NOT_YET, PAD, Card, cards, label_widths, lightness
from .layout import Box, Layout, place
from .plan import Drawing, Item
from .stops import Frame, Stop

Way = tuple[tuple[int, int], ...]


def static(name: str) -> str:
    """A file of `viz/static` as text."""
    return (files("viz") / "static" / name).read_text(encoding="utf-8")


@cache
def picture_style() -> str:
    return " ".join(static("picture.css").split())


def image_style(body: str) -> str:
    """The rules that an image of `body` needs, and no more: they are saved with each view.

    Nobody tells an image the theme of its page, only the system's.
    """
    lines = [line for line in static("picture.css").splitlines() if not line.startswith(".mgv[")]
    style = "".join(needed_rules(lines, classes_of(body) | {f"m{mark}" for mark in marks(body)}))
    style = style.replace(".mgv:not([data-theme=light])", "svg").replace("svg.mgv", "svg")
    style = style.replace(".mgv ", "").replace(".mgv{", "svg{")
    return re.sub(r"(--\w+):[^;}]*;?", lambda rule: rule[0] if f"var({rule[1]})" in style else "", style)


def needed_rules(lines: Iterable[str], present: Collection[str]) -> list[str]:
    """Of rules, one a line, those whose classes are all present; rules for a theme stay whole."""
    known = {"mgv", "paper", *present}
    return [
        line
        for line in lines
        if line.startswith(("@", ".mgv[")) or set(re.findall(r"\.([A-Za-z]+)", line.partition("{")[0])) <= known
    ]


def classes_of(body: str) -> set[str]:
    return set(" ".join(re.findall(r"class='([^']*)'", body)).split())


def arrange(
    trace: BackwardTrace, plan: Drawing, stops: tuple[Stop, ...], engine: str = "auto", rankdir: str = "LR"
) -> tuple[dict[str, Card], Layout]:
    """The cards and their places."""
    words = cards(trace, plan, stops)
    sizes = {key: (card.w, card.h) for key, card in words.items()}
    return words, place(plan, sizes, label_widths(plan, stops), engine, rankdir, lightness(words))


def wrap(body: str, width: float, height: float, uid: str, summary: str, style: str) -> str:
    """The whole SVG element around figures; `style` is its style sheet, "" where the page has it."""
    w, h = round(width), round(height)
    heads = marks(body) if style else "fbx"
    names = "".join(f"--{mark}:url(#{uid}{mark});" for mark in heads)
    sheet = f"<style>{style}</style>" if style else ""
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' class='mgv' id='{uid}' width='{w}' height='{h}' "
        f"viewBox='0 0 {w} {h}' role='img' aria-label='{_quote(summary)}' style='{names}'>"
        f"{sheet}<defs>{''.join(_marker(uid, mark) for mark in heads)}</defs>"
        f"<rect class='paper' width='{w}' height='{h}'/>{body}</svg>"
    )


def figure(
    trace: BackwardTrace,
    plan: Drawing,
    words: dict[str, Card],
    layout: Layout,
    frame: Frame,
    way: Way = (),
    brief: int = 0,
) -> str:
    """Lines, then boxes.

    way: the ends of the edges that are marked as a path, against their direction.
    brief: 1 leaves out what is written elsewhere: messages that are the whole adjoint of a box, the numbers of copies
    of an input, and the ground of adjoints; 2 leaves out all messages and the values of ops; 3 their adjoints too, and
    the counts of copies. A nan or inf on its way back is always there.
    """
    marked = set(way)
    edges = {edge.id: edge for edge in trace.edges}
    uses: dict[int, int] = {}
    for edge in trace.edges:
        uses[edge.dst] = uses.get(edge.dst, 0) + (not edge.ghost)
    cut = {link.key for link in plan.links if "cut" in words[link.src].classes or edges[link.edges[0]].arg == CUT}
    parts, numbers = [], []
    folded = {item.key for item in plan.items if item.folded}
    for link in plan.links:
        path, edge = layout.paths[link.key], edges[link.edges[0]]
        x, y = path.label
        end = path.end
        sends = [frame.messages[e] for e in link.named if e in frame.messages]
        bad = any(nonfinite(send.value) for send in sends)
        classes = ["e", *["ghost"] * link.ghost, *["sent"] * bool(sends), *["bad"] * bad]
        classes += ["now"] * any(e in frame.now for e in link.edges)
        classes += ["way"] * bool(marked and any((edges[e].dst, edges[e].src) in marked for e in link.edges))
        many = len(link.edges) if len(link.edges) > len(link.named) else 0
        message = (
            f"{many or len(sends)} messages"
            if sends and many + len(sends) > 1
            else escape(short(sends[0].value))
            if sends
            else ""
        )
        if brief and not bad and (brief > 1 or message == short(frame.adjoint.get(edge.src, ""))):
            message = ""
        if link.key in cut:
            classes.append("cut")
            numbers.append(f"<text class='w' x='{round(x)}' y='{round(y)}'>no way back</text>")
        if uses[edge.dst] > 1 and link.dst not in folded and not link.ghost:
            nx, ny = (end[0] + 3, end[1] + 3) if layout.rankdir == "LR" else (end[0] + 6, end[1] - 2)
            numbers.append(f"<text class='k' x='{round(nx)}' y='{round(ny)}'>{edge.arg + 1}</text>")
        ids = " ".join(str(e) for e in link.named) + f"' data-c='{many}" * bool(many)
        parts.append(
            f"<g class='{' '.join(classes)}' data-e='{ids}'><path d='{path.d}'/>"
            f"<text class='m' x='{round(x)}' y='{round(y)}'>{message}</text></g>"
        )
    outputs = {node.id for node in trace.nodes if node.output}
    passed = {node for ends in way for node in ends}
    boxes = [_box(item, words[item.key], layout.boxes[item.key], outputs, passed, frame, brief) for item in plan.items]
    return f"<g class='{layout.rankdir}'>{''.join(parts)}</g><g>{''.join(boxes)}</g><g>{''.join(numbers)}</g>"


def _box(item: Item, card: Card, box: Box, outputs: set[int], passed: set[int], frame: Frame, brief: int) -> str:
    node = item.nodes[0]
    adjoint, state = slot_text(frame, node)
    classes = card.classes + (f" {state}" if card.slot else "")
    classes += " bad" * bool(card.slot and nonfinite(frame.adjoint.get(node))) + " now" * (frame.active in item.nodes)
    classes += " way" * bool(passed.intersection(item.nodes))
    ids = " ".join(str(n) for n in item.named)
    w, h = _n(box.w), _n(box.h)
    radius = {"leaf": 12, "const": 11}.get(card.classes.split()[0], 4)
    parts = [f"<g class='n {classes}' data-n='{ids}' transform='translate({round(box.x)} {round(box.y)})'>"]
    if _shortened(card):
        parts.append(f"<title>{escape(card.title)}</title>")
    parts.append(f"<rect class='b' width='{w}' height='{h}' rx='{radius}'/>")
    if node in outputs:
        parts.append(f"<rect class='rim' x='-4' y='-4' width='{_n(box.w + 8)}' height='{_n(box.h + 8)}' rx='7'/>")
    lines, slot = _shown(item, card, brief)
    slot = slot or (card.slot and "bad" in classes.split())
    y = (box.h - (bool(card.head) + len(lines) + slot) * LINE - 3 * slot) / 2 + 12.5
    if card.head:
        parts.append(f"<text class='h' x='{_n(card.pad)}' y='{_n(y)}'>{escape(card.head)}</text>")
        if card.side:
            parts.append(f"<text class='s' x='{_n(box.w - PAD)}' y='{_n(y)}'>{escape(card.side)}</text>")
        y += LINE
    for line in lines:
        parts.append(f"<text x='{_n(card.pad)}' y='{_n(y)}'>{escape(line)}</text>")
        y += LINE
    if slot:
        if not brief:
            parts.append(f"<rect class='slot' x='4' y='{_n(y - 11)}' width='{_n(box.w - 8)}' height='17' rx='3'/>")
        parts.append(f"<text class='g' x='{_n(card.pad)}' y='{_n(y + 2)}'>{escape(adjoint)}</text>")
    if card.tag:
        parts.append(
            f"<g class='tag' transform='translate({_n(box.w - 30)} -8)'><rect width='34' height='14' rx='2'/>"
            f"<text x='17' y='11'>{card.tag}</text></g>"
        )
    return "".join(parts) + "</g>"


def _shown(item: Item, card: Card, brief: int) -> tuple[list[str], bool]:
    """The lines of a card that a brief picture keeps, and whether the adjoint is one of them."""
    copy = brief and item.copy > 1 and card.slot
    op = not card.classes.startswith(("leaf", "const"))
    values, counts = not (copy or (op and brief > 1)), brief < 3
    lines = [s for s in card.lines if (values or not s.startswith("= ")) and (counts or not s.startswith("use "))]
    return lines, card.slot and not (copy or (op and brief > 2))


def without_numbers(svg: str) -> str:
    """The picture as the player takes it, which writes the adjoints and messages itself, and the full texts too."""
    return re.sub(r"(<text class='[gm]'[^>]*>)[^<]*|<title>[^<]*</title>", r"\1", svg)


def slot_text(frame: Frame, node: int) -> tuple[str, str]:
    """What stands in the adjoint slot, and its state: "none" (nothing arrived), "part" (more may come) or "done"."""
    if node not in frame.adjoint:
        return f"ḡ {NOT_YET}", "none"
    text = f"ḡ {short(frame.adjoint[node])}"
    return (text, "done") if node in frame.done else (f"{text} …", "part")


def _shortened(card: Card) -> bool:
    return "…" in card.head + card.side + "".join(card.lines)


def marks(body: str) -> str:
    """The arrow heads that lines in `body` have: forward, back, and back with what is not finite."""
    looks = [set(found.split()) for found in re.findall(r"class='(e[ \w]*)'", body)]
    bad, sent = (any(word in look for look in looks) for word in ("bad", "sent"))
    return "f" * any("sent" not in look for look in looks) + "b" * sent + "x" * bad


def _marker(uid: str, name: str) -> str:
    d, at = ("M0 1L7 4L0 7z", 7) if name == "f" else ("M8 0L0 4L8 8z", 0)
    return (
        f"<marker id='{uid}{name}' refX='{at}' refY='4' markerWidth='8' markerHeight='8' "
        f"markerUnits='userSpaceOnUse' orient='auto'><path class='m{name}' d='{d}'/></marker>"
    )


def _quote(text: str) -> str:
    return escape(text, quote=True)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
