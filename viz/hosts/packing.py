"""Data of a player as a script that unpacks them: compressed, 13 bits in two characters, so that cells stay small."""

from __future__ import annotations

import json
import zlib
from functools import cache
from typing import Any

#: Finds its own cell, unpacks, and runs the code that it finds, as a script: some pages allow no code from text.
LOADER = """(async s=>{const r=s.parentElement,t="TEXT",z=new Uint8Array(t.length*13/16),
a=i=>(i=t.charCodeAt(i))-33-(i>34)-(i>60)-(i>92);
for(let i=0,j=0,v=0,n=0;i<t.length;i+=2)for(v=v<<13|a(i)*91+a(i+1),n+=13;n>7;)z[j++]=v>>(n-=8);
const d=JSON.parse(await new Response(new Blob([z.slice(0,SIZE)]).stream()
.pipeThrough(new DecompressionStream("deflate"))).text()),e=document.createElement("div");
r.querySelector("#ID").replaceWith(e);
self.mgStart=[e,d];const c=document.createElement("script");c.text="((el,d)=>{"+d.js+"\\n})(...mgStart)";
document.head.append(c);c.remove()})(document.currentScript)"""

#: The 91 characters that neither a script element nor a string of JSON must escape, in order.
DIGITS = "".join(chr(c) for c in range(33, 127) if chr(c) not in '"<\\')


def packed(data: Any, place: str) -> str:
    """A script that unpacks `data` and starts the player in the element with the id `place`.

    The place has an id because some hosts run the script outside of the view.
    """
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    small = zlib.compress(text.encode(), 9)
    return LOADER.replace("ID", place).replace("SIZE", str(len(small))).replace("TEXT", encoded(small))


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
