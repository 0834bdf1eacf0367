"""The same picture for Graphviz: for those who want its styles, its formats, or a PNG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minigrad.formulas import titles
from minigrad.numerals import nonfinite, short
from minigrad.traces import BackwardTrace

from .plan import Drawing
from .stops import Frame
from .svg import slot_text

if TYPE_CHECKING:
    from graphviz import Digraph

SHAPES = {"leaf": "ellipse", "const": "plaintext"}


def digraph(trace: BackwardTrace, plan: Drawing, frame: Frame, rankdir: str = "LR") -> Digraph:
    """Boxes with op, value and adjoint; messages on the edges, as far as `frame` has sent them."""
    try:
        import graphviz
    except ImportError:
        raise ImportError("graphviz() needs the Python package graphviz: pip install graphviz") from None
    name = titles(trace)
    nodes = {node.id: node for node in trace.nodes}
    graph = graphviz.Digraph(graph_attr={"rankdir": rankdir}, node_attr={"fontname": "monospace", "shape": "box"})
    graph.attr("edge", fontname="monospace", fontsize="11")
    for item in plan.items:
        node = nodes[item.nodes[0]]
        lines = [item.label or name[node.id]]
        if not item.folded and node.kind != "const":
            lines += [f"= {short(node.value)}", slot_text(frame, node.id)[0]]
        bad = nonfinite(frame.adjoint.get(node.id))
        graph.node(
            item.key,
            "\n".join(lines),
            shape=SHAPES.get(node.kind, "box"),
            style="dashed" if node.ghost else "bold" if node.kind == "custom" else "solid",
            color="#b3261e" if bad else "#3d4b5e",
            peripheries="2" if node.output and not item.folded else "1",
        )
    for link in plan.links:
        sends = [frame.messages[e] for e in link.named if e in frame.messages]
        graph.edge(
            link.src,
            link.dst,
            label=", ".join(short(send.value) for send in sends),
            color="#b3261e" if any(nonfinite(s.value) for s in sends) else "#0b57b0" if sends else "#7a8798",
            dir="back" if sends else "forward",
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
