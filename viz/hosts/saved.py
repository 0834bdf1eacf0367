"""Compress a player's data for a saved cell: store lists as columns, and only some steps of a long pass.

static/restore.js reverses `compact`, and the script that `packed` returns unpacks its own data. Data that `thinned`
leaves out are lost.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

#: Placeholders in a sentence for parts that its row already contains: message, gradient, sender, receiver, product.
INSTEAD = "\ue000\ue001\ue002\ue003\ue004"
SKIPPED, BORN = 32, 8  #: flags of a row: the slider skips it; a nan or inf first appears in it
LONG = 600  #: maximum number of messages of a pass that is saved with all its sentences
STOPS = 300  #: the approximate number of messages that keep their sentences in a longer pass
TURNS = 8  #: number of iterations of a loop whose arrays are kept in a longer pass
FEW, SHORT = 4, 12  #: longest list that is left uncompressed (FEW); longest list that a MIXED list may contain (SHORT)
MADE = ("up", "nodes", "turns", "first", "last", "holds")  #: frame fields that the page computes from the items
PERIODS = 24  #: the largest period p that is tried for STEPS
PLAIN, SAME, STEPS, COUNTED, ROWS, NESTED, MIXED = range(7)  #: the forms of a list


#: The digits of base 85: Python's, except for characters that have a meaning in HTML, TeX or JavaScript.
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#.%,()*+-;/=:?@^_[]|}~"
PYTHON = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

#: The script finds its own cell and unpacks the code, which it adds as a script element: some pages forbid `eval`.
LOADER = """(async s=>{const o=s.parentElement.querySelector("#ID"),t="TEXT",e=document.createElement("div"),
b=new DataView(new ArrayBuffer(t.length/5*4)),w={};
[..."DIGITS"].forEach((c,i)=>w[c]=i);
for(let i=0,n=0;i<t.length;){n=n*85+w[t[i++]];i%5||(b.setUint32(i/5*4-4,n),n=0)}
const u=new Blob([b.buffer.slice(0,SIZE)]).stream().pipeThrough(new DecompressionStream("deflate")),
d=JSON.parse(await new Response(u).text());
o.replaceWith(e);
self.mgStart=[e,d];const c=document.createElement("script");c.text="((el,d)=>{"+d.view.js+"\\n})(...mgStart)";
document.head.append(c);c.remove()})(document.currentScript)"""


def packed(data: Any, place: str) -> str:
    """Return a script that unpacks `data` and starts the player in the element with the id `place`.

    The element is found by its id because some hosts run the script outside of the view.
    """
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
    small = zlib.compress(text, 9)
    loader = LOADER.replace("#ID", f"#{place}").replace("SIZE", str(len(small))).replace("DIGITS", DIGITS)
    return loader.replace("TEXT", as_digits(small))


def as_digits(data: bytes) -> str:
    """Encode bytes with `DIGITS`: five digits for every four bytes, and five for any bytes left at the end.

    >>> as_digits(b"four")
    'W^Z+J'
    """
    return base64.b85encode(data, pad=True).decode().translate(str.maketrans(PYTHON, DIGITS))


def small(view: Mapping[str, Any], stop: int, code: str) -> dict[str, Any]:
    """Return the data for `packed`: the slider's position, and the view with compressed lanes and the player's code."""
    lanes, stop = thinned(view["lanes"], stop)
    return {"view": {**view, "lanes": [*map(compact, lanes)], "js": code}, "stop": stop}


def instead(text: str, said: Sequence[str]) -> str:
    """Replace parts of a sentence that its row already contains with placeholders, the longest part first.

    The parts are in the order of their placeholders in `INSTEAD`. Parts of up to 4 characters are left as they are.
    """
    for length, words, sign in sorted(((-len(words), words, sign) for words, sign in zip(said, INSTEAD))):
        text = text.replace(words, sign) if length < -4 else text
    return text


def thinned(lanes: Sequence[Mapping[str, Any]], stop: int) -> tuple[list[Mapping[str, Any]], int]:
    """Shorten the lanes for a page; return them and the new position of `stop`.

    If there are more than `LONG` messages, about `STOPS` keep their sentences, including every origin of a nan or inf,
    and only some iterations of loops keep their arrays. All numbers of the finished pass are kept.

    Nothing is removed if a lane can follow changed inputs.
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
    """Return the nodes whose arrays are dropped: those in a loop, except in `TURNS` evenly spaced iterations."""
    frames, bare = lane["graph"]["frames"], set()
    for frame in frames.values():
        turns = frame["turns"]
        kept = {round(i * (len(turns) - 1) / (TURNS - 1)) for i in range(TURNS)}
        bare |= {n for i, key in enumerate(turns) if i not in kept for n in frames[key]["nodes"]}
    return bare


def compact(lane: Mapping[str, Any]) -> dict[str, Any]:
    """Return a player's lane with its lists compressed by `columns`. A long lane goes through `thinned` first."""
    graph, cards = lane["graph"], [*lane["cards"].values()]
    keys = dict.fromkeys(chain.from_iterable(cards))
    frames = [{"carry": [], "word": "", "dtype": ""} | frame for frame in graph["frames"].values()]
    lane = {**lane, "cards": [{key: card.get(key, 0) for key in keys} for card in cards]}
    lane["graph"] = {**graph, "frames": [{k: v for k, v in frame.items() if k not in MADE} for frame in frames]}
    packed: dict[str, Any] = columns(lane)
    return packed


def columns(data: Any, steps: bool = False) -> Any:
    """Return JSON `data` with each list in the form that compresses best; static/restore.js restores the lists.

    A list begins with the number of its form:

    PLAIN : its items.
    SAME : one item, and the number of times it is repeated.
    STEPS : a period p, then the difference of each integer from the integer p positions before it.
    COUNTED : strings without the numbers at their ends, then these numbers.
    ROWS : the length of a list of objects, then their values by key.
    NESTED : the lengths of lists of one type, then all their items.
    MIXED : the lengths of other short lists, then their first items, their second items, ...

    steps : whether `data` are the differences of STEPS, which do not get a period themselves.

    >>> columns([3, 3, 3, 3, 3]), columns({"a": [10, 20, 30, 40, 50]})
    ([1, 3, 5], {'a': [2, 1, [1, 10, 5]]})
    """
    if isinstance(data, dict):
        return {key: columns(value) for key, value in data.items()}
    if not isinstance(data, (list, tuple)):
        return data
    kinds = {type(item) for item in data}
    kind = kinds.pop() if len(data) > FEW and len(kinds) == 1 else None
    if kind in (str, int, bool, type(None)) and data.count(data[0]) == len(data):  # not for floats, because 0.0 == -0.0
        return [SAME, data[0], len(data)]
    if kind is int and not steps and max(map(abs, data)) < 2**50:
        return [STEPS, *_steps(data)]
    if kind is str and (ends := _counted(data)):
        return [COUNTED, *map(columns, ends)]
    if kind is dict and len({tuple(row) for row in data}) == 1:
        return [ROWS, len(data), {key: columns([row[key] for row in data]) for key in data[0]}]
    if kind in (list, tuple):
        lengths, whole = [*map(len, data)], [*chain.from_iterable(data)]
        if len({type(item) for item in whole}) == 1:
            return [NESTED, columns(lengths), columns(whole)]
        if max(lengths) <= SHORT:
            by_place = [[row[i] for row in data if i < len(row)] for i in range(max(lengths))]
            return [MIXED, columns(lengths), *map(columns, by_place)]
    return [PLAIN, *(columns(item) if isinstance(item, (dict, list, tuple)) else item for item in data)]


def _steps(numbers: Sequence[int]) -> tuple[int, Any]:
    """Return a period p, and the compressed differences between integers that are p positions apart.

    The period is the one with the fewest distinct differences, which are counted in the middle of the list.
    """
    middle = numbers[len(numbers) // 2 :][: 12 * PERIODS]

    def above(some: Sequence[int], period: int) -> list[int]:
        return [b - a for a, b in zip([*[0] * period, *some], some)]

    periods = range(1, min(PERIODS, len(middle) // 3) + 1)
    best = min(periods, key=lambda p: PERIODS * len({*above(middle, p)[2 * p :]}) + p, default=1)
    return best, columns(above(numbers, best), steps=True)


def _counted(texts: Sequence[str]) -> tuple[list[str], list[int]] | None:
    """Split each string into its head and the number at its end, such as "x12" into "x" and 12 (-1 if it has none).

    Returns None if at most half of the strings end in a number.
    """
    heads = [text.rstrip("0123456789") for text in texts]
    ends = [text[len(head) :] for text, head in zip(texts, heads)]
    counted_ends = [len(end) < 10 and end != "" and (end == "0" or end[0] != "0") for end in ends]
    if sum(counted_ends) <= len(texts) / 2:
        return None
    heads = [head if counted else text for text, head, counted in zip(texts, heads, counted_ends)]
    return heads, [int(end) if counted else -1 for end, counted in zip(ends, counted_ends)]
