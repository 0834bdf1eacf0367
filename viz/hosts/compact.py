"""A lane in few characters: tables as columns, nothing twice, and of a long pass only what a reader can step through.

`compact` is undone by static/restore.js; what `thinned` leaves out stays out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any

import numpy as np

#: What stands in a text for what its row has: message, gradient, sender, receiver, product; then the formula of the
#: slope, and the two ways in which the formula of the message is made of it.
INSTEAD = "\ue000\ue001\ue002\ue003\ue004"
FORMULA = "\ue005\ue006\ue007"
SKIPPED, BORN = 32, 8  #: flags of a row: the slider passes over it; a nan or inf is born
LONG = 600  #: messages of a pass that is saved with all its sentences
STOPS = 300  #: about how many messages of a longer one have their sentences
TURNS = 8  #: turns of a loop of a longer one that have their arrays
INPUTS = ("leaf", "var", "const")  #: kinds of nodes that stand at the front of a frame
#: How many of the first arguments of an instruction are cells, where it is not all; the others are data.
CELLS = {"in": 0, "is": 0, "matmul": 2, "put": 2, "put+": 2}
CELLS |= dict.fromkeys(("take", "rep", "sum", "adds", "prod", "rmax", "rmin", "cumsum", "cumprod"), 1)


def instead(text: str, said: Sequence[str]) -> str:
    """Replace what the row already has in `text` by the signs of `INSTEAD`, the longest first."""
    for length, words, sign in sorted(((-len(words), words, sign) for words, sign in zip(said, INSTEAD))):
        text = text.replace(words, sign) if length < -4 else text
    return text


def thinned(lanes: Sequence[Mapping[str, Any]], stop: int) -> tuple[list[Mapping[str, Any]], int]:
    """The lanes as a page has them, and where `stop` is then: of a pass of more than `LONG` messages about `STOPS` are
    told, with all births, and only some turns of its loops have arrays. Every number of the finished pass stays.

    What can follow other inputs stays whole.
    """
    longest = max(len(lane["stops"]) for lane in lanes)
    if longest <= LONG or any("drag" in lane for lane in lanes):
        return [*lanes], stop
    told = {0, stop, longest - 1, *range(0, longest, -(-longest // STOPS))}
    told |= {len(lane["stops"]) - 1 for lane in lanes}
    told |= {k for lane in lanes for k, row in enumerate(lane["stops"]) if row[7] & BORN}
    return [_thinned(lane, told) for lane in lanes], sum(k < stop for k in told)


def _thinned(lane: Mapping[str, Any], told: set[int]) -> dict[str, Any]:
    bare = _bare(lane)
    nodes = [node | {"cells": ""} if node["id"] in bare else node for node in lane["graph"]["nodes"]]
    cards = {
        n: {key: text for key, text in card.items() if key not in ("local", "bad")} | {"value": nodes[n]["value"]}
        if n in bare
        else card
        for n, card in lane["cards"].items()
    }
    stops = []
    for k, row in enumerate(lane["stops"]):
        if row[3] in bare:
            row = row[:9]
        if k not in told:
            row = [*row[:6], INSTEAD[0], row[7] | SKIPPED, "", *row[9:10]]
        stops.append(row)
    return {**lane, "stops": stops, "cards": cards, "graph": {**lane["graph"], "nodes": nodes}}


def _bare(lane: Mapping[str, Any]) -> set[int]:
    """The nodes without arrays: those in most turns of long loops."""
    frames, bare = lane["graph"]["frames"], set()
    for frame in frames.values():
        turns = frame["turns"]
        kept = {round(i * (len(turns) - 1) / (TURNS - 1)) for i in range(TURNS)}
        bare |= {n for i, key in enumerate(turns) if i not in kept for n in frames[key]["nodes"]}
    return bare


def table(rows: Iterable[Sequence[Any]]) -> list[Any]:
    """Rows as their number and their columns; a column of one value is that value, what a row lacks is 0.

    >>> table([[1, "a"], [2, "a", 5], [2, "a"]])
    [3, [1, 2, 2], 'a', [0, 5, 0]]
    """
    rows = list(rows)
    columns = [list(column) for column in zip_longest(*rows, fillvalue=0)]
    return [len(rows), *(c[0] if not isinstance(c[0], list) and c.count(c[0]) == len(c) else c for c in columns)]


def compact(lane: Mapping[str, Any]) -> dict[str, Any]:
    """The lane as tables of differences; `thinned` comes first."""
    graph = lane["graph"]
    cards = [lane["cards"][node["id"]] for node in graph["nodes"]]
    names = [card["name"] for card in cards]
    formulas = _formulas(lane, names)
    more = {"drag": _drag(lane["drag"])} if "drag" in lane else {}
    return {
        **{key: value for key, value in lane.items() if key != "cards"},
        "stops": table(_stops(lane, formulas)),
        "graph": {
            "nodes": table(map(_node, graph["nodes"])),
            "cards": _cards(graph["nodes"], cards),
            "edges": table(_edges(graph, formulas)),
            "frames": _frames(graph),
        },
        **more,
    }


def _node(node: Mapping[str, Any]) -> list[Any]:
    shape = node["shape"]
    row = node["row"] - min(24, int(shape.split("×")[-1] if shape else 0))
    keys = "kind", "title", "called", "shape", "value", "cells"
    return [*(node[key] for key in keys), row, int(node["ghost"]), int(node["output"])]


def _cards(nodes: Sequence[Mapping[str, Any]], cards: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The keys of the cards, and a table of what they say beyond the graph."""
    keys = [key for key in dict.fromkeys(chain.from_iterable(cards)) if key != "local"]
    rows = []
    for node, card in zip(nodes, cards):
        row = [card.get(key, 0) for key in keys]
        for i, key in enumerate(keys):
            if key == "name":
                row[i] = _called(node).index(row[i]) if row[i] in _called(node) else row[i]
            elif key == "head":
                row[i] = row[i] and row[i].replace(card["name"], INSTEAD[0])
            elif key == "value" and row[i] == node["value"]:
                row[i] = 1
        rows.append(row)
    return [keys, *table(rows)]


def _called(node: Mapping[str, Any]) -> list[str]:
    """What the card of a node may be called."""
    return [f"{node['title']}#{node['id']}", node["title"], node["called"], f"{node['called']}#{node['id']}"]


def _formulas(lane: Mapping[str, Any], names: Sequence[str]) -> list[tuple[str, str, int, str]]:
    """For each edge the formula of its slope with signs for the names of its ends, the number that stands beside it on
    the card, whether both are on the card, and what the slope is called in a product."""
    drag = lane.get("drag", {}).get("edges")
    lines = {n: list(card.get("local", ()))[::-1] for n, card in lane["cards"].items()}
    found = []
    for i, edge in enumerate(lane["graph"]["edges"]):
        formula, number, on_card = drag[i][2] if drag and len(drag[i]) > 2 else "", "", 0
        begin, waiting = f"for {names[edge['src']]}: ", lines.get(edge["dst"], [])
        if waiting and waiting[-1].startswith(begin):
            line = waiting[-1][len(begin) :]
            whole = formula or line.rpartition(" = ")[0] or line
            if line == whole or line.startswith(whole + " = "):
                formula, number, on_card = whole, line[len(whole) + 3 :], 1
                waiting.pop()
        signed = instead(formula, ["", "", names[edge["dst"]], names[edge["src"]], ""])
        found.append((signed, number, on_card, number or formula))
    return found


def _edges(graph: Mapping[str, Any], formulas: Sequence[tuple[str, str, int, str]]) -> list[list[Any]]:
    """Rows [source before the op, op after the last one, number, signs, slope, sum, word, formula, its number]."""
    rows, nodes, before = [], graph["nodes"], 0
    words = {node["id"]: iter(node["words"]) for node in nodes}
    pills = {i for node in nodes for i in (*node["pills"], *node["enters"])}
    boxed = {item for frame in graph["frames"].values() for item in frame["items"]}
    for i, (edge, (formula, number, on_card, said)) in enumerate(zip(graph["edges"], formulas)):
        src, dst, slope, word = edge["src"], edge["dst"], edge["slope"], 0
        if f"n{dst}" in boxed and i not in pills:
            word = next(words[dst])
            word = 1 if word == nodes[src]["value"] else word
        scalar = edge["scalar"] != (not nodes[src]["shape"])
        signs = [edge["ghost"], edge["rule"], edge["cut"], edge["none"], scalar, on_card]
        bits = sum(sign << k for k, sign in enumerate(signs))
        slope = 1 if said and slope == f"× {said}" else slope
        rows.append([src - dst, dst - before, edge["id"] - i, bits, slope, edge["sum"], word, formula, number])
        before = dst
    return rows


def _frames(graph: Mapping[str, Any]) -> list[Any]:
    """The outermost frame: its name, of a loop the word and the dtype, then its nodes as differences, and its frames.

    A name that counts on from the one before is 0.
    """
    frames, last = graph["frames"], 0

    def held(key: str, before: str) -> list[Any]:
        nonlocal last
        frame, name = frames[key], ""
        loop = [frame["word"], frame["dtype"]] if frame["turns"] else 0
        found = [0 if loop or frame["name"] == counted_on(before) else frame["name"], loop]
        for item in frame["items"]:
            if item in frames:
                found.append(held(item, name))
                name = frames[item]["name"]
            else:
                found.append(int(item[1:]) - last)
                last = int(item[1:])
        return found

    return held("", "")


def counted_on(name: str) -> str:
    """The name with its number one higher.

    >>> counted_on("turn 9"), counted_on("head")
    ('turn 10', 'head')
    """
    return re.sub("[0-9]{1,9}$", lambda digits: str(int(digits[0]) + 1), name)


def _stops(lane: Mapping[str, Any], formulas: Sequence[tuple[str, str, int, str]]) -> list[list[Any]]:
    """The rows as differences, 1 for a product of the sender's gradient and the slope, a sign for the formula in a
    sentence."""
    edges = lane["graph"]["edges"]
    at = {edge["id"]: i for i, edge in enumerate(edges)}
    rows: list[list[Any]] = []
    gradients: dict[int, str] = {}
    last_step, last_node, last_edge = 0, 0, 0
    for step, node, edge, to, message, after, product, flags, words, *cells in lane["stops"]:
        row = [step - last_step, node - last_node, "", to + 1]
        if edge >= 0:
            i = at[edge]
            row = [row[0], node - edges[i]["dst"], i - last_edge, to - edges[i]["src"]]
            formula, *_, slope = formulas[i]
            if formula and row[1] == row[3] == 0:
                sent = {
                    sign: f": {text}" for sign, text in zip(FORMULA, (f"ḡ · ({formula})", f"ḡ · {formula}", formula))
                }
                sign = next((sign for sign in FORMULA if sent[sign] in words), "")
                words = words.replace(sent[sign], f": {sign}", 1) if sign else words
            made = f"{gradients.get(node)} · {slope} = {message}"
            product = 1 if product and made == product.replace(INSTEAD[0], message) else product
            last_edge = i
        rows.append([*row, message, after, product, flags, words, *cells])
        gradients[node if step < 0 else to] = after or message
        last_step, last_node = step, node
    return rows


def _drag(drag: Mapping[str, Any]) -> dict[str, Any]:
    """What the inputs need, with the differences of cells, nodes and edges; a cell -1 is none."""
    nodes, local, steps, edge, node, cell = drag["nodes"], drag.get("local", {}), [], 0, 0, 0
    for at, ghost, adjoint, rows in drag["steps"]:
        sent = []
        for e, *cells in rows:
            sent.append([e - edge, *[c - adjoint for c in cells]])
            edge = e
        steps.append([at - node, ghost, adjoint - cell, sent])
        node, cell = at, adjoint
    return {
        **drag,
        "code": relative(drag["code"]),
        "nodes": np.diff([nodes.get(i, -1) for i in range(max(nodes) + 1)], prepend=0).tolist(),
        "local": [local.get(i, -1) for i in range(max(local, default=-1) + 1)],
        "edges": [row[3:] for row in drag["edges"]],
        "steps": steps,
    }


def relative(code: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The instructions, with each cell as how far it is behind: code that repeats looks alike.

    >>> relative([["in", 0], ["mul", 0, 0], ["take", 1, [0, 0, 1]]])
    [['in', 0], ['mul', -1, -1], ['take', -1, [0, 0, 1]]]
    """
    found = []
    for k, (name, *args) in enumerate(code):
        first, count = (1, 2) if name == "as" else (0, CELLS.get(name, len(args)))
        found.append([name, *args[:first], *(cell - k for cell in args[first:count]), *args[count:]])
    return found
