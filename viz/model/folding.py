"""Which blocks are frames of the picture, and which of the frames hold what opens without Python."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from heapq import heappop, heappush

from minigrad.tracing.model import BackwardTrace
from minigrad.tracing.numbers import nonfinite
from minigrad.tracing.parts import plain

from .blocks import Block, Part, blocks_of, few, flat, named, nodes_of, ops_of, within
from .drawing import Drawing
from .nesting import drawing_of

BUDGET = 72  #: ops drawn as they are
CAP = 1500  #: boxes drawn at most
SAVED, SOME = 360, 60  #: ops that are saved in frames: all of a graph up to the first number, else the second


def draw(trace: BackwardTrace, fold: str = "auto", keep: Collection[int] = (), frames: bool = True) -> Drawing:
    """The drawing of `trace`, folded as far as it has to be.

    fold: "auto" folds above 72 ops, "none" folds only what is above the cap of 1500 boxes, any other text folds the
    scope or function of that name and nothing else. keep: nodes whose frames are saved first. frames: whether frames
    can be opened; without, each is a box. Raises ValueError for a name that no scope and no function has.
    """
    ops = len(trace.nodes) if fold == "none" else sum(node.kind not in ("leaf", "const") for node in trace.nodes)
    if fold == "auto" and ops <= (BUDGET if frames else CAP // 10):
        return _drawing(trace, ops_of(trace) if frames else (), keep, frames)
    nodes = {node.id: node for node in trace.nodes}
    if fold == "auto":
        parts = blocks_of(trace)
    elif fold == "none":
        parts = ops_of(trace) if ops <= CAP else few(ops_of(trace), nodes)
    else:
        parts = _named(trace, ops_of(trace), fold)
    return _drawing(trace, parts, keep, frames)


def folded(trace: BackwardTrace, drawing: Drawing, name: str) -> Drawing:
    """`drawing` with the scope or function `name` folded as well. Raises ValueError where there is none."""
    return _drawing(trace, _named(trace, drawing.parts or ops_of(trace), name), ())


def _named(trace: BackwardTrace, parts: Sequence[Part], name: str) -> list[Part]:
    """The parts with the scope or function `name` as blocks. Raises ValueError where there is none."""
    parts = named(parts, {node.id: node for node in trace.nodes}, name)
    if not any(name in (block.label, plain(block.label)) for block in within(parts)):
        known = dict.fromkeys(plain(part) for node in trace.nodes for part in node.scope)
        have = f"this one has {', '.join(known)}" if known else "this one has none"
        raise ValueError(f'no scope or function {name!r} to fold: with mg.scope("{name}"): makes a scope, and {have}')
    return parts


def opened(trace: BackwardTrace, drawing: Drawing, name: str | None) -> Drawing:
    """`drawing` without the frames that `name` names, by label, op or scope; for None without any up to the cap."""
    nodes = {node.id: node for node in trace.nodes}
    blocks = list(within(drawing.parts))
    if name is None:
        return draw(trace, "none")
    wanted = {b for b in blocks if b.label == name}
    wanted = wanted or {b for b in blocks if name in (*re.findall(r"\w+", b.label), *nodes[b.nodes[0]].scope)}
    if not wanted:
        labels = ", ".join(dict.fromkeys(block.label for block in blocks))
        raise ValueError(
            f"no box {name!r} to unfold: {f'the boxes are {labels}' if labels else 'nothing is folded':.300}"
        )

    def dissolved(part: Part) -> Sequence[Part]:
        if not isinstance(part, Block) or not wanted.intersection(within([part])):
            return [part]
        return [inner for p in part.parts for inner in dissolved(p)]

    parts = [inner for part in drawing.parts for inner in dissolved(part)]
    if len(parts) > CAP:
        parts = few([op for part in parts for op in flat(part)], nodes)
    return _drawing(trace, parts, ())


def _drawing(trace: BackwardTrace, parts: Sequence[Part], keep: Collection[int], frames: bool = True) -> Drawing:
    blocks = list(within(parts))
    if not blocks:
        return drawing_of(trace)
    openable = _openable(trace, parts, {*keep, *_origins(trace)}) if frames else set()
    return drawing_of(trace, tuple(parts), openable, _note(trace, parts, blocks, openable))


def _openable(trace: BackwardTrace, parts: Sequence[Part], first: set[int]) -> set[Block]:
    """The blocks whose parts are saved: those around nodes of `first`, then from both ends to the middle."""
    last = len(trace.nodes)
    budget = SAVED if last <= 2 * SAVED and len([n for p in parts for n in nodes_of(p)]) <= SAVED else SOME
    waiting: list[tuple[bool, int, int, Block]] = []
    found: set[Block] = set()

    def wait(parts: Sequence[Part]) -> None:
        for block in parts:
            if isinstance(block, Block):
                low, high = min(block.nodes), max(block.nodes)
                heappush(waiting, (first.isdisjoint(block.nodes), min(low, last - 1 - high), low, block))

    wait(parts)
    while waiting and budget > 0:
        block = heappop(waiting)[-1]
        budget -= sum(not isinstance(part, Block) for part in block.parts)
        found.add(block)
        wait(block.parts)
    return found


def _origins(trace: BackwardTrace) -> set[int]:
    """The senders of the first messages that are nan or inf."""
    return {
        step.node
        for step in trace.steps
        for send in step.sends
        if send.event.endswith("-born") and nonfinite(send.value)
    }


def _note(trace: BackwardTrace, parts: Sequence[Part], blocks: Sequence[Block], openable: Collection[Block]) -> str:
    outer = [part for part in parts if isinstance(part, Block)]
    if not outer:
        return ""
    ops = {node.id for node in trace.nodes if node.kind not in ("leaf", "const")}
    n = sum(len(ops.intersection(block.nodes)) for block in outer)
    count = "1 frame" if len(outer) == 1 else f"{len(outer)} frames"
    opens = "A click or Enter opens and closes a frame. " if any(block in openable for block in outer) else ""
    how = 'unfold() or fold="none" draws without frames'
    if not all(block in openable for block in blocks):
        how = f'Frames without + open in Python: unfold("{outer[len(outer) // 2].label}")'
    return f"{n} of {len(ops)} ops are in {count}. {opens}{how}; every number is in to_text()."
