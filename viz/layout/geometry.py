"""Boxes and paths of a picture, and the room that words need around them."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.drawing import Drawing

MARGIN = 14.0
BESIDE = 26.0  #: room beside a message that stands above its box, for the number of the argument
PORT = 28.0  #: distance between two edges that end at the same box: words stand above and below each

Sizes = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Rectangle:
    """The upper left corner and the size of a box."""

    x: float
    y: float
    w: float
    h: float

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.w / 2, self.y + self.h / 2


@dataclass(frozen=True)
class Path:
    """A line from the source's box to the target's: a start, then straight ("L", 1 point) or cubic ("C", 3) pieces.

    `label` is the point where the message stands, just before the target; `end` where the line meets its box.
    """

    start: tuple[float, float]
    pieces: tuple[tuple[str, tuple[float, ...]], ...]
    label: tuple[float, float]

    @property
    def end(self) -> tuple[float, float]:
        return self.pieces[-1][1][-2], self.pieces[-1][1][-1]

    @property
    def d(self) -> str:
        """The path in the syntax of SVG: relative, and level pieces in a row as one."""
        x, y = (round(p) for p in self.start)
        text, across = f"M{x} {y}", ""  # across: the last piece, where it is a level one
        for letter, points in self.pieces:
            whole = [round(p) for p in points]
            if letter == "L" and whole[1] == y:
                x -= int(across[1:] or 0)
                text, across = text.removesuffix(across), f"h{whole[0] - x}"
                text += across
            elif letter == "L" and whole[0] == x:
                text, across = text + f"v{whole[1] - y}", ""
            else:
                steps = [p - (y if i % 2 else x) for i, p in enumerate(whole)]
                text += letter.lower() + "".join(f" {p}" if i and p >= 0 else f"{p}" for i, p in enumerate(steps))
                across = ""
            x, y = whole[-2:]
        return text


def widened(drawing: Drawing, sizes: Sizes, labels: dict[str, float]) -> Sizes:
    """Sizes with room above each box for the messages of all its arguments side by side."""
    width: dict[str, list[float]] = {}
    for link in drawing.links:
        width.setdefault(link.dst, []).append(labels.get(link.key, 0.0) + BESIDE)
    return {
        key: (max(w, max(width.get(key, [0.0])) * len(width.get(key, ())) + 10), h) for key, (w, h) in sizes.items()
    }
