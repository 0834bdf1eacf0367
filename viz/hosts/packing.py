"""Data of a player, made small for a saved cell: nothing twice, numbers that repeat, then 13 bits in two characters.

`slim` is undone by static/loose.js, `packed` by the script that it returns.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, zip_longest
from operator import methodcaller
from typing import Any

import numpy as np

FORMULA = "\ue005"  #: what stands in a sentence for the formula of its message
#: How many of the first arguments of an instruction are cells, where it is not all; the others are data.
CELLS = {"in": 0, "is": 0, "matmul": 2, "put": 2, "put+": 2}
CELLS |= dict.fromkeys(("take", "rep", "sum", "adds", "prod", "rmax", "rmin", "cumsum", "cumprod"), 1)

#: Finds its own cell, unpacks, and runs the code that it finds, as a script: some pages allow no code from text.
#: The picture in the cell comes first, as a block of its own that is not compressed: texts of the player are in it.
LOADER = """(async s=>{const o=s.parentElement.querySelector("#ID"),t="TEXT",z=new Uint8Array(t.length*13/16),
a=i=>(i=t.charCodeAt(i))-33-(i>34)-(i>60)-(i>92),
p=new TextEncoder().encode(o.querySelector("img").getAttribute("src")).slice(-LAST),l=p.length;
for(let i=0,j=0,v=0,n=0;i<t.length;i+=2)for(v=v<<13|a(i)*91+a(i+1),n+=13;n>7;)z[j++]=v>>(n-=8);
const u=await new Response(new Blob([new Uint8Array([120,156,0,l,l>>8,~l,~l>>8]),p,z.slice(0,SIZE)]).stream()
.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer(),
d=JSON.parse(new TextDecoder().decode(u.slice(l))),e=document.createElement("div");
o.replaceWith(e);
self.mgStart=[e,d];const c=document.createElement("script");c.text="((el,d)=>{"+d.view.js+"\\n})(...mgStart)";
document.head.append(c);c.remove()})(document.currentScript)"""

LAST = 32_000  #: bytes of the picture that can be referred to
LONG = re.compile(r'("(?:[^"\\]|\\.){999,}")')  #: a long text in JSON

#: The 91 characters that neither a script element nor a string of JSON must escape, in order.
DIGITS = "".join(chr(c) for c in range(33, 127) if chr(c) not in '"<\\')


def small(view: Mapping[str, Any], stop: int, code: str) -> dict[str, Any]:
    """What `packed` takes: what is like the picture before it comes first, and the lanes, which are slim, come last."""
    first = {"css": view["css"], "js": code}
    return {"view": {**first, **view, "lanes": [*map(slim, view["lanes"])]}, "stop": stop}


def packed(data: Any, place: str, picture: str) -> str:
    """A script that unpacks `data` and starts the player in the element with the id `place`.

    picture : the source of the image in that element: what stands there is not packed again.

    The place has an id because some hosts run the script outside of the view.
    """
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    before = picture.encode()[-LAST:]
    packer = zlib.compressobj(9, wbits=-15, zdict=before)
    found = b""
    for part in LONG.split(text):  # a block for each has a code of its own
        found += packer.compress(part.encode()) + packer.flush(zlib.Z_BLOCK)
    found += packer.flush() + zlib.adler32(before + text.encode()).to_bytes(4, "big")
    script = LOADER.replace("ID", place).replace("LAST", str(LAST)).replace("SIZE", str(len(found)))
    return script.replace("TEXT", encoded(found))


def encoded(data: bytes) -> str:
    """Every 13 bytes as 16 characters; zeros are added at the end.

    >>> len(encoded(bytes(20)))
    32
    """
    pairs, text = _pairs(), []
    for i in range(0, len(data), 13):
        bits = int.from_bytes(data[i : i + 13].ljust(13, b"\0"), "big")
        text += [pairs[bits >> shift & 8191] for shift in range(91, -1, -13)]
    return "".join(text)


@cache
def _pairs() -> list[str]:
    return [DIGITS[n // 91] + DIGITS[n % 91] for n in range(8192)]


def slim(lane: Mapping[str, Any]) -> dict[str, Any]:
    """Stops and cards as columns, where 0 stands for what a row lacks."""
    if "drag" in lane:
        lane = _said_once(lane)
    cards = lane["cards"].values()
    details = dict.fromkeys(chain.from_iterable(cards))
    return {
        **lane,
        "stops": [*map(list, zip_longest(*lane["stops"], fillvalue=0))],
        "cards": {
            "": np.diff([*lane["cards"]], prepend=0).tolist(),
            **{key: [*map(methodcaller("get", key, 0), cards)] for key in details},
        },
    }


def _said_once(lane: Mapping[str, Any]) -> dict[str, Any]:
    """A lane without the words that can be made of what its inputs need: ops, edges and their formulas."""
    drag, cards = lane["drag"], {}
    values: list[str] = []
    slopes: dict[int, str] = {}
    names = {**drag["names"], **{n: card["name"] for n, card in lane["cards"].items()}}
    lines = {n: iter(card.get("local", ())) for n, card in lane["cards"].items()}
    for i, row in enumerate(drag["edges"]):
        src, dst, formula, _, on_card = [*row, "", 0, 0][:5]
        if formula and on_card and dst in lines:
            values.append(next(lines[dst])[len(f"for {names[src]}: {formula} = ") :])
            slopes[i] = values[-1] or formula
    for n, card in lane["cards"].items():
        name = 0 if card["name"] == f"{drag['ops'][n][0]}#{n}" else card["name"]
        cards[n] = {key: name if key == "name" else value for key, value in card.items() if key != "local"}
    return {**lane, "cards": cards, "stops": _stops(lane, slopes), "drag": {**_drag(drag), "values": values}}


def _stops(lane: Mapping[str, Any], slopes: Mapping[int, str]) -> list[list[Any]]:
    """The rows with 1 for a product of the sender's adjoint and the slope, and a sign for the formula in a sentence."""
    rows: list[list[Any]] = []
    adjoints: dict[int, str] = {}
    for step, node, edge, to, message, after, product, flags, words, *cells in lane["stops"]:
        if edge >= 0:
            formula, way = [*lane["drag"]["edges"][edge], "", 0][2:4]
            sent = [formula, f"ḡ · {formula}", f"ḡ · ({formula})"][way]
            words = words.replace(f": {sent}", f": {FORMULA}", 1) if formula else words
            made = f"{adjoints.get(node)} · {slopes.get(edge)} = {message}"
            product = 1 if made == product.replace("\ue000", message) else product
        rows.append([step, node, edge, to, message, after, product, flags, words, *cells])
        adjoints[node if step < 0 else to] = after or message
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
    ends = np.diff([to for _, to, *_ in drag["edges"]], prepend=0).tolist()
    return {
        **drag,
        "code": _relative(drag["code"]),
        "nodes": np.diff([nodes.get(i, -1) for i in range(max(nodes) + 1)], prepend=0).tolist(),
        "local": [local.get(i, -1) for i in range(max(local, default=-1) + 1)],
        "edges": [[src - to, more, *rest] for (src, to, *rest), more in zip(drag["edges"], ends)],
        "steps": steps,
    }


def _relative(code: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The instructions, with each cell as how far it is behind: code that repeats looks alike.

    >>> _relative([["in", 0], ["mul", 0, 0], ["take", 1, [0, 0, 1]]])
    [['in', 0], ['mul', -1, -1], ['take', -1, [0, 0, 1]]]
    """
    found = []
    for k, (name, *args) in enumerate(code):
        first, count = (1, 2) if name == "as" else (0, CELLS.get(name, len(args)))
        found.append([name, *args[:first], *(cell - k for cell in args[first:count]), *args[count:]])
    return found
