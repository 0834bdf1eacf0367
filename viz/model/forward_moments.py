"""The moments of a forward pass: the graph grows box by box, in the order in which its nodes were made."""

from __future__ import annotations

from minigrad.tracing.labels import spoken
from minigrad.tracing.trace_schema import Node

from .findings import Findings
from .text_table import shortened, text_table
from .timeline import Moment


def growth(findings: Findings) -> tuple[Moment, ...]:
    """Return one moment for each node, the result last; a constant appears with the op that uses it.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> trace = mg.backward_trace(x * x, xs=[], names={"x": x})
    >>> [moment.words for moment in growth(Findings(trace))]
    ['x is an input: 3.', 'multiply(x, x) = 9.']
    """
    boxes = [node for node in findings.trace.nodes if node.kind != "const"] or findings.trace.nodes
    in_order = sorted(boxes, key=lambda node: node.output)
    return tuple(Moment(i, node.id, None, _words(findings, node)) for i, node in enumerate(in_order))


def _words(findings: Findings, node: Node) -> str:
    return f"{made_by(findings, node)}{spoken(node.value)}."


def made_by(findings: Findings, node: Node) -> str:
    """Return the text before the value of a node: its name, and the call that computes it."""
    if node.kind == "leaf":
        return f"{findings.names[node.id]} is an input: "
    name = f"{findings.names[node.id]} = " if node.name else ""
    return f"{name}{call_of(findings, node)} = "


def call_of(findings: Findings, node: Node) -> str:
    """Return the call that computes a node, as code: op, arguments, options; numbers have the digits of the picture."""
    operands = [findings.trace.nodes[n] for _, n in sorted(findings.arguments.get(node.id, {}).items())]
    arguments = [spoken(n.value) if n.name == repr(n.value) else findings.names[n.id] for n in operands]
    return f"{node.op}({', '.join([*arguments, *([node.detail] if node.detail else [])])})"


def box_table(findings: Findings, max_lines: int | None = None) -> str:
    """Return a table with the name, op and value of each node except constants, in at most about `max_lines` lines."""
    nodes = [node for node in findings.trace.nodes if node.kind != "const"]
    made = ("(input)" if node.kind == "leaf" else call_of(findings, node) for node in nodes)
    rows = [(findings.names[node.id], how, spoken(node.value)) for node, how in zip(nodes, made)]
    head, *lines = text_table(("name", "made by", "value"), rows, left=(0, 1, 2)).split("\n")
    return "\n".join([head, *shortened(lines, max_lines)])
