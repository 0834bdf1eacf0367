"""A lane is one backward pass in a picture: its trace, what is drawn of it, and its stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from minigrad.births import births
from minigrad.formulas import Formulas
from minigrad.numerals import full, nonfinite, short
from minigrad.traces import BackwardTrace, Edge, Node

from .card import Card, cards
from .layout import Layout
from .plan import Drawing, Item
from .stops import Frame, Stop, arithmetic, frame, ghost_seeds, stops
from .svg import figure

#: What stands in a row of the player instead of what it has already: message, adjoint, sender, receiver, product.
INSTEAD = "\ue000\ue001\ue002\ue003\ue004"
GHOST, BAD_MESSAGE, BAD_ADJOINT, BORN = 1, 2, 4, 8


@dataclass(eq=False)
class Lane:
    """`name` heads the lane where there are several, such as "derived" and "custom". `way` is a path to be marked."""

    trace: BackwardTrace
    plan: Drawing
    name: str = ""
    way: tuple[tuple[int, int], ...] = ()

    @cached_property
    def stops(self) -> tuple[Stop, ...]:
        return stops(self.trace, self.plan)

    @cached_property
    def cards(self) -> dict[str, Card]:
        return cards(self.trace, self.plan, self.stops)

    def is_source(self, item: Item) -> bool:
        """Whether an item is an input or a constant."""
        return not item.folded and next(n for n in self.trace.nodes if n.id == item.nodes[0]).kind in ("leaf", "const")

    def stop_of_step(self, step: int | None) -> int:
        """The stop at which engine step `step` has sent everything; the last stop for None."""
        if step is None:
            return len(self.stops) - 1
        return max(i for i, stop in enumerate(self.stops) if stop.step <= step)

    def frame(self, at: int, ghosts: bool = True) -> Frame:
        return frame(self.trace, self.stops, at, ghosts)

    def figure(self, layout: Layout, at: int, number: int = 0, y: float = 0.0, brief: int = 0) -> str:
        """This lane's part of the SVG, moved down by `y`, with its name above it."""
        head = f"<text class='h' x='14' y='22'>{escape(self.name)}</text>" if self.name else ""
        body = figure(self.trace, self.plan, self.cards, layout, self.frame(at), self.way, brief)
        inner = f"<g transform='translate(0 {24 if head else 0})'>{body}</g>" if head else body
        return f"<g data-lane='{number}' transform='translate(0 {round(y)})'>{head}{inner}</g>"

    def data(self) -> dict:
        """What the player needs, as plain data; the order of a row's fields is described in view.js."""
        formulas = Formulas(self.trace)
        edges = {edge.id: edge for edge in self.trace.edges}
        steps = {(s.node, False): s for s in self.trace.steps}
        steps |= {(s.node, True): s for ghost in self.trace.ghosts for s in ghost.steps}
        arriving: dict[int, list[Edge]] = {}
        for edge in self.trace.edges:
            if edge.dst in self.named:
                arriving.setdefault(edge.dst, []).append(edge)
        born = {(b.node, b.edge, b.ghost) for b in self.births}
        told = {stop.send.edge for stop in self.stops if stop.send is not None}
        rows = []
        for stop in self.stops:
            send, ghost = stop.send, stop.ghost
            if send is None:
                g = short(self.trace.steps[0].g) if stop.step < 0 and self.trace.steps else ""
                rows.append([stop.step, stop.node, -1, -1, "", g, "", GHOST * ghost, stop.words])
                continue
            flags = GHOST * ghost + BORN * ((stop.node, send.edge, ghost) in born)
            flags += BAD_MESSAGE * bool(nonfinite(send.value)) + BAD_ADJOINT * bool(nonfinite(send.after))
            product = arithmetic(steps[stop.node, ghost], edges[send.edge], send)
            message, after = short(send.value), short(send.after)
            said = message, after, formulas.name[stop.node], formulas.name[send.to], product
            numbers = message, "" if after == message else after, _instead(product, said[:1])
            rows.append([stop.step, stop.node, send.edge, send.to, *numbers, flags, _instead(stop.words, said)])
        return {
            "name": self.name,
            "stops": rows,
            "cards": {
                n.id: self._card(n, formulas, arriving.get(n.id, [])) for n in self.trace.nodes if n.id in self.named
            },
            "links": [[edge.src, edge.dst] for edge in self.trace.edges if edge.id in self.plan.edges - told],
            "bodies": [node.id for node in self.trace.nodes if node.ghost],
            "seeds": [[of, node, short(g)] for of, node, g in ghost_seeds(self.trace)],
        }

    @cached_property
    def named(self) -> set[int]:
        """The nodes that the player can speak of: those with a box or a line, and the members of small groups."""
        ends = {n for edge in self.trace.edges if edge.id in self.plan.edges for n in (edge.src, edge.dst)}
        return ends | {n for item in self.plan.items for n in item.named}

    @cached_property
    def births(self):
        found = list(births(self.trace))
        for ghost in self.trace.ghosts:
            found += births(self.trace, ghost.steps, ghost=True)
        return found

    def _card(self, node: Node, formulas: Formulas, arriving: list[Edge]) -> dict:
        name, local = formulas.name, []
        for edge in arriving:
            if (formula := formulas.of(edge)) and edge.ghost <= node.ghost:
                value = "" if edge.local_value is None else short(edge.local_value)
                local.append(f"for {name[edge.src]}: {formula}" + f" = {value}" * (value not in ("", formula)))
        what = {"leaf": "input", "const": "constant", "custom": "custom gradient"}.get(node.kind, node.op)
        called = name[node.id]
        head = called if called.partition("#")[0] == node.op else f"{called} ({what})"
        head += f", inside {name[node.ghost_of]}" if node.ghost_of is not None else ""
        card = {
            "name": called,
            "head": head if head != called else "",
            "value": full(node.value),
            "slot": node.dtype.startswith("float") and node.kind != "const",
            "local": local,
            "rule": f"{node.custom} answers instead of the derived adjoint" if node.custom else "",
            "line": f"{node.line.file}:{node.line.no}  {node.line.text}" if node.line else "",
        }
        return {key: value for key, value in card.items() if value}


def _instead(text: str, said: Sequence[str]) -> str:
    """`text` with the signs of `INSTEAD` for what is said elsewhere; the longest first."""
    for words, sign in sorted(zip(said, INSTEAD), key=lambda pair: -len(pair[0])):
        text = text.replace(words, sign) if len(words) > 4 else text
    return text
