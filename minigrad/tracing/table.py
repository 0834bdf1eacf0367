"""Tables of text, as plain text and as HTML that can be scrolled in a narrow window."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


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
        rows = [self.head, *self.rows]
        first, *widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join("  ".join([row[0].ljust(first), *map(str.rjust, row[1:], widths)]).rstrip() for row in rows)

    def _repr_html_(self) -> str:
        head = _line(self.head, "th")
        rows = "".join(f"<tr>{_line(row, 'td')}</tr>" for row in self.rows)
        return f'<table dir="ltr"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _line(row: Iterable[str], tag: str) -> str:
    return "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)
