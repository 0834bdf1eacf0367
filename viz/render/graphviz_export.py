"""The picture as a Graphviz graph, for its styles and formats, PNG among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minigrad.tracing.numbers import nonfinite, short

from .svg import Lane, slot_text

if TYPE_CHECKING:
    from graphviz import Digraph

SHAPES = {"leaf": "ellipse", "const": "plaintext"}


def digraph(lane: Lane, at: int) -> Digraph:
    """Boxes with op, value and adjoint; messages on the edges, as far as they are sent at moment `at`."""
    try:
        import graphviz
    except ImportError:
        raise ImportError("graphviz() needs the Python package graphviz: pip install graphviz") from None
    frame = lane.frame(at)
    graph = graphviz.Digraph(
        graph_attr={"rankdir": lane.layout.rankdir}, node_attr={"fontname": "monospace", "shape": "box"}
    )
    graph.attr("edge", fontname="monospace", fontsize="11")
    for box in lane.drawing.boxes:
        node = lane.found.nodes[box.nodes[0]]
        lines = [box.label or lane.found.names[node.id]]
        if not box.folded and node.kind != "const":
            lines += [f"= {short(node.value)}", slot_text(frame, node.id)[0]]
        bad = nonfinite(frame.adjoint.get(node.id))
        graph.node(
            box.key,
            "\n".join(lines),
            shape=SHAPES.get(node.kind, "box"),
            style="dashed" if node.ghost else "bold" if node.kind == "custom" else "solid",
            color="#b3261e" if bad else "#3d4b5e",
            peripheries="2" if node.output and not box.folded else "1",
        )
    for link in lane.drawing.links:
        sent = [frame.messages[e] for e in link.named if e in frame.messages]
        graph.edge(
            link.src,
            link.dst,
            label=", ".join(message.value for message in sent),
            color="#b3261e" if any(message.bad for message in sent) else "#0b57b0" if sent else "#7a8798",
            dir="back" if sent else "forward",
            style="dashed" if link.ghost else "solid",
        )
    return graph


def png(graph: Digraph) -> bytes:
    """The bytes of a PNG, drawn by the program dot."""
    import graphviz

    try:
        return graph.pipe(format="png")
    except graphviz.ExecutableNotFound:
        raise RuntimeError(
            "to_png draws with the Graphviz program dot, which is not on the PATH; to_svg and to_html need nothing"
        ) from None
