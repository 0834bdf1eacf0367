"""Export the picture as a Graphviz graph, for use with Graphviz's styles and output formats, such as PNG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minigrad.tracing.numbers import nonfinite, short

from ..model.findings import NOT_YET
from .lane import Lane

if TYPE_CHECKING:
    from graphviz import Digraph

SHAPES = {"leaf": "ellipse", "const": "plaintext"}


def digraph(lanes: Sequence[tuple[Lane, int]]) -> Digraph:
    """Return the Graphviz graph of some lanes; if there are several, each becomes a cluster with the lane's name.

    lanes : pairs (lane, the moment to draw).
    """
    try:
        import graphviz
    except ImportError:
        raise ImportError('graphviz() needs the Python package graphviz: pip install "minigrad-kit[lab]"') from None
    graph = graphviz.Digraph(
        graph_attr={"rankdir": "TB" if lanes[0][0].flow == "down" else "LR", "fontname": "monospace"},
        node_attr={"fontname": "monospace", "shape": "box"},
        edge_attr={"fontname": "monospace", "fontsize": "11"},
    )
    if len(lanes) == 1:
        _draw(graph, *lanes[0], "")
        return graph
    for number, (lane, at) in enumerate(lanes):
        with graph.subgraph(
            name=f"cluster_{number}", graph_attr={"label": graphviz.escape(lane.name), "color": "#7a8798"}
        ) as cluster:
            _draw(cluster, lane, at, f"{number}.")
    return graph


def _draw(graph: Digraph, lane: Lane, at: int, prefix: str) -> None:
    """Add a lane to a Graphviz graph: boxes with op, value and gradient, and edges with slope and message.

    at : the moment; messages sent later are left out. prefix : the start of the lane's node names.
    """
    import graphviz

    findings, frame = lane.findings, lane.frame(at)
    for node in lane.trace.nodes:
        lines = [findings.names[node.id]]
        if node.kind != "const":
            lines.append(f"= {short(node.value)}")
        if node.id in findings.slots:
            lines.append(f"ḡ {frame.held.get(node.id, 'none' if frame.over else NOT_YET)}")
        graph.node(
            f"{prefix}{node.id}",
            graphviz.escape("\n".join(lines)),  # otherwise a name such as <b> would be read as markup
            shape=SHAPES.get(node.kind, "box"),
            style="dashed" if node.ghost else "bold" if node.kind == "custom" else "solid",
            color="#b3261e" if nonfinite(frame.adjoint.get(node.id)) else "#3d4b5e",
            peripheries="2" if node.output else "1",
        )
    for edge in lane.trace.edges:
        sent, slope = frame.messages.get(edge.id), edge.local_value
        graph.edge(
            f"{prefix}{edge.src}",
            f"{prefix}{edge.dst}",
            label="\n".join([sent.value, *[f"× {short(slope)}"] * isinstance(slope, float)]) if sent else "",
            color="#b3261e" if sent and sent.bad else "#0b57b0" if sent else "#7a8798",
            dir="back" if sent else "forward",
            style="dashed" if edge.ghost else "solid",
        )
