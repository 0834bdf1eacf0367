"""Pieces of HTML: templates whose placeholders take other pieces unchanged, and escape plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from itertools import groupby


class Html(str):
    """A piece of HTML, which a placeholder inserts unchanged."""

    __slots__ = ()


def markup(template: str, /, **holes: object) -> Html:
    """Fill the placeholders of a template; everything but `Html` is escaped, also for use inside double quotes.

    >>> markup('<p title="{note}">{note}</p>', note='a < "b"')
    '<p title="a &lt; &quot;b&quot;">a &lt; &quot;b&quot;</p>'
    >>> markup("<b>{inner}</b>", inner=markup("<i>{x}</i>", x=1))
    '<b><i>1</i></b>'
    """
    return Html(template.format(**{name: x if isinstance(x, Html) else as_text(str(x)) for name, x in holes.items()}))


def as_text(text: str) -> Html:
    """Escape text for use in an HTML element or inside double quotes."""
    return Html(escape(text, quote=False).replace('"', "&quot;"))


def joined(pieces: Iterable[Html]) -> Html:
    """Join pieces of HTML."""
    return Html("".join(pieces))


def scrolling(what: str, content: Html) -> Html:
    """Put content that may be wider than the page into a box that can be scrolled, even with the keyboard.

    what : the name of the box for screen readers.
    """
    template = '<div style="overflow-x:auto" role="group" aria-label="{what}" tabindex="0">{content}</div>'
    return markup(template, what=what, content=content)


#: A line of a table: it has two blanks between columns or before the first, or says that lines are left out.
COLUMNS = re.compile(r"\S {2,}\S|^ {2,}\S|^\.{3} ")


def preformatted(text: object) -> Html:
    """Return lines of text that can be scrolled with the keyboard and, unlike in JupyterLab, break between words.

    The lines of a table do not break: a table that is wider than the page is scrolled.
    """
    lines = (text if isinstance(text, Html) else as_text(str(text))).splitlines(keepends=True)
    pieces = []
    for in_columns, some in groupby(lines, key=lambda line: bool(COLUMNS.search(line))):
        piece = Html("".join(some))
        if in_columns and "\n" in piece.strip():
            piece = markup('<span style="display:block;white-space:pre;overflow:auto">{piece}</span>', piece=piece)
        pieces.append(piece)
    look = "word-break:normal;overflow-wrap:anywhere"
    return markup('<pre tabindex="0" style="{look}">{text}</pre>', look=look, text=joined(pieces))


def same_as_text(text: object) -> Html:
    """Return HTML with the text of a picture in a collapsed section."""
    return markup("<details><summary>The same as text</summary>{text}</details>", text=preformatted(text))
