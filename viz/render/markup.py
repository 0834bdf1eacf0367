"""HTML in pieces: templates whose placeholders take text, which is escaped, or other pieces."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


class Html(str):
    """A piece of HTML. A placeholder treats anything else as text."""

    __slots__ = ()


def markup(template: str, /, **holes: object) -> Html:
    """The template with its placeholders filled: `Html` unchanged, everything else as text, even inside double quotes.

    >>> markup('<p title="{note}">{note}</p>', note='a < "b"')
    '<p title="a &lt; &quot;b&quot;">a &lt; &quot;b&quot;</p>'
    >>> markup("<b>{inner}</b>", inner=markup("<i>{x}</i>", x=1))
    '<b><i>1</i></b>'
    """
    return Html(template.format(**{name: x if isinstance(x, Html) else as_text(str(x)) for name, x in holes.items()}))


def as_text(text: str) -> Html:
    """Text escaped for HTML, for an element or inside double quotes."""
    return Html(escape(text, quote=False).replace('"', "&quot;"))


def joined(pieces: Iterable[Html]) -> Html:
    """The pieces, one after the other."""
    return Html("".join(pieces))


def scrolling(what: str, content: Html) -> Html:
    """A box for content that may be wider than the page: the box scrolls, also with the keyboard. what : the box's name
    for screen readers."""
    template = '<div style="overflow-x: auto" role="group" aria-label="{what}" tabindex="0">{content}</div>'
    return markup(template, what=what, content=content)


def preformatted(text: object) -> Html:
    """Lines of text, which scroll, also with the keyboard, and break between words: JupyterLab would break words."""
    return markup('<pre tabindex="0" style="word-break:normal;overflow-wrap:anywhere">{text}</pre>', text=text)


def same_as_text(text: object) -> Html:
    """The text of a picture, under a line that opens it."""
    return markup("<details><summary>The same as text</summary>{text}</details>", text=preformatted(text))
