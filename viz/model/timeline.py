"""The moments of the slider, with their sentences: one before the first step, then one for each message.

Each message is explained separately: a node receives one number, which is added to its gradient so far. A step
whose node sends nothing, such as an input's step, is also a moment. The messages that a custom rule replaced follow the
step of this rule as ghosts. In a forward pass the graph grows box by box, in the order in which its nodes
were made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minigrad.tracing.labels import spoken
from minigrad.tracing.numbers import nonfinite, short
from minigrad.tracing.table import text_table
from minigrad.tracing.trace_schema import BackwardTrace, Node, Num, Send, Step, Summary

from .findings import Findings, MessageText
from .text_table import shortened

#: The templates of the sentences about a step. A page fills them in when its inputs change; only the page uses
#: {factors}, in the sentence about the first nan.
SENTENCES = {
    "sends": "{sender} sends to {to}: {number}.",
    "replaced": "{sender} would have sent to {to}: {number}.",
    "by a rule": "The rule {rule} runs instead of the ops inside {sender}. It sends to {to}: {number}.",
    "so far": " At {to} so far: {sum}.",
    "born": " {word} {appears} here ({kind}): {reason}.",
    "born there": " {word} {appears} here: {factors}.",
    "carries": " It carries the {word} on.",
    "zeros": " Only zeros go on from here.",
    "meets": " Further on, at {node}, the 0 meets an inf.",
    "arrived": "All messages have arrived: the gradient of {node} is {number}.",
    "would have arrived": "Replaced by the rule: the gradient of {node} would have been {number}.",
}


def say(sentence: str, **holes: str) -> str:
    """Return one of `SENTENCES` with its placeholders filled.

    >>> say("carries", word="nan")
    ' It carries the nan on.'
    """
    return SENTENCES[sentence].format(**holes)


@dataclass(frozen=True)
class Moment:
    """One position of the slider: the message that is sent there, or the node that appears, and its sentence `words`.

    step : the index of the step, or -1 before the first. ghost : whether the step was replaced by a custom rule.
    verdict : whether the moment is the verdict on the messages of an edge, instead of a message.
    """

    step: int
    node: int
    message: MessageText | None
    words: str
    ghost: bool = False
    verdict: bool = False


@dataclass(frozen=True)
class Frame:
    """The content of the picture at a moment.

    adjoint : node -> its gradient so far; nodes that have received nothing are absent. held : the same gradients as
        text. done : nodes whose gradient is final. late : nodes that will receive more messages.
    messages : edge -> the number sent. now : edges of the running step. active : node of the running step; None before
        the first step and after the last. over : whether the pass has ended.
    """

    adjoint: dict[int, Num]
    held: dict[int, str]
    done: frozenset[int]
    late: frozenset[int]
    messages: dict[int, MessageText]
    now: frozenset[int]
    active: int | None
    over: bool


def timeline(findings: Findings) -> tuple[Moment, ...]:
    """Return all moments, in order; the moments of a ghost come right after the step of its custom call."""
    return Narrator(findings).moments()


def frame(trace: BackwardTrace, moments: Sequence[Moment], at: int, ghosts: bool = True) -> Frame:
    """Return the state after moment `at`. Messages of a ghost change gradients only in the ghost's body."""
    bodies = {node.id for node in trace.nodes if node.ghost}
    adjoint: dict[int, Num] = {}
    held: dict[int, str] = {}
    done: set[int] = set()
    messages: dict[int, MessageText] = {}
    for moment in moments[: at + 1]:
        if moment.ghost and not ghosts:
            continue
        if moment.step == -1:
            adjoint |= {s.node: s.g for s in trace.steps[:1]}
            held |= {s.node: short(s.g) for s in trace.steps[:1]}
        # A custom call and its body are separate nodes; a ghost step of the call itself ends no gradient.
        if not moment.ghost or moment.node in bodies:
            done.add(moment.node)
        if moment.message is not None:
            send = moment.message.send
            messages[send.edge] = moment.message
            if not moment.ghost or send.to in bodies:
                adjoint[send.to] = send.after
                held[send.to] = moment.message.after
    for of, node, g in ghost_seeds(trace) if ghosts else ():
        if of in done:
            adjoint[node], held[node] = g, short(g)
    later = moments[at + 1 :]
    late = {m.message.send.to for m in later if m.message is not None and not (m.ghost or m.verdict)}
    done -= late
    last = moments[at]
    running = [m for m in moments[: at + 1] if (m.step, m.node, m.ghost) == (last.step, last.node, last.ghost)]
    now = {m.message.send.edge for m in running if m.message is not None}
    over = at == len(moments) - 1
    # The last moment says that all messages have arrived: no node is at work then.
    active = None if (over and last.message is None) or last.step < 0 else last.node
    return Frame(adjoint, held, frozenset(done), frozenset(late), messages, frozenset(now), active, over)


def ghost_seeds(trace: BackwardTrace) -> list[tuple[int, int, Num]]:
    """Return (custom call, node, gradient) for each node where the pass through a replaced body begins."""
    seeds = []
    for ghost in trace.ghosts:
        reached = {send.to for step in ghost.steps for send in step.sends}
        seeds += [(ghost.of, step.node, step.g) for step in ghost.steps if step.node not in reached]
    return seeds


class Narrator:
    """Writes the moments of a pass, with their sentences; subclasses describe other kinds of pass."""

    def __init__(self, findings: Findings) -> None:
        self.findings, self.names = findings, findings.names
        self.appeared: set[tuple[str, bool]] = set()  # (nan or inf, whether in a ghost) seen so far

    def moments(self) -> tuple[Moment, ...]:
        """Return one moment before the first step, then the moments of each step and of its ghost."""
        trace = self.findings.trace
        ghosts = {ghost.of: ghost.steps for ghost in trace.ghosts}
        moments = [Moment(-1, trace.steps[0].node if trace.steps else -1, None, self.start())]
        for i, step in enumerate(trace.steps):
            moments += self._step(i, step)
            for ghost_step in ghosts.get(step.node, ()):
                moments += self._step(i, ghost_step, ghost=True)
        return tuple(moments)

    def start(self) -> str:
        if not self.findings.trace.steps:
            return "No backward pass: no input is reached from the output."
        first = self.findings.trace.steps[0]
        name = self.names[first.node]
        nothing = "No other gradient is computed yet."
        if first.g == 1:
            return f"Start: the gradient of {name} is 1, the slope of {name} with respect to itself. {nothing}"
        if isinstance(first.g, Summary) and first.g.min == first.g.max == 1 and not nonfinite(first.g):
            return f"Start: the gradient of {name} is all 1: the sum of its elements is differentiated. {nothing}"
        return f"Start: the gradient of {name} is {spoken(first.g)}. {nothing}"

    def _step(self, i: int, step: Step, ghost: bool = False) -> list[Moment]:
        """Return the moments of one step: its messages, or the gradient of a node that sends nothing."""
        if not step.sends:
            return [Moment(i, step.node, None, self.arrived(step, ghost), ghost)]
        messages = [self.findings.message(step, send) for send in step.sends]
        return [Moment(i, step.node, message, self.sent(step, message, ghost), ghost) for message in messages]

    def arrived(self, step: Step, ghost: bool) -> str:
        number = spoken(step.g, self.findings.adjoints[step.node])
        return say("would have arrived" if ghost else "arrived", node=self.names[step.node], number=number)

    def sent(self, step: Step, message: MessageText, ghost: bool) -> str:
        send, origin, rule = message.send, message.origin, step.rule.partition(":")[2]
        sender, to, number = self.names[step.node], self.names[send.to], message.product
        if "=" not in number:
            formula = "" if rule else self.findings.message_formulas[send.edge]
            number = (f"{formula}{self.findings.added_up[send.edge]} = " if formula else "") + spoken(send.value)
        sentence = "by a rule" if rule else "replaced" if ghost else "sends"
        words = say(sentence, rule=rule, sender=sender, to=to, number=number)
        if not ghost:
            words += say("so far", to=to, sum=self._sum(send, message))
        if origin is not None:
            appears = "also appears" if (origin.word, ghost) in self.appeared else "first appears"
            self.appeared.add((origin.word, ghost))
            words += say("born", word=origin.word, appears=appears, kind=origin.kind, reason=origin.reason)
        elif send.event == "carries":
            words += say("carries", word=nonfinite(send.value) or nonfinite(send.after) or "")
        elif send.event == "stops" and (meets := self.findings.after_zero(send.to)) is not None:
            words += say("zeros") if meets < 0 else say("meets", node=self.names[meets])
        return words

    def _sum(self, send: Send, message: MessageText) -> str:
        """Write the receiver's gradient after a message as a sum, such as "2 + 3 = 5", or as it is for an array."""
        if send.before is None or isinstance(send.value, Summary):
            return spoken(send.after, message.after)
        plus = message.value
        sign = f"- {plus[1:]}" if plus.startswith("-") else f"+ {plus}"
        return f"{message.before} {sign} = {message.after}"


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
    """Return code for the call that computes a node, with options; numbers are rounded as in the picture."""
    operands = [findings.trace.nodes[n] for _, n in sorted(findings.arguments.get(node.id, {}).items())]
    arguments = [spoken(n.value) if n.name == repr(n.value) else findings.names[n.id] for n in operands]
    return f"{node.op}({', '.join([*arguments, *([node.detail] if node.detail else [])])})"


def box_table(findings: Findings, max_lines: int | None = None) -> str:
    """Return a table with the name, op and value of each node except constants, in at most about `max_lines` lines."""
    nodes = [node for node in findings.trace.nodes if node.kind != "const"]
    made = ("(input)" if node.kind == "leaf" else call_of(findings, node) for node in nodes)
    rows = [(findings.names[node.id], how, spoken(node.value)) for node, how in zip(nodes, made)]
    head, *lines = text_table(("name", "made by", "value"), rows, words=range(3)).split("\n")
    return "\n".join([head, *shortened(lines, max_lines)])
