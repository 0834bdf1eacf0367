"""A report on a nan as HTML: sentences, the repaired line with a button that copies it, numbers before and after.

It uses the colours of the page around it. Without scripts there is no button, and the line can be selected.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from html import escape

STYLE = """<style>
.mg-why{margin:2px 0 6px;padding:7px 11px;border-left:3px solid #d1463f;border-radius:3px;overflow-wrap:anywhere;
background:color-mix(in srgb,#d1463f 9%,transparent);line-height:1.45}
.mg-why p{margin:0 0 3px;color:inherit}.mg-why b{font-weight:650}
.mg-why dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:3px 14px;margin:6px 0 3px;
align-items:baseline}
.mg-why dt,.mg-why dd{float:none;width:auto;margin:0;padding:0;font-weight:400;color:inherit}.mg-why dt{opacity:.85}
.mg-why.mg-why code{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.93em;
white-space:pre-wrap;color:inherit;background:none;padding:0}.mg-why .mg-new{font-weight:650}
.mg-why button{font:inherit;color:inherit;background:none;border:1px solid;border-radius:5px;min-height:28px;
padding:1px 9px;margin:0 0 0 10px;cursor:pointer}.mg-why button:focus-visible{outline:2px solid;outline-offset:2px}
@media print{.mg-why button{display:none}}</style>"""

#: Adds a button to each repaired line, which copies it, or selects it if the page may not copy, and shows which.
SCRIPT = """(s=>{const r=s&&s.closest(".mg-why")||document.getElementById("ID"),say=r.querySelector("[role=status]");
for(const c of r.querySelectorAll(".mg-new")){const b=document.createElement("button");
b.type="button";b.textContent="Copy";b.setAttribute("aria-label","Copy "+c.textContent);
const select=()=>{getSelection().selectAllChildren(c);say.textContent="Selected: copy it with Ctrl+C or \\u2318C."};
b.onclick=()=>{say.textContent="";try{navigator.clipboard.writeText(c.textContent)
.then(()=>{say.textContent="Copied."},select)}catch{select()}};c.after(b)}})(document.currentScript)"""


def report_html(sentences: Sequence[str], pairs: Sequence[tuple[str, str]], pairs_first: bool = False) -> str:
    """Sentences, and pairs of a head and a text, as a fragment of HTML; text of the user is escaped."""
    first, *more = (f"<p>{escape(sentence, quote=False)}</p>" for sentence in sentences)
    rows = "".join(f"<dt>{head}</dt><dd>{_cell(head, text)}</dd>" for head, text in pairs)
    name = f"mg-why-{hashlib.sha256((first + rows).encode()).hexdigest()[:8]}"
    table = f"<dl>{rows}</dl>" if rows else ""
    if 'class="mg-new"' in rows:
        table += f'<p role="status"></p><script>{SCRIPT.replace("ID", name)}</script>'
    head = first.replace("<p>", "<p><b>").replace("</p>", "</b></p>")
    told = head + "".join(more)
    body = table + told if pairs_first else told + table
    return f'{STYLE}<div class="mg-why" id="{name}" role="group" aria-label="Report">{body}</div>'


def _cell(head: str, text: str) -> str:
    text = escape(text, quote=False)
    if head in ("before", "after"):
        return f"<code>{text}</code>"
    new = ' class="mg-new"' if head in ("write", "usual") else ""
    return text if head == "checked" else f"<code{new}>{text}</code>"
