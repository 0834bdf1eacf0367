"""Which nodes share a box: by scope, by repetition, and when nothing else helps by neighbourhood."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from minigrad.tracing.model import BackwardTrace, Node
from minigrad.tracing.numbers import nonfinite

from .drawing import Drawing, drawing_of, with_constants

BUDGET = 150  #: ops drawn as they are
CAP = 1500  #: boxes drawn at most

Groups = list[list[int]]


def draw(trace: BackwardTrace, fold: str = "auto", keep: Iterable[int] = ()) -> Drawing:
    """The drawing of `trace`, folded as far as it has to be.

    fold: "auto" folds above 150 ops, "none" folds only what is above the cap of 1500 boxes, any other text folds
    the scope of that name and nothing else. Nodes in `keep`, and those that a nan or inf passes, stay open.
    """
    if fold == "auto" and len(trace.nodes) <= BUDGET:
        return drawing_of(trace, [], "")
    kept = set(keep) | _troubled(trace)
    if fold in ("auto", "none"):
        groups, how = _auto(trace, fold, kept)
    else:
        groups, how = _of_scope(trace, fold, kept), f"the scope {fold}"
    return drawing_of(trace, groups, _note(trace, groups, how))


def folded(trace: BackwardTrace, drawing: Drawing, name: str) -> Drawing:
    """`drawing` with the scope `name` folded as well. Raises ValueError where no scope has that name."""
    more = _of_scope(trace, name, _troubled(trace))
    if not more:
        known = dict.fromkeys(part for node in trace.nodes for part in node.scope)
        have = f"this one has {', '.join(known)}" if known else "this one has none"
        raise ValueError(f'no scope {name!r} to fold: with mg.scope("{name}"): makes one, and {have}')
    inside = {n for group in more for n in group}
    groups = more + [group for group in _groups(trace, drawing) if not inside.intersection(group)]
    return drawing_of(trace, groups, _note(trace, groups, f"the scope {name}"))


def opened(trace: BackwardTrace, drawing: Drawing, name: str | None) -> Drawing:
    """`drawing` with the boxes open that `name` names, by label, op or scope; for None all that the cap allows."""
    boxes = {box.nodes[0]: box for box in drawing.boxes if box.folded}
    scopes = {node.id: node.scope for node in trace.nodes if node.id in boxes}
    closed = [n for n, box in boxes.items() if name and name not in (box.label, *scopes[n], *_words(box.label))]
    if name is not None and len(closed) == len(boxes):
        have = (
            f"the boxes are {', '.join(dict.fromkeys(box.label for box in boxes.values()))}"
            if boxes
            else "nothing is folded"
        )
        raise ValueError(f"no box {name!r} to unfold: {have:.300}")
    groups = [group for group in _groups(trace, drawing) if group[0] in closed]
    if _drawn(len(trace.nodes), groups) > CAP:
        groups = _chunks(trace, _troubled(trace))
    return drawing_of(trace, groups, _note(trace, groups, "what stays folded"))


def _words(label: str) -> list[str]:
    return re.findall(r"\w+", label)


def _groups(trace: BackwardTrace, drawing: Drawing) -> Groups:
    """The groups of a drawing, without the constants that joined them."""
    constants = {node.id for node in trace.nodes if node.kind == "const"}
    return [[n for n in box.nodes if n not in constants] for box in drawing.boxes if box.folded]


def _of_scope(trace: BackwardTrace, name: str, keep: set[int]) -> Groups:
    def outer(node: Node) -> Any:
        return node.scope[: node.scope.index(name) + 1] if name in node.scope else None

    return _runs(trace, outer, keep)


def _auto(trace: BackwardTrace, fold: str, keep: set[int]) -> tuple[Groups, str]:
    """The finest scopes that come under the budget; where none do, the coarsest, and repeats between them."""
    ops = sum(node.kind not in ("leaf", "const") for node in trace.nodes)
    groups: Groups = []
    how = ""
    if fold == "auto" and ops > BUDGET:
        how = "scopes"
        for depth in range(max(len(node.scope) for node in trace.nodes), 0, -1):
            groups = _runs(trace, lambda node: node.scope[:depth] or None, keep)  # noqa: B023 (called at once)
            if _drawn(ops, groups) <= BUDGET:
                break
        else:
            groups = groups + _repeats(trace, keep | {n for group in groups for n in group})
            how = "scopes and repeats"
    if _drawn(len(trace.nodes), groups) > CAP:
        groups, how = _chunks(trace, keep), "runs of neighbours"
    return groups, how


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


def _runs(trace: BackwardTrace, name_of: Callable[[Node], Any], keep: set[int]) -> Groups:
    """Neighbours oldest first with the same name, three or more."""
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


def _note(trace: BackwardTrace, groups: Groups, how: str) -> str:
    if not groups:
        return ""
    n = sum(len(group) for group in with_constants(trace, groups))
    boxes = "1 box" if len(groups) == 1 else f"{len(groups)} boxes"
    return (
        f"{n} of {len(trace.nodes)} nodes are folded into {boxes} ({how}); every number is in to_text(). "
        f'unfold() or fold="none" opens them.'
    )
