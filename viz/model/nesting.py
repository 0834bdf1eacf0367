"""From a trace and its blocks to a drawing: in which frame each box stands, and where an edge crosses a rim."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache
from itertools import takewhile

from minigrad.tracing.model import BackwardTrace, Edge, Node

from .blocks import EQUAL, Block, Part
from .drawing import Box, Drawing, Link, ranks

FAN_OUT, SPAN = 2, 8  #: a leaf with more uses than FAN_OUT, over more than SPAN ranks, is drawn once per use
SPAN_OF_FRAMES = 3  #: the same where frames use it: they are wide, so that its lines would go on below sooner

Way = tuple[str, ...]  #: the keys of the frames around a box, then its own
Flow = tuple[Edge, Way, Way]  #: an edge, and the ways to its two ends from the frame that is being drawn


def drawing_of(
    trace: BackwardTrace,
    parts: Sequence[Part] = (),
    openable: Collection[Block] = (),
    note: str = "",
) -> Drawing:
    """The drawing in which each block of `parts` is a frame, for no parts one without frames.

    openable: the frames that have a drawing inside. note: what the drawing says about its frames.
    """
    nest = _Nest(trace, openable)
    nest.stand(parts, ())
    nest.inputs()
    boxes, flows = nest.boxes(), []
    for edge in trace.edges:
        src, dst = nest.way[edge.src], nest.way[edge.dst]
        if edge.src in nest.copies:
            src = nest.copy(edge, boxes)
        if src != dst:
            flows.append((edge, src, dst))
    drawn = _inside((), flows, boxes, ())
    return Drawing(drawn.boxes, drawn.links, note, tuple(parts))


class _Nest:
    """The way to the box of each node: the frames around it, and the frame or node that is drawn."""

    def __init__(self, trace: BackwardTrace, openable: Collection[Block]) -> None:
        self.trace, self.openable = trace, openable
        self.blocks: dict[str, Block] = {}
        self.way: dict[int, Way] = {}
        self.copies: dict[int, dict[Way, Way]] = {}  # node -> the way to the user -> the way to the copy for it
        self.shared: dict[str, dict[int, None]] = {}  # frame -> the inputs of which it holds a copy

    def stand(self, parts: Sequence[Part], around: Way) -> None:
        """Put the ops of `parts` into the frames `around` them."""
        for part in parts:
            if not isinstance(part, Block):
                self.way |= {n: (*around, f"n{n}") for n in part}
                continue
            way = (*around, f"f{len(self.blocks)}")
            self.blocks[way[-1]] = part
            if part in self.openable:
                self.stand(part.parts, way)
            else:
                self.way |= dict.fromkeys(part.nodes, way)

    def inputs(self) -> None:
        """Put each input into the innermost frame around all its uses, and each constant beside its use."""
        fresh = [node for node in self.trace.nodes if node.id not in self.way]
        uses: dict[int, list[int]] = {node.id: [] for node in fresh if node.kind in ("leaf", "const")}
        self.way |= {node.id: (f"n{node.id}",) for node in fresh if node.id not in uses}
        for edge in self.trace.edges:
            if edge.src in uses:
                uses[edge.src].append(edge.dst)
        ranked = cache(self._ranks)
        for node in fresh:
            if node.id in uses and node.id not in self.way:
                users = [self.way[n] for n in uses[node.id]]
                if node.kind == "const":
                    self._constant(node.id, users)
                    continue
                around = users[0][:-1] if users else ()
                for way in users:
                    around = tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(around, way[:-1])))
                self.way[node.id] = (*around, f"n{node.id}")
        for node in fresh:
            if node.kind == "leaf" and len(uses[node.id]) > FAN_OUT:
                self._split(node.id, uses[node.id], ranked)

    def _constant(self, n: int, users: list[Way]) -> None:
        """Beside each box that uses it; inside one that does not open."""
        different = list(dict.fromkeys(users))
        spots = [way if way[-1] in self.blocks else (*way[:-1], f"n{n}") for way in different]
        self.way[n] = spots[0] if spots else (f"n{n}",)
        if len(different) > 1:
            beside = (w if w == s else (*w[:-1], f"n{n}.{i}") for i, (w, s) in enumerate(zip(different, spots), 1))
            self.copies[n] = dict(zip(different, beside))

    def _split(self, n: int, uses: list[int], ranked: Callable[[Way], dict[str, int]]) -> None:
        """Draw an input that is used by many boxes far apart once for each: beside an op, but inside a frame.

        The first frame is the exception: the input stands before it, with its adjoint.
        """
        around = self.way[n][:-1]
        rank, users = ranked(around), list(dict.fromkeys(self.way[user] for user in uses))
        spots = [rank[way[len(around)]] for way in users]
        framed = any(way[len(around)] in self.blocks for way in users)
        if max(spots) - min(spots) < (SPAN_OF_FRAMES if framed else SPAN):
            return
        copies = self.copies[n] = {}
        first, depth = users, len(around)
        while len({way[:depth] for way in first}) == 1:  # down to where the uses part
            nearest = first[0][: depth + 1]
            first, depth = [way for way in first if way[: depth + 1] == nearest], depth + 1
            if nearest[-1] not in self.blocks or len(nearest) == len(first[0]):
                break
        for way in users:
            here = way[: len(around) + 1]
            if way in first:
                copies[way] = (*around, f"n{n}.1")
            elif here[-1] not in self.blocks:
                copies.setdefault(way, (*around, f"n{n}.{len(set(copies.values())) + 1}"))
            else:
                for frame in way[len(around) :]:
                    self.shared.setdefault(frame, {})[n] = None
                inside = way if way[-1] in self.blocks else (*way[:-1], f"n{n}.{len(set(copies.values())) + 1}")
                copies[way] = next((spot for spot in copies.values() if spot[:-1] == inside[:-1] != around), inside)

    def _ranks(self, around: Way) -> dict[str, int]:
        """How far from the output the boxes of a frame are."""
        depth = len(around)
        inside = {n: way[depth] for n, way in self.way.items() if way[:depth] == around}
        ends = [(inside[e.src], inside[e.dst]) for e in self.trace.edges if e.src in inside and e.dst in inside]
        return ranks(list(dict.fromkeys(inside.values())), [(src, dst) for src, dst in ends if src != dst])

    def boxes(self) -> dict[Way, dict[str, Box]]:
        """The boxes in each frame by their keys, oldest first, without the copies."""
        found: dict[Way, dict[str, Box]] = {(): {}}
        members: dict[str, list[Node]] = {key: [] for key in self.blocks}
        for node in self.trace.nodes:
            if node.id in self.copies:
                continue
            way = self.way[node.id]
            for depth, key in enumerate(way):
                found.setdefault(way[:depth], {})[key] = Box(key, (node.id,))
                if key in members:
                    members[key].append(node)
        for boxes in found.values():
            for key in boxes:
                if key in members:
                    ops = sorted(members[key], key=lambda node: node.kind in ("leaf", "const"))
                    shared = tuple(self.shared.get(key, ()))
                    boxes[key] = Box(key, tuple(node.id for node in ops), self.blocks[key].label, shared=shared)
        return found

    def copy(self, edge: Edge, boxes: dict[Way, dict[str, Box]]) -> Way:
        """The way to the copy that is the source of an edge; it is added to the boxes."""
        copies = self.copies[edge.src]
        way = copies[self.way[edge.dst]]
        number = way[-1].partition(".")[2]
        if number:
            drawn = len({spot for spot in copies.values() if "." in spot[-1]})
            boxes.setdefault(way[:-1], {})[way[-1]] = Box(way[-1], (edge.src,), copy=int(number), copies=drawn)
        return way


def _inside(around: Way, flows: Sequence[Flow], boxes: dict[Way, dict[str, Box]], ports: Sequence[str]) -> Drawing:
    """What is drawn in one frame, and in the frames inside it."""
    lines: dict[tuple[str, str, object], list[Flow]] = {}
    inner: dict[str, list[Flow]] = {}
    for flow in flows:
        edge, (src, *_), (dst, *_) = flow
        if src == dst:
            inner.setdefault(src, []).append((edge, flow[1][1:], flow[2][1:]))
        else:
            plain = src[0] in "n<" and dst[0] == "n"
            lines.setdefault((src, dst, edge.id if plain else edge.ghost), []).append(flow)
    links: list[Link] = []
    gates: dict[str, dict[str, None]] = {}
    for (src, dst, _), together in (_joined(lines) if len(lines) > EQUAL else lines).items():
        edge = together[0][0]
        key = f"{around[-1] if around else ''}e{edge.id}"
        link = Link(key, tuple(f[0].id for f in together), src, dst, edge.arg, edge.ghost)
        links.append(link)
        for e, a, b in together:
            if len(a) > 1:
                inner.setdefault(src, []).append((e, a[1:], (f">{link.key}",)))
                gates.setdefault(src, {})[f">{link.key}"] = None
            if len(b) > 1:
                inner.setdefault(dst, []).append((e, (f"<{link.key}",), b[1:]))
                gates.setdefault(dst, {})[f"<{link.key}"] = None
    drawn = []
    for key, box in boxes[around].items():
        if (*around, key) in boxes:
            box = replace(box, inside=_inside((*around, key), inner.get(key, ()), boxes, tuple(gates.get(key, ()))))
        drawn.append(box)
    return Drawing(tuple(drawn), tuple(links), ports=tuple(ports))


def _joined(lines: dict[tuple[str, str, object], list[Flow]]) -> dict[tuple[str, str, object], list[Flow]]:
    """The lines, those of more than `EQUAL` edges between the same two boxes as one."""
    between: dict[tuple[str, str], int] = {}
    for src, dst, _ in lines:
        between[src, dst] = between.get((src, dst), 0) + 1
    joined: dict[tuple[str, str, object], list[Flow]] = {}
    for (src, dst, which), flows in lines.items():
        joined.setdefault((src, dst, None if between[src, dst] > EQUAL else which), []).extend(flows)
    return joined
