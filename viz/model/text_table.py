"""Tables and lists of text, shortened if they are long."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from minigrad.tracing.table import Row, text_table


def spread(count: int, most: int | None) -> list[int]:
    """Return the indices of at most `most` of `count` rows, spread evenly from first to last; None selects all rows.

    >>> spread(9, 3), spread(3, None)
    ([0, 4, 8], [0, 1, 2])
    """
    if most is None or count <= most:
        return list(range(count))
    last = max(most, 2) - 1
    return [round(i * (count - 1) / last) for i in range(last + 1)]


def sampled_table(
    head: Row, count: int, row: Callable[[int], Row], most: int | None, words: Collection[int] = ()
) -> str:
    """Return a table of at most `most` of `count` rows, with a note on omitted rows. row : returns a row by its index.

    >>> print(sampled_table(["i"], 5, lambda i: [str(i)], 2))
    i
    0
    4
    ... 3 lines are left out here; to_text() has them all ...
    """
    kept = spread(count, most)
    return noted(text_table(head, [*map(row, kept)], words), count - len(kept))


def noted(table: str, count: int) -> str:
    """Return the table, with a note in the last line that `count` rows were left out."""
    return f"{table}\n{left_out(count)}" if count else table


def left_out(count: int) -> str:
    """Return the line that replaces `count` omitted lines."""
    return f"... {count} line{' is' if count == 1 else 's are'} left out here; to_text() has them all ..."


def shortened(lines: Sequence[str], most: int | None, comment: str = "") -> list[str]:
    """Return the first and last lines, at most about `most`, with a note between them; for None, return all lines.

    comment : text before the note.

    >>> shortened(["a", "b", "c", "d", "e"], 2)
    ['a', '... 3 lines are left out here; to_text() has them all ...', 'e']
    """
    if most is None or len(lines) <= most:
        return [*lines]
    half = max(1, most // 2)
    return [*lines[:half], comment + left_out(len(lines) - 2 * half), *lines[-half:]]
