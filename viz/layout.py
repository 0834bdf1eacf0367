"""Where everything goes: one `Layout`, whichever of the two layouts found the coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from . import align, dot
from .geometry import LANE, MARGIN, Box, Geometry, Path, widened
from .layered import Layers, make_layers, order
from .plan import Drawing, Link


@dataclass(frozen=True)
class Layout:
    """Boxes by item key, paths by link key, the size of the picture, and which engine answered ("dot" or "builtin").

    `why` says in a sentence why dot was asked and did not answer; "" otherwise.
    """

    boxes: dict[str, Box]
    paths: dict[str, Path]
    ranks: dict[str, int]
    width: float
    height: float
    engine: str
    rankdir: str
    why: str = ""


def place(
    plan: Drawing,
    sizes: dict[str, tuple[float, float]],
    labels: dict[str, float] | None = None,
    engine: str = "auto",
    rankdir: str = "LR",
    light: dict[str, int] | None = None,
) -> Layout:
    """Lay out `plan`. `sizes` are the widths and heights of its items, `labels` the widths of the links' messages.

    engine: "dot" (Graphviz, an error where it fails), "builtin", or "auto" (dot where it answers, else builtin).
    rankdir: "LR" puts the output to the right, "TB" to the bottom.
    light: items that give way where a line could be straight, the higher number first.
    """
    if engine not in ("auto", "dot", "builtin"):
        raise ValueError(f'layout must be "auto", "dot" or "builtin", got {engine!r}')
    if rankdir not in ("LR", "TB"):
        raise ValueError(f'rankdir must be "LR" (left to right) or "TB" (top to bottom), got {rankdir!r}')
    across = rankdir == "LR"
    labels = labels or {}
    if not across:
        sizes = widened(plan, sizes, labels)
    keys = [item.key for item in plan.items]
    if not keys:
        return Layout({}, {}, {}, 2 * MARGIN, 2 * MARGIN, "builtin", rankdir)
    links = sorted(plan.links, key=lambda link: link.ghost)  # ghosts last: they lie below what replaced them
    layers = make_layers(keys, [(link.key, link.src, link.dst) for link in links], light)
    breadth = {key: sizes[key][1 if across else 0] for key in keys} | dict.fromkeys(layers.waypoints, LANE)
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
    geometry = Geometry(layers, links, sizes, labels, cross, across)
    return Layout(*geometry.result(keys), used, rankdir, why)


def _upright(layers: Layers, cross: dict[str, float], links: list[Link]) -> None:
    """Mirror dot's answer where that puts more first arguments above second ones, and ghosts below."""
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
