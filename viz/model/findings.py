"""Findings about a backward pass, computed once from its trace for all parts of the picture, and their table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from minigrad.diagnostics.nan import NanReport, nan_report
from minigrad.diagnostics.origins import NanOrigin, nan_origins
from minigrad.tracing.labels import Formulas, messages_of
from minigrad.tracing.numbers import all_zero, nonfinite, shape_text, short
from minigrad.tracing.trace_schema import BackwardTrace, Edge, Node, Num, Send, Step, Summary

from .text_table import left_out

HEAD = ("step", "op", "gradient", "sends")  #: the headings of the table
FEW = 4  #: a table may exceed its maximum by this many lines before some are replaced with a note
SLOPE = 20  #: maximum number of characters of a formula next to a line; a longer one is replaced by its numbers
NOT_YET = "not yet"  #: shown for a gradient before a message arrives, so that it does not look like 0


@dataclass(frozen=True)
class MessageText:
    """One message in words: its value, the gradient of the receiver before and after, and how the value was computed.

    `bad` : whether the value is nan or inf. `spoils` : whether the gradient after the message is nan or inf. `origin`
    is set only on the message in which a nan or inf first appears.
    """

    send: Send
    value: str
    before: str
    after: str
    product: str
    bad: bool
    spoils: bool
    origin: NanOrigin | None


class Moves(NamedTuple):
    """How far each node moves if the first element of the input `source` moves by `step`.

    by : node -> its move, divided by `step`. It is empty if the code takes a different branch within a step.
    """

    source: int
    step: float
    by: dict[int, Num]


class Findings:
    """Everything that a picture shows of one backward pass: names, formulas, gradients, messages, origins of nan.

    trace : the record of the pass.

    report : the report on the first nan or inf, if the caller has it. reasons : node -> the reason why no gradient
        arrives at it.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> found = Findings(mg.backward_trace(mg.exp(x), names={"x": x}))
    >>> found.names, found.origins
    ({0: 'x', 1: 'exp'}, ())
    """

    moves: Moves | None = None  #: how far each node moved when one element of an input was nudged; None if not measured

    def __init__(
        self, trace: BackwardTrace, report: NanReport | None = None, reasons: Mapping[int, str] | None = None
    ) -> None:
        self.trace = trace
        formulas = Formulas(trace)
        self.names, self.nodes, self.arguments = formulas.name, formulas.nodes, formulas.arguments
        self.edges = {edge.id: edge for edge in trace.edges}
        #: The formulas of the slopes of edges, and of the messages along them.
        self.formulas = {edge.id: formulas.of(edge) for edge in trace.edges}
        self.message_formulas = messages_of(self.formulas)
        #: The values of nodes and the slopes of edges, as short text.
        self.values = {node.id: short(node.value) for node in trace.nodes}
        #: Node -> "nan" or "inf", for each node with such a value.
        suspects = [node for node in trace.nodes if not isinstance(node.value, float)]
        self.bad = {node.id: word for node in suspects if (word := nonfinite(node.value))}
        self.slopes = {edge.id: short(edge.local_value) for edge in trace.edges if edge.local_value is not None}
        #: The nodes whose boxes show a gradient: in a backward pass, the nodes with floats.
        floats = (node for node in trace.nodes if node.kind != "const" and node.dtype.startswith("float"))
        self.uses = Counter(edge.src for edge in trace.edges if not edge.ghost)
        #: The arguments that the function does not use.
        self.unused = {node.id for node in trace.nodes if node.op == "unused"}
        #: The edges for which the user's rule returned None.
        self.nones = _nones(trace, self.nodes)
        self.slots = {node.id for node in floats} - self.unused if trace.steps else set()
        self.report = nan_report(trace) if report is None else report
        self.reasons = reasons or {}
        origins = list(self.report.origins)
        for ghost in trace.ghosts:
            origins += nan_origins(trace, ghost.steps, ghost=True)
        self.origins = tuple(origins)
        self.passes = trace.steps, *(ghost.steps for ghost in trace.ghosts)
        self.adjoints = {step.node: short(step.g) for steps in self.passes for step in steps}
        self._origin_of = {origin.edge: origin for origin in origins}
        self._messages: dict[int, MessageText] = {}

    def after_zero(self, node: int) -> int | None:
        """Return the node (`node` or a later one) that turns the zero gradient of `node` into another value, if any.

        Returns -1 if no node does, and None if the gradient of `node` is not 0.
        """
        return self._zeros.get(node)

    def word_in(self, nodes: Collection[int]) -> str:
        """Return "nan" or "inf", whichever appears first in a message from one of `nodes`, or "" if neither appears."""
        return next((origin.word for origin in self.origins if origin.node in nodes), "")

    @cached_property
    def added_up(self) -> dict[int, str]:
        """For each edge, a phrase about the broadcast axes that its message is summed over, or "" if there are none."""
        words = {edge.id: "" for edge in self.trace.edges}
        for edge in self.trace.edges:
            node, to = self.nodes[edge.dst].shape, self.nodes[edge.src].shape
            if node == to or edge.local_value is None:
                continue
            # Broadcasting puts new axes in front; the length 0 makes them differ from the axes of the node.
            padded = (0,) * (len(node) - len(to)) + to
            gone = [i for i, (whole, kept) in enumerate(zip(node, padded)) if kept != whole]
            over = f"{shape_text(tuple(node[i] for i in gone))} copies"
            if len(node) == 2 and len(gone) == 1:
                over = f"{node[gone[0]]} {('rows', 'columns')[gone[0]]}"
            words[edge.id] = f" ({shape_text(node)}), added up over {over},"
        return words

    @cached_property
    def _zeros(self) -> dict[int, int]:
        """A dict that maps each node whose final gradient is 0 to its result of `after_zero`."""
        zeros: dict[int, int] = {}
        # From the end of the pass: what happens to a zero follows from what happens at its receivers.
        for step in reversed([step for steps in self.passes for step in steps]):
            if all_zero(step.g):
                spoilt = [step.node] * any(send.event != "stops" for send in step.sends)
                later = [zeros[send.to] for send in step.sends if zeros.get(send.to, -1) >= 0]
                zeros[step.node] = [*spoilt, *later, -1][0]
        return zeros

    def slope(self, edge: Edge) -> str:
        """Return the factor of a message along `edge`, as written next to the line, or "" if it is unknown.

        For a number, the factor is the slope. For arrays, it is written as a formula; if that is a matrix product, the
        shapes of its two operands follow.
        """
        if not self.slots.intersection((edge.src, edge.dst)):
            return ""
        number = edge.local_value
        if isinstance(number, (float, str)):
            return f"× {self.slopes[edge.id]}"
        formula = self.message_formulas[edge.id]
        if edge.local in ("g @ b.T", "a.T @ g") and formula:
            mine, other = self.nodes[edge.dst].shape, self.nodes[self.arguments[edge.dst][1 - edge.arg]].shape
            shapes = [shape_text(mine), shape_text(other[::-1])]
            return f"{formula} ({' @ '.join(shapes[::-1] if edge.arg else shapes)})"
        if len(formula) > SLOPE or not formula:
            formula = "" if number is None else f"ḡ · {self.slopes[edge.id]}"
        return f"× {formula[4:]}" if formula.startswith("ḡ · ") else formula

    def message(self, step: Step, send: Send) -> MessageText:
        """Return the message `send` of `step`, as text."""
        text = self._messages.get(send.edge)
        if text is None:
            finite = send.event in ("first", "accumulate", "stops")
            # The trace knows for most messages that they are finite: then their elements are not searched again.
            value, bad = short(send.value), not finite and nonfinite(send.value) is not None
            before, after, spoils = NOT_YET, value, bad
            if send.before is not None:
                before, after, spoils = short(send.before), short(send.after), nonfinite(send.after) is not None
            words = self.adjoints[step.node], self.slopes.get(send.edge, ""), value
            product = arithmetic(step, self.edges[send.edge], send, words)
            text = MessageText(send, value, before, after, product, bad, spoils, self._origin_of.get(send.edge))
            self._messages[send.edge] = text
        return text


def arithmetic(step: Step, edge: Edge, send: Send, words: Sequence[str] = ()) -> str:
    """Write a message as arithmetic: "0.5 · 2 = 1", or just "1" if the message is not such a product of two numbers.

    words : the gradient, the slope and the message as text, if known.

    >>> arithmetic(Step(0, 2, "derived", 0.5), Edge(0, 1, 2, 0, "b", 2.0), Send(0, 1, 1.0, None, 1.0, "first"))
    '0.5 · 2 = 1'
    """
    numbers = step.g, edge.local_value, send.value
    if not step.rule.startswith("derived") or any(n is None or isinstance(n, Summary) for n in numbers):
        return words[2] if words else short(send.value)
    g, slope, value = map(float, numbers)  # type: ignore[arg-type]
    product, (first, second, whole) = g * slope, words or map(short, numbers)
    same = (math.isnan(product) and math.isnan(value)) or product == value or math.isclose(product, value, rel_tol=1e-2)
    return f"{first} · {second} = {whole}" if same else whole


def step_table(findings: Findings, ghosts: bool = True, max_lines: int | None = None) -> str:
    """Return a table with one line per message: step, op, the op's gradient, the message and its receiver.

    `w += 0.5 · 2 = 1 (3 -> 4)` means that w receives the message 1, so its gradient changes from 3 to 4.
    max_lines : if there are more lines, the middle is left out, except for lines in which a nan or inf first appears.
    """
    rows = _rows(findings, findings.trace.steps, max_lines)
    widths = [max(len(row[i]) for row in [HEAD, *rows] if len(row) > 1) for i in range(3)]
    lines = [HEAD, *rows]
    for ghost in findings.trace.ghosts if ghosts else ():
        lines += [("",), (f"Replaced by the custom rule of {findings.names[ghost.of]}; derived, it would have been:",)]
        lines += _rows(findings, ghost.steps, max_lines)
        lines += [(f"(not known: a rule inside raises {ghost.raised})",)] if ghost.raised else []
    lines += [("",), *passed] if (passed := _variables(findings)[:max_lines]) else []
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]).rstrip() if row[1:] else row[0]
        for row in lines
    )


def _variables(findings: Findings) -> list[tuple[str, ...]]:
    """Return a row for each custom rule that uses Variables; it lists them in the order of the rule's arguments."""
    with_variables = [node for node in findings.trace.nodes if node.custom and node.detail.startswith("variables=")]
    words = ((findings.names[n.id], n.custom, n.detail.partition("[")[2][:-1]) for n in with_variables)
    return [(f"The rule {rule} of {name} gets the variables {listed}.",) for name, rule, listed in words]


def _rows(findings: Findings, steps: tuple[Step, ...], max_lines: int | None) -> list[tuple[str, ...]]:
    """Return the table's rows for some steps.

    If there are many more than `max_lines` messages, only the first and last rows, and any rows between them where a
    nan or inf first appears, are kept, with a note about the others.
    """
    total = sum(max(1, len(step.sends)) for step in steps)
    if max_lines is None or total <= max_lines + FEW:
        return _rows_of(findings, steps)
    half = max_lines // 2
    first = _rows_of(findings, steps[:half])[:half]
    last = _rows_of(findings, steps[-half:])[-half:]
    edges = {send.edge for step in steps for send in step.sends}
    begun = dict.fromkeys(origin.step for origin in findings.origins if origin.edge in edges)
    middle = [row for step in begun for row in _rows_of(findings, [steps[step]]) if "[first " in row[3]]
    middle = [row for row in middle if row not in first + last][:half]
    left = total - len(first) - len(middle) - len(last)
    return [*first, (left_out(left),), *middle, *last]


def _rows_of(findings: Findings, steps: Collection[Step]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for step in steps:
        rule = step.rule.partition(":")[2]
        start = str(step.i), findings.names[step.node] + (f" [{rule}]" if rule else ""), findings.adjoints[step.node]
        if not step.sends:
            rows.append((*start, "(nothing: the end of the path)"))
        for send in step.sends:
            message = findings.message(step, send)
            text = f"{findings.names[send.to]} += {message.product} ({message.before} -> {message.after})"
            if message.origin is not None:
                text += f" [first {message.origin.word}: {message.origin.kind}]"
            elif send.event in ("carries", "stops"):
                text += f" [{send.event}]"
            rows.append((*start, text))
            start = "", "", ""
    return rows


def _nones(trace: BackwardTrace, nodes: Mapping[int, Node]) -> set[int]:
    called = {step.node: step for step in trace.steps if step.rule.startswith("custom:")}
    silent = set()
    for edge in trace.edges if called else ():
        followed = nodes[edge.src].kind != "const" and nodes[edge.src].dtype.startswith("float")
        if followed and edge.arg >= 0 and edge.dst in called and not edge.ghost:
            silent |= {edge.id} - {send.edge for send in called[edge.dst].sends}
    return silent
