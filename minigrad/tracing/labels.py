"""How pictures speak of nodes, formulas and numbers."""

from __future__ import annotations

import re

from .model import BackwardTrace, Edge, Num, Summary
from .numbers import clip, shape_text, short


def titles(trace: BackwardTrace) -> dict[int, str]:
    """What to call each node in a sentence: its name, with its number where several share the name.

    An op that no variable names is called by its op.
    """
    plain = {node.id: node.name or (short(node.value) if node.kind == "const" else node.op) for node in trace.nodes}
    count: dict[str, int] = {}
    for node in trace.nodes:
        count[plain[node.id]] = count.get(plain[node.id], 0) + (node.kind != "const")
    return {n: f"{name}#{n}" if count[name] > 1 else name for n, name in plain.items()}


class Formulas:
    """The local derivative of each edge in the names of the user: `1 / a` becomes `1 / price`.

    In the declarations of the ops, a, b, ... are the arguments and y is the result; y stays y where it has no name.
    """

    def __init__(self, trace: BackwardTrace) -> None:
        self.name = titles(trace)
        self.called = {node.id: node.name for node in trace.nodes}
        self.arguments: dict[int, dict[int, int]] = {}
        for edge in trace.edges:
            self.arguments.setdefault(edge.dst, {})[edge.arg] = edge.src

    def of(self, edge: Edge) -> str:
        """The formula, "" where none is known."""
        arguments = self.arguments[edge.dst]

        def word(match: re.Match[str]) -> str:
            letter = match[0]
            if letter == "y":
                return self.called[edge.dst] or letter
            number = "abc".index(letter)
            return clip(self.name[arguments[number]], 18) if number in arguments else letter

        return re.sub(r"\b[abcy]\b", word, edge.local or "")

    def times(self, edge: Edge) -> str:
        """The formula as a factor: in parentheses unless it is one word."""
        formula = self.of(edge)
        return formula if re.fullmatch(r"[\w.#]+|", formula) else f"({formula})"


def spoken(value: Num | None) -> str:
    """A number in a sentence; an array by its extent.

    >>> spoken(0.5)
    '0.5'
    """
    if isinstance(value, Summary) and "…" in short(value):
        return f"{shape_text(value.shape)} numbers from {short(value.min)} to {short(value.max)}"
    if isinstance(value, Summary):
        return f"{short(value)} ({shape_text(value.shape)})"
    return short(value)
