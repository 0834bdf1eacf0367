"""The tables below a comparison, as text and as HTML: the verdict on each gradient, and the numbers of each lane."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from minigrad.tracing.numbers import full, short
from minigrad.tracing.table import in_a_box, text_table

from ..model.verdicts import CompareRow
from .markup import Html, joined, markup


def _heads(labels: tuple[str, str]) -> tuple[str, ...]:
    return "argument", *labels, "finite difference", "verdict"


def _cells(row: CompareRow) -> tuple[str, ...]:
    absent = "jump" if row.kind.startswith("jump") else "not checked"
    numbers = (absent if row.difference is None else short(row.difference),)
    return row.argument, *("none" if v is None else short(v) for v in (row.first, row.second)), *numbers, row.verdict


def verdicts_text(rows: Sequence[CompareRow], labels: tuple[str, str]) -> str:
    """Return the table of verdicts as columns of text."""
    return text_table(_heads(labels), [*map(_cells, rows)], words=range(5))


def verdicts_html(rows: Sequence[CompareRow], labels: tuple[str, str]) -> Html:
    """Return the table of verdicts as HTML."""
    caption = "Each gradient next to the central difference of the function in float64"
    return table_html(caption, _heads(labels), map(_row, rows))


def _row(row: CompareRow) -> tuple[str, list[Html]]:
    first, *rest = _cells(row)
    numbers = (row.first, row.second, row.difference, None)
    cells = [
        markup("<td>{text}</td>", text=text)
        if exact is None
        else markup('<td title="{full}">{text}</td>', full=full(exact), text=text)
        for text, exact in zip(rest, numbers)
    ]
    return first, cells


def table_html(caption: str, heads: Iterable[str], rows: Iterable[tuple[str, Iterable[Html]]]) -> Html:
    """Return an HTML table whose headers are marked for screen readers.

    heads : the headers of the columns. rows : pairs of a row's header and its cells.
    """
    line = '<tr><th scope="row">{name}</th>{cells}</tr>'
    table = markup(
        "<table><caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>",
        caption=caption,
        heads=joined(markup('<th scope="col">{head}</th>', head=head) for head in heads),
        rows=joined(markup(line, name=name, cells=joined(cells)) for name, cells in rows),
    )
    return Html(in_a_box(table))
