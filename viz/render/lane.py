"""A lane: everything drawn for one pass, from the findings about it to its picture at a moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from minigrad.tracing.trace_schema import BackwardTrace

from ..model.blocks import Part, flat
from ..model.cells import shades
from ..model.findings import Findings
from ..model.flow import graph_of
from ..model.frames import EVEN
from ..model.timeline import Frame, Moment, frame, growth, timeline
from ..scene.fit import Choice
from ..scene.ink import scale_of, size_of
from ..scene.scene import Scene
from ..scene.wiggle import SIGN
from ..sentences.dependence import changes, without
from ..sentences.finished import Birth, Finished, PassNumbers, Point
from ..sentences.sentence import point_of
from .wiggled import wiggle_sizes, wiggle_state, wiggling

WIDE, HIGH = 900, 440  #: width and height of a saved picture's window, in pixels
LONGEST = 25  #: maximum number of boxes in a chain that fits into this window at a readable size

Narrate = Callable[[Findings], tuple[Moment, ...]]


@dataclass(frozen=True, eq=False)
class Lane:
    """One backward pass, ready to be drawn: its findings, frames and moments.

    narrate : the function that makes the moments from the findings: `timeline` for gradients, `growth` for values, or
        `wiggling` for the wiggle of an input.
    flow : "right", "down", or "auto". name : the heading of the lane if there are several lanes, such as "derived" and
        "custom".
    padding : number of free columns at the end. way : a path to mark, as pairs (receiver, sender) of its values.
    open : names of the open frames. turns : the iteration drawn for each loop.
    """

    findings: Findings
    parts: Sequence[Part]
    narrate: Narrate = timeline
    flow: str = "auto"
    name: str = ""
    padding: int = 0
    way: frozenset[tuple[int, int]] = frozenset()
    open: tuple[str, ...] = ()
    turns: dict[str, int] = field(default_factory=dict)

    @cached_property
    def trace(self) -> BackwardTrace:
        return self.findings.trace

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        return self.narrate(self.findings)

    @cached_property
    def graph(self) -> dict[str, Any]:
        return graph_of(self.findings, self.parts)

    @cached_property
    def scene(self) -> Scene:
        return Scene(self.graph)

    @cached_property
    def point(self) -> Point:
        """The headline of the finished pass: one sentence."""
        passes = [(False, self.trace.steps), *((True, ghost.steps) for ghost in self.trace.ghosts)]
        edges = self.findings.edges
        births = [
            Birth(send.edge, send.event[:3], step.g, edges[send.edge].local_value, ghost)
            for ghost, steps in passes
            for step in steps
            for send in step.sends
            if send.event.endswith("-born")
        ]
        return point_of(self.graph, self.numbers, births)

    @property
    def numbers(self) -> PassNumbers:
        """The numbers of the finished pass."""
        end = self.frame(len(self.moments) - 1)
        values = {node.id: node.value for node in self.trace.nodes}
        return PassNumbers(values, end.adjoint, {e: message.send.value for e, message in end.messages.items()})

    @cached_property
    def rates(self) -> dict[str, Any]:
        """The data for the sentences of `viz.scene.rates` when inputs change on a page; {} without a result.

        In this dict, "result" is the result's name in the sentence, or "" if the gradients are not its slopes; "inputs"
        has a row [name, whether it is a number, node] for each input; "without" is the text about the other inputs.
        """
        of = Finished(self.graph, self.numbers, ())
        if of.output < 0:
            return {}
        inputs = [[of.name(n), of.scalar(n), n] for n in of.inputs if not of.empty(n)]
        result, end = changes(of)[1] * of.trusted, "; ".join(["", *without(of)])
        return {"node": of.output, "name": of.result(), "result": result, "inputs": inputs, "without": end}

    @cached_property
    def scale(self) -> list[float]:
        """The powers of ten for the thinnest and the thickest line; see `viz.scene.ink.scale_of`."""
        if self.narrate is wiggling:
            return scale_of(wiggle_sizes(self.findings))
        texts = (self.frame(len(self.moments) - 1).messages).values()
        return scale_of([size_of(message.value) for message in texts])

    @cached_property
    def appears(self) -> dict[int, int]:
        """Map each node of a forward pass to the moment it appears."""
        return {moment.node: i for i, moment in enumerate(self.moments)} if self.narrate is growth else {}

    @cached_property
    def steps(self) -> int:
        """The number of steps of the pass, or of boxes in a forward pass."""
        return len(self.trace.steps) or self.moments[-1].step + 1

    def drawn_as(self, **fields: Any) -> Lane:
        """Return this lane with other fields, such as `turns` or `way`; its sentences are reused, not recomputed."""
        other = replace(self, **fields)
        for name in {"moments", "graph", "point"}.intersection(self.__dict__):
            other.__dict__[name] = self.__dict__[name]
        return other

    def after_step(self, step: int | None) -> int:
        """Return the moment after step `step` has sent all its messages; for None, return the last moment."""
        if step is None:
            return len(self.moments) - 1
        return max((i for i, moment in enumerate(self.moments) if moment.step <= step), default=0)

    def frame(self, at: int, ghosts: bool = True) -> Frame:
        """Return the content of the lane at moment `at`."""
        return frame(self.trace, self.moments, at, ghosts)

    def state(self, at: int) -> dict[str, Any]:
        """Return the state that `Scene.draw` shows at moment `at`; static/moments.js does the same in `stateOf`."""
        walks = self.narrate in (growth, wiggling)  # whether the picture shows a forward pass, without gradients
        now = self.frame(at, not walks)
        edges = {(edge.dst, edge.src): edge.id for edge in self.trace.edges} if self.way else {}
        marked = [f"e{edges[ends]}" for ends in self.way if ends in edges]
        marked += [f"n{n}" for ends in self.way for n in ends]
        state = {
            "gradient": {f"n{n}": text + "…" * (n in now.late) for n, text in now.held.items()},
            "cells": {f"n{n}": drawn for n, g in now.adjoint.items() if (drawn := shades(g))},
            "sent": {f"e{e}": message.value for e, message in now.messages.items()},
            "now": {f"e{e}": True for e in now.now},
            "active": "" if now.active is None else f"n{now.active}",
            "hidden": {f"n{n}": True for n, first in self.appears.items() if first > at},
            "marked": dict.fromkeys(marked, True),
            "value": {}, "shades": {}, "slopes": {}, "picked": "", "forward": walks,
            "sign": SIGN if self.narrate is wiggling else "ḡ ",
            "opened": list(self.open), "shut": {}, "turns": self.turns,
        }  # fmt: skip
        return {**state, **wiggle_state(self.findings, self.moments[at].node)} if self.narrate is wiggling else state

    def window(self, wide: float = WIDE, high: float = HIGH) -> dict[str, Any]:
        """Return a window of the given size that shows the whole picture."""
        flow = {"zoom": 1.0, "x": 0.0, "y": 0.0, "flow": self.flow, "padding": self.padding, "scale": self.scale}
        return {"wide": float(wide), "high": float(high), **flow}

    def drawn(self, at: int, wide: float = WIDE, high: float = HIGH) -> tuple[str, float]:
        """Return the inner SVG of the picture at moment `at`, and its height."""
        body = self.scene.draw(self.window(wide, high), self.state(at))
        return body, self.scene.bottom


def lane_of(findings: Findings, parts: Sequence[Part], narrate: Narrate = timeline, flow: str = "auto") -> Lane:
    """Return a lane without frames if every box is readable without them, or else with the frames in `parts`."""
    whole = Lane(findings, [op for part in parts for op in flat(part)], narrate, flow)
    if parts and len(whole.parts) <= EVEN and _legible(whole):
        return whole
    return replace(whole, parts=parts)


def _legible(lane: Lane) -> bool:
    if _longest_chain(lane.scene.graph["edges"]) > LONGEST:
        return False  # return early, because placing hundreds of boxes in rows takes seconds
    choice: Choice = lane.scene.choice(lane.window(), lane.state(len(lane.moments) - 1))
    return choice.legible


def _longest_chain(edges: Sequence[Mapping[str, Any]]) -> int:
    """Return a lower bound on the longest chain of boxes; it is exact if each edge goes to a later box."""
    boxes: dict[int, int] = {}
    for edge in sorted(edges, key=lambda edge: int(edge["src"])):
        boxes[edge["dst"]] = max(boxes.get(edge["dst"], 1), boxes.get(edge["src"], 1) + 1)
    return max(boxes.values(), default=1)
