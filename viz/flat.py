"""The same picture for where no script runs: whatever looks alike shares one element, and nothing has a number.

An image is saved with the notebook as it is, so each of its bytes counts. The picture of the player is full of names
for the script to find; here the boxes of one look are one path, and the texts of one look one group.
"""

from __future__ import annotations

import re
from html import escape
from xml.etree import ElementTree

Placed = tuple[ElementTree.Element, float, float]


def flatten(body: str) -> str:
    """The content of an SVG, regrouped by look. Lines stay below boxes, because the renderer draws them first.

    >>> box = "<g class='n op' transform='translate(5 5)'><rect class='b' width='9' height='9' rx='4'/></g>"
    >>> flatten(box + box.replace("5 5", "20 5"))
    "<g class='n op'><path class='b' d='M5 5h9v9h-9zM20 5h9v9h-9z'/></g>"
    """
    return _merged([(ElementTree.fromstring(f"<g>{body}</g>"), 0.0, 0.0)])


def _merged(groups: list[Placed]) -> str:
    """The children of several groups of one look, as the content of one."""
    kinds: dict[tuple[str, str], list[Placed]] = {}
    for group, x, y in groups:
        for child in _joined(group):
            dx, dy = _offset(child)
            look = _attribute("class", child.get("class", ""))
            tag = "round" if float(child.get("rx", 0)) > 7 else child.tag
            kinds.setdefault((tag, look), []).append((child, x + dx, y + dy))
    order = sorted(kinds.items(), key=lambda kind: "tag" in kind[0][1])  # tags lie above rims
    return "".join(WRITERS[tag](look, members) for (tag, look), members in order if tag in WRITERS)


def _joined(group: ElementTree.Element) -> list[ElementTree.Element]:
    """The children of a group; the two texts of a first line are one text. The numbers of arguments stay away."""
    children = [child for child in group if child.get("class") != "k"]
    head, side = (next((c for c in children if c.get("class") == look), None) for look in "hs")
    if head is not None and side is not None:
        head.text = f"{head.text}  {side.text}"
        children.remove(side)
    return children


def _paths(look: str, members: list[Placed]) -> str:
    lines = "".join(f"<path d='{child.get('d')}'{_shift(x, y)}/>" for child, x, y in members)
    return f"<g{look}>{lines}</g>" if look else lines


def _boxes(look: str, members: list[Placed]) -> str:
    outlines = ""
    for box, x, y in members:
        w, h = box.get("width", "0"), box.get("height", "0")
        outlines += f"M{_n(x)} {_n(y)}h{w}v{h}h-{w}z"
    return f"<path{look} d='{outlines}'/>"


def _round(look: str, members: list[Placed]) -> str:
    boxes = "".join(
        f"<rect x='{_n(x)}' y='{_n(y)}' width='{box.get('width')}' height='{box.get('height')}' rx='{box.get('rx')}'/>"
        for box, x, y in members
    )
    return f"<g{look}>{boxes}</g>"


def _texts(look: str, members: list[Placed]) -> str:
    words = "".join(
        f"<text x='{_n(x)}' y='{_n(y)}'>{escape(text.text, quote=False)}</text>" for text, x, y in members if text.text
    )
    return f"<g{look}>{words}</g>" if look and words else words


def _group(look: str, members: list[Placed]) -> str:
    content = _merged(members)
    return f"<g{look}>{content}</g>" if look and content else content


WRITERS = {"path": _paths, "rect": _boxes, "round": _round, "text": _texts, "g": _group}


def _offset(element: ElementTree.Element) -> tuple[float, float]:
    """Where an element stands within its parent."""
    moved = re.match(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
    return (float(moved[1]), float(moved[2])) if moved else (float(element.get("x", 0)), float(element.get("y", 0)))


def _shift(x: float, y: float) -> str:
    return _attribute("transform", f"translate({_n(x)} {_n(y)})" if x or y else "")


def _attribute(name: str, value: str) -> str:
    return f" {name}='{value}'" if value else ""


def _n(value: float) -> str:
    return f"{round(value)}"
