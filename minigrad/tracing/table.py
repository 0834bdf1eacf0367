"""Tables of text, as plain text and as HTML that can be scrolled in a narrow window."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape

Row = Sequence[str]


def text_table(head: Row, rows: Sequence[Row], words: Collection[int] = ()) -> str:
    """Return aligned columns under `head`. words : the indices of left-aligned columns; the rest are right-aligned.

    >>> print(text_table(["x", "slope"], [["1", "10"], ["12", "nan"]]))
     x  slope
     1     10
    12    nan
    """
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    pads = [str.ljust if i in words else str.rjust for i in range(len(head))]
    cells = lambda line: (pad(word, width) for pad, word, width in zip(pads, line, widths))
    return "\n".join("  ".join(cells(line)).rstrip() for line in lines)


class Table:
    """A table whose first column contains names. It prints as columns of text; a notebook shows it as an HTML table.

    head : the titles of the columns. rows : sequences of texts or numbers, each as long as the head.

    >>> print(Table(["dtype", "largest"], [["float16", 65504], ["float32", "3.4e+38"]]))
    dtype    largest
    float16    65504
    float32  3.4e+38
    """

    def __init__(self, head: Sequence[object], rows: Iterable[Sequence[object]]) -> None:
        self.head, *self.rows = [[str(cell) for cell in row] for row in (head, *rows)]

    def __repr__(self) -> str:
        return text_table(self.head, self.rows, words={0})

    def _repr_html_(self) -> str:
        head = _line(self.head, "th")
        rows = "".join(f"<tr>{_line(row, 'td')}</tr>" for row in self.rows)
        return in_a_box(f'<table dir="ltr"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>')


#: The right edge of a box fades as long as there is more to scroll to, in browsers that can do it.
FADES = (
    "@keyframes mg-more{0%,95%{mask:linear-gradient(90deg,#000 calc(100% - 3em),transparent)}}"
    ".mg-scroll{animation:mg-more linear;animation-timeline:scroll(self inline)}"
)


def in_a_box(content: str, what: str = "Table") -> str:
    """Put HTML that may be wider than its cell into a box that can be scrolled, even with the keyboard.

    what : the name of the box for screen readers.
    """
    box = f'<div class="mg-scroll" style="overflow-x: auto" role="group" aria-label="{what}" tabindex="0">'
    return f"<style>{FADES}</style>{box}{content}</div>"


def _line(row: Iterable[str], tag: str) -> str:
    return "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)
