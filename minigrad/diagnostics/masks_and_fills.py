"""Recognise intended infinities, such as masks and bounds, and constants that replace nan data."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from ..tracing.numbers import nonfinite
from ..tracing.trace_schema import BackwardTrace, Node, Summary


def is_fill(node: Node, trace: BackwardTrace) -> bool:
    """Return whether a value is a constant that only a `where` reads, such as the nan result of a median."""
    users = {trace.nodes[edge.dst].op for edge in trace.edges if edge.src == node.id}
    return node.kind == "const" and users <= {"where", "select"}


def filling(node: Node, trace: BackwardTrace, origins: Iterable[tuple[Node, str]]) -> Node:
    """Find the true origin of a nan if `node` is a nan constant that a `where` fills in for another node's nan.

    That is so if the condition of the `where` was computed from the other node, one of the `origins`. Return `node`
    itself if it is not such a constant.
    """
    if not is_fill(node, trace):
        return node
    behind, ends = set[int](), [edge.dst for edge in trace.edges if edge.src == node.id]
    while ends:
        arguments = {edge.src for edge in trace.edges if edge.dst in ends} - behind
        behind |= arguments
        ends = [*arguments]
    alike = (n for n, word in origins if word == nonfinite(node.value) and n.id in behind)
    return next((n for n in alike if not is_fill(n, trace)), node)


def is_mask(node: Node, trace: BackwardTrace) -> bool:
    """Return whether a value may be a mask, or a bound such as the upper end of a clip.

    A mask contains infinite elements, and all infinite elements that the trace keeps are -inf.
    """
    users = {trace.nodes[edge.dst].op for edge in trace.edges if edge.src == node.id}
    if node.kind == "const" and users <= {"clip", "minimum", "maximum", "where"}:
        return nonfinite(node.value) == "inf"
    if "Variable" in (node.detail or ""):  # infinite weights are an error, not a mask
        return False
    if isinstance(node.value, Summary):
        return bool(node.value.inf) and not node.value.nan and "inf" not in node.value.sample
    return node.value == "-inf"


def infinite_at(node: Node) -> str:
    value = node.value
    many = f"infinite at {value.inf:,} of {prod(value.shape):,} elements" if isinstance(value, Summary) else value
    return f"is {many}"
