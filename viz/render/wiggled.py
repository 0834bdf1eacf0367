"""The mode "wiggle" of a picture: how far each number moves with an input, as computed from slopes or measured."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.tracing.numbers import all_zero, nonfinite, short
from minigrad.tracing.trace_schema import VARIABLE, BackwardTrace, Edge, Node, Num, Summary

from ..model.cells import shades
from ..model.cut_edges import CUT
from ..model.findings import Findings, Moves
from ..model.timeline import Moment
from ..scene.ink import size_of
from ..scene.wiggle import measured_move, moved, steps_of, undecided, wiggles


def why_still(findings: Findings) -> str:
    """Return the reason why a pass has no wiggle, or "" if it has one."""
    trace = findings.trace
    if findings.moves:
        return ""
    if not sources_of(trace):
        return "no gradient reaches an input"
    if arrays := arrays_of(findings):
        return f"{findings.names[arrays[0].id]} is an array, and its ops cannot be run again"
    moving = {n.id for n in trace.nodes if n.kind == "leaf"}
    for edge in sorted(trace.edges, key=lambda e: e.dst):
        if edge.ghost or edge.src not in moving or edge.id in findings.nones:
            continue
        node = findings.nodes[edge.dst]
        if edge.arg == CUT:
            return f"a plain number was taken out of the graph before {findings.names[node.id]}"
        if node.kind == "custom":
            return f"{findings.names[node.id]} has a rule instead of a slope"
        if edge.local_value is None or isinstance(edge.local_value, Summary):
            if node.dtype.startswith("float"):
                return f"no slope of {findings.names[node.id]} is known"
            continue
        moving.add(node.id)
    return ""


def arrays_of(findings: Findings) -> list[Node]:
    return [n for n in findings.trace.nodes if n.shape and not n.ghost and n.kind != "const"]


def sources_of(trace: BackwardTrace) -> list[Node]:
    """Return the inputs that can wiggle."""
    return [n for n in trace.nodes if n.kind == "leaf" and n.detail != VARIABLE and n.adjoint is not None]


def wiggled(findings: Findings) -> tuple[int, dict[str, float], dict[str, float]]:
    """Compute the wiggle of the first input; return its node, the move of each node, and the part that each edge adds.

    Both dicts are described in `viz.scene.wiggle.wiggles`.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> wiggled(Findings(mg.backward_trace(x * x, names={"x": x})))[1]
    {'n0': 1.0, 'n1': 6.0}
    """
    source, nodes = sources_of(findings.trace)[0].id, findings.nodes
    rows = [[e.id, e.src, e.dst, _slope(e)] for e in _sloped(findings)]
    with np.errstate(all="ignore"):
        both = wiggles(rows, source, lambda n, v: float(np.dtype(nodes[n].dtype).type(v)))
    return source, both["moves"], both["terms"]


def _sloped(findings: Findings) -> list[Edge]:
    edges = [e for e in findings.trace.edges if not e.ghost and e.local_value is not None]
    return sorted(edges, key=lambda e: (e.dst, e.id))


def _slope(edge: Edge) -> float:
    return float(edge.local_value)  # type: ignore[arg-type]


def wiggling(findings: Findings) -> tuple[Moment, ...]:
    """Return one moment for each node, with a sentence about how far the node moves with the first input."""
    words = _measured_words(findings, findings.moves) if findings.moves else _slope_words(findings)
    nodes = sorted((n for n in findings.trace.nodes if n.kind != "const"), key=lambda node: node.output)
    return tuple(Moment(i, node.id, None, words(node)) for i, node in enumerate(nodes))


def _slope_words(findings: Findings) -> Callable[[Node], str]:
    source, moves, terms = wiggled(findings)
    edges, names = _sloped(findings), findings.names

    def words(node: Node) -> str:
        if node.id == source:
            return steps_of(names[source])
        entering = [e for e in edges if e.dst == node.id and f"e{e.id}" in terms]
        products = [f"{short(moves[f'n{e.src}'])} · {short(_slope(e))}" for e in entering]
        total = moves.get(f"n{node.id}", 0.0)
        return moved(names[source], names[node.id], products, short(total), not nonfinite(total))

    return words


def _measured_words(findings: Findings, moves: Moves) -> Callable[[Node], str]:
    names, shape = findings.names, findings.nodes[moves.source].shape
    who = names[moves.source] + (f"[{', '.join('0' * len(shape))}]" if shape else "")

    def words(node: Node) -> str:
        if node.id == moves.source:
            return steps_of(who)
        if not moves.by:
            return undecided(who)
        move, name = moves.by.get(node.id, 0.0), names[node.id]
        still = all_zero(move)
        several = isinstance(move, Summary) and not still
        return measured_move(
            who, short(moves.step), f"the entries of {name}" if several else name, "" if still else _times(move)
        )

    return words


def _times(move: Num) -> str:
    """Write a node's move as text, such as "[1 0 2]", or "0.5 to 3" for an array of more than 8 entries."""
    if not isinstance(move, Summary):
        return short(move)
    if math.prod(move.shape) <= 8:
        return f"[{' '.join(map(short, move.sample))}]"
    low, high = short(move.min), short(move.max)
    return short(move) if nonfinite(move) else f"{low} to {high}" if low != high else low


def _nonzero(moves: Moves) -> dict[int, Num]:
    return {n: move for n, move in moves.by.items() if not all_zero(move)}


def wiggle_sizes(findings: Findings) -> list[float]:
    """Return the numbers that set the widths of lines: the part that each edge passes on, or the measured moves."""
    drawn = _nonzero(findings.moves).values() if findings.moves else wiggled(findings)[2].values()
    return [size_of(short(one)) for one in drawn]


def wiggle_state(findings: Findings, last: int) -> dict[str, Any]:
    """Return the entries of `Lane.state` for a wiggle that has reached the nodes up to `last`."""
    if findings.moves:
        reached = {f"n{n}": move for n, move in _nonzero(findings.moves).items() if n <= last}
        cells = {key: drawn for key, move in reached.items() if (drawn := shades(move))}
        return {"gradient": {key: short(move) for key, move in reached.items()}, "cells": cells, "sent": {}}
    _, moves, terms = wiggled(findings)
    ends = {f"e{e.id}": e.dst for e in findings.trace.edges}
    return {
        "gradient": {key: short(v) for key, v in moves.items() if int(key[1:]) <= last},
        "sent": {key: short(v) for key, v in terms.items() if ends[key] <= last},
    }
