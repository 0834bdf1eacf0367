"""`viz.jacobian`: the Jacobian of a function as a heat map with labelled axes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.core.tensor import Tensor
from minigrad.tracing.numbers import short
from minigrad.transforms import jacobians

from ..render.matplotlib_figure import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WRITTEN = 14  #: rows and columns up to which each number is written into its cell
LARGEST = 2000  #: rows or columns


def jacobian(f: Callable[..., Any], x: Any, *others: Any) -> Figure:
    """The Jacobian of `f` at `x`: a row for each element of f(x), a column for each element of x.

    f : a function of an array that returns one Tensor. x : the array; `others` are handed to f as they are.

    Returns a matplotlib Figure; `print` it for its text, `figure.matrix` is the array. Numbers that are nan or inf are
    crossed out and named. Raises TypeError for what has no gradient, ImportError where matplotlib is missing.

    >>> import minigrad as mg
    >>> print(jacobian(lambda x: x * x, np.array([1.0, 2.0])))
    Jacobian of f: 2 outputs by 2 inputs, 2 of 4 numbers are 0.
          x[0]  x[1]
    f[0]     2     0
    f[1]     0     4
    """
    if not callable(f) or isinstance(f, Tensor):
        raise TypeError(f"jacobian takes a function and an array, as in viz.jacobian(f, x), got {f!r:.60}")
    x = x if isinstance(x, Tensor) else np.asarray(x)
    x = x.astype(np.float32) if x.dtype.kind in "iub" else x
    found = jacobians.jacobian(f)(x, *others)
    if not isinstance(found, (Tensor, np.ndarray, np.generic)):
        raise TypeError(f"jacobian draws one matrix, but f returned several values: {type(found).__name__}")
    whole = np.asarray(found.value if isinstance(found, Tensor) else found)
    shapes = whole.shape[: whole.ndim - x.ndim], x.shape
    matrix = whole.reshape(int(np.prod(shapes[0])), int(np.prod(shapes[1]))) + 0.0  # no -0 in the cells
    if max(matrix.shape) > LARGEST:
        m, n = matrix.shape
        raise ValueError(
            f"jacobian draws up to {LARGEST} rows and columns, got {m} by {n}; take a part of x or of f(x)"
        )
    called = getattr(f, "__name__", "f").replace("<lambda>", "f")
    rows, columns = _labels(called, shapes[0]), _labels(_argument(f), shapes[1])
    figure: Any = new_figure("jacobian", min(10.0, 2.4 + 0.68 * matrix.shape[1]), min(9.0, 1.4 + 0.5 * matrix.shape[0]))
    _draw(figure, matrix, rows, columns)
    figure.matrix = matrix
    figure.summary = _summary(called, matrix)
    figure.twin = _table(matrix, rows, columns) if max(matrix.shape) <= WRITTEN else ""
    return figure


def _labels(name: str, shape: tuple[int, ...]) -> list[str]:
    return [f"{name}[{', '.join(map(str, index))}]" if index else name for index in np.ndindex(*shape)]


def _argument(f: Callable[..., Any]) -> str:
    try:
        return next(iter(inspect.signature(getattr(f, "f", f)).parameters), "x")
    except (TypeError, ValueError):
        return "x"


def _draw(figure: Any, matrix: np.ndarray, rows: list[str], columns: list[str]) -> None:
    axes = figure.subplots()
    finite = matrix[np.isfinite(matrix)]
    extent = float(np.abs(finite).max()) if finite.size and finite.any() else 1.0
    shown = np.where(np.isfinite(matrix), matrix, 0.0)
    image = axes.imshow(shown, cmap="PuOr_r", vmin=-extent, vmax=extent, aspect="auto", interpolation="nearest")
    figure.colorbar(image, ax=axes, fraction=0.046, pad=0.02)
    for axis, labels in ((axes.xaxis, columns), (axes.yaxis, rows)):
        every = max(1, -(-len(labels) // 20))
        axis.set_ticks(range(0, len(labels), every), labels[::every])
    axes.tick_params(axis="x", rotation=0 if sum(map(len, columns)) < 60 else 60, top=True, bottom=False)
    axes.xaxis.set_tick_params(labeltop=True, labelbottom=False)
    written = max(matrix.shape) <= WRITTEN
    for i, j in np.ndindex(*matrix.shape):
        number = matrix[i, j]
        if not np.isfinite(number):
            axes.fill_between([j - 0.5, j + 0.5], i - 0.5, i + 0.5, facecolor="none", edgecolor="0.3", hatch="xx", lw=0)
        if written:
            dark = np.isfinite(number) and abs(number) > 0.55 * extent
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0} if not np.isfinite(number) else None
            word = short(float(number), 3)
            axes.text(j, i, word, ha="center", va="center", color="white" if dark else "black", bbox=box, size="small")


def _summary(called: str, matrix: np.ndarray) -> str:
    m, n = matrix.shape
    zeros = int((matrix == 0).sum())
    bad = [f"{count} are {word}" for word, count in (("nan", int(np.isnan(matrix).sum())),
                                                      ("inf", int(np.isinf(matrix).sum()))) if count]  # fmt: skip
    words = ", ".join([f"{zeros} of {matrix.size} numbers are 0", *bad])
    return f"Jacobian of {called}: {m} output{'s' * (m != 1)} by {n} input{'s' * (n != 1)}, {words}."


def _table(matrix: np.ndarray, rows: list[str], columns: list[str]) -> str:
    lines = [["", *columns], *([name, *(short(float(v)) for v in row)] for name, row in zip(rows, matrix))]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns) + 1)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *(word.rjust(w) for word, w in zip(line[1:], widths[1:]))])
        for line in lines
    )
