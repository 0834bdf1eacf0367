"""From a trace to what is drawn: one box per node, a leaf once per use where that saves long lines, runs folded.

Nothing here knows about pixels. Folding only joins ops that stand next to each other in birth order, and birth
order is a topological order, so a folded picture has no cycles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from minigrad.numerals import nonfinite
from minigrad.trace import BackwardTrace, Edge, Node

BUDGET = 150  #: ops drawn as they are
CAP = 1500  #: boxes drawn at most
FAN_OUT, SPAN = 2, 8  #: a leaf with more uses than FAN_OUT, over more than SPAN ranks, is drawn once per use


@dataclass(frozen=True)
class Item:
    """One box: the nodes it stands for (one, or a folded run), and which copy of a leaf it is."""

    key: str
    nodes: tuple[int, ...]
    label: str = ""
    copy: int = 0
    copies: int = 1

    @property
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
    """Boxes, lines, and a sentence saying what is folded ("" if nothing is)."""

    items: tuple[Item, ...]
    links: tuple[Link, ...]
    note: str = ""


def draw_plan(trace: BackwardTrace, fold: str = "auto", keep: tuple[int, ...] = ()) -> Drawing:
    """What to draw of `trace`.

    fold: "auto" folds above 150 ops, "none" folds only what is above the cap of 1500 boxes, any other text folds
    the scope of that name and nothing else. Nodes in `keep`, and those that a nan or inf passes, stay open.
    """
    if fold in ("auto", "none"):
        groups, note = _auto(trace, fold, set(keep))
    else:
        groups = _runs(trace, lambda node: node.scope if fold in node.scope else None, set(keep))
        note = _note(trace, groups, f"the scope {fold}")
    return _plan(trace, groups, note)


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


def _plan(trace: BackwardTrace, groups: list[list[int]], note: str) -> Drawing:
    groups = _with_constants(trace, groups)
    home = {n: f"f{group[0]}" for group in groups for n in group}
    members = {group[0]: tuple(group) for group in groups}
    key = {node.id: home.get(node.id, f"n{node.id}") for node in trace.nodes}
    copies = _copies(trace, key)
    items: dict[str, Item] = {}
    by_id = {node.id: node for node in trace.nodes}
    for node in trace.nodes:
        if node.id not in copies:
            nodes = members.get(node.id, (node.id,))
            if node.id not in home or node.id in members:
                items[key[node.id]] = Item(key[node.id], nodes, _label(nodes, by_id))
    links: dict[tuple[str, str, object], Link] = {}
    for edge in trace.edges:
        src, dst = key[edge.src], key[edge.dst]
        if edge.src in copies:
            number = copies[edge.src].index(edge.id)
            src = f"{src}.{number}"
            items[src] = Item(src, (edge.src,), copy=number + 1, copies=len(copies[edge.src]))
        if src == dst:
            continue
        plain = src[0] == "n" and dst[0] == "n"
        same = (src, dst, edge.id if plain else edge.ghost)
        old = links.get(same)
        links[same] = (
            replace(old, edges=old.edges + (edge.id,))
            if old
            else Link(f"e{edge.id}", (edge.id,), src, dst, edge.arg, edge.ghost)
        )
    return Drawing(tuple(items.values()), tuple(links.values()), note)


def _with_constants(trace: BackwardTrace, groups: list[list[int]]) -> list[list[int]]:
    """The groups with the constants that only they use."""
    place = {n: i for i, group in enumerate(groups) for n in group}
    used_by: dict[int, set[int]] = {}
    for edge in trace.edges:
        used_by.setdefault(edge.src, set()).add(place.get(edge.dst, -1))
    inside: list[list[int]] = [[] for _ in groups]
    for node in trace.nodes:
        users = used_by.get(node.id, set())
        if node.kind == "const" and len(users) == 1 and -1 not in users:
            inside[users.pop()].append(node.id)
    return [group + constants for group, constants in zip(groups, inside)]


def _copies(trace: BackwardTrace, key: dict[int, str]) -> dict[int, list[int]]:
    """Leaves and constants drawn once per use -> their edges, one copy each."""
    uses: dict[int, list[Edge]] = {}
    for edge in trace.edges:
        uses.setdefault(edge.src, []).append(edge)
    names = list(dict.fromkeys(key.values()))
    pairs = [(key[e.src], key[e.dst]) for e in trace.edges if key[e.src] != key[e.dst]]
    rank = ranks(names, pairs)
    split = {}
    for node in trace.nodes:
        mine = uses.get(node.id, [])
        targets = {rank[key[e.dst]] for e in mine}
        far = len(mine) > FAN_OUT and max(targets) - min(targets) >= SPAN
        if (node.kind == "leaf" and far) or (node.kind == "const" and len({e.dst for e in mine}) > 1):
            split[node.id] = [e.id for e in mine]
    return split


def _auto(trace: BackwardTrace, fold: str, keep: set[int]) -> tuple[list[list[int]], str]:
    ops = sum(node.kind not in ("leaf", "const") for node in trace.nodes)
    groups: list[list[int]] = []
    note = ""
    keep |= _troubled(trace)
    if fold == "auto" and ops > BUDGET:
        groups = _runs(trace, lambda node: node.scope[:1] or None, keep)
        note = _note(trace, groups, "scopes")
        if _drawn(ops, groups) > BUDGET:
            groups = groups + _repeats(trace, keep | {n for group in groups for n in group})
            note = _note(trace, groups, "scopes and repeats")
    if _drawn(len(trace.nodes), groups) > CAP:
        groups = _chunks(trace, keep)
        note = _note(trace, groups, "runs of neighbours")
    return groups, note


def _drawn(ops: int, groups: list[list[int]]) -> int:
    return ops - sum(len(group) - 1 for group in groups)


def _troubled(trace: BackwardTrace) -> set[int]:
    """The output, and every node a nan or inf touches on its way back: these are never folded."""
    bad = {step.node for step in trace.steps[:1]}
    for step in trace.steps:
        for send in step.sends:
            if nonfinite(send.value) or nonfinite(send.after):
                bad |= {step.node, send.to}
    return bad if len(bad) < CAP // 2 else set(sorted(bad)[-CAP // 2 :])


def _runs(trace: BackwardTrace, name_of, keep: set[int]) -> list[list[int]]:
    """Neighbours in birth order with the same name, three or more."""
    groups: list[list[int]] = []
    last = None
    for node in trace.nodes:
        if node.kind in ("leaf", "const"):
            continue
        name = None if node.id in keep or node.ghost else name_of(node)
        if name is not None and name == last:
            groups[-1].append(node.id)
        elif name is not None:
            groups.append([node.id])
        last = name
    return [group for group in groups if len(group) > 2]


def _repeats(trace: BackwardTrace, keep: set[int]) -> list[list[int]]:
    """The middle of every stretch of ops that repeats with a short period: the first and last round stay open."""
    ops = [node for node in trace.nodes if node.kind not in ("leaf", "const")]
    words = [f"{node.id}" if node.id in keep or node.ghost else node.op for node in ops]
    groups, i = [], 0
    while i < len(words):
        best = (0, 1)
        for period in range(1, min(32, (len(words) - i) // 4) + 1):
            end = i + period
            while end < len(words) and words[end] == words[end - period]:
                end += 1
            rounds = (end - i) // period
            if rounds >= 4 and rounds * period > best[0] * best[1]:
                best = (rounds, period)
        rounds, period = best
        if rounds:
            groups.append([node.id for node in ops[i + period : i + period * (rounds - 1)]])
            i += rounds * period
        else:
            i += 1
    return groups


def _chunks(trace: BackwardTrace, keep: set[int]) -> list[list[int]]:
    """Equal runs of neighbours, as long as it takes to come under the cap."""
    free = [node for node in trace.nodes if node.kind not in ("leaf", "const")]
    size = max(3, 3 * len(free) // CAP)
    place = {node.id: i // size for i, node in enumerate(free)}
    return _runs(trace, lambda node: place[node.id], keep)


def _label(nodes: tuple[int, ...], by_id: dict[int, Node]) -> str:
    if len(nodes) == 1:
        return ""
    members = [by_id[n] for n in nodes if by_id[n].kind != "const"]
    scope = members[0].scope
    if scope and all(m.scope[:1] == scope[:1] for m in members):
        return scope[0]
    ops = [m.op for m in members]
    period = next(p for p in range(1, len(ops) + 1) if ops[: len(ops) - p] == ops[p:])
    rounds = len(ops) // period
    return f"{rounds} × ({' '.join(ops[:period])})" if rounds > 1 else " ".join(ops)


def _note(trace: BackwardTrace, groups: list[list[int]], how: str) -> str:
    if not groups:
        return ""
    n = sum(len(group) for group in _with_constants(trace, groups))
    boxes = "1 box" if len(groups) == 1 else f"{len(groups)} boxes"
    return (
        f"{n} of {len(trace.nodes)} nodes are folded into {boxes} ({how}); "
        f'every number is in the table. fold="none" opens them.'
    )
