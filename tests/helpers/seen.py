"""The visible parts of a picture's SVG: words and boxes as rectangles, lines as points, and where they collide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree

from viz.scene.sheet import HEAVY
from viz.scene.words import NORMAL, SMALL, wide

STEPS = 24  #: points on a curve
BOLD = (*HEAVY, "tagt", "vbad")


@dataclass(frozen=True)
class Rect:
    """A rectangle with what it is: the words, or the key of a box. of: the key of the box around words."""

    x: float
    y: float
    w: float
    h: float
    what: str = ""
    of: str = ""
    tag: bool = False  #: whether it is on the rim of its box

    def meets(self, other: Rect, by: float = 0.75) -> bool:
        """Whether the two overlap by more than a hair."""
        return (
            self.x + by < other.x + other.w
            and other.x + by < self.x + self.w
            and self.y + by < other.y + other.h
            and other.y + by < self.y + self.h
        )

    def holds(self, other: Rect, by: float = 1.5) -> bool:
        return (
            self.x - by <= other.x
            and other.x + other.w <= self.x + self.w + by
            and self.y - by <= other.y
            and other.y + other.h <= self.y + self.h + by
        )

    def inside(self, point: tuple[float, float], by: float = 1.5) -> bool:
        return self.x + by < point[0] < self.x + self.w - by and self.y + by < point[1] < self.y + self.h - by


@dataclass(frozen=True)
class Line:
    """A line of the picture: the edge that it draws, its classes, its width and points on it."""

    edge: int
    look: str
    width: float
    points: tuple[tuple[float, float], ...]


class Seen:
    """The words, boxes, open frames, images and lines of a picture."""

    def __init__(self, body: str) -> None:
        self.texts: list[Rect] = []
        self.boxes: list[Rect] = []  #: boxes, pills and closed frames
        self.frames: list[Rect] = []  #: open frames
        self.images: list[Rect] = []
        self.grounds: list[Rect] = []  #: of strips, behind which lines pass
        self.lines: list[Line] = []
        self.sizes: set[int] = set()
        self.looks: dict[str, str] = {}  #: the classes of each box
        self._gather(ElementTree.fromstring(f"<svg>{body}</svg>"), "", "")

    def _gather(self, parent: ElementTree.Element, key: str, look: str) -> None:
        for child in parent:
            classes = child.get("class", "")
            if child.tag == "g":
                own = "".join(f"{name}{child.get(f'data-{name}')} " for name in "nef" if child.get(f"data-{name}"))
                self._gather(child, own.strip() or key, classes if own else look)
                self.looks.update({own.strip(): classes} if own else {})
            elif child.tag == "rect":
                self._rect(child, classes.split(), key, look.split())
            elif child.tag == "text":
                self._text(child, classes.split(), key)
            elif classes.split()[0] == "e":
                points = tuple(points_of(child.get("d", "")))
                self.lines.append(
                    Line(int(child.get("data-e", -1)), classes, float(child.get("stroke-width", 1)), points)
                )

    def _rect(self, child: ElementTree.Element, classes: list[str], key: str, look: list[str]) -> None:
        x, y, w, h = (float(child.get(name, 0)) for name in ("x", "y", "width", "height"))
        if classes[0] in ("b", "fb"):
            (self.frames if "open" in look else self.boxes).append(Rect(x, y, w, h, key))
        elif classes[0] == "sb":
            self.grounds.append(Rect(x, y, w, h, key))
        elif classes[0] == "hf":
            self.images.append(Rect(x, y, w, h, "image", key))

    def _text(self, child: ElementTree.Element, classes: list[str], key: str) -> None:
        size = SMALL if "sm" in classes else NORMAL
        words = child.text or ""
        long = wide(words, size, classes[0] in BOLD)
        x = float(child.get("x", 0)) - (long if "r" in classes else long / 2 if "c" in classes else 0)
        top = float(child.get("y", 0)) - size * 0.8
        self.texts.append(Rect(x, top, long, size, words, key, classes[0] == "tagt"))
        self.sizes.add(size)

    def troubles(self, width: float, height: float) -> dict[str, list[str]]:
        """The collisions of a picture in a window of this size, by kind; {} if there are none."""
        home = {box.what: box for box in [*self.boxes, *self.frames]}
        closed = {box.what for box in self.boxes}
        window = Rect(0, 0, width, height)
        cut = [
            t.what for t in self.texts if not (window.holds(t) and (t.tag or t.of not in home or home[t.of].holds(t)))
        ]
        found = {
            "texts on texts": named(pairs(self.texts, self.texts)),
            "texts on images": named(pairs(self.texts, self.images)),
            "texts over foreign boxes": named((a, b) for a, b in pairs(self.texts, self.boxes) if a.of != b.what),
            "texts cut": cut,
            "images cut": [image.of for image in self.images if not home[image.of].holds(image)],
            "boxes on boxes": named(pairs(self.boxes, self.boxes)),
            "boxes out of the window": [box.what for box in home.values() if not window.holds(box)],
            "lines out of the window": [
                f"e{line.edge}" for line in self.lines if any(not window.inside(p, 1.0) for p in line.points)
            ],
            "texts crossed by lines": self.crossed(
                [text for text in self.texts if self.is_bare(text, closed)], 0.5, 0.5
            ),
            "boxes crossed by lines": self.crossed(self.boxes, 2.0, 0.0),
        }
        return {kind: some for kind, some in found.items() if some}

    def is_bare(self, text: Rect, closed: set[str]) -> bool:
        """Whether a line through a text would be seen: the text is in no box, and on no background."""
        return text.of not in closed and not any(ground.holds(text) for ground in self.grounds)

    def crossed(self, rects: list[Rect], by: float, ink: float) -> list[str]:
        """The rectangles that a line runs through, by more than `by` pixels; ink: how much of its width counts."""
        return [
            f"{rect.what} | e{line.edge}"
            for rect in rects
            for line in self.lines
            if any(rect.inside(point, by - ink * line.width) for point in line.points)
        ]


def named(pairs: Iterable[tuple[Rect, Rect]]) -> list[str]:
    return [f"{a.what} | {b.what}" for a, b in pairs]


def pairs(some: list[Rect], others: list[Rect]) -> list[tuple[Rect, Rect]]:
    """The pairs of rectangles that overlap, each pair once."""
    if some is others:
        return [(a, b) for a, b in combinations(some, 2) if a.meets(b)]
    return [(a, b) for a in some for b in others if a.meets(b)]


def points_of(path: str) -> Iterator[tuple[float, float]]:
    """Points on a path of M, L, C, h and v, near enough to find what it crosses."""
    x = y = 0.0
    for letter, text in re.findall(r"([MLChv])([^A-Za-z]*)", path):
        p = [float(number) for number in re.findall(r"-?[\d.]+", text)]
        if letter in "hv":
            p = [x + p[0], y] if letter == "h" else [x, y + p[0]]
        a, b, c, d = (x, y), (p[0], p[1]), (p[-4], p[-3]) if letter == "C" else (x, y), (p[-2], p[-1])
        for i in range(1, STEPS + 1) if letter != "M" else [1]:
            t = i / STEPS
            if letter == "C":
                weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                yield tuple(sum(w * q[k] for w, q in zip(weights, (a, b, c, d))) for k in (0, 1))
            elif letter != "M":
                yield a[0] + t * (d[0] - a[0]), a[1] + t * (d[1] - a[1])
        x, y = d
        if letter == "M":
            yield d
