"""How far each number of a pass moves with an input, by the slopes: the mode "wiggle" of a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.tracing.numbers import nonfinite, short
from minigrad.tracing.trace_schema import VARIABLE, BackwardTrace, Edge, Summary

from ..model.cut_edges import CUT
from ..model.findings import Findings
from ..model.timeline import Moment
from ..scene.wiggle import moved, steps_of, wiggles


def why_still(findings: Findings) -> str:
    """Why no wiggle is drawn of a pass; "" if one is."""
    trace = findings.trace
    if arrays := [n for n in trace.nodes if n.shape and not n.ghost and n.kind != "const"]:
        return f"{findings.names[arrays[0].id]} is an array"
    if not _sources(trace):
        return "no gradient reaches an input"
    moving = {n.id for n in trace.nodes if n.kind == "leaf"}
    for edge in sorted(trace.edges, key=lambda e: e.dst):
        if edge.ghost or edge.src not in moving or edge.id in findings.nones:
            continue
        node = findings.nodes[edge.dst]
        if edge.arg == CUT:
            return f"a plain number was taken out of the graph before {findings.names[node.id]}"
        if node.kind == "custom":
            return f"{findings.names[node.id]} has a rule, and no slope"
        if edge.local_value is None or isinstance(edge.local_value, Summary):
            if node.dtype.startswith("float"):
                return f"no slope of {findings.names[node.id]} is known"
            continue
        moving.add(node.id)
    return ""


def _sources(trace: BackwardTrace) -> list[int]:
    inputs = [n for n in trace.nodes if n.kind == "leaf" and n.detail != VARIABLE]
    return [n.id for n in inputs if n.adjoint is not None]


def wiggled(findings: Findings) -> tuple[int, dict[str, float], dict[str, float]]:
    """The first input, how far each node moves with it, and how much each edge passes on; see `viz.scene.wiggle`.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> wiggled(Findings(mg.backward_trace(x * x, names={"x": x})))[1]
    {'n0': 1.0, 'n1': 6.0}
    """
    source, nodes = min(_sources(findings.trace)), findings.nodes
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
    """One moment for each node: how far it moves with the first input."""
    source, moves, terms = wiggled(findings)
    edges, names = _sloped(findings), findings.names
    rows = []
    for i, node in enumerate(n for n in findings.trace.nodes if n.kind != "const"):
        entering = [e for e in edges if e.dst == node.id and f"e{e.id}" in terms]
        products = [f"{short(moves[f'n{e.src}'])} · {short(_slope(e))}" for e in entering]
        total = moves.get(f"n{node.id}", 0.0)
        words = moved(names[source], names[node.id], products, short(total), not nonfinite(total))
        rows.append(Moment(i, node.id, None, steps_of(names[source]) if node.id == source else words))
    return tuple(rows)


def wiggle_state(findings: Findings, last: int) -> dict[str, Any]:
    """The content of the picture when the wiggle has reached node `last`: see `viz.render.lane.Lane.state`."""
    _, moves, terms = wiggled(findings)
    ends = {f"e{e.id}": e.dst for e in findings.trace.edges}
    return {
        "gradient": {key: short(v) for key, v in moves.items() if int(key[1:]) <= last},
        "sent": {key: short(v) for key, v in terms.items() if ends[key] <= last},
    }
