"""Heat maps of matrices: labelled axes, numbers in the cells, and rows and columns that can be read out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.tracing.numbers import short

WRITTEN = 14  #: rows and columns up to which each number is written into its cell

Labels = Sequence[str]


def labels_of(name: str, shape: tuple[int, ...]) -> list[str]:
    """The name of each element of an array.

    >>> labels_of("x", (2,))
    ['x[0]', 'x[1]']
    """
    return [f"{name}[{', '.join(map(str, index))}]" if index else name for index in np.ndindex(*shape)]


def extent_of(*matrices: np.ndarray) -> float:
    """The largest finite absolute value, 1 where all are 0: the end of a scale that the matrices share."""
    sizes = [float(np.abs(m[np.isfinite(m)]).max(initial=0.0)) for m in matrices]
    return max(sizes) or 1.0


def draw_heat_map(axes: Any, matrix: np.ndarray, rows: Labels, columns: Labels, extent: float) -> Any:
    """Draw a matrix with its row and column labels on a scale from -extent to extent; returns matplotlib's image.

    Numbers that are nan or inf are crossed out and named.
    """
    finite = np.isfinite(matrix)
    shown = np.where(finite, matrix, 0.0)
    image = axes.imshow(shown, cmap="PuOr_r", vmin=-extent, vmax=extent, aspect="auto", interpolation="nearest")
    for axis, labels in ((axes.xaxis, columns), (axes.yaxis, rows)):
        every = max(1, -(-len(labels) // 20))
        axis.set_ticks(range(0, len(labels), every), labels[::every])
    axes.tick_params(axis="x", rotation=0 if sum(map(len, columns)) < 60 else 60, top=True, bottom=False)
    axes.xaxis.set_tick_params(labeltop=True, labelbottom=False)
    for i, j in np.argwhere(~finite):
        axes.fill_between([j - 0.5, j + 0.5], i - 0.5, i + 0.5, facecolor="none", edgecolor="0.3", hatch="xx", lw=0)
    if max(matrix.shape) <= WRITTEN:
        for i, j in np.ndindex(*matrix.shape):
            dark = finite[i, j] and abs(matrix[i, j]) > 0.55 * extent
            box = None if finite[i, j] else {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            axes.text(
                j, i, short(float(matrix[i, j]), 3), ha="center", va="center", bbox=box, size="small",
                color="white" if dark else "black",
            )  # fmt: skip
    return image


def readout(axes: Any, named: Mapping[str, np.ndarray], rows: Labels, columns: Labels) -> list[tuple[Any, ...]]:
    """What a notebook shows where the pointer rests on a row, or on the label of a column, of a heat map.

    named : the matrices that are read out, by name; of a single one the name is left out.

    Returns the `readouts` of a figure: axes, "row" or "column", the number, the words.
    """

    def words(label: str, parts: Mapping[str, np.ndarray]) -> str:
        lines = [f"{name} {numbers(part)}" for name, part in parts.items()]
        return f"{label}: {numbers(*parts.values())}" if len(parts) == 1 else "\n".join([f"{label}:", *lines])

    def numbers(part: np.ndarray) -> str:
        return " ".join(short(float(number), 3) for number in part)

    by_row = [(axes, "row", i, words(label, {k: m[i] for k, m in named.items()})) for i, label in enumerate(rows)]
    by_column = [
        (axes, "column", j, words(label, {k: m[:, j] for k, m in named.items()})) for j, label in enumerate(columns)
    ]
    return by_row + by_column


def table(matrix: np.ndarray, rows: Labels, columns: Labels, corner: str = "") -> str:
    """The matrix as text, with the labels of its rows and columns, and `corner` above the rows."""
    lines = [[corner, *columns], *([name, *(short(float(v)) for v in row)] for name, row in zip(rows, matrix))]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns) + 1)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *(word.rjust(w) for word, w in zip(line[1:], widths[1:]))])
        for line in lines
    )
