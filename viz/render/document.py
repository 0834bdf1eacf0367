"""The SVG document around pictures: its style sheet, its arrow heads, and the compact form for hosts without scripts.

An image is saved with the notebook as it is, so each of its bytes counts. The picture of the player is full of
numbers for the script; here the boxes of one look are one path, the texts of one look one group, and nothing has an id.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, partial
from html import escape
from importlib.resources import files
from xml.etree import ElementTree

Placed = tuple[ElementTree.Element, float, float]


#: Text with a sign in the place of each control character: a name may hold them, XML may not.
printable = partial(re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]").sub, "\N{REPLACEMENT CHARACTER}")


def wrap(body: str, width: float, height: float, uid: str, summary: str, style: str) -> str:
    """The whole SVG element around figures; `style` is its style sheet, "" where the page has it.

    summary: what the picture is called, "" where its page says it.
    """
    w, h = round(width), round(height)
    heads = marks(body) if style else "fbx"
    names = "".join(f"--{mark}:url(#{uid}{mark});" for mark in heads)
    sheet = f"<style>{style}</style>" if style else ""
    said = f" role='img' aria-label='{escape(printable(summary))}'" if summary else ""
    markers = ""
    for mark in heads:
        d, at = ("M0 1L7 4L0 7z", 7) if mark == "f" else ("M8 0L0 4L8 8z", 0)
        markers += (
            f"<marker id='{uid}{mark}' refX='{at}' refY='4' markerWidth='8' markerHeight='8' "
            f"markerUnits='userSpaceOnUse' orient='auto'><path class='m{mark}' d='{d}'/></marker>"
        )
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' class='mgv' id='{uid}' width='{w}' height='{h}' "
        f"viewBox='0 0 {w} {h}'{said} style='{names}'>"
        f"{sheet}<defs>{markers}</defs>"
        f"<rect class='paper' width='{w}' height='{h}'/>{body}</svg>"
    )


def static(name: str) -> str:
    """A file of `viz/static` as text."""
    return (files("viz") / "static" / name).read_text(encoding="utf-8")


@cache
def picture_style() -> str:
    """The style of a picture that is a file of its own."""
    return " ".join(static("picture.css").split())


def image_style(body: str) -> str:
    """The rules that an image of `body` needs, and no more: they are saved with each view.

    An image sees the theme of the system, not of its page.
    """
    lines = [line for line in static("picture.css").splitlines() if not line.startswith(".mgv[")]
    style = "".join(needed_rules(lines, classes_of(body) | {f"m{mark}" for mark in marks(body)}))
    style = style.replace(".mgv:not([data-theme=light])", "svg").replace("svg.mgv", "svg")
    style = style.replace(".mgv ", "").replace(".mgv{", "svg{")
    style = re.sub(r"ui-monospace,.*?monospace", "Menlo,Consolas,monospace", style)
    unused = set(re.findall(r"(--\w+):", style)) - set(re.findall(r"var\((--\w+)\)", style))
    return re.sub(rf"({'|'.join(unused)}):[^;}}]*;?", "", style) if unused else style


def needed_rules(lines: Iterable[str], present: Collection[str]) -> list[str]:
    """Select the CSS rules, one a line, whose classes are all present; rules for a theme stay whole."""
    known = {"mgv", "paper", *present}
    return [
        line
        for line in lines
        if line.startswith(("@", ".mgv[")) or set(re.findall(r"\.([A-Za-z]+)", line.partition("{")[0])) <= known
    ]


def classes_of(body: str) -> set[str]:
    return set(" ".join(re.findall(r"class='([^']*)'", body)).split())


def marks(body: str) -> str:
    """The arrow heads in `body`: forward (f), back (b), and back with a nan or inf (x)."""
    looks = [set(found.split()) for found in re.findall(r"class='(e[ \w]*)'", body)]
    bad, sent = (any(word in look for look in looks) for word in ("bad", "sent"))
    return "f" * any("sent" not in look for look in looks) + "b" * sent + "x" * bad


def compact(body: str, brief: bool = False) -> str:
    """The content of an SVG, regrouped by look, without the numbers of arguments.

    Lines stay below boxes, because the renderer draws them first. brief : the boxes of inputs and
    constants have no round corners either.

    >>> box = "<g class='n op' transform='translate(5 5)'><rect class='b' width='9' height='9' rx='4'/></g>"
    >>> compact(box + box.replace("5 5", "20 5"))
    "<g class='n op'><path class='b' d='M5 5v9h9v-9zM20 5v9h9v-9z'/></g>"
    """
    if brief:
        body = re.sub(r" rx='\d+'", "", body)
    return _merged([(ElementTree.fromstring(f"<g>{body}</g>"), 0.0, 0.0)])


def _merged(groups: list[Placed]) -> str:
    """The children of several groups of one look, as the content of one."""
    looks: dict[tuple[str, str], list[Placed]] = {}
    for group, x, y in groups:
        heads = {child.get("class"): child for child in group if group.get("class", "").startswith("n ")}
        if "h" in heads and "s" in heads:  # one text of the two in the first line of a box
            heads["h"].text = f"{heads['h'].text}  {heads['s'].text}"
            group.remove(heads["s"])
        for child in group:
            if child.tag == "text" and not child.text:
                continue
            moved = re.match(r"translate\((\S+) (\S+)\)", child.get("transform", ""))
            dx, dy = moved.groups() if moved else (child.get("x", 0), child.get("y", 0))
            kind = "round" if float(child.get("rx", 0)) > 7 else child.tag
            looks.setdefault((kind, child.get("class", "")), []).append((child, x + float(dx), y + float(dy)))
    tags = [key for key in looks if "tag" in key[1]]
    order = [key for key in looks if key not in tags and key[1] != "k"] + tags  # tags lie above rims
    content = ""
    for kind, look in order:
        name, inner = f" class='{look}'" if look else "", ""
        if kind == "g":
            inner = _merged(looks[kind, look])
        for part, x, y in looks[kind, look] if kind in PARTS else ():
            left, top, words = round(x), round(y), escape(part.text or "", quote=False)
            shift = f" transform='translate({left} {top})'" * bool(x or y)
            inner += PARTS[kind].format_map({**part.attrib, "x": left, "y": top, "moved": shift, "words": words})
        if kind == "rect":
            content += f"<path{name} d='{inner}'/>"
        else:
            content += f"<g{name}>{inner}</g>" if name and inner else inner
    return content


#: How a part of a look is written; square boxes are pieces of one path.
PARTS = {
    "path": "<path d='{d}'{moved}/>",
    "rect": "M{x} {y}v{height}h{width}v-{height}z",
    "round": "<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='{rx}'/>",
    "text": "<text x='{x}' y='{y}'>{words}</text>",
}
