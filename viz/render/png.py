"""A picture as pixels: matplotlib paints the SVG of a view by the rules of its own style sheet.

Only what our pictures are made of is read: groups, rectangles, paths and texts.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

SCALE, LONGEST = 2.0, 24_000  #: pixels for each unit of the SVG, fewer where a side would exceed this many pixels
FONT, CODE = "DejaVu Sans", "DejaVu Sans Mono"  #: they come with matplotlib, and the style sheet names them
CHAR = 0.602  #: the width of a character of code, in heights
#: What an element may say of its own look; a rule of the style sheet is weightier.
OWN = ("fill", "stroke", "stroke-width", "stroke-dasharray", "opacity")
ANCHORS = {"start": "left", "middle": "center", "end": "right"}

Element = tuple[str, frozenset[str]]  #: tag and classes
Look = dict[str, str]


@dataclass(frozen=True)
class Rule:
    """A rule of a style sheet: its selector from the element outwards, each part with the combinator before it."""

    parts: tuple[tuple[str, str, frozenset[str]], ...]
    look: Look

    @property
    def weight(self) -> tuple[int, int]:
        return sum(len(classes) for *_, classes in self.parts), sum(bool(tag) for _, tag, _ in self.parts)

    def fits(self, path: list[Element], at: int = 0) -> bool:
        """Whether the last element of `path` is selected, from part number `at` on."""
        between, tag, classes = self.parts[at]
        if not path or tag not in ("", path[-1][0]) or not classes <= path[-1][1]:
            return False
        if at + 1 == len(self.parts):
            return True
        ends = [len(path) - 1] if between == ">" else range(len(path) - 1, 0, -1)
        return any(self.fits(path[:end], at + 1) for end in ends)


def png(svg: str, theme: str = "light") -> bytes:
    """The bytes of a PNG of `svg`, a picture that carries its style.

    theme: "light" or "dark". Raises ValueError for another one, ImportError where matplotlib is missing.
    """
    if theme not in ("light", "dark"):
        raise ValueError(f'theme must be "light" or "dark", got {theme!r}')
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "to_png draws with the package matplotlib: pip install matplotlib; to_svg needs none"
        ) from None
    root = ElementTree.fromstring(re.sub(r" xmlns='[^']*'", "", svg, count=1))
    w, h = float(root.get("width", 1)), float(root.get("height", 1))
    figure = Figure(figsize=(w / 72, h / 72))  # a unit is a point
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, w), ylim=(h, 0))
    axes.axis("off")
    _Painter(axes, root, theme).paint(root, 0.0, 0.0, [], {})
    file = BytesIO()
    with warnings.catch_warnings(), rc_context({"text.hinting": "none"}):  # letters as wide as in a browser
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        figure.savefig(file, format="png", dpi=72 * min(SCALE, LONGEST / max(w, h)))
    return file.getvalue()


def rules_of(sheet: str, theme: str) -> tuple[list[Rule], Look]:
    """The rules of a style sheet for elements, the weightiest last, and its variables in a theme."""
    rules: list[Rule] = []
    variables: Look = {}
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet):
        look = dict(part.strip().split(":", 1) for part in body.split(";") if ":" in part)
        for selector in selectors.strip().split(","):
            if selector in (".mgv", f".mgv[data-theme={theme}]"):
                variables |= {name: value for name, value in look.items() if name.startswith("--")}
            if not re.search(r"[:@\[]", selector):
                rules.append(Rule(_parts(selector), look))
    return sorted(rules, key=lambda rule: rule.weight), variables


def _parts(selector: str) -> tuple[tuple[str, str, frozenset[str]], ...]:
    words = re.split(r"\s*(>|\s)\s*", selector.strip())[::-1]
    return tuple(
        (between, word.split(".")[0], frozenset(word.split(".")[1:]))
        for word, between in zip(words[::2], [*words[1::2], ""])
    )


class _Painter:
    def __init__(self, axes: Any, root: ElementTree.Element, theme: str) -> None:
        self.axes = axes
        self.rules, self.variables = rules_of("".join(style.text or "" for style in root.iter("style")), theme)

    def paint(self, element: ElementTree.Element, x: float, y: float, above: list[Element], around: Look) -> None:
        """Paint an element and what is in it; x, y is the origin, `around` the look that it inherits."""
        path = [*above, (element.tag, frozenset(element.get("class", "").split()))]
        own = {name: element.attrib[name] for name in OWN if name in element.attrib}
        look = self.look(path, {**around, "opacity": "1", **own})
        look["opacity"] = str(float(look["opacity"]) * float(around.get("opacity", 1)))
        if look.get("visibility") == "hidden" or element.tag in ("defs", "style", "title"):
            return
        if moved := re.match(r"translate\((\S+) (\S+)\)", element.get("transform", "")):
            x, y = x + float(moved[1]), y + float(moved[2])
        if element.tag == "rect":
            self.rectangle(element, x, y, look)
        elif element.tag == "path":
            points, codes = outline(element.get("d", ""))
            self.patch([(x + px, y + py) for px, py in points], codes, look)
        elif element.tag == "text":
            self.text(element, x + float(element.get("x", 0)), y + float(element.get("y", 0)), path, look)
        else:
            for child in element:
                self.paint(child, x, y, path, look)

    def look(self, path: list[Element], own: Look) -> Look:
        """How the last element of `path` looks; `own` is what it inherits and what it says itself."""
        look = {**own}
        for rule in self.rules:
            if rule.fits(path):
                look |= rule.look
        return look

    def colour(self, look: Look, name: str, otherwise: str = "none") -> str:
        value = look.get(name, otherwise)
        while value.startswith("var("):
            value = self.variables.get(value[4:-1], "none")
        return "none" if value == "transparent" else value

    def pen(self, look: Look) -> dict[str, Any]:
        """Colours, width and dashes as matplotlib's patches take them."""
        fill, edge = self.colour(look, "fill", "black"), self.colour(look, "stroke")
        width, opacity = float(look.get("stroke-width", "1").removesuffix("px")), float(look["opacity"])
        drawn = "none" if edge == "none" else look.get("stroke-dasharray", "none")
        dashes = [float(part) / width for part in drawn.split() if part != "none"]
        return {
            "fc": (fill, 0 if fill == "none" else opacity), "ec": (edge, 0 if edge == "none" else opacity),
            "lw": 0 if edge == "none" else width, "ls": (0, dashes) if dashes else "-", "capstyle": "butt",
        }  # fmt: skip

    def rectangle(self, element: ElementTree.Element, x: float, y: float, look: Look) -> None:
        from matplotlib.patches import FancyBboxPatch

        left, top, w, h, radius = (float(element.get(name, 0)) for name in ("x", "y", "width", "height", "rx"))
        radius = min(radius, w / 2, h / 2)
        style = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
        self.axes.add_patch(FancyBboxPatch((x + left, y + top), w, h, boxstyle=style, **self.pen(look)))

    def patch(self, points: list[tuple[float, float]], codes: list[int], look: Look) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        self.axes.add_patch(PathPatch(Path(points, codes), **self.pen(look)))

    def text(self, element: ElementTree.Element, x: float, y: float, path: list[Element], look: Look) -> None:
        """Paint a text; pieces of another look follow each other in a font of one width."""
        pieces = [(element.text or "", look)]
        for piece in element:
            inner = self.look([*path, (piece.tag, frozenset(piece.get("class", "").split()))], look)
            pieces += [(piece.text or "", inner), (piece.tail or "", look)]
        for words, mine in pieces:
            if words.strip():
                self.words(words, x, y, mine)
            x += len(words) * CHAR * font_size(mine)

    def words(self, words: str, x: float, y: float, look: Look) -> None:
        self.axes.text(
            x, y, words, parse_math=False, usetex=False, family=CODE if "monospace" in look.get("font", "") else FONT,
            size=font_size(look), color=self.colour(look, "fill", "black"), alpha=float(look["opacity"]),
            ha=ANCHORS[look.get("text-anchor", "start")], va="baseline",
            weight="bold" if int(look.get("font-weight", 400)) > 500 else "normal",
            style=look.get("font-style", "normal"),
        )  # fmt: skip


def font_size(look: Look) -> float:
    """The font size of a look in units of the SVG."""
    size = look.get("font-size") or look.get("font", "12px").partition("px")[0]
    return float(size.removesuffix("px"))


def outline(d: str) -> tuple[list[tuple[float, float]], list[int]]:
    """The points and matplotlib's codes of a path: M, L, H, V, C absolute, h, v, l, c relative, z.

    >>> outline("M1 2h4c1 1 2 2 3-3z")
    ([(1.0, 2.0), (5.0, 2.0), (6.0, 3.0), (7.0, 4.0), (8.0, -1.0), (1.0, 2.0)], [1, 2, 4, 4, 4, 79])
    """
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    begin = 0
    for letter, digits in re.findall(r"([MLHVClhvcz])([^A-Za-z]*)", d):
        n = [float(word) for word in re.findall(r"-?[\d.]+", digits)]
        x, y = points[-1] if points else (0.0, 0.0)
        u, v = (x, y) if letter.islower() else (0.0, 0.0)
        if letter in "Cc":
            points += [(u + n[i], v + n[i + 1]) for i in (0, 2, 4)]
            codes += [4, 4, 4]
        elif letter == "z":
            points.append(points[begin])
            codes.append(79)
        else:
            begin = len(points) if letter == "M" else begin
            points.append((x if letter in "Vv" else u + n[0], y if letter in "Hh" else v + n[-1]))
            codes.append(1 if letter == "M" else 2)
    return points, codes
