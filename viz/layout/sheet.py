"""A sheet: the boxes and lines of one frame, or of the whole picture, in columns.

A column of the picture is a backward wave: the column of a node is its longest distance from the output. Between
columns there is a gap for curves and, next to the box that sends them, for the messages. Long edges pass other
columns in lanes of their own, so no edge runs under a box. `flow` gives a sheet its coordinates; in a page, frames.js
does, because a frame that is opened changes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from ..model.drawing import Link
from .geometry import BESIDE, MARGIN, PORT
from .layers import Layers

LANE = 12.0  #: breadth of a lane for a passing edge
NECK = 8  #: a picture that is too wide goes on below where no more edges than this cross from column to column


class Column(NamedTuple):
    """The room before a column, the part of it for messages, its own size, and how many lines cross the room."""

    gap: float
    label: float
    size: float
    crossing: int


@dataclass(frozen=True)
class Track:
    """A line: how far from the centres of its boxes it leaves and arrives, and its lanes: columns and coordinates."""

    src: str
    leave: float
    lanes: tuple[tuple[int, float], ...]
    dst: str
    arrive: float


@dataclass(frozen=True)
class Sheet:
    """Columns from the first inputs to the output; of each box its column, its centre in it, and its size."""

    columns: tuple[Column, ...]
    boxes: dict[str, tuple[int, float, float, float]]
    tracks: dict[str, Track]
    breadth: float
    across: bool

    def moved(self, by: int, columns: tuple[Column, ...]) -> Sheet:
        """This sheet `by` columns further on, among other columns."""
        boxes = {key: (k + by, c, w, h) for key, (k, c, w, h) in self.boxes.items()}
        tracks = {
            key: replace(track, lanes=tuple((k + by, c) for k, c in track.lanes)) for key, track in self.tracks.items()
        }
        return replace(self, columns=columns, boxes=boxes, tracks=tracks)


class SheetMaker:
    """Makes a sheet of rows and coordinates."""

    def __init__(
        self,
        layers: Layers,
        links: list[Link],
        sizes: dict[str, tuple[float, float]],
        labels: dict[str, float],
        cross: dict[str, float],
        across: bool,
    ) -> None:
        self.layers, self.links, self.sizes, self.labels, self.across = layers, links, sizes, labels, across
        broad = 1 if across else 0
        breadth = {k: sizes[k][broad] if k in sizes else LANE for k in cross}
        low = min(c - breadth[k] / 2 for k, c in cross.items())
        self.cross = {key: round(c - low + MARGIN) for key, c in cross.items()}
        self.floor = max(c + breadth[k] / 2 for k, c in self.cross.items())
        self.last = len(layers.rows) - 1
        self.around = [link for link in links if self._span(link) > 1 and not layers.chain[link.key]]

    def _span(self, link: Link) -> int:
        return self.layers.rank[link.src] - self.layers.rank[link.dst]

    def sheet(self) -> Sheet:
        leave, arrive = self._ports()
        rank = self.layers.rank
        boxes = {key: (self.last - rank[key], float(self.cross[key]), w, h) for key, (w, h) in self.sizes.items()}
        chain, cross, tracks = self.layers.chain, self.cross, {}
        for link in self.links:
            lanes = tuple((self.last - rank[point], float(cross[point])) for point in chain[link.key])
            if link in self.around:
                bus = self.floor + 12 + 10 * self.around.index(link)
                lanes = tuple((self.last - r, bus) for r in range(rank[link.src] - 1, rank[link.dst], -1))
            tracks[link.key] = Track(link.src, leave[link.key], lanes, link.dst, arrive[link.key])
        breadth = self.floor + MARGIN + (10 * len(self.around) + 8 if self.around else 0)
        return Sheet(self._columns(), boxes, tracks, breadth, self.across)

    def _columns(self) -> tuple[Column, ...]:
        rank, rows, along = self.layers.rank, self.layers.rows, 0 if self.across else 1
        steep: dict[int, float] = {}
        room: dict[int, float] = {}
        crossing = [0] * (len(rows) + 1)
        for link in self.links:
            points = [link.src, *self.layers.chain[link.key], link.dst]
            for a, b in pairwise(points):
                if rank[a] - rank[b] == 1:
                    steep[rank[b]] = max(steep.get(rank[b], 0), abs(self.cross[a] - self.cross[b]))
            label = self.labels.get(link.key, 0.0) + 18 if self.across else 42.0
            room[rank[link.dst]] = max(room.get(rank[link.dst], 0), label)
            for r in range(rank[link.dst], rank[link.src]):
                crossing[r] += 1
        columns = []
        for r in range(self.last, -1, -1):
            gap = round(min(90, 26 + 0.12 * steep.get(r, 0)) + room.get(r, 0)) if r < self.last else 0
            size = max((self.sizes[key][along] for key in rows[r] if key in self.sizes), default=0)
            columns.append(Column(gap, room.get(r, 0), size, crossing[r]))
        return tuple(columns)

    def _ports(self) -> tuple[dict[str, float], dict[str, float]]:
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
        wide = dict.fromkeys(arriving, PORT)
        for link in self.links if not self.across else ():
            wide[link.dst] = max(wide[link.dst], self.labels.get(link.key, 0.0) + BESIDE)
        return self._spread(leaving, dict.fromkeys(leaving, 12.0)), self._spread(arriving, wide)

    def _spread(self, ends: dict[str, list[tuple[float, int, str]]], wish: dict[str, float]) -> dict[str, float]:
        offset = {}
        for key, mine in ends.items():
            mine.sort()
            room = self.sizes[key][1 if self.across else 0]
            step = min(wish[key], (room - 10) / len(mine))
            straight = [i for i, (c, _, _) in enumerate(mine) if abs(c - self.cross[key]) < 0.5]
            zero = (len(mine) - 1) / 2
            if len(straight) == 1 and max(straight[0], len(mine) - 1 - straight[0]) * step < room / 2 - 4:
                zero = straight[0]
            for i, (_, _, link) in enumerate(mine):
                offset[link] = (i - zero) * step
        return offset
