"""Syntax colouring for Python: the kind of each piece of a line, and the line as HTML or SVG."""

from __future__ import annotations

import io
import keyword
import token
import tokenize
from collections.abc import Collection

from .markup import Html, as_text, joined, markup

#: The pieces of a line, as (kind, text); the kind is "" for a piece without a colour.
Pieces = list[tuple[str, str]]
KINDS = {tokenize.COMMENT: "pc", token.NUMBER: "pn", token.STRING: "pn"}


def highlight(text: str, adjoints: Collection[str] = ()) -> list[Pieces]:
    """Split the lines of a program into keywords (pk), numbers (pn), comments (pc), adjoint names (pd) and the rest.

    >>> highlight("d_x = 2 * y  # z", {"d_x"})
    [[('pd', 'd_x'), ('', ' = '), ('pn', '2'), ('', ' * y  '), ('pc', '# z')]]
    """
    rows = text.splitlines()
    lines: list[Pieces] = [[] for _ in rows]
    done = [0] * len(rows)

    def add(row: int, until: int, kind: str) -> None:
        piece = rows[row][done[row] : until]
        done[row] = max(until, done[row])
        if piece:
            lines[row].append((kind, piece))

    for tok in tokenize.generate_tokens(io.StringIO(text + "\n").readline):
        kind = KINDS.get(tok.type, "")
        if tok.type == token.NAME:
            kind = "pk" if keyword.iskeyword(tok.string) else "pd" if tok.string in adjoints else ""
        if kind and tok.start[0] == tok.end[0]:
            add(tok.start[0] - 1, tok.start[1], "")
            add(tok.start[0] - 1, tok.end[1], kind)
    for row, line in enumerate(rows):
        add(row, len(line), "")
    return lines


def as_html(pieces: Pieces) -> Html:
    return joined(markup("<b class={kind}>{text}</b>", kind=k, text=text) if k else as_text(text) for k, text in pieces)


def as_svg(pieces: Pieces) -> Html:
    span = "<tspan class='{kind}'>{text}</tspan>"
    return joined(markup(span, kind=k, text=text) if k else as_text(text) for k, text in pieces)
