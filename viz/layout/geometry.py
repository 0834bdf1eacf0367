"""Boxes and paths from rows and coordinates.

A column of the picture is a backward wave: the column of a node is its longest distance from the output. Between
columns there is a gap for curves and, next to the box that sends them, for the messages. Long edges pass other
columns in lanes of their own, so no edge runs under a box.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ..model.drawing import Drawing, Link
from .layers import Layers

MARGIN = 14.0
LANE = 12.0  #: breadth of a lane for a passing edge
BESIDE = 26.0  #: room beside a message that stands above its box, for the number of the argument
PORT = 26.0  #: distance between two edges that end at the same box: words stand above and below each

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
        """The path in the syntax of SVG."""
        x, y = (round(p) for p in self.start)
        text = f"M{x} {y}"
        for letter, points in self.pieces:
            whole = [round(p) for p in points]
            if letter == "L" and whole[1] == y:
                text += f"H{whole[0]}"
            elif letter == "L" and whole[0] == x:
                text += f"V{whole[1]}"
            else:
                steps = [p - (y if i % 2 else x) for i, p in enumerate(whole)]
                text += letter.lower() + "".join(f" {p}" if i and p >= 0 else f"{p}" for i, p in enumerate(steps))
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


class Geometry:
    """Turns rows and coordinates into boxes and paths: `u` runs along the forward direction, `c` across it."""

    def __init__(
        self,
        layers: Layers,
        links: list[Link],
        sizes: Sizes,
        labels: dict[str, float],
        cross: dict[str, float],
        across: bool,
    ) -> None:
        self.layers, self.links, self.sizes, self.across = layers, links, sizes, across
        low = min(cross[k] - (sizes[k][1 if across else 0] if k in sizes else LANE) / 2 for k in cross)
        self.cross = {key: round(c - low + MARGIN) for key, c in cross.items()}
        self.floor = max(self.cross[k] + (sizes[k][1 if across else 0] if k in sizes else LANE) / 2 for k in cross)
        self.around = [link for link in links if self._span(link) > 1 and not layers.chain[link.key]]
        self._columns(labels)
        self._ports(labels)

    def _span(self, link: Link) -> int:
        return self.layers.rank[link.src] - self.layers.rank[link.dst]

    def _columns(self, labels: dict[str, float]) -> None:
        """Where each rank begins and ends, and where the room for messages before it begins."""
        rank, rows = self.layers.rank, self.layers.rows
        size = 0 if self.across else 1
        steep: dict[int, float] = {}
        room: dict[int, float] = {}
        for link in self.links:
            points = [link.src, *self.layers.chain[link.key], link.dst]
            for a, b in pairwise(points):
                if rank[a] - rank[b] == 1:
                    steep[rank[b]] = max(steep.get(rank[b], 0), abs(self.cross[a] - self.cross[b]))
            label = labels.get(link.key, 0.0) + 18 if self.across else 34.0
            room[rank[link.dst]] = max(room.get(rank[link.dst], 0), label)
        self.begin, self.end, self.label_room = {}, {}, {}
        u = MARGIN
        for r in range(len(rows) - 1, -1, -1):
            if r < len(rows) - 1:
                u += round(min(90, 26 + 0.12 * steep.get(r, 0)) + room.get(r, 0))
            self.label_room[r] = u - room.get(r, 0)
            self.begin[r] = u
            u += max((self.sizes[key][size] for key in rows[r] if key in self.sizes), default=0)
            self.end[r] = u
        self.length = u + MARGIN

    def _ports(self, labels: dict[str, float]) -> None:
        """How far from the centre of its box each link leaves and arrives: straight lines first, nothing crossed."""
        leaving: dict[str, list[tuple[float, int, str]]] = {}
        arriving: dict[str, list[tuple[float, int, str]]] = {}
        for i, link in enumerate(self.links):
            chain = self.layers.chain[link.key]
            bus = self.floor + 1 if link in self.around else None
            first = bus or self.cross[chain[0] if chain else link.dst]
            last = bus or self.cross[chain[-1] if chain else link.src]
            leaving.setdefault(link.src, []).append((first, i, link.key))
            arriving.setdefault(link.dst, []).append((last, i, link.key))
        self.leave = self._spread(leaving, dict.fromkeys(leaving, 12.0))
        wide = dict.fromkeys(arriving, PORT)
        for link in self.links if not self.across else ():
            wide[link.dst] = max(wide[link.dst], labels.get(link.key, 0.0) + BESIDE)
        self.arrive = self._spread(arriving, wide)

    def _spread(self, ends: dict[str, list[tuple[float, int, str]]], wish: dict[str, float]) -> dict[str, float]:
        offset = {}
        for key, mine in ends.items():
            mine.sort()
            room = self.sizes[key][1 if self.across else 0]
            step = min(wish[key], (room - 10) / len(mine))
            straight = [i for i, (c, _, _) in enumerate(mine) if abs(c - self.cross[key]) < 0.5]
            zero = (len(mine) - 1) / 2
            if len(straight) == 1 and max(straight[0], len(mine) - 1 - straight[0]) * step < room / 2 - 6:
                zero = straight[0]
            for i, (_, _, link) in enumerate(mine):
                offset[link] = (i - zero) * step
        return offset

    def result(self, keys: list[str]) -> tuple[dict[str, Rectangle], dict[str, Path], dict[str, int], float, float]:
        boxes, paths, ranks = {}, {}, {}
        for key in keys:
            w, h = self.sizes[key]
            r = self.layers.rank[key]
            u = (self.begin[r] + self.end[r]) / 2 - (w if self.across else h) / 2
            c = self.cross[key] - (h if self.across else w) / 2
            boxes[key] = Rectangle(*self._xy(u, c), w, h)
            ranks[key] = r
        for link in self.links:
            paths[link.key] = self._path(link)
        breadth = self.floor + MARGIN + (10 * len(self.around) + 8 if self.around else 0)
        return boxes, paths, ranks, *self._xy(self.length, breadth)

    def _path(self, link: Link) -> Path:
        rank, size = self.layers.rank, 0 if self.across else 1
        src, dst = rank[link.src], rank[link.dst]
        out, into = (self.sizes[key][size] / 2 for key in (link.src, link.dst))
        u = (self.begin[src] + self.end[src]) / 2 + out
        c = self.cross[link.src] + self.leave[link.key]
        start = self._xy(u, c)
        if link in self.around:
            bus = self.floor + 12 + 10 * self.around.index(link)
            lanes = [(r, bus) for r in range(src - 1, dst, -1)]
        else:
            lanes = [(rank[point], self.cross[point]) for point in self.layers.chain[link.key]]
        knots = [(u, c), (self.end[src], c)]
        for r, lane in lanes:
            knots += [(self.begin[r], lane), (self.end[r], lane)]
        target = self.cross[link.dst] + self.arrive[link.key]
        knots += [(self.label_room[dst], target), ((self.begin[dst] + self.end[dst]) / 2 - into, target)]
        x, y = self._xy(*knots[-1])
        label = (x - 9, y - 4) if self.across else (x, y - 10)
        return Path(start, tuple(self._pieces(knots)), label)

    def _pieces(self, knots: list[tuple[float, float]]) -> list[tuple[str, tuple[float, ...]]]:
        """Straight where two knots are level, else a curve that leaves and arrives along the forward direction."""
        pieces: list[tuple[str, tuple[float, ...]]] = []
        for (u0, c0), (u1, c1) in pairwise(knots):
            if abs(u1 - u0) < 0.5:  # a piece without length would leave an arrowhead without direction
                continue
            if abs(c0 - c1) < 0.5:
                if pieces and pieces[-1][0] == "L":
                    pieces.pop()
                pieces.append(("L", (u1, c1)))
            else:
                middle = (u0 + u1) / 2
                pieces.append(("C", (middle, c0, middle, c1, u1, c1)))
        if self.across:
            return pieces
        return [(letter, tuple(points[i ^ 1] for i in range(len(points)))) for letter, points in pieces]

    def _xy(self, u: float, c: float) -> tuple[float, float]:
        return (u, c) if self.across else (c, u)
