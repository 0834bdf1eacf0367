"""The layout of a drawing: boxes and paths, whichever of the two engines found the coordinates.

Graphviz gets the same layered graph as the built-in engine, with waypoints as small nodes, and chooses the order and
the coordinates in each row; so its coordinates have the form of the built-in ones, and both are drawn alike.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf
from operator import attrgetter

from ..model.drawing import Drawing, Link
from . import align
from .flow import flow
from .geometry import MARGIN, Path, Rectangle, widened
from .layers import Layers, make_layers, order
from .sheet import LANE, Sheet, SheetMaker

WIDE = 895.0  #: pixels; a wider picture goes on below: in a window of 1280 pixels its words are then 14 pixels high
WIDER, HIGH = 1180.0, 690.0  #: pixels; a picture of many boxes that is no higher then is wider: it is seen whole
TIMEOUT = 4.0  #: seconds; graphs on which dot is slow look no worse in the built-in layout


@dataclass(frozen=True)
class Sizes:
    """The widths and heights of boxes, and the widths of the messages on links, by their keys.

    priority: boxes that move aside where that makes a line straight, the higher number first. dense: whether the boxes
    stand close together.
    """

    boxes: dict[str, tuple[float, float]]
    labels: dict[str, float] = field(default_factory=dict)
    priority: dict[str, int] = field(default_factory=dict)
    dense: bool = False

    def __or__(self, other: Sizes) -> Sizes:
        """Sizes with room for both."""
        boxes = dict(self.boxes)
        for key, (w, h) in other.boxes.items():
            mine = boxes.get(key, (0.0, 0.0))
            boxes[key] = max(w, mine[0]), max(h, mine[1])
        labels = {key: max(self.labels.get(key, 0.0), w) for key, w in other.labels.items()}
        return Sizes(boxes, {**self.labels, **labels}, {**self.priority, **other.priority}, self.dense)


@dataclass(frozen=True)
class Layout:
    """Boxes and paths by key, the size of the picture, and the engine that found the coordinates: "dot" or "builtin".

    `why` says in a sentence why dot was tried and gave none; "" otherwise. sheets: what the player needs to open
    frames, by their keys, that of the whole picture as ""; none where nothing opens. limit: the width at which it
    goes on below, 0 where it does not.
    """

    boxes: dict[str, Rectangle]
    paths: dict[str, Path]
    ranks: dict[str, int]
    width: float
    height: float
    engine: str
    rankdir: str
    why: str = ""
    sheets: dict[str, Sheet] = field(default_factory=dict)
    limit: float = 0.0


NOWHERE = Layout({}, {}, {}, 2 * MARGIN, 2 * MARGIN, "builtin", "LR")  #: the layout of nothing


def lay_out(
    drawing: Drawing, sizes: Sizes, engine: str = "auto", rankdir: str = "LR", width: float | None = None
) -> Layout:
    """Find a place for each box and a path for each link of `drawing`.

    engine: "dot" (Graphviz, an error where it fails), "builtin", or "auto" (dot where it works, else builtin).
    rankdir: "LR" puts the output to the right, "TB" to the bottom. width: a picture from left to right that is
    wider goes on below; by default `WIDE`, or `WIDER` for many boxes that are seen whole then.
    """
    if engine not in ("auto", "dot", "builtin"):
        raise ValueError(f'layout must be "auto", "dot" or "builtin", got {engine!r}')
    if rankdir not in ("LR", "TB"):
        raise ValueError(f'rankdir must be "LR" (left to right) or "TB" (top to bottom), got {rankdir!r}')
    if not drawing.boxes:
        return replace(NOWHERE, rankdir=rankdir)
    sheet, used, why = _sheet(drawing, sizes, engine, rankdir)
    if width is None:
        width = _width(sheet, drawing.dense)
    placed = flow(sheet, width)
    limit = width if width < inf else 0.0
    inner = {box.key: _sheet(box.inside, sizes, "builtin", rankdir)[0] for box in drawing.frames if box.inside}
    boxes, paths, wide, high = placed
    ranks = {key: len(sheet.columns) - 1 - k for key, (k, *_) in sheet.boxes.items()}
    return Layout(boxes, paths, ranks, wide, high, used, rankdir, why, {"": sheet, **inner} if inner else {}, limit)


def lay_out_below(drawings: Sequence[Drawing], sizes: Sizes, engine: str = "auto", rankdir: str = "LR") -> list[Layout]:
    """Layouts of pictures that stand below each other: a box of the same key stands in the same column of each.

    Where their own columns are others than the common ones, all have the layout of the whole.
    """
    whole = Drawing(
        tuple({box.key: box for drawing in drawings for box in drawing.boxes}.values()),
        tuple({link.key: link for drawing in drawings for link in drawing.links}.values()),
    )
    common = lay_out(whole, sizes, engine, rankdir)
    columns, *_ = _sheet(whole, sizes, engine, rankdir)
    found = []
    for drawing in drawings:
        sheet, *_ = _sheet(drawing, sizes, engine, rankdir)
        aside = [columns.boxes[key][0] - k for key, (k, *_) in sheet.boxes.items()]
        if min(aside) < max(aside):
            return [common] * len(drawings)
        boxes, paths, wide, high = flow(sheet.moved(aside[0], columns.columns), common.limit or inf)
        found.append(replace(common, boxes=boxes, paths=paths, width=wide, height=high))
    return found


def _width(sheet: Sheet, dense: bool) -> float:
    """The width from which a picture goes on below: none for one from top to bottom."""
    if not sheet.across:
        return inf
    return WIDER if dense and flow(sheet, WIDER)[3] <= HIGH else WIDE


def _sheet(drawing: Drawing, sizes: Sizes, engine: str, rankdir: str) -> tuple[Sheet, str, str]:
    """The boxes and lines of one frame in columns, the engine that ordered them, and why it was not dot."""
    across = rankdir == "LR"
    boxes = sizes.boxes | dict.fromkeys(drawing.ports, (0.0, LANE) if across else (LANE, 0.0))
    keys = [*(box.key for box in drawing.boxes), *drawing.ports]
    room = {key: boxes[key] for key in keys}
    room = room if across else widened(drawing, room, sizes.labels)
    links = sorted(drawing.links, key=attrgetter("ghost"))  # ghosts last: they lie below what replaced them
    entering = [port for port in drawing.ports if port[0] == "<"]
    layers = make_layers(keys, [(link.key, link.src, link.dst) for link in links], sizes.priority, entering)
    breadth = {key: room[key][1 if across else 0] for key in keys} | dict.fromkeys(layers.waypoints, LANE)
    gap = 26.0 if not across else 16.0 if sizes.dense else 22.0
    why, used = "", "builtin"
    cross = None
    if engine != "builtin":
        try:
            cross = dot_coordinates(layers, breadth, gap)
            _upright(layers, cross, links)
            used = "dot"
        except NoDot as error:
            if engine == "dot":
                raise RuntimeError(f"{error}.") from None
            why = str(error)
    if cross is None:
        order(layers)
        cross = align.coordinates(layers, breadth, gap)
    return SheetMaker(layers, links, room, sizes.labels, cross, across).sheet(), used, why


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


class NoDot(Exception):
    """Graphviz gave no positions; the message is the reason, as a sentence."""


def dot_coordinates(layers: Layers, breadth: dict[str, float], gap: float) -> dict[str, float]:
    """The centre of each key along its row, as `align.coordinates` gives it. Raises NoDot on any failure."""
    if shutil.which("dot") is None:
        raise NoDot('layout="dot" needs the Graphviz program dot on the PATH; layout="builtin" needs nothing')
    keys = [key for row in layers.rows for key in row]
    number = {key: f"v{i}" for i, key in enumerate(keys)}
    try:
        done = subprocess.run(
            ["dot", "-Tplain"],
            input=_source(layers, breadth, gap, number),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
    except ImportError:
        raise NoDot(
            'layout="dot" needs the Python package graphviz: pip install graphviz, or layout="builtin"'
        ) from None
    except subprocess.TimeoutExpired:
        raise NoDot(f"dot had no layout after {TIMEOUT:g} s") from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoDot(f"dot failed: {error}") from None
    words = (line.split() for line in done.stdout.splitlines())
    spot = {word[1]: float(word[2]) * 72 for word in words if word and word[0] == "node"}
    if len(spot) < len(keys):
        raise NoDot(f"dot placed {len(spot)} of {len(keys)} nodes")
    x = {key: spot[number[key]] for key in keys}
    for row in layers.rows:
        row.sort(key=x.__getitem__)
        for a, b in pairwise(row):
            if x[b] - x[a] < (breadth[a] + breadth[b]) / 2 + gap / 2:
                raise NoDot("dot placed two nodes on top of each other")
    return x


def _source(layers: Layers, breadth: dict[str, float], gap: float, number: dict[str, str]) -> str:
    import graphviz

    graph = graphviz.Digraph(graph_attr={"nodesep": f"{gap / 72:.4f}", "ranksep": "0.1", "splines": "false"})
    graph.attr("node", shape="box", fixedsize="true", height="0.05", label="")
    for row in layers.rows:
        with graph.subgraph(graph_attr={"rank": "same"}) as same:
            for key in row:
                same.node(number[key], width=f"{breadth[key] / 72:.4f}")
    for key, sources in layers.above.items():
        for src in sources:
            ends = {key, src}
            give = max(layers.priority.get(end, 0) for end in ends)
            heavy = [s for s in sources if not layers.priority.get(s)]
            chain = len(layers.below[src]) == 1 and len(heavy) == 1
            weight = (3, 2, 1)[give] if give else 40 if chain or ends <= layers.waypoints else 3
            graph.edge(number[src], number[key], weight=str(weight))
    return graph.source
