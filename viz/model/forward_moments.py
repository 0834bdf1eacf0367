"""The moments of a forward pass: the graph grows box by box, in the order in which its nodes were made."""

from __future__ import annotations

from minigrad.tracing.labels import spoken
from minigrad.tracing.trace_schema import Node

from .findings import Findings
from .text_table import shortened, text_table
from .timeline import Moment


def growth(found: Findings) -> tuple[Moment, ...]:
    """One moment for each node, the result last; constants appear with the op that uses them.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> trace = mg.backward_trace(x * x, xs=[], names={"x": x})
    >>> [moment.words for moment in growth(Findings(trace))]
    ['x is an input: 3.', 'multiply(x, x) = 9.']
    """
    boxes = [node for node in found.trace.nodes if node.kind != "const"] or found.trace.nodes
    in_order = sorted(boxes, key=lambda node: node.output)
    return tuple(Moment(i, node.id, None, _words(found, node)) for i, node in enumerate(in_order))


def _words(found: Findings, node: Node) -> str:
    return f"{made_by(found, node)}{spoken(node.value)}."


def made_by(found: Findings, node: Node) -> str:
    """The words about a node before its value."""
    if node.kind == "leaf":
        return f"{found.names[node.id]} is an input: "
    name = f"{found.names[node.id]} = " if node.name else ""
    return f"{name}{call_of(found, node)} = "


def call_of(found: Findings, node: Node) -> str:
    """The call that computes a node, as code: op, arguments, options; numbers with the digits of the picture."""
    given = [found.trace.nodes[n] for _, n in sorted(found.arguments.get(node.id, {}).items())]
    arguments = [spoken(n.value) if n.name == repr(n.value) else found.names[n.id] for n in given]
    return f"{node.op}({', '.join([*arguments, *([node.detail] if node.detail else [])])})"


def box_table(found: Findings, max_lines: int | None = None) -> str:
    """One line for each node except constants: its name, op and value; at most about `max_lines` lines."""
    nodes = [node for node in found.trace.nodes if node.kind != "const"]
    made = ("(input)" if node.kind == "leaf" else call_of(found, node) for node in nodes)
    rows = [(found.names[node.id], how, spoken(node.value)) for node, how in zip(nodes, made)]
    head, *lines = text_table(("name", "made by", "value"), rows, left=(0, 1, 2)).split("\n")
    return "\n".join([head, *shortened(lines, max_lines)])
