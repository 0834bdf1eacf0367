"""The frames and loops of a graph, and a list of them as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from minigrad.tracing.calls_and_scopes import plain
from minigrad.tracing.trace_schema import BackwardTrace

from .blocks import Block, Part, by_scope, flat, named, nodes_of, ops_of, within
from .findings import Findings
from .loops import bounded, with_loops

NAMED = 12  #: maximum number of names in a line
EVEN = 24  #: a graph with at most this many ops is drawn without frames if it fits into a window


def parts_of(trace: BackwardTrace, fold: str = "auto") -> list[Part]:
    """Return the parts of a graph.

    fold : "auto" makes frames from scopes, calls and loops; "none" makes no frames; any other name makes frames only
        from the parts with that name.

    Raises ValueError for a name that belongs to no scope or function.
    """
    ops = ops_of(trace)
    if fold == "auto":
        return bounded(with_loops(by_scope(ops, trace.nodes), trace), trace)
    return bounded(ops if fold == "none" else folded(trace, ops, fold), trace)


def folded(trace: BackwardTrace, parts: Sequence[Part], name: str) -> list[Part]:
    """Return `parts` with the scope or function `name` as frames. Raises ValueError if nothing has this name."""
    grouped = named(parts, trace.nodes, name)
    if not any(name in (block.label, plain(block.label)) for block in within(grouped)):
        names = dict.fromkeys(plain(part) for node in trace.nodes for part in node.scope)
        have = f"this one has {', '.join(names)}" if names else "this one has none"
        raise ValueError(f"no scope or function {name!r} to fold: with mg.scope({name!r}): makes a scope, and {have}")
    return grouped


def opened(trace: BackwardTrace, parts: Sequence[Part], name: str | None) -> list[Part]:
    """Return `parts` without the frames called `name` (a label, op or scope); None removes all frames."""
    if name is None:
        return bounded([op for part in parts for op in flat(part)], trace)
    blocks = list(within(parts))
    wanted = {b for b in blocks if b.label == name}
    wanted = wanted or {b for b in blocks if name in (*re.findall(r"\w+", b.label), *trace.nodes[b.nodes[0]].scope)}
    if not wanted:
        labels = ", ".join(dict.fromkeys(block.label for block in blocks if block.label))
        have = f"the frames are {labels}" if labels else "nothing is folded"
        raise ValueError(f"no frame {name!r} to unfold: {have:.300}")

    def dissolved(part: Part) -> Sequence[Part]:
        if not isinstance(part, Block) or not wanted.intersection(within([part])):
            return [part]
        return [inner for p in part.parts for inner in dissolved(p)]

    return bounded([inner for part in parts for inner in dissolved(part)], trace)


def frame_list(findings: Findings, graph: dict[str, Any], max_lines: int | None = None) -> str:
    """Return a line for each frame: its ops, its inputs, and the gradients that enter and leave it.

    Inner frames are indented. A loop has one line, with the gradients of its first and last iteration. The result is ""
    for a graph without frames.
    """
    lines = _lines(findings, graph, "", 0)
    most = len(lines) if max_lines is None else max(1, max_lines)
    more = f"\n… and {len(lines) - most} more: see to_text()" * (len(lines) > most)
    return "Frames:\n" + "\n".join(lines[:most]) + more if lines else ""


def _lines(findings: Findings, graph: dict[str, Any], key: str, depth: int) -> list[str]:
    lines = []
    for item in graph["frames"][key]["items"]:
        if item[0] == "n":
            continue
        frame = graph["frames"][item]
        held = [findings.nodes[n] for n in frame["nodes"]]
        ops = sum(node.kind not in ("leaf", "const") for node in held)
        inputs = [findings.names[node.id] for node in held if node.kind == "leaf"]
        said = [f"{ops} ops", *[f"inputs {_few(inputs)}"] * bool(inputs)]
        ends = frame["carry"] if frame["turns"] else [frame["first"], frame["last"]]
        if ends[0] in findings.adjoints and ends[-1] in findings.adjoints:
            said.append(f"gradient {findings.adjoints[ends[-1]]} at its end, {findings.adjoints[ends[0]]} at its start")
        word = findings.word_in(frame["nodes"])
        said += [f"first {word} inside"] * bool(word)
        lines.append("  " * depth + f"{frame['name']}: {'; '.join(said)}")
        lines += _lines(findings, graph, frame["turns"][-1] if frame["turns"] else item, depth + 1)
    return lines


def _few(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + f", … ({len(names)} in all)" * (len(names) > NAMED)


def ops_in(parts: Sequence[Part]) -> int:
    """Return the number of nodes in parts."""
    return sum(len(nodes_of(part)) for part in parts)
