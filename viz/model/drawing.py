"""The boxes and lines of a picture: a box for each node, for each use of a widely used input, or a frame for a block.

There are no coordinates here. A frame that opens has a drawing inside. Its ports stand for the lines that cross its
rim: `<e5` is where line e5 enters, `>e5` where it leaves.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from .blocks import Part

NAMED = 40  #: members of a group, and messages of a line, that the player can tell apart
DENSE = 40  #: more boxes than this are drawn with few words


@dataclass(frozen=True)
class Box:
    """One box: the nodes it stands for (one, or those of a frame), which copy of a leaf it is, what a frame holds.

    shared: the inputs that a frame uses as others do, and of which it holds copies.
    """

    key: str
    nodes: tuple[int, ...]
    label: str = ""
    copy: int = 0
    copies: int = 1
    inside: Drawing | None = None
    shared: tuple[int, ...] = ()

    @cached_property
    def folded(self) -> bool:
        return len(self.nodes) > 1


@dataclass(frozen=True)
class Link:
    """One line between two boxes: the trace edges it stands for."""

    key: str
    edges: tuple[int, ...]
    src: str
    dst: str
    arg: int
    ghost: bool = False


@dataclass(frozen=True)
class Drawing:
    """Boxes, lines, and a sentence saying what is in frames ("" if nothing is).

    parts: the blocks and ops that it was made of. ports: of the drawing inside a frame.
    """

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    note: str = ""
    parts: tuple[Part, ...] = ()
    ports: tuple[str, ...] = ()

    @cached_property
    def all_boxes(self) -> list[Box]:
        """The boxes, those inside frames included."""
        return [inner for box in self.boxes for inner in [box, *(box.inside.all_boxes if box.inside else ())]]

    @cached_property
    def all_links(self) -> list[Link]:
        """The lines, those inside frames included: of an edge that crosses rims, each of its pieces."""
        return [*self.links, *(link for box in self.boxes if box.inside for link in box.inside.all_links)]

    @cached_property
    def frames(self) -> list[Box]:
        """The frames that open."""
        return [box for box in self.all_boxes if box.inside]

    @cached_property
    def dense(self) -> bool:
        """Whether the boxes are so many that each has few words."""
        return len(self.all_boxes) > DENSE

    @cached_property
    def quiet(self) -> set[str]:
        """The lines of a dense drawing without words: the only ones that leave a box, which holds their message as its
        adjoint, and the pieces of a line that end at a rim."""
        if not self.dense:
            return set()
        leaving = Counter(link.src for link in self.all_links)
        sole = {link.key for link in self.all_links if leaving[link.src] == 1 and link.src[0] not in "f<"}
        return sole | {link.key for link in self.all_links if link.dst[0] == ">"}

    @cached_property
    def named(self) -> dict[str, tuple[int, ...]]:
        """By the key of a box or line its nodes or edges that are shown one by one: all of few, of many the first.

        The first edge is the one that sends last.
        """
        ids = {box.key: box.nodes for box in self.all_boxes} | {link.key: link.edges for link in self.all_links}
        return {key: few if len(few) <= NAMED else few[:1] for key, few in ids.items()}

    @cached_property
    def edges(self) -> set[int]:
        """The trace edges whose messages are shown: none of those inside a frame that does not open."""
        return {edge for link in self.all_links for edge in self.named[link.key]}

    @cached_property
    def alone(self) -> set[int]:
        """The nodes that have a box of their own."""
        return {box.nodes[0] for box in self.all_boxes if not box.folded}


def ranks(nodes: list[str], links: list[tuple[str, str]]) -> dict[str, int]:
    """The longest distance from the output of each node; `links` are (source, target) pairs.

    >>> ranks(["x", "exp", "y"], [("x", "exp"), ("exp", "y"), ("x", "y")])
    {'y': 0, 'exp': 1, 'x': 2}
    """
    left = dict.fromkeys(nodes, 0)
    sources: dict[str, list[str]] = {node: [] for node in nodes}
    for src, dst in links:
        left[src] += 1
        sources[dst].append(src)
    ready = [node for node in nodes if not left[node]]
    rank = dict.fromkeys(ready, 0)
    for node in ready:
        for src in sources[node]:
            rank[src] = max(rank.get(src, 0), rank[node] + 1)
            left[src] -= 1
            if not left[src]:
                ready.append(src)
    return rank
