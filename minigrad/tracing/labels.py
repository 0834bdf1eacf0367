"""The names of nodes, formulas and numbers in pictures and sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from .numbers import clip, shape_text, short
from .trace_schema import BackwardTrace, Edge, Num, Summary


def titles(trace: BackwardTrace) -> dict[int, str]:
    """Return each node's title: its name or its op, with a number, as in "add#3", if several nodes have that title.

    The title of a constant without a name is its value.
    """
    plain = {node.id: node.name or (short(node.value) if node.kind == "const" else node.op) for node in trace.nodes}
    count: dict[str, int] = {}
    for node in trace.nodes:
        count[plain[node.id]] = count.get(plain[node.id], 0) + (node.kind != "const")
    return {n: f"{name}#{n}" if count[name] > 1 else name for n, name in plain.items()}


#: Matches a formula that needs no parentheses as a factor.
TERM = re.compile(r"-?[\w.#]+(\[[^\[\]]*\])*(\([^()]*\))?")


class Formulas:
    """The formula of each edge, written with the user's names: `1 / a` becomes `1 / price`.

    In the declarations of the ops, a, b, ... are the arguments, y is the result, n is the number of elements that are
    reduced to each element of the result, and g is the upstream gradient. A formula that contains g is the whole
    message; any other formula is a factor that multiplies g.
    """

    def __init__(self, trace: BackwardTrace) -> None:
        self.name = titles(trace)
        self.nodes = {node.id: node for node in trace.nodes}
        self.arguments: dict[int, dict[int, int]] = {}
        for edge in trace.edges:
            if edge.arg >= 0:
                self.arguments.setdefault(edge.dst, {})[edge.arg] = edge.src

    def of(self, edge: Edge) -> str:
        """Return the formula of `edge`, or "" if no formula is known."""
        slope, arguments = edge.local or "", self.arguments.get(edge.dst, {})
        matrices = [self.nodes[n].shape for n in (edge.dst, *arguments.values())]
        if "@" in slope and min(map(len, matrices)) < 2:
            return ""  # the declared formula is for matrices; for vectors it would be different

        def word(match: re.Match[str]) -> str:
            letter = match[0]
            if letter == "g":
                return "ḡ"
            if letter == "y":
                return self.value_of(edge.dst)
            if letter == "n":
                return str(math.prod(self.nodes[edge.src].shape) // max(1, math.prod(self.nodes[edge.dst].shape)))
            number = "abc".index(letter)
            return clip(self.name[arguments[number]], 18) if number in arguments else letter

        named = re.sub(r"\b[abcgny]\b", word, slope)
        return re.sub(r" ?(?<!\*)\*(?!\*) ?", " · ", named)

    def value_of(self, node: int) -> str:
        """Return the text for a node in a formula: its name, or else the op and its arguments, as in `exp(x)`."""
        arguments = [clip(self.name[n], 18) for _, n in sorted(self.arguments.get(node, {}).items())]
        call = f"{self.nodes[node].op}({', '.join(arguments)})"
        return self.nodes[node].name or (call if len(call) <= 24 else self.name[node])


def messages_of(formulas: Mapping[int, str]) -> dict[int, str]:
    """Return the message that each edge's formula gives, such as `ḡ · exp(x)`, or "" if no formula is known."""
    factors = {edge: f if not f or TERM.fullmatch(f) else f"({f})" for edge, f in formulas.items()}
    return {edge: f if "ḡ" in f or not f else f"ḡ · {factors[edge]}" for edge, f in formulas.items()}


def spoken(value: Num | None, text: str = "") -> str:
    """Return a number, or the elements or the range of an array, as text for a sentence.

    text : the short form of the value, if the caller already has it.

    >>> spoken(0.5)
    '0.5'
    """
    text = text or short(value)
    if isinstance(value, Summary) and math.prod(value.shape) <= 8 and text[:3] != "all":
        return f"[{' '.join(short(item) for item in value.sample)}] ({shape_text(value.shape)})"
    if isinstance(value, Summary) and "…" in text:
        return f"{shape_text(value.shape)} numbers from {short(value.min)} to {short(value.max)}"
    if isinstance(value, Summary):
        return f"{text} ({shape_text(value.shape)})"
    return text
