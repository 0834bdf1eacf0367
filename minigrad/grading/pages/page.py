"""The frame of a page, its style for light, dark and paper, and the parts that pages share."""

from __future__ import annotations

from html import escape

STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--line:#c9d0da;--box:#f5f7fa;--page:#fff;--good:#1f7a45;
--bad:#b45309;--bar:#2563a8}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#a3adba;--line:#3b4553;--box:#1b222c;--page:#12161c;
--good:#5cc98a;--bad:#f0a35b;--bar:#7fb2ea}}
body{margin:0 auto;padding:1.5em;max-width:62em;background:var(--page);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6em;margin:.2em 0}h2{font-size:1.2em;margin:1.6em 0 .4em}h3{font-size:1em;margin:1em 0 .2em}
p{margin:.4em 0}.soft{color:var(--soft)}.big{font-size:1.3em}
section{border:1px solid var(--line);border-left:5px solid var(--line);border-radius:6px;padding:.6em 1em;margin:.8em 0}
section h2{margin:.2em 0}section.right{border-left-color:var(--good)}section.wrong{border-left-color:var(--bad)}
table{border-collapse:collapse;margin:.5em 0;width:100%}th,td{text-align:left;padding:.3em .8em .3em 0;
border-bottom:1px solid var(--line);vertical-align:top}th{font-weight:600}td.n,th.n{text-align:right;
font-variant-numeric:tabular-nums}
pre,code,td.v{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.92em;overflow-wrap:anywhere}
pre{background:var(--box);padding:.6em .8em;border-radius:4px;white-space:pre-wrap;margin:.4em 0}
ul{list-style:none;margin:.4em 0;padding:0}li{padding-left:1.4em;text-indent:-1.4em}
.sign{display:inline-block;width:1.4em;text-indent:0;font-weight:600}
.wide{overflow-x:auto}td:has(.bar){min-width:7em}td:last-child:not(.n){min-width:11em}
img{max-width:100%;height:auto;display:block;margin:.5em 0}
iframe{width:100%;height:34em;border:1px solid var(--line);border-radius:6px}
.bar{display:inline-block;height:.8em;background:var(--bar);border-radius:2px;min-width:1px;vertical-align:baseline}
@media print{:root{color-scheme:light}iframe,details.play{display:none}
.wide{overflow:visible}section{break-inside:avoid}}
"""

SIGNS = {True: "✓", False: "✗", None: "–"}


def page(title: str, body: str) -> str:
    """A whole page of HTML. title : is escaped, body : is not."""
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>{body}</body></html>\n"
    )


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text; nothing where there is none."""
    style = f" class='{kind}'" if kind else ""
    return f"<p{style}>{escape(text)}</p>" if text else ""


def marks(got: float | None, of: float) -> str:
    """The marks in words.

    >>> marks(2.5, 3.0), marks(None, 3.0)
    ('2.5 of 3', 'not graded (of 3)')
    """
    return f"{got:g} of {of:g}" if got is not None else f"not graded (of {of:g})"


def capital(sentence: str) -> str:
    """The sentence with a capital letter and a full stop; nothing where there is none."""
    return f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""


def bar(share: float, words: str) -> str:
    """A bar as long as `share` of its cell, from 0 to 1, followed by the number in words."""
    width = 70 * max(0.0, min(1.0, share))  # of the cell, so that the words have room
    return f"<span class='bar' style='width:{width:.0f}%' aria-hidden='true'></span> {escape(words)}"


def table(heads: list[str], rows: list[list[str]], numbers: frozenset[int] = frozenset()) -> str:
    """A table. rows : HTML for each cell. numbers : the columns that are set to the right."""
    kind = lambda i: " class='n'" if i in numbers else ""
    head = "".join(f"<th scope='col'{kind(i)}>{escape(text)}</th>" for i, text in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(f"<td{kind(i)}>{cell}</td>" for i, cell in enumerate(row)) + "</tr>" for row in rows
    )
    return f"<div class='wide'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
