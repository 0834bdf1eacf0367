"""Find loops: repeated parts of a graph that feed one another become a single part, which shows one iteration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from minigrad.tracing.calls_and_scopes import plain
from minigrad.tracing.trace_schema import BackwardTrace, Node

from .blocks import Block, Part, few

LEAST = 3  #: minimum number of iterations of a loop
LONGEST = 64  #: maximum number of parts of an iteration
MOST = 60  #: maximum number of parts of a frame


def with_loops(parts: Sequence[Part], trace: BackwardTrace) -> list[Part]:
    """Return `parts` with each maximal sequence of equal iterations as a loop, at any depth.

    Iterations are equal if they have the same ops, code lines and shapes, and each uses a value of the previous one.
    """
    uses: dict[int, list[int]] = {}
    for edge in trace.edges:
        uses.setdefault(edge.src, []).append(edge.dst)
    return _looped(list(parts), trace.nodes, uses)


def _looped(parts: list[Part], nodes: Sequence[Node], uses: Mapping[int, list[int]]) -> list[Part]:
    parts = [
        replace(part, parts=tuple(_looped(list(part.parts), nodes, uses)))
        if isinstance(part, Block) and not part.loop
        else part
        for part in parts
    ]
    repeat = _longest([_word(part, nodes) for part in parts])
    if repeat is None:
        return parts
    start, period, count = repeat
    end = start + period * count
    ends = range(start, end + 1, period)
    turns = [_turn(_looped(parts[a:b], nodes, uses), i) for i, (a, b) in enumerate(pairwise(ends))]
    loop: list[Part] = [Block(_label(turns), tuple(turns), loop=True)]
    if not all(_feeds(a, b, uses) for a, b in pairwise(turns)):
        loop = parts[start:end]
    return [*_looped(parts[:start], nodes, uses), *loop, *_looped(parts[end:], nodes, uses)]


def _longest(words: list[Any]) -> tuple[int, int, int] | None:
    """Find the longest stretch of `words` that repeats itself: (start, period, number of repetitions), or None.

    For a, b, c, b, c, b, c, b, c the result is (1, 2, 4).
    """
    best = None
    most = 7  # a repetition of at most this many parts is drawn without a loop
    if len(words) <= most:
        return None
    numbered: dict[Any, int] = {}
    numbers = np.array([numbered.setdefault(word, len(numbered)) for word in words])
    for period in range(1, min(LONGEST, len(words) // LEAST) + 1):
        repeats = (numbers[period:] == numbers[:-period]).astype(np.int8)
        ends = np.flatnonzero(np.diff(repeats, prepend=0, append=0))  # start, stop, start, ... of runs of repeats
        if ends.size:
            counts = (ends[1::2] - ends[::2]) // period + 1
            i, count = int(counts.argmax()), int(counts.max())
            if count >= LEAST and count * period > most:
                best, most = (int(ends[2 * i]), period, count), count * period
    if best is not None and best[1] == 1 and not isinstance(words[best[0]][0], tuple):
        return None  # a single repeated op is not a loop
    return best


def _word(part: Part, nodes: Sequence[Node]) -> Any:
    """Return a value that is equal for parts that may repeat in a loop.

    It is the op's name, line number and shape or, for a block, a tuple of such values.
    """
    if isinstance(part, Block):
        return tuple(_word(inner, nodes) for inner in part.parts)
    node = nodes[part[0]]
    return node.op, node.line.no if node.line else 0, node.shape


def _turn(parts: list[Part], i: int) -> Block:
    """Return the parts of iteration `i` as one block: the part itself if it is a block and the only part."""
    if len(parts) == 1 and isinstance(parts[0], Block) and not parts[0].loop:
        return parts[0]
    return Block(f"turn {i + 1}", tuple(parts))


def _label(turns: Sequence[Block]) -> str:
    """Return the label of a loop, such as "10 × layer"; the word comes from the labels of the iterations."""
    words = {re.sub(r"\s*\d+$", "", plain(turn.label)) for turn in turns}
    return f"{len(turns)} × {words.pop() if len(words) == 1 else 'turn'}"


def _feeds(a: Block, b: Block, uses: Mapping[int, list[int]]) -> bool:
    inside = set(b.nodes)
    return any(user in inside for n in a.nodes for user in uses.get(n, ()))


def bounded(parts: Sequence[Part], trace: BackwardTrace) -> list[Part]:
    """Return `parts` after grouping neighbours into blocks in each frame with more than `MOST` parts."""

    def bound(parts: Sequence[Part]) -> list[Part]:
        bound_parts = [replace(part, parts=tuple(_inside(part))) if isinstance(part, Block) else part for part in parts]
        return few(bound_parts, trace.nodes) if len(bound_parts) > MOST else bound_parts

    def _inside(block: Block) -> list[Part]:
        if not block.loop:
            return bound(block.parts)
        return [replace(turn, parts=tuple(bound(turn.parts))) for turn in block.parts if isinstance(turn, Block)]

    return bound(parts)
