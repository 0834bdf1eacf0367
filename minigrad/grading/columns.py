"""Many values in one piece of data, by their form: a graph of a thousand nodes is read in a few steps.

Both sides have this file; it imports the standard library only. A column is one of

    {"plain": [...]}  {"given": [numbers]}  {"lengths": [...], "items": column}  {"data": [...]}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice
from typing import Any

PLAIN = {float, int, str, bool, type(None)}


def packed(values: Sequence[Any]) -> dict[str, Any]:
    """Values as a column, from what `wire.encode` made of each.

    >>> packed([{"tuple": [1.0, 2.0]}, {"tuple": []}])
    {'lengths': [2, 0], 'items': {'plain': [1.0, 2.0]}}
    """
    kinds = {next(iter(x)) if type(x) is dict and len(x) == 1 else type(x) for x in values}
    if kinds <= PLAIN:
        return {"plain": [*values]}
    if kinds == {"given"}:
        return {"given": [x["given"] for x in values]}
    if kinds == {"tuple"}:
        items = [x["tuple"] for x in values]
        return {"lengths": [*map(len, items)], "items": packed([*chain.from_iterable(items)])}
    return {"data": [*values]}


def unpacked(column: Mapping[str, Any], read: Callable[[Any], Any], given: Mapping[int, Any]) -> list[Any]:
    """The values of a column. read : reads one of "data". given : the objects by number.

    >>> unpacked({"lengths": [2, 0], "items": {"given": [7, 7]}}, repr, {7: "x"})
    [('x', 'x'), ()]
    """
    match column:
        case {"plain": values}:
            return list(values)
        case {"given": numbers}:
            return [given[number] for number in numbers]
        case {"lengths": lengths, "items": items}:
            each = iter(unpacked(items, read, given))
            return [tuple(islice(each, length)) for length in lengths]
    return [*map(read, column["data"])]
