"""The stops of the slider: one before the first step, then one for each message, each with its sentence.

A message is the unit that teaches: x receives one number, and its adjoint changes by that number. A step whose node
sends nothing (an input) is a stop too. The messages that a custom rule replaced follow its step as ghost stops.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from minigrad.births import Birth, births
from minigrad.formulas import Formulas, spoken
from minigrad.numerals import nonfinite, number_of, short
from minigrad.traces import BackwardTrace, Edge, Node, Num, Send, Step

from .plan import Drawing


@dataclass(frozen=True)
class Stop:
    """What is new at one place of the slider. `step` is -1 before the first step; `words` is the sentence."""

    step: int
    node: int
    send: Send | None
    words: str
    ghost: bool = False


@dataclass(frozen=True)
class Frame:
    """What the picture shows at a stop.

    adjoint: node -> its adjoint so far, absent where nothing has arrived; `done` are the nodes whose adjoint is final.
    messages: edge -> the send; `now` are the edges of the running step, `active` its node: None before and after all.
    """

    adjoint: dict[int, Num]
    done: frozenset[int]
    messages: dict[int, Send]
    now: frozenset[int]
    active: int | None


def stops(trace: BackwardTrace, plan: Drawing | None = None) -> tuple[Stop, ...]:
    """All stops, in order; ghost stops right after the step of the custom call they belong to.

    plan: what is drawn; messages inside a folded box are no stops.
    """
    teller = _Teller(trace, plan)
    ghosts = {ghost.of: ghost.steps for ghost in trace.ghosts}
    found = [Stop(-1, trace.steps[0].node if trace.steps else -1, None, teller.start())]
    for i, step in enumerate(trace.steps):
        found += teller.step(i, step, teller.born)
        for ghost_step in ghosts.get(step.node, ()):
            found += teller.step(i, ghost_step, teller.ghost_born[step.node], ghost=True)
    return tuple(found)


def frame(trace: BackwardTrace, all_stops: Sequence[Stop], at: int, ghosts: bool = True) -> Frame:
    """The state after stop number `at`. Ghost messages never touch an adjoint outside the ghost's body."""
    bodies = {node.id for node in trace.nodes if node.ghost}
    adjoint: dict[int, Num] = {}
    done: set[int] = set()
    messages: dict[int, Send] = {}
    for stop in all_stops[: at + 1]:
        if stop.ghost and not ghosts:
            continue
        if stop.step == -1:
            adjoint |= {s.node: s.g for s in trace.steps[:1]}
        if not stop.ghost or stop.node in bodies:
            done.add(stop.node)
        if stop.send is not None:
            messages[stop.send.edge] = stop.send
            if not stop.ghost or stop.send.to in bodies:
                adjoint[stop.send.to] = stop.send.after
    for of, node, g in ghost_seeds(trace) if ghosts else ():
        if of in done:
            adjoint[node] = g
    last = all_stops[at]
    running = [s for s in all_stops[: at + 1] if (s.step, s.node, s.ghost) == (last.step, last.node, last.ghost)]
    now = {s.send.edge for s in running if s.send is not None}
    over = last.send is None and at == len(all_stops) - 1
    active = None if over or last.step < 0 else last.node
    return Frame(adjoint, frozenset(done), messages, frozenset(now), active)


def ghost_seeds(trace: BackwardTrace) -> list[tuple[int, int, Num]]:
    """(custom call, node, adjoint) for each output of a replaced body: what the call held arrives there."""
    seeds = []
    for ghost in trace.ghosts:
        reached = {send.to for step in ghost.steps for send in step.sends}
        seeds += [(ghost.of, step.node, step.g) for step in ghost.steps if step.node not in reached]
    return seeds


def arithmetic(step: Step, edge: Edge, send: Send) -> str:
    """How a message came about: "0.5 * 2 = 1", or "1" where there is no one number to multiply by.

    >>> arithmetic(Step(0, 2, "derived", 0.5), Edge(0, 1, 2, 0, "b", 2.0), Send(0, 1, 1.0, None, 1.0, "first"))
    '0.5 * 2 = 1'
    """
    g, local, value = number_of(step.g), number_of(edge.local_value), number_of(send.value)
    if g is None or local is None or value is None or not step.rule.startswith("derived"):
        return short(send.value)
    product = g * local
    same = (math.isnan(product) and math.isnan(value)) or product == value or math.isclose(product, value, rel_tol=1e-2)
    return f"{short(g)} * {short(local)} = {short(value)}" if same else short(value)


class _Teller:
    """Writes the sentences."""

    def __init__(self, trace: BackwardTrace, plan: Drawing | None = None) -> None:
        self.trace, self.plan = trace, plan
        self.formulas = Formulas(trace)
        self.name = self.formulas.name
        self.nodes: dict[int, Node] = {node.id: node for node in trace.nodes}
        self.edges = {edge.id: edge for edge in trace.edges}
        self.born = {(b.step, b.edge): b for b in births(trace)}
        self.ghost_born = {
            ghost.of: {(b.step, b.edge): b for b in births(trace, ghost.steps, ghost=True)} for ghost in trace.ghosts
        }

    def start(self) -> str:
        if not self.trace.steps:
            return "No backward pass: no input is reached from the output."
        first = self.trace.steps[0]
        name = self.name[first.node]
        nothing = "Nothing else is computed yet."
        if first.g == 1:
            return f"Start: the adjoint of {name} is 1, the slope of {name} with respect to itself. {nothing}"
        if short(first.g) == "all 1":
            return f"Start: the adjoint of {name} is all 1: the sum of its elements is differentiated. {nothing}"
        return f"Start: the adjoint of {name} is {spoken(first.g)}. {nothing}"

    def step(self, i: int, step: Step, born: dict[tuple[int, int], Birth], ghost: bool = False) -> Iterator[Stop]:
        shown = [send for send in step.sends if self.plan is None or send.edge in self.plan.edges]
        if not step.sends and (self.plan is None or step.node in self.plan.alone):
            yield Stop(i, step.node, None, self._arrived(step, ghost), ghost)
        for send in shown:
            yield Stop(i, step.node, send, self._message(step, send, born.get((step.i, send.edge)), ghost), ghost)

    def _arrived(self, step: Step, ghost: bool) -> str:
        name, g = self.name[step.node], spoken(step.g)
        if ghost:
            return f"Replaced by the custom rule: the adjoint of {name} would have been {g}."
        what = {"leaf": "an input", "const": "a constant"}.get(self.nodes[step.node].kind, "the end of this path")
        return f"The adjoint of {name} is {g}, and it is complete: {name} is {what} and sends nothing."

    def _message(self, step: Step, send: Send, birth: Birth | None, ghost: bool) -> str:
        edge = self.edges[send.edge]
        sender, to, sends = self.name[step.node], self.name[send.to], "sends"
        if ghost:
            sends = "would have sent"
        rule = step.rule.partition(":")[2]
        product = arithmetic(step, edge, send)
        if rule:
            words = f"The custom rule {rule} answers for {sender}: it sends {to} {spoken(send.value)}."
        elif edge.local and "=" in product:
            words = f"{sender} {sends} {to} ḡ * {self.formulas.times(edge)} = {product}."
        elif edge.local and edge.local_value is not None:
            words = f"{sender} {sends} {to} ḡ * {self.formulas.times(edge)}: {spoken(send.value)}."
        else:
            words = f"{sender} {sends} {to} {spoken(send.value)}."
        if not ghost:
            words += f" The adjoint of {to} {self._change(send)}."
        if birth is not None:
            words += f" {birth.word} is born here ({birth.kind}): {birth.reason}."
        elif send.event == "carries":
            words += f" It carries the {nonfinite(send.value) or nonfinite(send.after)} on."
        elif send.event == "stops":
            words += " Only zeros go on from here."
        return words

    def _change(self, send: Send) -> str:
        if send.before is None:
            return f"was not computed yet and is now {spoken(send.after)}"
        plus = short(send.value)
        sign = f"- {plus[1:]}" if plus.startswith("-") else f"+ {plus}"
        if number_of(send.value) is None:
            return f"was {spoken(send.before)} and is now {spoken(send.after)}"
        return f"is now {short(send.before)} {sign} = {short(send.after)}"
