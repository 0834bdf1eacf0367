"""A finished pass, as needed for sentences: the values, gradients and names of boxes, and the messages of edges."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minigrad.tracing.trace_schema import Num

from ..scene.ink import is_bad
from ..scene.words import figure
from .compared import capital, names_in_a_row
from .number_words import is_empty, signed, size_of

GIVEN = ("leaf", "var")  #: the kinds of inputs


@dataclass(frozen=True)
class Point:
    """A headline, and the part of the picture that it is about.

    loop : the key of the loop that the sentence is about, or "". turn : the index of the iteration to show, or -1 if
        the sentence is not about an iteration.
    """

    words: str
    loop: str = ""
    turn: int = -1


@dataclass(frozen=True)
class Birth:
    """A message that becomes nan or inf.

    edge : the id of the message's edge. word : "nan" or "inf". gradient, slope : the factors; the slope is None if it
        is unknown. ghost : whether the message belongs to the pass that a rule replaced.
    """

    edge: int
    word: str
    gradient: Num
    slope: Num | None
    ghost: bool


@dataclass(frozen=True)
class PassNumbers:
    """The numbers of a pass: values and gradients by node, messages by edge."""

    values: Mapping[int, Num]
    gradients: Mapping[int, Num]
    messages: Mapping[int, Num]


class Finished:
    """A graph at the end of its pass: the value and gradient of each box, and the message of each edge."""

    def __init__(self, graph: Any, numbers: PassNumbers, births: Sequence[Birth]) -> None:
        self.nodes, self.frames, self.numbers = graph["nodes"], graph["frames"], numbers
        self.births = births
        self.edges = {edge["id"]: edge for edge in graph["edges"]}
        self.uses: list[list[Any]] = [[] for node in self.nodes]  # node -> edges to the ops that use it, without ghosts
        self.made: list[list[Any]] = [[] for node in self.nodes]  # node -> edges from its arguments, with ghosts
        for edge in graph["edges"]:
            self.made[edge["dst"]].append(edge)
            if not edge["ghost"]:
                self.uses[edge["src"]].append(edge)
        drawn = [node["id"] for node in self.nodes if not node["ghost"]]
        self.output = next((n for n in drawn if self.nodes[n]["output"]), -1)
        self.inputs = [n for n in drawn if self.nodes[n]["kind"] in GIVEN and not self.made[n]]
        #: name -> number of boxes with this name
        self.count = Counter(self.plain_name(n) for n in drawn if self.nodes[n]["kind"] != "const")
        self._read_ghosts()

    def _read_ghosts(self) -> None:
        ghost = [bool(node["ghost"]) for node in self.nodes]
        #: ghost node -> the custom call whose rule replaced it
        self.call = {e["src"]: e["dst"] for e in self.edges.values() if ghost[e["src"]] and not ghost[e["dst"]]}
        #: (argument, call) -> the message that the replaced pass of the call sends to the argument
        self.within: defaultdict[tuple[int, int], list[Num]] = defaultdict(list)
        for n in (n for n in reversed(range(len(ghost))) if ghost[n] and n in self.call):
            for edge in self.made[n]:
                if ghost[edge["src"]]:
                    self.call[edge["src"]] = self.call[n]
                elif (message := self.sent(edge)) is not None:
                    self.within[edge["src"], self.call[n]].append(message)

    @property
    def trusted(self) -> bool:
        """Whether the value is finite and all gradients come from the engine's own rules."""
        return not (
            any(edge["rule"] or edge["cut"] for edge in self.edges.values())
            or any(node["title"] == "stop_gradient" and not node["ghost"] for node in self.nodes)
            or is_bad(size_of(self.value(self.output)))
        )

    def gradient(self, n: int) -> Num | None:
        """Return the gradient of a node, or None if no gradient has arrived."""
        return self.numbers.gradients.get(n)

    def size(self, n: int) -> float:
        """Return the size of the gradient of a node, or -1 if no gradient has arrived."""
        return size_of(self.gradient(n))

    def empty(self, n: int) -> bool:
        """Return whether the gradient of a node has no elements."""
        return is_empty(self.gradient(n))

    def number(self, n: int) -> str:
        """Return the gradient of a node as written in a sentence; for an array, the entry of largest magnitude."""
        return signed(self.gradient(n)) if self.scalar(n) else f"at most {figure(self.size(n))}"

    def value(self, n: int) -> Num:
        return self.numbers.values[n]

    def sent(self, edge: Any) -> Num | None:
        """Return the message along an edge, or None if there is none."""
        return self.numbers.messages.get(edge["id"])

    def uses_of(self, n: int) -> list[Any]:
        """Return the edges to the ops that use a node and send it a message."""
        return [edge for edge in self.uses[n] if self.sent(edge) is not None]

    def messages(self, n: int) -> list[Num]:
        """Return the messages sent to a node."""
        return [message for edge in self.uses[n] if (message := self.sent(edge)) is not None]

    def ruled(self, n: int, call: int) -> list[Num]:
        """Return the messages that the custom rule of the node `call` sends to node `n`, one for each use."""
        sent = [self.sent(edge) for edge in self.uses[n] if edge["dst"] == call]
        return [message for message in sent if message is not None]

    def scalar(self, n: int) -> bool:
        return bool(self.nodes[n]["shape"] == "")

    def title(self, n: int) -> str:
        text: str = self.nodes[n]["title"]
        return text

    def op(self, n: int) -> str:
        """Return the op of a node, with a number if several nodes have the same op."""
        return f"{self.title(n)}{self.nodes[n]['mark']}"

    def plain_name(self, n: int) -> str:
        return self.nodes[n]["called"] or self.title(n)

    def name(self, n: int) -> str:
        """Return the name of a node; an input also gets its scope or number if another box has the same name."""
        name, scope = self.plain_name(n), self.scope(n)
        if self.nodes[n]["kind"] not in GIVEN or self.count[name] == 1:
            return name
        same = [m for m in self.inputs if self.plain_name(m) == name and self.scope(m) == scope]
        return f"{name} of {scope}" if scope and same == [n] else f"{name}#{n}"

    def scope(self, n: int) -> str:
        """Return the path of the frames around all uses of an input, such as "layer 0/mlp"."""
        used = [f"n{edge['dst']}" for edge in self.uses[n]]
        around = [frame for key, frame in self.frames.items() if key and all(use in frame["holds"] for use in used)]
        return "/".join(frame["name"] for frame in around if used)

    def names(self, some: list[int]) -> str:
        return names_in_a_row([self.name(n) for n in some])

    def tell(self, some: list[int], one: str, several: str) -> str:
        """Return the text `one` for a single node, or `several` for more, with their names in the placeholder {}."""
        return (one if len(some) == 1 else several).format(self.names(some))

    def result(self) -> str:
        """Return the name of the result."""
        called = self.nodes[self.output]["called"] or self.nodes[self.output]["kind"] in GIVEN
        return self.name(self.output) if called else "the result"

    def differentiated(self) -> str:
        """Return the name of the differentiated quantity: the result, or the sum of an array."""
        return self.result() if self.scalar(self.output) else f"the sum of {self.result()}"

    def equation(self) -> str:
        name = self.result()
        return ("The result is " if name == "the result" else f"{name} = ") + signed(self.value(self.output)) + "."

    def said(self, rest: str) -> str:
        """Put the value of the result, or "For the sum of y,", before the text `rest` about gradients."""
        if self.scalar(self.output):
            return f"{self.equation()} {capital(rest)}"
        return f"For {self.differentiated()}, {rest}"

    def place(self, n: int) -> tuple[str, int]:
        """Return the key of the outermost loop around a node and the index of the node's iteration, or ("", -1)."""
        around = [key for key, frame in self.frames.items() if frame["turns"] and f"n{n}" in frame["holds"]]
        if around:
            loop = min(around, key=len)
            for i, turn in enumerate(self.frames[loop]["turns"]):
                if f"n{n}" in self.frames[turn]["holds"]:
                    return loop, i
        return "", -1

    def turn(self, loop: str, i: int) -> str:
        """Return the name of an iteration of a loop."""
        name, _, call = self.frames[self.frames[loop]["turns"][i]]["name"].partition(", call ")
        return f"{name} (call {call})" if call else str(name)

    def reached(self, first: int, ghost: bool) -> list[int]:
        """Return the inputs that a nan or inf reaches along messages from node `first`.

        If `ghost` is true, the messages of replaced ops are followed instead, as far as the arguments of their call.
        """
        seen, queue = {first}, [first]
        while queue:
            n = queue.pop()
            if ghost and not self.nodes[n]["ghost"]:
                continue
            for edge in self.made[n]:
                if edge["ghost"] == ghost and edge["src"] not in seen and is_bad(size_of(self.sent(edge))):
                    seen.add(edge["src"])
                    queue.append(edge["src"])
        ends = sorted(n for n in seen if not self.nodes[n]["ghost"])
        return ends if ghost else [n for n in ends if self.nodes[n]["kind"] in GIVEN]
