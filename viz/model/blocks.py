"""The nested blocks of a large graph: scopes, calls to functions, iterations of a loop, and runs of neighbours.

A block joins only ops that are next to each other in the order of creation, which is a topological order. So a picture
that draws each block as a single box has no cycles, at any depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any, Union

from minigrad.tracing.calls_and_scopes import plain
from minigrad.tracing.trace_schema import BackwardTrace, Node

LEAST = 3  #: minimum number of parts of a block; fewer parts are drawn without a block
MOST = 30  #: maximum number of parts of a block; if there are more, they are grouped into inner blocks
EQUAL = 8  #: maximum number of edges from equal inputs to one op; more are drawn as a single edge

Part = Union["Block", tuple[int, ...]]  #: a block, or an op as a tuple: its node, then the nodes that its rule replaced


@dataclass(frozen=True, eq=False)
class Block:
    """Parts that can share a box, with a label.

    run : whether the parts are only neighbours, with nothing else in common. loop : whether the parts are iterations;
        the picture shows one at a time.
    """

    label: str
    parts: tuple[Part, ...]
    run: bool = False
    loop: bool = False

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        return tuple(n for part in self.parts for n in nodes_of(part))


def nodes_of(part: Part) -> tuple[int, ...]:
    return part.nodes if isinstance(part, Block) else part


def within(parts: Sequence[Part]) -> Iterator[Block]:
    """Yield all blocks among parts, each before the blocks inside it."""
    for part in parts:
        if isinstance(part, Block):
            yield part
            yield from within(part.parts)


def ops_of(trace: BackwardTrace) -> list[Part]:
    """Return the ops of a trace, oldest first; many equal sources of an op form a block.

    Each op includes the ops that its custom rule replaced.
    """
    bodies: dict[int, list[int]] = {}
    for node in trace.nodes:
        if node.ghost and node.ghost_of is not None and node.kind not in ("leaf", "const"):
            bodies.setdefault(node.ghost_of, []).append(node.id)
    fans = fans_of(trace)
    gathered = {n for block in fans.values() for n in block.nodes}
    parts: list[Part] = []
    for node in trace.nodes:
        if node.kind not in ("leaf", "const") and not node.ghost and node.id not in gathered:
            parts += [fans[node.id]] if node.id in fans else []
            parts.append((node.id, *bodies.get(node.id, ())))
    return parts


def fans_of(trace: BackwardTrace) -> dict[int, Block]:
    """For each op with more than `EQUAL` equal sources that nothing else uses, make a block of these sources.

    The sources are inputs, or ops on inputs, all of one shape.
    """
    uses: dict[int, set[int]] = {}
    deep = set()  # ops that have other ops as sources
    plain = {node.id for node in trace.nodes if node.kind in ("leaf", "const")}
    for edge in trace.edges:
        uses.setdefault(edge.src, set()).add(edge.dst)
        if edge.src not in plain or edge.ghost:
            deep.add(edge.dst)
    kinds: dict[tuple[Any, ...], list[int]] = {}
    for node in trace.nodes:
        if node.kind in ("leaf", "op") and node.id not in deep and len(uses.get(node.id, ())) == 1:
            kinds.setdefault((*uses[node.id], node.op, node.shape, node.dtype), []).append(node.id)
    return {
        user: Block(f"{len(nodes)} inputs" if op == "leaf" else f"{len(nodes)} {op} ops", tuple((n,) for n in nodes))
        for (user, op, *_), nodes in kinds.items()
        if len(nodes) > EQUAL
    }


def by_scope(parts: Sequence[Part], nodes: Sequence[Node], depth: int = 0) -> list[Part]:
    """Group neighbouring parts of the same scope or call into blocks, nested like the scopes and calls themselves."""
    grouped: list[Part] = []
    for name, run in _runs(parts, lambda part: nodes[nodes_of(part)[0]].scope[depth : depth + 1]):
        if name and len(run) >= LEAST:
            inner = by_scope(run, nodes, depth + 1)
            alone = inner[0] if len(inner) == 1 else None
            grouped.append(Block(name[0], tuple(alone.parts if isinstance(alone, Block) else inner)))
        else:
            grouped += run
    return grouped


def named(parts: Sequence[Part], nodes: Sequence[Node], name: str) -> list[Part]:
    """Group neighbours in the scope or call `name` into blocks, at any depth, and dissolve the blocks around them."""

    def outer(part: Part) -> tuple[str, ...]:
        scope = nodes[nodes_of(part)[0]].scope
        return next((scope[: i + 1] for i, part in enumerate(scope) if name in (part, plain(part))), ())

    def touched(part: Part) -> bool:
        return any(outer((n,)) for n in nodes_of(part))

    whole = [op for part in parts for op in (flat(part) if touched(part) else [part])]
    grouped: list[Part] = []
    for scope, run in _runs(whole, outer):
        grouped += [Block(scope[-1], tuple(run))] if scope and len(run) >= LEAST else run
    return grouped


def flat(part: Part) -> list[Part]:
    """Return the ops of a part, without blocks."""
    return [op for inner in part.parts for op in flat(inner)] if isinstance(part, Block) else [part]


def few(parts: Sequence[Part], nodes: Sequence[Node]) -> list[Part]:
    """Group consecutive parts into blocks, at every depth, until each list has at most `MOST` parts."""
    parts = [replace(part, parts=tuple(few(part.parts, nodes))) if isinstance(part, Block) else part for part in parts]
    if len(parts) <= MOST:
        return parts
    size = next(n for n in _sizes() if len(parts) <= MOST * n / 2.5)
    runs = [parts[i : i + size] for i in range(0, len(parts), size)]
    return [part for run in runs for part in (run if len(run) < LEAST else [_run(run, nodes)])]


def _run(run: Sequence[Part], nodes: Sequence[Node]) -> Block:
    return Block(_label(run, nodes), tuple(few(run, nodes)), run=True)


def _sizes() -> Iterator[int]:
    """Yield the possible lengths of a run of neighbours: 10, 20, 50, 100, ..."""
    return (factor * 10**power for power in count(1) for factor in (1, 2, 5))


def _runs(parts: Sequence[Part], name_of: Callable[[Part], Any]) -> list[tuple[Any, list[Part]]]:
    runs: list[tuple[Any, list[Part]]] = []
    for part in parts:
        name = name_of(part)
        if not runs or runs[-1][0] != name:
            runs.append((name, []))
        runs[-1][1].append(part)
    return runs


def _label(run: Sequence[Part], nodes: Sequence[Node]) -> str:
    """Return the label of a run of consecutive parts.

    It names the iterations or calls ("f, calls 3 to 9"), the repeated op ("12 add ops"), or the first and last part.
    """
    first, last = (part.label if isinstance(part, Block) else nodes[part[0]].op for part in (run[0], run[-1]))
    if first.startswith("turn ") and last.startswith("turn "):
        return f"turns {first[5:]} to {last[5:]}"
    if plain(first) == plain(last) != last:
        low, high = (label.rpartition(", call ")[2].partition(" of ")[0] for label in (first, last))
        return f"{plain(last)}, calls {low} to {high}"
    same = all(not isinstance(part, Block) and nodes[part[0]].op == first for part in run)
    if same:
        return f"{len(run)} {first} ops"
    return f"{first}#{nodes_of(run[0])[0]} … {last}#{nodes_of(run[-1])[0]}"
