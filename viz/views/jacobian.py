"""`viz.jacobian`: the Jacobian of a function as a heat map with labelled axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.core.support.structure import leaves
from minigrad.core.tensor import Tensor
from minigrad.transforms import jacobians

from ..render.heat_map import WRITTEN, draw_heat_map, extent_of, labels_of, readout, table
from ..render.matplotlib_figure import canvas, colour
from .binding import known_as, parameters_of
from .figure_view import FigureView

LARGEST = 2000  #: maximum number of rows or columns
LARGE = "\nThe numbers are in view.matrix."


def jacobian(f: Callable[..., Any], x: Any, *others: Any) -> FigureView:
    """Draw the Jacobian of `f` at `x`: rows are elements of f(x), columns elements of x.

    f : a function of an array that returns a Tensor, or a structure of Tensors (a tuple, a list, a dict): then the rows
        of each output are below the rows of the previous output, with a line between them.
    x : the array, of floats; ints become float32. `others` are passed to f as they are.

    Returns a `FigureView`: `view.matrix` is the array, of shape (elements of f(x), elements of x), `view.figure` the
    matplotlib Figure. In a notebook or a page, a row or column of up to 14 numbers shows them when the pointer rests on
    it. Numbers that are nan or inf are crossed out and named. Raises TypeError if there is no gradient, ValueError for
    no rows or columns or more than 2000; ImportError if matplotlib is missing.

    >>> import minigrad as mg
    >>> print(jacobian(lambda x: {"square": x * x, "sum": mg.sum(x)}, np.array([1.0, 2.0])))
    Jacobian of f: 3 outputs by 2 inputs, 2 of 6 numbers are 0.
                    x[0]  x[1]
    f['square'][0]     2     0
    f['square'][1]     0     4
    f['sum']           1     1
    """
    if not callable(f):
        raise TypeError(f"jacobian takes a function and an array, as in viz.jacobian(f, x), got {f!r:.60}")
    x = x if isinstance(x, Tensor) else np.asarray(x)
    x = x.astype(np.float32) if x.dtype.kind in "iub" else x
    called = known_as(f)
    rows: list[str] = []
    blocks = []
    for name, derivative in leaves(jacobians.jacobian(f)(x, *others), called):
        whole = np.asarray(derivative.value if isinstance(derivative, Tensor) else derivative)
        names = labels_of(name, whole.shape[: whole.ndim - x.ndim])
        blocks.append(whole.reshape(len(names), x.size) + 0.0)  # no -0 in the cells
        rows += names
    columns = labels_of(next(iter(parameters_of(f)), "x"), x.shape)
    if not rows or not columns:
        raise ValueError(f"jacobian needs at least one element in x and in f(x), got {len(columns)} and {len(rows)}")
    if max(len(rows), len(columns)) > LARGEST:
        raise ValueError(
            f"jacobian draws up to {LARGEST} rows and columns, got {len(rows)} by {len(columns)}; "
            "take a part of x or of f(x)"
        )
    matrix = np.concatenate(blocks)
    written = max(matrix.shape) <= WRITTEN  # each number is in its cell, so a colour scale would repeat it
    width = min(10.0, (1.4 if written else 2.4) + 0.68 * len(columns))
    with canvas("jacobian", width, min(9.0, 1.4 + 0.5 * len(rows))) as figure:
        axes = figure.subplots()
        image = draw_heat_map(axes, matrix, rows, columns, extent_of(matrix))
        if not written:
            figure.colorbar(image, ax=axes, fraction=0.046, pad=0.02)
        for end in np.cumsum([len(block) for block in blocks[:-1]]):
            axes.axhline(end - 0.5, color=colour("rim"), lw=2.5)
    return FigureView(
        figure,
        f"Jacobian of {called}",
        _summary(called, matrix),
        lambda most: table(matrix, rows, columns, most=most) + LARGE * (not written),
        readout(axes, {called: matrix}, rows, columns),
        matrix=matrix,
    )


def _summary(called: str, matrix: np.ndarray) -> str:
    m, n = matrix.shape
    zeros = int((matrix == 0).sum())
    counts = {"nan": int(np.isnan(matrix).sum()), "inf": int(np.isinf(matrix).sum())}
    bad = [f"{count} {'is' if count == 1 else 'are'} {word}" for word, count in counts.items() if count]
    words = ", ".join([f"{zeros} of {matrix.size} numbers {'is' if zeros == 1 else 'are'} 0", *bad])
    return f"Jacobian of {called}: {m} output{'s' * (m != 1)} by {n} input{'s' * (n != 1)}, {words}."
