"""The HTML of a view: a picture and its text twin that survive anywhere, and a script that makes them a player.

Where scripts do not run (a notebook that is not trusted, a mail), an <img> and a <details> remain. Where they run, the
script replaces them: code and data travel compressed in the cell, so a saved notebook stays small, and nothing is
ever fetched.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from functools import cache
from html import escape
from typing import Any

from .svg import classes_of, needed_rules, static

#: Finds its own cell, unpacks, and runs the code that it finds.
LOADER = """(async s=>{const r=s.parentElement,t="TEXT",z=new DataView(new ArrayBuffer(t.length*.8));
for(let i=0,v=0;i<t.length;){const c=t.charCodeAt(i);v=v*85+c-40-(c>60)-(c>92);if(++i%5==0){z.setUint32(i*.8-4,v);v=0}}
const d=JSON.parse(await new Response(new Blob([z.buffer.slice(0,SIZE)]).stream()
.pipeThrough(new DecompressionStream("deflate"))).text()),e=document.createElement("div");
r.querySelector("div").replaceWith(e);
new Function("el","d",d.js)(e,d)})(document.currentScript)"""

#: The end of the code: the player is handed the smallest object that answers like the model of a widget.
START = ".render({el,model:{get:k=>d[k],set:(k,v)=>{d[k]=v},on(){},off(){},send(){},save_changes(){}}})"

#: The 85 characters from ( to ~ that neither a script element nor a string of JSON must escape, in order.
DIGITS = bytes(c for c in range(40, 127) if chr(c) not in "<\\")
PYTHONS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"


def packed(data: Any) -> str:
    """A script that unpacks `data` and starts the player: JSON, compressed, four bytes in five characters."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    small = zlib.compress(text.encode(), 9)
    digits = base64.b85encode(small, pad=True).translate(bytes.maketrans(PYTHONS, DIGITS)).decode()
    return LOADER.replace("SIZE", str(len(small))).replace("TEXT", digits)


def html(image: str, summary: str, twin: str, more: str, script: str) -> str:
    """One self-contained piece of HTML: `image` and `twin`, which the player takes the place of, and `more` below."""
    return (
        f'<div class="mgv mg-view"><div><div style="overflow-x: auto"><img style="max-width: none" '
        f'alt="{escape(summary)}" src="{data_uri(image)}"></div>{twin}</div>{more}'
        f"<script>{script}</script></div>"
    )


def page(body: str, title: str) -> str:
    """`body` as a file of its own."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<style>{player_style()} body{{margin:16px;background:var(--paper)}}</style>"
        f'</head><body class="mgv">{body}</body></html>'
    )


def data_uri(svg: str) -> str:
    """The picture as a URI for a double-quoted attribute: only what would end the URI or the attribute is encoded."""
    for char in '%#"&\n':
        svg = svg.replace(char, f"%{ord(char):02X}")
    return f"data:image/svg+xml,{svg}"


#: Classes that the player gives to what is drawn, and takes away.
CHANGES = {"sent", "now", "bad", "none", "part", "done", "mf", "mb", "mx"}


@cache
def module(parts: tuple[str, ...] = ()) -> str:
    """view.js, with what each of `parts` adds to it as one module."""
    player, *others = [static(f"{name}.js") for name in ("view", *parts)]
    return player.replace("export default { render };", "") + "".join(others) if others else player


@cache
def code_of_player(parts: tuple[str, ...] = ()) -> str:
    """The module as the body of a function that starts it: no comments, no spaces where none are needed."""
    lines = (line.strip() for line in module(parts).splitlines())
    code = "\n".join(line for line in lines if line and not line.startswith("//"))
    pieces = re.split(r"""("[^"\n]*"|`[^`]*`|/[^/ \n]+/\.)""", code.replace("export default", "return"))
    pieces[::2] = (re.sub(r" *([=<>&|?:,;(){}\[\]*]) *", r"\1", piece) for piece in pieces[::2])
    return "".join(pieces).rstrip("; \n") + START


@cache
def player_style(parts: tuple[str, ...] = ()) -> str:
    return " ".join(" ".join(static(f"{name}.css") for name in ("picture", "view", *parts)).split())


def style_for(svg: str, parts: tuple[str, ...] = ()) -> str:
    """The rules that the player of one picture needs: those for what is drawn, and for what it can become."""
    picture = needed_rules(static("picture.css").splitlines(), classes_of(svg) | CHANGES)
    return " ".join(" ".join([*picture, *(static(f"{name}.css") for name in ("view", *parts))]).split())
