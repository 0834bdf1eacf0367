"""Tables of text: aligned columns, with rows left out of long tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence

Row = Sequence[str]


def text_table(head: Row, rows: Sequence[Row], left: Collection[int] = ()) -> str:
    """Return rows as aligned columns under `head`; columns with an index in `left` are left-aligned, others right.

    >>> print(text_table(["x", "slope"], [["1", "10"], ["12", "nan"]]))
     x  slope
     1     10
    12    nan
    """
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            word.ljust(width) if i in left else word.rjust(width) for i, (word, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )


def spread(count: int, most: int | None) -> list[int]:
    """Return the indices of at most `most` of `count` rows, spread evenly from first to last; None selects all rows.

    >>> spread(9, 3), spread(3, None)
    ([0, 4, 8], [0, 1, 2])
    """
    if most is None or count <= most:
        return list(range(count))
    last = max(most, 2) - 1
    return [round(i * (count - 1) / last) for i in range(last + 1)]


def left_out(count: int) -> str:
    """Return the line that replaces `count` omitted lines."""
    return f"... {count} line{' is' if count == 1 else 's are'} left out here; to_text() has them all ..."


def shortened(lines: Sequence[str], most: int | None, comment: str = "") -> list[str]:
    """Return the first and the last lines, at most about `most`, with a note between them; None keeps all lines.

    comment : text before the note.

    >>> shortened(["a", "b", "c", "d", "e"], 2)
    ['a', '... 3 lines are left out here; to_text() has them all ...', 'e']
    """
    if most is None or len(lines) <= most:
        return [*lines]
    half = max(1, most // 2)
    return [*lines[:half], comment + left_out(len(lines) - 2 * half), *lines[-half:]]
