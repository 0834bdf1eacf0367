"""The picture as a Graphviz graph, for its styles and formats, PNG among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minigrad.tracing.numbers import nonfinite, short

from .lane import Lane
from .svg import slot_text

if TYPE_CHECKING:
    from graphviz import Digraph

SHAPES = {"leaf": "ellipse", "const": "plaintext"}


def digraph(lanes: Sequence[tuple[Lane, int]]) -> Digraph:
    """Lanes, each at a moment of its own: of several, each is a cluster with its name."""
    try:
        import graphviz
    except ImportError:
        raise ImportError("graphviz() needs the Python package graphviz: pip install graphviz") from None
    graph = graphviz.Digraph(
        graph_attr={"rankdir": lanes[0][0].layout.rankdir, "fontname": "monospace"},
        node_attr={"fontname": "monospace", "shape": "box"},
        edge_attr={"fontname": "monospace", "fontsize": "11"},
    )
    if len(lanes) == 1:
        _draw(graph, *lanes[0], "")
        return graph
    for number, (lane, at) in enumerate(lanes):
        with graph.subgraph(name=f"cluster_{number}", graph_attr={"label": lane.name, "color": "#7a8798"}) as cluster:
            _draw(cluster, lane, at, f"{number}.")
    return graph


def _draw(graph: Digraph, lane: Lane, at: int, prefix: str) -> None:
    """Boxes with op, value and adjoint; messages on the edges, as far as they are sent at moment `at`."""
    frame = lane.frame(at)
    for box in lane.drawing.boxes:
        node = lane.found.nodes[box.nodes[0]]
        lines = [box.label or lane.found.names[node.id]]
        if not box.folded and node.kind != "const":
            lines += [f"= {short(node.value)}", *[slot_text(frame, node.id)[0]] * lane.texts[box.key].slot]
        bad = nonfinite(frame.adjoint.get(node.id))
        graph.node(
            prefix + box.key,
            "\n".join(lines),
            shape=SHAPES.get(node.kind, "box"),
            style="dashed" if node.ghost else "bold" if node.kind == "custom" else "solid",
            color="#b3261e" if bad else "#3d4b5e",
            peripheries="2" if node.output and not box.folded else "1",
        )
    for link in lane.drawing.links:
        sent = [frame.messages[e] for e in lane.drawing.named[link.key] if e in frame.messages]
        graph.edge(
            prefix + link.src,
            prefix + link.dst,
            label=", ".join(message.value for message in sent),
            color="#b3261e" if any(message.bad for message in sent) else "#0b57b0" if sent else "#7a8798",
            dir="back" if sent else "forward",
            style="dashed" if link.ghost else "solid",
        )
