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

from .svg import static

#: Finds its own cell, unpacks, and hands over to view.js with the smallest object that answers like a widget's model.
LOADER = """(async s=>{const r=s.parentElement,z=Uint8Array.from(atob("%s"),c=>c.charCodeAt(0));
const d=JSON.parse(await new Response(new Blob([z]).stream().pipeThrough(new DecompressionStream("deflate"))).text());
const e=document.createElement("div");r.querySelector("div").replaceWith(e);
new Function(d.js)().render({el:e,model:{get:k=>d[k],set:(k,v)=>{d[k]=v},on(){},off(){},send(){},save_changes(){}}})
})(document.currentScript)"""


def html(
    image: str,
    view: dict[str, Any],
    stop: int,
    summary: str,
    twin: str = "",
    more: str = "",
    parts: tuple[str, ...] = (),
) -> str:
    """One self-contained piece of HTML.

    image: the picture, for where scripts do not run. view: what view.js reads, which opens at `stop`.
    twin: HTML that the player takes the place of, as it does of the image; more: HTML that stays below it.
    parts: what the player has beside view.js.
    """
    code = {"view": view, "stop": stop, "js": code_of_player(parts)}
    packed = zlib.compress(json.dumps(code, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode(), 9)
    return (
        f'<div class="mgv mg-view"><div><div style="overflow-x: auto"><img style="max-width: none" '
        f'alt="{escape(summary)}" src="{data_uri(image)}"></div>{twin}</div>{more}'
        f"<script>{LOADER % base64.b64encode(packed).decode()}</script></div>"
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


@cache
def module(parts: tuple[str, ...] = ()) -> str:
    """view.js, with what each of `parts` adds to it as one module."""
    player, *others = [static(f"{name}.js") for name in ("view", *parts)]
    return player.replace("export default { render };", "") + "".join(others) if others else player


@cache
def code_of_player(parts: tuple[str, ...] = ()) -> str:
    """The module as the body of a function that returns it: no comments, no spaces where none are needed."""
    lines = (line.strip() for line in module(parts).splitlines())
    code = "\n".join(line for line in lines if line and not line.startswith("//"))
    pieces = re.split(r"""("[^"\n]*"|`[^`]*`|/[^/ \n]+/\.)""", code.replace("export default", "return"))
    pieces[::2] = (re.sub(r" *([=<>&|?:,;(){}\[\]*]) *", r"\1", piece) for piece in pieces[::2])
    return "".join(pieces)


@cache
def player_style(parts: tuple[str, ...] = ()) -> str:
    return " ".join(" ".join(static(f"{name}.css") for name in ("picture", "view", *parts)).split())
