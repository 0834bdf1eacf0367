"""The boxes and lines of a picture: a box for each node, for each use of a widely used input, or for a folded group.

There are no coordinates here. A group only joins ops that stand next to each other in the order in which they were
made, which is a topological order, so a folded picture has no cycles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from minigrad.tracing.model import BackwardTrace, Edge, Node

NAMED = 40  #: members of a group, and messages of a line, that the player can tell apart
FAN_OUT, SPAN = 2, 8  #: a leaf with more uses than FAN_OUT, over more than SPAN ranks, is drawn once per use


@dataclass(frozen=True)
class Box:
    """One box: the nodes it stands for (one, or a folded run), and which copy of a leaf it is."""

    key: str
    nodes: tuple[int, ...]
    label: str = ""
    copy: int = 0
    copies: int = 1

    @cached_property
    def folded(self) -> bool:
        return len(self.nodes) > 1

    @cached_property
    def named(self) -> tuple[int, ...]:
        """The nodes that the player finds in the box: all of a small group, one of a large one."""
        return self.nodes if len(self.nodes) <= NAMED else self.nodes[:1]


@dataclass(frozen=True)
class Link:
    """One line between two boxes: the trace edges it stands for."""

    key: str
    edges: tuple[int, ...]
    src: str
    dst: str
    arg: int
    ghost: bool = False

    @cached_property
    def named(self) -> tuple[int, ...]:
        """The edges whose messages are shown one by one: all of a few, of many the one that sends last."""
        return self.edges if len(self.edges) <= NAMED else self.edges[:1]


@dataclass(frozen=True)
class Drawing:
    """Boxes, lines, and a sentence saying what is folded ("" if nothing is)."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    note: str = ""

    @cached_property
    def edges(self) -> set[int]:
        """The trace edges whose messages are shown: none of those inside a group."""
        return {edge for link in self.links for edge in link.named}

    @cached_property
    def alone(self) -> set[int]:
        """The nodes that have a box of their own."""
        return {box.nodes[0] for box in self.boxes if not box.folded}


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


def drawing_of(trace: BackwardTrace, groups: list[list[int]], note: str) -> Drawing:
    """The drawing in which each of `groups`, lists of node numbers oldest first, is one box."""
    groups = with_constants(trace, groups)
    home = {n: f"f{group[0]}" for group in groups for n in group}
    members = {group[0]: tuple(group) for group in groups}
    key = {node.id: home.get(node.id, f"n{node.id}") for node in trace.nodes}
    copies = _copies(trace, key)
    boxes: dict[str, Box] = {}
    by_id = {node.id: node for node in trace.nodes}
    for node in trace.nodes:
        if node.id not in copies:
            nodes = members.get(node.id, (node.id,))
            if node.id not in home or node.id in members:
                boxes[key[node.id]] = Box(key[node.id], nodes, _label(nodes, by_id) if len(nodes) > 1 else "")
    lines: dict[tuple[str, str, object], list[Edge]] = {}
    for edge in trace.edges:
        src, dst = key[edge.src], key[edge.dst]
        if edge.src in copies:
            number = copies[edge.src][dst]
            src = f"{src}.{number}"
            boxes[src] = Box(src, (edge.src,), copy=number, copies=len(copies[edge.src]))
        if src != dst:
            plain = src[0] == "n" and dst[0] == "n"
            lines.setdefault((src, dst, edge.id if plain else edge.ghost), []).append(edge)
    links = [
        Link(f"e{all_of[0].id}", tuple(e.id for e in all_of), src, dst, all_of[0].arg, all_of[0].ghost)
        for (src, dst, _), all_of in lines.items()
    ]
    return Drawing(tuple(boxes.values()), tuple(links), note)


def with_constants(trace: BackwardTrace, groups: list[list[int]]) -> list[list[int]]:
    """The groups with the constants that only they use."""
    if not groups:
        return groups
    position = {n: i for i, group in enumerate(groups) for n in group}
    used_by: dict[int, set[int]] = {node.id: set() for node in trace.nodes if node.kind == "const"}
    for edge in trace.edges:
        if edge.src in used_by:
            used_by[edge.src].add(position.get(edge.dst, -1))
    inside: list[list[int]] = [[] for _ in groups]
    for constant, users in used_by.items():
        if len(users) == 1 and -1 not in users:
            inside[users.pop()].append(constant)
    return [group + constants for group, constants in zip(groups, inside)]


def _copies(trace: BackwardTrace, key: dict[int, str]) -> dict[int, dict[str, int]]:
    """Leaves and constants drawn once for each box that uses them -> the number of the copy, by the key of the box."""
    uses: dict[int, list[str]] = {node.id: [] for node in trace.nodes if node.kind in ("leaf", "const")}
    for edge in trace.edges:
        if edge.src in uses:
            uses[edge.src].append(key[edge.dst])
    names = list(dict.fromkeys(key.values()))
    rank = ranks(names, [(key[e.src], key[e.dst]) for e in trace.edges if key[e.src] != key[e.dst]])
    split = {}
    kinds = {node.id: node.kind for node in trace.nodes}
    for n, mine in uses.items():
        targets = {rank[box] for box in mine}
        boxes = list(dict.fromkeys(mine))
        far = len(mine) > FAN_OUT and max(targets) - min(targets) >= SPAN
        if len(boxes) > 1 and (far or kinds[n] == "const"):
            split[n] = {box: number for number, box in enumerate(boxes, 1)}
    return split


def _label(nodes: tuple[int, ...], by_id: dict[int, Node]) -> str:
    """Name a group by the innermost scope of all its ops, by what repeats in it, or by its ops."""
    members = [by_id[n] for n in nodes if by_id[n].kind != "const"]
    shared = members[0].scope
    for m in members:
        while shared != m.scope[: len(shared)]:
            shared = shared[:-1]
    if shared:
        return shared[-1]
    ops = [m.op for m in members]
    period = next((p for p in range(1, min(32, len(ops)) + 1) if ops[:-p] == ops[p:]), len(ops))
    rounds = len(ops) // period
    if rounds > 1:
        return f"{rounds} × ({' '.join(ops[:period])})"
    return " ".join(ops) if len(ops) <= 3 else f"{ops[0]} … {ops[-1]}"
