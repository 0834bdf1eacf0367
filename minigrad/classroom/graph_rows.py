"""Graphs as rows, and the first box in which two graphs differ.

A row is a label and the indices of the rows that it uses: `[("x", []), ("multiply", [0, 0])]` is x * x.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.tensor import Tensor, constant
from ..graphs import write
from .compared_values import show

#: Ops whose two arguments may be in either order.
COMMUTATIVE = ("add", "multiply", "maximum", "minimum", "logaddexp", "equal", "not_equal")
MOST = 200  # maximum number of rows in an answer
STEPS = 20_000  # maximum number of steps when comparing two graphs; graphs with many equal parts would need more
NUMBERS = (int, float)
SEQUENCES = (tuple, list)


@dataclass(frozen=True)
class Rows:
    """A graph: each row has a label and the indices of earlier rows; the last row is the result."""

    rows: tuple[tuple[str, tuple[int, ...]], ...]

    def __str__(self) -> str:
        """Return the rows in one line.

        >>> print(rows_of([("x", []), ("multiply", [0, 0])]))
        0: x, 1: multiply(0, 0)
        """
        texts = (label + f"({', '.join(map(str, used))})" * bool(used) for label, used in self.rows)
        return ", ".join(f"{number}: {text}" for number, text in enumerate(texts))


@dataclass(frozen=True)
class Difference:
    """The first difference between two graphs: the index of the row in each graph, and a sentence about it."""

    mine: int
    true: int
    words: str


def rows_of(graph: Any, names: Sequence[str] = (), inputs: Sequence[Any] = ()) -> Rows | str:
    """Return the rows of a graph given as a function of Tensors, as a Tensor, or as a list of rows.

    Return a sentence for anything else.

    names, inputs : names for the function's arguments, and the values to call it with.

    >>> print(rows_of(lambda x: x * x + 1.0, ["x"], [2.0]))
    0: x, 1: multiply(0, 0), 2: 1, 3: add(1, 2)
    """
    params: list[Tensor] = []
    if callable(graph) and not isinstance(graph, Tensor):
        params = [constant(x) for x in inputs]
        graph = graph(*params)
    if isinstance(graph, Tensor):
        return _recorded(graph, params, names)
    if isinstance(graph, (list, tuple)):
        return _written(graph)
    return f"The answer is {show(graph)}; a graph is expected: a Tensor that was computed with ops."


def _recorded(y: Tensor, params: Sequence[Tensor], names: Sequence[str]) -> Rows | str:
    fragment = write(params, [y], 0)
    rows: list[tuple[str, tuple[int, ...]]] = [(name, ()) for name in names[: len(params)]]
    place = {number: row for row, number in enumerate(fragment["params"])}
    for number, kind, *rest in fragment["nodes"]:
        used, options = [], []
        if kind in ("op", "custom"):
            for data in rest[1]:
                if isinstance(data, int) and kind == "custom":
                    used.append(place[data])
                elif isinstance(data, dict) and "node" in data:
                    used.append(place[data["node"]])
                elif isinstance(data, NUMBERS):
                    rows.append((show(data), ()))
                    used.append(len(rows) - 1)
                else:
                    options.append(str(data))
            options += [f"{key}={value}" for key, value in (rest[2] if kind == "op" else {}).items()]
        elif kind == "output":
            used, rest = [place[rest[0]]], [f"output {rest[1]}"]
        place[number] = len(rows)
        label = rest[0] if kind != "constant" else show(_number(rest[0]))
        rows.append((" ".join([label, *options]), tuple(used)))
    result = place[fragment["out"][0]]
    return Rows((*rows[: result + 1],)) if result == len(rows) - 1 else Rows((*rows, rows[result]))


def _number(data: Any) -> Any:
    return data.get("number", "array") if isinstance(data, dict) else data


def _written(rows: Sequence[Any]) -> Rows | str:
    rows_read: list[tuple[str, tuple[int, ...]]] = []
    for number, row in enumerate(rows):
        if not (isinstance(row, SEQUENCES) and len(row) == 2 and isinstance(row[1], (*SEQUENCES, np.ndarray))):
            return f'Row {number} is {show(row)}. A row is a pair of a label and a list, such as ("multiply", [0, 0]).'
        if any(not isinstance(i, (int, np.integer)) or not 0 <= i < number for i in row[1]):
            return f"Row {number}, {show(row)}, may only use the numbers of rows above it, counted from 0."
        rows_read.append((row[0] if isinstance(row[0], str) else show(row[0]), tuple(map(int, row[1]))))
    return Rows(tuple(rows_read)) if rows_read else "The list of rows is empty. It has a row for each box of the graph."


def difference(mine: Rows, true: Rows) -> Difference | None:
    """Return the first box, starting from the result, in which two graphs differ, or None if they are the same.

    The order of rows does not matter, nor does the order of the arguments of add and multiply. But a box that is used
    twice differs from two equal boxes.

    >>> sum_first, product_first = [("a", []), ("add", [0, 0])], [("a", []), ("multiply", [0, 0])]
    >>> difference(rows_of(sum_first), rows_of(product_first)).words
    'The first difference, starting from the result: yours has add where multiply is expected.'
    """
    if len(mine.rows) > MOST:
        words = f"Your graph has {len(mine.rows)} boxes, {len(true.rows)} are expected."
        return Difference(len(mine.rows) - 1, len(true.rows) - 1, words)
    comparison = _Comparison(mine, true)
    last = len(mine.rows) - 1, len(true.rows) - 1
    if next(comparison.pairings(*last, {}), None) is not None:
        return None
    first = comparison.first(*last)
    return first and Difference(
        first.mine, first.true, f"The first difference, starting from the result: {first.words}"
    )


class _Comparison:
    def __init__(self, mine: Rows, true: Rows) -> None:
        self.mine, self.true = mine.rows, true.rows
        numbers: dict[Any, int] = {}
        self.keys = [_keys(rows, numbers) for rows in (mine.rows, true.rows)]
        self.steps = 0
        self.pairs: dict[int, int] = {}

    def pairings(self, i: int, j: int, paired: dict[int, int]) -> Iterator[dict[int, int]]:
        """Yield every way to pair the equal boxes behind row i of `mine` and row j of `true`.

        paired : the pairs so far, as index in `mine` -> index in `true`; each result extends it.
        """
        self.steps += 1
        if i in paired or j in paired.values():
            if paired.get(i) == j:
                yield paired
            return
        (label, a), (other, b) = self.mine[i], self.true[j]
        if self.keys[0][i] != self.keys[1][j] or label != other or self.steps > STEPS:
            return
        orders = [a, a[::-1]] if label in COMMUTATIVE and len(set(a)) == 2 else [a]
        for order in orders:
            for pairing in self._all(list(zip(order, b)), paired):
                yield {**pairing, i: j}

    def _all(self, pairs: list[tuple[int, int]], paired: dict[int, int]) -> Iterator[dict[int, int]]:
        if not pairs:
            yield paired
            return
        for pairing in self.pairings(*pairs[0], paired):
            yield from self._all(pairs[1:], pairing)

    def first(self, i: int, j: int) -> Difference | None:
        """Return the first difference between row i of `mine` and row j of `true`, or behind them, or None."""
        (label, a), (other, b) = self.mine[i], self.true[j]
        if label != other:
            return Difference(i, j, f"yours has {label} where {other} is expected.")
        if i in self.pairs or j in self.pairs.values():
            if self.pairs.get(i) == j:
                return None
            shared = f"uses one {label} twice, where two are expected"
            again = f"computes {label} again, where one is used twice"
            return Difference(i, j, f"yours {shared if i in self.pairs else again}.")
        if len(a) != len(b):
            return Difference(i, j, f"{len(a)} arrows enter your {label}, and {len(b)} are expected.")
        orders: list[tuple[int, ...]] = [a, a[::-1]] if label in COMMUTATIVE else [a]
        likest = max(orders, key=lambda order: self._likeness(order, b))
        for k, m in zip(likest, b):
            if inner := self.first(k, m):
                return inner
        self.pairs[i] = j
        return None

    def _likeness(self, used: tuple[int, ...], true: tuple[int, ...]) -> tuple[int, int]:
        """Compare two lists of arguments: return how many pairs have the same value, and how many the same label."""
        same = sum(self.keys[0][k] == self.keys[1][m] for k, m in zip(used, true))
        return same, sum(self.mine[k][0] == self.true[m][0] for k, m in zip(used, true))


def _keys(rows: Sequence[tuple[str, tuple[int, ...]]], numbers: dict[Any, int]) -> list[int]:
    """Return a number for each row that is the same for rows computing the same value, even in another graph.

    numbers : the numbers given so far; the caller passes the same dict for both graphs.
    """
    keys: list[int] = []
    for label, used in rows:
        inner = [keys[i] for i in used]
        key = label, tuple(sorted(inner) if label in COMMUTATIVE else inner)
        keys.append(numbers.setdefault(key, len(numbers)))
    return keys
