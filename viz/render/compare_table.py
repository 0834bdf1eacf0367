"""The table of a comparison, as text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from minigrad.tracing.numbers import full, short

from ..model.verdicts import CompareRow
from .markup import Html, joined, markup, scrolling


def _heads(labels: tuple[str, str]) -> tuple[str, ...]:
    return "argument", *labels, "finite difference", "verdict"


def _cells(row: CompareRow) -> tuple[str, ...]:
    absent = "jump" if row.kind.startswith("jump") else "not checked"
    numbers = (absent if row.difference is None else short(row.difference),)
    return row.argument, *("none" if v is None else short(v) for v in (row.first, row.second)), *numbers, row.verdict


def table_text(rows: Sequence[CompareRow], labels: tuple[str, str]) -> str:
    """Return the table as columns of text."""
    table = [_heads(labels), *(_cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(5)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in table)


def table_html(rows: Sequence[CompareRow], labels: tuple[str, str]) -> Html:
    """Return the table as HTML, with its headers marked for screen readers."""
    table = markup(
        "<table><caption>Each gradient next to the central difference of the function in float64</caption>"
        "<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>",
        heads=joined(markup('<th scope="col">{head}</th>', head=head) for head in _heads(labels)),
        rows=joined(map(_row, rows)),
    )
    return scrolling("Table", table)


def _row(row: CompareRow) -> Html:
    first, *rest = _cells(row)
    numbers = (row.first, row.second, row.difference, None)
    cells = [
        markup("<td>{text}</td>", text=text)
        if exact is None
        else markup('<td title="{full}">{text}</td>', full=full(exact), text=text)
        for text, exact in zip(rest, numbers)
    ]
    return markup('<tr><th scope="row">{name}</th>{cells}</tr>', name=first, cells=joined(cells))
