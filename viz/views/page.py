"""`viz.page`: text, source code and pictures in one file that opens in any browser."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

from minigrad.core.tensor import Tensor

from ..hosts.html import page as html_page
from ..render.markup import Html, as_text, joined, markup
from ..render.tensor_table import tensor_html
from .static_view import write

STYLE = (
    "body{font:16px/1.6 system-ui,sans-serif;color:light-dark(#1b1b1b,#e8e8e8)}"
    ".page{max-width:1000px;margin:auto}.page>p,.page>h1{max-width:44em}"
    ".page>pre{overflow-x:auto;padding:12px 16px;border-radius:6px;background:light-dark(#f2f2f2,#2a2a2a);"
    "font:14px/1.5 ui-monospace,monospace}"
)


class Page:
    """A page made by `viz.page`. title : its heading. path : the file it was written to, or None.

    >>> import viz
    >>> viz.page("A first page", "The slope of exp is exp.").title
    'A first page'
    """

    def __init__(self, title: str, html: str, path: Path | None) -> None:
        self.title, self.path, self._html = title, path, html

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the page; write it to `path` if given."""
        return write(path, self._html)

    def __repr__(self) -> str:
        where = f"written to {self.path.name}" if self.path else "not written yet: page.to_html(path) does it"
        return f"A page of {max(1, len(self._html.encode()) // 1000)} kB, {self.title!r}, {where}."


def page(title: str, *parts: Any, path: str | Path | None = None) -> Page:
    """Make one HTML file of text, source code and pictures, for a browser without Python.

    title : the heading, and the title of the browser tab.
    parts : the content, in order. A string is text, which may contain `code` and **bold** words; an empty line
        separates paragraphs. A function or a class is shown as source code, and a Tensor as a table. A view of viz can
        still be played. Anything else is shown as HTML if it has an HTML form, or else as its `repr`.
    path : the file to write; an existing file is replaced.

    Raises TypeError if the title is not a string, or if the source of a function is unknown, as with a function made by
    `exec`.

    >>> import minigrad as mg, viz
    >>> x = mg.constant(2.0)
    >>> page = viz.page("A first page", "The slope of exp is exp.", viz.backward(mg.exp(x)))
    >>> "<h1>A first page</h1>" in page.to_html()
    True
    """
    if not isinstance(title, str):
        raise TypeError(f"title should be a string, got {type(title).__name__}: viz.page('My rule', ...)")
    body = markup(
        '<style>{style}</style><main class="page"><h1>{title}</h1>{parts}</main>',
        style=Html(STYLE), title=title, parts=joined(map(_shown, parts)),
    )  # fmt: skip
    html = str(html_page(body, title))
    if path is not None:
        write(path, html)
    return Page(title, html, None if path is None else Path(path))


def _shown(part: Any) -> Html:
    if isinstance(part, str):
        paragraphs = filter(str.strip, re.split(r"\n\s*\n", part))
        return joined(markup("<p>{text}</p>", text=_inline(" ".join(text.split()))) for text in paragraphs)
    if isinstance(part, Tensor):
        return Html(tensor_html(part))
    if inspect.isclass(part) or inspect.isroutine(inspect.unwrap(part)):
        return markup("<pre>{source}</pre>", source=_source(inspect.unwrap(part)))
    if hasattr(part, "_repr_mimebundle_"):
        made = part._repr_mimebundle_()
        made = made[0] if isinstance(made, tuple) else made
        if "text/html" in made:
            return markup("<div>{html}</div>", html=Html(made["text/html"]))
    if hasattr(part, "_repr_html_"):
        return markup("<div>{html}</div>", html=Html(part._repr_html_()))
    return markup("<pre>{text}</pre>", text=repr(part))


def _inline(text: str) -> Html:
    """Convert `code` and **bold words** in text to HTML; ** is recognised only at the ends of words, not in 2**3."""
    pieces = re.split(r"(`[^`]+`|(?<![\w*])\*\*(?=\S)[^*]+(?<=\S)\*\*(?![\w*]))", text)
    marked = {
        "`": lambda piece: markup("<code>{text}</code>", text=piece[1:-1]),
        "*": lambda piece: markup("<strong>{text}</strong>", text=piece[2:-2]),
    }
    return joined(marked[piece[0]](piece) if i % 2 else as_text(piece) for i, piece in enumerate(pieces))


def _source(part: Any) -> str:
    try:
        if getattr(getattr(part, "__code__", None), "co_filename", "") == "<string>":  # code that was run from a string
            raise OSError("made by exec")
        return textwrap.dedent(inspect.getsource(part)).strip()
    except (OSError, TypeError) as error:
        name = getattr(part, "__name__", repr(part))
        raise TypeError(f"the source of {name} is not known: pass it as text instead") from error
