"""Heat maps of matrices, with labelled axes, numbers in the cells, and a row or column as text under the pointer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.tracing.numbers import short
from minigrad.tracing.table import text_table

from .matplotlib_figure import Readout, colour

WRITTEN = 14  #: maximum number of rows or columns of a matrix that has numbers in its cells
PALE = 0.55  #: strength of the colours behind numbers, which keeps the numbers readable

Labels = Sequence[str]


def labels_of(name: str, shape: tuple[int, ...]) -> list[str]:
    """Return the name of each element of an array.

    >>> labels_of("x", (2,))
    ['x[0]', 'x[1]']
    """
    return [f"{name}[{', '.join(map(str, index))}]" if index else name for index in np.ndindex(*shape)]


def extent_of(*matrices: np.ndarray) -> float:
    """Return the largest finite absolute value in some matrices, or 1 if all are 0: the end of their common scale."""
    sizes = [float(np.abs(m[np.isfinite(m)]).max(initial=0.0)) for m in matrices]
    return max(sizes) or 1.0


def draw_heat_map(axes: Any, matrix: np.ndarray, rows: Labels, columns: Labels, extent: float) -> Any:
    """Draw a labelled matrix on a scale from -extent to extent; return matplotlib's image.

    As in the other pictures, positive numbers are blue, negative numbers are orange, and 0 has no colour. A nan or inf
    is crossed out in red and written out.
    """
    written = max(matrix.shape) <= WRITTEN
    finite = np.isfinite(matrix)
    shown = np.where(finite, matrix, 0.0)
    colours = hues(PALE if written else 1.0)
    image = axes.imshow(shown, cmap=colours, vmin=-extent, vmax=extent, aspect="auto", interpolation="none")
    for axis, labels in ((axes.xaxis, columns), (axes.yaxis, rows)):
        every = max(1, -(-len(labels) // 20))
        axis.set_ticks(range(0, len(labels), every), [_middle_left_out(label) for label in labels[::every]])
    axes.tick_params(axis="x", rotation=0 if sum(map(len, columns)) < 60 else 60, top=True, bottom=False)
    axes.xaxis.set_tick_params(labeltop=True, labelbottom=False)
    look: dict[str, Any]
    for i, j in np.argwhere(~finite):
        look = {"facecolor": colour("badfill"), "edgecolor": (colour("bad"), 0.4), "hatch": "xx", "lw": 0}
        axes.fill_between([j - 0.5, j + 0.5], i - 0.5, i + 0.5, **look)
    words = {at: short(float(matrix[at]), 3) for at in np.ndindex(*matrix.shape)} if written else {}
    size = _size(axes, max(map(len, words.values()), default=1), matrix.shape[1])
    for (i, j), word in words.items():
        look = {}
        if not finite[i, j]:
            box = {"facecolor": colour("badfill"), "edgecolor": "none", "pad": 1.0}
            look = {"color": colour("bad"), "weight": "bold", "bbox": box}
        axes.text(j, i, word, ha="center", va="center", size=size, **look)
    return image


def _middle_left_out(label: str) -> str:
    """Shorten a label to 24 characters by removing its middle, to leave room for the cells."""
    return label if len(label) <= 24 else f"{label[:12]}…{label[-11:]}"


def _size(axes: Any, letters: int, columns: int) -> float:
    """Return the font size for numbers of `letters` characters: matplotlib's "small", or less if they do not fit."""
    from matplotlib.font_manager import FontProperties

    width = 72 * axes.get_position().width * axes.figure.get_figwidth() / columns
    return min(FontProperties(size="small").get_size_in_points(), width / (0.66 * letters))


def hues(strength: float = 1.0) -> Any:
    """Return matplotlib's colour map from negative numbers (orange) through 0 to positive numbers (blue)."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    paper, *ends = (np.array(to_rgb(colour(name))) for name in ("paper", "now", "grad"))
    low, high = (paper + strength * (end - paper) for end in ends)
    return LinearSegmentedColormap.from_list("minigrad", [low, paper, high])


def readout(axes: Any, named: Mapping[str, np.ndarray], rows: Labels, columns: Labels) -> list[Readout]:
    """Return the text that a notebook shows when the pointer is on a row of a heat map or on the label of a column.

    named : name -> a matrix whose numbers are shown; if there is only one, its name is left out.

    The list is empty if the matrices are too large to have numbers in their cells.
    """

    def words(label: str, parts: Mapping[str, np.ndarray]) -> str:
        lines = [f"{name} {numbers(part)}" for name, part in parts.items()]
        return f"{label}: {numbers(*parts.values())}" if len(parts) == 1 else "\n".join([f"{label}:", *lines])

    def numbers(part: np.ndarray) -> str:
        return " ".join(short(float(number), 3) for number in part)

    if max(len(rows), len(columns)) > WRITTEN:
        return []
    by_row = [(axes, "row", i, words(label, {k: m[i] for k, m in named.items()})) for i, label in enumerate(rows)]
    by_column = [
        (axes, "column", j, words(label, {k: m[:, j] for k, m in named.items()})) for j, label in enumerate(columns)
    ]
    return by_row + by_column


def table(matrix: np.ndarray, rows: Labels, columns: Labels, corner: str = "", most: int | None = None) -> str:
    """Return the matrix as text, with the labels of its rows and columns, and `corner` above the row labels.

    If there are more than `WRITTEN` columns, only the first and last ones are written. Likewise, only the first and
    last rows are written if there are more than `WRITTEN` or `most`.

    >>> print(table(np.eye(3), ["a", "b", "c"], ["x", "y", "z"], most=2))
       x  y  z
    a  1  0  0
    …  …  …  …
    c  0  0  1
    """
    down, across = _ends(len(rows), min(most or WRITTEN, WRITTEN)), _ends(len(columns), WRITTEN)
    cell = lambda i, j: "…" if i is None or j is None else short(float(matrix[i, j]))
    lines = [["…" if i is None else rows[i], *(cell(i, j) for j in across)] for i in down]
    return text_table([corner, *("…" if j is None else columns[j] for j in across)], lines, words={0})


def _ends(count: int, most: int) -> list[int | None]:
    """Return the indices of the rows to write: all `count` or, if these are more than `most`, first and last ones.

    None in the list represents the rows that are left out.
    """
    if count <= most:
        return list(range(count))
    return [*range(most // 2), None, *range(count - most // 2, count)]
