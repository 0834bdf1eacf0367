"""The picture for hosts without scripts: shapes that look alike share one element, and nothing has an id.

An image is saved with the notebook as it is, so each of its bytes counts. The picture of the player is full of
numbers for the script; here the boxes of one look are one path, and the texts of one look one group.
"""

from __future__ import annotations

import re
from html import escape
from xml.etree import ElementTree

Placed = tuple[ElementTree.Element, float, float]


def compact(body: str) -> str:
    """The content of an SVG, regrouped by look, without the numbers of arguments.

    Lines stay below boxes, because the renderer draws them first.

    >>> box = "<g class='n op' transform='translate(5 5)'><rect class='b' width='9' height='9' rx='4'/></g>"
    >>> compact(box + box.replace("5 5", "20 5"))
    "<g class='n op'><path class='b' d='M5 5h9v9h-9zM20 5h9v9h-9z'/></g>"
    """
    return _merged([(ElementTree.fromstring(f"<g>{body}</g>"), 0.0, 0.0)])


def _merged(groups: list[Placed]) -> str:
    """The children of several groups of one look, as the content of one."""
    looks: dict[tuple[str, str], list[Placed]] = {}
    for group, x, y in groups:
        if group.get("class", "").startswith("n "):
            _join_head(group)
        for child in group:
            moved = re.match(r"translate\((\S+) (\S+)\)", child.get("transform", ""))
            dx, dy = moved.groups() if moved else (child.get("x", 0), child.get("y", 0))
            kind = "round" if float(child.get("rx", 0)) > 7 else child.tag
            looks.setdefault((kind, child.get("class", "")), []).append((child, x + float(dx), y + float(dy)))
    tags = [key for key in looks if "tag" in key[1]]
    order = [key for key in looks if key not in tags and key[1] != "k"] + tags  # tags lie above rims
    content = ""
    for kind, look in order:
        name, members = f" class='{look}'" if look else "", looks[kind, look]
        if kind == "g":
            inner = _merged(members)
            content += f"<g{name}>{inner}</g>" if name and inner else inner
        elif kind in WRITERS:
            content += WRITERS[kind](name, members)
    return content


def _join_head(box: ElementTree.Element) -> None:
    """Make one text of the two texts in the first line of a box."""
    by_look = {child.get("class"): child for child in box}
    if "h" in by_look and "s" in by_look:
        by_look["h"].text = f"{by_look['h'].text}  {by_look['s'].text}"
        box.remove(by_look["s"])


def _paths(look: str, members: list[Placed]) -> str:
    lines = ""
    for child, x, y in members:
        moved = f" transform='translate({round(x)} {round(y)})'" if x or y else ""
        lines += f"<path d='{child.get('d')}'{moved}/>"
    return f"<g{look}>{lines}</g>" if look else lines


def _boxes(look: str, members: list[Placed]) -> str:
    outlines = ""
    for box, x, y in members:
        w, h = box.get("width", "0"), box.get("height", "0")
        outlines += f"M{round(x)} {round(y)}h{w}v{h}h-{w}z"
    return f"<path{look} d='{outlines}'/>"


def _round(look: str, members: list[Placed]) -> str:
    boxes = ""
    for box, x, y in members:
        w, h, radius = (box.get(name) for name in ("width", "height", "rx"))
        boxes += f"<rect x='{round(x)}' y='{round(y)}' width='{w}' height='{h}' rx='{radius}'/>"
    return f"<g{look}>{boxes}</g>"


def _texts(look: str, members: list[Placed]) -> str:
    words = ""
    for text, x, y in members:
        if text.text:
            words += f"<text x='{round(x)}' y='{round(y)}'>{escape(text.text, quote=False)}</text>"
    return f"<g{look}>{words}</g>" if look and words else words


WRITERS = {"path": _paths, "rect": _boxes, "round": _round, "text": _texts}
