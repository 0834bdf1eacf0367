"""The layout of a drawing: boxes and paths, whichever of the two engines found the coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter

from ..model.drawing import Drawing, Link
from . import align, dot
from .geometry import LANE, MARGIN, Geometry, Path, Rectangle, widened
from .layers import Layers, make_layers, order


@dataclass(frozen=True)
class Sizes:
    """The widths and heights of boxes, and the widths of the messages on links, by their keys.

    priority: boxes that move aside where that makes a line straight, the higher number first.
    """

    boxes: dict[str, tuple[float, float]]
    labels: dict[str, float] = field(default_factory=dict)
    priority: dict[str, int] = field(default_factory=dict)

    def __or__(self, other: Sizes) -> Sizes:
        """Sizes with room for both."""
        boxes = dict(self.boxes)
        for key, (w, h) in other.boxes.items():
            mine = boxes.get(key, (0.0, 0.0))
            boxes[key] = max(w, mine[0]), max(h, mine[1])
        labels = {key: max(self.labels.get(key, 0.0), w) for key, w in other.labels.items()}
        return Sizes(boxes, {**self.labels, **labels}, {**self.priority, **other.priority})


@dataclass(frozen=True)
class Layout:
    """Boxes and paths by key, the size of the picture, and the engine that found the coordinates: "dot" or "builtin".

    `why` says in a sentence why dot was tried and gave none; "" otherwise.
    """

    boxes: dict[str, Rectangle]
    paths: dict[str, Path]
    ranks: dict[str, int]
    width: float
    height: float
    engine: str
    rankdir: str
    why: str = ""


def lay_out(drawing: Drawing, sizes: Sizes, engine: str = "auto", rankdir: str = "LR") -> Layout:
    """Find a place for each box and a path for each link of `drawing`.

    engine: "dot" (Graphviz, an error where it fails), "builtin", or "auto" (dot where it works, else builtin).
    rankdir: "LR" puts the output to the right, "TB" to the bottom.
    """
    if engine not in ("auto", "dot", "builtin"):
        raise ValueError(f'layout must be "auto", "dot" or "builtin", got {engine!r}')
    if rankdir not in ("LR", "TB"):
        raise ValueError(f'rankdir must be "LR" (left to right) or "TB" (top to bottom), got {rankdir!r}')
    across = rankdir == "LR"
    room = sizes.boxes if across else widened(drawing, sizes.boxes, sizes.labels)
    keys = [box.key for box in drawing.boxes]
    if not keys:
        return Layout({}, {}, {}, 2 * MARGIN, 2 * MARGIN, "builtin", rankdir)
    links = sorted(drawing.links, key=attrgetter("ghost"))  # ghosts last: they lie below what replaced them
    layers = make_layers(keys, [(link.key, link.src, link.dst) for link in links], sizes.priority)
    breadth = {key: room[key][1 if across else 0] for key in keys} | dict.fromkeys(layers.waypoints, LANE)
    gap = 22.0 if across else 26.0
    why, used = "", "builtin"
    cross = None
    if engine != "builtin":
        try:
            cross = dot.coordinates(layers, breadth, gap)
            _upright(layers, cross, links)
            used = "dot"
        except dot.NoDot as error:
            if engine == "dot":
                raise RuntimeError(f"{error}.") from None
            why = str(error)
    if cross is None:
        order(layers)
        cross = align.coordinates(layers, breadth, gap)
    geometry = Geometry(layers, links, room, sizes.labels, cross, across)
    return Layout(*geometry.result(keys), used, rankdir, why)


def _upright(layers: Layers, cross: dict[str, float], links: list[Link]) -> None:
    """Mirror dot's coordinates where that puts more first arguments above second ones, and ghosts below."""
    turn = 0
    by_target: dict[str, list[Link]] = {}
    for link in links:
        by_target.setdefault(link.dst, []).append(link)
    for mine in by_target.values():
        spots = [cross[(layers.chain[link.key] or [link.src])[-1]] for link in mine]
        for i, a in enumerate(mine):
            for j in range(i + 1, len(mine)):
                weight = 5 if a.ghost != mine[j].ghost else 1
                turn += weight * ((spots[i] > spots[j]) - (spots[i] < spots[j]))
    if turn > 0:
        for key in cross:
            cross[key] = -cross[key]
        for row in layers.rows:
            row.reverse()
