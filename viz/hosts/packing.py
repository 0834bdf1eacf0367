"""Data of a player, made small for a saved cell: nothing twice, numbers that repeat, then 13 bits in two characters.

`packed` is undone by the script that it returns.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from functools import cache
from typing import Any

from .compact import compact, thinned

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
    """What `packed` takes: what is like the picture before it comes first, the compact lanes come last."""
    lanes, stop = thinned(view["lanes"], stop)
    first = {"css": view["css"], "js": code}
    return {"view": {**first, **view, "lanes": [*map(compact, lanes)]}, "stop": stop}


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
