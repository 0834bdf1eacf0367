"""The text of a source: the forward pass, then for each line of it what it sends back."""

from __future__ import annotations

import ast
from typing import Any

from ..tensor import Tensor
from .calls import Line, constant
from .lowering import Lowering
from .passed import Passed, is_call
from .program import needed
from .writing import Link, Writer, count_uses, layout, living


def write(
    y: Tensor, sources: list[Tensor], graph: list[Tensor], passed: Passed, lowering: Lowering,
    inputs: list[tuple[Line, str]], names: dict[int, str],
) -> tuple[str, dict[str, Any], list[Link]]:  # fmt: skip
    """The text of the function, the values of its parameters by name, and what its lines have to do with the graph."""
    found = [passed.upstreams.get(x.birth) for x in sources]
    results = [lowering.line(y), *(lowering.line(g) for g in found if g is not None)]
    lines = needed(results, lowering.program.lines)
    writer = Writer(count_uses(results, lines))
    inputs = [(line, name) for line, name in inputs if line in lines or line.dtype.kind == "f"]
    for line, name in inputs:
        writer.parameter(line, name)
    forward = _Forward(writer, lowering, set(lines), names, graph)
    for node in graph:
        forward.add(node)
    adjoints = _backward(writer, lowering, passed, forward, names)

    answers = [
        "None" if g is None else adjoints.get(x.birth) or ast.unparse(writer.operand(lowering.line(g)))
        for x, g in zip(sources, found)
    ]
    result = f"return {ast.unparse(writer.operand(results[0]))}, [{', '.join(answers)}]"
    statements = living(writer.statements, result)
    forth = sum(not s.link.backward for s in statements)
    parameters = {writer.names[line]: line.value for line, _ in inputs} | writer.data
    imports = [text for text in writer.definitions.values() if text.startswith(("import ", "from "))]
    defined = [text for text in writer.definitions.values() if text not in imports]
    head = "\n\n\n".join(["\n".join([*dict.fromkeys(imports), "import numpy as np"]), *defined])
    head += f"\n\n\ndef value_and_gradients({', '.join(parameters)}):\n"
    start = head.count("\n") + 1
    body = layout(statements[:forth], start) + [""] * bool(forth)
    body += layout(statements[forth:], start + len(body)) + [result]
    links = [Link(writer.names[line], nodes=forward.nodes.get(line, ()), lines=(start - 1,) * 2) for line, _ in inputs]
    links += [statement.link for statement in statements]
    links.append(Link("", y.birth, True, lines=(start + len(body) - 1,) * 2))
    return head + "\n".join(f"    {line}" if line else "" for line in body), parameters, links


class _Forward:
    """The forward pass: a statement for each node, and what stands in it, to be said about its adjoints."""

    def __init__(
        self, writer: Writer, lowering: Lowering, wanted: set[Line], names: dict[int, str], graph: list[Tensor]
    ) -> None:
        self.writer, self.lowering, self.wanted, self.names = writer, lowering, wanted, names
        self.said: dict[Any, str] = {}  # line -> the code of its statement
        self.nodes: dict[Line, tuple[int, ...]] = {}  # line -> the births of the nodes whose value it gives
        for node in graph:
            line = lowering.line(node)
            if isinstance(line, Line):
                self.nodes[line] = (*self.nodes.get(line, ()), node.birth)

    def add(self, node: Tensor) -> None:
        line = self.lowering.line(node)
        if not isinstance(line, Line):
            return
        if line in self.wanted and line not in self.writer.names and line.function is not constant:
            self.writer.of = node.birth
            self.writer.assign(line, self.writer.fresh(self.names.get(node.birth, "")))
            self.writer.last.nodes = self.nodes[line]
            self.said[line] = self.writer.statements[-1].code[-1]

    def name(self, node: Tensor) -> str:
        """What the value of the node is called in the text."""
        line = self.lowering.known.get(node.birth)
        known = self.writer.names.get(line) if isinstance(line, Line) else None
        return known or self.names.get(node.birth) or (node.op.name if node.op is not None else "x")


def _backward(
    writer: Writer, lowering: Lowering, passed: Passed, forward: _Forward, names: dict[int, str]
) -> dict[int, str]:
    """For each step of the loop the messages it sends, each a statement that begins or adds to an adjoint.

    Returns what the adjoints are called, by birth.
    """
    adjoints: dict[int, str] = {}  # birth -> the name that holds what has arrived
    met: dict[int, int] = {}  # birth -> how many messages have
    done: dict[int, Link] = {}  # births whose whole adjoint was known at the first message, and its statement
    writer.backward = True
    for k, (node, upstream, sends) in enumerate(passed.steps):
        writer.of = node.birth
        writer.note = forward.said.get(lowering.known.get(node.birth), node.op.name if node.op is not None else "")
        arrived = {lowering.line(upstream): adjoints[node.birth]} if node.birth in adjoints else {}
        if is_call(node):
            writer.note = f"{getattr(node.op.grad_fn, '__name__', 'rule')} of {node.op.name}"
            for inner in passed.inside(k):
                line = lowering.line(inner)
                if (
                    isinstance(line, Line)
                    and writer.uses[line]
                    and line not in writer.names
                    and line.function is not constant
                ):
                    writer.instead = dict(arrived)
                    writer.assign(line, writer.fresh(names.get(inner.birth, "")))
        for place, argument, message in sends:
            if isinstance(argument.value, tuple):
                continue
            line, birth, last = lowering.line(message), argument.birth, passed.count[argument.birth]
            writer.instead = dict(arrived)
            if birth in done:
                done[birth].sends += ((node.birth, place),)
                continue
            met[birth] = met.get(birth, 0) + 1
            if last == 1 and node.birth in adjoints and lowering.line(argument) is lowering.line(node):
                adjoints[birth] = adjoints[node.birth]  # another node for the same value
                continue
            if met[birth] == 1:
                adjoints[birth] = writer.fresh(f"d_{forward.name(argument)}")
                whole = lowering.line(passed.upstreams[birth])
                known = whole in writer.names
                if known:
                    line, last = whole, 1
                if last > 1 and writer.uses[line] > 1:
                    writer.operand(line)  # it is needed again, so it gets a name that is not added to
                writer.assign(line, adjoints[birth])
                if known:
                    done[birth] = writer.last
                writer.last.sends, writer.last.adjoint = ((node.birth, place),), birth
                continue
            total = lowering.line(passed.sums(argument)[met[birth] - 2])
            if total in writer.names:
                writer.assign(total, adjoints[birth])
            else:
                writer.add_to(adjoints[birth], line)
                if met[birth] == last:
                    writer.call(total, adjoints[birth])
            writer.last.sends, writer.last.adjoint = ((node.birth, place),), birth
    writer.instead = {}
    return adjoints
