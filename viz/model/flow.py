"""The graph that is drawn for a trace: boxes, small inputs next to the op that uses them, frames and loops.

The graph is plain data, which Python and the player draw in the same way: see `viz.scene`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from minigrad.tracing.numbers import shape_text, short
from minigrad.tracing.trace_schema import VARIABLE, Node, Summary

from .blocks import Block, Part, nodes_of
from .cells import shades
from .cut_edges import CUT
from .findings import Findings

LONGEST_INDEX = 24  #: the box of an index shows the index if it is shorter than this, and "getitem" otherwise
WIDEST = 24  #: maximum number of cells in a row of an image
#: Ops with two arguments whose order matters.
ORDERED = ("subtract", "divide", "power", "matmul", "greater", "less", "greater_equal", "less_equal")


def graph_of(findings: Findings, parts: Sequence[Part]) -> dict[str, Any]:
    """Return the graph of a pass, with the blocks of `parts` as frames."""
    return _Flow(findings, parts).graph()


class _Flow:
    def __init__(self, findings: Findings, parts: Sequence[Part]) -> None:
        self.findings, self.parts = findings, parts
        self.entering: dict[int, list[Any]] = {n.id: [] for n in findings.trace.nodes}
        self.leaving: dict[int, list[Any]] = {n.id: [] for n in findings.trace.nodes}
        for edge in findings.trace.edges:
            self.entering[edge.dst].append(edge)
            self.leaving[edge.src].append(edge)
        self.boxed = self._boxed()
        self.frames: dict[str, dict[str, Any]] = {}
        self.home: dict[int, str] = {}
        self.outward: list[str] = []

    def _boxed(self) -> set[int]:
        """Return the nodes that get a box; all other nodes are pills or words at the op that uses them.

        Boxes are drawn for ops, for inputs that several ops or no op use, for inputs at a cut edge, and for the first
        input of an op that otherwise would have no box as a source.
        """
        nodes = self.findings.nodes
        boxed = {n.id for n in nodes.values() if not _is_input(n)}
        for node in nodes.values():
            uses = len(self.leaving[node.id])
            cut = any(edge.arg == CUT for edge in self.leaving[node.id])
            if not uses or cut or (_is_plain(node) and uses > 1):
                boxed.add(node.id)
        # An op without an arrow into it would look like an input.
        for node in nodes.values():
            sources = [edge.src for edge in self.entering[node.id] if edge.arg >= 0]
            if not _is_input(node) and boxed.isdisjoint(sources):
                boxed.update([n for n in sources if _is_plain(nodes[n])][:1])
        return boxed

    def graph(self) -> dict[str, Any]:
        nodes = [self._node(node) for node in self.findings.trace.nodes]
        edges = [self._edge(edge) for edge in self.findings.trace.edges]
        at = {edge["id"]: i for i, edge in enumerate(edges)}
        for n in sorted(self.boxed):
            # What enters an op is drawn in one of three ways: an arrow from a box, words in its box, or a pill.
            for edge in self.entering[n]:
                if edge.src in self.boxed:
                    nodes[n]["enters"].append(at[edge.id])
                    nodes[edge.src]["leaves"].append(at[edge.id])
                elif self._is_word(edge):
                    word = _word(self.findings.nodes[edge.src])
                    nodes[n]["words"].append(f"{word} …" if edge.arg == 0 and nodes[n]["title"] in ORDERED else word)
                else:
                    nodes[n]["pills"].append(at[edge.id])
        self._frame("", "", self.parts, "", "")
        self._inputs()
        for frame in self.frames.values():
            ops = [n for n in frame["nodes"] if not _is_input(self.findings.nodes[n])]
            frame["first"], frame["last"] = (ops[0], ops[-1]) if ops else (-1, -1)
            frame["holds"] = {f"n{n}": True for n in frame["nodes"]}
        return {
            "nodes": nodes,
            "edges": edges,
            "frames": self.frames,
            "outward": self.outward,
            "arrays": any(node["shape"] for node in nodes),
        }

    def _is_word(self, edge: Any) -> bool:
        """Return whether the source of an edge is a constant that is written inside the box of its op.

        Numbers, arrays of equal numbers, and the arguments of `where` are written there.

        If a learner's engine sends a gradient to the constant, the constant has a pill instead.
        """
        node = self.findings.nodes[edge.src]
        if node.kind != "const" or node.adjoint is not None:
            return False
        value = node.value
        return not isinstance(value, Summary) or value.min == value.max or self.findings.nodes[edge.dst].op == "where"

    def _node(self, node: Node) -> dict[str, Any]:
        findings = self.findings
        kind = {"output": "op"}.get(node.kind, node.kind)
        kind = "var" if kind == "leaf" and node.detail == VARIABLE else "custom" if node.kind == "custom" else kind
        title = (node.name or "input") if _is_input(node) else node.op if node.op != "custom" else node.name
        title = _index(node.detail) if title == "getitem" else title
        called = "" if node.name == title or node.op == "copy" else node.name
        value = node.value
        drawn, row = "", 0
        if isinstance(value, Summary):
            drawn, row = shades(value), min(node.shape[-1] if node.shape else 1, WIDEST)
        return {
            "id": node.id, "kind": kind, "title": title, "called": called,
            "mark": f"#{node.id}" if not called and findings.names[node.id].endswith(f"#{node.id}") else "",
            "shape": shape_text(node.shape), "value": findings.values[node.id], "cells": drawn, "row": row,
            "words": [], "pills": [], "enters": [], "leaves": [], "uses": len(self.leaving[node.id]),
            "ghost": node.ghost, "output": node.output,
        }  # fmt: skip

    def _edge(self, edge: Any) -> dict[str, Any]:
        findings = self.findings
        dst = findings.nodes[edge.dst]
        slope = findings.slope(edge)
        return {
            "id": edge.id, "src": edge.src, "dst": edge.dst, "ghost": edge.ghost,
            "slope": slope if len(slope) < 16 else "",
            "rule": dst.kind == "custom" and edge.arg >= 0 and not edge.ghost, "cut": edge.arg == CUT,
            "none": edge.id in findings.nones, "scalar": not findings.nodes[edge.src].shape,
            "sum": _added(findings, edge),
        }  # fmt: skip

    def _frame(self, key: str, name: str, parts: Sequence[Part], up: str, alias: str, loop: bool = False) -> list[int]:
        """Add the frame that contains `parts`, and the frames inside it, to `frames`; return the nodes in the frame.

        key : the frame's key, such as "/0/2". name : its label. up : the key of the frame around it. alias : the name
        under which the frame is opened, which is the same in all iterations of a loop.
        """
        frame: dict[str, Any] = {"key": key, "name": name, "up": up, "as": alias, "items": [], "nodes": [], "turns": []}
        self.frames[key] = frame
        if alias and alias not in self.outward and not alias.endswith("/t"):
            self.outward.append(alias)
        for part in parts:
            if isinstance(part, Block):
                i = len(frame["items"])
                inner, named = f"{key}/{i}", f"{alias}/{'t' if loop else i}"
                frame["items"].append(inner)
                frame["nodes"] += self._frame(inner, part.label, part.parts, key, named, part.loop)
            else:
                for n in nodes_of(part):
                    frame["items"].append(f"n{n}")
                    frame["nodes"].append(n)
                    self.home[n] = key
        if loop:
            self._turns(frame)
        return frame["nodes"]

    def _turns(self, loop: dict[str, Any]) -> None:
        """Add to a loop's frame the keys of its iterations, the node that each passes on, and the word for them."""
        loop["turns"] = loop["items"]
        loop["carry"] = []
        for key in loop["turns"]:
            inside = set(self.frames[key]["nodes"])
            # An iteration passes on what a later one uses; the last iteration passes on its last node.
            on = [n for n in self.frames[key]["nodes"] if any(e.dst not in inside for e in self.leaving[n])]
            loop["carry"].append((on or self.frames[key]["nodes"])[-1])
        loop["word"] = loop["name"].partition(" × ")[2]
        loop["dtype"] = self.findings.nodes[loop["carry"][0]].dtype

    def _inputs(self) -> None:
        """Put each input with a box into the innermost frame around all its uses.

        An input that only one iteration of a loop uses is drawn inside that iteration if most iterations have such an
        input, and before the loop otherwise.
        """
        ways = {n: self._around(n) for n in sorted(self.boxed - set(self.home))}
        own = Counter(key for way in ways.values() for key in set(way))
        for n, way in ways.items():
            for i, key in enumerate(way):
                turns = self.frames[key]["turns"]
                if turns and (i + 1 == len(way) or 2 * sum(own[turn] > 0 for turn in turns) <= len(turns)):
                    way = way[:i]
                    break
            for key in way:
                self.frames[key]["nodes"].insert(0, n)
            self.frames[way[-1]]["items"].insert(0, f"n{n}")
            self.home[n] = way[-1]

    def _around(self, n: int) -> list[str]:
        """Return the frames around all uses of an input, the outermost first."""
        ways = [self._way(edge.dst) for edge in self.leaving[n]]
        return [keys[0] for keys in zip(*ways) if len(set(keys)) == 1] if ways else [""]

    def _way(self, n: int) -> list[str]:
        """Return the frames around a node, the outermost first."""
        keys, key = [], self.home.get(n, "")
        while key:
            keys.append(key)
            key = self.frames[key]["up"]
        return ["", *reversed(keys)]


def _is_input(node: Node) -> bool:
    return node.kind in ("leaf", "const")


def _is_plain(node: Node) -> bool:
    """Return whether a node is an input but not a Variable, so that its data flow through the graph."""
    return node.kind == "leaf" and node.detail != VARIABLE


def _word(node: Node) -> str:
    """Return a constant as written in a box, with its name if the user gave it one."""
    named, value = node.name.isidentifier(), node.value
    if isinstance(value, Summary) and value.min != value.max:
        return node.name if named else "mask"
    number = short(value.min if isinstance(value, Summary) else value)
    return f"{node.name}={number}" if named else number


def _index(detail: str) -> str:
    """Return the index of a getitem as written in code.

    >>> _index("(slice(0, 2, None), slice(None, None, None), 3)"), _index("None")
    ('[0:2,:,3]', '[None]')
    """
    text = re.sub(r"slice\((-?\w+), (-?\w+), (-?\w+)\)", lambda m: ":".join(_ends(m.groups())), detail)
    text = text.removeprefix("(").removesuffix(")").removesuffix(",") if text[:1] == "(" else text
    text = text.replace(", ", ",")
    return f"[{text}]" if len(text) < LONGEST_INDEX else "getitem"


def _ends(ends: tuple[str, ...]) -> list[str]:
    start, stop, step = ("" if end == "None" else end for end in ends)
    return [start, stop, step] if step else [start, stop]


def _added(findings: Findings, edge: Any) -> str:
    """Return a label like "Σ 3 rows" for an edge whose messages are summed over broadcast copies, else ""."""
    words = findings.added_up[edge.id]
    return "Σ " + words.partition(" over ")[2].rstrip(",") if words else ""
